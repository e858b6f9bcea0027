"""Input columns: whatever a user holds segments in, checked once and frozen.

A column is a snapshot: a tuple of the caller's objects or an Arrow column, with every element
checked before any scoring starts, so that a wrong one is named by its place and nothing that
another thread does to the list can crash us.  The snapshot costs 3 ns a segment and copies no text.

The invariant which the readers rely on: every element of a column of kind TEXT is a str, or None
where segments may be missing.  The kind is settled first, by the first element that has one; only
then are the elements checked, all of them by that one kind.
"""

from libc.stdint cimport int64_t, uint8_t

from cpython.object cimport PyObject

from rapidbleu._core.arrow cimport ArrowColumn
from rapidbleu._core.arrow import import_column
from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_OBJECTS, poll_due, poll_signals


cdef extern from "Python.h":
    bint PyIndex_Check(object number)
    object PyNumber_Index(object number)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t i)
    bint PyUnicode_CheckExact(PyObject* item)
    PyObject* PyTuple_GET_ITEM(object items, Py_ssize_t i)
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)


cdef tuple KIND_NAMES = ("str", "list of str tokens", "list of integer ids", "empty list", "None")


cdef bint same_kind(Kind a, Kind b) noexcept:
    return a == b or Kind.ABSENT in (a, b) or (
        a != Kind.TEXT and b != Kind.TEXT and Kind.EMPTY in (a, b)
    )


cdef str kind_name(Kind kind):
    return KIND_NAMES[<int> kind]


cdef bint is_arrow(source):
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


cdef bint is_sequence(source):
    """Is it a sequence, by what it can do: a list, an array, a series; no string, set or dict?"""
    if isinstance(source, (list, tuple)):
        return True
    if isinstance(source, (str, bytes, bytearray, memoryview)):
        return False
    return (
        hasattr(source, "__len__") and hasattr(source, "__getitem__")
        and hasattr(source, "__iter__") and not isinstance(source, dict)
    )


cdef tuple snapshot(source, str where, str expected):
    """The elements of a sequence, frozen."""
    if type(source) is tuple:
        return <tuple> source
    if isinstance(source, str):
        raise TypeError(f"{where}: expected a sequence of {expected}, got a single str")
    if not is_sequence(source) or getattr(source, "ndim", 1) == 0:
        raise TypeError(f"{where}: expected a sequence of {expected}, got {type(source).__name__}")
    if getattr(source, "ndim", 1) == 1 and hasattr(source, "tolist"):
        source = source.tolist()  # NumPy's and pandas' strings as str
    elif hasattr(source, "to_pylist"):
        source = source.to_pylist()
    return tuple(source)


cdef Kind kind_of(item, str where) except *:
    """Kind of one segment, judged by its first element."""
    if isinstance(item, str):
        return Kind.TEXT
    if not is_sequence(item):
        raise TypeError(f"{where}: expected str, got {type(item).__name__}")
    if len(item) == 0:
        return Kind.EMPTY
    first = item[0]
    if isinstance(first, str):
        return Kind.TOKENS
    if PyIndex_Check(first):
        return Kind.IDS
    raise TypeError(
        f"{where}: expected a str, a list of str tokens or a list of integer ids, "
        f"got {type(item).__name__} of {type(first).__name__}"
    )


cdef plain_ids(item, str where):
    """Integer ids as a Buffer where they lie in one, else as a sequence of numbers."""
    cdef Buffer array = None
    if not hasattr(item, "dtype"):
        return item
    try:
        array = Buffer(item, where)
    except TypeError:
        pass
    if array is None:  # strides, another byte order, objects
        return item.tolist()
    if array.view.ndim != 1 or array.kind == c"f" and array.n_items:
        raise TypeError(f"{where}: expected a list of integer ids, got an array of {item.dtype}")
    return array


cdef id_of(number, str where):
    """An id as an int of 64 bits."""
    if not PyIndex_Check(number):
        raise TypeError(f"{where}: expected int, got {type(number).__name__}")
    number = PyNumber_Index(number)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError(f"{where}: expected an id of 64 bits, got {number}")
    return number


cdef bint all_strings(item) except -1:
    """Is it a list or tuple of exact strings?"""
    cdef Py_ssize_t k
    cdef PyObject** token
    if type(item) is not list and type(item) is not tuple:
        return False
    token = PySequence_Fast_ITEMS(item)
    for k in range(PySequence_Fast_GET_SIZE(item)):
        if not PyUnicode_CheckExact(token[k]):
            return False
    return True


cdef int check_segment(item, Kind kind, place, Py_ssize_t i) except -1:
    """Refuse a segment that is not wholly of the kind of its column."""
    cdef Py_ssize_t k
    if kind == Kind.TEXT and isinstance(item, str):
        return 0
    if kind == Kind.TOKENS and all_strings(item):  # without making its name
        return 0
    if kind == Kind.TEXT or isinstance(item, str) or not is_sequence(item):
        raise TypeError(f"{place(i)}: expected {kind_name(kind)}, got {type(item).__name__}")
    if kind == Kind.IDS:
        item = plain_ids(item, place(i))
        if isinstance(item, Buffer):
            return 0
    for k, token in enumerate(item):
        if poll_due(k, POLL_OBJECTS):
            poll_signals()
        if kind == Kind.IDS:
            id_of(token, f"{place(i)}[{k}]")
        elif not isinstance(token, str):
            raise TypeError(f"{place(i)}[{k}]: expected str, got {type(token).__name__}")
    return 0


cdef class Places:
    """Names the elements of a sequence of groups, joined to one, in errors.

    Parameters
    ----------
    where : str
        Names the sequence.
    offsets : list of int
        Those of group i are [offsets[i], offsets[i + 1]).
    kept : dict, optional
        Of groups that have lost elements, where those kept were.

    Notes
    -----
    A function made by a compiled one would keep a reference to its type for ever.
    """

    def __cinit__(self, str where not None, list offsets not None, dict kept=None):
        self.where, self.offsets, self.kept = where, offsets, kept

    def __call__(self, Py_ssize_t k):
        from bisect import bisect_right

        cdef Py_ssize_t group = bisect_right(self.offsets, k) - 1
        cdef Py_ssize_t i = k - self.offsets[group]
        if self.kept is not None and group in self.kept:
            i = self.kept[group][i]
        return f"{self.where}[{group}][{i}]"


cdef class Column:
    """A checked column of segments of one kind.

    Parameters
    ----------
    source : sequence of segments or Arrow column
        A segment is a str, a sequence of str tokens or a sequence of integer ids.
    where : str
        Names the argument in errors.
    optional : bool
        Segments may be missing (None, or null in Arrow).
    place : callable int -> str, optional
        Names one element in errors; ``where[i]`` otherwise.
    """

    def __cinit__(self, source, str where not None, *, bint optional=False, place=None):
        cdef ArrowColumn arrow
        self.place = f"{where}[{{}}]".format if place is None else place
        if is_arrow(source):
            arrow = import_column(source, where)
            if arrow.is_list:
                raise TypeError(f"{where}: expected an Arrow column of strings, got one of lists")
            if arrow.null_item >= 0 and not optional:
                raise TypeError(f"{self.place(arrow.null_item)}: expected str, got null")
            self.set_arrow(arrow, arrow.length)
        else:
            self.items = snapshot(source, where, "segments")
            self.length = len(self.items)
            self.check_items(optional)

    cdef int set_arrow(self, ArrowColumn arrow, Py_ssize_t length) except -1:
        self.arrow, self.all_str = arrow, False
        self.kind = Kind.TEXT
        self.length = length
        self.any_missing = arrow.null_item >= 0
        return 0

    cdef int check_items(self, bint optional) except -1:
        cdef Py_ssize_t i
        cdef object item
        self.kind = Kind.TEXT
        self.all_str = True
        for i in range(self.length):  # by far the most common case
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if not PyUnicode_CheckExact(PyTuple_GET_ITEM(self.items, i)):
                self.all_str = False
                break
        if self.all_str:
            return 0
        self.kind = self.find_kind(optional)
        for i, item in enumerate(self.items):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if item is None and optional:
                self.any_missing = True
            else:
                check_segment(item, self.kind, self.place, i)
        return 0

    cdef Kind find_kind(self, bint optional) except *:
        """The kind of the first item that has one: missing and empty ones fit more than one."""
        cdef Py_ssize_t i
        cdef Kind kind = Kind.ABSENT
        for i, item in enumerate(self.items):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if not (item is None and optional):
                kind = kind_of(item, self.place(i))
                if kind != Kind.EMPTY:
                    break
        return kind

    cdef bint is_missing(self, Py_ssize_t i):
        cdef const uint8_t* data
        cdef int64_t size
        if self.arrow is not None:
            return not self.arrow.get(i, &data, &size)
        return self.items[i] is None

    def __len__(self):
        return self.length

    def count_tokenized_periods(self, Py_ssize_t enough):
        """How many texts end in ' .', counted up to `enough`: a sign of tokenized input."""
        cdef Py_ssize_t i, n, count = 0
        cdef const uint8_t* data
        cdef int64_t size
        if self.kind != Kind.TEXT:
            return 0
        for i in range(self.length):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if self.arrow is not None:
                if self.arrow.get(i, &data, &size):
                    count += size > 1 and data[size - 1] == c"." and data[size - 2] == c" "
            elif self.items[i] is not None:
                n = PyUnicode_GET_LENGTH(self.items[i])
                count += (
                    n > 1 and PyUnicode_READ_CHAR(self.items[i], n - 1) == c"."
                    and PyUnicode_READ_CHAR(self.items[i], n - 2) == c" "
                )
            if count >= enough:
                break
        return count
