"""Arrays in ``.npz`` files, which NumPy reads too, and in the memory of such files."""

import math
import struct

from rapidbleu.outputs import replacing
from rapidbleu.tuning.lists.sparse import check_pointers, make_csr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any
    from zipfile import ZipFile, ZipInfo

    import numpy as np

    from rapidbleu.typing import Array, Path

MAPPED = ("features", "stats")
MOST_HEADER = 10_012      # bytes in front of an array, of which NumPy evaluates 10,000
LOCAL_HEADER = 30         # bytes in front of a member's name
ALIGNMENT = 64            # of an array in a file
ALIGNMENT_FIELD = 0xD935  # of a header, which readers skip
ZIP64_FIELD = 20          # bytes that are added to the extra fields
MOST_RATIO = 1100         # of compression; that of deflate is 1032


def save_list(path: "Path", nbest: "Any") -> None:
    """Write an n-best list, uncompressed; the name of the file is used as it is."""
    import zipfile

    import numpy as np

    arrays: dict[str, Any] = {"stats": nbest.stats, "offsets": nbest.offsets, "ids": nbest.ids}
    arrays["names"], arrays["name_ends"] = join_texts(nbest.names)
    if nbest.is_sparse:
        matrix = nbest.features
        arrays.update(data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
    else:
        arrays["features"] = nbest.features
    if nbest.hypotheses is not None:
        arrays["hypotheses"], arrays["hypothesis_ends"] = join_texts(nbest.hypotheses)
    with replacing(path) as (file,):
        members = zipfile.ZipFile(file, "w")
        try:
            for name, array in arrays.items():
                member = zipfile.ZipInfo(f"{name}.npy")
                member.extra = _padding(file.tell() + LOCAL_HEADER + len(member.filename))
                with members.open(member, "w", force_zip64=True) as out:
                    np.lib.format.write_array(out, np.asanyarray(array), allow_pickle=False)
            members.close()
        except BaseException:
            members.fp = None  # closing what is half written would hide the error
            raise


def _padding(end: int) -> bytes:
    """Return an extra field for a member whose name ends here, so that its array is aligned."""
    length = -(end + ZIP64_FIELD) % ALIGNMENT
    length += ALIGNMENT * (length < 6)  # what an empty field takes
    return struct.pack("<HHH", ALIGNMENT_FIELD, length - 4, ALIGNMENT) + bytes(length - 6)


def load_list(path: "Path", mmap: bool) -> "dict[str, Any]":
    """Read the parts of an n-best list; with `mmap` the large ones stay in the file."""
    import zipfile

    with open(path, "rb") as file:
        try:
            length = file.seek(0, 2)
            with zipfile.ZipFile(file) as members:
                return _parts_of(_read_arrays(path, members, length, mmap))
        except (ImportError, MemoryError):
            raise
        except KeyError as error:
            raise ValueError(f"{path}: expected a saved n-best list, found no {error}") from None
        except Exception as error:  # broken archives have errors of many kinds
            what = str(error) or type(error).__name__
            raise ValueError(f"{path}: expected a saved n-best list: {what}") from None


def _read_arrays(
    path: "Path", members: "ZipFile", length: int, mmap: bool
) -> "dict[str, Any]":
    """Return the arrays of an archive of `length` bytes by their names."""
    import numpy as np

    arrays: dict[str, Any] = {}
    for member in members.infolist():
        name = member.filename.removesuffix(".npy")
        if mmap and name in MAPPED:
            arrays[name] = _map(path, member)
        else:
            _check_size(members, member, length)
            with members.open(member) as file:
                arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
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


def _parts_of(arrays: "dict[str, Any]") -> "dict[str, Any]":
    """Return what `NBestList` is made of."""
    parts: dict[str, Any] = {name: arrays[name] for name in ("stats", "offsets", "ids")}
    parts["names"] = split_texts(arrays["names"], arrays["name_ends"], "names")
    if "hypotheses" in arrays:
        texts = split_texts(arrays["hypotheses"], arrays["hypothesis_ends"], "hypotheses")
        parts["hypotheses"] = texts
    if "data" in arrays:
        data = arrays["data"], arrays["indices"], arrays["indptr"]
        shape = len(parts["stats"]), len(parts["names"])
        parts["features"] = make_csr(*data, shape, "features")
    else:
        parts["features"] = arrays["features"]
    return parts


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
