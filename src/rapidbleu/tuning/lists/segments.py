"""Rows of n-best lists by segments."""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapidbleu.typing import Array, IntArray


def rows_of(offsets: IntArray, segments: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of the hypotheses of some segments, and where each segment's begin.

    Parameters
    ----------
    offsets : int64 array of shape (n_segments + 1,)
    segments : int64 array
        Places of segments, any of them several times.

    Returns
    -------
    rows, offsets : int64 arrays

    Examples
    --------
    >>> import numpy as np
    >>> rows_of(np.array([0, 2, 3]), np.array([1, 0]))
    (array([2, 0, 1]), array([0, 1, 3]))
    """
    sizes = np.diff(offsets)[segments]
    ends = np.append(0, np.cumsum(sizes))
    shifts = np.repeat(offsets[segments] - ends[:-1], sizes)
    return np.arange(ends[-1]) + shifts, ends


def spread(values: Sequence[int] | Array, offsets: IntArray) -> Array:
    """Return a value of each segment for each of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> spread([5, 2], np.array([0, 2, 3])).tolist()
    [5, 5, 2]
    """
    return np.repeat(values, np.diff(offsets).astype(np.intp))
