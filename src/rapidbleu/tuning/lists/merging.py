"""Which hypotheses of n-best lists are there already, when lists of several runs are merged."""

import os

from rapidbleu.loading.loader import load
from rapidbleu.tuning.lists.segments import spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.typing import Array, IntArray


    _Equal = Callable[[IntArray, IntArray], Array]

# Of this process, so that no rows can be prepared to have the same hash.
_SECRET = int.from_bytes(os.urandom(8), "little")

VALUES = 1 << 19  # counts or features that one call of NumPy is given
PART = 1 << 16  # rows that are sorted together


def merged(lists: "list[Any]") -> "dict[str, Any]":
    """Return the parts of the n-best list that several merge to, all but the metric.

    Segments are the same if their ids are, and stay where they came first.
    """
    import numpy as np

    for i, other in enumerate(lists[1:]):
        _check_alike(lists[0], other, f"others[{i}]")
    ids = list(dict.fromkeys(np.concatenate([one.ids for one in lists]).tolist()))
    place = {number: i for i, number in enumerate(ids)}
    segments = np.concatenate(
        [
            spread([place[number] for number in one.ids.tolist()], one.offsets)
            for one in lists
        ]
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


def _check_alike(first: "Any", other: "Any", where: str) -> None:
    """Refuse an n-best list whose features or statistics are not those of the first one.

    Sparse features may have other names: a hypothesis has 0 of those that its list does not know.
    """
    kinds = {True: "sparse", False: "dense"}
    if other.is_sparse != first.is_sparse:
        expected, got = kinds[first.is_sparse], kinds[other.is_sparse]
        raise ValueError(f"{where}: expected {expected} features, got {got} ones")
    if not first.is_sparse:
        for i, (ours, theirs) in enumerate(zip(first.names, other.names, strict=False)):
            if ours != theirs:
                raise ValueError(f"{where}.names[{i}]: expected {ours!r}, got {theirs!r}")
        if other.n_features != first.n_features:
            raise ValueError(
                f"{where}: expected {first.n_features} features, got {other.n_features}"
            )
    if other.stats.shape[1] != first.stats.shape[1]:
        raise ValueError(
            f"{where}: expected rows of {first.stats.shape[1]} counts, got {other.stats.shape[1]}"
        )


def _join_features(lists: "list[Any]") -> "tuple[tuple[str, ...], Any]":
    """Return the names of all features, and the rows of several matrices behind each other."""
    import numpy as np

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


def without_duplicates(segments: "IntArray", features: "Any", stats: "Array") -> "IntArray":
    """Return, segment by segment, the rows that equal no earlier one of their segment.

    Examples
    --------
    >>> import numpy as np
    >>> segments = np.array([0, 1, 0, 0])
    >>> features, stats = np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([[5], [5], [5], [5]])
    >>> without_duplicates(segments, features, stats)
    array([0, 3, 1])
    """
    import numpy as np

    sparse = hasattr(features, "tocsr")
    n = len(segments)
    hashes = np.empty(n, np.uint64)
    for rows in _blocks(n, 1 + stats.shape[1]):
        own = segments[rows].astype(np.uint64)[:, np.newaxis]
        hashes[rows] = _hash_rows(np.hstack([own, stats[rows].astype(np.uint64)]))
    if sparse:
        hashes += _hash_sparse(features)
    else:
        for rows in _blocks(n, features.shape[1]):
            hashes[rows] += _hash_dense(features[rows])
    kept = _first_ones(segments, hashes, _equality(features, stats, sparse))
    return kept[np.argsort(segments[kept], kind="stable")]


def _blocks(n: int, width: int) -> "Iterator[slice]":
    """Cut n rows, whose mean width is this, into blocks that take some milliseconds each.

    A call of NumPy is not interrupted, so no call gets all rows that may be sorted or hashed.
    """
    step = max(1, VALUES // max(1, width))
    for begin in range(0, n, step):
        yield slice(begin, min(n, begin + step))


def _take(array: "Array", rows: "IntArray") -> "Array":
    """Return some rows of an array."""
    import numpy as np

    taken = np.empty((len(rows), array.shape[1]), array.dtype)
    for part in _blocks(len(rows), array.shape[1]):
        taken[part] = array[rows[part]]
    return taken


def _first_ones(segments: "IntArray", hashes: "Array", equal: "_Equal") -> "IntArray":
    """Return, in order, the rows that equal no earlier one of the same segment.

    The highest bits of the hashes divide the rows into parts, in each of which the order stays; a
    row and those that equal it are in one part.
    """
    import numpy as np

    n = len(hashes)
    keep = np.ones(n, bool)
    bits = (hashes >> np.uint64(48)).astype(np.uint16)
    order = np.argsort(bits, kind="stable")  # by radix
    ends = np.cumsum(np.bincount(bits, minlength=1 << 16))
    begin = 0
    while begin < n:
        end = int(ends[np.searchsorted(ends, min(n, begin + PART))])
        rows = order[begin:end]
        keep[rows] = _first_of_part(rows, segments[rows], hashes[rows], equal)
        begin = end
    return np.flatnonzero(keep)


def _first_of_part(
    rows: "IntArray", segments: "IntArray", hashes: "Array", equal: "_Equal"
) -> "Array":
    """Return of each of some rows whether it equals no earlier one of the same segment.

    Rows of one segment and one hash are candidates; those are compared with all that are kept.
    """
    import numpy as np

    order = np.lexsort((hashes, segments))
    same = (segments[order][1:] == segments[order][:-1]) & (hashes[order][1:] == hashes[order][:-1])
    keep = np.ones(len(order), bool)
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    ends = np.append(starts[1:], len(order))
    several = ends - starts > 1
    firsts = np.repeat(order[starts], ends - starts)
    repeated = np.flatnonzero(np.repeat(several, ends - starts))
    duplicate = equal(rows[order[repeated]], rows[firsts[repeated]])
    keep[order[repeated[duplicate]]] = False
    keep[order[starts]] = True
    for group in np.unique(np.searchsorted(starts, repeated[~duplicate], "right") - 1):
        own = order[starts[group] : ends[group]]  # different rows of the same hash
        found: list[int] = []
        for i in own:
            keep[i] = not any(equal(rows[[i]], rows[[j]])[0] for j in found)
            if keep[i]:
                found.append(i)
    return keep


def _equality(features: "Any", stats: "Array", sparse: bool) -> "_Equal":
    """Return a function of two arrays of row numbers that says which pairs are equal."""
    import numpy as np

    width = stats.shape[1] + (features.nnz // len(stats) if sparse else features.shape[1])

    def equal(a: "IntArray", b: "IntArray") -> "Array":
        same = np.empty(len(a), bool)
        for pairs in _blocks(len(a), width):
            one, other = a[pairs], b[pairs]
            same[pairs] = (stats[one] == stats[other]).all(axis=1)
            if sparse:
                same[pairs] &= (features[one] != features[other]).getnnz(axis=1) == 0
            else:
                same[pairs] &= (features[one] == features[other]).all(axis=1)
        return same

    return equal


def _hash_dense(features: "Array") -> "Array":
    import numpy as np

    words = np.uint32 if features.dtype == np.float32 else np.uint64
    # + 0 makes zeros of either sign the same
    return _hash_rows((features + features.dtype.type(0)).view(words).astype(np.uint64))


def _hash_rows(rows: "Array") -> "Array":
    """Return 64 bits for each row of integers."""
    import numpy as np

    hashes = np.full(len(rows), np.uint64(_SECRET))
    for column in rows.T:
        hashes = _mix(hashes + column)
    return hashes


def _hash_sparse(features: "Any") -> "Array":
    """Return 64 bits for each row, the sum of those of its features."""
    import numpy as np

    sums = np.zeros(len(features.data) + 1, np.uint64)
    for part in _blocks(len(features.data), 1):
        values = features.data[part].astype(np.float64).view(np.uint64)
        columns = features.indices[part].astype(np.uint64) + np.uint64(_SECRET)
        sums[part.start + 1 : part.stop + 1] = sums[part.start] + np.cumsum(
            _mix(_mix(columns) + values), dtype=np.uint64
        )
    rows: Array = sums[features.indptr[1:]] - sums[features.indptr[:-1]]
    return rows


def _mix(words: "Array") -> "Array":
    """Return 64-bit words whose bits depend on all bits of the given ones."""
    import numpy as np

    words = (words ^ (words >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed: Array = words ^ (words >> np.uint64(32))
    return mixed
