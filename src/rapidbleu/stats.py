"""Rows of sufficient statistics: checks and sums.

Statistics are plain int64 arrays, one row a segment, so adding, subtracting, merging and saving are
NumPy's: ``a.sum(0) + b.sum(0)``, ``np.concatenate([a, b])``, ``np.save("stats.npy", a)``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    _Array = np.ndarray[Any, Any]


def check_rows(stats: "Any", n_stats: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Return statistics as a C-contiguous int64 array of rows.

    Parameters
    ----------
    stats : array_like of int, of shape (n, n_stats) or (n_stats,)
    n_stats : int
        Columns that the metric's rows have.

    Raises
    ------
    TypeError
        If the statistics are not integers.
    ValueError
        If the shape is another, or a number is negative.

    Examples
    --------
    >>> check_rows([2, 2, 1, 0], 4)
    array([[2, 2, 1, 0]])
    """
    import numpy as np

    try:
        rows = np.asarray(stats)
    except ValueError:  # rows of different lengths
        raise ValueError(f"stats: expected rows of {n_stats} integers each") from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != n_stats:
        raise ValueError(
            f"stats: expected shape ({n_stats},) or (n, {n_stats}), got {rows.shape}"
        )
    if rows.dtype.kind not in "iu" and rows.size:
        raise TypeError(f"stats: expected integers, got {rows.dtype}")
    rows = in_order(rows, np.int64).reshape(-1, n_stats)
    negative = np.argwhere(rows < 0)
    if len(negative):
        i, j = (int(k) for k in negative[0])
        raise ValueError(f"stats[{i}][{j}]: expected a count, got {rows[i, j]}")
    return rows


def in_order(array: "_Array", dtype: "Any" = None) -> "_Array":
    """Return an array in C order with its items aligned: itself, if it is like that.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.frombuffer(bytes(17), np.int64, offset=1)
    >>> in_order(rows).flags.aligned, in_order(rows.copy()) is rows
    (True, False)
    """
    import numpy as np

    if not (array.flags.c_contiguous and dtype in (None, array.dtype)):
        array = np.ascontiguousarray(array, dtype)
    return array if array.flags.aligned else array.copy()


def sum_rows(stats: "Any", n_stats: int) -> list[int]:
    """Return the column sums of statistics, after `check_rows`.

    Examples
    --------
    >>> sum_rows([[2, 2, 1, 0], [3, 2, 2, 1]], 4)
    [5, 4, 3, 1]
    """
    return [int(column) for column in check_rows(stats, n_stats).sum(axis=0)]
