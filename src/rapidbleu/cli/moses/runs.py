"""Hypotheses of several runs as Moses sees them: joined, without duplicates, in its order."""

from typing import TYPE_CHECKING, Any

from rapidbleu.cli.messages import CommandError

if TYPE_CHECKING:
    from rapidbleu.tuning import NBestList
    from rapidbleu.typing import IntArray


def joined(lists: "list[tuple[NBestList, int]]") -> "tuple[NBestList, int]":
    """Return all hypotheses of several lists, those of each segment in the order of the lists."""
    import numpy as np

    from rapidbleu.tuning import NBestList
    from rapidbleu.tuning.lists.segments import spread
    from rapidbleu.tuning.moses.gathering import gather

    first, n_dense = lists[0]
    if len(lists) == 1:
        return first, n_dense
    for i, (other, n) in enumerate(lists[1:], 1):
        if other.names[:n] != first.names[:n_dense]:
            raise CommandError(
                f"list {i + 1}: expected the features of the first list, "
                f"{' '.join(first.names[:n_dense])}, got {' '.join(other.names[:n])}"
            )
    segments = np.concatenate([spread(one.ids, one.offsets) for one, _ in lists])
    stats = np.concatenate([one.stats for one, _ in lists])
    ids, offsets, order = gather(segments)
    names = first.names[:n_dense]
    if any(one.is_sparse for one, _ in lists):
        sparse = dict.fromkeys(name for one, n in lists for name in one.names[n:])
        names += tuple(sparse)
        features: Any = _stacked(lists, {name: n_dense + i for i, name in enumerate(sparse)})
    else:
        features = np.concatenate([one.features for one, _ in lists])
    if order is not None:
        features, stats = features[order], stats[order]
    nbest = NBestList(features, stats, offsets, metric=first.metric, names=names, ids=ids)
    return nbest, n_dense


def _stacked(lists: "list[tuple[NBestList, int]]", places: dict[str, int]) -> Any:
    """Return the features of lists of which some are sparse, with sparse ones at their places."""
    import numpy as np
    from scipy.sparse import csr_matrix, vstack

    parts = []
    for one, n in lists:
        own = csr_matrix(one.features)
        columns = np.array([*range(n), *(places[name] for name in one.names[n:])], np.int64)
        shape = (own.shape[0], n + len(places))
        parts.append(csr_matrix((own.data, columns[own.indices], own.indptr), shape=shape))
    return vstack(parts, format="csr")


def unique_rows(nbest: "NBestList", n_dense: int) -> "list[IntArray]":
    """Return which rows of each segment are left, and in which order, as Moses removes duplicates.

    A duplicate is replaced by the last hypothesis of its segment: A A B C becomes A C B.
    """
    import numpy as np

    from rapidbleu._core.moses.score_files import unique_rows as find_unique

    dense, tags = nbest.features, None
    if nbest.is_sparse:
        matrix = nbest.features.sorted_indices()
        dense = matrix[:, :n_dense].toarray()
        known: dict[bytes, int] = {}
        spans = [slice(*pair) for pair in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
        keys = (matrix.indices[own].tobytes() + matrix.data[own].tobytes() for own in spans)
        tags = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    order = np.empty(len(nbest), np.int64)
    counts = np.empty(nbest.n_segments, np.int64)
    offsets = np.ascontiguousarray(nbest.offsets, np.int64)
    find_unique(np.ascontiguousarray(dense), nbest.stats, offsets, order, counts, tags)
    starts = offsets[:-1].tolist()
    return [order[begin : begin + n] for begin, n in zip(starts, counts.tolist(), strict=True)]
