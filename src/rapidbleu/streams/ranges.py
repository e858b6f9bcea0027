"""Ranges of files: some of the lines or rows, in the place of a path."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapidbleu.typing import Path

NO_LIMIT = 2**63 - 1


class FileRange(os.PathLike[str]):
    """The lines of a file of text, or the rows of a table, from one to another.

    It takes the place of the path in corpus calls, and of each path in `scan`. What comes before is
    passed over without being read as text, and row groups of Parquet files by what the file says of
    them.

    Parameters
    ----------
    path : path
    begin, end : int
        The first one, and that before which it ends, counted from 0.
    """

    def __init__(self, path: "Path", begin: int = 0, end: int = NO_LIMIT) -> None:
        self.path = os.fsdecode(path)
        self.begin = begin
        self.end = end

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"FileRange({self.path!r}, {self.begin}, {self.end})"


def ranges_of(
    paths: "Sequence[Path]", lengths: "Sequence[int]", begin: int, end: int
) -> list[FileRange]:
    """Return the ranges of files that make up one of all their rows together.

    Parameters
    ----------
    paths : sequence of paths
    lengths : sequence of int
        How many rows each file has.
    begin, end : int
        Counted from 0, over all files.

    Examples
    --------
    >>> ranges_of(["a.tsv", "b.tsv", "c.tsv"], [3, 3, 3], 4, 7)
    [FileRange('b.tsv', 1, 3), FileRange('c.tsv', 0, 1)]
    """
    found = []
    for path, n in zip(paths, lengths, strict=True):
        low, high = max(0, begin), min(n, end)
        if low < high:
            found.append(FileRange(path, low, high))
        begin, end = begin - n, end - n
    return found
