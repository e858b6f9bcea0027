"""Hypotheses by segments: which segment each belongs to; segments in order of their first one."""

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu.typing import Array, IntArray


def gather(segments: "IntArray") -> "tuple[IntArray, IntArray, IntArray | None]":
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
    import numpy as np

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


def rows_of(offsets: "IntArray", segments: "IntArray") -> "tuple[IntArray, IntArray]":
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
    import numpy as np

    sizes = np.diff(offsets)[segments]
    ends = np.append(0, np.cumsum(sizes))
    shifts = np.repeat(offsets[segments] - ends[:-1], sizes)
    return np.arange(ends[-1]) + shifts, ends


def missing_segments(ids: "Iterable[int]", n_segments: int) -> str:
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


def spread(values: "Sequence[int] | Array", offsets: "IntArray") -> "Array":
    """Return a value of each segment for each of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> spread([5, 2], np.array([0, 2, 3])).tolist()
    [5, 5, 2]
    """
    import numpy as np

    return np.repeat(values, np.diff(offsets).astype(np.intp))


def with_sparse(
    dense: "Array", names: "tuple[str, ...]", sparse_names: "list[str]", triples: "Any", where: str
) -> "tuple[Any, tuple[str, ...]]":
    """Return dense features with sparse ones behind them, as a CSR matrix, and all names.

    Without sparse ones, what was given.

    Parameters
    ----------
    triples : (rows, columns, values)
        Of the sparse ones.
    where : str
        The file, in errors.
    """
    import numpy as np

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
