"""C contract of the handle on running totals."""

from libc.stdint cimport int64_t

from rapidbleu._core.counts cimport CountsC
from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.totals cimport Scratch, ScratchPool, TotalsC


cdef class RunningTotals:
    cdef TotalsC state
    cdef Kernel kernel
    cdef readonly object metric
    cdef readonly object references
    cdef ScratchPool pool       # copies share it
    cdef object empty           # numpy.empty
    cdef int64_t n_moves        # how often a segment was added or removed

    cdef int64_t place(self, i, str where=*) except -1
    cdef int open_row(self, CountsC* row, source, Scratch s, i) except -1
    cdef int open_rows(self, CountsC* rows, source, indices) except -1
    cdef int open_integers(self, CountsC* integers, source, str where) except -1
    cdef int open_converted(
        self, CountsC* counts, converted, int ndim, int64_t row_length, int64_t n_moves
    ) except -1
    cdef double score_sums(self, Scratch s) noexcept
    cdef bint replace_apart(
        self, const CountsC* places, const CountsC* rows, int64_t* k, int64_t* column, Scratch s
    ) except -1
    cdef int copy_state(self, TotalsC* copy) except -1
    cdef bint copy_array(
        self, int64_t* target, int64_t** source, int64_t n, int64_t n_at_once
    ) except -1
    cdef copy_of(self, int64_t** array, int64_t row_length)
