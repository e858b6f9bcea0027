"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from cpython.object cimport PyObject


cdef extern from "meta/gold.h" nogil:
    ctypedef struct GoldC "rb_gold":
        int64_t n
        int64_t n_groups
        int64_t longest
        const int64_t* offsets
    void gold_free "rb_gold_free" (GoldC* gold) noexcept
    int gold_prepare "rb_gold_prepare" (
        GoldC* gold, const double* human, const int64_t* offsets, int64_t n_groups, bint ranked,
        double least_difference
    ) except -1


cdef extern from "meta/figures.h" nogil:
    ctypedef enum FigureC "rb_figure":
        PEARSON "RB_PEARSON"
        SQUARED "RB_SQUARED"
        SPEARMAN "RB_SPEARMAN"
        TAU_B "RB_TAU_B"
        TAU_C "RB_TAU_C"
        FAR_PAIRS "RB_FAR_PAIRS"
        TAU_23 "RB_TAU_23"
        ACCURACY "RB_ACCURACY"
    ctypedef struct FigureScratchC "rb_figure_scratch":
        pass
    void figure_scratch_free "rb_figure_scratch_free" (FigureScratchC* scratch) noexcept
    int figure_scratch_make "rb_figure_scratch_make" (
        FigureScratchC* scratch, int64_t longest
    ) except -1
    int group_figures "rb_group_figures" (
        const GoldC* gold, const double* metric, FigureC figure, double epsilon,
        FigureScratchC* scratch, double* numerators, double* denominators, PyObject* stop
    ) except -1
    ctypedef struct SwapPlanC "rb_swap_plan":
        const double* one
        const double* other
        const int32_t* units
        int64_t n
        int64_t n_units
        const int64_t* systems
        int64_t n_systems
    int swapped_figures "rb_swapped_figures" (
        const GoldC* gold, const SwapPlanC* plan, const uint32_t* coins, int64_t n_trials,
        FigureC figure, FigureScratchC* scratch, double* room, double* left, double* right,
        PyObject* stop
    ) except -1


cdef extern from "meta/tie_events.h" nogil:
    ctypedef struct BestTiesC "rb_best_ties":
        double accuracy
        double epsilon
        double widest
    int find_best_ties "rb_find_best_ties" (
        const GoldC* gold, const double* metric, BestTiesC* best, PyObject* stop
    ) except -1
