"""Columns in ``.npz`` files: an array for each, and three for a text column.

Texts are UTF-8, ``<name>/utf8``; ``<name>/ends`` says where each ends, ``<name>/there`` whether
there is one.
"""

from contextlib import ExitStack
from io import BytesIO
from shutil import copyfileobj
from tempfile import TemporaryFile

from rapidbleu.rows.archives import join_texts, new_archive, new_member, read_arrays, split_texts
from rapidbleu.rows.columns import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from rapidbleu.typing import Path

BUFFERED = 1 << 24  # bytes of all columns, before they go to temporary files
COPIED = 1 << 20    # bytes at a time


class NpzSink:
    """An archive of columns of any length, which are written in batches.

    An array begins with its length, so columns wait until it is known; long ones beside the file.

    Parameters
    ----------
    file : binary file
        With ``write``, ``flush`` and ``tell``.
    types : dict of str to str
        Of the columns, by name.
    folder : str
        Where temporary files are made; they have no name there.
    """

    def __init__(self, file: "Any", types: dict[str, str], folder: str) -> None:
        self._file = file
        self._types = types
        self._waiting: dict[str, Any] = {}
        self._dtypes: dict[str, Any] = {}
        self._lengths: dict[str, int] = {}
        self._ends = dict.fromkeys(types, 0)
        self._folder = folder
        self._opened = ExitStack()
        names = [member for name, kind in types.items() for member in _members(name, kind)]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ValueError(f"keep: expected names of their own in .npz, got {name!r} again")
        self._most = max(1, BUFFERED // len(names))  # bytes of a column in memory

    def write(self, columns: "Any") -> None:
        """Write a batch of all columns."""
        import numpy as np

        for name, kind in self._types.items():
            column = columns[name]
            if kind != TEXT:
                self._append(name, column)
                continue
            data, ends = join_texts(text or "" for text in column)
            there = np.array([text is not None for text in column], bool)
            for member, array in zip(
                _members(name, kind), (data, ends + self._ends[name], there), strict=True
            ):
                self._append(member, array)
            self._ends[name] += len(data)

    def _append(self, member: str, array: "Any") -> None:
        if member not in self._waiting:
            self._waiting[member] = BytesIO()
            self._dtypes[member], self._lengths[member] = array.dtype, 0
        elif array.dtype != self._dtypes[member]:  # integers, of which some are missing
            if self._dtypes[member].kind == "i":
                self._make_floats(member, array.dtype)
            array = array.astype(self._dtypes[member])
        waiting = self._waiting[member]
        waiting.write(array.tobytes())
        self._lengths[member] += len(array)
        # SpooledTemporaryFile does this too, but prints an error if Ctrl-C comes while it is made.
        if isinstance(waiting, BytesIO) and waiting.tell() > self._most:
            file = self._opened.enter_context(TemporaryFile(dir=self._folder))  # noqa: SIM115
            file.write(waiting.getbuffer())
            self._waiting[member] = file

    def _make_floats(self, member: str, dtype: "Any") -> None:
        """Turn the integers that wait into floats, which take as many bytes."""
        import numpy as np

        waiting = self._waiting[member]
        for begin in range(0, self._lengths[member] * dtype.itemsize, COPIED):
            waiting.seek(begin)
            integers = np.frombuffer(waiting.read(COPIED), self._dtypes[member])
            waiting.seek(begin)
            waiting.write(integers.astype(dtype).tobytes())
        self._dtypes[member] = dtype

    def close(self) -> None:
        """Write the arrays."""
        from numpy.lib import format as npy

        with new_archive(self._file) as members:
            for name, waiting in self._waiting.items():
                header = {
                    "descr": npy.dtype_to_descr(self._dtypes[name]),
                    "fortran_order": False,
                    "shape": (self._lengths[name],),
                }
                waiting.seek(0)
                with new_member(members, self._file, name) as out:
                    npy.write_array_header_1_0(out, header)
                    copyfileobj(waiting, out, COPIED)

    def discard(self) -> None:
        """Give temporary files back."""
        self._opened.close()


def read_npz(path: "Path", file: "BinaryIO", types: dict[str, str]) -> "dict[str, Any]":
    """Read columns of these types; ValueError or KeyError if there are others."""
    arrays = read_arrays(path, file)
    columns: dict[str, Any] = {}
    for name, kind in types.items():
        members = [arrays.pop(member) for member in _members(name, kind)]
        if kind == TEXT:
            data, ends, there = members
            texts = split_texts(data, ends, name)
            if there.dtype != bool or there.shape != ends.shape:
                raise ValueError(f"{name}/there: expected {len(ends)} bools")
            columns[name] = [
                text if is_there else None for text, is_there in zip(texts, there, strict=True)
            ]
        elif members[0].ndim != 1 or members[0].dtype != kind:
            raise ValueError(f"{name}: expected a column of {kind}, got {members[0].dtype}")
        else:
            columns[name] = members[0]
    if arrays:
        raise ValueError(f"expected columns {', '.join(types)}, got {', '.join(arrays)} too")
    return columns


def _members(name: str, kind: str) -> list[str]:
    return [f"{name}/{part}" for part in ("utf8", "ends", "there")] if kind == TEXT else [name]
