"""Correction of p-values for multiple tests."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count
from rapidbleu._lib.floats import SIGNIFICANT
from rapidbleu._lib.lazy import np
from rapidbleu._lib.logs import logger
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu._types import FloatArray, Items

METHODS = ("holm", "bonferroni", "none")
PER_TEST = 200  # resamples: the least corrected p is 0.005
MANY = 100_000  # resamples, beyond which only FEWEST_PER_TEST are drawn for each test
FEWEST_PER_TEST = 40


def check_method(name: str, method: str) -> str:
    """Return a correction method after checking it; `name` is the argument in errors."""
    if method not in METHODS:
        raise ValueError(f"{name}: expected one of {', '.join(METHODS)}; got {method!r}")
    return method


def correct_p_values(p_values: Items[float], method: str = "holm") -> FloatArray:
    """Return p-values corrected for the number of tests.

    Among many tests of equal systems, some p-value is small by chance. A corrected one is at most
    0.05 in no more than one case of twenty, however many tests there are. The result is in the
    order of `p_values`, at most 1.

    Parameters
    ----------
    p_values : sequence of float, or float array of shape (n,)
        p-values of all tests of the family, from 0 to 1, in any order.
    method : {"holm", "bonferroni", "none"}
        Holm multiplies the smallest by n, the next by n - 1 and so on, never falling below an
        earlier one. Bonferroni multiplies all by n, never less than Holm. None changes nothing.

    References
    ----------
    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure.

    Examples
    --------
    >>> correct_p_values([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> correct_p_values([0.01, 0.04, 0.03], "bonferroni")
    array([0.03, 0.12, 0.09])
    """
    check_method("method", method)
    array = np.asarray(unmasked(p_values, "p_values"))
    if array.ndim != 1:
        raise ValueError(f"p_values: expected one dimension; got {array.ndim}")
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"p_values: expected numbers; got {array.dtype}")
    wrong = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(f"p_values[{i}]: expected a number from 0 to 1; got {array[i]}")
    values: FloatArray = array.astype(np.float64)
    n = len(values)
    if method == "none":
        return values
    if method == "bonferroni":
        return np.minimum(values * n, 1)
    order = np.argsort(values, kind="stable")
    result = np.empty(n)
    result[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(n, 0, -1)), 1)
    return result


def resamples_needed(n_tests: int, method: str = "holm") -> int:
    """Return the minimum number of resamples for which a corrected p can be `SIGNIFICANT`.

    >>> resamples_needed(55), resamples_needed(55, "none")
    (1099, 19)
    """
    return round((1 if method == "none" else n_tests) / SIGNIFICANT) - 1


def least_p_value(n: int, n_tests: int = 1, method: str = "holm") -> float:
    """Return the least p of n resamples, corrected for the number of tests.

    A p of this is a bound, because no resample was as extreme, unless it is 1.

    >>> round(least_p_value(24_000, 120), 6), least_p_value(99, 120)
    (0.005, 1.0)
    """
    return min(1 / (n + 1) * (1 if method == "none" else n_tests), 1.0)


def choose_resamples(n: int | None, usual: int, n_tests: int, method: str = "holm") -> int:
    """Return n (default: enough for the tests); warn if n is too small for any of them.

    >>> [choose_resamples(None, 1000, n_tests) for n_tests in (3, 120, 1000, 4950)]
    [1000, 24000, 100000, 198000]
    """
    if n is None:
        return max(usual, min(PER_TEST * n_tests, MANY), FEWEST_PER_TEST * n_tests)
    check_count("n_resamples", n, 1)
    needed = resamples_needed(n_tests, method)
    if n < needed and n_tests:
        logger().warning(
            "%d resamples or trials: no corrected p of %d pair%s can be as small as %s, which "
            "takes %d",
            n,
            n_tests,
            "s" * (n_tests > 1),
            SIGNIFICANT,
            needed,
        )
    return n
