"""How many segments settle a ranking: sums by hand, ties, any metric, threads, bad calls."""

from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, MeanScore
from rapidbleu.meta.settling import BLOCK, Settling, settling_curve
from reference.meta import settling as oracle
from support.corpora import random_corpus
from support.processes import interrupt, posix_only

N = 60
_RNG = Random("settling")
REFERENCES = random_corpus(_RNG, N, kind="german", n_refs=2)[1]
SYSTEMS = {
    name: [
        " ".join(word for word in text.split(" ") if _RNG.random() > share)
        for text in REFERENCES[0]
    ]
    for name, share in (("A", 0.2), ("B", 0.25), ("C", 0.3), ("D", 0.6))
}
MEAN = MeanScore("mean")


def shuffles(n_segments: int, n: int, seed: int = 12345) -> list[list[int]]:
    """The order in which each draw takes the segments."""
    seeds = np.random.SeedSequence(seed).spawn(-(-n // BLOCK))
    generators = [np.random.default_rng(each) for each in seeds]
    return [generators[i // BLOCK].permutation(n_segments).tolist() for i in range(n)]


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=repr)
def test_sums_by_hand(metric: Any) -> None:
    sizes = [1, 2, 10, 30, 59]
    found = settling_curve(SYSTEMS, REFERENCES, metric, sizes=sizes, n=40)
    rows = [metric.segment_stats(texts, REFERENCES) for texts in SYSTEMS.values()]
    shares, pairs = oracle.curve(
        [own.tolist() for own in rows],
        lambda row: float(metric.score(row).score),
        sizes,
        shuffles(N, 40),
    )
    assert found.shares.tolist() == shares
    wanted = np.array(pairs)
    wanted[:, range(4), range(4)] = np.nan
    assert np.array_equal(found.pairs, wanted, equal_nan=True)
    assert found.sizes.tolist() == sizes
    assert found.systems == ("A", "B", "C", "D") and found.metric == metric.score(rows[0]).name
    assert found.scores.tolist() == [metric.score(own).score for own in rows]
    assert (found.n_segments, found.n, found.level) == (N, 40, 0.95)


def test_rows_and_texts_are_the_same() -> None:
    bleu = BLEU()
    rows = {name: bleu.segment_stats(texts, REFERENCES) for name, texts in SYSTEMS.items()}
    expected = settling_curve(SYSTEMS, REFERENCES, bleu, n=200)
    done: list[tuple[int, int]] = []
    found = settling_curve(
        rows, None, bleu, n=200, threads=2, progress=lambda *counts: done.append(counts)
    )
    assert np.array_equal(found.pairs, expected.pairs, equal_nan=True)
    assert found.shares.tolist() == expected.shares.tolist()
    assert done == sorted(set(done)) and done[-1] == (200, 200)
    other = settling_curve(rows, None, bleu, n=200, seed=1)
    assert other.shares.tolist() != found.shares.tolist()


def test_subsamples_are_without_replacement() -> None:
    """One of nine segments decides: it is in a subsample of k with the probability k / 9."""
    rows = {"A": MEAN.rows([1.0] + [0.0] * 8), "B": MEAN.rows([0.0] * 9)}
    found = settling_curve(rows, None, MEAN, sizes=range(1, 9), n=20_000)
    expected = np.arange(1, 9) / 9
    assert np.abs(found.shares - expected).max() < 4 * 0.5 / 20_000**0.5


def test_settled() -> None:
    curve = [0.90, 0.96, 0.94, 0.97, 0.99]
    pairs = np.full((5, 2, 2), np.nan)
    pairs[:, 0, 1] = pairs[:, 1, 0] = [0.99, 0.99, 0.99, 0.99, 0.99]
    sizes = np.array([10, 20, 30, 40, 50])
    found = Settling(
        "BLEU", ("A", "B"), np.array([30.0, 20.0]), 100, 10, sizes, np.array(curve), pairs, 0.95
    )
    assert found.settled() == 40  # at 30 it is not
    assert found.settled(level=0.9) == 10
    assert found.settled(level=0.995) is None
    assert found.settled("A", "B") == found.settled("B", "A") == 10
    assert repr(found).splitlines() == [
        "BLEU, 2 systems, 100 segments, 10 subsamples of each size: "
        "settled from 40 on (level 0.95)",
        "segments  same ranking",
        "      10         0.900",
        "      20         0.960",
        "      30         0.940",
        "      40         0.970",
        "      50         0.990",
    ]
    found.level = 0.999
    assert "not settled by 50" in repr(found)
    for one, other in (("A", "C"), ("C", "A"), ("A", None), ("A", "A")):
        with pytest.raises(ValueError, match="expected"):
            found.settled(one, other)
    with pytest.raises(ValueError, match="level: expected a number between 0 and 1, got 2"):
        found.settled(level=2)


def test_ties() -> None:
    """Systems with the same score on the whole: subsamples agree where they tie too."""
    same = MEAN.rows([0.5, 0.25] * 10)
    found = settling_curve({"A": same, "B": same}, None, MEAN, n=20)
    assert set(found.shares.tolist()) == {1.0}
    turned = MEAN.rows([0.25, 0.5] * 10)
    apart = settling_curve({"A": same, "B": turned}, None, MEAN, sizes=[1, 2], n=200)
    assert apart.shares[0] == 0.0
    assert 0.3 < apart.shares[1] < 0.7


@pytest.mark.parametrize(
    ("n_segments", "first", "last"),
    [(2, 1, 1), (3, 1, 1), (10, 5, 5), (60, 10, 30), (3004, 10, 1502)],
)
def test_sizes_without_any(n_segments: int, first: int, last: int) -> None:
    rng = np.random.default_rng(5)
    rows = {name: MEAN.rows(rng.normal(size=n_segments)) for name in "AB"}
    found = settling_curve(rows, None, MEAN, n=3)
    sizes = found.sizes.tolist()
    assert (sizes[0], sizes[-1]) == (first, last)
    assert sizes == sorted(set(sizes)) and len(sizes) <= 20


def test_error_rates() -> None:
    """Which way is better does not matter."""
    found = settling_curve({"A": SYSTEMS["A"], "D": SYSTEMS["D"]}, REFERENCES, TER(), n=100)
    assert found.shares[-1] > 0.9


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ({"A": [[1]]}, {}, ValueError, "systems: expected at least two, got 1"),
        ([("A", [1]), ("A", [2])], {}, ValueError, "expected a name of its own"),
        ({"A": [1, 2, 3], "B": [1, 2]}, {}, ValueError, "expected 3 segments"),
        ({"A": [1], "B": [2]}, {}, ValueError, "at least two segments, got 1"),
        (None, {"sizes": [2, 2]}, ValueError, r"sizes\[1\]: expected at least 3, got 2"),
        (None, {"sizes": [5]}, ValueError, r"sizes\[0\]: expected at most 4, got 5"),
        (None, {"sizes": [0]}, ValueError, r"sizes\[0\]: expected at least 1, got 0"),
        (None, {"sizes": []}, ValueError, "sizes: expected at least one, got none"),
        (None, {"sizes": 3}, TypeError, "sizes: expected a sequence"),
        (None, {"sizes": [1.5]}, TypeError, r"sizes\[0\]: expected int, got float"),
        (None, {"n": 0}, ValueError, "n: expected at least 1"),
        (None, {"level": 1.0}, ValueError, "level: expected a number between 0 and 1"),
        (None, {"seed": -1}, ValueError, "seed: expected at least 0"),
        (None, {"threads": -1}, ValueError, "threads"),
    ],
)
def test_bad_calls(
    systems: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    if systems is None:
        systems = {"A": [1, 2, 3, 4, 5], "B": [2, 3, 4, 5, 7]}
    pairs = systems.items() if isinstance(systems, dict) else systems
    rows = [(name, MEAN.rows(np.ravel(own))) for name, own in pairs]
    with pytest.raises(error, match=message):
        settling_curve(rows, None, MEAN, **options)


@pytest.mark.parametrize("metric", ["BLEU", [MEAN], None])
def test_metrics_that_are_none(metric: Any) -> None:
    with pytest.raises(TypeError, match="metric: expected a metric, got"):
        settling_curve({"A": ["a"], "B": ["b"]}, [["a"]], metric)


@posix_only
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt(threads: int) -> None:
    setup = "from rapidbleu import MeanScore; from rapidbleu.meta.settling import settling_curve; "
    setup += "bleu = BLEU(); mean = MeanScore(); "
    setup += "rows = {name: mean.rows([0.5, 0.25] * 50_000) for name in 'AB'}"
    call = f"settling_curve(rows, None, mean, n=10**6, threads={threads})"
    (line, *rest), waited = interrupt(setup, call, 1.0)
    assert line.startswith("interrupted"), line
    assert waited < 3.0
    assert rest == ["still scores"]
