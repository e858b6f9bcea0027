"""Rows of sufficient statistics: checks and sums.

Statistics are plain int64 arrays, one row per segment. Use NumPy to add, subtract, merge and save:
``a.sum(0) + b.sum(0)``, ``np.concatenate([a, b])``, ``np.save("stats.npy", a)``.
"""

from __future__ import annotations

from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.loader import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._types import Array, IntArray, IntRows

MAX_COUNT = 2**60


def check_rows(
    stats: IntRows, kernel: Kernel, where: str = "stats"
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return statistics of shape (n, n_stats) or (n_stats,) as a C-contiguous int64 array of rows.

    TypeError if they are not integers; ValueError if the shape is wrong, or a number is negative,
    exceeds 2**60, or exceeds its total, as matches would n-grams. Errors name them `where`.

    >>> from rapidbleu import BLEU
    >>> check_rows([2, 2, 1, 2], BLEU(max_ngram_order=1)._kernel)
    array([[2, 2, 1, 2]])
    """
    n_stats = kernel.n_stats
    unmasked(stats, where)
    try:
        rows = np.asarray(stats)
    except ValueError as error:  # rows of different lengths
        if not is_ours(error):
            raise
        raise ValueError(f"{where}: expected rows of {n_stats} integers each") from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != n_stats:
        raise ValueError(
            f"{where}: expected shape ({n_stats},) or (n, {n_stats}); got {rows.shape}"
        )
    if rows.dtype.kind == "f" and isinstance(stats, (list, tuple)):
        rows = np.array(stats, object)  # whose items are named in errors
    if rows.dtype.kind != "i":
        rows = to_integers(rows.reshape(-1, n_stats), where)
    rows = in_order(rows, np.int64).reshape(-1, n_stats)
    kernel.check_rows(rows, where)
    return rows


def rows_given(stats: Any, metric: object, where: str = "stats") -> Any:
    """Return rows unchanged, or the rows of a `StatsTable`, which refuses other metrics.

    >>> rows_given([2, 2, 1, 2], None)
    [2, 2, 1, 2]
    """
    rows_for = getattr(stats, "rows_for", None)
    return stats if rows_for is None else rows_for(metric, where)


def unmasked(source: Any, where: str) -> Any:
    """Return the source unchanged; refuse NumPy arrays with masked items, which lack values.

    >>> import numpy as np
    >>> unmasked(np.ma.masked_less([5, -1], 0), "rows")
    Traceback (most recent call last):
    ...
    ValueError: rows[1]: expected a number; got a masked one
    """
    import sys

    masks = sys.modules.get("numpy.ma")  # without it nothing is masked
    if masks is not None and masks.is_masked(source):
        position = "".join(f"[{k[0]}]" for k in masks.getmaskarray(source).nonzero())
        raise ValueError(f"{where}{position}: expected a number; got a masked one")
    return source


def in_order(array: Array, dtype: Any = None) -> Array:
    """Return an array in C order with aligned items, copied only if needed.

    >>> import numpy as np
    >>> rows = np.frombuffer(bytes(17), np.int64, offset=1)
    >>> in_order(rows).flags.aligned, in_order(rows.copy()) is rows
    (True, False)
    """
    if not (array.flags.c_contiguous and dtype in (None, array.dtype)):
        array = np.ascontiguousarray(array, dtype)
    return array if array.flags.aligned else array.copy()


def sum_rows(stats: IntRows, kernel: Kernel) -> list[int]:
    """Return the column sums of statistics, after `check_rows`; requires at least one row.

    >>> from rapidbleu import BLEU
    >>> sum_rows([[2, 2, 1, 2], [3, 2, 2, 3]], BLEU(max_ngram_order=1)._kernel)
    [5, 4, 3, 5]
    """
    return kernel.sum_rows(check_rows(stats, kernel), "stats")


def to_integers(values: Any, where: str) -> IntArray:
    """Return integers as an int64 array in C order; refuse other values, and numbers over 2**60."""
    import operator

    unmasked(values, where)
    try:
        array = np.asarray(values)
    except ValueError as error:
        if not is_ours(error):
            raise
        raise ValueError(f"{where}: expected integers; got lists of different lengths") from None
    if array.ndim == 0:
        raise TypeError(f"{where}: expected an array of integers; got {type(values).__name__}")
    if not array.size or (array.dtype.kind in "iu" and array.max() <= MAX_COUNT):
        return in_order(array, np.int64)
    if array.dtype.kind not in "iuO" and not isinstance(values, (list, tuple)):
        raise TypeError(f"{where}: expected integers; got {array.dtype}")
    array = np.asarray(values, dtype=object)
    for index, item in np.ndenumerate(array):
        there = where + "".join(f"[{k}]" for k in index)
        try:
            number = operator.index(item)
        except TypeError as error:
            if not is_ours(error):
                raise
            raise TypeError(f"{there}: expected an integer; got {type(item).__name__}") from None
        if number > MAX_COUNT:
            raise ValueError(f"{there}: expected at most 2**60; got {number}")
        if number < -MAX_COUNT:
            raise ValueError(f"{there}: expected a count; got {number}")
    return array.astype(np.int64)
