"""Files that are written: replaced as a whole, or left as they were.

Bytes go to a new file in the folder of the target, ``.rapidbleu-<16 digits>.tmp``. When all of them
are on the disk, it takes the place of the target in one step of the system. Until then, an error, a
full disk or Ctrl-C removes the new file; a process that is killed leaves it behind. A process that
has the old file open or mapped keeps its data. All outputs of the library and of its commands go
this way.

- A symbolic link stays; the file that it leads to is replaced. Other names of that file (hard
  links) keep the old content.
- The new file has the mode and, where the system allows it, the owner of the old one; a file that
  was not there has the mode that the umask gives.
- A file that may not be written is not replaced either. The folder must allow new files, and the
  disk needs room for both.
- What is no regular file (a pipe, a terminal, ``/dev/full``) is written directly, as is everything
  that is reached through ``/dev`` or ``/proc``, such as ``/dev/stdout``.
- On Windows, a file that is mapped or open cannot be replaced: that is a PermissionError, and
  nothing is lost.

Errors of the system name the file as the caller did.
"""

import io
import os
import stat
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO, TextIO

    from rapidbleu.typing import Path

BUFFER = 1 << 20
MOST_LINKS = 40  # from one to the next, before they are taken for a circle
DEVICES = ("/dev/", "/proc/")
SHARED_MEMORY = "/dev/shm/"  # where files are regular


@contextmanager
def replacing(*paths: "Path") -> "Iterator[tuple[BinaryIO, ...]]":
    """Open files that replace others at the end of a with statement, unless it ends by an error.

    Parameters
    ----------
    *paths : path
        None of them is replaced before all are written.

    Yields
    ------
    tuple of binary files

    Raises
    ------
    OSError
        Names one of `paths`.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "weights")
    ...     with replacing(path) as (file,):
    ...         _ = file.write(b"0.5")
    ...         print(os.path.exists(path))
    ...     print(os.listdir(folder))
    False
    ['weights']
    """
    outputs: list[_Output] = []
    try:
        for path in paths:
            outputs.append(_Output(path))
            outputs[-1].open()
        yield tuple(output.file for output in outputs)
        for output in outputs:
            output.finish()
        for output in outputs:
            output.replace()
    finally:
        for output in outputs:
            output.discard()


@contextmanager
def replacing_text(path: "Path", encoding: str = "utf-8") -> "Iterator[TextIO]":
    """Open a text file that replaces another at the end of a with statement, as `replacing` does.

    Parameters
    ----------
    path : path
    encoding : str

    Yields
    ------
    text file
    """
    with replacing(path) as (file,):
        text = io.TextIOWrapper(file, encoding)
        yield text
        text.detach()


class NamedFile(io.FileIO):
    """A file whose errors name it as the caller did.

    Parameters
    ----------
    path : path
    mode : str
        As of `io.FileIO`.
    name : path, optional
        What errors call it; `path` by default.
    """

    def __init__(self, path: "Path", mode: str, name: "Path | None" = None) -> None:
        self.shown = path if name is None else name
        with naming(self.shown):
            super().__init__(path, mode)

    def readinto(self, buffer: "Any") -> "Any":
        with naming(self.shown):
            return super().readinto(buffer)

    def write(self, data: "Any") -> "Any":
        with naming(self.shown):
            return super().write(data)

    def close(self) -> None:
        with naming(self.shown):
            super().close()


@contextmanager
def naming(name: "Path") -> "Iterator[None]":
    """Let errors of the system name a file.

    Examples
    --------
    >>> with naming("weights"):
    ...     raise OSError(28, "No space left on device", "hidden.tmp")
    Traceback (most recent call last):
    ...
    OSError: [Errno 28] No space left on device: 'weights'
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, name) from None


class _Output:
    """A file to be written, and the new one beside it."""

    def __init__(self, path: "Path") -> None:
        self.path = os.fspath(path)
        self.target = _find_target(os.fsdecode(path))
        self.new: str | None = None  # as long as it is there
        self.file: io.BufferedWriter

    def open(self) -> None:
        if self.target is None:
            self.file = io.BufferedWriter(NamedFile(self.path, "wb"), BUFFER)
            return
        with naming(self.path):
            old = _status_if_writable(self.target)
            folder = os.path.dirname(self.target)
            self.new = os.path.join(folder, f".rapidbleu-{os.urandom(8).hex()}.tmp")
            self.file = io.BufferedWriter(NamedFile(self.new, "xb", self.path), BUFFER)
            if old is not None:
                _resemble(self.new, old)

    def finish(self) -> None:
        """Write what is left to the disk."""
        self.file.flush()
        if self.new is not None:
            with naming(self.path):
                os.fsync(self.file.fileno())
        self.file.close()

    def replace(self) -> None:
        if self.new is not None and self.target is not None:
            with naming(self.path):
                os.replace(self.new, self.target)
            self.new = None

    def discard(self) -> None:
        """Remove what did not replace anything; what is in the buffer yet is not written."""
        if hasattr(self, "file"):
            with suppress(OSError):
                self.file.raw.close()
        if self.new is not None:
            with suppress(OSError):
                os.unlink(self.new)


def _find_target(path: str) -> "str | None":
    """Return the regular file that a path leads to, there or not; None: to be written directly."""
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if not name or _has_devices(f"{folder}/"):
            return None
        path = os.path.join(folder, name)
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                path = os.path.join(folder, os.readlink(path))
                continue
        except FileNotFoundError:
            return path
        except OSError:  # opening it tells why
            return None
        return path if stat.S_ISREG(mode) else None
    return None


def _has_devices(folder: str) -> bool:
    return folder.startswith(DEVICES) and not folder.startswith(SHARED_MEMORY)


def _status_if_writable(path: str) -> "os.stat_result | None":
    """Return what the system says of a file, None if it is not there; refuse what is read-only."""
    try:
        descriptor = os.open(path, os.O_WRONLY)
    except FileNotFoundError:
        return None
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _resemble(path: str, old: os.stat_result) -> None:
    """Give a new file the owner and the mode of an old one."""
    new = os.stat(path)
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(old.st_mode):
        os.chmod(path, stat.S_IMODE(old.st_mode))
