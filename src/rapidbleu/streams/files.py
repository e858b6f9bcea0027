"""Files of bytes, plain or compressed.

What they are is told by their first bytes when they are read, and by the ends of their names when
they are written.
"""

import io
import os
from contextlib import contextmanager, suppress

from rapidbleu.loading.loader import load
from rapidbleu.outputs import NamedFile, replacing
from rapidbleu.parallel import STEPS, check_progress
from rapidbleu.streams.unpacking import COMPRESSIONS, MAGIC, Unpacked, compression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO

    from rapidbleu._core.input.lines import LineReader
    from rapidbleu.typing import Path, Progress

_CHUNK = 1 << 17


def file_name(path: "Path") -> str:
    """Return what messages call a file.

    Examples
    --------
    >>> file_name(b"run1.nbest".decode())
    'run1.nbest'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def open_packed(path: "Path", ending: str) -> io.BufferedReader:
    """Open a file that is compressed as an ending of `COMPRESSIONS` says; errors: `Unpacked`."""
    file = NamedFile(path, "rb")
    try:
        return io.BufferedReader(Unpacked(file, ending, file_name(path)), _CHUNK)
    except BaseException:
        file.close()
        raise


class FilesTeller:
    """Tells how many bytes of some files were read, and how many they have.

    Parameters
    ----------
    progress : callable
    paths : sequence of paths
        Of pipes and the like the size is not known; they are not counted.
    """

    def __init__(self, progress: "Progress", paths: "Sequence[Path]") -> None:
        self._progress = progress
        self._total = sum(map(_size_of, paths))
        self._done = self._told = 0

    def __call__(self, n: int) -> None:
        self._done += n
        if self._done < self._total and (self._done - self._told) * STEPS >= self._total:
            self._told = self._done
            self._progress(self._done, self._total)

    def finish(self) -> None:
        """Tell that all is read."""
        if self._total:
            self._progress(self._total, self._total)


def files_teller(
    progress: "Progress | None", paths: "Sequence[Path]"
) -> "FilesTeller | None":
    """Return what tells of the reading of files; None without `progress`."""
    check_progress(progress)
    return None if progress is None else FilesTeller(progress, paths)


def _size_of(path: "Path") -> int:
    """Return the size of a file, 0 if it is not known."""
    try:
        return os.path.getsize(path)
    except OSError:  # told by what opens it
        return 0


class _ToldFile(NamedFile):
    """A file that tells how much is read of it."""

    def __init__(self, path: "Path", tell: "Callable[[int], object]") -> None:
        super().__init__(path, "rb")
        self.tell_read = tell

    def readinto(self, buffer: "Any") -> "Any":
        n = super().readinto(buffer)
        self.tell_read(n)
        return n


def open_reader(
    path: "Path", tell: "Callable[[int], object] | None" = None, *, by_name: bool = False
) -> "LineReader":
    """Open a file for reading, decompressed on the way.

    Parameters
    ----------
    path : str or path
    tell : callable, optional
        Called with the bytes of each read.
    by_name : bool
        Refuse a file that is not compressed though its name says so.

    Returns
    -------
    LineReader
        For a with statement, which closes the file.

    Raises
    ------
    OSError
        If it cannot be opened.
    ValueError
        If it is not compressed as its name says.
    """
    load("rapidbleu._core.input.lines")
    from rapidbleu._core.input.lines import LineReader

    name = file_name(path)
    raw = NamedFile(path, "rb") if tell is None else _ToldFile(path, tell)
    file: Any = io.BufferedReader(raw, _CHUNK)
    try:
        magic = file.peek(8)
        for start, _, ending in MAGIC:
            if magic.startswith(start):
                return LineReader(Unpacked(file, ending, name), name)
        if by_name and (ending := os.path.splitext(name)[1]) in COMPRESSIONS:
            raise ValueError(f"{name}: expected a file compressed as {ending}, got another one")
        return LineReader(file, name)
    except BaseException:
        file.close()
        raise


@contextmanager
def open_outputs(*paths: "Path") -> "Iterator[tuple[BinaryIO, ...]]":
    """Open files for writing, compressed if their names end in .gz, .bz2, .xz or .zst.

    Parameters
    ----------
    *paths : str or path
        Replaced when all of them are written, see `rapidbleu.outputs`.

    Yields
    ------
    tuple of binary files
    """
    packers = [_packer(file_name(path)) for path in paths]
    with replacing(*paths) as files:
        opened = []
        try:
            for path, pack, file in zip(paths, packers, files, strict=True):
                opened.append(pack(path, file))
            yield tuple(opened)
            for output, file in zip(opened, files, strict=True):
                if output is not file:
                    output.close()
        except BaseException:
            for output in opened:
                with suppress(Exception):
                    output.close()
            raise


def _packer(name: str) -> "Callable[[Path, BinaryIO], BinaryIO]":
    """Return what compresses into a file as its name says; it takes the path and the file."""
    for _, module, end in MAGIC:
        if name.endswith(end):
            library = compression(module, name)
            if module == "gzip":  # whose header has the name of the file
                return lambda path, file: library.GzipFile(path, "wb", fileobj=file)
            return lambda _, file: library.open(file, "wb")
    return lambda _, file: file
