"""C contract of `input.columns`."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.buffer cimport PyBuffer_Release, Py_buffer
from cpython.object cimport PyObject

from rapidbleu._core.input cimport rb_array_row
from rapidbleu._core.input.arrow cimport ArrowColumn


cdef class Buffer:
    cdef Py_buffer view
    cdef bint held
    cdef void* data
    cdef Py_ssize_t n_items
    cdef char kind        # 'i' signed, 'u' unsigned, 'f' floating
    cdef Py_ssize_t item_size

    cdef int require(self, char kind, Py_ssize_t item_size, Py_ssize_t n_items, where) except -1


cdef enum:
    HIGHEST_BIT = 60  # counts and totals are at most 2**60, so adding them cannot overflow


ctypedef struct CountsC:
    Py_buffer view
    bint held              # the view must be released
    const int64_t* wide    # the counts, or NULL
    const int32_t* narrow  # the counts, or NULL
    int64_t n              # rows


ctypedef struct ArrayKindC:
    PyObject* type         # numpy.ndarray, or NULL if its fields are not as expected
    PyObject* dtype        # int64


ctypedef fused count_t:
    int32_t
    int64_t


cdef int open_counts(CountsC* counts, object source, int ndim, int64_t row_length) except -1
cdef int open_list(CountsC* counts, int64_t* row, object source, int64_t row_length) except -1
cdef ArrayKindC int64_arrays() except *
cdef int refuse(const CountsC* counts, int64_t place, str where) except -1


cdef inline void close_counts(CountsC* counts) noexcept:
    if counts.held:
        counts.held = False
        PyBuffer_Release(&counts.view)


cdef inline bint point_at_row(
    CountsC* row, object source, const ArrayKindC* kind, int64_t row_length
) noexcept:
    """Read a row of an array in place, valid until Python code runs; False if not possible."""
    row.held, row.narrow, row.n = False, NULL, 1
    row.wide = rb_array_row(<PyObject*> source, kind.type, kind.dtype, row_length)
    return row.wide != NULL


cdef inline int64_t count_at(const CountsC* counts, int64_t place) noexcept nogil:
    return counts.narrow[place] if counts.narrow != NULL else counts.wide[place]


cdef inline bint too_high(uint64_t value) noexcept nogil:
    """Is a count or total, as an unsigned number, above the maximum or negative?"""
    return value > (<uint64_t> 1 << HIGHEST_BIT)


cdef inline uint64_t add_to_each(
    int64_t* sums, const int64_t* base, const count_t* row, int64_t n, int n_stats
) noexcept nogil:
    """Write base + row for n rows; return an upper bound of their counts."""
    cdef uint64_t bits = 0, count
    cdef int64_t _
    cdef int j
    for _ in range(n):
        for j in range(n_stats):
            count = <uint64_t> <int64_t> row[j]
            bits |= count
            sums[j] = <int64_t> (<uint64_t> base[j] + count)
        row += n_stats
        sums += n_stats
    return bits


cdef inline uint64_t add_rows(
    int64_t* sums, const int64_t* base, const CountsC* rows, int64_t first, int64_t n, int n_stats
) noexcept nogil:
    """Write base + row for rows [first, first + n); return the bound of `add_to_each`."""
    if rows.narrow != NULL:
        return add_to_each(sums, base, rows.narrow + first * n_stats, n, n_stats)
    if n_stats == 10:  # a constant for the optimizer
        return add_to_each(sums, base, rows.wide + first * 10, n, 10)
    return add_to_each(sums, base, rows.wide + first * n_stats, n, n_stats)


cdef inline void add_difference(
    int64_t* sums, const CountsC* counts, int64_t plus, int64_t minus, int64_t n_stats
) noexcept nogil:
    """Add one row and subtract another."""
    cdef int64_t j
    if counts.narrow != NULL:
        for j in range(n_stats):
            sums[j] += counts.narrow[plus + j]
            sums[j] -= counts.narrow[minus + j]
    else:
        for j in range(n_stats):
            sums[j] += counts.wide[plus + j]
            sums[j] -= counts.wide[minus + j]


cdef enum Kind:  # from the most to the least specific
    TEXT     # segments are strings: each element is a str, or None if segments may be missing
    TOKENS   # segments are sequences of strings
    IDS      # segments are sequences of integers
    EMPTY    # all segments are empty sequences
    ABSENT   # all segments are missing


cdef class Places:
    cdef object where
    cdef list offsets
    cdef dict kept


cdef class Column:
    cdef Py_ssize_t length
    cdef Kind kind
    cdef bint any_missing
    cdef bint all_str       # every item is exactly a str, not a subclass
    cdef tuple items        # None for Arrow columns and two-dimensional arrays
    cdef ArrowColumn arrow  # None otherwise
    cdef object place       # int -> str: name of an element in errors
    cdef uint64_t* ids      # [ends[length]] copied ids of a column of ids; NULL otherwise
    cdef int64_t* ends      # [length + 1] segment i has ids [ends[i], ends[i + 1])
    cdef int64_t n_ids, capacity

    cdef int set_arrow(self, ArrowColumn arrow, Py_ssize_t length) except -1
    cdef int check_items(self, bint optional) except -1
    cdef int take_ids(self, item, Py_ssize_t i) except -1
    cdef int take_numbers(self, items, Py_ssize_t i) except -1
    cdef int open_ids(self, Py_ssize_t length) except -1
    cdef bint take_array(self, source, Py_ssize_t first, int ndim) except -1
    cdef int take_rows(self, const Py_buffer* view, Py_ssize_t first) except -1 nogil
    cdef Kind find_kind(self, bint optional) except *
    cdef bint is_missing(self, Py_ssize_t i)


cdef bint same_kind(Kind a, Kind b) noexcept
cdef str kind_name(Kind kind)
cdef bint is_arrow(source)
cdef bint is_sequence(source)
cdef tuple snapshot(source, str where, str expected)


cdef class ReferenceColumns:
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t num_refs   # references per segment; -1 if it varies
    cdef Kind kind
    cdef list columns                   # streams, or one column with all references
    cdef int64_t* first                 # [length + 1] into the one column; NULL otherwise
    cdef ArrowColumn lists              # None unless the references are an Arrow list column
    cdef int64_t* n_present             # [n_strings + 1] non-null strings before; NULL: all

    cdef int take_streams(self, source, str where) except -1
    cdef int take_segments(self, source, str where, place) except -1
    cdef int take_arrow_lists(self, ArrowColumn lists, str where) except -1
    cdef int count_present(self, Column column) except -1
    cdef Py_ssize_t count(self, Py_ssize_t segment) except -1
    cdef int count_all(self, str where, place) except -1
