"""C contract of a point in the space of weights."""

from libc.stdint cimport int64_t

from rapidbleu._core.lines cimport FeatureColumns
from rapidbleu._core.tuning cimport LinesC


ctypedef struct DirectionC:
    const double* weights   # [n_features]
    int64_t axis            # the only feature whose weight changes, by 1 a step; or -1


cdef class WeightPoint:
    cdef readonly FeatureColumns columns
    cdef double* exact      # [n_padded] intercepts
    cdef float* rounded     # [n_padded] less the highest of the segment
    cdef float* depths      # [n_segments] the lowest of these

    cdef int shift(self, int64_t segment) noexcept nogil
    cdef void lines(
        self, int64_t segment, const DirectionC* direction, double* slopes, float* rounded,
        LinesC* lines,
    ) noexcept nogil


cdef int read_direction(DirectionC* direction, const double* weights, int64_t n) noexcept
