"""Compressed files: gzip (by isal where it is installed, or else zlib), bzip2, xz and zstd.

A file may have several members, one after the other. Whatever follows a member and is not another
one is refused: the standard library takes it for the end of bzip2 and xz files, so that damage to
the second member would lose half a corpus. Zeros may pad gzip members, and in fours xz streams.
"""

import io
from importlib import import_module

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

# The first bytes of compressed files, their modules, and the endings of their names.
MAGIC = (
    (b"\x1f\x8b", "gzip", ".gz"),
    (b"BZh", "bz2", ".bz2"),
    (b"\xfd7zXZ\0", "lzma", ".xz"),
    (b"\x28\xb5\x2f\xfd", "zstd", ".zst"),
)
COMPRESSIONS = {ending: module for _, module, ending in MAGIC}

_PADDING = {".gz": 1, ".xz": 4}  # zeros after a member come in multiples of this
_GZIP = 31  # the largest window, with the header and the checksums of gzip
_CHUNK = 1 << 17  # bytes that are read at a time
_PIECE = 1 << 18  # bytes that are decompressed at a time: still in the cache when they are copied


def compression(module: str, name: str) -> "Any":
    """Return the module of a compression, for the file `name`."""
    import sys

    if module != "zstd":
        return load(module)
    try:
        return import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        raise ImportError(
            f'{name}: reading or writing .zst files needs pip install "rapidbleu[zstd]"'
        ) from None


class Unpacked(io.RawIOBase):
    """The contents of a compressed file; those of gzip even with zlib faster than `gzip` reads.

    Parameters
    ----------
    file : binary file
        Closed with this one.
    ending : str
        The compression, a key of `COMPRESSIONS`.
    name : str
        The file in errors.

    Raises
    ------
    ImportError
        If the module is not installed.
    ValueError
        While reading: the file is cut, damaged or compressed in another way.
    """

    def __init__(self, file: "BinaryIO | io.FileIO", ending: str, name: str) -> None:
        self.file, self.ending, self.name = file, ending, name
        starts = {end: start for start, _, end in MAGIC if end != ".zst"}
        self.start = starts.get(ending, b"")  # zstd has skippable frames with other first bytes
        self.new = _decompressors(COMPRESSIONS[ending], name)
        self.member = self.new()
        self.is_new = True  # the member has seen no data
        self.left = b""  # bytes that were read and not decompressed

    def readable(self) -> bool:
        return True

    def readinto(self, view: "Any") -> int:
        data = self._decompress(min(len(view), _PIECE))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._decompress(_CHUNK), b""))

    def close(self) -> None:
        self.left, self.member = b"", None
        self.file.close()
        super().close()

    def _decompress(self, most: int) -> bytes:
        """Return up to `most` bytes, none at the end of the file."""
        while not self.member.eof or self._begin_member():
            at_end = False
            if not self.left and self.member.needs_input:
                self.left = self._read()
                at_end = not self.left
            given, self.left = self.left, b""
            if self.is_new and given[: len(self.start)] != self.start[: len(given)]:
                what = f"expected {self.ending} data, got {given[: len(self.start)]!r}"
                raise ValueError(f"{self.name}: {what}")
            try:
                data: bytes = self.member.decompress(given, most)
            except MemoryError:
                raise
            except Exception:  # each library has an error of its own
                raise ValueError(f"{self.name}: the compressed data is damaged") from None
            self.is_new = False
            if data:
                return data
            if at_end and not self.member.eof:
                raise ValueError(
                    f"{self.name}: the compressed file ended before its end was marked"
                )
        return b""

    def _begin_member(self) -> bool:
        """Skip padding and begin the next member; return False at the end of the file."""
        padding, n_zeros = _PADDING.get(self.ending, 0), 0
        left = self.member.unused_data or self._read()
        while padding and left.startswith(b"\0"):
            begun = left.lstrip(b"\0")
            n_zeros += len(left) - len(begun)
            left = begun or self._read()
        if padding and n_zeros % padding:
            raise ValueError(
                f"{self.name}: expected padding of a multiple of {padding} bytes, got {n_zeros}"
            )
        if left:
            self.left, self.member, self.is_new = left, self.new(), True
        return bool(left)

    def _read(self) -> bytes:
        return self.file.read(_CHUNK) or b""


def _decompressors(module: str, name: str) -> "Callable[[], Any]":
    """Return a function that makes a decompressor of one member, with the interface of bz2's."""
    if module == "gzip":
        return _GzipMember
    library = compression(module, name)
    makers: dict[str, Callable[[], Any]] = {
        "bz2": lambda: library.BZ2Decompressor(),
        "lzma": lambda: library.LZMADecompressor(library.FORMAT_XZ),
        "zstd": lambda: library.ZstdDecompressor(),
    }
    return makers[module]


class _GzipMember:
    """A decompressor of one member of gzip."""

    def __init__(self) -> None:
        self.member: Any = _zlib().decompressobj(_GZIP)

    @property
    def eof(self) -> bool:
        return bool(self.member.eof)

    @property
    def needs_input(self) -> bool:
        return not self.member.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return bytes(self.member.unused_data)

    def decompress(self, data: bytes, most: int) -> bytes:
        """Return up to `most` bytes."""
        return bytes(self.member.decompress(self.member.unconsumed_tail + data, most))


def _zlib() -> "Any":
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return import_module("zlib")
