"""Error rates, ROUGE, GLEU, NIST, RIBES and CIDEr-D beside the packages that have them."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender
from rapidbleu.nltk import ribes_score

TOPIC = "family"
N_PAIRED = 1024
VARIANTS = ("1", "2", "L")


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Corpora and segments from strings or tokens, and all pairs of token ids."""
    corpus = corpora.news
    hyps, refs = corpus.hypotheses, corpus.references
    yield _rates("corpus, WER", rapidbleu.WER(), "wer", corpus)
    yield _rates("corpus, CER", rapidbleu.CER(), "cer", corpus)
    yield _rouge(corpus)
    tokens, of_refs = [text.split() for text in hyps], [[text.split()] for text in refs[0]]
    nist = rapidbleu.NIST(tokenize="none")
    yield _nltk(
        "corpus, NIST", corpus, lambda: nist.corpus_score(hyps, refs).score, "nist_score",
        lambda module: module.corpus_nist(of_refs, tokens), 1.0,
    )  # fmt: skip
    gleu = rapidbleu.GLEU(tokenize="none")
    yield _nltk(
        "corpus, GLEU", corpus, lambda: gleu.corpus_score(hyps, refs).score, "gleu_score",
        lambda module: module.corpus_gleu(of_refs, tokens), 100.0,
    )  # fmt: skip
    yield _nltk(
        "corpus, RIBES of NLTK", corpus, lambda: ribes_score.corpus_ribes(of_refs, tokens),
        "ribes_score", lambda module: module.corpus_ribes(of_refs, tokens), 1.0,
    )  # fmt: skip
    yield _cider(corpus)
    yield from _pairs(corpus)


def _rates(job: str, metric: Any, name: str, corpus: Corpus) -> Comparison:
    """The rate of a corpus; the counts behind it are compared, too."""
    hyps, refs = corpus.hypotheses, corpus.references
    run = lambda: metric.corpus_score(hyps, refs)  # noqa: E731

    def outcome() -> Any:
        score = run()
        return score.score, score.hits, score.substitutions, score.deletions, score.insertions

    theirs = []
    jiwer = peers.load("jiwer")
    if jiwer is not None:
        process = jiwer.process_words if name == "wer" else jiwer.process_characters

        def expected() -> Any:
            found = process(refs[0], hyps)
            rate = 100 * getattr(found, name)
            return rate, found.hits, found.substitutions, found.deletions, found.insertions

        theirs = [
            Contender(
                "jiwer", lambda: getattr(jiwer, name)(refs[0], hyps), outcome=expected,
                compared="rate, hits, substitutions, deletions, insertions: ==",
            )
        ]  # fmt: skip
    ours = Contender("rapidbleu", run, outcome=outcome)
    return Comparison(TOPIC, job, corpus.name, ours, theirs, len(hyps), "segment", headline=True)


def _rouge(corpus: Corpus) -> Comparison:
    """F of each segment, of three variants, for which both read the texts once."""
    hyps, refs = corpus.hypotheses, corpus.references
    metrics = [rapidbleu.ROUGE(variant) for variant in VARIANTS]

    def run() -> list[Any]:
        texts = metrics[0].prepare([hyps]), metrics[0].prepare(refs)
        return [metric.segment_scores(*texts) for metric in metrics]

    theirs = []
    if peers.load("rouge_score") is not None:
        names = [f"rouge{variant}" for variant in VARIANTS]
        scorer = importlib.import_module("rouge_score.rouge_scorer").RougeScorer(names)

        def score() -> list[float]:
            found = [scorer.score(ref, hyp) for hyp, ref in zip(hyps, refs[0], strict=True)]
            return [each[name].fmeasure for name in names for each in found]

        theirs = [
            Contender(
                "rouge-score", score, compared="F of each segment: within 1e-12",
                agrees=peers.within(1e-12, 100.0),
            )
        ]  # fmt: skip
    ours = Contender("rapidbleu", run, outcome=lambda: np.concatenate(run()).tolist())
    return Comparison(
        TOPIC, "segments, ROUGE-1, 2 and L", corpus.name, ours, theirs, len(hyps), "segment",
        headline=True,
    )  # fmt: skip


def _nltk(
    job: str, corpus: Corpus, run: Callable[[], float], module: str, call: Any, scale: float
) -> Comparison:
    theirs = []
    if peers.load("nltk") is not None:
        peer = importlib.import_module(f"nltk.translate.{module}")
        theirs = [
            Contender(
                "nltk", lambda: call(peer), compared="score: within 1e-12",
                agrees=peers.within(1e-12, scale),
            )
        ]  # fmt: skip
    ours = Contender("rapidbleu", run)
    n = len(corpus.hypotheses)
    return Comparison(TOPIC, job, corpus.name, ours, theirs, n, "segment", headline=True)


def _cider(corpus: Corpus) -> Comparison:
    """CIDEr-D of each segment, from text that is tokenized."""
    hyps, refs = corpus.hypotheses, corpus.references
    metric = rapidbleu.CIDErD()
    theirs = []
    if peers.load("pycocoevalcap") is not None:
        scorer = importlib.import_module("pycocoevalcap.cider.cider_scorer").CiderScorer

        def score() -> list[float]:
            own = scorer()
            for hyp, ref in zip(hyps, refs[0], strict=True):
                own += hyp, [ref]
            found: list[float] = own.compute_score()[1].tolist()
            return found

        theirs = [
            Contender(
                "pycocoevalcap", score, compared="score of each segment: within 1e-12",
                agrees=peers.within(1e-12),
            )
        ]  # fmt: skip
    run = lambda: metric.segment_scores(hyps, refs)  # noqa: E731
    ours = Contender("rapidbleu", run, outcome=lambda: run().tolist())
    return Comparison(TOPIC, "segments, CIDEr-D", corpus.name, ours, theirs, len(hyps), "segment")


def _pairs(corpus: Corpus) -> Iterator[Comparison]:
    """Every text of ids against every other, tokenized before by both."""
    numbers: dict[str, int] = {}
    texts = [*corpus.hypotheses[:N_PAIRED], *corpus.references[0][:N_PAIRED]]
    ids = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in texts]
    hyps, refs = ids[: len(ids) // 2], ids[len(ids) // 2 :]
    lengths = np.array([max(1, len(ref)) for ref in refs])
    both = lengths + np.array([[len(hyp)] for hyp in hyps])
    rouge = rapidbleu.ROUGE("L", tokenize="none", lowercase=False)
    for job, metric, scorer, rate in (
        ("all pairs, WER", rapidbleu.WER(), "Levenshtein.distance", lambda d: 100 * (d / lengths)),
        ("all pairs, ROUGE-L", rouge, "LCSseq.similarity", lambda d: 200 * d / both),
    ):
        prepared = metric.prepare([hyps]), metric.prepare([refs])
        run = lambda m=metric, p=prepared: m.pairwise(*p)  # noqa: E731
        theirs = []
        if peers.load("rapidfuzz") is not None:
            kind, name = scorer.split(".")
            function = getattr(
                getattr(importlib.import_module("rapidfuzz.distance"), kind), name
            )
            cdist = importlib.import_module("rapidfuzz.process").cdist
            call = lambda f=function, c=cdist: c(hyps, refs, scorer=f)  # noqa: E731
            theirs = [
                Contender(
                    "rapidfuzz", call, compared="score: within 1e-12",
                    outcome=lambda c=call, r=rate: r(c().astype(float)).ravel().tolist(),
                    agrees=peers.within(1e-12),
                )
            ]  # fmt: skip
        ours = Contender("rapidbleu", run, outcome=lambda r=run: r().ravel().tolist())
        yield Comparison(
            TOPIC, job, corpus.name, ours, theirs, len(hyps) * len(refs), "pair", headline=True
        )
