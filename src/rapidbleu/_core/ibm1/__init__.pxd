"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int32_t, int64_t

from cpython.object cimport PyObject


cdef extern from "ibm1/model1.h" nogil:
    enum:
        UNITS "RB_UNITS"
    ctypedef struct BitextC "rb_bitext":
        const int32_t* source
        const int32_t* target
        const int64_t* source_starts
        const int64_t* target_starts
        int64_t n_pairs
        int64_t n_source
        int64_t n_target
        bint null
        int64_t* starts
    void bitext_free "rb_bitext_free" (BitextC* b) noexcept
    int bitext_sort "rb_bitext_sort" (BitextC* b) except -1
    int work "rb_work" (int64_t* worked, int64_t more, PyObject* stop) except -1
    int cells_find "rb_cells_find" (
        const BitextC* b, int64_t unit, int64_t end_unit, int64_t* starts, int32_t* words,
        PyObject* stop,
    ) except -1
    ctypedef struct TableC "rb_table":
        const int64_t* starts
        const int32_t* words
        double* values
    ctypedef struct SpreadC "rb_spread":
        double p
        double count
    ctypedef struct QuestionC "rb_question":
        const int32_t* columns
        double floor
        double* sums
        int32_t* best
    int model1_step "rb_model1_step" (
        const BitextC* b, const TableC* t, int64_t unit, const double* totals,
        double* own_totals, double* likelihood, SpreadC* spread, int64_t* worked, PyObject* stop,
    ) except -1
    int model1_ask "rb_model1_ask" (
        const BitextC* b, const TableC* t, int64_t unit, int64_t end_unit, const QuestionC* q,
        PyObject* stop,
    ) except -1
