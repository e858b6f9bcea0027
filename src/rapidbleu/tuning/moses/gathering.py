"""Rows of files that become n-best lists: gathered while they are read, then brought in order."""

from __future__ import annotations

from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.typing import Array, IntArray, Items


class GrowingRows:
    """Rows of numbers, some more at a time.

    Parameters
    ----------
    n_columns : int or None
        None: the array has one dimension.
    dtype : dtype

    Examples
    --------
    >>> rows = GrowingRows(2, "int64")
    >>> rows.append([[1, 2], [3, 4]])
    >>> rows.take()
    array([[1, 2],
           [3, 4]])
    """

    def __init__(self, n_columns: int | None, dtype: Any) -> None:
        self.width = () if n_columns is None else (n_columns,)
        self.rows: Array = np.empty((0, *self.width), dtype)
        self.n = 0

    def more(self, n: int) -> Array:
        """Return the next `n` rows, to be written before anything else is asked for."""
        needed = self.n + n
        if needed > len(self.rows):
            # No view of the rows is alive, so they may move.
            self.rows.resize((max(needed, len(self.rows) * 3 // 2), *self.width), refcheck=False)
        self.n = needed
        return self.rows[needed - n : needed]

    def append(self, rows: Items[Any]) -> None:
        """Copy rows behind those that are there."""
        self.more(len(rows))[:] = rows

    def take(self) -> Array:
        """Return the rows, whose memory they give back as far as it is unused."""
        self.rows.resize((self.n, *self.width), refcheck=False)
        return self.rows


def gather(segments: IntArray) -> tuple[IntArray, IntArray, IntArray | None]:
    """Return the numbers of the segments, offsets, and the order that brings hypotheses together.

    The order is None if those of each segment follow each other already.

    Examples
    --------
    >>> import numpy as np
    >>> gather(np.array([5, 5, 2]))
    (array([5, 2]), array([0, 2, 3]), None)
    >>> gather(np.array([5, 2, 5]))
    (array([5, 2]), array([0, 2, 3]), array([0, 2, 1]))
    """
    n = len(segments)
    starts = np.flatnonzero(np.diff(segments, prepend=-1))
    ids, first, run = np.unique(segments[starts], return_index=True, return_inverse=True)
    if len(ids) == len(starts):
        return segments[starts], np.append(starts, n), None
    order = np.argsort(first)
    rank = np.argsort(order)[run]
    ranks = np.repeat(rank, np.diff(np.append(starts, n)))
    offsets = np.append(0, np.cumsum(np.bincount(ranks, minlength=len(ids))))
    return ids[order], offsets, np.argsort(ranks, kind="stable")


def missing_segments(ids: Iterable[int], n_segments: int) -> str:
    """Return the segments that have no hypotheses, as text: ten of them, and how many more.

    Parameters
    ----------
    ids : iterable of int
        Segments that have some.
    n_segments : int
        The number of all.

    Examples
    --------
    >>> missing_segments([3, 0], 5), missing_segments([1, 0], 2)
    ('segments 1, 2, 4', '')
    """
    present = set(ids)
    missing = [segment for segment in range(n_segments) if segment not in present]
    if not missing:
        return ""
    named = ", ".join(map(str, missing[:10])) + f" and {len(missing) - 10} more" * (
        len(missing) > 10
    )
    return f"segment{'s' * (len(missing) > 1)} {named}"


def with_sparse(
    dense: Array, names: tuple[str, ...], sparse_names: list[str], triples: Any, where: str
) -> tuple[Any, tuple[str, ...]]:
    """Return dense features with sparse ones behind them, as a CSR matrix, and all names.

    Without sparse ones, what was given.

    Parameters
    ----------
    triples : (rows, columns, values)
        Of the sparse ones.
    where : str
        The file, in errors.
    """
    if not sparse_names:
        return dense, names
    try:
        load("scipy.sparse")
        from scipy.sparse import csr_matrix, hstack
    except ImportError:
        raise ImportError(f"{where}: sparse features need SciPy (pip install scipy)") from None
    rows, columns, values = (np.frombuffer(part, part.typecode) for part in triples)
    places, counts = np.unique(rows * len(sparse_names) + columns, return_counts=True)
    if len(places) < len(rows):
        row, column = divmod(int(places[counts > 1][0]), len(sparse_names))
        raise ValueError(
            f"{where}: hypothesis {row + 1} has feature {sparse_names[column]} more than once"
        )
    shape = (len(dense), len(sparse_names))
    right = csr_matrix((values, (rows, columns)), shape=shape)
    return hstack([csr_matrix(dense), right], format="csr"), (*names, *sparse_names)
