"""The formats of files of rows, by the endings of their names."""

import os

from rapidbleu.rows.frames import find_library, make_sink, read_frame
from rapidbleu.rows.npz import NpzSink, read_npz

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

NPZ, PARQUET, ARROW = "npz", "parquet", "arrow"
ENDINGS = {
    ".npz": NPZ, ".parquet": PARQUET, ".arrow": ARROW, ".ipc": ARROW, ".feather": ARROW,
}  # fmt: skip


def format_of(path: str) -> str:
    """Return the format of a file; ImportError if the library for it is not installed.

    Examples
    --------
    >>> format_of("part-0.NPZ")
    'npz'
    >>> format_of("part-0.csv")
    Traceback (most recent call last):
    ...
    ValueError: part-0.csv: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather
    """
    found = ENDINGS.get(os.path.splitext(path)[1].lower())
    if found is None:
        *most, last = ENDINGS
        raise ValueError(
            f"{path}: expected a name with the ending {', '.join(most)} or {last}"
        )
    if found != NPZ:
        find_library()
    return found


def sink_maker(path: str) -> "Callable[[Any, dict[str, str]], Any]":
    """Return what makes the sink of batches from a file and the types of the columns."""
    own = format_of(path)
    folder = os.path.dirname(os.path.realpath(path))
    if own == NPZ:
        return lambda file, types: NpzSink(file, types, folder)
    return lambda file, types: make_sink(file, own == PARQUET)


def read_columns(path: str, file: "BinaryIO", types: dict[str, str]) -> "dict[str, Any]":
    """Return the columns of a file; an error of any kind if they are of other types."""
    own = format_of(path)
    return read_npz(path, file, types) if own == NPZ else read_frame(file, own == PARQUET, types)
