"""C contract of the choice of hypotheses by weights."""

from libc.stdint cimport int64_t

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.lines cimport FeatureColumns


ctypedef struct StatsC:
    const void* rows        # [n, n_stats]
    int64_t n_stats
    bint narrow             # int32, else int64


cdef class Chooser:
    cdef readonly FeatureColumns columns
    cdef float* largest     # [n_segments, n_features] magnitudes

    cdef int measure(self) except -1
    cdef int run(
        self, Buffer weights, int64_t m, int64_t begin, int64_t end, list stop, int64_t* chosen,
        const StatsC* stats, int64_t* totals,
    ) except -1
