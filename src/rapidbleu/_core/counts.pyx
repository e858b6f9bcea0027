"""Counts that a caller hands in, used where they are.

An array of 64-bit or 32-bit integers in C order is read through a `Py_buffer` on the stack: opening
one costs 30 ns, all of it NumPy's, where a `Buffer` object takes as long as scoring twenty rows.
Whatever else holds integers is left to the caller of these functions, who has the time to convert
it and to say precisely what is wrong with it.

The values are checked by who adds them up, in the same pass: all bits of all counts together tell
whether one of them may be negative, or so high that a total might overflow.
"""

from libc.stdint cimport int32_t, int64_t

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_CheckBuffer,
)
from cpython.exc cimport PyErr_Clear, PyErr_ExceptionMatches
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_RawRealloc
from cpython.tuple cimport PyTuple_CheckExact


cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX
    int get_buffer "PyObject_GetBuffer" (object source, Py_buffer* view, int flags) noexcept


cdef int open_counts(CountsC* counts, object source, int ndim, int64_t row_length) except -1:
    """Open an array of one or two dimensions, the last of `row_length`, or any if that is -1.

    Returns False if the source has to be converted first.
    """
    cdef Py_buffer* view = &counts.view
    counts.held, counts.wide, counts.narrow = False, NULL, NULL
    if not PyObject_CheckBuffer(source):
        return False
    if get_buffer(source, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0:
        if not PyErr_ExceptionMatches((BufferError, TypeError, ValueError)):
            return -1
        PyErr_Clear()  # not in C order, or of no simple type
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
    """Copy a list or tuple of ints to `row` and open that; False if it is anything else."""
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


cdef int refuse(const CountsC* counts, int64_t place, str where) except -1:
    """Say what is wrong with a count that cannot be added."""
    cdef int64_t count = count_at(counts, place)
    if count < 0:
        raise ValueError(f"{where}: expected a count, got {count}")
    if too_high(count):
        raise ValueError(f"{where}: expected at most 2**{<int> HIGHEST_BIT}, got {count}")
    raise ValueError(
        f"{where}: expected a total of at most 2**{<int> HIGHEST_BIT}, but {count} exceeds that"
    )


cdef int64_t* allocate(int64_t n) except NULL:
    """Room for n integers."""
    return reallocate(NULL, n)


cdef int64_t* reallocate(int64_t* array, int64_t n) except NULL:
    """The array with room for n integers."""
    cdef int64_t* larger = NULL
    if n <= PY_SSIZE_T_MAX // <Py_ssize_t> sizeof(int64_t):
        larger = <int64_t*> PyMem_RawRealloc(array, <size_t> n * sizeof(int64_t))
    if larger == NULL:
        raise MemoryError
    return larger
