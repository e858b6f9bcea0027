"""C contract of the hypotheses that learners use: features and statistics by row."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.input.columns cimport Buffer, CountsC


cdef class LearnerRows:
    cdef Buffer held_features, held_columns, held_starts, held_offsets
    cdef const float* narrow            # values of the features: these
    cdef const double* wide             # or these
    cdef const int32_t* columns         # of the values, ascending in a row; NULL if dense
    cdef const int64_t* starts          # [n + 1] first value of each row, if sparse
    cdef CountsC stats                  # statistics
    cdef const int64_t* offsets
    cdef readonly int64_t n             # hypotheses
    cdef readonly int64_t n_segments
    cdef readonly int64_t n_features
    cdef readonly int n_stats
    cdef int64_t longest                # maximum hypotheses of a segment
    cdef int64_t widest                 # maximum values of a row

    cdef int check_segments(self) except -1
    cdef int check_order(self, const int64_t* segments, int64_t n) except -1
    cdef int check_sparse(self) except -1
    cdef int64_t work(self, int64_t segment) noexcept nogil
    cdef void dots(
        self, int64_t begin, int64_t end, const double* weights, double* out
    ) noexcept nogil
    cdef int64_t difference(
        self, int64_t a, int64_t b, int32_t* columns, double* values, int64_t n_dense
    ) noexcept nogil


cdef inline double value_at(LearnerRows rows, int64_t i) noexcept nogil:
    return rows.wide[i] if rows.narrow == NULL else <double> rows.narrow[i]
