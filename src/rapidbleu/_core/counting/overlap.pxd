"""C contract of `counting.overlap`."""

from libc.math cimport INFINITY
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


cdef inline double f_measure(double precision, double recall, double beta) noexcept nogil:
    """F, which is precision for beta 0 and recall for an infinite one; 0 if both are 0."""
    cdef inline double square = beta * beta
    if square == 0.0 or precision + recall == 0.0:
        return precision
    if square == INFINITY:
        return recall
    return (1.0 + square) * precision * recall / (square * precision + recall)
