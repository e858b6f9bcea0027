"""Output files that are either replaced as a whole or left unchanged.

Data goes to a new file in the folder of the target, ``.rapidbleu-<16 digits>.tmp``, which replaces
the target atomically when it is complete. An error, a full disk or Ctrl-C removes it; only a killed
process does not. Processes that have the old file open or mapped keep its data.

Links and the mode of the old file are preserved. A read-only file is not replaced. Devices, pipes
and the target of standard output are written directly. Windows cannot replace open files.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO, TextIO

    _Path = str | os.PathLike[str]

BUFFER = 1 << 20


@contextmanager
def replacing(*paths: _Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open files that replace those at `paths` if the with statement ends without an error."""
    files: list[io.BufferedWriter] = []
    moves: list[tuple[str, str, _Path]] = []  # temporary file, target, name in errors
    try:
        for path in [os.fspath(path) for path in paths]:
            target = _target(path)
            if target is None:
                files.append(io.BufferedWriter(NamedFile(path, "wb"), BUFFER))
                continue
            name = os.path.join(os.path.dirname(target), f".rapidbleu-{os.urandom(8).hex()}.tmp")
            moves.append((name, target, path))
            files.append(io.BufferedWriter(NamedFile(name, "xb", path), BUFFER))
            with naming(path), suppress(FileNotFoundError), open(target, "r+b") as old:
                os.chmod(name, stat.S_IMODE(os.fstat(old.fileno()).st_mode))
        yield tuple(files)
        for file in files:
            file.close()
        for name, target, shown in moves:
            with naming(shown):
                os.replace(name, target)
    finally:
        for file in files:
            with suppress(OSError):
                file.raw.close()  # discarding the buffer
        for name, *_ in moves:
            with suppress(OSError):
                os.unlink(name)


def _target(path: _Path) -> str | None:
    """Return the regular file that a path refers to, existing or not; None to write directly."""
    name = os.fsdecode(path)
    try:
        status = os.stat(name)
    except FileNotFoundError:
        return os.path.realpath(name) if os.path.basename(name) else None
    except OSError:  # raised again when the file is opened
        return None
    for standard in (1, 2):
        with suppress(OSError):  # the stream is closed
            if os.path.samestat(status, os.fstat(standard)):
                return None
    return os.path.realpath(name) if stat.S_ISREG(status.st_mode) else None


@contextmanager
def replacing_text(path: _Path, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a text file that replaces an existing one, as `replacing` does."""
    with replacing(path) as (file,):
        text = io.TextIOWrapper(file, encoding)
        yield text
        text.detach()


class NamedFile(io.FileIO):
    """A file whose errors contain the path, or another name for it.

    `on_read` is called with the number of bytes of each read.
    """

    def __init__(
        self,
        path: _Path,
        mode: str,
        name: _Path | None = None,
        on_read: Callable[[int], object] | None = None,
    ) -> None:
        self.shown = path if name is None else name
        self.on_read = on_read
        with naming(self.shown):
            super().__init__(path, mode)

    def readinto(self, buffer: Any) -> Any:
        with naming(self.shown):
            n = super().readinto(buffer)
        if self.on_read is not None:
            self.on_read(n)
        return n

    def write(self, data: Any) -> Any:
        with naming(self.shown):
            return super().write(data)

    def close(self) -> None:
        with naming(self.shown):
            super().close()


@contextmanager
def naming(name: _Path) -> Iterator[None]:
    """Add the name of a file to operating system errors."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, name) from None
