"""Stand-ins for jiwer, rouge-score, evaluate, torchmetrics and pycocoevalcap."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender, exactly
from rapidbleu.adapters import evaluate, jiwer, pycocoevalcap, rouge_score

TOPIC = "adapters"
_WHITE_SPACE = "all text is searched for white space that needs the original's splitting"
LIMITS = {
    "jiwer.wer": _WHITE_SPACE,
    "RougeScorer.score": "each call makes four result objects in Python",
    'evaluate.load("rouge")': "most of the time is 1,000 resamples by NumPy, as in the original",
    "torchmetrics, ROUGEScore": "torch updates the metric's tensors",
    "pycocoevalcap, Rouge": _WHITE_SPACE,
}
N_FEW = 300  # segments for slow peers
TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
KEYS = ("rouge1", "rouge2", "rougeL")  # torchmetrics needs NLTK data for rougeLsum
SEED = 5


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    few = corpus.head(N_FEW)
    hyps, refs = corpus.hypotheses, corpus.references[0]
    yield _comparison("jiwer.wer", corpus, lambda module: module.wer(refs, hyps), jiwer, "jiwer")
    yield _scorer(few)
    yield _evaluate(few)
    yield from _torchmetrics(corpus, few)
    yield _captions("Rouge", corpus)
    yield _captions("Cider", corpus)


def _comparison(
    job: str,
    corpus: Corpus,
    call: Callable[[Any], Any],
    own: Any,
    peer: str,
    *,
    agrees: Callable[[Any, Any], bool] = exactly,
    compared: str = "results: ==",
) -> Comparison:
    name = peer.split(".")[0].replace("_", "-")
    theirs = peers.rival(name, peer, call, agrees=agrees, compared=compared)
    return Comparison(
        TOPIC,
        job,
        corpus.name,
        Contender("rapidbleu", lambda: call(own)),
        theirs,
        len(corpus.hypotheses),
        "segment",
        headline=True,
    )


def _scorer(corpus: Corpus) -> Comparison:
    def call(module: Any) -> Any:
        scorer = module.RougeScorer(TYPES)
        return list(map(scorer.score, corpus.references[0], corpus.hypotheses))

    return _comparison("RougeScorer.score", corpus, call, rouge_score, "rouge_score.rouge_scorer")


def _evaluate(corpus: Corpus) -> Comparison:
    """Call rouge-score as evaluate does; this needs neither its script nor its files."""
    hyps, refs = corpus.hypotheses, corpus.references[0]
    rouge = evaluate.load("rouge", seed=SEED)

    def compute(module: Any) -> dict[str, Any]:
        np.random.seed(SEED)
        aggregator = importlib.import_module("rouge_score.scoring").BootstrapAggregator()
        for scores in map(module.RougeScorer(TYPES).score, refs, hyps):
            aggregator.add_scores(scores)
        return {name: each.mid.fmeasure for name, each in aggregator.aggregate().items()}

    theirs = peers.rival(
        "rouge-score and its aggregator",
        "rouge_score.rouge_scorer",
        compute,
        compared="results: ==",
    )
    ours = Contender("rapidbleu", lambda: rouge.compute(predictions=hyps, references=refs))
    return Comparison(
        TOPIC,
        'evaluate.load("rouge")',
        corpus.name,
        ours,
        theirs,
        len(hyps),
        "segment",
        headline=True,
    )


def _torchmetrics(corpus: Corpus, few: Corpus) -> Iterator[Comparison]:
    """Update and compute metrics; ours are torchmetrics' own except for counting."""
    if peers.load("torchmetrics") is None:
        return
    own = importlib.import_module("rapidbleu.adapters.torchmetrics")
    yield _comparison(
        "torchmetrics, WordErrorRate",
        corpus,
        lambda module: module.WordErrorRate()(corpus.hypotheses, corpus.references[0]).item(),
        own,
        "torchmetrics.text",
    )

    def rouge(module: Any) -> list[float]:
        metric = module.ROUGEScore(rouge_keys=KEYS)
        return [mean.item() for mean in metric(few.hypotheses, few.references[0]).values()]

    yield _comparison(
        "torchmetrics, ROUGEScore",
        few,
        rouge,
        own,
        "torchmetrics.text",
        agrees=peers.within(5e-7),
        compared="means: within 5e-7",
    )


def _captions(name: str, corpus: Corpus) -> Comparison:
    gts, res = (
        {i: [text] for i, text in enumerate(texts)}
        for texts in (corpus.references[0], corpus.hypotheses)
    )

    def call(module: Any) -> list[float]:
        mean, scores = getattr(module, name)().compute_score(gts, res)
        return [mean, *scores]

    return _comparison(
        f"pycocoevalcap, {name}",
        corpus,
        call,
        pycocoevalcap,
        f"pycocoevalcap.{name.lower()}.{name.lower()}",
        agrees=peers.within(1e-14),
        compared="scores: within 1e-14",
    )
