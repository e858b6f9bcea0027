"""Lists in parts: events of lines, climbs over all parts; the bits of a list in one place."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER
from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.tuning import NBestList, line_search, mert
from rapidbleu.tuning.lists.taking import taken
from rapidbleu.tuning.parts.answers import answers_to
from rapidbleu.tuning.parts.events import Events
from rapidbleu.tuning.parts.ground import EVENTS, PartedGround
from rapidbleu.tuning.search.asking import Ask
from rapidbleu.tuning.search.limits import ranges_of, variances
from rapidbleu.tuning.search.line_search import ask_for, result_of
from rapidbleu.tuning.search.plan import Plan
from support.tuning_lists import made, planted

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

MERT: dict[str, Any] = {
    "restarts": 3, "axes": True, "random_directions": 0, "fixed": (), "bounds": None,
    "ranges": None, "normalize": "l1", "min_gain": None, "max_steps": 30, "smooth": None,
    "penalty": 0.0, "seed": 0, "callback": None, "progress": None, "moses_compat": False,
}  # fmt: skip
KINDS: list[dict[str, Any]] = [
    {},
    {"moses_compat": True},
    {"moses_compat": True, "smooth": ("min", 1), "random_directions": 2},
    {"smooth": ("mean", 2)},
    {"random_directions": 4, "penalty": 0.1, "max_steps": 6},
    {"bounds": {"F1": (-1, 1), "F2": (0, np.inf)}, "axes": False, "random_directions": 3},
    {"fixed": ["F0"], "restarts": 0, "normalize": "l2"},
    {"ranges": {"F0": (0, 1), "F1": (0, 1), "F2": (0, 1), "F3": (0, 1), "F4": (-1, 1)}},
    {"max_steps": 0},
]


class Parts(PartedGround):
    """Parts in this process, that answer in any order."""

    def __init__(self, parts: list[NBestList], seed: int = 0) -> None:
        self.parts = parts
        self.jobs: list[int] = []
        self.random = np.random.default_rng(seed)
        n = sum(part.n_segments for part in parts)
        super().__init__(parts[0].metric, parts[0].names, len(parts), n)

    def ranges(self) -> Any:
        ids = np.concatenate([part.ids for part in self.parts])
        found = np.concatenate([variances(part) for part in self.parts], axis=1)
        return ranges_of(np.ascontiguousarray(found[:, ids.argsort()]))

    def ask_parts(self, asks: list[Ask]) -> Iterable[tuple[int, bytes]]:
        self.jobs.append(sum(1 if ask.lines is None else len(ask.lines) for ask in asks))
        answers = [
            (i, events.pack())
            for part in self.parts
            for i, events in enumerate(answers_to(asks, part, lambda k: k))
        ]
        return [answers[i] for i in self.random.permutation(len(answers))]


def divided(nbest: NBestList, n: int, seed: int = 0) -> list[NBestList]:
    """The segments in parts of any size, in any order."""
    random = np.random.default_rng(seed)
    ends = np.sort(random.integers(1, nbest.n_segments, n - 1))
    parts = np.split(random.permutation(nbest.n_segments), ends)
    return [taken(nbest, part) for part in parts if len(part)]


def landscape_of(landscape: Landscape, n: int) -> tuple[list[float], list[float]]:
    boundaries, scores = np.empty(n), np.empty(n + 1)
    landscape.copy_to(boundaries, scores)
    return boundaries.tolist(), scores.tolist()


def empty_landscape(metric: Any) -> Landscape:
    landscape = Landscape(metric._kernel, np.empty((0, metric._kernel.n_stats), np.int64))
    landscape.clear()
    return landscape


def same_results(found: Any, expected: Any) -> None:
    """Every number of two results of `mert` is the same."""
    assert found.history == expected.history
    assert (found.weights.tolist(), found.score) == (expected.weights.tolist(), expected.score)
    assert found.names == expected.names
    assert found.interrupted == expected.interrupted
    assert len(found.starts) == len(expected.starts)
    for one, other in zip(found.starts, expected.starts, strict=True):
        assert {k: np.asarray(v).tolist() for k, v in one.items()} == {
            k: np.asarray(v).tolist() for k, v in other.items()
        }


# Events of lines


@hypothesis.given(
    st.integers(0, 10**6), st.lists(st.integers(1, 12), min_size=2, max_size=30),
    st.integers(1, 6), st.sampled_from([0.0, 1e-4, 0.3]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_events_of_parts_make_the_same_landscape(
    seed: int, sizes: list[int], n_parts: int, closest: float, bounded: bool, ties: bool
) -> None:
    nbest = made(seed, sizes, 3, np.float64)
    if ties:  # many equal places
        features = np.round(nbest.features)
        nbest = NBestList(features, nbest.stats, nbest.offsets, metric=nbest.metric)
    random = np.random.default_rng(seed)
    weights, direction = random.normal(size=3).round(1), random.integers(-1, 2, 3) + 0.5
    bounds = (-0.75, 1.5) if bounded else (-np.inf, np.inf)

    def point(part: NBestList) -> WeightPoint:
        found = WeightPoint(part.columns())
        found.place(weights, None, closest > 0)
        return found

    whole = Landscape(nbest.metric._kernel, nbest.stats)
    n = whole.survey(point(nbest), direction, *bounds, closest)
    together = empty_landscape(nbest.metric)
    for part in divided(nbest, n_parts, seed):
        own = Landscape(part.metric._kernel, part.stats)
        n_events = own.collect(point(part), direction, *bounds, closest)
        events = Events.of(own, n_events, nbest.stats.shape[1])
        Events.unpack(events.pack(), nbest.stats.shape[1]).add_to(together)
    assert together.sweep() == n
    assert landscape_of(together, n) == landscape_of(whole, n)
    for smoothing in ("none", "mean", "min"):
        for moses in (False, True):
            choice: Any = (*bounds, smoothing, 1, 0.5, 0.25, moses)
            assert together.best_interval(*choice) == whole.best_interval(*choice)


def test_a_collected_line_can_be_swept_where_it_is() -> None:
    nbest = made(2)
    point = WeightPoint(nbest.columns())
    point.place(np.ones(5))
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    n = landscape.survey(point, np.eye(5)[1])
    expected = landscape_of(landscape, n)
    assert landscape.collect(point, np.eye(5)[1]) >= n
    assert landscape.sweep() == n
    assert landscape_of(landscape, n) == expected
    landscape.clear()
    assert landscape.sweep() == 0


def test_swept_events_are_gone() -> None:
    """Sums are those of the right end then."""
    landscape = empty_landscape(TER())
    arrays = np.zeros(4, np.int64), np.empty(0), np.empty((0, 4), np.int64)
    landscape.add_events(*arrays)
    landscape.sweep()
    for call in (
        landscape.sweep,
        lambda: landscape.add_events(*arrays),
        lambda: landscape.copy_events(*arrays),
    ):
        with pytest.raises(ValueError, match=r"^events: expected some that are not swept yet"):
            call()
    landscape.clear()
    landscape.add_events(*arrays)


MOST = 2**60


@pytest.mark.parametrize(
    ("totals", "places", "changes", "message"),
    [
        ([1, 2], [0.5], [[1, 1, 1, 1]], "totals"),
        ([1, 2, 3, 4], [0.5], [[1, 1, 1]], "changes"),
        ([1, 2, 3, 4], [0.5, 1], [[1, 1, 1, 1]], "changes"),
        ([1, 2, 3, 4], [0.5, np.nan], [[1] * 4] * 2, r"places\[1\]: expected a number, got nan"),
        ([1, -1, 3, 4], [0.5], [[1] * 4], r"totals\[1\]: expected sums from 0 to 2\*\*60"),
        ([1, 2, 3, MOST + 1], [0.5], [[1] * 4], r"totals\[3\]: expected sums from 0 to 2\*\*60"),
        ([0] * 4, [0.5, 1], [[0] * 4, [0, 0, MOST + 1, 0]], r"changes\[1\]\[2\]: expected at most"),
        ([0] * 4, [0.5], [[0, -MOST - 1, 0, 0]], r"changes\[0\]\[1\]: expected at most"),
        ([0] * 4, [0.5], [[0, 0, 0, -(2**63)]], r"changes\[0\]\[3\]: expected at most"),
    ],
)
def test_events_are_checked(totals: Any, places: Any, changes: Any, message: str) -> None:
    landscape = empty_landscape(TER())
    landscape.add_events(np.array([5, 5, 5, 5]), np.array([2.0]), np.array([[1, 2, 3, 4]]))
    arrays = np.array(totals), np.array(places, float), np.array(changes, np.int64)
    with pytest.raises((TypeError, ValueError), match=message):
        landscape.add_events(*arrays)
    out = np.empty(4, np.int64), np.empty(1), np.empty((1, 4), np.int64)
    landscape.copy_events(*out)  # nothing was added
    assert [array.tolist() for array in out] == [[5] * 4, [2.0], [[1, 2, 3, 4]]]
    assert landscape.sweep() == 1


@pytest.mark.parametrize(
    ("totals", "changes"),
    [
        ([[MOST, 0, 0, 0]], [[[1, 0, 0, 0]]]),
        ([[0, 3, 0, 0]], [[[0, -4, 0, 0]]]),
        ([[0, 0, 0, 0]], [[[0, 0, 0, MOST]] * 9]),  # wraps around, but for the check
        ([[0, 0, 0, 0]] * 2, [[[0, 0, MOST, 0]] * 2] * 2),
        ([[0, 0, 0, 0]], [[[MOST, 0, 0, 0]] * 3 + [[-MOST, 0, 0, 0]] * 3]),
    ],
)
def test_sums_of_events_are_checked(totals: Any, changes: Any) -> None:
    landscape = empty_landscape(TER())
    for own, steps in zip(totals, changes, strict=True):
        places = np.arange(len(steps), dtype=float)
        landscape.add_events(np.array(own), places, np.array(steps, np.int64))
    with pytest.raises(ValueError, match=r"changes: expected sums from 0 to 2\*\*60, got others"):
        landscape.sweep()


def test_totals_of_parts_are_checked() -> None:
    landscape = empty_landscape(TER())
    arrays = np.array([MOST, 0, 0, 0]), np.empty(0), np.empty((0, 4), np.int64)
    landscape.add_events(*arrays)
    with pytest.raises(ValueError, match=r"totals\[0\]"):
        landscape.add_events(np.array([1, 0, 0, 0]), *arrays[1:])
    landscape.sweep()


def test_sums_may_leave_their_range_on_the_way() -> None:
    """As where boundaries of a segment are in another order in single precision."""
    landscape = empty_landscape(TER())
    changes = np.array([[-5, 0, 0, 0], [5, 0, 0, 0], [MOST, 0, 0, 0], [-MOST, 0, 0, 0]])
    landscape.add_events(np.array([3, 1, 1, 1]), np.array([1.0, 2.0, 3.0, np.inf]), changes)
    assert landscape.sweep() == 4


def test_sums_are_looked_at_in_the_order_of_places() -> None:
    landscape = empty_landscape(TER())
    changes = np.array([[MOST, 0, 0, 0]] * 3 + [[-MOST, 0, 0, 0]] * 3)
    landscape.add_events(np.zeros(4, np.int64), np.array([1.0, 3, 5, 2, 4, 6]), changes)
    assert landscape.sweep() == 6


def test_many_events_by_running_sums() -> None:
    random = np.random.default_rng(6)
    totals = np.array([500, 9000, 0, 0])
    landscape = empty_landscape(TER())
    all_places, all_changes = [], []
    for n in (3, 0, 2000, 1, 700):
        places, changes = random.integers(-900, 900, n) / 8, random.integers(0, 3, (n, 4))
        changes[:, 1:] = 0
        landscape.add_events(totals, places, changes)
        all_places.append(places)
        all_changes.append(changes)
    places, changes = np.concatenate(all_places), np.concatenate(all_changes)
    boundaries = np.unique(places)
    sums = [5 * totals + changes[places <= place].sum(axis=0) for place in [-1e9, *boundaries]]
    assert landscape.sweep() == len(boundaries) > 1000
    assert landscape_of(landscape, len(boundaries)) == (
        boundaries.tolist(), TER().score_rows(np.array(sums)).tolist()
    )  # fmt: skip


@pytest.mark.parametrize(
    "edge", [0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32769, 2**31 - 1, 2**31, -MOST, MOST]
)
def test_events_as_bytes(edge: int) -> None:
    events = Events(np.array([1, MOST]), np.array([-0.0, np.inf]), np.array([[0, edge], [1, 2]]))
    found = Events.unpack(events.pack(), 2)
    for one, other in (
        (found.totals, events.totals),
        (found.places, events.places),
        (found.changes, events.changes),
    ):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
    width = next(w for w in (1, 2, 4, 8) if -(2 ** (8 * w - 1)) <= edge < 2 ** (8 * w - 1))
    assert len(events.pack()) == 16 + 16 + 16 + 4 * width


def test_broken_bytes_are_refused() -> None:
    data = Events(np.array([1, 2]), np.array([0.5]), np.array([[3, 4]])).pack()
    for i in range(len(data)):
        with pytest.raises(ValueError, match=r"^events: expected"):
            Events.unpack(data[:i], 2)
    none = Events(np.array([1, 2])).pack()
    assert len(none) == 32
    for wrong in (data + b"\0", b"\xff" * len(data), none[:8] + b"\3" + none[9:]):
        with pytest.raises(ValueError, match=r"^events: expected"):
            Events.unpack(wrong, 2)
    with pytest.raises(ValueError, match=r"^events: expected 40 bytes at least, got 42|places"):
        Events.unpack(data, 3)


# Climbs


@pytest.mark.parametrize("moses", [False, True])
def test_steps_begin_where_the_last_one_ended(moses: bool) -> None:
    """Scores are moved along with each step; Moses computes them afresh, in single precision."""
    nbest = made(2, [30] * 60, 5, np.float64)
    weights = np.full(5, 0.2).astype(np.float32).astype(float) if moses else np.full(5, 0.2)
    history = mert(nbest, restarts=0, moses_compat=moses).history
    point = WeightPoint(nbest.columns())
    point.place(weights, None, moses)
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    assert len(history) > 2
    for entry in history:
        direction = np.eye(5)[nbest.names.index(entry["direction"])]
        landscape.survey(point, direction, closest=1e-4 if moses else 0.0)
        x, score, objective, *_ = landscape.best_interval(moses=moses)
        assert (x, score, objective) == (entry["x"], entry["score"], entry["objective"])
        if moses:
            weights = (np.float32(x) * direction.astype(np.float32) + weights.astype(np.float32))
            weights = weights.astype(np.float64)
            point.place(weights, None, True)
        else:
            point.move(direction, x)


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("n_parts", [1, 7])
def test_climbs_are_those_of_one_list(options: dict[str, Any], n_parts: int) -> None:
    nbest = made(5, [20] * 20, 5)
    expected = mert(nbest, **MERT | options)
    ground = Parts(divided(nbest, n_parts, 3))
    found = Plan(**MERT | options).carry_out(ground, None)
    same_results(found, expected)
    most = max(climb["steps"] for climb in expected.starts)
    assert len(ground.jobs) <= 1 + (most + 1) + 1  # starts, steps, and the last score


@pytest.mark.parametrize("seed", range(4))
def test_climbs_of_other_metrics(seed: int) -> None:
    random = np.random.default_rng(seed)
    nbest, _ = planted(seed, 15)
    ter = TER()
    lengths = random.integers(5, 20, 300)
    rows = np.stack([random.integers(0, 20, 300), lengths, 0 * lengths, 0 * lengths], axis=1)
    errors = NBestList(random.normal(size=(300, 4)), rows, range(0, 301, 10), metric=ter)
    for each in (nbest, errors):
        start = random.normal(size=(2, 4))
        expected = mert(each, start, **MERT)
        found = Plan(**MERT).carry_out(Parts(divided(each, 4, seed), seed), start)
        same_results(found, expected)
        assert expected.history


@pytest.mark.parametrize("room", [0, 20_000])
def test_lines_that_take_room_are_several_jobs(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    nbest = made(5, [20] * 20, 5)
    options = MERT | {"random_directions": 3}
    expected = mert(nbest, **options)
    ground = Parts(divided(nbest, 3))
    monkeypatch.setattr("rapidbleu.tuning.parts.ground.ROOM", room)
    same_results(Plan(**options).carry_out(ground, None), expected)
    first, *lines, last = ground.jobs
    assert (first, last) == (4, 1)
    if room == 0:
        assert {*lines} == {1}
    else:  # after the first guess it is known how much room they take
        guess = room // (20 * EVENTS * (8 + 10))
        assert lines[0] == guess < max(lines[1:]) < 4 * 8


def test_climbs_begin_as_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    nbest = made(5, [20] * 20, 5)
    options = MERT | {"restarts": 8}
    expected = mert(nbest, **options)
    monkeypatch.setattr("rapidbleu.tuning.parts.ground.TOGETHER", 3)
    monkeypatch.setattr("rapidbleu.tuning.search.ascent.TOGETHER", 2)
    ground = Parts(divided(nbest, 3))
    told: list[tuple[int, int]] = []
    steps: list[Any] = []
    options |= {"progress": lambda *both: told.append(both), "callback": steps.append}
    same_results(Plan(**options).carry_out(ground, None), expected)
    assert told == [(i, 9) for i in range(1, 10)]
    assert sorted(steps, key=lambda step: (step["start"], step["step"])) == expected.history
    assert max(ground.jobs) <= 6


def test_interruption() -> None:
    nbest = made(5, [20] * 20, 5)
    steps: list[Any] = []

    def stop(entry: Any) -> None:
        steps.append(entry)
        if len(steps) == 5:
            raise KeyboardInterrupt

    options = MERT | {"callback": stop}
    found = Plan(**options).carry_out(Parts(divided(nbest, 3)), None)
    assert found.interrupted
    assert len(found.history) == 5
    assert len(found.starts) == 4
    assert found.score == nbest.evaluate(found.weights)


def test_missing_and_repeated_answers_are_refused() -> None:
    class Forgetful(Parts):
        def ask_parts(self, asks: list[Ask]) -> Iterable[tuple[int, bytes]]:
            return list(super().ask_parts(asks))[1:]

    class Eager(Parts):
        def ask_parts(self, asks: list[Ask]) -> Iterable[tuple[int, bytes]]:
            return [*(answers := list(super().ask_parts(asks))), answers[0]]

    parts = divided(made(5, [20] * 20, 5), 3)
    for kind, n in ((Forgetful, 2), (Eager, 4)):
        with pytest.raises(ValueError, match=f"^parts: expected answers of 3, got {n}"):
            Plan(**MERT).carry_out(kind(parts), None)


def test_arguments_are_checked() -> None:
    ground = Parts(divided(made(5, [20] * 20, 5), 3))
    with pytest.raises(ValueError, match=r"^restarts: "):
        Plan(**MERT | {"restarts": -1})
    with pytest.raises(ValueError, match=r"^weights: expected 5, one for each feature"):
        Plan(**MERT).carry_out(ground, [1.0])
    with pytest.raises(ValueError, match=r"^bounds: expected names of features, got 'x'"):
        Plan(**MERT | {"bounds": {"x": (0, 1)}}).carry_out(ground, None)
    assert ground.jobs == []


def test_sums_that_are_not_finite_name_the_segment() -> None:
    features = np.ones((6, 2))
    features[4] = 1e308
    rows = np.ones((6, 4), np.int64)
    nbest = NBestList(features, rows, [0, 2, 4, 6], metric=BLEU(max_ngram_order=1))
    message = "^weights: expected finite sums of weighted features, got others in segment 2$"
    with pytest.raises(ValueError, match=message):
        mert(nbest, [1e10, 1e10], restarts=0)
    with pytest.raises(ValueError, match=message):
        Plan(**MERT | {"restarts": 0}).carry_out(Parts([nbest]), [1e10, 1e10])


# Lines and ranges


@pytest.mark.parametrize("moses", [False, True])
def test_where_lines_begin(moses: bool) -> None:
    nbest = made(8, n_features=4, dtype=np.float64)
    weights, direction = np.random.default_rng(8).normal(size=(2, 4))
    point = WeightPoint(nbest.columns())
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    found = line_search(nbest, weights, direction, moses_compat=moses)
    for single in (False, True):
        point.place(weights, None, single)
        n = landscape.survey(point, direction, closest=1e-4 if moses else 0.0)
        same = landscape_of(landscape, n) == (found.boundaries.tolist(), found.scores.tolist())
        assert same == (single == moses)


@pytest.mark.parametrize("moses", [False, True])
@pytest.mark.parametrize("bounds", [None, (-0.5, 2)])
@pytest.mark.parametrize("smooth", [None, ("min", 3)])
def test_line_search(moses: bool, bounds: Any, smooth: Any) -> None:
    nbest = made(8, n_features=4)
    random = np.random.default_rng(8)
    ground = Parts(divided(nbest, 4))
    for direction in (*np.eye(4), random.normal(size=4), np.zeros(4)):
        weights = random.normal(size=4)
        expected = line_search(
            nbest, weights, direction, bounds=bounds, smooth=smooth, moses_compat=moses
        )
        ask, line = ask_for(nbest.names, weights, direction, bounds, smooth, moses)
        found = result_of(*ground.landscape(ask), ask, line)
        assert {k: np.asarray(v).tolist() for k, v in vars(found).items()} == {
            k: np.asarray(v).tolist() for k, v in vars(expected).items()
        }


@hypothesis.given(st.integers(0, 10**6), st.lists(st.integers(1, 300), min_size=2, max_size=12))
def test_variances_of_parts(seed: int, sizes: list[int]) -> None:
    """Those of a segment do not depend on what is beside it, to the last bit."""
    nbest = made(seed, sizes, 3, np.float64 if seed % 2 else np.float32)
    found = variances(nbest)
    for part in divided(nbest, 3, seed):
        assert variances(part).tolist() == found[:, part.ids].tolist()
    exact = [
        [np.var(own.astype(np.float64)) for own in np.split(column, nbest.offsets[1:-1])]
        for column in nbest.features.T
    ]
    assert found == pytest.approx(np.array(exact))
