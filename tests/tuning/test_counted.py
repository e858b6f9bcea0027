"""Lists with segment counts against lists with copies of the segments."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER, SegmentScores, WeightedSum
from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.tuning import NBestList, line_search, mert, mira, pro
from rapidbleu.tuning.nbest import copies_of, counted, counts_of, repeated
from rapidbleu.tuning.search.mert import default_ranges
from rapidbleu.tuning.search.mira import _average_row, _score, _unit
from rapidbleu.tuning.search.pro import sample_pairs, sentence_scores
from rapidbleu.tuning.search.shared import make_learner_rows
from support.family import METRICS
from support.processes import unsanitized
from support.tuning_lists import copies, made, remade, sparse

SIZES = (3, 9, 1, 8, 40, 2, 7, 5, 300, 1, 16, 6, 4)
COUNTS = np.array([0, 3, 2, 0, 2, 1, 0, 5, 1, 0, 1, 2, 0])
START = [0.4, 0.1, 0.1, -0.1, 0.05]
BOUNDS = {"F0": (0.0, 1.0), "F3": (-0.2, 0.3)}
METRIC = {
    "BLEU": BLEU(tokenize="none", smooth_method="none"),
    "TER": TER(),
    "mean": SegmentScores(),
}
KINDS = ["float32", "float64", "sparse float32", "sparse float64"]
DENSE = KINDS[:2]


def make(metric: str, kind: str, stats_type: Any = np.int64, seed: int = 1) -> NBestList:
    nbest = made(seed, SIZES, dtype=np.dtype(kind.split()[-1]))
    rng, stats = np.random.default_rng(seed), nbest.stats
    quality = nbest.features[:, 0].astype(float) + rng.normal(size=len(nbest))
    if metric == "TER":
        edits = np.clip(12 - quality * 2, 0, 20).astype(int)
        stats = np.column_stack([edits, stats[:, 1], 0 * edits, 0 * edits])
    elif metric == "mean":
        stats = METRIC[metric].stats(quality.round(1))
    if stats_type == np.int32:
        stats = stats.astype(np.int32)
    nbest = NBestList(nbest.features, stats, nbest.offsets, metric=METRIC[metric])
    return sparse(nbest) if kind.startswith("sparse") else nbest


def both(nbest: NBestList, counts: Any = COUNTS) -> tuple[NBestList, NBestList]:
    return counted(nbest, counts), copies(nbest, counts)


def plain(result: Any) -> Any:
    def items(entries: Any) -> Any:
        return [
            {key: getattr(value, "tolist", lambda v=value: v)() for key, value in entry.items()}
            for entry in entries
        ]

    starts = items(getattr(result, "starts", []))
    return result.weights.tolist(), result.score, items(result.history), starts


@pytest.mark.parametrize("stats_type", [np.int32, np.int64])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRIC)
def test_scores_are_those_of_copies(metric: str, kind: str, stats_type: Any) -> None:
    nbest = make(metric, kind, stats_type)
    found, expected = both(nbest)
    vectors = np.random.default_rng(2).normal(size=(40, 5))
    scores = expected.evaluate(vectors).tolist()
    assert found.evaluate(vectors).tolist() == scores != nbest.evaluate(vectors).tolist()
    assert found.evaluate(vectors, threads=3).tolist() == scores
    for vector, score in zip(vectors[:5], scores, strict=False):
        assert found.evaluate(vector) == found.score(vector).score == score
        assert str(found.score(vector)) == str(expected.score(vector))
        assert found.best(vector).tolist() == nbest.best(vector).tolist()


@pytest.mark.parametrize("name", [*METRICS, "mixture"])
def test_rows_of_every_metric_can_count_several_times(name: str) -> None:
    metric = METRICS.get(name) or WeightedSum([BLEU(force=True), SegmentScores()], [0.5, 10.0])
    words, rng = np.array(["the", "cat", "sat", "on", "a", "mat", "."]), np.random.default_rng(3)
    texts = [" ".join(rng.choice(words, rng.integers(1, 12))) for _ in range(60)]
    references = [" ".join(rng.choice(words, 8)) for _ in range(12)]
    if name == "mixture":
        first = metric.metrics[0].nbest_stats(texts, [references], offsets=range(0, 61, 5))
        stats = np.hstack([first, SegmentScores().stats(rng.normal(size=60))])
    else:
        stats = metric.nbest_stats(texts, [references], offsets=range(0, 61, 5))
    nbest = NBestList(rng.normal(size=(60, 3)), stats, range(0, 61, 5), metric=metric)
    found, expected = both(nbest, np.array([0, 3, 1, 0, 2, 1, 0, 1, 1, 0, 2, 1]))
    vectors = rng.normal(size=(20, 3))
    assert found.evaluate(vectors).tolist() == expected.evaluate(vectors).tolist()


@pytest.mark.parametrize("stats_type", [np.int32, np.int64])
def test_sums_beyond_32_bits_are_exact(stats_type: Any) -> None:
    rows = np.array([[0, 0, 2**30, 0, 1], [0, 0, 5, 0, 1], [0, 0, 2**29, 0, 1]], stats_type)
    metric = SegmentScores()
    nbest = NBestList([[1.0], [2.0], [0.0]], rows, [0, 1, 3], metric=metric)
    found = counted(nbest, np.array([3, 2]))
    total, other = [0, 0, 3 * 2**30 + 10, 0, 5], [0, 0, 3 * 2**30 + 2**30, 0, 5]
    scores = metric.score_rows([other, total]).tolist()
    assert found.evaluate([[-1.0], [1.0]]).tolist() == scores
    assert line_search(found, [0.0], [1.0]).scores.tolist() == scores
    assert sparse(nbest).evaluate([1.0]) == nbest.evaluate([1.0])
    assert counted(sparse(nbest), np.array([3, 2])).evaluate([1.0]) == scores[1]


@pytest.mark.parametrize("moses", [False, True])
@pytest.mark.parametrize("stats_type", [np.int32, np.int64])
@pytest.mark.parametrize("kind", DENSE)
@pytest.mark.parametrize("metric", METRIC)
def test_landscapes_are_those_of_copies(
    metric: str, kind: str, stats_type: Any, moses: bool
) -> None:
    found, expected = both(make(metric, kind, stats_type))
    vectors = np.random.default_rng(4).normal(size=(12, 5)).round(1)
    vectors[:3, 1:] = 0
    vectors[0, 0] = 1
    for direction, start in zip(vectors, vectors[::-1], strict=True):
        for options in ({}, {"bounds": (-0.5, 0.7)}, {"smooth": ("mean", 2)}):
            ours, theirs = (
                line_search(own, start, direction, moses_compat=moses, **options)
                for own in (found, expected)
            )
            assert ours.boundaries.tolist() == theirs.boundaries.tolist()
            assert ours.scores.tolist() == theirs.scores.tolist()
            assert (ours.x, ours.score, ours.interval) == (theirs.x, theirs.score, theirs.interval)


@pytest.mark.parametrize("kind", DENSE)
@pytest.mark.parametrize("metric", METRIC)
@pytest.mark.parametrize(
    "options",
    [
        {"restarts": 4},
        {"restarts": 2, "random_directions": 3, "axes": False},
        {"restarts": 2, "smooth": ("mean", 3)},
        {"restarts": 2, "smooth": ("min", 1), "penalty": 0.5},
        {"restarts": 2, "bounds": BOUNDS, "random_directions": 1},
        {"restarts": 2, "fixed": ["F1"], "normalize": None, "min_gain": 0.01},
        {"restarts": 1, "moses_compat": True},
    ],
)
def test_mert_finds_what_it_finds_in_copies(
    metric: str, kind: str, options: dict[str, Any]
) -> None:
    found, expected = both(make(metric, kind))
    outcome = plain(mert(expected, START, seed=5, **options))
    assert plain(mert(found, START, seed=5, **options)) == outcome
    assert len(outcome[2]) > 1
    threaded = mert(found, START, seed=5, threads=2, **options)
    assert threaded.weights.tolist() == outcome[0]


@pytest.mark.parametrize("seed", range(20))
def test_ranges_of_starts_are_those_of_copies(seed: int) -> None:
    """Bits are equal, because the means are added up in the same order."""
    rng = np.random.default_rng(seed)
    nbest = made(seed, rng.integers(1, 30, 150).tolist(), dtype=np.float64)
    found, expected = both(nbest, rng.poisson(1.0, 150))
    assert default_ranges(found).tolist() == default_ranges(expected).tolist()
    assert default_ranges(found).tolist() != default_ranges(nbest).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRIC)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"shuffle": False},
        {"safe_hope": True, "decay": 1.0},
        {"model_background": True, "decay": 0.9},
        {"scale": 0.5, "max_step": 0.1},
    ],
)
def test_mira_learns_what_it_learns_from_copies(
    metric: str, kind: str, options: dict[str, Any]
) -> None:
    found, expected = both(make(metric, kind, np.int32 if kind == "float64" else np.int64))
    outcome = plain(mira(expected, START, epochs=4, seed=6, **options))
    assert plain(mira(found, START, epochs=4, seed=6, **options)) == outcome
    assert any(entry["updates"] for entry in outcome[2])


@pytest.mark.parametrize("kind", KINDS)
def test_mira_of_moses_learns_what_it_learns_from_copies(kind: str) -> None:
    found, expected = both(make("BLEU", kind))
    ours, theirs = (mira(own, START, epochs=3, moses_compat=True) for own in (found, expected))
    assert plain(ours) == plain(theirs)
    assert ours.score == found.evaluate(ours.weights)


def test_units_of_the_pseudo_corpus_are_those_of_copies() -> None:
    """A segment with count 0 may have counts beyond the unit of all counted segments."""
    nbest = make("mean", "float64")
    stats = nbest.stats.copy()
    stats[nbest.offsets[3], 0] = 2**50
    nbest = NBestList(nbest.features, stats, nbest.offsets, metric=nbest.metric)
    (found, expected), n = both(nbest), int(COUNTS.sum())
    assert _unit(found, n, 0.999, 60) == _unit(expected, n, 0.999, 60) != _unit(nbest, n, 0.999, 60)
    assert _unit(found, n, 1.0, 60) == _unit(expected, n, 1.0, 60)
    assert plain(mira(found, epochs=3)) == plain(mira(expected, epochs=3))
    stats[:, :2] *= 2**17  # makes the unit depend on the number of segments
    found, expected = both(remade(nbest, stats=stats))
    assert _unit(found, n, 1.0, 60) == _unit(expected, n, 1.0, 60) < _unit(found, 13, 1.0, 60)
    ours, theirs = (mira(own, epochs=60, decay=1.0) for own in (found, expected))
    assert plain(ours) == plain(theirs)


@pytest.mark.parametrize("stats_type", [np.int32, np.int64])
def test_average_rows_are_exact(stats_type: Any) -> None:
    top = int(np.iinfo(stats_type).max) // 2**10
    stats = [[top, 0, i, 0, 1] for i in range(12)]
    counts = [2**11, 0, 1]
    nbest = NBestList(
        np.zeros((12, 1)), np.array(stats, stats_type), [0, 5, 6, 12], metric=SegmentScores()
    )
    weights = [2**11] * 5 + [0] + [1] * 6
    for own, factors in ((nbest, [1] * 12), (_with_counts(nbest, counts), weights)):
        totals = [sum(row[j] * w for row, w in zip(stats, factors, strict=True)) for j in range(5)]
        expected = [total * 3 // sum(factors) for total in totals]
        assert _average_row(own, 3).tolist() == expected


def _with_counts(nbest: NBestList, counts: list[int]) -> NBestList:
    """Return a counted list whose sums are not checked."""
    found = counted(nbest, np.ones(len(counts), np.int64))
    found._counts = np.array(counts)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRIC)
@pytest.mark.parametrize("options", [{}, {"candidates": 60, "samples": 9, "interpolation": 0.3}])
def test_pro_learns_what_it_learns_from_copies(
    metric: str, kind: str, options: dict[str, Any]
) -> None:
    pytest.importorskip("scipy")
    found, expected = both(make(metric, kind))
    options = {"min_difference": 0.5, "seed": 7, **options}
    assert plain(pro(found, START, **options)) == plain(pro(expected, START, **options))


def test_pairs_are_drawn_for_each_copy() -> None:
    nbest, told = make("BLEU", "float32"), []
    pairs = sample_pairs(
        counted(nbest, COUNTS),
        sentence_scores(nbest),
        candidates=50,
        samples=5,
        progress=lambda *done: told.append(done),
    )
    repeats = copies(nbest, COUNTS)
    expected = sample_pairs(repeats, sentence_scores(repeats), candidates=50, samples=5)
    source = [
        row
        for i in copies_of(counted(nbest, COUNTS))
        for row in range(nbest.offsets[i], nbest.offsets[i + 1])
    ]
    assert pairs.tolist() == np.array(source)[expected].tolist()
    assert told == [(i, 17) for i in range(1, 18)]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_copied(kind: str) -> None:
    nbest = make("BLEU", kind)
    found, before = counted(nbest, COUNTS), nbest.evaluate(START)
    assert found._features is nbest._features
    assert found.stats is nbest.stats
    assert found.offsets is nbest.offsets
    assert found._counts.tolist() == COUNTS.tolist()
    assert nbest._counts is None
    assert nbest.evaluate(START) == before
    if kind in DENSE:
        assert found._feature_columns() is nbest._feature_columns()
        assert found._make_chooser() is nbest._make_chooser()


def test_counts_of_lists() -> None:
    nbest = make("BLEU", "float32")
    assert counts_of(nbest).tolist() == [1] * 13
    assert copies_of(nbest).tolist() == list(range(13))
    found = counted(nbest, COUNTS.astype(np.int32)[::-1])
    assert found.evaluate(START) == copies(nbest, COUNTS[::-1]).evaluate(START)
    assert counts_of(found).tolist() == COUNTS[::-1].tolist()
    assert copies_of(found).tolist() == [1, 1, 2, 4, 5, 5, 5, 5, 5, 7, 8, 8, 10, 10, 11, 11, 11]
    repeats = repeated(nbest, COUNTS)
    assert repeats._counts is None
    assert repeats.features.tolist() == copies(nbest, COUNTS).features.tolist()


@pytest.mark.parametrize("counts", [COUNTS[1:], COUNTS.astype(np.int32), COUNTS.astype(float)])
def test_the_core_refuses_counts_of_other_kinds_and_numbers(counts: Any) -> None:
    nbest = make("BLEU", "float32")
    weights, totals = np.array(START), np.zeros((1, 10), np.int64)
    message = "counts: expected 13 items of kind i64; got "
    with pytest.raises(ValueError, match=message):
        WeightPoint(nbest._feature_columns(), counts)
    with pytest.raises(ValueError, match=message):
        nbest._make_chooser().add_up(weights, nbest.stats, totals, 0, 13, None, counts)
    with pytest.raises(ValueError, match=message):
        make_learner_rows(nbest).choose(weights, np.zeros(13, np.int64), counts)


def test_sums_that_would_overflow_are_refused() -> None:
    rows = np.array([[2**57, 0, 0, 0, 1], [5, 0, 0, 0, 1]])
    nbest = NBestList([[1.0], [2.0]], rows, [0, 1, 2], metric=SegmentScores())
    assert counted(nbest, np.array([7, 2**40])).evaluate([1.0]) > 0
    for counts in ([8, 1], [2**62, 2**62]):
        with pytest.raises(ValueError, match=r"^stats: expected sums of at most 2\*\*60"):
            counted(nbest, np.array(counts))
    narrow = np.array([[2**30, 0, 0, 0, 1]] * 2, np.int32)
    nbest = NBestList([[1.0], [2.0]], narrow, [0, 1, 2], metric=SegmentScores())
    with pytest.raises(ValueError, match=r"^stats: expected sums of at most 2\*\*60"):
        counted(nbest, np.array([2**30, 1]))


LARGE = 400_000  # hypotheses of a segment with count 0
UNUSED = np.array([1, 0, 2])


def _lopsided(kind: str) -> NBestList:
    rng, offsets = np.random.default_rng(0), np.array([0, 10, LARGE + 10, LARGE + 20])
    rows = SegmentScores().stats(rng.integers(0, 9, LARGE + 20) / 8)
    nbest = NBestList(rng.normal(size=(LARGE + 20, 5)), rows, offsets, metric=SegmentScores())
    return sparse(nbest) if kind.startswith("sparse") else nbest


def prepare(job: str, nbest: NBestList) -> Callable[[], object]:
    rows, weights, chosen = make_learner_rows(nbest), np.array(START), np.zeros(3, np.int64)
    jobs: dict[str, Callable[[], object]] = {
        "evaluate": lambda: nbest.evaluate(START),
        "choose": lambda: rows.choose(weights, chosen, nbest._counts),
    }
    if not nbest.is_sparse:
        landscape = Landscape(nbest.metric._kernel, nbest.stats)
        point = WeightPoint(nbest._feature_columns(), nbest._counts)
        point.place(weights)
        jobs["score"] = lambda: _score(nbest, rows, weights)
        jobs["place"] = lambda: point.place(weights)
        jobs["move"] = lambda: point.move(weights, 0.5)
        jobs["survey"] = lambda: landscape.survey(point, np.ones(5))
    return jobs[job]


@unsanitized
@pytest.mark.parametrize(
    ("kind", "job"),
    [("dense", job) for job in ("evaluate", "choose", "score", "place", "move", "survey")]
    + [("sparse", "evaluate"), ("sparse", "choose")],
)
def test_segments_that_do_not_count_take_no_time(kind: str, job: str) -> None:
    nbest = _lopsided(kind)

    def least(own: NBestList) -> float:
        call, times = prepare(job, own), []
        for _ in range(5):
            began = perf_counter()
            call()
            times.append(perf_counter() - began)
        return min(times)

    unused = counted(nbest, UNUSED)  # again, because other processes may be running
    assert any(least(unused) < least(nbest) / 3 for _ in range(20))


def test_segments_that_do_not_count_may_have_any_features() -> None:
    nbest = make("mean", "float64")
    features = nbest.features.copy()
    features[nbest.offsets[3] : nbest.offsets[4]] = 1e308
    nbest = NBestList(features, nbest.stats, nbest.offsets, metric=nbest.metric)
    found, expected = both(nbest)
    with pytest.raises(ValueError, match="finite sums of weighted features; got others in segment"):
        mert(nbest, [9.0] * 5, restarts=0)
    ours, theirs = (mert(own, [9.0] * 5, restarts=0) for own in (found, expected))
    assert plain(ours) == plain(theirs)
