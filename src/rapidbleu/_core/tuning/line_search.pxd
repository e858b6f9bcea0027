"""C contract of `tuning.line_search`."""

from libc.stdint cimport int64_t, uint32_t

from cpython.object cimport PyObject

from rapidbleu._core.input.columns cimport Buffer, CountsC
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache
from rapidbleu._core.tuning cimport EventC, FeatureColumnsC, LANES, LinesC, SweeperC, VertexC


# N-best features in columns

cdef inline int64_t round_up(int64_t n) noexcept nogil:
    """How many places n hypotheses of a segment take in a column."""
    return (n + LANES - 1) // LANES * LANES


cdef class FeatureColumns:
    cdef FeatureColumnsC data
    cdef list owners            # of the arrays

    cdef int fill(self, Buffer rows) except -1


# A point in the space of weights

ctypedef struct DirectionC:
    const double* weights   # [n_features]
    int64_t axis            # the only feature whose weight changes, by 1 a step; or -1


cdef class WeightPoint:
    cdef readonly FeatureColumns columns
    cdef Buffer held_counts
    cdef const int64_t* counts  # [n_segments] how often each counts, or NULL
    cdef double* exact      # [n_padded] intercepts
    cdef float* rounded     # [n_padded] less the highest of the segment
    cdef float* depths      # [n_segments] the lowest of these

    cdef int shift(self, int64_t segment) noexcept nogil
    cdef void lines(
        self, int64_t segment, const DirectionC* direction, double* slopes, float* rounded,
        LinesC* lines,
    ) noexcept nogil


cdef int read_direction(DirectionC* direction, const double* weights, int64_t n) noexcept


# Choice of hypotheses by weights

ctypedef struct StatsC:
    const void* rows        # [n, n_stats]
    int64_t n_stats
    bint narrow             # int32, else int64
    const int64_t* counts   # [n_segments] how often each segment counts, or NULL


cdef class Chooser:
    cdef readonly FeatureColumns columns
    cdef float* largest     # [n_segments, n_features] magnitudes

    cdef int measure(self) except -1
    cdef int run(
        self, Buffer weights, int64_t m, int64_t begin, int64_t end, list stop, int64_t* chosen,
        const StatsC* stats, int64_t* totals,
    ) except -1


# Score along a line

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
    cdef readonly int64_t n_boundaries

    cdef int allocate(self, WeightPoint point, DirectionC* direction) except -1
    cdef int reserve(self, int64_t n) except -1
    cdef int64_t gather_segments(
        self, WeightPoint point, const DirectionC* direction, int64_t segment, int64_t end,
        double low, double high, double closest, PyObject* stop,
    ) except -1 nogil
    cdef int add_segment(
        self, const VertexC* vertices, int64_t n, int64_t first, int64_t count, double low,
        double high, double closest, PyObject* stop,
    ) except -1 nogil
    cdef int walk(self, const EventC* events, PyObject* stop) except -1 nogil
    cdef const double* smooth(self, bint by_mean, int64_t window, PyObject* stop) except NULL
