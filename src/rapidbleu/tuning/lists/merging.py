"""Merging of n-best lists: the hypotheses of several runs, without those that are there already."""

from __future__ import annotations

from itertools import pairwise

from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.tuning.lists.segments import spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array, IntArray

VALUES = 1 << 19  # counts and features that are compared, or copied, by one call of NumPy


def merged(lists: list[Any]) -> dict[str, Any]:
    """Return the parts of the n-best list that several merge to, all but the metric.

    Segments are the same if their ids are, and stay where they came first.
    """
    for i, other in enumerate(lists[1:]):
        _check_alike(lists[0], other, f"others[{i}]")
    ids = list(dict.fromkeys(np.concatenate([one.ids for one in lists]).tolist()))
    place = {number: i for i, number in enumerate(ids)}
    segments = np.concatenate(
        [spread([place[number] for number in one.ids.tolist()], one.offsets) for one in lists]
    )
    names, features = _join_features(lists)
    stats = np.concatenate([np.asarray(one.stats) for one in lists])
    kept = without_duplicates(segments, features, stats)
    hypotheses = None
    if all(one.hypotheses is not None for one in lists):
        texts = [text for one in lists for text in one.hypotheses]
        hypotheses = [texts[i] for i in kept]
    return {
        "features": features[kept] if lists[0].is_sparse else _take(features, kept),
        "stats": _take(stats, kept),
        "offsets": np.searchsorted(segments[kept], np.arange(len(ids) + 1)),
        "names": names,
        "hypotheses": hypotheses,
        "ids": ids,
    }


def _check_alike(first: Any, other: Any, where: str) -> None:
    """Refuse an n-best list whose features or statistics are not those of the first one.

    Sparse features may have other names: a hypothesis has 0 of those that its list does not know.
    """
    kinds = {True: "sparse", False: "dense"}
    if other.is_sparse != first.is_sparse:
        expected, got = kinds[first.is_sparse], kinds[other.is_sparse]
        raise ValueError(f"{where}: expected {expected} features, got {got} ones")
    if not first.is_sparse:
        check_same_names(first, other, where)
    check_same_stats(first, other, where)


def check_same_names(first: Any, other: Any, where: str) -> None:
    """Refuse an n-best list with other features than the first one."""
    for i, (ours, theirs) in enumerate(zip(first.names, other.names, strict=False)):
        if ours != theirs:
            raise ValueError(f"{where}.names[{i}]: expected {ours!r}, got {theirs!r}")
    if other.n_features != first.n_features:
        raise ValueError(f"{where}: expected {first.n_features} features, got {other.n_features}")


def check_same_stats(first: Any, other: Any, where: str) -> None:
    """Refuse an n-best list with rows of another length."""
    n_stats, n = first.stats.shape[1], other.stats.shape[1]
    if n != n_stats:
        raise ValueError(f"{where}: expected rows of {n_stats} counts, got {n}")


def _join_features(lists: list[Any]) -> tuple[tuple[str, ...], Any]:
    """Return the names of all features, and the rows of several matrices behind each other."""
    if not lists[0].is_sparse:
        return lists[0].names, np.concatenate([np.asarray(one.features) for one in lists])
    load("scipy.sparse")
    from scipy.sparse import csr_matrix, vstack

    names = dict.fromkeys(name for one in lists for name in one.names)
    place = {name: i for i, name in enumerate(names)}
    matrices = []
    for one in lists:
        moved = np.array([place[name] for name in one.names], np.int64)
        matrix = one.features
        shape = matrix.shape[0], len(names)
        matrices.append(csr_matrix((matrix.data, moved[matrix.indices], matrix.indptr), shape))
    stacked = vstack(matrices, format="csr")
    stacked.eliminate_zeros()
    stacked.sort_indices()
    return tuple(names), stacked


def without_duplicates(
    segments: IntArray, features: Any, stats: Array, values: int = VALUES
) -> IntArray:
    """Return, segment by segment, the rows that equal no earlier one of their segment.

    Parameters
    ----------
    segments : int64 array of shape (n,)
    features : array of shape (n, n_features), or CSR matrix
    stats : int array of shape (n, n_stats)
    values : int
        Numbers that one call of NumPy is given, about: calls are not interrupted.

    Notes
    -----
    Rows are equal if their bytes are. Sets of bytes have a secret key of the process, so no rows
    can be prepared to have the same hash.

    Examples
    --------
    >>> import numpy as np
    >>> segments = np.array([0, 1, 0, 0])
    >>> features, stats = np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([[5], [5], [5], [5]])
    >>> without_duplicates(segments, features, stats)
    array([0, 3, 1])
    """
    is_sparse = hasattr(features, "tocsr")
    n, width = len(segments), stats.shape[1]
    width += features.nnz // max(1, n) if is_sparse else features.shape[1]
    order = np.argsort(segments, kind="stable")
    step = max(1, values // max(1, width))
    kept = []
    last, seen = None, set[bytes]()
    for begin in range(0, n, step):
        rows = order[begin : begin + step]
        keys = _row_bytes(stats[rows])
        more = _sparse_bytes(features[rows]) if is_sparse else _row_bytes(features[rows] + 0)
        keep = np.ones(len(rows), bool)
        for i, segment in enumerate(segments[rows].tolist()):
            if segment != last:
                last, seen = segment, set()
            key = keys[i] + more[i]
            keep[i] = key not in seen
            seen.add(key)
        kept.append(rows[keep])
    return np.concatenate(kept) if kept else order


def _row_bytes(rows: Array) -> list[bytes]:
    """Return the bytes of each row."""
    whole = np.dtype((np.void, rows.itemsize * rows.shape[1]))
    found: list[bytes] = np.ascontiguousarray(rows).view(whole)[:, 0].tolist()
    return found


def _sparse_bytes(matrix: Any) -> list[bytes]:
    """Return the bytes of each row's columns and values, without zeros."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    kinds = [("column", matrix.indices.dtype), ("value", matrix.data.dtype)]
    pairs = np.empty(len(matrix.data), kinds)
    pairs["column"], pairs["value"] = matrix.indices, matrix.data
    cells, ends = pairs.tobytes(), (matrix.indptr * np.int64(pairs.itemsize)).tolist()
    return [cells[begin:end] for begin, end in pairwise(ends)]


def _take(array: Array, rows: IntArray) -> Array:
    """Return some rows of an array, a part at a time, as calls of NumPy are not interrupted."""
    taken = np.empty((len(rows), array.shape[1]), array.dtype)
    step = max(1, VALUES // max(1, array.shape[1]))
    for begin in range(0, len(rows), step):
        taken[begin : begin + step] = array[rows[begin : begin + step]]
    return taken
