"""C contract of the score along a line."""

from libc.stdint cimport int64_t, uint32_t

from cpython.object cimport PyObject

from rapidbleu._core.counts cimport CountsC
from rapidbleu._core.kernel cimport Kernel, ScoreCache
from rapidbleu._core.tuning cimport EventC, LinesC, SweeperC, VertexC
from rapidbleu._core.weight_point cimport DirectionC, WeightPoint


cdef class Landscape:
    cdef Kernel kernel
    cdef ScoreCache cache
    cdef CountsC rows
    cdef SweeperC sweeper
    cdef int64_t longest
    cdef uint32_t* kept       # scratch of one segment
    cdef VertexC* vertices    # twice the longest segment
    cdef double* slopes
    cdef float* rounded
    cdef int64_t* totals      # [n_stats] sums on the interval that is being looked at
    cdef int64_t* block       # [BLOCK, n_stats] sums whose scores are wanted
    cdef EventC* events       # [capacity] and as many again, for sorting
    cdef int64_t* changes     # [capacity, n_stats]
    cdef double* boundaries   # [capacity]
    cdef double* scores       # [capacity + 1]
    cdef void* smoothed       # [smoothed_capacity] scores, and as many places in a queue
    cdef int64_t smoothed_capacity
    cdef int64_t capacity
    cdef int64_t n_events
    cdef int64_t n_boundaries

    cdef int allocate(self, WeightPoint point, DirectionC* direction) except -1
    cdef int reserve(self, int64_t n) except -1
    cdef int64_t collect(
        self, WeightPoint point, const DirectionC* direction, int64_t segment, int64_t end,
        double low, double high, double closest, PyObject* stop,
    ) except -1 nogil
    cdef int add_segment(
        self, const VertexC* vertices, int64_t n, int64_t first, double low, double high,
        double closest, PyObject* stop,
    ) except -1 nogil
    cdef int sweep(self, const EventC* events, PyObject* stop) except -1 nogil
    cdef const double* smooth(self, bint by_mean, int64_t window, PyObject* stop) except NULL
