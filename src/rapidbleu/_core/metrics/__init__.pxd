"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.ngrams cimport ClippingC


cdef extern from "metrics/edit_distance.h" nogil:
    ctypedef struct BeamC "rb_beam":
        int64_t n_hyp
        int64_t n_ref
        int32_t* hyp
        int32_t* ref
        int32_t* align
        int32_t* hyp_errors
        int32_t* ref_errors
    int64_t beam_memory "rb_beam_memory" (int64_t n_hyp, int64_t n_ref) noexcept
    void beam_init "rb_beam_init" (
        BeamC* b, void* memory, int64_t n_hyp, int64_t n_ref, PyObject* stop, int64_t* work
    ) noexcept
    int64_t beam_forward "rb_beam_forward" (BeamC* b) except -1
    int beam_backward "rb_beam_backward" (BeamC* b) except -1
    int beam_align "rb_beam_align" (BeamC* b) except -1
    int64_t beam_replaced "rb_beam_replaced" (
        BeamC* b, const int32_t* words, int64_t begin, int64_t end
    ) except -1


cdef extern from "metrics/score_cache.h" nogil:
    enum:
        CACHE_SLOTS "RB_CACHE_SLOTS"
        CACHE_MAX "RB_CACHE_MAX"
    const uint64_t CACHE_ZEROS "RB_CACHE_ZEROS"
    ctypedef struct CacheEntryC "rb_cache_entry":
        uint64_t key
        double value
    uint64_t cache_key "rb_cache_key" (uint64_t a, uint64_t b) noexcept
    CacheEntryC* cache_slot "rb_cache_slot" (
        CacheEntryC* entries, int table, uint64_t a, uint64_t b
    ) noexcept
    bint cache_find_four "rb_cache_find_four" (
        CacheEntryC* entries, int first, const int64_t* counts, const int64_t* totals,
        double* values,
    ) noexcept


cdef extern from "metrics/scratch.h" nogil:
    ctypedef struct ScratchC "rb_scratch":
        ClippingC clipping
        PyObject* stop
        int64_t work
    void scratch_init "rb_scratch_init" (ScratchC* s, uint64_t key, bint vectors) noexcept
    void scratch_free "rb_scratch_free" (ScratchC* s) noexcept
    int64_t scratch_memory "rb_scratch_memory" (const ScratchC* s) noexcept
    uint64_t* scratch_words "rb_scratch_words" (ScratchC* s, int64_t n) except NULL


cdef extern from "metrics/shifts.h" nogil:
    int64_t shifted_distance "rb_shifted_distance" (
        BeamC* beam, int32_t* spare, int64_t least
    ) except -1
