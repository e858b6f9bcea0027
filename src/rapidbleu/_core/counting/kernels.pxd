"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.ngrams cimport TokenTableC
from rapidbleu._core.text cimport TokensC


cdef extern from "counting/ngram_weights.h" nogil:
    ctypedef struct WeightedNgramC "rb_weighted_ngram":
        int64_t count
        double weight
        int32_t segment
    ctypedef struct NgramWeightsC "rb_ngram_weights":
        TokenTableC tokens
        WeightedNgramC* nodes
        int64_t n_nodes
        int max_order
    void ngram_weights_init "rb_ngram_weights_init" (NgramWeightsC* w, uint64_t key) noexcept
    void ngram_weights_free "rb_ngram_weights_free" (NgramWeightsC* w) noexcept
    int64_t ngram_weights_memory "rb_ngram_weights_memory" (const NgramWeightsC* w) noexcept
    int ngram_weights_build "rb_ngram_weights_build" (
        NgramWeightsC* w, const TokensC* texts, const int64_t* first, int64_t n_segments,
        int max_order, uint64_t zero, PyObject* stop,
    ) except -1
    uint32_t ngram_weights_next "rb_ngram_weights_next" (
        const NgramWeightsC* w, uint32_t node, int32_t number
    ) noexcept
    void ngram_weights_sum "rb_ngram_weights_sum" (
        const NgramWeightsC* w, const int32_t* numbers, const uint64_t* hits, int64_t n,
        int max_order, double* sums,
    ) noexcept
    double ngram_weights_rarity "rb_ngram_weights_rarity" (NgramWeightsC* w) noexcept
    void ngram_weights_information "rb_ngram_weights_information" (
        NgramWeightsC* w, bint as_nltk
    ) noexcept
    bint weights_have_places "rb_weights_have_places" (
        const NgramWeightsC* w, int64_t n, const TokensC* refs, int64_t ref_begin, int64_t ref_end
    ) noexcept
    int placed_nodes "rb_placed_nodes" (
        const NgramWeightsC* w, const TokensC* hyps, int64_t hyp, int64_t ref, int max_order,
        uint32_t* nodes, double* sums, ScratchC* scratch,
    ) except -1
    int matched_weights "rb_matched_weights" (
        const NgramWeightsC* w, const TokensC* hyps, int64_t hyp, int64_t ref_begin,
        int64_t ref_end, int max_order, double* sums, ScratchC* scratch,
    ) except -1


cdef extern from "counting/ngram_hits.h" nogil:
    int correction_counts "rb_correction_counts" (
        const TokensC* hyps, int64_t hyp, const TokensC* texts, int64_t source, int64_t ref,
        int max_order, int64_t* matches, int64_t* kept, ScratchC* scratch,
    ) except -1
    uint64_t* ngram_hits "rb_ngram_hits" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
        int max_order, ScratchC* scratch,
    ) except NULL


cdef extern from "counting/rare_ngrams.h" nogil:
    enum:
        MOST_RARE_ORDERS "RB_MOST_RARE_ORDERS"
    double rare_likeness "rb_rare_likeness" (
        const NgramWeightsC* w, double unknown, const TokensC* hyps, int64_t hyp,
        const TokensC* refs, int64_t ref_begin, int64_t ref_end, int max_order, double sigma,
        ScratchC* scratch,
    ) except? -1.0
