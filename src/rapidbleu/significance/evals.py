"""Standard errors of evaluations without resampling, and the test set size they require."""

from __future__ import annotations

from typing import NamedTuple

from rapidbleu._lib.checks import check_count, check_level, seed_or_fresh
from rapidbleu._lib.loader import load, np
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.score import check_metric
from rapidbleu.significance.paired import Systems
from rapidbleu.significance.resamples import Draws, cluster_numbers, resampled_scores, sum_clusters
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import Items, Layout, Progress, ReferenceStreams
    from rapidbleu.score import RowScoring
    from rapidbleu.significance.paired import _SystemOutputs


def estimate_standard_error(scores: Items[float], clusters: Items[Any] | None = None) -> float:
    """Return the standard error of the mean of scores, such as the accuracy of answers.

    The square root of ``n / (n - 1) * sum(d**2)``, divided by the number of scores, where `d` are
    the n deviations from the mean, or their sums in n clusters (Miller omits the factor there,
    inspect_ai has it).

    Parameters
    ----------
    scores : sequence of float or bool, or array of shape (n,)
        At least two finite scores of segments; ``numpy.subtract(b, a)`` compares two systems.
    clusters : sequence of str or int, of n items, optional
        As in `bootstrap`.

    References
    ----------
    Miller 2024, Adding Error Bars to Evals, arXiv 2411.00640.

    Examples
    --------
    >>> round(estimate_standard_error([1, 1, 1, 0, 0, 1, 1, 0]), 4)
    0.183
    """
    array = np.asarray(unmasked(scores, "scores"))
    if array.dtype.kind not in "biuf" and array.size:
        raise TypeError(f"scores: expected numbers; got {array.dtype}")
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(f"scores: expected shape (n,), n at least 2; got {array.shape}")
    for i in np.flatnonzero(~np.isfinite(array)):
        raise ValueError(f"scores[{i}]: expected a number; got {array[i]}")
    deviations = array - array.mean(dtype=np.float64)
    if clusters is not None:
        deviations = sum_clusters(deviations, cluster_numbers(clusters))
    n = len(deviations)
    return float(np.sqrt(n / (n - 1) * np.square(deviations).sum()) / len(array))


class PowerEstimate(NamedTuple):
    """Power of a test set of `n_segments` to show the difference of two systems.

    Attributes
    ----------
    n_segments : int or None
        None if 1000 times the given segments would be too few; the other values are then for fewer.
    power : float
        Share of such test sets that show the difference.
    difference, standard_error : float
        Mean difference, second system minus first, and its standard error.
    """

    n_segments: int | None
    power: float
    difference: float
    standard_error: float


def estimate_power(
    systems: _SystemOutputs,
    references: ReferenceStreams | None,
    metric: RowScoring,
    *,
    n_segments: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    clusters: Items[Any] | None = None,
    n_resamples: int = 1000,
    seed: int | None = 12345,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> PowerEstimate:
    """Estimate how many segments show the difference of two systems, or the power of a number.

    Test sets are drawn from the segments, whose difference is taken as the true one. A test set
    shows it if its own difference is larger than the distance from the mean difference that a share
    `alpha` of the sets exceeds. The number follows from the standard error, corrected twice by
    resampling: within a tenth for 1000 resamples. Ctrl-C stops the call.

    Parameters
    ----------
    systems : dict of str to hypotheses, or sequence of (name, hypotheses)
        Two systems, as in `paired_bootstrap`.
    n_segments : int, optional
        Number of segments (default: the number that has the given power).
    power : float
        Share of test sets that must show the difference.
    alpha : float
        Level of the two-sided test.
    clusters : sequence of str or int, optional
        As in `bootstrap`; draws as many as contain `n_segments` on average.
    n_resamples : int
        Number of test sets to draw, at least 20.
    references, metric, seed, layout, threads, progress
        As in `bootstrap`.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> right = SegmentScores("accuracy")
    >>> rows = {"old": right.stats([1, 0, 0, 1, 0] * 20), "new": right.stats([1, 0, 1, 1, 0] * 20)}
    >>> estimate_power(rows, None, right, n_segments=30).power > 0.5
    True
    >>> estimate_power(rows, None, right).n_segments
    34
    """
    check_progress(progress)
    check_metric(metric)
    check_count("n_resamples", n_resamples, 20)
    if n_segments is not None:
        check_count("n_segments", n_segments, 1, 2**31 - 1)
    inv_cdf = load("statistics", "NormalDist")().inv_cdf
    z = inv_cdf(1 - check_level(alpha, "alpha") / 2) + inv_cdf(check_level(power, "power"))
    n_threads = check_threads(threads)
    seed = seed_or_fresh(seed)
    judged = Systems(systems, references, metric, layout, n_threads, clusters=clusters)
    if len(judged.names) != 2:
        raise ValueError(f"systems: expected two; got {len(judged.names)}")
    n = n_segments or judged.n_segments
    rounds = 3 if n_segments is None else 1
    for i in range(rounds):
        a, b = resampled_scores(
            Draws(seed, judged.n_drawn),
            judged.parts(),
            n_resamples,
            threads=n_threads,
            n_drawn=max(1, round(n * judged.n_drawn / judged.n_segments)),
            tell=teller(progress, rounds * n_resamples, before=i * n_resamples),
        )
        mean = float((b - a).mean())
        error = float((b - a).std(ddof=1))
        limit = np.quantile(np.abs(b - a - mean), 1 - alpha, method="higher")
        found = PowerEstimate(n, float(np.mean(np.abs(b - a) > limit)), mean, error)
        needed = max(z, 0) * error * n**0.5
        if i < rounds - 1 and needed >= abs(mean) * (1000 * judged.n_segments) ** 0.5:
            if progress is not None:
                progress(rounds * n_resamples, rounds * n_resamples)
            return found._replace(n_segments=None)
        n = max(1, int(np.ceil((needed / (mean or 1)) ** 2)))
    return found
