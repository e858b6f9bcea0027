"""Arrays in ``.npz`` files, which NumPy reads too, and texts in such arrays."""

import math
import struct
from contextlib import contextmanager

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from typing import IO, Any, BinaryIO
    from zipfile import ZipFile, ZipInfo

    import numpy as np

    from rapidbleu.typing import Array, Path

MOST_HEADER = 10_012      # bytes in front of an array, of which NumPy evaluates 10,000
LOCAL_HEADER = 30         # bytes in front of a member's name
ALIGNMENT = 64            # of an array in a file
ALIGNMENT_FIELD = 0xD935  # of a header, which readers skip
ZIP64_FIELD = 20          # bytes that are added to the extra fields
MOST_RATIO = 1100         # of compression; that of deflate is 1032


@contextmanager
def new_archive(file: "Any") -> "Iterator[ZipFile]":
    """Open an archive that is written, without compression.

    Parameters
    ----------
    file : binary file
        With ``write``, ``flush`` and ``tell``.
    """
    zipfile = load("zipfile")
    members = zipfile.ZipFile(file, "w")
    try:
        yield members
        members.close()
    except BaseException:
        members.fp = None  # closing what is half written would hide the error
        raise


def new_member(members: "ZipFile", file: "Any", name: str) -> "IO[bytes]":
    """Open the next array of an archive, which is to be written to what this returns."""
    zipfile = load("zipfile")
    member = zipfile.ZipInfo(f"{name}.npy")
    member.extra = _padding(file.tell() + LOCAL_HEADER + len(member.filename.encode()))
    return members.open(member, "w", force_zip64=True)


def _padding(end: int) -> bytes:
    """Return an extra field for a member whose name ends here, so that its array is aligned."""
    length = -(end + ZIP64_FIELD) % ALIGNMENT
    length += ALIGNMENT * (length < 6)  # what an empty field takes
    return struct.pack("<HHH", ALIGNMENT_FIELD, length - 4, ALIGNMENT) + bytes(length - 6)


def read_arrays(
    path: "Path", file: "BinaryIO", mapped: "Container[str]" = ()
) -> "dict[str, Any]":
    """Return the arrays of an archive by their names.

    Parameters
    ----------
    path : path
        Of the file.
    file : binary file
    mapped : names
        Of arrays that stay in the file, as memory maps.

    Raises
    ------
    Exception
        Of many kinds, if the archive is broken.
    """
    zipfile = load("zipfile")
    import numpy as np

    length = file.seek(0, 2)
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(file) as members:
        for member in members.infolist():
            name = member.filename.removesuffix(".npy")
            if name in mapped:
                arrays[name] = _map(path, member)
            else:
                _check_size(members, member, length)
                with members.open(member) as data:
                    arrays[name] = np.lib.format.read_array(data, allow_pickle=False)
    return arrays


def _check_size(members: "ZipFile", member: "ZipInfo", length: int) -> None:
    """Refuse an array that says it is larger than what there is of it, before memory is taken."""
    with members.open(member) as file:
        shape, _, dtype, begin = _read_header(file)
        size = math.prod(shape) * dtype.itemsize
        if begin + size != member.file_size and not dtype.hasobject:
            raise ValueError(
                f"{member.filename}: expected {size} bytes for shape {shape}, "
                f"got {member.file_size - begin}"
            )
    if member.file_size > MOST_RATIO * length:
        raise ValueError(f"{member.filename}: {member.file_size} bytes from a file of {length}")


def _read_header(file: "Any") -> "tuple[tuple[int, ...], bool, np.dtype[Any], int]":
    """Return an array's shape, whether it is in Fortran order, its type, and how long that was.

    NumPy asks for as many bytes as the header says it has.
    """
    import io

    import numpy as np

    head = io.BytesIO(file.read(MOST_HEADER))
    version = np.lib.format.read_magic(head)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    return *read(head), head.tell()


def _map(path: "Path", member: "ZipInfo") -> "Array":
    """Return an array as a map of its place in the file."""
    import numpy as np

    if member.compress_type != 0:
        raise ValueError(f"{member.filename} in compressed form, which cannot be memory-mapped")
    with open(path, "rb") as file:
        file.seek(member.header_offset)
        header = file.read(LOCAL_HEADER)
        name_length, extra_length = (int.from_bytes(header[i : i + 2], "little") for i in (26, 28))
        file.seek(name_length + extra_length, 1)
        begin = file.tell()
        shape, fortran, dtype, length = _read_header(file)
        if fortran:
            raise ValueError(f"{member.filename} in Fortran order")
        if dtype.hasobject:
            raise ValueError(f"{member.filename} of Python objects")
        return np.memmap(path, dtype, "r", offset=begin + length, shape=shape)


def join_texts(texts: "Iterable[str]") -> "tuple[Array, Array]":
    """Return texts as bytes, and where each ends.

    Examples
    --------
    >>> split_texts(*join_texts(["a b", "", "c"]))
    ['a b', '', 'c']
    """
    import numpy as np

    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ends


def split_texts(data: "Array", ends: "Array", where: str = "texts") -> list[str]:
    """Return the texts that `join_texts` joined; `where` is what errors call them."""
    import numpy as np

    if data.ndim != 1 or data.dtype != np.uint8:
        raise ValueError(f"{where}: expected bytes, got {data.dtype} of shape {data.shape}")
    check_pointers(np.append(0, ends), len(ends), len(data), f"ends of {where}")
    text, begin, texts = data.tobytes(), 0, []
    for end in ends.tolist():
        texts.append(text[begin:end].decode("utf-8", "surrogatepass"))
        begin = end
    return texts


def check_pointers(pointers: "Any", n: int, most: int, where: str) -> None:
    """Refuse what does not say where each of `n` parts of an array of length `most` ends.

    Examples
    --------
    >>> import numpy as np
    >>> check_pointers(np.array([0, 2, 1]), 2, 3, "ends")
    Traceback (most recent call last):
    ...
    ValueError: ends[2]: expected 2 to 3, got 1
    """
    check_integers(pointers, where)
    if len(pointers) != n + 1:
        raise ValueError(f"{where}: expected {n + 1} items, got {len(pointers)}")
    if pointers[0] != 0:
        raise ValueError(f"{where}[0]: expected 0, got {pointers[0]}")
    wrong = (pointers[1:] < pointers[:-1]) | (pointers[1:] > most)
    if wrong.any():
        i = int(wrong.argmax()) + 1
        raise ValueError(f"{where}[{i}]: expected {pointers[i - 1]} to {most}, got {pointers[i]}")


def check_integers(array: "Array", where: str) -> None:
    """Refuse what is no column of integers.

    Examples
    --------
    >>> import numpy as np
    >>> check_integers(np.array([0.5]), "ends")
    Traceback (most recent call last):
    ...
    TypeError: ends: expected integers, got float64
    """
    if array.ndim != 1:
        raise ValueError(f"{where}: expected one dimension, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: expected integers, got {array.dtype}")
