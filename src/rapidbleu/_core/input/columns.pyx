"""Buffers, rows of counts, columns of segments and references, validated once for all kernels."""

import sys

cimport cython
from libc.stdint cimport (
    int16_t, int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t, uintptr_t,
)
from libc.string cimport memcpy

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release,
    PyObject_CheckBuffer, PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear, PyErr_ExceptionMatches
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact

from rapidbleu._core.common cimport (
    POLL_CELLS, POLL_OBJECTS, allocate, grow, poll_due, poll_signals, poll_without_gil, unshared,
)
from rapidbleu._core.input cimport RB_ALIGNED, RB_PLAIN, rb_array_has, rb_ndarray
from rapidbleu._core.input.arrow import import_column
from rapidbleu._lib.loader import load


# Borrowed arrays: the memory of a NumPy array, `array.array` or memoryview, without NumPy. A raw
# `Py_buffer` imports in 0.3 ms; typed memoryviews cost 3 ms and 165 kB in every module.


cdef bytes NATIVE = b"@=<" if sys.byteorder == "little" else b"@=>!"
cdef char ORDER = NATIVE[2]  # of bytes, of this machine


cdef char number_kind(const Py_buffer* view) noexcept nogil:
    """Return 'i' if the items are signed integers, 'u' unsigned, 'f' floating, 0 otherwise."""
    cdef const char* code = view.format
    if code == NULL:
        return c"u"  # bytes
    if code[0] in b"@=" or code[0] == ORDER:
        code += 1
    if code[0] == 0 or code[1] != 0:
        return 0
    if code[0] in b"bhilqn":
        return c"i"
    if code[0] in b"fd" or code[0] == c"g" and view.itemsize == sizeof(double):
        return c"f"  # NumPy calls a long double of this size float64
    return c"u" if code[0] in b"BHILQN" else 0


cdef class Buffer:
    """Items of a C-contiguous buffer, held while this object lives; errors call it `where`."""

    def __cinit__(self, source, str where, /, *, bint writable=False):
        cdef int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (PyBUF_WRITABLE if writable else 0)
        try:
            PyObject_GetBuffer(source, &self.view, flags)
        except (BufferError, TypeError, ValueError) as error:
            raise TypeError(f"{where}: expected a C-contiguous array; got {error}") from None
        self.held = True
        self.data = self.view.buf
        self.item_size = self.view.itemsize
        self.n_items = self.view.len // self.item_size if self.item_size else 0
        if self.n_items and <size_t> self.data % <size_t> self.item_size:
            raise TypeError(f"{where}: expected an aligned array")
        self.kind = number_kind(&self.view)
        if self.kind == 0:
            code = (<bytes> self.view.format).lstrip(NATIVE).decode()
            raise TypeError(f"{where}: expected numbers; got items of format {code!r}")

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)

    cdef int require(self, char kind, Py_ssize_t item_size, Py_ssize_t n_items, where) except -1:
        if self.kind != kind or self.item_size != item_size or self.n_items != n_items:
            raise ValueError(
                f"{where}: expected {n_items} items of kind {chr(kind)}{8 * item_size}; "
                f"got {self.n_items} of kind {chr(self.kind)}{8 * self.item_size}"
            )
        return 0


# Counts used in place. An array of 64-bit or 32-bit integers in C order is read through a
# `Py_buffer` on the stack: opening one takes 30 ns, all of it NumPy's, whereas a `Buffer` object
# takes as long as scoring twenty rows. Callers convert any other integers and report precise
# errors. A single row that is read before Python code runs again need not be opened
# (`point_at_row`). Sums check the values in the same pass: the combined bits of all counts show
# whether one may be negative, or so high that a total might overflow.

cdef extern from "Python.h":
    int get_buffer "PyObject_GetBuffer" (object source, Py_buffer* view, int flags) noexcept


cdef int open_counts(CountsC* counts, object source, int ndim, int64_t row_length) except -1:
    """Open an array of one or two dimensions, the last of size `row_length` (-1: any). Returns
    False if the source must be converted first."""
    cdef Py_buffer* view = &counts.view
    counts.held, counts.wide, counts.narrow = False, NULL, NULL
    if not PyObject_CheckBuffer(source):
        return False
    if get_buffer(source, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0:
        if not PyErr_ExceptionMatches((BufferError, TypeError, ValueError)):
            return -1
        PyErr_Clear()  # not in C order, or not of a simple type
        return False
    if (
        view.ndim == ndim and (row_length < 0 or view.shape[ndim - 1] == row_length)
        and view.format != NULL and view.format[0] in b"ilq" and view.format[1] == 0
        and <size_t> view.buf % <size_t> view.itemsize == 0
    ):
        if view.itemsize == sizeof(int64_t):
            counts.wide = <const int64_t*> view.buf
        elif view.itemsize == sizeof(int32_t):
            counts.narrow = <const int32_t*> view.buf
    if counts.wide == NULL and counts.narrow == NULL:
        PyBuffer_Release(view)
        return False
    counts.held, counts.n = True, view.shape[0]
    return True


cdef int open_list(CountsC* counts, int64_t* row, object source, int64_t row_length) except -1:
    """Copy a list or tuple of ints to `row` and open that; False for anything else."""
    cdef int overflow = 0
    cdef int64_t j
    if not (PyList_CheckExact(source) or PyTuple_CheckExact(source)):
        return False
    if len(source) != row_length:
        return False
    for j in range(row_length):
        item = source[j]
        if not PyLong_CheckExact(item):
            return False
        row[j] = PyLong_AsLongLongAndOverflow(item, &overflow)
        if overflow:
            return False
    counts.held, counts.wide, counts.narrow, counts.n = False, row, NULL, 1
    return True


cdef object NDARRAY = None, INT64 = None  # once verified
cdef object LOOKING = object()  # lock of the verification


cdef ArrayKindC int64_arrays() except *:
    """Return the type and dtype that `point_at_row` accepts, verifying NumPy's layout once."""
    cdef ArrayKindC kind
    with cython.critical_section(LOOKING):
        if NDARRAY is None:
            look_at_arrays()
        kind.type = NULL if NDARRAY is False else <PyObject*> NDARRAY
        kind.dtype = <PyObject*> INT64
    return kind


cdef int look_at_arrays() except -1:
    global NDARRAY, INT64
    import numpy as np

    whole = np.arange(7)[1:].astype(np.int64)
    INT64 = np.dtype(np.int64)
    NDARRAY = np.ndarray if (
        np.ndarray.__basicsize__ >= sizeof(rb_ndarray)
        and has_fields(whole, None, RB_PLAIN)
        and has_fields(whole[::2], whole, RB_ALIGNED)
    ) else False
    return 0


cdef bint has_fields(array, base, int plain) except -1:
    return rb_array_has(
        <PyObject*> array, <void*> <uintptr_t> array.__array_interface__["data"][0], len(array),
        array.strides[0], NULL if base is None else <PyObject*> base, <PyObject*> INT64, plain,
    )


cdef int refuse(const CountsC* counts, int64_t place, str where) except -1:
    """Raise the error for a count that cannot be added."""
    cdef int64_t count = count_at(counts, place)
    if count < 0:
        raise ValueError(f"{where}: expected a count; got {count}")
    if too_high(count):
        raise ValueError(f"{where}: expected at most 2**{<int> HIGHEST_BIT}; got {count}")
    raise ValueError(
        f"{where}: expected a total of at most 2**{<int> HIGHEST_BIT}, but {count} exceeds that"
    )


# Input columns: segments in any container, validated once and frozen. A column is a snapshot,
# either a tuple of the caller's objects or an Arrow column, with every element checked before
# scoring starts: errors name the position of a wrong element, and changes that other threads make
# to the list are harmless. The snapshot takes 3 ns a segment and copies no text. Readers rely on
# this invariant: every element of a TEXT column is a str, or None where segments may be missing.
# The first element with a kind determines the kind; then all elements are checked against it.

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
    """Does it behave like a list, array or series, and not like a string, set or dict?"""
    if isinstance(source, (list, tuple)):
        return True
    if isinstance(source, (str, bytes, bytearray, memoryview)):
        return False
    return (
        hasattr(source, "__len__") and hasattr(source, "__getitem__")
        and hasattr(source, "__iter__") and not isinstance(source, dict)
        and getattr(source, "ndim", 1) != 0
    )


cdef tuple snapshot(source, str where, str expected):
    if type(source) is tuple or type(source) is list:
        return tuple(source)
    if isinstance(source, str):
        raise TypeError(f"{where}: expected a sequence of {expected}; got a single str")
    if not is_sequence(source):
        raise TypeError(f"{where}: expected a sequence of {expected}; got {type(source).__name__}")
    if dimensions(source) > 1:
        source = as_array(source, where)
    if getattr(source, "ndim", 1) == 1 and hasattr(source, "tolist"):
        source = source.tolist()  # converts NumPy and pandas strings to str
    elif hasattr(source, "to_pylist"):
        source = source.to_pylist()
    return tuple(source)


cdef Kind kind_of(item, str where) except *:
    if isinstance(item, str):
        return Kind.TEXT
    if not is_sequence(item):
        raise TypeError(f"{where}: expected str; got {type(item).__name__}")
    if len(item) == 0:
        return Kind.EMPTY
    first = item[0]
    if isinstance(first, str):
        return Kind.TOKENS
    if PyIndex_Check(first):
        return Kind.IDS
    raise TypeError(
        f"{where}: expected a str, a list of str tokens or a list of integer ids; "
        f"got {type(item).__name__} of {type(first).__name__}"
    )


cdef bint is_array(source):
    return hasattr(source, "__array__") or hasattr(source, "__dlpack__")


cdef Py_ssize_t dimensions(source) except -1:
    """Return the dimensions of an array; 1 for anything else."""
    return getattr(source, "ndim", 1) if is_array(source) and not hasattr(source, "columns") else 1


cdef as_array(source, where, Py_ssize_t i=-1):
    """Convert an array of any library to NumPy, sharing memory if possible. Arrays with masked
    items become lists with None. Errors call it `where` or where(i)."""
    if hasattr(source, "mask"):
        return source.tolist()
    try:
        if hasattr(source, "__array__"):
            return source.__array__()
        return load("numpy").from_dlpack(source)
    except (BufferError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        if getattr(source, "requires_grad", False):
            return as_array(source.detach(), where, i)
        raise TypeError(
            f"{where if i < 0 else where(i)}: expected an array in the memory of the CPU, such as "
            f".cpu() returns; got {type(source).__name__}: {error}"
        ) from None


cdef void widen(
    const char* item, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t item_size, bint is_signed,
    uint64_t* out,
) noexcept nogil:
    """Write n strided integers as 64 bits; signed ones modulo 2**64."""
    cdef int32_t four
    cdef int16_t two
    cdef Py_ssize_t k
    for k in range(n):
        if item_size == 8:
            memcpy(&out[k], item, 8)
        elif item_size == 4:
            memcpy(&four, item, 4)
            out[k] = <uint64_t> <int64_t> four if is_signed else <uint32_t> four
        elif item_size == 2:
            memcpy(&two, item, 2)
            out[k] = <uint64_t> <int64_t> two if is_signed else <uint16_t> two
        else:
            out[k] = <uint64_t> <int64_t> (<int8_t*> item)[0] if is_signed else (<uint8_t*> item)[0]
        item += stride


cdef uint64_t id_of(number, place, Py_ssize_t i, Py_ssize_t k) except? 0:
    """Convert any integer to an id, modulo 2**64."""
    try:  # NumPy 1 converts its bool_, with a warning
        is_bool = isinstance(number, bool) or type(number).__name__ == "bool_"
        whole = None if is_bool else PyNumber_Index(number)
    except TypeError:
        whole = None
    if whole is None:
        raise TypeError(f"{place(i)}[{k}]: expected int; got {type(number).__name__}")
    if not -(1 << 63) <= whole < 1 << 64:
        raise ValueError(f"{place(i)}[{k}]: expected an id of 64 bits; got {whole}")
    return <uint64_t> (whole if whole >= 0 else whole + (1 << 64))


cdef bint all_strings(item) except -1:
    """Is it a list or tuple of exact strings?"""
    cdef Py_ssize_t k
    cdef PyObject** token
    if type(item) is not list and type(item) is not tuple:
        return False
    item = unshared(item)
    token = PySequence_Fast_ITEMS(item)
    for k in range(PySequence_Fast_GET_SIZE(item)):
        if not PyUnicode_CheckExact(token[k]):
            return False
    return True


cdef int check_segment(item, Kind kind, place, Py_ssize_t i) except -1:
    cdef Py_ssize_t k
    if kind == Kind.TEXT and isinstance(item, str):
        return 0
    if kind == Kind.TOKENS and all_strings(item):  # without building its name
        return 0
    if kind == Kind.TEXT or isinstance(item, str) or not is_sequence(item):
        raise TypeError(f"{place(i)}: expected {kind_name(kind)}; got {type(item).__name__}")
    for k, token in enumerate(item):
        if poll_due(k, POLL_OBJECTS):
            poll_signals()
        if not isinstance(token, str):
            raise TypeError(f"{place(i)}[{k}]: expected str; got {type(token).__name__}")
    return 0


cdef class Places:
    """Name elements of concatenated groups in errors.

    `where` names the sequence, or is a function that names a group; group i has the elements
    [offsets[i], offsets[i + 1]). `kept` contains the original positions in groups that lost
    elements. A class, because a closure of a compiled class would keep its type alive forever.
    """

    def __cinit__(self, where not None, list offsets not None, dict kept=None, /):
        self.where, self.offsets, self.kept = where, offsets, kept

    def __call__(self, Py_ssize_t k):
        cdef Py_ssize_t group = load("bisect", "bisect_right")(self.offsets, k) - 1
        cdef Py_ssize_t i = k - self.offsets[group]
        if self.kept is not None and group in self.kept:
            i = self.kept[group][i]
        name = self.where(group) if callable(self.where) else f"{self.where}[{group}]"
        return f"{name}[{i}]"


cdef class Column:
    """A validated column of segments of one kind: a sequence or an Arrow column.

    A segment is a str, or a sequence of str tokens or integer ids; in an `optional` column it may
    be missing (None, or null in Arrow). `place` names an element in errors, ``where[i]`` otherwise.
    """

    def __cinit__(self, source, str where not None, *, bint optional=False, place=None):
        cdef ArrowColumn arrow
        self.place = f"{where}[{{}}]".format if place is None else place
        if is_arrow(source):
            arrow = import_column(source, where, place)
            if arrow.is_list:
                raise TypeError(f"{where}: expected an Arrow column of strings; got one of lists")
            if arrow.null_item >= 0 and not optional:
                raise TypeError(f"{self.place(arrow.null_item)}: expected str; got null")
            self.set_arrow(arrow, arrow.length)
        else:
            if dimensions(source) == 2:
                source = as_array(source, where)
                if getattr(source, "size", 0) and self.take_array(source, 0, 2):
                    return
            self.items = snapshot(source, where, "segments")
            self.length = len(self.items)
            self.check_items(optional)

    def __dealloc__(self):
        PyMem_RawFree(self.ids)
        PyMem_RawFree(self.ends)

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
        if self.kind == Kind.IDS:
            self.open_ids(self.length)
        for i, item in enumerate(self.items):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if item is None and optional:
                self.any_missing = True
            elif self.kind == Kind.IDS:
                self.take_ids(item, i)
            else:
                check_segment(item, self.kind, self.place, i)
            if self.kind == Kind.IDS:
                self.ends[i + 1] = self.n_ids
        return 0

    cdef int open_ids(self, Py_ssize_t length) except -1:
        self.kind, self.length = Kind.IDS, length
        self.ends = <int64_t*> allocate(<int64_t> length + 1, sizeof(int64_t))
        self.ends[0] = 0
        return 0

    cdef int take_ids(self, item, Py_ssize_t i) except -1:
        if PyList_CheckExact(item) or PyTuple_CheckExact(item):
            return self.take_numbers(unshared(item), i)
        if not isinstance(item, (bytes, bytearray, memoryview)) and self.take_array(item, i, 1):
            return 0
        if not is_array(item):
            if not is_sequence(item):
                raise TypeError(
                    f"{self.place(i)}: expected {kind_name(self.kind)}; got {type(item).__name__}"
                )
            return self.take_numbers(tuple(item), i)
        array = as_array(item, self.place, i)
        if self.take_array(array, i, 1):
            return 0
        if not isinstance(array, list):
            if array.ndim != 1 or array.size and array.dtype.kind not in "iuO":
                raise TypeError(
                    f"{self.place(i)}: expected a list of integer ids; got an array of "
                    f"{array.dtype} and shape {array.shape}"
                )
            array = array.tolist()
        return self.take_numbers(array, i)

    cdef int take_numbers(self, items, Py_ssize_t i) except -1:
        """Append the ids in a list or tuple, which a signal handler may change meanwhile."""
        cdef Py_ssize_t k = 0
        cdef PyObject* item
        cdef int overflow = 0
        cdef uint64_t number
        while k < PySequence_Fast_GET_SIZE(items):
            item = PySequence_Fast_ITEMS(items)[k]
            if PyLong_CheckExact(<object> item):
                number = <uint64_t> PyLong_AsLongLongAndOverflow(<object> item, &overflow)
            if overflow or not PyLong_CheckExact(<object> item):
                number = id_of(<object> item, self.place, i, k)
                overflow = 0
            if self.n_ids == self.capacity:
                grow(<void**> &self.ids, &self.capacity, self.n_ids + 64, sizeof(uint64_t))
            self.ids[self.n_ids] = number
            self.n_ids += 1
            k += 1
            if poll_due(k, POLL_OBJECTS):
                poll_signals()
        return 0

    cdef bint take_array(self, source, Py_ssize_t first, int ndim) except -1:
        """Append an array of integers as segment `first`; False if it must be converted. A
        two-dimensional array is the whole column. Its rows are read in place because creating an
        array for each would take longer than reading its ids."""
        cdef Py_buffer view
        cdef bint has_ids = False
        cdef int64_t n
        if not PyObject_CheckBuffer(source) or hasattr(source, "mask"):
            return False
        try:
            PyObject_GetBuffer(source, &view, PyBUF_STRIDES | PyBUF_FORMAT)
        except (BufferError, TypeError, ValueError):
            return False
        try:
            if view.ndim == ndim and number_kind(&view) in b"iu":
                has_ids = True
                if ndim == 2:
                    self.open_ids(view.shape[0])
                n = view.shape[0] * (view.shape[1] if ndim == 2 else 1)
                if self.n_ids + n > self.capacity:
                    grow(<void**> &self.ids, &self.capacity, self.n_ids + n, sizeof(uint64_t))
                if n < POLL_CELLS:
                    self.take_rows(&view, first)
                else:
                    with nogil:
                        self.take_rows(&view, first)
        finally:
            PyBuffer_Release(&view)
        return has_ids

    cdef int take_rows(self, const Py_buffer* view, Py_ssize_t first) except -1 nogil:
        """Append the rows of an array, for which there is room; one dimension is a single row."""
        cdef Py_ssize_t n_rows = view.shape[0] if view.ndim == 2 else 1, row, begin, n
        cdef Py_ssize_t row_length = view.shape[view.ndim - 1], stride = view.strides[view.ndim - 1]
        cdef bint is_signed = number_kind(view) == c"i"
        for row in range(n_rows):
            begin = 0
            while begin < row_length:
                n = min(row_length - begin, <Py_ssize_t> POLL_CELLS)
                widen(
                    <const char*> view.buf + row * view.strides[0] + begin * stride, stride, n,
                    view.itemsize, is_signed, self.ids + self.n_ids,
                )
                self.n_ids += n
                begin += n
                if self.n_ids // POLL_CELLS > (self.n_ids - n) // POLL_CELLS:
                    poll_without_gil(NULL)
            self.ends[first + row + 1] = self.n_ids
        return 0

    cdef Kind find_kind(self, bint optional) except *:
        """Return the kind of the first item that is neither missing nor empty, if any."""
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
        return self.items is not None and self.items[i] is None

    def __len__(self):
        return self.length

    def count_tokenized_periods(self, Py_ssize_t enough, /):
        """Count the texts that end in ' .', up to `enough`: a sign of tokenized input."""
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


# References of a corpus: columns, and the elements that belong to each segment. References are
# streams, ``[stream][segment]`` with None where a segment has no such reference, or given by
# segment, ``[segment][reference]``. Streams remain columns; the second layout is flattened to one
# column with offsets, like an Arrow column of lists. A segment without references is an error.


cdef class ReferenceColumns:
    """Validated references of a corpus, in either layout.

    `source` is ``[stream][segment]``, ``[segment][reference]``, an Arrow column of lists of strings
    (by segment in either layout), or a Column as the only stream; a stream may be a Column. `place`
    names a segment's references in errors, otherwise ``where[i]``, or ``where: segment i`` without
    any.
    """

    def __cinit__(self, source, str layout not None, str where="references", place=None, /):
        cdef Column column
        cdef Py_ssize_t i, telling = 0
        if isinstance(source, Column):
            self.columns = [source]
            self.length = (<Column> source).length
        elif is_arrow(source):
            self.take_arrow_lists(import_column(source, where, place), where)
        elif layout == "stream":
            self.take_streams(source, where)
        else:
            self.take_segments(source, where, place)
        self.kind = Kind.ABSENT
        for i, column in enumerate(self.columns):
            if not same_kind(self.kind, column.kind):
                raise TypeError(
                    f"{where}[{i}]: expected segments of {kind_name(self.kind)} as in "
                    f"{where}[{telling}]; got {kind_name(column.kind)}"
                )
            if column.kind < self.kind:
                self.kind, telling = column.kind, i
        self.count_all(where, place)

    def __dealloc__(self):
        PyMem_RawFree(self.first)
        PyMem_RawFree(self.n_present)

    def __len__(self):
        return self.length

    cdef int take_streams(self, source, str where) except -1:
        cdef Column column
        cdef tuple streams = snapshot(source, where, "reference streams")
        cdef Py_ssize_t i
        if not streams:
            raise ValueError(f"{where}: expected at least one stream of references; got none")
        self.columns = []
        for i, stream in enumerate(streams):
            if isinstance(stream, Column):
                column = stream
            elif not is_arrow(stream) and not is_sequence(stream):
                raise TypeError(
                    f"{where}[{i}]: expected a stream of segments; got {type(stream).__name__}; "
                    f"references are [stream][segment]: one list of them goes in brackets, [refs]"
                )
            else:
                column = Column(stream, f"{where}[{i}]", optional=True)
            if i and column.length != self.length:
                raise ValueError(
                    f"{where}[{i}]: expected {self.length} segments as in {where}[0]; got "
                    f"{column.length}; references are [stream][segment] unless layout='segment'"
                )
            self.length = column.length
            self.columns.append(column)
        return 0

    cdef int take_segments(self, source, str where, place) except -1:
        cdef tuple segments = snapshot(source, where, "segments' references")
        cdef tuple segment
        cdef list references = [], offsets = [0]
        cdef dict kept = {}
        cdef Py_ssize_t i
        self.length = len(segments)
        self.first = <int64_t*> allocate(<int64_t> self.length + 1, sizeof(int64_t))
        self.first[0] = 0
        for i, given in enumerate(segments):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
                with nogil:  # lets other threads run before the switch interval of 5 ms
                    pass
            if type(given) is tuple:  # without building its name
                segment = <tuple> given
            else:
                name = f"{where}[{i}]" if place is None else place(i)
                segment = snapshot(given, name, "references")
            for reference in segment:
                if reference is not None:
                    references.append(reference)
            if len(references) - self.first[i] < len(segment):
                kept[i] = present(segment)
            offsets.append(len(references))
            self.first[i + 1] = len(references)
        names = Places(where if place is None else place, offsets, kept)
        self.columns = [Column(tuple(references), where, place=names)]
        return 0

    cdef int take_arrow_lists(self, ArrowColumn lists, str where) except -1:
        cdef Column column
        if not lists.is_list:
            raise TypeError(
                f"{where}: expected streams of segments; got one Arrow column of strings; "
                f"references are [stream][segment]: one column goes in brackets, [refs]"
            )
        column = Column((), where)
        column.set_arrow(lists, lists.n_strings)
        column.any_missing = lists.any_null_string
        self.columns = [column]
        self.lists = lists
        self.length = lists.length
        if column.any_missing:
            self.count_present(column)
        return 0

    cdef int count_present(self, Column column) except -1:
        """Count nulls once, and not per list, because lists may share strings."""
        cdef Py_ssize_t i
        self.n_present = <int64_t*> allocate(<int64_t> column.length + 1, sizeof(int64_t))
        self.n_present[0] = 0
        for i in range(column.length):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            self.n_present[i + 1] = self.n_present[i] + (not column.is_missing(i))
        return 0

    cdef Py_ssize_t count(self, Py_ssize_t segment) except -1:
        cdef Column column = self.columns[0]
        cdef int64_t begin, end
        cdef Py_ssize_t n = 0
        if self.first != NULL:
            return self.first[segment + 1] - self.first[segment]
        if self.lists is not None:
            self.lists.bounds(segment, &begin, &end)
            if self.n_present == NULL:
                return end - begin
            return self.n_present[end] - self.n_present[begin]
        for column in self.columns:
            n += not column.is_missing(segment)
        return n

    cdef int count_all(self, str where, place) except -1:
        """Set num_refs; raise ValueError for a segment without references."""
        cdef Column column
        cdef Py_ssize_t i, n
        cdef bint complete = self.first == NULL and self.lists is None
        for column in self.columns:
            complete = complete and not column.any_missing
        if complete:
            self.num_refs = len(self.columns)
            return 0
        for i in range(self.length):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            n = self.count(i)
            if n == 0:
                name = f"{where}: segment {i}" if place is None else place(i)
                raise ValueError(f"{name} has no reference")
            if i == 0:
                self.num_refs = n
            elif n != self.num_refs:
                self.num_refs = -1
        return 0


cdef list present(tuple references):
    cdef list places = []
    cdef Py_ssize_t j
    for j in range(len(references)):
        if references[j] is not None:
            places.append(j)
    return places
