"""Batch MIRA against its oracle, on lists with a known optimum, interrupted, and refused."""

import math
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores, WeightedSum
from rapidbleu._core.tuning.mira import LearnerRows, Mira
from rapidbleu.tuning import NBestList, TuningResult, mira, pro, risk
from rapidbleu.tuning.search.mira import FINEST_UNIT, USUAL_RANGE
from reference.tuning import mira as oracle
from support.peers import need
from support.tuning_lists import SIZES, START, made, planted, shared, sparse

UNIT = FINEST_UNIT
LARGE = [-30.0, 30.0, 10.0, 0.0, 1.0]  # model scores outweigh the costs
BLEU_START = [4 * UNIT, 4 * UNIT, *(n * UNIT for n in (4, 3, 2, 1, 4, 3, 2, 1))]


def orders(n_segments: int, n_epochs: int, seed: int | None) -> list[list[int]]:
    """Return the documented orders of the epochs: permutations by PCG64, or none."""
    if seed is None:
        return [list(range(n_segments))] * n_epochs
    random = np.random.Generator(np.random.PCG64(seed))
    return [random.permutation(n_segments).tolist() for _ in range(n_epochs)]


def score_one(nbest: NBestList) -> Any:
    return lambda row: float(nbest.metric.score_rows([row])[0])


def check_history(nbest: NBestList, result: Any, epochs: list[oracle.Epoch]) -> None:
    assert len(result.history) == len(epochs)
    for number, (entry, epoch) in enumerate(zip(result.history, epochs, strict=True), 1):
        assert entry["epoch"] == number
        assert entry["weights"].tolist() == epoch.mean
        assert entry["updates"] == epoch.updates
        assert entry["loss"] == epoch.loss / nbest.n_segments
        assert entry["score"] == nbest.evaluate(entry["weights"])
    best = max(result.history, key=lambda entry: entry["score"])  # the first of equal ones
    assert result.score == best["score"]
    assert result.weights.tolist() == best["weights"].tolist()
    assert any(epoch.updates for epoch in epochs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"safe_hope": True},
        {"model_background": True},
        {"decay": 0.9},
        {"decay": 1.0},
        {"decay": 0.0},
        {"step_limit": 0.3},
        {"step_limit": 1e-5, "safe_hope": True, "model_background": True},
    ],
)
@pytest.mark.parametrize("seed", [None, 3])
def test_is_what_the_oracle_does(dtype: Any, options: dict[str, Any], seed: int | None) -> None:
    nbest = made(1, dtype=dtype)
    start = LARGE if "safe_hope" in options else [1.0, -0.5, 0.25, 0.0, 0.1]
    expected = oracle.mira(
        nbest.features.tolist(),
        nbest.stats.tolist(),
        nbest.offsets.tolist(),
        score_one(nbest),
        start,
        BLEU_START,
        orders(len(SIZES), 4, seed),
        unit=UNIT,
        length_column=1,
        factor=0.01 / UNIT,
        **options,
    )
    given = {"max_step" if name == "step_limit" else name: value for name, value in options.items()}
    result = mira(nbest, start, epochs=4, shuffle=seed is not None, seed=seed or 0, **given)
    check_history(nbest, result, expected)


@pytest.mark.parametrize(("second", "updates"), [(23.9, 0), (23.93, 1)])
def test_model_scores_are_scaled_down_to_five_costs(second: float, updates: int) -> None:
    """Costs are 2.5 and 3.5: model scores 26 and 23.92 scaled by 12.5 / 26 make the hopes equal."""
    metric = SegmentScores()
    features = np.array([[26.0], [second]])
    nbest = NBestList(features, metric.stats([1.0, 2.0]), [0, 2], metric=metric)
    result = mira(nbest, [1.0], epochs=1, scale=1.0, safe_hope=True)
    assert result.history[0]["updates"] == updates
    assert mira(nbest, [1.0], epochs=1, scale=1.0).history[0]["updates"] == 0


@pytest.mark.parametrize(("option", "start"), [("safe_hope", LARGE), ("model_background", None)])
def test_options_change_something(option: str, start: Any) -> None:
    plain, other = (mira(made(1), start, epochs=1, **{option: flag}) for flag in (False, True))
    assert plain.history[0]["weights"].tolist() != other.history[0]["weights"].tolist()


def test_of_equal_hypotheses_the_first_is_taken() -> None:
    """Every statistics row twice, and weights of zero: hope, fear and choice are ties."""
    plain = made(3, sizes=[6, 8, 2])
    stats = np.repeat(plain.stats[::2], 2, axis=0)
    nbest = NBestList(plain.features, stats, plain.offsets, metric=plain.metric)
    expected = oracle.mira(
        nbest.features.tolist(),
        stats.tolist(),
        nbest.offsets.tolist(),
        score_one(nbest),
        [0.0] * 5,
        BLEU_START,
        orders(3, 1, None),
        unit=UNIT,
        length_column=1,
        factor=0.01 / UNIT,
    )
    check_history(nbest, mira(nbest, epochs=1, shuffle=False), expected)


@pytest.mark.parametrize("stats_type", [np.int32, np.int64])
def test_other_metrics_are_as_in_the_oracle(stats_type: Any) -> None:
    """Two BLEUs side by side: lengths are segments, and the start is an average hypothesis."""
    plain = made(2)
    two = BLEU(max_ngram_order=2, smooth_method="none")
    metric = WeightedSum([plain.metric, two], [0.75, 0.25])
    stats = np.hstack([plain.stats, plain.stats[:, [0, 1, 2, 3, 6, 7]]]).astype(stats_type)
    nbest = NBestList(plain.features, stats, plain.offsets, metric=metric)
    background = [int(total) * UNIT // len(nbest) for total in stats.sum(axis=0)]
    expected = oracle.mira(
        nbest.features.tolist(),
        stats.tolist(),
        nbest.offsets.tolist(),
        score_one(nbest),
        [0.0] * 5,
        background,
        orders(len(SIZES), 3, 0),
        unit=UNIT,
        length_column=None,
        factor=0.5,
    )
    check_history(nbest, mira(nbest, epochs=3, scale=0.5, seed=0), expected)


def test_scale_of_other_metrics_makes_costs_range_as_usual() -> None:
    nbest, _ = planted(0)
    scores = nbest.metric.score_rows(nbest.stats)
    ranges = [np.ptp(scores[a:b]) for a, b in zip(nbest.offsets, nbest.offsets[1:], strict=False)]
    default = mira(nbest, epochs=2)
    given = mira(nbest, epochs=2, scale=USUAL_RANGE / float(np.mean(ranges)))
    assert default.weights == pytest.approx(given.weights, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_fixed_point_is_as_good_as_floats(seed: int) -> None:
    nbest = made(seed, sizes=[9, 20, 1, 30, 4] * 6)
    expected = oracle.plain_means(
        nbest.features.tolist(),
        nbest.stats.tolist(),
        nbest.offsets.tolist(),
        [0.5] * 5,
        orders(30, 5, 0),
        step_limit=0.02,
        decay=0.99,
    )
    result = mira(nbest, [0.5] * 5, epochs=5, max_step=0.02, decay=0.99, seed=0)
    for entry, mean in zip(result.history, expected, strict=True):
        assert entry["weights"] == pytest.approx(mean, rel=1e-4, abs=1e-5)


def learn(name: str, nbest: NBestList, *start: Any, **options: Any) -> TuningResult:
    if name != "mira":
        need("scipy")
    methods: dict[str, Any] = {"mira": mira, "pro": pro, "risk": risk}
    result: TuningResult = methods[name](nbest, *start, **options)
    assert result.score == nbest.evaluate(result.weights)
    return result


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "options"), [("mira", {}), ("pro", {"min_difference": 0.05}), ("risk", {"l2": 1e-6})]
)
def test_learners_find_planted_weights(name: str, options: dict[str, Any], seed: int) -> None:
    nbest, weights = planted(seed)
    result = learn(name, nbest, **options)
    cosine = result.weights @ weights / np.linalg.norm(result.weights) / np.linalg.norm(weights)
    assert cosine > 0.995
    assert nbest.evaluate(-weights) < 0 < 0.995 * nbest.evaluate(weights) < result.score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("mira", 29.39),
        ("pro", 29.12),  # of Moses
        ("risk", 29.7),  # 29.88 to 29.94 with several processors' BLAS; mert: 30.2
    ],
)
def test_shared_lists(name: str, least: float) -> None:
    assert learn(name, shared(), START).score >= least


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("name", ["mira", "pro"])
def test_sparse_is_dense(name: str, dtype: Any, index_type: Any) -> None:
    nbest, start = made(4, n_features=9, dtype=dtype), np.linspace(-1, 1, 9)
    dense, other = (learn(name, one, start) for one in (nbest, sparse(nbest, index_type)))
    assert dense.weights.tolist() == other.weights.tolist() != start.tolist()


def test_negative_scores_are_no_obstacle() -> None:
    nbest, weights = planted(0)
    lower = nbest.metric.stats(nbest.metric.score_rows(nbest.stats) - 100)
    result = mira(NBestList(nbest.features, lower, nbest.offsets, metric=nbest.metric))
    assert result.score == pytest.approx(nbest.evaluate(weights) - 100, abs=0.05)


def test_seeds() -> None:
    nbest = made(6)
    one, again, other = (mira(nbest, epochs=3, seed=seed) for seed in (1, 1, 2))
    assert one.weights.tolist() == again.weights.tolist() != other.weights.tolist()


def test_nothing_to_learn() -> None:
    nbest = made(7, sizes=[1, 1, 1])
    result = mira(nbest, [1, 2, 3, 4, 5], epochs=2)
    assert result.weights.tolist() == [1, 2, 3, 4, 5]
    assert [entry["updates"] for entry in result.history] == [0, 0]


def test_equal_features_teach_nothing() -> None:
    plain = made(8)
    nbest = NBestList(np.ones((len(plain), 2)), plain.stats, plain.offsets, metric=plain.metric)
    result = mira(nbest, epochs=2)
    assert result.weights.tolist() == [0.0, 0.0]
    first = nbest.metric.score(nbest.stats[nbest.offsets[:-1]])
    assert result.score == first.score == nbest.evaluate([0.0, 0.0])


def test_callback_and_progress() -> None:
    seen: list[Any] = []
    result = mira(made(6), epochs=3, callback=seen.append, progress=lambda *both: seen.append(both))
    one, two, three = result.history
    assert seen == [one, (1, 3), two, (2, 3), three, (3, 3)]
    assert not result.interrupted


@pytest.mark.parametrize("after", [1, 3])
def test_interrupted_returns_the_best_so_far(after: int) -> None:
    def stop(entry: dict[str, Any]) -> None:
        if entry["epoch"] == after:
            raise KeyboardInterrupt

    nbest = made(6)
    result = mira(nbest, [1, 0, 0, 0, 0], callback=stop)
    assert result.interrupted and len(result.history) == after
    assert result.score == max(e["score"] for e in result.history) == nbest.evaluate(result.weights)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_step": 0}, ValueError, "max_step: expected a number above 0; got 0"),
        ({"max_step": math.nan}, ValueError, "max_step: expected a number above 0; got nan"),
        ({"max_step": 10**400}, ValueError, "max_step: expected a number above 0; got inf"),
        ({"decay": -(10**400)}, ValueError, "decay: expected a number of at least 0.* got -inf"),
        ({"max_step": "x"}, TypeError, "max_step: expected a number; got str"),
        ({"decay": 1.5}, ValueError, "decay: expected a number of at least 0, at most 1; got 1.5"),
        ({"epochs": 0}, ValueError, "epochs: expected at least 1; got 0"),
        ({"scale": 0}, ValueError, "scale: expected a number above 0; got 0"),
        ({"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        ({"start": [1.0]}, ValueError, "start: expected 5, one for each feature"),
        ({"start": [[1.0] * 5]}, ValueError, r"start: expected one vector; got shape \(1, 5\)"),
        ({"start": [math.nan] * 5}, ValueError, r"start\[0\]: expected a finite number"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        mira(made(0, sizes=[2, 2]), **options)


def test_counts_too_large_for_the_pseudo_corpus() -> None:
    metric = SegmentScores()
    rows = np.full((2, 5), 2**58)
    nbest = NBestList(np.ones((2, 1)), rows, [0, 1, 2], metric=metric)
    with pytest.raises(ValueError, match="stats: expected counts whose pseudo-corpus stays below"):
        mira(nbest, decay=1.0)
    assert mira(nbest, decay=0.0, epochs=2).score == 0


def int64(*values: int) -> Any:
    return np.array(values, np.int64)


DENSE: dict[str, Any] = {
    "features": np.zeros((3, 2)),
    "columns": None,
    "starts": None,
    "stats": np.zeros((3, 10), np.int64),
    "offsets": int64(0, 1, 3),
    "n_features": 2,
    "n_stats": 10,
}
SPARSE: dict[str, Any] = {
    **DENSE,
    "features": np.ones(3),
    "columns": np.array([0, 1, 0], np.int32),
    "starts": int64(0, 2, 2, 3),
}


@pytest.mark.parametrize(
    ("base", "name", "value", "message"),
    [
        (DENSE, "features", np.zeros((3, 3)), "features: expected 6 items"),
        (DENSE, "features", np.zeros((3, 2), np.float16), "features: expected numbers; got items"),
        (DENSE, "stats", np.zeros((3, 10), np.int16), "stats: expected 3 rows of 10 integers"),
        (DENSE, "stats", np.zeros((2, 10), np.int64), "stats: expected 3 rows"),
        (DENSE, "offsets", int64(1, 3), r"offsets\[0\]: expected 0; got 1"),
        (DENSE, "offsets", int64(0, 3, 3), r"offsets\[2\]: expected more than 3; got 3"),
        (SPARSE, "columns", np.array([1, 0, 0], np.int32), r"columns\[1\]: expected 2 to 1; got 0"),
        (SPARSE, "columns", np.array([0, 2, 0], np.int32), r"columns\[1\]: expected 1 to 1; got 2"),
        (SPARSE, "columns", np.array([0, 1], np.int32), "columns: expected 3 items"),
        (SPARSE, "starts", int64(0, 2, 1, 3), r"starts\[2\]: expected at least 2; got 1"),
        (SPARSE, "starts", int64(0, 2, 2, 2), "starts: expected 0 to 3; got 0 to 2"),
        (SPARSE, "starts", int64(0, 3), "starts: expected 4 items"),
    ],
)
def test_arrays_that_do_not_fit(base: Any, name: str, value: Any, message: str) -> None:
    assert LearnerRows(*base.values()).n == 3
    with pytest.raises((TypeError, ValueError), match=message):
        LearnerRows(*{**base, name: value}.values())


def test_segments_that_do_not_exist() -> None:
    nbest = made(0, sizes=[2, 2])
    rows = LearnerRows(nbest.features, None, None, nbest.stats, nbest.offsets, 5, 10)
    learner = Mira(
        nbest.metric._kernel,
        rows,
        np.zeros(5),
        int64(*BLEU_START),
        UNIT,
        1,
        1.0,
        0.01,
        0.999,
        False,
        False,
    )
    with pytest.raises(ValueError, match=r"order\[1\]: expected 0 to 1; got 2"):
        learner.epoch(np.array([0, 2], np.int64))
    assert learner.n_steps == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_that_are_there_already_are_left_out_by_moses(dtype: Any) -> None:
    nbest = made(1, sizes=[4, 9, 6], dtype=np.float32)
    rows = np.repeat(np.arange(len(nbest)), 2)
    stats = np.where((np.arange(len(rows)) % 2 == 0)[:, None], nbest.stats[rows], 1)
    twice = NBestList(
        nbest.features[rows].astype(dtype), stats, nbest.offsets * 2, metric=nbest.metric
    )
    one, other = (mira(x, epochs=3, moses_compat=True) for x in (nbest, twice))
    assert other.weights.tolist() == one.weights.tolist()
    assert [e["loss"] for e in other.history] == [e["loss"] for e in one.history]


def test_sparse_features_are_those_of_a_dense_list_by_moses_rules() -> None:
    nbest = made(1)
    one, other = (mira(x, epochs=3, moses_compat=True) for x in (nbest, sparse(nbest)))
    assert other.weights.tolist() == pytest.approx(one.weights.tolist(), rel=1e-5)


def test_moses_rules_are_for_bleu_without_a_scale() -> None:
    with pytest.raises(
        ValueError, match="nbest: expected BLEU with moses_compat; got SegmentScores"
    ):
        mira(planted(0)[0], moses_compat=True)
    with pytest.raises(ValueError, match=r"^scale: expected None with moses_compat; got 1\.0$"):
        mira(made(1), scale=1.0, moses_compat=True)
