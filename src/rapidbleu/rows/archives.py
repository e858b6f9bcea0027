"""Arrays and texts in ``.npz`` files that NumPy can read.

Members are uncompressed and their arrays aligned, so that they can be memory-mapped. The checksums
in a zip archive cover only arrays, so tables and pools also have a SHA-256 of the whole file: in a
manifest for tables, and for pools in a seal, which is the comment at the end of the archive.
"""

from __future__ import annotations

import io
import struct
from contextlib import contextmanager

from rapidbleu._lib.loader import load, np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from typing import Any, BinaryIO
    from zipfile import ZipFile, ZipInfo

    from rapidbleu._types import Array, Path

MOST_HEADER = 10_012  # maximum bytes before an array, of which NumPy evaluates 10,000
LOCAL_HEADER = 30  # bytes before the name of a member
ALIGNMENT = 64  # of an array in a file
ALIGNMENT_FIELD = 0xD935  # id of a header field that readers skip
ZIP64_FIELD = 20  # bytes added to the extra fields
END = b"\xff"  # after each text; never part of UTF-8
MISSING = b"\xfe"  # in place of None; never part of UTF-8
SEAL = b"sha256:"
UNSEALED = SEAL + bytes(64)
BLOCK = 1 << 20


class HashedFile:
    """A file, written sequentially, that computes its size and SHA-256.

    If `seals`, a write of `UNSEALED` becomes the seal: the SHA-256 of all bytes before.
    """

    closed = False  # read by libraries
    seals = False

    def __init__(self, file: Any) -> None:
        self._file = file
        self.digest = load("hashlib", "sha256")()
        self.size = 0

    def write(self, data: Any) -> int:
        if self.seals and data == UNSEALED:
            data = SEAL + self.digest.hexdigest().encode()
        n = memoryview(data).nbytes
        self._file.write(data)
        self.digest.update(data)
        self.size += n
        return n

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        """Do nothing: the file is flushed at the end."""

    def close(self) -> None:
        """Do nothing: its owner closes the file."""


def digest_of(file: BinaryIO, size: int) -> str:
    """Return the SHA-256 of the first bytes of a file, and go to its beginning."""
    digest = load("hashlib", "sha256")()
    file.seek(0)
    while size > 0 and (block := file.read(min(size, BLOCK))):
        digest.update(block)
        size -= len(block)
    file.seek(0)
    return str(digest.hexdigest())


def check_seal(file: BinaryIO) -> None:
    """Refuse an archive without a seal, or with any byte that differs from the sealed ones."""
    size = file.seek(0, io.SEEK_END) - len(UNSEALED)
    file.seek(max(size, 0))
    seal = file.read()
    if not seal.startswith(SEAL):
        raise ValueError(f"with {SEAL!r} before its last 64 bytes; got {seal[: len(SEAL)]!r}")
    expected = digest_of(file, size).encode()
    got = seal.removeprefix(SEAL)
    if got != expected:
        raise ValueError(f"with the checksum {expected!r}; got {got!r}")


@contextmanager
def new_archive(file: Any, sealed: bool = False) -> Iterator[ZipFile]:
    """Open an archive in a binary file, which needs ``write``, ``flush`` and ``tell``.

    If `sealed`, the file must be a `HashedFile`.
    """
    members = load("zipfile").ZipFile(file, "w")
    try:
        yield members
        if sealed:
            members.comment = UNSEALED
            file.seals = True
        members.close()
    except BaseException:
        members.fp = None  # closing an incomplete archive would hide the error
        raise


def write_array(members: Any, name: str, array: Any) -> None:
    """Write an array as the next member of an archive."""
    member = load("zipfile").ZipInfo(f"{name}.npy")
    member.extra = _padding(members.fp.tell() + LOCAL_HEADER + len(member.filename.encode()))
    with members.open(member, "w", force_zip64=True) as out:
        np.lib.format.write_array(out, np.asanyarray(array), allow_pickle=False)


def _padding(end: int) -> bytes:
    """Return an extra field that aligns the array of a member whose name ends at `end`."""
    length = -(end + ZIP64_FIELD) % ALIGNMENT
    length += ALIGNMENT * (length < 6)  # the size of an empty field
    return struct.pack("<HHH", ALIGNMENT_FIELD, length - 4, ALIGNMENT) + bytes(length - 6)


class Archive:
    """The arrays of an archive by name, each read when it is used.

    Reading raises any error if the archive is damaged. The memory of an array is limited by the
    size of its data, not by the claims of its header.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._members = load("zipfile").ZipFile(file)
        self.members = {
            member.filename.removesuffix(".npy"): member for member in self._members.infolist()
        }

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def __getitem__(self, name: str) -> Array:
        member = self.members[name]
        data = self._members.read(member)
        shape, fortran, dtype, begin = _read_header(io.BytesIO(data), member.filename)
        array: Array = np.frombuffer(data, dtype, offset=begin)
        return array.reshape(shape, order="F" if fortran else "C")


def read_arrays(path: Path, file: BinaryIO, mapped: Container[str] = ()) -> dict[str, Any]:
    """Return the arrays of an archive by name; raise any error if it is damaged.

    Arrays named in `mapped` become read-only memory maps of the file at `path`.
    """
    archive = Archive(file)
    return {
        name: _map(path, member) if name in mapped else archive[name]
        for name, member in archive.members.items()
    }


def _read_header(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return an array's shape, Fortran order flag, type, and the length of the header.

    Unlike NumPy, never read as many bytes as the header claims.
    """
    head = io.BytesIO(file.read(MOST_HEADER))
    version = np.lib.format.read_magic(head)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(head)
    if dtype.hasobject:
        raise ValueError(f"{name} of Python objects")
    return shape, fortran, dtype, head.tell()


def _map(path: Path, member: ZipInfo) -> Array:
    if member.compress_type != 0:
        raise ValueError(f"{member.filename} in compressed form, which cannot be memory-mapped")
    with open(path, "rb") as file:
        file.seek(member.header_offset)
        header = file.read(LOCAL_HEADER)
        file.seek(sum(struct.unpack("<HH", header[26:30])), 1)  # name, extra fields
        begin = file.tell()
        shape, fortran, dtype, length = _read_header(file, member.filename)
        if fortran:
            raise ValueError(f"{member.filename} in Fortran order")
        return np.memmap(path, dtype, "r", offset=begin + length, shape=shape)


def join_texts(texts: Iterable[str | None]) -> Array:
    """Return texts as an array of bytes.

    >>> split_texts(join_texts(["a b", "", None, "c"]))
    ['a b', '', None, 'c']
    """
    parts = [MISSING if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    return np.frombuffer(END.join([*parts, b""]), np.uint8)


def split_texts(data: Array, where: str = "texts") -> list[Any]:
    """Return the texts joined by `join_texts`; errors name the array `where`."""
    if data.ndim != 1 or data.dtype != np.uint8:
        raise ValueError(f"{where}: expected bytes; got {data.dtype} of shape {data.shape}")
    *parts, rest = data.tobytes().split(END)
    if rest:
        raise ValueError(f"{where}: expected the end of the last text")
    return [None if part == MISSING else part.decode("utf-8", "surrogatepass") for part in parts]
