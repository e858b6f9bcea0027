"""Candidates as executors hold them: blocks of whole segments, each an n-best list in a row.

Candidates are sorted and checked once. The arrays of a block are bytes of one row then, which every
search reads as they are, so that nothing is parsed again.

What runs on executors needs pyarrow and NumPy, not Spark. An error there would come back as a
traceback; so a block that is not as it should be has a problem instead, told as a text.
"""

from importlib import import_module

from rapidbleu.spark import groups
from rapidbleu.tuning.lists.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.scoring import RowScoring

SIZE = 1 << 24  # bytes of a block, about; of more if a segment is larger

SEGMENT, FEATURES, ORDER = "segment", "features", "order"
N_FEATURES, TOP, SEGMENTS, PROBLEM = "n_features", "top", "segments", "problem"
OFFSETS, STATS = "offsets", "stats"


def block_schema(kind: str) -> str:
    """Return the columns of blocks, for segments of a type.

    Examples
    --------
    >>> block_schema("int")[:41]
    'problem string, segments array<int>, n_fe'
    """
    return (
        f"{PROBLEM} string, {SEGMENTS} array<{kind}>, {N_FEATURES} int, {TOP} bigint, "
        f"{OFFSETS} binary, {FEATURES} binary, {STATS} binary"
    )


def packing(
    metric: "RowScoring", statistics: tuple[str, ...], ordered: bool, size: int = SIZE
) -> "Callable[[Iterator[Any]], Iterator[Any]]":
    """Return what makes blocks of the candidates of a partition, for `mapInArrow`.

    Parameters
    ----------
    metric : metric
    statistics : tuple of str
        What the columns of statistics are called in errors.
    ordered : bool
        Whether there is a column that candidates of a segment are ordered by.
    size : int
        Bytes of a block, about.

    Returns
    -------
    callable
        Of batches with the columns segment, features, those of the statistics, and order;
        candidates of a segment follow each other.
    """

    def pack(batches: "Iterator[Any]") -> "Iterator[Any]":
        for table in blocks_of(batches, size):
            yield packed(table, metric, statistics, ordered)

    return pack


def blocks_of(batches: "Iterator[Any]", size: int) -> "Iterator[Any]":
    """Yield tables of whole segments, of so many bytes at least, but the last one."""
    pyarrow, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    held: list[Any] = []
    n_bytes = 0
    for batch in batches:
        begin = 0
        if batch.num_rows and n_bytes >= size:
            segments, last = batch.column(0), held[-1].column(0)[-1]
            is_last = segments.is_null() if not last.is_valid else compute.equal(segments, last)
            n_last = compute.index(compute.fill_null(is_last, False), False).as_py()
            begin = batch.num_rows if n_last < 0 else n_last
            held.append(batch.slice(0, begin))
            if n_last >= 0:
                yield pyarrow.Table.from_batches(held)
                held, n_bytes = [], 0
        if begin < batch.num_rows:
            held.append(batch.slice(begin))
            n_bytes += held[-1].nbytes
    if held:
        yield pyarrow.Table.from_batches(held)


def packed(
    table: "Any", metric: "RowScoring", statistics: tuple[str, ...], ordered: bool
) -> "Any":
    """Return the row of a block; if something is wrong, of the first segment with a problem."""
    import numpy as np

    pyarrow = import_module("pyarrow")
    kind = pyarrow.list_(table.column(0).type)
    begins = groups.begins(table.column(0).combine_chunks())
    keys = table.column(0).take(pyarrow.array(begins))
    row: dict[str, Any] = {PROBLEM: None, SEGMENTS: keys.to_pylist()}
    try:
        if keys.null_count:
            raise ValueError("segment: expected no nulls, got one")
        nbest = _list_of(table, begins, metric, statistics, ordered, None)
    except (TypeError, ValueError) as error:
        row[SEGMENTS], row[PROBLEM] = _problem(table, begins, error, metric, statistics, ordered)
        for name in (N_FEATURES, TOP, OFFSETS, FEATURES, STATS):
            row[name] = None
    else:
        tops = np.maximum.reduceat(nbest.stats.max(axis=1), begins)
        narrow = nbest.stats.max() < 1 << 31
        row[N_FEATURES], row[TOP] = nbest.n_features, int(tops.sum())
        row[OFFSETS], row[FEATURES] = nbest.offsets.tobytes(), nbest.features.tobytes()
        row[STATS] = nbest.stats.astype(np.int32 if narrow else np.int64).tobytes()
    columns = {
        PROBLEM: pyarrow.string(), SEGMENTS: kind, N_FEATURES: pyarrow.int32(),
        TOP: pyarrow.int64(), OFFSETS: pyarrow.binary(), FEATURES: pyarrow.binary(),
        STATS: pyarrow.binary(),
    }  # fmt: skip
    arrays = [pyarrow.array([row[name]], type_) for name, type_ in columns.items()]
    return pyarrow.RecordBatch.from_arrays(arrays, [*columns])


def unpacked(row: "dict[str, Any]", metric: "RowScoring") -> NBestList:
    """Return the n-best list of a block."""
    import numpy as np

    offsets = np.frombuffer(row[OFFSETS], np.int64)
    n, n_stats = int(offsets[-1]), metric._kernel.n_stats
    single = len(row[FEATURES]) == 4 * n * row[N_FEATURES]
    narrow = len(row[STATS]) == 4 * n * n_stats
    features = np.frombuffer(row[FEATURES], np.float32 if single else np.float64)
    stats = np.frombuffer(row[STATS], np.int32 if narrow else np.int64)
    return NBestList(
        features.reshape(n, row[N_FEATURES]), stats.reshape(n, n_stats), offsets, metric=metric
    )


def _list_of(
    table: "Any", begins: "Any", metric: "RowScoring", statistics: tuple[str, ...], ordered: bool,
    n_features: "int | None",
) -> NBestList:  # fmt: skip
    """Return candidates as an n-best list; ValueError or TypeError naming the candidate."""
    import numpy as np

    compute = import_module("pyarrow.compute")
    features = table.column(1).combine_chunks()
    if features.null_count:
        i = compute.index(features.is_null(), True).as_py()
        raise ValueError(f"features[{i}]: expected numbers, got null")
    lengths = compute.list_value_length(features).to_numpy(zero_copy_only=False)
    expected = int(lengths[0]) if n_features is None else n_features
    wrong = np.flatnonzero(lengths != expected)
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(f"features[{i}]: expected {expected} numbers, got {lengths[i]}")
    values = features.flatten()
    if values.null_count:
        i, j = divmod(compute.index(values.is_null(), True).as_py(), expected)
        raise ValueError(f"features[{i}][{j}]: expected a finite number, got null")
    columns = table.columns[2 : 2 + len(statistics)]
    for name, column in zip(statistics, columns, strict=True):
        if column.null_count:
            i = compute.index(column.is_null(), True).as_py()
            raise ValueError(f"{name}[{i}]: expected an integer, got null")
    stats = np.column_stack([column.to_numpy() for column in columns])
    if ordered:
        _check_order(table.column(table.num_columns - 1).combine_chunks(), begins)
    shape = len(features), expected
    offsets = np.append(begins, len(features))
    return NBestList(values.to_numpy().reshape(shape), stats, offsets, metric=metric)


def _check_order(order: "Any", begins: "Any") -> None:
    """Refuse candidates of a segment of which none is the first."""
    if order.null_count:
        i = import_module("pyarrow.compute").index(order.is_null(), True).as_py()
        raise ValueError(f"order[{i}]: expected a value, got null")
    i = groups.first_repeated(order, begins)
    if i is not None:
        raise ValueError(
            f"order[{i}]: expected another value for each candidate of a segment, "
            f"got {order[i].as_py()!r} again"
        )


def _problem(
    table: "Any", begins: "Any", error: Exception, metric: "RowScoring",
    statistics: tuple[str, ...], ordered: bool,
) -> "tuple[list[Any], str]":  # fmt: skip
    """Return the first segment with a problem, and what it is."""
    import numpy as np

    keys = table.column(0)
    first = table.column(1)[0]
    n_features = len(first) if first.is_valid else None
    for begin, end in zip(begins, [*begins[1:], table.num_rows], strict=True):
        one = table.slice(begin, end - begin)
        try:
            _list_of(one, np.zeros(1, np.int64), metric, statistics, ordered, n_features)
        except (TypeError, ValueError) as own:
            key = keys[begin].as_py()
            return [key], f"segment {key!r}: {own}"
    return [keys[0].as_py()], str(error)
