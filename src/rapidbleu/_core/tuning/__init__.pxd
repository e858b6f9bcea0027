"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from cpython.object cimport PyObject


cdef extern from "tuning/best_interval.h" nogil:
    ctypedef struct BestIntervalC "rb_best_interval":
        double x
        double score
        double objective
        double here
        double low
        double high
    ctypedef struct RulesC "rb_interval_rules":
        double low
        double high
        double slope
        double curvature
        bint lower_is_better
        bint moses
    int choose_interval "rb_choose_interval" (
        const double* boundaries, const double* scores, const double* smoothed, int64_t n,
        const RulesC* rules, BestIntervalC* best, PyObject* stop,
    ) except -1


cdef extern from "tuning/envelope.h" nogil:
    ctypedef struct SweeperC "rb_sweeper":
        pass
    SweeperC sweeper_select "rb_sweeper_select" (bint use_simd) noexcept
    ctypedef struct LinesC "rb_lines":
        int64_t n
        int64_t n_padded
        const float* intercepts
        const float* slopes
        float depth
        const double* exact_intercepts
        const double* exact_slopes
    ctypedef struct VertexC "rb_vertex":
        double begin
        double slope
        double intercept
        int64_t line
    int64_t upper_envelope "rb_upper_envelope" (
        const LinesC* lines, const SweeperC* sweeper, uint32_t* kept, VertexC* vertices,
        bint moses, PyObject* stop,
    ) except -1


cdef extern from "tuning/feature_columns.h" nogil:
    enum:
        LANES "RB_COLUMN_LANES"
    ctypedef struct FeatureColumnsC "rb_feature_columns":
        int64_t n_segments
        int64_t n_features
        int64_t n_padded
        int64_t longest
        int64_t* offsets
        int64_t* begins
        const float* rounded
        const double* exact
    void columns_weigh "rb_columns_weigh" (
        const FeatureColumnsC* columns, int64_t segment, const double* weights, double* scores
    ) noexcept
    void columns_weigh_single "rb_columns_weigh_single" (
        const FeatureColumnsC* columns, int64_t segment, const double* weights, double* scores
    ) noexcept


cdef extern from "tuning/weighted_argmax.h" nogil:
    enum:
        VECTORS "RB_VECTORS"
    ctypedef struct WeigherC "rb_weigher":
        pass
    WeigherC weigher_select "rb_weigher_select" () noexcept
    ctypedef struct ArgmaxC "rb_argmax":
        pass
    int argmax_init "rb_argmax_init" (
        ArgmaxC* argmax, const FeatureColumnsC* columns, const WeigherC* weigher,
        const float* largest, const double* weights, int64_t n_vectors,
    ) except -1
    void argmax_free "rb_argmax_free" (ArgmaxC* argmax) noexcept
    void argmax_rows "rb_argmax_rows" (
        const ArgmaxC* argmax, int64_t segment, int64_t first, int64_t* rows
    ) noexcept
    void largest_features "rb_largest_features" (
        const FeatureColumnsC* columns, int64_t segment, float* largest
    ) noexcept


cdef extern from "tuning/expected_rows.h" nogil:
    enum:
        SHORTS "RB_SHORTS"
        FLOATS "RB_FLOATS"
        DOUBLES "RB_DOUBLES"
    ctypedef void (*ColumnsC "rb_columns_operation") (
        const void* columns, int64_t begin, int64_t stride, int64_t n_columns,
        const double* factors, double* sums, int64_t n,
    ) noexcept
    ctypedef bint (*ShareC "rb_share_operation") (
        double* scores, double count, int64_t n_hyps, int64_t n
    ) noexcept
    ctypedef double (*CenterC "rb_center_operation") (
        double* worths, const double* shares, double mean, int64_t n
    ) noexcept
    ctypedef struct ExpecterC "rb_expecter":
        ColumnsC[3] weigh
        ColumnsC[3] gather
        ShareC share
        CenterC center
    const ExpecterC* expecter_select "rb_expecter_select" () noexcept
