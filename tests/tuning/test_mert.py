"""MERT: known optima, Moses' golden number, bounds, seeds, threads, interruption."""

import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores
from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu._lib.checks import MOST
from rapidbleu.cli.moses.learners import _names
from rapidbleu.oracle import select_by_stats
from rapidbleu.tuning import NBestList, line_search, mert, mira
from rapidbleu.tuning.checks import check_weights
from rapidbleu.tuning.moses.weights import read_init_opt
from rapidbleu.tuning.search.line_search import best_point
from rapidbleu.tuning.search.mert import check_bounds, check_fixed, default_ranges
from support.places import SHARED_DATA
from support.tuning_lists import made, planted_choices, shared

MEAN = SegmentScores()


@pytest.fixture
def nbest() -> NBestList:
    """Return some 100 hypotheses scored by BLEU of bigrams, without a perfect selection."""
    random = np.random.default_rng(12)
    features = random.normal(size=(120, 4)).astype(np.float32)
    features[:, 3] = 1
    quality = features @ [0.5, -0.3, 1.0, 0.0] + random.normal(size=120)
    totals = random.integers(9, 15, 120)
    matches = np.clip(totals * (0.4 + quality / 8), 2, totals).astype(int)
    rows = np.stack([totals, totals + 1, matches, matches // 2, totals, totals - 1], axis=1)
    names = ["lm", "tm", "length", "constant"]
    metric = BLEU(max_ngram_order=2)
    return NBestList(features, rows, range(0, 121, 12), metric=metric, names=names)


@pytest.mark.parametrize("seed", range(5))
def test_finds_planted_weights(seed: int) -> None:
    nbest, weights = planted_choices(12, 8, 3, seed)
    best = select_by_stats(MEAN, nbest.stats, nbest.offsets).score.score
    assert nbest.evaluate(weights) == best
    assert mert(nbest, restarts=10).score == best


def test_climbs_by_line_searches(nbest: NBestList) -> None:
    result = mert(nbest, restarts=0, normalize=None)
    weights = result.starts[0]["start"]
    assert weights.tolist() == [0.25] * 4
    score = nbest.evaluate(weights)
    for entry in result.history:
        found = [line_search(nbest, weights, direction) for direction in np.eye(4)]
        best = max(found, key=lambda one: one.score)
        assert entry["score"] == best.score > score
        assert entry["direction"] == nbest.names[found.index(best)]
        assert entry["x"] == pytest.approx(best.x, rel=1e-9)
        weights, score = best.weights, best.score
    assert all(line_search(nbest, weights, axis).score <= score for axis in np.eye(4))
    assert result.score == score == nbest.evaluate(result.weights) == nbest.evaluate(weights)
    assert result.weights == pytest.approx(weights, rel=1e-9)
    assert [entry["step"] for entry in result.history] == list(range(1, len(result.history) + 1))


@pytest.mark.parametrize("moses", [False, True])
def test_steps_begin_where_the_last_one_ended(moses: bool) -> None:
    """Scores are updated with each step; Moses recomputes them in single precision."""
    nbest = made(2, [30] * 60, 5, np.float64)
    weights = np.full(5, 0.2).astype(np.float32).astype(float) if moses else np.full(5, 0.2)
    history = mert(nbest, restarts=0, moses_compat=moses).history
    point = WeightPoint(nbest._feature_columns())
    point.place(weights, None, moses)
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    assert len(history) > 2
    for entry in history:
        direction = np.eye(5)[nbest.names.index(entry["direction"])]
        landscape.survey(point, direction, closest=1e-4 if moses else 0.0)
        x, score, objective, *_ = landscape.best_interval(moses=moses)
        assert (x, score, objective) == (entry["x"], entry["score"], entry["objective"])
        if moses:
            weights = np.float32(x) * direction.astype(np.float32) + weights.astype(np.float32)
            weights = weights.astype(np.float64)
            point.place(weights, None, True)
        else:
            point.move(direction, x)


@pytest.mark.parametrize("restarts", [0, 19])
@pytest.mark.parametrize("options", [{}, {"random_directions": 3}, {"smooth": ("mean", 2)}])
def test_depends_on_the_seed_alone(nbest: NBestList, restarts: int, options: Any) -> None:
    def run(**more: Any) -> Any:
        result = mert(nbest, restarts=restarts, **options, **more)
        climbs = [(one["score"], one["start"].tolist()) for one in result.starts]
        return result.weights.tolist(), result.score, climbs

    first = run(seed=3)
    assert first == run(seed=3) == run(seed=3, threads=2) == run(seed=3, threads=5)
    if restarts:
        assert first[2] != run(seed=4)[2]
        assert len(first[2]) == 1 + restarts
        assert first[1] == max(score for score, _ in first[2])


def test_several_given_starts(nbest: NBestList) -> None:
    starts = np.random.default_rng(5).normal(size=(3, 4))
    together = mert(nbest, starts, restarts=2)
    assert [one["start"].tolist() for one in together.starts[:3]] == starts.tolist()
    alone = [mert(nbest, start, restarts=0).score for start in starts]
    assert [one["score"] for one in together.starts[:3]] == alone
    assert len(together.starts) == 5


def test_fixed_weights_and_bounds(nbest: NBestList) -> None:
    bounds = {"lm": (0.1, 0.3), "length": (-1, 0.25)}
    start = {"lm": 0.2, "tm": 0.5, "length": 0.0, "constant": 0.0}
    result = mert(nbest, start, fixed=["tm"], bounds=bounds, restarts=5)
    assert result.history
    for one in result.starts:
        lm, tm, length, _ = one["weights"]
        assert 0.1 <= lm <= 0.3
        assert -1 <= length <= 0.25
        assert tm == 0.5
    free = mert(nbest, start, restarts=0).score
    assert mert(nbest, start, bounds=bounds, restarts=0).score <= free


@pytest.mark.parametrize(("normalize", "norm"), [("l1", 1), ("l2", 2)])
def test_norms(nbest: NBestList, normalize: str, norm: int) -> None:
    result = mert(nbest, restarts=0, normalize=normalize)
    assert np.linalg.norm(result.weights, norm) == pytest.approx(1)
    same = mert(nbest, restarts=0, normalize=None)
    assert result.weights == pytest.approx(same.weights / np.linalg.norm(same.weights, norm))


@pytest.mark.parametrize("options", [{}, {"smooth": ("mean", 1)}, {"penalty": 1e-3}])
def test_restarts_near_the_best_ends(nbest: NBestList, options: Any) -> None:
    bounds = {"lm": (-2.0, 2.0)}
    found = mert(
        nbest,
        [0.5, 0.5, 0.5, 1],
        restarts=30,
        random_directions=6,
        fixed=["tm"],
        bounds=bounds,
        **options,
    )
    assert {step["direction"] for step in found.history} >= {"lm", "random"}
    assert len(found.starts) == 31
    assert len({tuple(climb["start"]) for climb in found.starts}) == 31
    for climb in found.starts:
        assert climb["start"][1] == climb["weights"][1] == 0.5
        assert -2 <= climb["weights"][0] <= 2
        assert climb["score"] == pytest.approx(nbest.evaluate(climb["weights"]), abs=1e-9)
        for j in [0, 2] if not options else []:  # no axis leads higher
            span = np.subtract((-2, 2), climb["weights"][0]) if j == 0 else None
            best = line_search(nbest, climb["weights"], np.eye(4)[j], bounds=span)
            assert best.score <= climb["score"] + 1e-6
    near = [step["start"] for step in found.history if step["direction"] == "difference"]
    assert (
        (min(near) > 0) if near else options
    )  # the given start searches axes and random directions alone


def test_restarts_near_the_best_ends_find_more_with_fewer_line_searches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metric, n = SegmentScores(), 0

    def counted(*arguments: Any) -> Any:
        nonlocal n
        n += 1
        return best_point(*arguments)

    def total(**options: Any) -> tuple[float, int]:
        """Return the sum of the best scores of four lists, and the number of line searches."""
        nonlocal n
        n, scores = 0, []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            features = rng.normal(size=(800, 10))
            rows = metric.stats(features @ rng.normal(size=10) + 4 * rng.normal(size=800))
            nbest = NBestList(features, rows, range(0, 801, 20), metric=metric)
            scores.append(mert(nbest, **options).score)
        return sum(scores), n

    monkeypatch.setattr("rapidbleu.tuning.search.mert.best_point", counted)
    near, n_near = total(restarts=30, random_directions=10)
    uniform, n_uniform = total(restarts=60)
    assert near > uniform and n_near < n_uniform / 2


def test_ranges_of_starts(nbest: NBestList) -> None:
    ranges = [(0, 1), (2, 3), (-1, 0), (5, 5)]
    result = mert(nbest, ranges=ranges, restarts=8, max_steps=0, normalize=None)
    for one in result.starts[1:]:
        assert all(low <= x <= high for x, (low, high) in zip(one["start"], ranges, strict=True))
        assert one["weights"].tolist() == one["start"].tolist()
    scaled = mert(nbest, restarts=8, max_steps=0, normalize=None)
    values = np.asarray(nbest.features, float).reshape(-1, 12, 4)
    deviations = np.sqrt(values.var(axis=1).mean(axis=0))
    deviations[3] = 1
    drawn = np.array([one["start"] for one in scaled.starts[1:]])
    assert (np.abs(drawn) <= 1 / deviations + 1e-12).all()
    assert default_ranges(nbest) == pytest.approx(np.outer(1 / deviations, [-1, 1]))
    assert drawn.min() < 0 < drawn.max()


def test_smoothing_and_penalty(nbest: NBestList) -> None:
    start = [0.25] * 4
    plain = mert(nbest, start, restarts=0, normalize=None)
    smooth = mert(nbest, start, restarts=0, smooth=("min", 3), normalize=None)
    assert smooth.score <= plain.score
    distances = []
    for penalty in (0.0, 1.0, 100.0, 1e9):
        held = mert(nbest, start, restarts=0, penalty=penalty, normalize=None)
        distances.append(float(np.linalg.norm(held.weights - start)))
    assert distances[0] > distances[1] >= distances[2] >= distances[3] == 0


def test_min_gain_and_max_steps(nbest: NBestList) -> None:
    assert len(mert(nbest, restarts=0).history) > 1
    assert len(mert(nbest, restarts=0, max_steps=1).history) == 1
    assert mert(nbest, restarts=0, min_gain=1e9).history == []
    for entry in mert(nbest, restarts=5, min_gain=0.5).history:
        assert entry["score"] > 0.5


@pytest.mark.parametrize("threads", [1, 3])
def test_callback_and_progress(nbest: NBestList, threads: int) -> None:
    entries: list[Any] = []
    told: list[Any] = []
    result = mert(
        nbest,
        restarts=4,
        threads=threads,
        callback=entries.append,
        progress=lambda done, n: told.append((done, n)),
    )
    key = lambda entry: (entry["start"], entry["step"])  # noqa: E731
    assert sorted(entries, key=key) == result.history
    assert told == [(done, 5) for done in range(1, 6)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("restarts", [0, 5])
def test_interrupted(nbest: NBestList, threads: int, restarts: int) -> None:
    def interrupt(entry: Any) -> None:
        if entry["step"] == 2:
            raise KeyboardInterrupt

    result = mert(nbest, restarts=restarts, threads=threads, callback=interrupt)
    assert result.interrupted
    assert result.score == nbest.evaluate(result.weights)
    assert result.score >= max(entry["score"] for entry in result.history)
    assert "(interrupted)" in repr(result)


def test_errors_of_callbacks_come_through(nbest: NBestList) -> None:
    def fail(entry: Any) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        mert(nbest, callback=fail, threads=2)


def test_sums_that_are_not_finite_name_the_segment() -> None:
    features = np.ones((6, 2))
    features[4] = 1e308
    rows = np.ones((6, 4), np.int64)
    nbest = NBestList(features, rows, [0, 2, 4, 6], metric=BLEU(max_ngram_order=1))
    message = "^weights: expected finite sums of weighted features; got others in segment 2$"
    with pytest.raises(ValueError, match=message):
        mert(nbest, [1e10, 1e10], restarts=0)


def test_result(nbest: NBestList) -> None:
    result = mert(nbest, restarts=0)
    assert list(result.to_dict()["weights"]) == list(nbest.names)
    assert repr(result).splitlines()[0] == f"mert: {result.score:.4f}"
    assert len(repr(result).splitlines()) == 5
    again = pickle.loads(pickle.dumps(result))
    assert again.weights.tolist() == result.weights.tolist()
    assert again.history == result.history


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"start": [1, 2]}, ValueError, "start: expected 4, one for each feature"),
        ({"start": [1, 2, 3, np.nan]}, ValueError, r"start\[3\]: expected a finite number"),
        ({"start": np.empty((0, 4))}, ValueError, "start: expected at least one vector; got none"),
        ({"restarts": -1}, ValueError, "restarts: expected at least 0; got -1"),
        ({"restarts": 10**30}, ValueError, f"restarts: expected at most {MOST}; got {10**30}"),
        ({"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        ({"random_directions": -1}, ValueError, "random_directions: expected at least 0"),
        ({"axes": False}, ValueError, "axes, random_directions: expected directions"),
        ({"fixed": "lm"}, TypeError, "fixed: expected a collection of names; got a single str"),
        ({"fixed": ["x"]}, ValueError, "fixed: expected names of features; got 'x'"),
        ({"fixed": ["lm", "tm", "length", "constant"]}, ValueError, "fixed: expected to leave at"),
        ({"bounds": {"x": (0, 1)}}, ValueError, "bounds: expected names of features; got 'x'"),
        ({"bounds": {"lm": (1, 0)}}, ValueError, "bounds: expected low <= high for 'lm'; got 1 "),
        ({"bounds": {"lm": (1, 2)}}, ValueError, "start: expected 'lm' within its bounds, 1 to"),
        ({"bounds": [(0, 1)]}, ValueError, r"bounds: expected shape \(4, 2\); got \(1, 2\)"),
        ({"bounds": {"lm": 1}}, TypeError, "expected a pair of numbers; got 1"),
        ({"ranges": [(0, 1)] * 3 + [(0, np.inf)]}, ValueError, "ranges: expected finite ones"),
        ({"normalize": "max"}, ValueError, "normalize: expected 'l1', 'l2' or None; got 'max'"),
        ({"smooth": ("median", 1)}, ValueError, "smooth: expected"),
        ({"penalty": -1.0}, ValueError, "penalty: expected a number of at least 0; got -1"),
        ({"min_gain": np.nan}, ValueError, "min_gain: expected a number of at least 0; got nan"),
        ({"threads": -1}, ValueError, "threads: expected 0 for all cores"),
    ],
)
def test_errors(nbest: NBestList, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        mert(nbest, **options)


@pytest.mark.slow
def test_moses_golden_numbers() -> None:
    """Scores of Moses, Travatar, Z-MERT and two other programs from the shared start."""
    nbest = shared()
    start, low, high = read_init_opt(SHARED_DATA / "nbest" / "init.opt")
    result = mert(nbest, start, restarts=0, moses_compat=True)
    assert round(result.score / 100, 6) == 0.299084
    assert len(result.history) == 6  # and a seventh pass over 15 features that gains nothing
    assert mert(nbest, start, restarts=0).score >= result.score
    ranges = np.stack([low, high], axis=1)
    assert mert(nbest, start, ranges=ranges, threads=2).score >= 29.9465


N = 100_000
NAMES = [f"F_{i}" for i in range(N)]


def sparse_list() -> NBestList:
    matrix = pytest.importorskip("scipy.sparse").eye(4, N, format="csr")
    rows = SegmentScores().stats([0.1, 0.2, 0.3, 0.4])
    return NBestList(matrix, rows, [0, 2, 4], names=NAMES, metric=SegmentScores())


JOBS: dict[str, Callable[[NBestList], Any]] = {
    "weights": lambda _: check_weights(dict.fromkeys(NAMES, 1.0), NAMES),
    "fixed": lambda _: check_fixed(NAMES[1:], NAMES),
    "bounds": lambda _: check_bounds("bounds", dict.fromkeys(NAMES, (0.0, 1.0)), NAMES),
    "names of the command": lambda nbest: _names(nbest, NAMES, "-o"),
    "list of sparse features": lambda nbest: nbest.evaluate(dict.fromkeys(NAMES, 1.0)),
    "mira": lambda nbest: mira(nbest, dict.fromkeys(NAMES, 1.0), epochs=1),
}


@pytest.mark.parametrize("name", JOBS)
def test_names_are_looked_up_in_linear_time(name: str) -> None:
    """A quadratic look-up takes a minute here."""
    nbest = sparse_list()
    begin = time.process_time()
    JOBS[name](nbest)
    assert time.process_time() - begin < 5.0


def test_limits_belong_to_their_names() -> None:
    names = ["a", "b", "c"]
    assert check_fixed((name for name in ["c", "a"]), names).tolist() == [0, 1, 0]
    bounds = check_bounds("bounds", {"c": (1, 2), "a": (0, 1)}, names)
    assert bounds.tolist() == [[0, 1], [-np.inf, np.inf], [1, 2]]


def test_names_that_are_no_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"fixed: expected names of features; got \['a'\]"):
        check_fixed([["a"]], ["a", "b"])  # type: ignore[list-item]
