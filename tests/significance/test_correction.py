"""Corrected p-values: Holm's original procedure and Bonferroni's, in exact numbers."""

import math
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import SegmentScores
from rapidbleu.significance import correct_p_values, paired_bootstrap, paired_randomization
from support.paired_tests import repeats


def holm(p_values: list[Fraction]) -> list[Fraction]:
    """Return the minimum level at which Holm's procedure rejects each hypothesis, 1 without one."""

    def rejected(level: Fraction) -> set[int]:
        left = set(range(len(p_values)))
        while left:
            least = min(left, key=lambda i: p_values[i])
            if p_values[least] > level / len(left):
                break
            left.remove(least)
        return set(range(len(p_values))) - left

    levels = sorted({p * k for p in p_values for k in range(1, len(p_values) + 1)} | {Fraction(1)})
    return [
        min((level for level in levels if level <= 1 and i in rejected(level)), default=Fraction(1))
        for i in range(len(p_values))
    ]


def closed(p_values: list[Fraction]) -> list[Fraction]:
    """Run the closed test of all intersections by Bonferroni, to which Holm's is a shortcut."""
    n = len(p_values)
    sets = [chosen for k in range(1, n + 1) for chosen in combinations(range(n), k)]
    values = {chosen: min(min(p_values[i] for i in chosen) * len(chosen), 1) for chosen in sets}
    return [Fraction(max(values[chosen] for chosen in sets if i in chosen)) for i in range(n)]


@pytest.mark.parametrize("seed", range(30))
def test_holm_is_that_of_the_oracles(seed: int) -> None:
    """With powers of two all products are exact, and many are equal."""
    rng = Random(seed)
    numbers = [
        rng.choice([0, 1, rng.randint(0, 1024), rng.randint(0, 90)])
        for _ in range(rng.randint(1, 7))
    ]
    p_values = [Fraction(number, 1024) for number in numbers]
    found = correct_p_values([float(p) for p in p_values])
    assert found.tolist() == [float(p) for p in holm(p_values)]
    assert found.tolist() == [float(p) for p in closed(p_values)]


@pytest.mark.parametrize("method", ["holm", "bonferroni"])
def test_laws(method: Any) -> None:
    rng = Random(method)
    for n in (1, 2, 3, 10, 200):
        p_values = [rng.random() ** 3 for _ in range(n)]
        found = correct_p_values(p_values, method)
        assert found.dtype == np.float64 and found.shape == (n,)
        assert all(p <= own <= min(1, n * p) for p, own in zip(p_values, found, strict=True))
        order = rng.sample(range(n), n)
        assert (
            correct_p_values([p_values[i] for i in order], method).tolist() == found[order].tolist()
        )
        assert found.min() == min(1, n * min(p_values))
        ranked = found[np.argsort(p_values)]
        assert (ranked[1:] >= ranked[:-1]).all()
    assert correct_p_values([], method).tolist() == []
    assert correct_p_values([0, 1], method).tolist() == [0.0, 1.0]
    assert correct_p_values(np.array([0.5], np.float32), method).dtype == np.float64


def test_bonferroni() -> None:
    p_values = [Fraction(number, 1024) for number in (0, 7, 300, 400, 1024, 7)]
    found = correct_p_values([float(p) for p in p_values], "bonferroni")
    assert found.tolist() == [float(min(p * 6, 1)) for p in p_values]


@pytest.mark.parametrize(
    ("p_values", "method", "error", "message"),
    [
        ([0.1, 1.5], "holm", ValueError, r"p_values\[1\]: expected a number from 0 to 1; got 1.5"),
        ([0.1, -0.1, 2], "holm", ValueError, r"p_values\[1\]: .* got -0.1"),
        ([0.1, math.nan], "bonferroni", ValueError, r"p_values\[1\]: .* got nan"),
        ([[0.1]], "holm", ValueError, "p_values: expected one dimension; got 2"),
        (0.1, "holm", ValueError, "p_values: expected one dimension; got 0"),
        (["0.1"], "holm", TypeError, "p_values: expected numbers; got <U3"),
        ([None], "holm", TypeError, "p_values: expected numbers; got object"),
        ([True], "holm", TypeError, "p_values: expected numbers; got bool"),
        ([0.1], "Holm", ValueError, "method: expected one of holm, bonferroni, none; got 'Holm'"),
        ([0.1], None, ValueError, "method: expected one of holm, bonferroni, none; got None"),
    ],
)
def test_wrong_arguments(p_values: Any, method: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        correct_p_values(p_values, method)


def test_p_values_that_stay_as_they_are() -> None:
    assert correct_p_values([0.2, 0.1, 0.2], "none").tolist() == [0.2, 0.1, 0.2]
    p_values = np.array([0.04, 0.01])
    assert correct_p_values(p_values).tolist() == [0.04, 0.02]
    assert p_values.tolist() == [0.04, 0.01]


# Number of resamples for a corrected p of 0.05.
@pytest.mark.parametrize("n_systems", [2, 10, 11, 16, 24])
@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomization])
def test_the_default_n_is_enough_for_all_pairs(test: Any, n_systems: int) -> None:
    """Holm's procedure must find all pairs of a clearly better system."""
    mean = SegmentScores()
    rng = np.random.default_rng(n_systems)
    rows = {f"S{i}": mean.stats(rng.random(100) + 5 * (i == 1)) for i in range(n_systems)}
    found = test(rows, None, mean, baseline=None)
    pairs = list(combinations(rows, 2))
    usual = 1000 if test is paired_bootstrap else 10000
    assert (found.n_resamples or found.n_trials) == max(usual, 200 * len(pairs))
    fixed = correct_p_values([found.p_value("mean", *pair) for pair in pairs])
    assert all(p <= 0.005 for p, pair in zip(fixed, pairs, strict=True) if "S1" in pair)
    baseline = test(rows, None, mean)
    assert (baseline.n_resamples or baseline.n_trials) == usual, (
        "sacrebleu's, if there is a baseline"
    )


@pytest.mark.parametrize("n_systems", [2, 3, 11])
@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomization])
def test_too_few_resamples_for_all_pairs(
    test: Any, n_systems: int, caplog: pytest.LogCaptureFixture
) -> None:
    n_pairs = math.comb(n_systems, 2)
    least = next(n for n in range(1, 2000) if Fraction(n_pairs, n + 1) <= Fraction(1, 20))
    mean = SegmentScores()
    rows = {f"S{i}": mean.stats([i, i + 1.0, i]) for i in range(n_systems)}
    test(rows, None, mean, baseline=None, **repeats(test, least))
    test(rows, None, mean, baseline=0, **repeats(test, 1))
    assert not caplog.messages
    test(rows, None, mean, baseline=None, **repeats(test, least - 1))
    pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
    assert caplog.messages == [
        f"{least - 1} resamples or trials: no corrected p of {pairs} can be as small as 0.05, "
        f"which takes {least}"
    ]
