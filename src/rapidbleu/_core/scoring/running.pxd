"""C contract of `scoring.running`."""

cimport cython
from libc.stdint cimport int64_t

from rapidbleu._core.input.columns cimport ArrayKindC, CountsC
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache


# Rows and their totals: one owner, changed a row at a time

ctypedef struct TotalsC:
    int n_stats
    int64_t n                # segments
    int64_t capacity         # segments there is room for
    int64_t n_changes        # how often a row was set or removed
    int64_t* totals          # [n_stats]
    int64_t* rows            # [n, n_stats]
    int64_t* sources         # [n] which segment of the references each one is; -1: none


cdef enum:
    KEPT_SCRATCH = 8


cdef class Scratch:
    cdef Scratch next        # in the pool
    cdef Kernel kernel
    cdef ScoreCache cache
    cdef int64_t n_rows      # rows that `sums` has room for
    cdef int64_t* totals     # [n_stats], as are the next three
    cdef int64_t* row
    cdef int64_t* base
    cdef int64_t* excess     # a row that is checked
    cdef int64_t* sums       # [n_rows, n_stats]


@cython.final
cdef class ScratchPool:
    cdef Kernel kernel
    cdef Scratch top
    cdef int n

    cdef inline Scratch take(self):
        cdef Scratch s
        with cython.critical_section(self):
            s = self.top
            if s is not None:
                self.top, s.next = s.next, None
                self.n -= 1
        return Scratch(self.kernel) if s is None else s

    cdef inline int put_back(self, Scratch s) except -1:
        with cython.critical_section(self):
            if self.n < KEPT_SCRATCH:
                s.next, self.top = self.top, s
                self.n += 1
        return 0


cdef int totals_init(TotalsC* t, int n_stats) except -1
cdef void totals_free(TotalsC* t) noexcept
cdef int totals_reserve(TotalsC* t, int64_t n) except -1
cdef int64_t totals_weigh(
    const TotalsC* t, int64_t i, const CountsC* rows, int64_t k, Scratch s
) noexcept nogil
cdef void totals_settle(TotalsC* t, int64_t i, Scratch s) noexcept nogil
cdef void totals_append(TotalsC* t, int64_t source, Scratch s) noexcept
cdef void totals_remove(TotalsC* t, int64_t i) noexcept
cdef int64_t totals_replace(
    TotalsC* t, const CountsC* places, const CountsC* rows, int64_t begin, int64_t end,
    int64_t* undo, int64_t* column, Scratch s
) noexcept nogil


cdef inline int64_t totals_place(const TotalsC* t, int64_t i) noexcept nogil:
    """Number of a segment, which may be counted from the end; -1 if it is beyond the segments."""
    if i < 0:
        i += t.n
    return i if 0 <= i < t.n else -1


# Handle on running totals

cdef class RunningTotals:
    cdef TotalsC state
    cdef Kernel kernel
    cdef readonly object metric
    cdef readonly object references
    cdef ScratchPool pool       # copies share it
    cdef object empty           # numpy.empty
    cdef ArrayKindC arrays      # whose rows are read where they are
    cdef int64_t n_moves        # how often a segment was added or removed

    cdef int64_t place(self, Py_ssize_t given, str where=*) except -1
    cdef int open_row(self, CountsC* row, source, Scratch s, i) except -1
    cdef int open_rows(self, CountsC* rows, source, indices) except -1
    cdef int open_integers(self, CountsC* integers, source, str where) except -1
    cdef int open_both(
        self, CountsC* integers, source, str where, CountsC* rows, given, indices
    ) except -1
    cdef int open_converted(
        self, CountsC* counts, converted, int ndim, int64_t row_length, int64_t n_moves
    ) except -1
    cdef bint replace_in_place(self, Py_ssize_t number, new, double* score) noexcept
    cdef double score_sums(self, Scratch s) noexcept
    cdef bint replace_apart(
        self, const CountsC* places, const CountsC* rows, int64_t* k, int64_t* column, Scratch s
    ) except -1
    cdef int copy_state(self, TotalsC* copy) except -1
    cdef bint copy_array(
        self, int64_t* target, int64_t** source, int64_t n, int64_t n_at_once
    ) except -1
    cdef copy_of(self, int64_t** array, int64_t row_length)
