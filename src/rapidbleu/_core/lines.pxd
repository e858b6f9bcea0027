"""C contract of n-best features in columns."""

from libc.stdint cimport int64_t

from rapidbleu._core.buffers cimport Buffer


cdef enum:
    LANES = 8  # of the widest vectors; segments begin at multiples of it


cdef class FeatureColumns:
    cdef readonly int64_t n_segments
    cdef readonly int64_t n_features
    cdef int64_t n_padded
    cdef int64_t longest        # padded length of the longest segment
    cdef int64_t* offsets       # [n_segments + 1] first hypothesis of each
    cdef int64_t* begins        # [n_segments + 1] first place of each in a column
    cdef const float* rounded   # [n_features, n_padded]
    cdef const double* exact    # the same before rounding, or NULL where that loses nothing
    cdef list owners            # of the arrays

    cdef int fill(self, Buffer rows) except -1
    cdef void weigh(
        self, int64_t segment, const double* weights, double* scores
    ) noexcept nogil
    cdef void weigh_single(
        self, int64_t segment, const double* weights, double* scores
    ) noexcept nogil
    cdef double weigh_one(
        self, int64_t segment, const double* weights, int64_t place
    ) noexcept nogil


cdef inline int64_t best_of(const double* scores, int64_t n) noexcept nogil:
    """The first of the highest scores."""
    cdef int64_t i, best = 0
    for i in range(1, n):
        if scores[i] > scores[best]:
            best = i
    return best
