"""Edit distances and subsequences: error rates, ROUGE, CharacTER and EED."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "edits"
_BIT_PARALLEL = "both are compiled and bit-parallel"
LIMITS = {
    "corpus, WER": "werx is compiled (Rust); splitting text is half of our time",
    "corpus, WER, token lists": f"{_BIT_PARALLEL}; reading lists takes most of the time",
    "corpus, CER": f"{_BIT_PARALLEL}; RapidFuzz finds the distance, we also split it into S, D, I",
    "30,000 words, WER": f"{_BIT_PARALLEL}: 18 vector instructions for 512 cells",
    "segments, ROUGE-L": "rouge-rs is compiled (Rust); splitting text is most of our time",
    "30,000 words, ROUGE-L": _BIT_PARALLEL,
    "all pairs, WER": _BIT_PARALLEL,
    "all pairs, ROUGE-L": _BIT_PARALLEL,
    "segments, CharacTER": "cer uses compiled distances; the search for moves repeats them",
}
N_PAIRED = 1024
N_WORDS = 30_000  # in a document
VARIANTS = ("1", "2", "L")


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    document = corpus.document(N_WORDS)
    hyps, refs = corpus.hypotheses, corpus.references[0]
    lists = [text.split() for text in hyps], [text.split() for text in refs]
    one = document.hypotheses, document.references[0]
    wer, by_words = rapidbleu.WER(), ", words split"
    yield _rates(
        "corpus, WER",
        wer,
        corpus,
        [*_jiwer("wer", hyps, refs), *_word_rates(hyps, refs), *_rapidfuzz(hyps, refs, by_words)],
        hyps,
        refs,
    )
    yield _rates("corpus, WER, token lists", wer, corpus, _rapidfuzz(*lists), *lists)
    yield _rates(
        "corpus, CER",
        rapidbleu.CER(),
        corpus,
        [*_jiwer("cer", hyps, refs), *_rapidfuzz(hyps, refs)],
        hyps,
        refs,
    )
    yield _rates(
        "30,000 words, WER",
        wer,
        corpus,
        [*_jiwer("wer", *one), *_rapidfuzz(*one, by_words)],
        *one,
    )
    yield _rouge(corpus, ("L",), "segments, ROUGE-L")
    yield _rouge(corpus, VARIANTS, "segments, ROUGE-1, 2 and L")
    yield _subsequence(document)
    yield from _pairs(corpus)
    yield _character(corpus)
    yield _eed(corpus)


def _rates(
    job: str,
    metric: Any,
    corpus: Corpus,
    theirs: Iterable[Contender],
    hyps: Sequence[Any],
    refs: Sequence[Any],
) -> Comparison:
    run = lambda: metric.corpus_score(hyps, [refs])  # noqa: E731

    def outcome() -> Any:
        score = run()
        return score.score, score.matches, score.substitutions, score.deletions, score.insertions

    return Comparison(
        TOPIC,
        job,
        corpus.name,
        Contender("rapidbleu", run, outcome=outcome),
        list(theirs),
        len(hyps),
        "segment",
        quantity="process CPU ns",
        headline=True,
    )


def _jiwer(name: str, hyps: list[str], refs: list[str]) -> list[Contender]:
    def agrees(ours: Any, _: Any) -> bool:
        jiwer: Any = peers.load("jiwer")
        process = jiwer.process_words if name == "wer" else jiwer.process_characters
        found = process(refs, hyps)
        rate = 100 * getattr(found, name)
        counts = found.hits, found.substitutions, found.deletions, found.insertions
        return bool(ours == (rate, *counts))

    return peers.rival(
        "jiwer",
        "jiwer",
        lambda jiwer: getattr(jiwer, name)(refs, hyps),
        agrees=agrees,
        compared="rate, hits, substitutions, deletions, insertions: ==",
    )


def _rapidfuzz(hyps: Sequence[Any], refs: Sequence[Any], suffix: str = "") -> list[Contender]:
    """Return RapidFuzz, which finds the distance, summed over texts, words or tokens."""
    words = (lambda text: text.split()) if suffix else (lambda text: text)
    return peers.rival(
        f"rapidfuzz{suffix}",
        "rapidfuzz.distance",
        lambda module: sum(map(module.Levenshtein.distance, map(words, hyps), map(words, refs))),
        agrees=lambda ours, edits: sum(ours[2:]) == edits,
        compared="number of edits: ==",
    )


def _word_rates(hyps: list[str], refs: list[str]) -> Iterator[Contender]:
    """Yield packages that only return the rate."""
    for name, module, call in (
        ("werx", "werx", lambda module: module.wer(refs, hyps)),
        (
            "universal-edit-distance",
            "universal_edit_distance",
            lambda module: module.word_error_rate(hyps, refs),
        ),
    ):
        yield from peers.rival(
            name,
            module,
            call,
            agrees=lambda ours, rate: peers.within(1e-12, 100)(ours[0], rate),
            compared="rate: within 1e-12",
        )


def _rouge(corpus: Corpus, variants: tuple[str, ...], job: str) -> Comparison:
    """Compare F of each segment for variants, for which both read the texts once."""
    hyps, refs = corpus.hypotheses, corpus.references
    metrics = [rapidbleu.ROUGE(variant) for variant in variants]
    names = [f"rouge{variant}" for variant in variants]

    def run() -> list[Any]:
        texts: Any = hyps, refs
        if len(metrics) > 1:
            texts = metrics[0].prepare([hyps]), metrics[0].prepare(refs)
        return [metric.segment_scores(*texts) for metric in metrics]

    def score(module: Any) -> list[float]:
        found = list(map(module.RougeScorer(names).score, refs[0], hyps))
        return [each[name].fmeasure for name in names for each in found]

    def score_l(module: Any) -> list[float]:
        return [each.fmeasure for each in map(module.RougeLScorer().score, refs[0], hyps)]

    equal: Any = {
        "compared": "F of each segment: within 1e-12",
        "agrees": peers.within(1e-12, 100.0),
    }
    theirs = peers.rival("rouge-score", "rouge_score.rouge_scorer", score, **equal)
    if variants == ("L",):
        theirs += peers.rival("rouge-rs", "rouge_rs", score_l, **equal)
    ours = Contender("rapidbleu", run, outcome=lambda: np.concatenate(run()).tolist())
    return Comparison(TOPIC, job, corpus.name, ours, theirs, len(hyps), "segment", headline=True)


def _subsequence(document: Corpus) -> Comparison:
    """Time ROUGE-L of a document; rouge-score would take minutes and gigabytes."""
    hyps, refs = document.hypotheses, document.references
    metric = rapidbleu.ROUGE("L", tokenize="none", lowercase=False)

    def f_score(distance: Any) -> float:
        hyp, ref = hyps[0].split(), refs[0][0].split()
        return float(200 * distance.LCSseq.similarity(hyp, ref) / (len(hyp) + len(ref)))

    theirs = peers.rival(
        "rapidfuzz, words",
        "rapidfuzz.distance",
        f_score,
        compared="score: within 1e-12",
        agrees=peers.within(1e-12),
    )
    ours = Contender("rapidbleu", lambda: metric.corpus_score(hyps, refs).score)
    return Comparison(
        TOPIC,
        "30,000 words, ROUGE-L",
        document.name,
        ours,
        theirs,
        1,
        "segment",
        headline=True,
    )


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
        theirs = peers.rival(
            "rapidfuzz",
            "rapidfuzz",
            lambda module, scorer=scorer: module.process.cdist(
                hyps, refs, scorer=attrgetter(scorer)(module.distance)
            ),
            compared="score: within 1e-12",
            agrees=lambda ours, found, rate=rate: peers.within(1e-12)(
                ours, rate(found.astype(float)).ravel().tolist()
            ),
        )
        ours = Contender("rapidbleu", run, outcome=lambda r=run: r().ravel().tolist())
        yield Comparison(
            TOPIC, job, corpus.name, ours, theirs, len(hyps) * len(refs), "pair", headline=True
        )


def _character(corpus: Corpus) -> Comparison:
    """Compare CharacTER; rounding makes the package accept some word moves without gain."""
    defined: Any = peers.of_tests("reference.family.character")
    part = corpus.part(peers.N_PART)
    hyps, refs = ([text.split() for text in side] for side in (part.hypotheses, part.references[0]))
    theirs = peers.rival(
        "cer",
        "cer",
        lambda package: list(map(package.calculate_cer, hyps, refs)),
        compared="19 of 20 scores of segments: within 1e-9",
        agrees=_mostly,
    )
    define = lambda: list(map(defined.score, hyps, refs))  # noqa: E731
    return peers.beside_definition(
        TOPIC, "segments, CharacTER", rapidbleu.CharacTER(), corpus, define, theirs
    )


def _eed(corpus: Corpus) -> Comparison:
    """Compare EED, which torchmetrics returns in single precision."""
    defined: Any = peers.of_tests("reference.family.eed")
    part = corpus.part(peers.N_PART)
    hyps, refs = part.hypotheses, part.references[0]
    streams = [[ref] for ref in refs]

    def score(text: Any) -> list[float]:
        _, scores = text.extended_edit_distance(hyps, streams, return_sentence_level_score=True)
        return [float(each) for each in scores]

    theirs = peers.rival(
        "torchmetrics",
        "torchmetrics.functional.text",
        score,
        compared="score of each segment: within 1e-6",
        agrees=peers.within(1e-6, 100.0),
    )

    def define() -> list[float]:
        sides = ([defined.prepared_en(text) for text in side] for side in (hyps, refs))
        return list(map(defined.distance, *sides))

    return peers.beside_definition(TOPIC, "segments, EED", rapidbleu.EED(), corpus, define, theirs)


def _mostly(ours: list[float], theirs: list[float]) -> bool:
    one = peers.within(1e-9, 100.0)
    return sum(map(one, ours, theirs)) >= 0.95 * len(ours) and len(ours) == len(theirs)
