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
    cdef copy_of(self, int64_t** array, int64_t row_length)
