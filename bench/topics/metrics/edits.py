"""Edit distances and subsequences: error rates, ROUGE, CharacTER and EED."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "edits"
N_PAIRED = 1024
N_WORDS = 30_000  # in a document
VARIANTS = ("1", "2", "L")


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    document = corpus.document(N_WORDS)
    yield _rates("corpus, WER", rapidbleu.WER(), "wer", corpus)
    yield _rates("corpus, CER", rapidbleu.CER(), "cer", corpus)
    yield _rates("30,000 words, WER", rapidbleu.WER(), "wer", document)
    yield _rouge(corpus)
    yield _subsequence(document)
    yield from _pairs(corpus)
    yield _character(corpus)
    yield _eed(corpus)


def _rates(job: str, metric: Any, name: str, corpus: Corpus) -> Comparison:
    hyps, refs = corpus.hypotheses, corpus.references
    run = lambda: metric.corpus_score(hyps, refs)  # noqa: E731

    def outcome() -> Any:
        score = run()
        return score.score, score.matches, score.substitutions, score.deletions, score.insertions

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
    """Compare F of each segment for three variants, for which both read the texts once."""
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


def _subsequence(document: Corpus) -> Comparison:
    """Time ROUGE-L of a document; rouge-score would take minutes and gigabytes."""
    hyps, refs = document.hypotheses, document.references
    metric = rapidbleu.ROUGE("L", tokenize="none", lowercase=False)
    theirs = []
    if peers.load("rapidfuzz") is not None:
        distance: Any = importlib.import_module("rapidfuzz.distance")

        def f_score() -> float:
            hyp, ref = hyps[0].split(), refs[0][0].split()
            return float(200 * distance.LCSseq.similarity(hyp, ref) / (len(hyp) + len(ref)))

        theirs = [
            Contender(
                "rapidfuzz, words", f_score, compared="score: within 1e-12",
                agrees=peers.within(1e-12),
            )
        ]  # fmt: skip
    ours = Contender("rapidbleu", lambda: metric.corpus_score(hyps, refs).score)
    return Comparison(
        TOPIC, "30,000 words, ROUGE-L", document.name, ours, theirs, 1, "segment",
        headline=True,
    )  # fmt: skip


def _pairs(corpus: Corpus) -> Iterator[Comparison]:
    """Score every text of ids against every other; both get tokenized texts."""
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
            function = getattr(getattr(importlib.import_module("rapidfuzz.distance"), kind), name)
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


def _character(corpus: Corpus) -> Comparison:
    """Compare CharacTER; rounding makes the package accept some word moves without gain."""
    defined: Any = peers.of_tests("reference.family.character")
    package = peers.load("cer")
    part = corpus.part(peers.N_PART)
    hyps, refs = ([text.split() for text in side] for side in (part.hypotheses, part.references[0]))
    theirs = []
    if package is not None:
        theirs = [
            Contender(
                "cer", lambda: list(map(package.calculate_cer, hyps, refs)),
                compared="19 of 20 scores of segments: within 1e-9", agrees=_mostly,
            )
        ]  # fmt: skip
    define = lambda: list(map(defined.score, hyps, refs))  # noqa: E731
    return peers.beside_definition(
        TOPIC, "segments, CharacTER", rapidbleu.CharacTER(), corpus, define, theirs
    )


def _eed(corpus: Corpus) -> Comparison:
    """Compare EED, which torchmetrics returns in single precision."""
    defined: Any = peers.of_tests("reference.family.eed")
    text = peers.load("torchmetrics.functional.text")
    part = corpus.part(peers.N_PART)
    hyps, refs = part.hypotheses, part.references[0]
    theirs = []
    if text is not None:
        streams = [[ref] for ref in refs]

        def score() -> list[float]:
            _, scores = text.extended_edit_distance(hyps, streams, return_sentence_level_score=True)
            return [float(each) for each in scores]

        theirs = [
            Contender(
                "torchmetrics", score, compared="score of each segment: within 1e-6",
                agrees=peers.within(1e-6, 100.0),
            )
        ]  # fmt: skip

    def define() -> list[float]:
        sides = ([defined.prepared_en(text) for text in side] for side in (hyps, refs))
        return list(map(defined.distance, *sides))

    return peers.beside_definition(TOPIC, "segments, EED", rapidbleu.EED(), corpus, define, theirs)


def _mostly(ours: list[float], theirs: list[float]) -> bool:
    one = peers.within(1e-9, 100.0)
    return sum(map(one, ours, theirs)) >= 0.95 * len(ours) and len(ours) == len(theirs)
