"""Soft pairwise accuracy: whether a metric is as sure as people are that one system is better.

Reference: Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic
Metrics via Soft Pairwise Accuracy, section 3.
"""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import Array, FloatArray

SLACK = 1e-12  # of the sum of scores: sums that differ by less are equal


class SoftAccuracy:
    """The human side of the figure, of scores without gaps, to be compared with many metrics."""

    def __init__(self, human: FloatArray, n: int = 1000, seed: int | None = 12345) -> None:
        self._signs = random_signs(n, human.shape[1], seed)
        self._people = p_values(human, self._signs)

    def of(self, metric: FloatArray) -> float:
        """Return the figure of a metric's scores, of the same shape."""
        return 1.0 - float(np.abs(self._people - p_values(metric, self._signs)).mean())


def whole_segments(matrices: list[FloatArray]) -> Array:
    """Return which segments all systems have scores of in all matrices, the human one first."""
    if len(matrices[0]) < 2:
        raise ValueError(f"human: expected at least two systems, got {len(matrices[0])}")
    whole = np.ones(matrices[0].shape[1], bool)
    for values in matrices:
        whole &= ~np.isnan(values).any(axis=0)
    if not whole.any():
        raise ValueError("human: expected a segment that all systems have scores of, got none")
    return whole


def random_signs(n: int, n_segments: int, seed: int | None) -> Array:
    """Return n rows of random -1 and 1 of each segment.

    Examples
    --------
    >>> random_signs(1, 5, 4)
    array([[1., 1., 1., 1., 1.]])
    """
    drawn = np.random.default_rng(seed).random(size=(n, n_segments), dtype=np.float32)
    return 2.0 * np.rint(drawn).astype(np.float64) - 1.0


def p_values(scores: FloatArray, signs: Array) -> FloatArray:
    """Return for each pair i < j how often random signs make system i better by as much.

    Pairs are (0, 1), (0, 2), ..., (1, 2), ...; `signs` has a row for each trial.
    """
    first, second = np.triu_indices(len(scores), 1)
    sums, sizes = scores.sum(axis=1), np.abs(scores).sum(axis=1)
    partial = signs @ scores.T
    found = np.empty(len(first))
    for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        limit = sums[i] - sums[j] - SLACK * (sizes[i] + sizes[j])
        found[k] = np.count_nonzero(partial[:, i] - partial[:, j] >= limit) / len(signs)
    return found
