"""Cython declarations of the headers in this folder, and kernels used elsewhere."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.text cimport TokensC


cdef extern from "edits/character_ter.h" nogil:
    double character_score "rb_character_score" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch
    ) except -1.0


cdef extern from "edits/extended_edit.h" nogil:
    ctypedef struct ExtendedCostsC "rb_eed_costs":
        double jump
        double coverage
        double deletion
        double insertion
    double extended_edit "rb_extended_edit" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref,
        const ExtendedCostsC* costs, ScratchC* scratch,
    ) except -1.0


cdef extern from "edits/levenshtein.h" nogil:
    enum:
        HITS "RB_HITS"
        SUBSTITUTIONS "RB_SUBSTITUTIONS"
        DELETIONS "RB_DELETIONS"
        INSERTIONS "RB_INSERTIONS"
        LARGE_TABLE "RB_LARGE_TABLE"
    int64_t edit_steps "rb_edit_steps" (
        const int32_t* a, int64_t n, const int32_t* b, int64_t m, int64_t large, char* end,
        ScratchC* scratch,
    ) except -1
    int edit_counts "rb_edit_counts" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch,
        int64_t* counts,
    ) except -1


cdef extern from "edits/long_jumps.h" nogil:
    int64_t jumps "rb_jumps" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch
    ) except -1


cdef extern from "text/odd_space.h":
    bint has_odd_space "rb_has_odd_space" (object text) noexcept


cdef int check_lengths(const TokensC* texts, int64_t begin, int64_t end) except -1 nogil
cdef int check_numbers(Buffer array, int64_t least, int64_t most, str where) except -1


cdef inline double rate(int64_t edits, double length) noexcept nogil:
    """Return edits by reference length in percent; any edits of an empty reference are 100 %."""
    if length > 0.0:
        return 100.0 * (<double> edits / length)
    return 100.0 if edits > 0 else 0.0
