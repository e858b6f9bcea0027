"""The headers of `_core/tuning`, called directly."""

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from random import Random
from types import ModuleType
from typing import Any

import pytest

from support.processes import LEVEL, LOWER_LEVELS

Probe = Callable[[str], ModuleType]
INF = math.inf
SIZES = [1, 2, 7, 8, 9, 12, 13, 16, 17, 47, 48, 49, 95, 96, 97, 192, 193]
ENDED = [RuntimeError("elsewhere")]


@pytest.fixture(params=[True, False], ids=["vectors", "portable"])
def use_simd(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def parabola(n: int) -> tuple[list[float], list[float]]:
    """Lines that are all on the envelope: tangents."""
    slopes = [float(i - n // 2) for i in range(n)]
    return [-slope * slope for slope in slopes], slopes


def shuffled(rng: Random, lines: tuple[list[float], list[float]]) -> Any:
    pairs = list(zip(*lines, strict=True))
    rng.shuffle(pairs)
    return [a for a, _ in pairs], [b for _, b in pairs]


def few(rng: Random, n: int) -> Any:
    """Integers, of which many are the same: parallel and equal lines, several through a point."""
    return [[float(rng.randint(-3, 3)) for _ in range(n)] for _ in range(2)]


# The prefilter


@pytest.mark.parametrize("n", [8, 16, 24, 32, 40, 104])
def test_the_prefilter_keeps_the_envelope(probe: Probe, use_simd: bool, n: int) -> None:
    rng = Random(n)
    for make in (lambda: shuffled(rng, parabola(n)), lambda: few(rng, n)):
        intercepts, slopes = make()
        intercepts = [y - max(intercepts) for y in intercepts]
        extremes, kept = probe("probe_tuning").sift(intercepts, slopes, use_simd)
        lines = list(zip(intercepts, slopes, strict=True))
        low, high = min(slopes), max(slopes)
        assert extremes == (
            low,
            high,
            max(a for a, b in lines if b == low),
            max(a for a, b in lines if b == high),
            max(b for a, b in lines if a == 0.0),
        )
        assert {line for line, _ in envelope(intercepts, slopes)} <= set(kept)
        assert kept == sorted(set(kept))


def test_the_prefilter_rules_lines_out(probe: Probe, use_simd: bool) -> None:
    rng = Random(3)
    slopes, intercepts = ([rng.gauss(0, 1) for _ in range(1000)] for _ in range(2))
    intercepts = [y - max(intercepts) for y in intercepts]
    _, kept = probe("probe_tuning").sift(intercepts, slopes, use_simd)
    assert 3 <= len(kept) < 200


def test_lines_that_are_no_numbers_are_kept(probe: Probe, use_simd: bool) -> None:
    intercepts, slopes = [-float(i) for i in range(16)], [float(i % 3) for i in range(16)]
    slopes[13] = math.nan
    _, kept = probe("probe_tuning").sift(intercepts, slopes, use_simd)
    assert 13 in kept


# The envelope


def envelope(intercepts: list[float], slopes: list[float]) -> list[tuple[int, Any]]:
    """From each line to the first that crosses it, in exact numbers."""
    lines = [(Fraction(a), Fraction(b)) for a, b in zip(intercepts, slopes, strict=True)]
    order = range(len(lines))
    here = min(order, key=lambda i: (lines[i][1], -lines[i][0], i))
    found: list[tuple[int, Any]] = [(here, -INF)]
    while True:
        a, b = lines[here]
        later = [
            ((a - lines[i][0]) / (lines[i][1] - b), -lines[i][1], -lines[i][0], i)
            for i in order
            if lines[i][1] > b
        ]
        if not later:
            return found
        place, *_, here = min(later)
        found.append((here, float(place)))


@pytest.mark.parametrize("n", SIZES)
def test_envelopes(probe: Probe, use_simd: bool, n: int) -> None:
    rng = Random(n)
    for lines in (shuffled(rng, parabola(n)), few(rng, n), few(rng, n)):
        assert probe("probe_tuning").envelope(*lines, use_simd) == envelope(*lines)


def test_of_equal_lines_moses_takes_the_last(probe: Probe, use_simd: bool) -> None:
    """But on the left-most interval."""
    lines = [0.0, 0.0, 0.0, 0.0], [-1.0, -1.0, 1.0, 1.0]
    assert probe("probe_tuning").envelope(*lines, use_simd) == [(0, -INF), (2, 0.0)]
    assert probe("probe_tuning").envelope(*lines, use_simd, moses=True) == [(0, -INF), (3, 0.0)]


def test_sorting_ends_when_told(probe: Probe) -> None:
    """Merging polls; so few lines that nothing is merged do not."""
    n = 2**20 + 1
    intercepts, slopes = parabola(n)
    with pytest.raises(RuntimeError, match="elsewhere"):
        probe("probe_tuning").envelope(intercepts, slopes, True, stop=ENDED)
    assert len(probe("probe_tuning").envelope([0.0] * 40, [1.0] * 40, True, stop=ENDED)) == 1


# Boundaries


def test_keys_order_like_places(probe: Probe) -> None:
    tiny = struct.unpack("d", struct.pack("q", 1))[0]
    places = [-INF, -1e300, -1.0, -tiny, 0.0, tiny, 1.0, math.nextafter(1.0, 2.0), 1e300, INF]
    module = probe("probe_tuning")
    keys = [module.key(x) for x in places]
    assert keys == sorted(set(keys))
    assert [module.place(key) for key in keys] == places
    assert module.key(-0.0) == module.key(0.0)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 255, 256, 257, 5000])
def test_boundaries_are_sorted_by_place(probe: Probe, n: int) -> None:
    rng = Random(n)
    for places in (
        [rng.gauss(0, 10) for _ in range(n)],
        [float(rng.randint(-2, 2)) for _ in range(n)],
        [1.5] * n,
    ):
        expected = sorted((x, i) for i, x in enumerate(places))
        assert probe("probe_tuning").sort_places(places) == expected


def test_sorting_boundaries_ends_when_told(probe: Probe) -> None:
    with pytest.raises(RuntimeError, match="elsewhere"):
        probe("probe_tuning").sort_places([1.0, 0.0], ENDED)


# Smoothing


def windows(scores: list[float], window: int) -> list[list[float]]:
    return [scores[max(0, i - window) : i + window + 1] for i in range(len(scores))]


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 200])
@pytest.mark.parametrize("window", [0, 1, 2, 7, 8, 1000])
def test_smoothing(probe: Probe, n: int, window: int) -> None:
    rng, window = Random(n), min(window, n - 1)
    module = probe("probe_tuning")
    for scores in (
        [rng.uniform(0, 100) for _ in range(n)],
        [float(rng.randint(0, 2)) for _ in range(n)],
    ):
        means = [float(sum(map(Fraction, part)) / len(part)) for part in windows(scores, window)]
        assert module.smooth(scores, window, True) == pytest.approx(means, rel=3e-16, abs=0)
        assert module.smooth(scores, window, False) == [min(p) for p in windows(scores, window)]
        assert module.smooth(scores, window, False, True) == [
            max(part) for part in windows(scores, window)
        ]


def test_sliding_sums_do_not_drift(probe: Probe) -> None:
    scores = [1e15, 0.1, 0.1, 0.1, -1e15, 0.1, 0.1, 0.1]
    assert probe("probe_tuning").smooth(scores, 1, True)[2] == pytest.approx(0.1, rel=1e-6)
    assert probe("probe_tuning").smooth([0.0] * 5, 2, True) == [0.0] * 5


def test_infinite_scores_are_of_their_windows_only(probe: Probe) -> None:
    scores = [1.0, INF, 1.0, 1.0, math.nan, 1.0, 1.0]
    smoothed = probe("probe_tuning").smooth(scores, 1, True)
    assert [math.isnan(x) for x in smoothed] == [True] * 6 + [False]
    assert smoothed[-1] == 1.0


def test_smoothing_ends_when_told(probe: Probe) -> None:
    for by_mean in (True, False):
        with pytest.raises(RuntimeError, match="elsewhere"):
            probe("probe_tuning").smooth([1.0, 2.0], 1, by_mean, stop=ENDED)


# The best interval


@pytest.mark.parametrize(
    ("boundaries", "scores", "options", "x", "ends"),
    [
        ([], [3.0], {}, 0.0, (-INF, INF)),
        ([], [3.0], {"low": 1.0, "high": 3.0}, 2.0, (1.0, 3.0)),
        ([1.0, 2.0], [1.0, 5.0, 2.0], {}, 1.5, (1.0, 2.0)),
        ([1.0, 2.0], [1.0, 5.0, 0.0], {"lower_is_better": True}, 2.2, (2.0, INF)),
        ([-10.0, 2.0], [9.0, 5.0, 0.0], {}, -11.0, (-INF, -10.0)),
        ([0.0, 2.0], [1.0, 5.0, 7.0], {"high": 3.0}, 2.5, (2.0, 3.0)),
        ([0.0], [5.0, 1.0], {}, -0.1, (-INF, 0.0)),
        ([0.0, 1.0, 3.0], [1.0, 5.0, 5.0, 1.0], {}, 1.5, (0.0, 3.0)),
        ([0.0, 1.0, 2.0, 5.0], [0.0, 5.0, 1.0, 5.0, 0.0], {}, 3.5, (2.0, 5.0)),
        ([0.0, 1.0, 2.0, 5.0], [0.0, 5.0, 1.0, 5.0, 0.0], {"moses": True}, 0.5, (0.0, 1.0)),
        ([7.0, 8.0], [5.0, 0.0, 0.0], {"moses": True}, -993.0, (-INF, 7.0)),
        ([-0.0002, 0.0004], [0.0, 1.0, 0.0], {"moses": True}, 0.0, (-0.0002, 0.0004)),
        ([1.0, 2.0, 3.0], [0.0, 5.0, 5.5, 0.0], {"slope": 1.0}, 1.5, (1.0, 2.0)),
        ([1.0, 2.0, 3.0], [0.0, 5.0, 8.0, 0.0], {"curvature": 1.0}, 1.5, (1.0, 2.0)),
    ],
)
def test_the_best_interval(
    probe: Probe, boundaries: list[float], scores: list[float], options: dict[str, Any], x: float,
    ends: tuple[float, float],
) -> None:  # fmt: skip
    best = probe("probe_tuning").best_interval(boundaries, scores, **options)
    assert best["ends"] == ends
    assert best["x"] == pytest.approx(x, rel=1e-15)
    sign = -1 if options.get("lower_is_better") else 1
    assert best["here"] == sign * scores[sum(place <= 0.0 for place in boundaries)]
    assert best["score"] == scores[sum(place <= x for place in boundaries)]


@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_objectives_of_the_best(probe: Probe, n: int) -> None:
    rng = Random(n)
    boundaries = sorted(rng.uniform(-5, 5) for _ in range(n))
    scores = [rng.uniform(0, 100) for _ in range(n + 1)]
    best = probe("probe_tuning").best_interval(boundaries, scores)
    assert best["objective"] == best["score"] == max(scores)
    worst = probe("probe_tuning").best_interval(boundaries, scores, lower_is_better=True)
    assert -worst["objective"] == worst["score"] == min(scores)


def test_the_choice_ends_when_told(probe: Probe) -> None:
    n = 2**20
    places, scores = [float(i) for i in range(n)], [float(i % 2) for i in range(n + 1)]
    with pytest.raises(RuntimeError, match="elsewhere"):
        probe("probe_tuning").best_interval(places, scores, stop=ENDED)
    assert probe("probe_tuning").best_interval([1.0], [1.0, 2.0], stop=ENDED)["score"] == 2.0


# Features in columns


def rows_of(rng: Random, n: int, d: int) -> list[list[float]]:
    """Rows whose numbers are the same in single precision."""
    return [[rng.randint(-999, 999) / 64 for _ in range(d)] for _ in range(n)]


def weighted(row: list[float], weights: list[float]) -> float:
    """Added from the first feature on."""
    products = [x * weight for x, weight in zip(row, weights, strict=True) if weight]
    return [0.0, *accumulate(products)][-1]


@pytest.mark.parametrize("exact", [True, False])
def test_weighted_sums(probe: Probe, exact: bool) -> None:
    rng = Random(1)
    for d in (1, 2, 5):
        segments = [rows_of(rng, n, d) for n in (1, 7, 8, 9, 40)]
        columns = probe("probe_tuning").Columns(segments, exact)
        for segment, rows in enumerate(segments):
            weights = [rng.gauss(0, 1) * rng.randint(0, 3) for _ in range(d)]
            sums = [weighted(row, weights) for row in rows]
            sums += sums[:1] * (-len(rows) % 8)
            assert columns.sums(segment, weights) == (sums, sums)


def test_a_weight_of_zero_adds_nothing(probe: Probe) -> None:
    columns = probe("probe_tuning").Columns([[[INF, 2.0], [math.nan, 3.0]]], True)
    assert columns.sums(0, [0.0, 1.0])[0][:2] == [2.0, 3.0]
    assert columns.sums(0, [0.0, 1.0])[1][:2] == [2.0, 3.0]


def test_weighted_sums_in_single_precision(probe: Probe) -> None:
    def single(x: float) -> float:
        return float(struct.unpack("f", struct.pack("f", x))[0])

    rng = Random(2)
    rows = rows_of(rng, 11, 4)
    weights = [rng.gauss(0, 1) for _ in range(4)]
    sums, _ = probe("probe_tuning").Columns([rows], True).sums(0, weights, single=True)
    for row, found in zip(rows, sums, strict=False):
        products = [single(single(weight) * x) for weight, x in zip(weights, row, strict=True)]
        assert found == single([*accumulate(products)][-1])


# The highest weighted sum


@pytest.fixture(params=[*LOWER_LEVELS, LEVEL])
def weighers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is read whenever functions are selected."""
    monkeypatch.setenv("RAPIDBLEU_SIMD", request.param)


@pytest.mark.usefixtures("weighers")
@pytest.mark.parametrize("n", [8, 16, 24, 32, 40, 104])
@pytest.mark.parametrize("d", [1, 3, 4, 5, 9])
def test_sums_that_rule_hypotheses_out(probe: Probe, n: int, d: int) -> None:
    """Of integers, which single precision adds exactly."""
    rng = Random(f"{n} {d}")
    for n_vectors in (1, 2, 3, 4):
        columns, vectors = (
            [[rng.randint(-9, 9) for _ in range(length)] for _ in range(count)]
            for length, count in ((n, d), (d, n_vectors))
        )
        rows = list(zip(*columns, strict=True))
        sums = [
            [sum(x * w for x, w in zip(row, vector, strict=True)) for row in rows]
            for vector in vectors
        ]
        assert probe("probe_tuning").weigh(columns, vectors) == (sums, list(map(max, sums)))


@pytest.mark.usefixtures("weighers")
def test_high_sums_are_found(probe: Probe) -> None:
    rng = Random(4)
    for n in (8, 16, 64):
        scores = [float(rng.randint(0, 5)) for _ in range(n)]
        for place in range(n + 1):
            expected = next((i for i in range(place, n) if scores[i] >= 5.0), n)
            assert probe("probe_tuning").next_high(scores, place, 5.0) == expected
    assert probe("probe_tuning").next_high([math.nan] * 8, 0, 0.0) == 8


def test_largest_magnitudes(probe: Probe) -> None:
    rng = Random(5)
    segments = [rows_of(rng, n, 3) for n in (1, 8, 9)]
    columns = probe("probe_tuning").Columns(segments, False)
    for i, rows in enumerate(segments):
        assert columns.largest(i) == [max(map(abs, own)) for own in zip(*rows, strict=True)]


@pytest.mark.usefixtures("weighers")
@pytest.mark.parametrize("n_vectors", [0, 1, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 1e37, 1e300])
def test_choices(probe: Probe, n_vectors: int, scale: float) -> None:
    """With many equal sums, some that differ in the last bits, some beyond single precision."""
    rng = Random(f"{n_vectors} {scale}")
    segments = [
        [[rng.randint(-2, 2) + 2.0**-40 * rng.randint(-2, 2) for _ in range(4)] for _ in range(n)]
        for n in (1, 2, 7, 8, 9, 31, 40)
    ]
    vectors = [[rng.randint(-3, 3) * scale for _ in range(4)] for _ in range(n_vectors)]
    expected = []
    for vector in vectors:
        chosen, offset = [], 0
        for rows in segments:
            sums = [weighted(row, vector) for row in rows]
            chosen.append(offset + sums.index(max(sums)))
            offset += len(rows)
        expected.append(chosen)
    assert probe("probe_tuning").Columns(segments, True).choose(vectors) == expected
