"""Rows of statistics and their totals, changed a row at a time.

A change is weighed before it is made: the base is the totals without the old row, the sums are the
base with the new one.  If no count and no sum is refused, the sums become the totals, and sums less
base the row, so that a count is read once, even from an array that somebody is writing to.

Rows lie behind each other in an array that grows by doubling.  Nothing here runs Python code, so
under the GIL each function is one step for all threads.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.counts cimport CountsC, add_rows, allocate, count_at, reallocate, too_high
from rapidbleu._core.kernel cimport Kernel, ScoreCache, find_excess_in


cdef enum:
    SCRATCH_ROWS = 64
    SCRATCH_COUNTS = 4096


cdef class Scratch:
    """Memory of one call, kept between calls: some rows and a cache."""

    def __cinit__(self, Kernel kernel not None):
        cdef int64_t n_stats = kernel.n_stats
        self.kernel, self.cache = kernel, ScoreCache(kernel.n_cache_tables)
        self.n_rows = min(SCRATCH_ROWS, max(1, SCRATCH_COUNTS // n_stats))
        self.totals = allocate((4 + self.n_rows) * n_stats)
        self.row = self.totals + n_stats
        self.base = self.row + n_stats
        self.excess = self.base + n_stats
        self.sums = self.excess + n_stats

    def __dealloc__(self):
        PyMem_RawFree(self.totals)


cdef class ScratchPool:
    """Scratch that no call has taken; a call takes one and puts it back."""

    def __cinit__(self, Kernel kernel not None):
        self.kernel = kernel


cdef int totals_init(TotalsC* t, int n_stats) except -1:
    """Begin without segments, in a struct that has been zeroed."""
    t.n_stats = n_stats
    t.totals = allocate(n_stats)
    memset(t.totals, 0, n_stats * sizeof(int64_t))
    return totals_reserve(t, 1)


cdef void totals_free(TotalsC* t) noexcept:
    PyMem_RawFree(t.totals)
    PyMem_RawFree(t.rows)
    PyMem_RawFree(t.sources)


cdef int totals_reserve(TotalsC* t, int64_t n) except -1:
    """Make room for n segments."""
    cdef int64_t capacity = max(n, 2 * t.capacity)
    if n > t.capacity:
        t.sources = reallocate(t.sources, capacity)
        t.rows = reallocate(t.rows, capacity * t.n_stats)
        t.capacity = capacity
    return 0


cdef int64_t totals_weigh(
    const TotalsC* t, int64_t i, const CountsC* rows, int64_t k, Scratch s
) noexcept nogil:
    """Write to the scratch what row k would make of the totals in the place of row i, -1: of none.

    Returns the first column whose count or sum is refused, or -1.
    """
    cdef int64_t column, most, place
    if t.n_stats == 10:  # a constant for the compiler
        column = weigh(t, i, rows, k, s, 10)
    else:
        column = weigh(t, i, rows, k, s, t.n_stats)
    if column < 0:
        place = find_excess_in(s.kernel, rows, k, 1, s.excess, &most)
        column = place - k * t.n_stats if place >= 0 else -1
    return column


cdef inline int64_t weigh(
    const TotalsC* t, int64_t i, const CountsC* rows, int64_t k, Scratch s, int n_stats
) noexcept nogil:
    cdef const int64_t* row = t.rows + max(i, 0) * n_stats
    cdef uint64_t bits, bits_of_totals = 0
    cdef int j
    for j in range(n_stats):
        bits_of_totals |= <uint64_t> t.totals[j]
        s.base[j] = t.totals[j] - (row[j] if i >= 0 else 0)
    bits = add_rows(s.sums, s.base, rows, k, 1, n_stats)
    if too_high(bits) or too_high(bits + bits_of_totals):
        for j in range(n_stats):
            if too_high(<uint64_t> s.sums[j] - <uint64_t> s.base[j]) or too_high(s.sums[j]):
                return j
    return -1


cdef void totals_settle(TotalsC* t, int64_t i, Scratch s) noexcept nogil:
    """Make what was weighed row i and the totals."""
    cdef int64_t* row = t.rows + i * t.n_stats
    cdef int j
    t.n_changes += 1
    for j in range(t.n_stats):
        row[j] = s.sums[j] - s.base[j]
        t.totals[j] = s.sums[j]


cdef void totals_append(TotalsC* t, int64_t source, Scratch s) noexcept:
    """Make what was weighed a new row, for which there is room, and the totals."""
    totals_settle(t, t.n, s)
    t.sources[t.n] = source
    t.n += 1


cdef void totals_remove(TotalsC* t, int64_t i) noexcept:
    """Take row i off; those behind it move up."""
    cdef int64_t* row = t.rows + i * t.n_stats
    cdef size_t n_behind = t.n - i - 1
    cdef int j
    t.n_changes += 1
    for j in range(t.n_stats):
        t.totals[j] -= row[j]
    memmove(row, row + t.n_stats, n_behind * t.n_stats * sizeof(int64_t))
    memmove(t.sources + i, t.sources + i + 1, n_behind * sizeof(int64_t))
    t.n -= 1


cdef int64_t totals_replace(
    TotalsC* t, const CountsC* places, const CountsC* rows, int64_t begin, int64_t end,
    int64_t* undo, int64_t* column, Scratch s
) noexcept nogil:
    """Replace the rows at places [begin, end), one after the other.

    Returns the first that is refused, or the end; `column` becomes that of the refused count, -1 if
    there is no such segment.  If there is an `undo`, with room for the number and the row of each
    segment, none is replaced if one is refused.
    """
    cdef size_t row_size = t.n_stats * sizeof(int64_t)
    cdef int64_t* old = undo
    cdef int64_t k = begin, i
    column[0] = -1
    if undo != NULL:
        memcpy(s.totals, t.totals, row_size)
    while k < end:
        i = totals_place(t, count_at(places, k))
        if i >= 0:
            column[0] = totals_weigh(t, i, rows, k, s)
        if i < 0 or column[0] >= 0:
            break
        if undo != NULL:
            old[0] = i
            memcpy(old + 1, t.rows + i * t.n_stats, row_size)
            old += t.n_stats + 1
        totals_settle(t, i, s)
        k += 1
    if undo != NULL and k < end:
        while old > undo:
            old -= t.n_stats + 1
            memcpy(t.rows + old[0] * t.n_stats, old + 1, row_size)
        memcpy(t.totals, s.totals, row_size)
    return k
