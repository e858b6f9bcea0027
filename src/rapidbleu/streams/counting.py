"""How many segments files have, before any of them is read as text."""

from rapidbleu.streams.files import file_name, open_reader
from rapidbleu.streams.formats import format_of, lazy_frame, named, open_ipc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.typing import Path


def count_lines(path: "Path") -> int:
    """Return how many lines a file of text has, compressed or not."""
    with open_reader(path, by_name=True) as reader:
        return reader.skip_lines()


def count_rows(path: "Path") -> int:
    """Return how many rows a table has, which `scan` reads.

    Raises
    ------
    ValueError
        If the ending of the name is not known, or the file is not what it says.
    ImportError
        If a library is needed that is not installed.
    """
    return COUNTS[format_of(path)](path)


def _parquet_rows(path: "Path") -> int:
    name = file_name(path)
    with named(name):
        try:
            from pyarrow import parquet
        except ImportError:
            return _polars_rows("scan_parquet", path, name)
        with parquet.ParquetFile(path) as file:
            return int(file.metadata.num_rows)


def _ipc_rows(path: "Path") -> int:
    name = file_name(path)
    with named(name):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            return _polars_rows("scan_ipc", path, name)
        with open_ipc(path) as (_, batches):
            return sum(batch.num_rows for batch in batches)


def _polars_rows(scan: str, path: "Path", name: str) -> int:
    frame = lazy_frame(scan, path, name)
    import polars

    return int(frame.select(polars.len()).collect().item())


def _tsv_rows(path: "Path") -> int:
    return max(0, count_lines(path) - 1)


COUNTS: "dict[str, Callable[[Path], int]]" = {
    ".parquet": _parquet_rows, ".arrow": _ipc_rows, ".ipc": _ipc_rows, ".feather": _ipc_rows,
    ".tsv": _tsv_rows, ".jsonl": count_lines, ".ndjson": count_lines,
}  # fmt: skip
