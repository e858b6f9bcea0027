"""N-best lists written as Moses' files of features and of statistics."""

from rapidbleu._core.moses.nbest_files import format_rows
from rapidbleu.streams.files import open_outputs
from rapidbleu.tuning.lists.names import ROWS, check_segments, check_word, check_written, split_name
from rapidbleu.tuning.moses.score_types import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Sequence

    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import Array, IntArray, Path

MOST_DENSE = 1 << 20  # features that readers take
MOST_IN_TEXT = (1 << 31) - 1
MOST_IN_BINARY = 1 << 24  # the first count whose successor is no 32-bit float


def write_pair(
    nbest: "NBestList",
    features_file: "Path",
    scores_file: "Path",
    binary: bool,
    rows: "list[IntArray] | None" = None,
    *,
    n_dense: int,
) -> None:
    """Write a file of features and one of statistics that belong together.

    Parameters
    ----------
    nbest : NBestList
    features_file, scores_file : path
        Both are replaced when both are written.
    binary : bool
    rows : list of int64 arrays, optional
        Which rows to write of each segment, and in which order; all by default.
    n_dense : int
        How many of the features, the first ones, are dense.

    Raises
    ------
    ValueError
        If something would not be read as it is; before a file is touched.
    """
    if nbest.is_sparse and binary:
        raise ValueError("binary: expected False for sparse features, got True")
    check_features(nbest.names, n_dense)
    check_segments(nbest.ids)
    check_written(nbest.features, n_dense)
    form = Form(nbest.metric)
    _check_counts(nbest.stats, form, MOST_IN_BINARY if binary else MOST_IN_TEXT)
    names = dense_names(nbest.names[:n_dense])
    ending = "BIN" if binary else "TXT"
    with open_outputs(features_file, scores_file) as (features, scores):
        for segment, own in _segments(nbest, rows):
            n = _count(own)
            features.writelines(block(
                f"FEATURES_{ending}", f"{segment} {n} {n_dense} {names}",
                _features_of(nbest, own, n_dense, binary),
            ))  # fmt: skip
            scores.writelines(block(
                f"SCORES_{ending}", f"{segment} {n} {form.n_columns} {form.name}",
                _stats_of(nbest, own, form, binary),
            ))  # fmt: skip


def block(kind: str, header: str, rows: bytes) -> "tuple[bytes, bytes, bytes]":
    """Return the rows of a segment between the lines that say what they are."""
    return f"{kind}_BEGIN_0 {header}\n".encode(), rows, f"{kind}_END_0\n".encode()


def check_features(names: "Sequence[str]", n_dense: int) -> None:
    """Refuse names that are no words, and more dense features than readers take."""
    if n_dense > MOST_DENSE:
        raise ValueError(f"features: expected at most {MOST_DENSE} dense ones, got {n_dense}")
    for i, name in enumerate(names):
        check_word(name, f"names[{i}]")


def dense_names(names: "Sequence[str]") -> str:
    """Return the names of features as the first line of a segment has them."""
    return "".join(f"{name} " for name in names)


def _check_counts(stats: "Array", form: Form, most: int) -> None:
    """Refuse statistics that a file has no exact form for."""
    import numpy as np

    for begin in range(0, len(stats), ROWS):
        rows = stats[begin : begin + ROWS]
        may_exceed = rows.max() > most or form.places is None  # else a file's columns are ours
        if may_exceed and (columns := form.columns(rows)).max() > most:
            i, j = (int(k) for k in np.argwhere(columns > most)[0])
            raise ValueError(
                f"stats[{begin + i}]: expected at most {most} in such a file, got {columns[i, j]}"
            )
        found = form.check(rows)
        if found is not None:
            raise ValueError(f"stats[{begin + found[0]}][{found[1]}]: {found[2]}")


def _segments(
    nbest: "NBestList", rows: "list[IntArray] | None"
) -> "Iterator[tuple[int, slice | IntArray]]":
    bounds = nbest.offsets.tolist()
    for i, segment in enumerate(nbest.ids.tolist()):
        yield segment, slice(bounds[i], bounds[i + 1]) if rows is None else rows[i]


def _count(rows: "slice | IntArray") -> int:
    return int(rows.stop - rows.start) if isinstance(rows, slice) else len(rows)


def _features_of(nbest: "NBestList", own: "slice | IntArray", n_dense: int, binary: bool) -> bytes:
    if nbest.is_sparse:
        return _sparse_text(nbest, own, n_dense)
    return _floats(nbest.features[own]) if binary else _lines(nbest.features, own)


def _stats_of(nbest: "NBestList", own: "slice | IntArray", form: Form, binary: bool) -> bytes:
    if form.places is not None and not binary:
        return _lines(nbest.stats, own, form.places)
    columns = form.columns(nbest.stats[own])
    return _floats(columns) if binary else _lines(columns)


def _floats(rows: "Array") -> bytes:
    import numpy as np

    return rows.astype(np.float32).tobytes()


def _lines(
    values: "Array",
    rows: "slice | IntArray | None" = None,
    columns: "array[int] | None" = None,
) -> bytes:
    """Return rows as text; without copying them, even if only some are wanted."""
    import numpy as np

    if isinstance(rows, slice):
        return _lines(values[rows], None, columns)
    if not values.shape[1]:
        return b"\n" * len(values)
    return format_rows(np.ascontiguousarray(values), values.shape[1], rows, columns)


def _sparse_text(nbest: "NBestList", own: "slice | IntArray", n_dense: int) -> bytes:
    matrix = nbest.features[own]
    dense = _lines(matrix[:, :n_dense].toarray()).split(b"\n")
    lines = []
    for i in range(matrix.shape[0]):
        row = slice(matrix.indptr[i], matrix.indptr[i + 1])
        pairs = zip(matrix.indices[row].tolist(), matrix.data[row].tolist(), strict=True)
        sparse = "".join(f"{nbest.names[j]}={v:g} " for j, v in sorted(pairs) if j >= n_dense)
        lines.append(dense[i] + sparse.encode() + b"\n")
    return b"".join(lines)


def count_dense(nbest: "NBestList") -> int:
    """Return how many features are dense, judged by their names: those up to a sparse one."""
    if not nbest.is_sparse:
        return len(nbest.names)
    kinds = [_is_sparse_name(name) for name in nbest.names]
    return kinds.index(True) if True in kinds else len(kinds)


def _is_sparse_name(name: str) -> bool:
    """Tell the name of a sparse feature, with `_`, from that of a dense one such as ``LM0_0``.

    Examples
    --------
    >>> _is_sparse_name("pair_a_b"), _is_sparse_name("LM0_0"), _is_sparse_name("length")
    (True, False, False)
    """
    return not split_name(name)[1]
