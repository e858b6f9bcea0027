"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int64_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.ngrams cimport ClippingC, TokenTableC
from rapidbleu._core.text cimport TokensC


cdef extern from "metrics/rows.h" nogil:
    enum:
        REAL "RB_REAL"
    const double ONE_IN_UNITS "RB_UNITS"
    const double UNIT_IN_PARTS "RB_PARTS"
    void real_store "rb_real_store" (int64_t* columns, double number) noexcept
    double real_of "rb_real_of" (int64_t units, int64_t rest) noexcept
    double real_value "rb_real_value" (const int64_t* columns) noexcept
    uint64_t row_weigh "rb_row_weigh" (
        const int64_t* totals, const int64_t* row, const int64_t* fresh, int64_t* sums, int n
    ) noexcept
    void row_settle "rb_row_settle" (
        int64_t* totals, int64_t* row, const int64_t* sums, int n
    ) noexcept
    ctypedef struct ScratchC "rb_scratch":
        ClippingC clipping
        TokenTableC tokens
        PyObject* stop
        int64_t work
    void scratch_init "rb_scratch_init" (ScratchC* s, uint64_t key) noexcept
    void scratch_free "rb_scratch_free" (ScratchC* s) noexcept
    int64_t scratch_memory "rb_scratch_memory" (const ScratchC* s) noexcept
    uint64_t* scratch_words "rb_scratch_words" (ScratchC* s, int64_t n) except NULL


cdef extern from "metrics/bleu.h" nogil:
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
    double log_brevity "rb_log_brevity" (int64_t hyp_len, int64_t ref_len) noexcept
    double brevity_penalty "rb_brevity_penalty" (int64_t hyp_len, int64_t ref_len) noexcept
    enum:  # ties of the closest lengths: the shorter; averages are rounded down
        CLOSEST "RB_CLOSEST"
        SHORTEST "RB_SHORTEST"
        LONGEST "RB_LONGEST"
        AVERAGE "RB_AVERAGE"
    int64_t reference_length "rb_reference_length" (
        const TokensC* refs, int64_t ref_begin, int64_t ref_end, int64_t hyp_len, int policy
    ) noexcept
    void sort_lengths "rb_sort_lengths" (int64_t* lengths, int64_t n) noexcept
    int64_t length_of_others "rb_length_of_others" (
        const int64_t* lengths, int64_t n, int64_t total, int64_t own, int policy
    ) noexcept
