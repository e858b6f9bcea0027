"""Soft pairwise accuracy: whether a metric is as sure as people are that one system is better."""

from rapidbleu.counts import check_count
from rapidbleu.meta.figures.cautions import about_systems
from rapidbleu.meta.figures.figure import Figure
from rapidbleu.meta.scores.checks import counted
from rapidbleu.meta.scores.matching import matched
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import caution
from rapidbleu.significance.checks import check_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.meta.scores.matching import _ScoreSource
    from rapidbleu.typing import Array, FloatArray

SLACK = 1e-12  # of the sum of scores: sums that differ by less are equal


def soft_accuracy(
    human: "_ScoreSource",
    metric: "_ScoreSource",
    *,
    n: int = 1000,
    seed: "int | None" = 12345,
) -> Figure:
    """Compare how sure people and a metric are that one system is better, for all pairs of systems.

    Parameters
    ----------
    human, metric : SystemScores, array of shape (n_systems, n_segments), or dict of str to scores
        Only segments that all systems have on both sides count.
    n : int
        Trials of the permutation test, the same for all pairs and both sides.
    seed : int or None
        The trials are those of mt-metrics-eval with this seed; its own is 4. None: others each
        time.

    Returns
    -------
    Figure
        1 - the mean absolute difference of the p-values.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or no segment has all scores.

    Warns
    -----
    MetaWarning
        If segments are left out, or systems are fewer than 10.

    Notes
    -----
    Linear in n times the number of scores. Sums are of double precision; mt-metrics-eval's, of
    single precision, may decide ties otherwise.

    References
    ----------
    Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic
    Metrics via Soft Pairwise Accuracy, section 3.

    Examples
    --------
    >>> human = {"A": [80, 65, 90, 70], "B": [60, 60, 85, 40], "C": [75, 70, 95, 80]}
    >>> metric = {"A": [0.7, 0.6, 0.8, 0.6], "B": [0.5, 0.6, 0.7, 0.5], "C": [0.6, 0.8, 0.9, 0.6]}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     soft_accuracy(human, metric)
    soft pairwise accuracy = 0.9587 (3 systems' means)
    """
    check_count("n", n, 1)
    check_seed(seed)
    wanted, [own] = matched(human, {"metric": metric})
    return soft_figure(wanted, own, n, seed)


def soft_figure(
    human: SystemScores,
    metric: SystemScores,
    n: int = 1000,
    seed: "int | None" = 12345,
    tell: "Callable[[str], None]" = caution,
) -> Figure:
    """Return the figure of matched scores, and tell what it lacks."""
    whole = whole_segments(human, [metric], tell)
    about_systems(len(human.values), "soft_accuracy", tell)
    value = SoftAccuracy(human.values[:, whole], n, seed).of(metric.values[:, whole])
    return Figure(value, "soft_accuracy", "means", len(human.values))


def whole_segments(
    human: SystemScores, metrics: "list[SystemScores]", tell: "Callable[[str], None]"
) -> "Array":
    """Return which segments all systems have scores of on all sides; tell if not all."""
    import numpy as np

    n_systems, n_segments = human.values.shape
    if n_systems < 2:
        raise ValueError(f"human: expected at least two systems, got {n_systems}")
    whole = np.ones(n_segments, bool)
    for scores in (human, *metrics):
        whole &= ~np.isnan(scores.values).any(axis=0)
    left_out = n_segments - int(whole.sum())
    if left_out == n_segments:
        raise ValueError("human: expected a segment that all systems have scores of, got none")
    if left_out:
        tell(
            f"soft_accuracy: {counted(left_out, 'segment')} of {n_segments} left out, as not all "
            f"systems have scores of them"
        )
    return whole


class SoftAccuracy:
    """The human side of the figure, to be compared with many metrics.

    Parameters
    ----------
    human : float64 array of shape (n_systems, n_segments)
        Nothing missing.
    n, seed
        As in `soft_accuracy`.
    """

    def __init__(self, human: "FloatArray", n: int = 1000, seed: "int | None" = 12345) -> None:
        self._signs = random_signs(n, human.shape[1], seed)
        self._people = p_values(human, self._signs)

    def of(self, metric: "FloatArray") -> float:
        """Return the figure of a metric's scores, of the same shape."""
        import numpy as np

        return 1.0 - float(np.abs(self._people - p_values(metric, self._signs)).mean())


def random_signs(n: int, n_segments: int, seed: "int | None") -> "Array":
    """Return n rows of random -1 and 1 of each segment.

    Examples
    --------
    >>> random_signs(1, 5, 4)
    array([[1., 1., 1., 1., 1.]])
    """
    import numpy as np

    drawn = np.random.default_rng(seed).random(size=(n, n_segments), dtype=np.float32)
    return 2.0 * np.rint(drawn).astype(np.float64) - 1.0


def p_values(scores: "FloatArray", signs: "Array") -> "FloatArray":
    """Return for each pair i < j how often random signs make system i better by as much.

    Parameters
    ----------
    scores : float64 array of shape (n_systems, n_segments)
    signs : float64 array of shape (n, n_segments)

    Returns
    -------
    float64 array of shape (n_pairs,)
        Of pairs (0, 1), (0, 2), ..., (1, 2), ...
    """
    import numpy as np

    first, second = np.triu_indices(len(scores), 1)
    sums, sizes = scores.sum(axis=1), np.abs(scores).sum(axis=1)
    partial = signs @ scores.T
    found = np.empty(len(first))
    for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        limit = sums[i] - sums[j] - SLACK * (sizes[i] + sizes[j])
        found[k] = np.count_nonzero(partial[:, i] - partial[:, j] >= limit) / len(signs)
    return found
