"""C contract of `counting.overlap`."""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics.kernel cimport Kernel


cdef class WordFKernel(Kernel):
    cdef readonly double beta


cdef class GleuKernel(Kernel):
    cdef readonly int min_order
    cdef readonly int max_order

    cdef int64_t total(self, int64_t n) noexcept nogil


cdef class CorrectionKernel(Kernel):
    cdef readonly int max_order
    cdef readonly bint smooth

    cdef double score_smoothed(self, const int64_t* row, bint smooth) noexcept nogil


cdef double f_measure(double precision, double recall, double beta) noexcept nogil
