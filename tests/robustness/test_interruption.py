"""Ctrl-C within one giant segment or list: signals are polled throughout, and nothing is corrupted.

The time between two polls is processor time, relative to the whole job, so slow or busy machines
change nothing. Objects of other tests are frozen, because collecting garbage among them would take
longer than a job.
"""

import gc
import io
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, EED, TER, WER, CharacTER, RunningScore, SegmentScores
from rapidbleu._core.counting.matches import Beside, NgramMatches
from rapidbleu._core.input.arrow import TextColumn, import_column
from rapidbleu._core.input.lines import LineReader
from rapidbleu._core.moses.files import NBestLines
from rapidbleu.alignment import IBMModel1
from rapidbleu.meta import correlate, estimate_interval, permutation_test
from rapidbleu.nltk import bleu_score, chrf_score, nist_score
from rapidbleu.parallel import in_parts
from rapidbleu.significance import bootstrap, paired_randomization, sum_resamples
from rapidbleu.tuning import NBestList, TuningResult, line_search, mira, pro, risk
from support.calls.operations import plain
from support.processes import interrupt, posix_only, unsanitized

pytestmark = [posix_only, pytest.mark.slow]

TICK = 0.005  # seconds of processor time between two signals
WORDS = [f"word{i * i}" if i % 3 else f"internationalization{i}" for i in range(3000)]


def words(n: int, seed: int = 0) -> list[str]:
    picks = np.random.default_rng(seed).integers(0, len(WORDS), n)
    return [WORDS[i] for i in picks.tolist()]


def giant(n: int, seed: int = 0) -> str:
    return " ".join(words(n, seed))


class Ticks:
    """A signal handler that records times; raises KeyboardInterrupt at one of them."""

    def __init__(self, fatal: int = -1) -> None:
        self.n, self.fatal, self.worst = 0, fatal, 0.0
        self.last = self.begin = time.process_time()

    def __call__(self, *_: Any) -> None:
        now = time.process_time()
        self.worst = max(self.worst, now - self.last)
        self.last = now
        self.n += 1
        if self.n == self.fatal:
            raise KeyboardInterrupt


@pytest.fixture
def ticking() -> Iterator[Callable[[Callable[[], Any], int], tuple[Any, Ticks]]]:
    """Run a job under signals, up to a fatal one; return its result and the record."""
    before = signal.getsignal(signal.SIGPROF)

    def run(job: Callable[[], Any], fatal: int = -1) -> tuple[Any, Ticks]:
        gc.freeze()
        ticks = Ticks(fatal)
        signal.signal(signal.SIGPROF, ticks)
        signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
        try:
            result = job()
            ticks()
        except KeyboardInterrupt:
            result = KeyboardInterrupt
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return result, ticks

    yield run
    signal.signal(signal.SIGPROF, before)


class Job:
    """A job, the constructor of its object, and the share that may run without polling."""

    def __init__(
        self, make: Callable[[], Any], do: Callable[[Any], Any], share: float = 0.5
    ) -> None:
        self.make, self.do, self.share = make, do, share


def of_text(metric: Any, make: Callable[[], Any], *references: str) -> Job:
    """Return the statistics of a text, against itself or the references."""

    def do(text: str) -> Any:
        return metric.corpus_stats([text], [[ref] for ref in references or [text]])

    return Job(make, do)


def side_by_side(n: int) -> Any:
    return BLEU().prepare([[giant(n), giant(n, 1)]], layout="segment")._prepared


def ngrams_side_by_side(beside: Beside) -> Any:
    matches = NgramMatches(beside, [0], True)
    matches.lengthen()
    matches.count("under", 0, counts := np.empty(matches.n_ngrams + 1, np.int32))
    return counts.sum()


def of_two(metric: Any, n: int) -> Job:
    return Job(
        lambda: (giant(n), giant(n * 5 // 6, 1)),
        lambda texts: metric.corpus_stats([texts[0]], [[texts[1]]]),
    )


def nulls(n: int) -> Any:
    """Return an Arrow column of nulls, one byte each."""
    pa = pytest.importorskip("pyarrow")
    return pa.DictionaryArray.from_arrays(pa.nulls(n, pa.int8()), pa.array(["a"]))


def repeated(text: str, n: int) -> Any:
    """Return an Arrow column of repeats of one text."""
    pa = pytest.importorskip("pyarrow")
    return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int8()), pa.array([text]))


def sharing(n: int) -> Any:
    """Return an Arrow column of n lists of the same n strings, all but one empty."""
    pa = pytest.importorskip("pyarrow")
    starts, sizes = pa.array([0] * n, pa.int32()), pa.array([n] * n, pa.int32())
    return pa.ListViewArray.from_arrays(starts, sizes, pa.array(["a", *[""] * (n - 1)]))


def read_columns(column: Any) -> Any:
    found = import_column(column, "column")
    return len(found), found.null_item


def features_of_a_line(features: bytes) -> Any:
    lines = NBestLines(LineReader(io.BytesIO(b"0 ||| a ||| F= " + features), "file"), 1)
    names = lines.read_names()
    assert names is not None
    values = np.empty((1, len(names.names)), np.float32)
    return lines.read(np.empty(1, np.int64), values, TextColumn()), len(names.names)


def one_envelope(n: int) -> NBestList:
    """Return one segment, all of whose hypotheses are on the envelope."""
    metric = SegmentScores()
    slopes = np.random.default_rng(0).permutation(np.linspace(-1.0, 1.0, n))
    features = np.stack([-(slopes**2), slopes], axis=1)
    return NBestList(features, metric.stats(np.arange(n) % 7), [0, n], metric=metric)


def landscape_of(nbest: NBestList, *smooth: Any) -> Any:
    found = line_search(nbest, [1, 0], [0, 1], smooth=smooth or None)
    return found.x, found.score, found.interval


def many_rows(n: int, seed: int, n_features: int = 0) -> NBestList:
    """Return segments of 1,000 hypotheses, few of them equal, with dense or 3 sparse features."""
    rng = np.random.default_rng(seed)
    offsets = np.append(np.arange(0, n, 1000), n)
    metric = SegmentScores()
    stats = metric.stats(rng.integers(0, 9, n) / 8)
    if n_features:
        dense = rng.integers(0, 9, (n, n_features)).astype(np.float32)
        return NBestList(dense, stats, offsets, metric=metric)
    sparse = pytest.importorskip("scipy.sparse")
    pytest.importorskip("scipy.optimize")  # so that no job imports it
    columns = rng.integers(0, 24, (n, 3)) + np.arange(0, 72, 24)
    parts = np.ones(3 * n), columns.ravel(), np.arange(0, 3 * n + 1, 3)
    return NBestList(sparse.csr_matrix(parts, (n, 72)), stats, offsets, metric=metric)


def learned(result: TuningResult) -> Any:
    if result.interrupted:
        raise KeyboardInterrupt
    return result.weights


def rows_of_all(n: int) -> Any:
    """Return a running score, and new rows for all of its segments."""
    running = RunningScore(BLEU(), np.full((n, 10), 2, np.int32))
    return running, np.arange(n), np.full((n, 10), 1, np.int32)


def replaced(running: RunningScore, indices: Any, rows: Any) -> Any:
    """Return the totals and the last row after replacing rows in a copy."""
    copy = running.copy()
    copy.replace_many(indices, rows)
    return copy.stats, copy.rows[-1]


def table_of(sources: Any, targets: Any, **options: Any) -> Any:
    model = IBMModel1.fit(sources, targets, **options)
    return model.starts, model.words, model.probabilities


def sentence_pairs(n: int, length: int) -> Any:
    """Return sentences of equal length, and unrelated ones."""
    return [[words(length, 2 * i + side) for i in range(n)] for side in range(2)]


def scores_of(n_systems: int, n_segments: int) -> Any:
    """Return human scores, and scores of two metrics that agree somewhat."""
    rng = np.random.default_rng(0)
    human = rng.integers(0, 9, (n_systems, n_segments)).astype(float)
    return human, *(human + size * rng.normal(size=human.shape) for size in (2, 3))


WEIGHTS = np.random.default_rng(0).normal(size=(8, 72))
WORDS_OF_A_RULE = words(1_000_000)


def rows_of_bleu() -> Any:
    rows = np.random.default_rng(1).integers(0, 50, (30_000, 10))
    rows[:, 2:6] = np.minimum(rows[:, 2:6], rows[:, 6:])
    return rows


JOBS = {
    "BLEU": of_two(BLEU(), 1_500_000),
    "BLEU, few tokens in many bytes": of_text(BLEU(), lambda: "internationalize" * 10_000_000),
    "BLEU, character by character": of_text(
        BLEU(tokenize="intl"), lambda: "„größer“ x²" * 3_000_000, "x"
    ),
    "BLEU, replaced entities": of_text(BLEU(), lambda: "&amp;<skipped>a" * 6_000_000, "x"),
    "BLEU, many references": of_text(BLEU(), lambda: "la le " * 100_000, *["la le"] * 600),
    "BLEU, many longer references": of_text(
        BLEU(), lambda: "la le " * 100_000, *["la le " * 50] * 150
    ),
    "BLEU, many references by segment": Job(
        lambda: words(2_000_000), lambda t: BLEU().corpus_stats(t[:1], [t], layout="segment")
    ),
    "BLEU, many references of a sentence": Job(
        lambda: words(3_000_000), lambda t: BLEU().sentence_score(t[0], t).counts
    ),
    "BLEU, own tokens": of_text(BLEU(tokenize=lambda text: WORDS_OF_A_RULE), lambda: "a"),
    "BLEU, prepared": Job(lambda: giant(6_000_000), lambda t: BLEU().prepare([[t]]).num_refs),
    "BLEU, tokens": Job(lambda: words(5_000_000), lambda t: BLEU().corpus_stats([t], [[["a"]]])),
    "BLEU, tokens in lower case": Job(
        lambda: words(3_000_000), lambda t: BLEU(lowercase=True).corpus_stats([t], [[["a"]]])
    ),
    "BLEU, numbers": Job(
        lambda: list(range(2_000_000)), lambda t: BLEU().corpus_stats([t], [[[1]]])
    ),
    "BLEU, in threads": Job(
        lambda: [giant(500_000)] * 4 + ["a"] * 600,
        lambda t: BLEU().corpus_stats(t, [t], threads=2),
    ),
    "n-best list, dense features": Job(lambda: b"1 " * 1_000_000, features_of_a_line),
    "n-best list, sparse features": Job(
        lambda: b" ".join(b"F_%d= 1" % i for i in range(400_000)), features_of_a_line
    ),
    "BLEU, lower case": of_text(BLEU(lowercase=True), lambda: "größer 我有 ÜΣ " * 4_000_000, "x"),
    "Arrow, nulls": Job(lambda: nulls(400_000_000), read_columns),
    "Arrow, a giant text many times": Job(
        lambda: repeated("größer 我有" * 2_000_000, 127), read_columns
    ),
    "Arrow, lists that share strings": Job(
        lambda: sharing(3000), lambda t: BLEU().corpus_stats(["a"] * len(t), t)
    ),
    "chrF++": of_two(CHRF(word_order=2), 120_000),
    "chrF, characters beyond ASCII": of_text(CHRF(), lambda: "größer 我有" * 3_000_000, "x"),
    "TER": of_two(TER(), 800_000),
    "TER, alignment": Job(  # whose result is made by Python, which polls without being seen
        lambda: (words(200_000), words(200_000, 1)),
        lambda texts: TER().align(texts[0], texts[1:]),
        share=0.8,
    ),
    "WER": of_two(WER(), 40_000),
    "WER, alignment": Job(
        lambda: (words(30_000), words(30_000, 1)), lambda texts: WER().align(texts[0], texts[1:])
    ),
    "CharacTER": of_two(CharacTER(), 1_500),
    "EED": of_two(EED(), 1_500),
    "line search, one envelope": Job(lambda: one_envelope(2_000_000), landscape_of),
    "line search, smoothed": Job(
        lambda: one_envelope(1_000_000), lambda nbest: landscape_of(nbest, "mean", 50_000)
    ),
    "bootstrap": Job(
        rows_of_bleu, lambda rows: bootstrap(rows, None, BLEU(), n_resamples=20_000).samples
    ),
    "randomization in threads": Job(
        rows_of_bleu,
        lambda rows: paired_randomization(
            {"A": rows, "B": rows[::-1]}, None, BLEU(), n_trials=100_000, threads=2
        ).p_values["BLEU"][0, 1],
    ),
    "Poisson bootstrap": Job(
        lambda: np.ones((4_000_000, 2), np.int64),
        lambda rows: sum_resamples(rows, np.arange(4_000_000), 128),
        0.2,
    ),
    "merge, dense": Job(
        lambda: [many_rows(700_000, i, 16) for i in range(2)], lambda t: t[0].merge(t[1]), 0.2
    ),
    "merge, sparse": Job(
        lambda: [many_rows(1_000_000, i) for i in range(2)], lambda t: t[0].merge(t[1]), 0.2
    ),
    "evaluation, sparse": Job(
        lambda: many_rows(1_000_000, 0), lambda nbest: nbest.evaluate(WEIGHTS)
    ),
    "Model 1": Job(lambda: sentence_pairs(2000, 100), lambda t: table_of(*t, iterations=12)),
    "Model 1, giant sentences": Job(
        lambda: sentence_pairs(2, 12_000), lambda t: table_of(*t, iterations=2)
    ),
    "Model 1, in threads": Job(
        lambda: sentence_pairs(2000, 100), lambda t: table_of(*t, iterations=12, threads=2)
    ),
    "Model 1, scores": Job(
        lambda: (IBMModel1.fit(["a b"], ["a b"]), *sentence_pairs(2, 14_000)),
        lambda t: t[0].scores(t[1] * 3, t[2] * 3),
    ),
    "Model 1, scores of columns": Job(
        lambda: (IBMModel1.fit(*sentence_pairs(1, 9000)), *sentence_pairs(2, 14_000)),
        lambda t: t[0].scores(t[1] * 3, t[2] * 3),
    ),
    "Model 1, counts": Job(
        lambda: (IBMModel1.fit(*sentence_pairs(1, 9000)), *sentence_pairs(2, 14_000)),
        lambda t: t[0].expected_counts(t[1] * 4, t[2] * 4),
    ),
    "figures, swapped": Job(
        lambda: scores_of(15, 20_000),
        lambda t: permutation_test(*t, "kendall", "segment", n_trials=120).differences,
    ),
    "figures, swapped in threads": Job(
        lambda: scores_of(15, 20_000),
        lambda t: permutation_test(*t, "spearman", "segment", n_trials=250, threads=2).differences,
    ),
    "figure of very many scores": Job(
        lambda: scores_of(1, 3_000_000), lambda t: correlate(*t[:2], "kendall").value
    ),
    "figure of pairs far apart": Job(
        lambda: scores_of(1, 70_000),
        lambda t: correlate(*t[:2], "kendall_like", min_difference=1).value,
    ),
    "best threshold of ties": Job(
        lambda: scores_of(1, 7_000), lambda t: correlate(*t[:2], "accuracy_eq").value
    ),
    "figures, resampled": Job(
        lambda: scores_of(9, 4_000),
        lambda t: estimate_interval(*t[:2], "kendall", n_resamples=120).samples,
    ),
    "MIRA, sparse": Job(
        lambda: many_rows(1_000_000, 0),
        lambda nbest: learned(mira(nbest, WEIGHTS[0], epochs=2)),
    ),
    "PRO, sparse": Job(
        lambda: many_rows(1_000_000, 0),
        lambda nbest: learned(pro(nbest, WEIGHTS[0], min_difference=0.5)),
    ),
    "minimum risk, sparse": Job(
        lambda: many_rows(1_000_000, 0), lambda nbest: learned(risk(nbest, max_steps=2))
    ),
    "minimum risk, dense": Job(
        lambda: many_rows(500_000, 0, 8), lambda nbest: learned(risk(nbest, max_steps=2))
    ),
    "SegmentScores, rows": Job(
        lambda: np.linspace(-1, 1, 12_000_000), lambda t: SegmentScores().stats(t), 0.2
    ),
    "SegmentScores, scores": Job(
        lambda: SegmentScores().stats(np.linspace(-1, 1, 8_000_000)),
        lambda rows: (SegmentScores().score(rows).score, SegmentScores().score_rows(rows)),
    ),
    "running score, replaced rows": Job(lambda: rows_of_all(1_000_000), lambda t: replaced(*t)),
    "running score, sum": Job(
        lambda: rows_of_all(500_000)[0], lambda running: (running + running).stats
    ),
    "TER, normalized": Job(
        lambda: "1.," * 300_000, lambda t: TER(normalized=True).corpus_stats(["a"], [[t]])
    ),
    "NLTK's BLEU of objects": Job(
        lambda: [(i % 999,) for i in range(2_000_000)],
        lambda t: bleu_score.corpus_bleu([[t]], [t]),
    ),
    "NLTK's NIST": Job(lambda: words(600_000), lambda t: nist_score.corpus_nist([[t]], [t], 5)),
    "words side by side": Job(
        lambda: side_by_side(2_000_000), lambda t: NgramMatches(Beside(t, 1), [0], True).n_ngrams
    ),
    "n-grams side by side": Job(lambda: Beside(side_by_side(2_000_000), 1), ngrams_side_by_side),
    "NLTK's chrF": Job(lambda: words(100_000), lambda t: chrf_score.sentence_chrf(t, t)),
}


@unsanitized
@pytest.mark.parametrize("name", JOBS)
def test_signals_are_seen_throughout(name: str, ticking: Any) -> None:
    """No half of a job passes without polling, and interrupting it does no harm.

    The interrupted part is small, because a first run takes longer when its memory is new.
    """
    given = JOBS[name].make()

    def job() -> Any:
        return JOBS[name].do(given)

    expected, ticks = ticking(job)
    assert ticks.worst < max(JOBS[name].share * (ticks.last - ticks.begin), 0.2), (
        ticks.worst,
        ticks.last - ticks.begin,
    )
    interrupted, _ = ticking(job, max(1, ticks.n // 4))
    assert interrupted is KeyboardInterrupt
    assert plain(job()) == plain(expected)


LONG = {
    "many references": (
        "bleu.corpus_stats(['la le ' * 500_000] * 50, [['la le ' * 50] * 50] * 3000)"
    ),
    "chrF": "CHRF(word_order=2).sentence_score(' '.join(WORDS * 2000), [' '.join(WORDS * 1999)])",
    "NIST": "nist_score.corpus_nist([[WORDS * 12_000]], [WORDS * 11_999], 5)",
}


@pytest.mark.parametrize("name", LONG)
def test_long_jobs_end_at_once(name: str) -> None:
    setup = """
from rapidbleu import CHRF
from rapidbleu.nltk import nist_score
WORDS = [f"word{i * i}" if i % 3 else f"internationalization{i}" for i in range(2000)]
bleu = BLEU()
"""
    (line, *rest), waited = interrupt(setup, LONG[name], 1.0)
    assert line.startswith("interrupted"), line
    assert waited < 3.0
    assert rest == ["still scores"]


def test_nobody_works_on() -> None:
    begun = threading.Event()
    done: list[int] = []

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait()
            return
        begun.set()
        while not stop:
            time.sleep(0.01)
        time.sleep(0.2)
        done.append(begin)

    def end(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            in_parts(work, 8, 2, 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(done) == 1
