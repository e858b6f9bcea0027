"""What n-best calls are given, checked: which segment each hypothesis belongs to, and streams."""

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.extraction import extract_nbest
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    import numpy as np

    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import Array, IntArray, Integers, NBestHypotheses, RowType

FIRST = 256  # hypotheses by which layouts of references are compared


def check_dtype(dtype: "RowType") -> "np.dtype[Any]":
    """Return the type of rows, int64 or int32.

    Examples
    --------
    >>> check_dtype("int32")
    dtype('int32')
    """
    import numpy as np

    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.int64), np.dtype(np.int32)):
        raise ValueError(f"dtype: expected int64 or int32, got {dtype!r}")
    return wanted


def check_chunk(chunk: int) -> None:
    """Refuse what is no number of hypotheses."""
    if isinstance(chunk, bool) or not isinstance(chunk, int):
        raise TypeError(f"chunk: expected int, got {type(chunk).__name__}")
    if chunk < 1:
        raise ValueError(f"chunk: expected at least 1, got {chunk}")


def check_offsets(offsets: "Integers", n: int, n_segments: "int | None") -> "IntArray":
    """Return where the hypotheses of each segment begin, as an array of its own.

    There are `n_segments`; None: any number from 1 on.

    Examples
    --------
    >>> check_offsets([0, 2, 2, 5], 5, 3)
    array([0, 2, 2, 5])
    """
    import numpy as np

    array = _integers(offsets, "offsets")
    if n_segments is None:
        n_segments = max(1, len(array) - 1)
    if len(array) != n_segments + 1:
        raise ValueError(
            f"offsets: expected {n_segments + 1} items, one more than segments of references, "
            f"got {len(array)}"
        )
    if array[0] != 0:
        raise ValueError(f"offsets[0]: expected 0, got {array[0]}")
    down = np.flatnonzero(array[1:] < array[:-1])
    if len(down):
        i = int(down[0]) + 1
        raise ValueError(f"offsets[{i}]: expected at least {array[i - 1]}, got {array[i]}")
    if array[-1] != n:
        raise ValueError(
            f"offsets[{n_segments}]: expected {n}, the number of hypotheses, got {array[-1]}"
        )
    return array.astype(np.int64)


def offsets_of(lists: "NBestHypotheses") -> list[int]:
    """Return where the hypotheses of each segment begin, and how many there are, of nested lists.

    Examples
    --------
    >>> offsets_of([["a b", "a c"], [], ["d"]])
    [0, 2, 2, 3]
    """
    nested: Any = lists
    offsets = [0]
    for several in nested:
        offsets.append(offsets[-1] + len(several))
    return offsets


def check_segments(
    segments: "Integers",
    n: int,
    n_segments: int,
    place: "Callable[[int], str]" = "segments[{}]".format,
) -> "IntArray":
    """Return the segment of each hypothesis, as an array of its own.

    Examples
    --------
    >>> check_segments([1, 1, 0], 3, 2)
    array([1, 1, 0])
    """
    import numpy as np

    array = _integers(segments, "segments")
    if len(array) != n:
        raise ValueError(f"segments: expected {n} items, as many as hypotheses, got {len(array)}")
    wrong = np.flatnonzero((array < 0) | (array >= n_segments))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f"{place(i)}: expected a segment below {n_segments}, the number of segments of "
            f"references, and not below 0, got {array[i]}"
        )
    return array.astype(np.int64)


def _integers(source: "Integers", where: str) -> "Array":
    import numpy as np

    unmasked(source, where)
    try:
        array = np.asarray(source)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"{where}: expected an array of one dimension, got {array.ndim}")
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{where}: expected integers, got {array.dtype}")
    return array


def sum_first(
    hyps: Column, segments: "IntArray"
) -> "Callable[[Extractor, ReferenceColumns | PreparedReferences], list[int]]":
    """Return what sums the rows of the first hypotheses, against any references."""
    import numpy as np

    def summed(
        extractor: "Extractor", refs: "ReferenceColumns | PreparedReferences"
    ) -> "list[int]":
        own = extractor.prepare(refs) if isinstance(refs, ReferenceColumns) else refs
        rows = np.empty((min(len(hyps), FIRST), extractor.kernel.n_stats), np.int64)
        extract_nbest(extractor, hyps, own, segments, 0, len(rows), rows)
        sums: list[int] = rows.sum(axis=0).tolist()
        return sums

    return summed


def read_pairs(
    stream: "Iterator[Any]", done: int, chunk: int, n_segments: int
) -> "tuple[Column, IntArray]":
    """Return the next hypotheses of a stream and their segments; none at its end.

    Examples
    --------
    >>> stream = iter([(1, "it rained"), (0, "the cat sat"), (1, "it rains")])
    >>> hyps, segments = read_pairs(stream, 0, 2, 2)
    >>> len(hyps), segments
    (2, array([1, 0]))
    >>> hyps, segments = read_pairs(stream, 2, 2, 2)
    >>> len(hyps), segments
    (1, array([1]))
    """
    from itertools import islice

    numbers: list[Any] = []
    hyps: list[Any] = []
    for pair in islice(stream, chunk):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            got = f"{len(pair)} items" if isinstance(pair, tuple | list) else type(pair).__name__
            raise TypeError(
                f"pairs[{done + len(hyps)}]: expected (segment, hypothesis), got {got}"
            )
        number = pair[0]
        if not hasattr(number, "__index__") or isinstance(number, bool):
            raise TypeError(
                f"pairs[{done + len(hyps)}][0]: expected int, got {type(number).__name__}"
            )
        numbers.append(number)
        hyps.append(pair[1])
    column = Column(tuple(hyps), "pairs", place=lambda i: f"pairs[{done + i}][1]")
    return column, check_segments(
        numbers, len(hyps), n_segments, lambda i: f"pairs[{done + i}][0]"
    )
