"""C contract of rows of counts that a caller hands in."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.buffer cimport Py_buffer, PyBuffer_Release


cdef enum:
    HIGHEST_BIT = 60  # counts and totals end at 2**60, so that both can be added without overflow


ctypedef struct CountsC:
    Py_buffer view
    bint held              # the view is to be released
    const int64_t* wide    # the counts, or NULL
    const int32_t* narrow  # the counts, or NULL
    int64_t n              # rows


ctypedef fused count_t:
    int32_t
    int64_t


cdef int open_counts(CountsC* counts, object source, int ndim, int64_t row_length) except -1
cdef int open_list(CountsC* counts, int64_t* row, object source, int64_t row_length) except -1
cdef int refuse(const CountsC* counts, int64_t place, str where) except -1
cdef int64_t* allocate(int64_t n) except NULL
cdef int64_t* reallocate(int64_t* array, int64_t n) except NULL


cdef inline void close_counts(CountsC* counts) noexcept:
    if counts.held:
        counts.held = False
        PyBuffer_Release(&counts.view)


cdef inline int64_t count_at(const CountsC* counts, int64_t place) noexcept nogil:
    return counts.narrow[place] if counts.narrow != NULL else counts.wide[place]


cdef inline bint too_high(uint64_t value) noexcept nogil:
    """Whether a count or a total is over the highest one; so is a negative one."""
    return value > (<uint64_t> 1 << HIGHEST_BIT)


cdef inline uint64_t add_to_each(
    int64_t* sums, const int64_t* base, const count_t* row, int64_t n, int n_stats
) noexcept nogil:
    """Write base + row for n rows; returns a number that none of their counts exceeds."""
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
    """Write base + row for rows [first, first + n); returns what `add_to_each` does."""
    if rows.narrow != NULL:
        return add_to_each(sums, base, rows.narrow + first * n_stats, n, n_stats)
    if n_stats == 10:  # a constant for the compiler
        return add_to_each(sums, base, rows.wide + first * 10, n, 10)
    return add_to_each(sums, base, rows.wide + first * n_stats, n, n_stats)


cdef inline void add_difference(
    int64_t* sums, const CountsC* counts, int64_t plus, int64_t minus, int64_t n_stats
) noexcept nogil:
    """Add the row at one place and take that at another one away, unless this is -1."""
    cdef int64_t j
    if counts.narrow != NULL:
        for j in range(n_stats):
            sums[j] += counts.narrow[plus + j]
            sums[j] -= 0 if minus < 0 else counts.narrow[minus + j]
    else:
        for j in range(n_stats):
            sums[j] += counts.wide[plus + j]
            sums[j] -= 0 if minus < 0 else counts.wide[minus + j]
