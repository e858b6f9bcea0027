"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int64_t


cdef extern from "learning/expected_rows.h" nogil:
    enum:
        SHORTS "RB_SHORTS"
        FLOATS "RB_FLOATS"
        DOUBLES "RB_DOUBLES"
    ctypedef void (*WeighC "rb_weigh_operation") (
        const void* columns, int64_t begin, int64_t stride, int64_t n_columns,
        const double* weights, double* sums, int64_t n,
    ) noexcept
    ctypedef void (*GatherC "rb_gather_operation") (
        const void* columns, int64_t begin, int64_t stride, int64_t n_columns,
        const double* shares, double* sums, int64_t n,
    ) noexcept
    ctypedef bint (*ShareC "rb_share_operation") (
        double* scores, double count, int64_t n_hyps, int64_t n
    ) noexcept
    ctypedef double (*CenterC "rb_center_operation") (
        double* worths, const double* shares, double mean, int64_t n
    ) noexcept
    ctypedef struct ExpecterC "rb_expecter":
        WeighC[3] weigh
        GatherC[3] gather
        ShareC share
        CenterC center
    const ExpecterC* expecter_select "rb_expecter_select" () noexcept
