"""What executors answer for their blocks of candidates."""

from importlib import import_module

from rapidbleu.spark.blocks import PROBLEM, SEGMENTS, unpacked
from rapidbleu.tuning.parts.answers import answers_to
from rapidbleu.tuning.search.limits import variances

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.scoring import RowScoring
    from rapidbleu.tuning.search.asking import Ask

ANSWERS = f"number int, events binary, {PROBLEM} string"


def answering(
    asks: "list[Ask]", metric: "RowScoring"
) -> "Callable[[Iterator[Any]], Iterator[Any]]":
    """Return what answers asks for each block, for `mapInArrow`: rows as `ANSWERS` says.

    A block that cannot answer has a row with its problem.
    """

    def answer(batches: "Iterator[Any]") -> "Iterator[Any]":
        pyarrow = import_module("pyarrow")
        for batch in batches:
            blocks = batch.drop_columns([SEGMENTS])
            for i in range(batch.num_rows):
                [row] = blocks.slice(i, 1).to_pylist()
                events, problem = _answers(asks, row, metric, batch.column(SEGMENTS)[i])
                arrays = {
                    "number": pyarrow.array(range(len(events)), pyarrow.int32()),
                    "events": pyarrow.array(events, pyarrow.binary()),
                    PROBLEM: pyarrow.array([problem] * len(events), pyarrow.string()),
                }
                yield pyarrow.RecordBatch.from_arrays([*arrays.values()], [*arrays])

    return answer


def _answers(
    asks: "list[Ask]", row: "dict[str, Any]", metric: "RowScoring", segments: "Any"
) -> "tuple[list[bytes], str | None]":
    """Return the packed events of a block, or what its problem is."""
    try:
        found = answers_to(asks, unpacked(row, metric), lambda k: segments[k].as_py())
        return [events.pack() for events in found], None
    except ValueError as error:
        return [b""], str(error)


def variances_schema(kind: str) -> str:
    """Return the columns that `telling_variances` makes, for segments of a type.

    Examples
    --------
    >>> variances_schema("int")
    'segments array<int>, variances binary'
    """
    return f"{SEGMENTS} array<{kind}>, variances binary"


def telling_variances(metric: "RowScoring") -> "Callable[[Iterator[Any]], Iterator[Any]]":
    """Return what tells the variances of features of each block, for `mapInArrow`."""

    def tell(batches: "Iterator[Any]") -> "Iterator[Any]":
        pyarrow = import_module("pyarrow")
        for batch in batches:
            rows = batch.drop_columns([SEGMENTS]).to_pylist()
            found = [variances(unpacked(row, metric)).tobytes() for row in rows]
            arrays = [batch.column(SEGMENTS), pyarrow.array(found, pyarrow.binary())]
            yield pyarrow.RecordBatch.from_arrays(arrays, [SEGMENTS, "variances"])

    return tell
