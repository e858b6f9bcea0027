"""C contract of the BLEU kernel."""

from libc.stdint cimport int64_t

from rapidbleu._core.kernel cimport Kernel


cdef class BleuKernel(Kernel):
    cdef readonly int max_order
    cdef int ref_len_policy
    cdef int smoothing
    cdef double smooth_value
    cdef bint effective_order
    cdef double* weights

    cdef double score_precisions(
        self, const int64_t* row, double* bp, double* precisions
    ) noexcept nogil
