"""C contract of the chrF kernel."""

from libc.stdint cimport int64_t

from rapidbleu._core.clipping cimport ClippingC
from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.tokens cimport TokensC


cdef class ChrfKernel(Kernel):
    cdef readonly int char_order
    cdef readonly int word_order
    cdef int n_orders
    cdef double factor
    cdef double one_more
    cdef bint eps_smoothing

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ClippingC* scratch,
    ) except -1 nogil
    cdef double f_score(self, double precision, double recall) noexcept nogil
