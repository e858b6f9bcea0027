"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.common cimport ProbingTableC
from rapidbleu._core.text cimport LongTokenC, TokensC


cdef extern from "ngrams/clipping.h" nogil:
    enum:
        MOST_ORDERS "RB_MOST_ORDERS"
    ctypedef struct ClippingC "rb_clipping":
        pass
    int64_t longest "rb_longest" (
        const TokensC* refs, int64_t ref_begin, int64_t ref_end
    ) noexcept
    int clipped_counts "rb_clipped_counts" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
        int max_order, int64_t* correct, ClippingC* c, PyObject* stop,
    ) except -1


cdef extern from "ngrams/hash_tables.h" nogil:
    enum:
        NO_NODE "RB_NO_NODE"
    ctypedef struct TokenTableC "rb_token_table":
        ProbingTableC table
    void token_table_init "rb_token_table_init" (TokenTableC* t, uint64_t key) noexcept
    void token_table_free "rb_token_table_free" (TokenTableC* t) noexcept
    int token_table_clear "rb_token_table_clear" (
        TokenTableC* t, const TokensC* tokens, int64_t n
    ) except -1
    int token_numbers "rb_token_numbers" (
        TokenTableC* table, const TokensC* texts, int64_t text, bint add, int32_t* numbers
    ) except -1


cdef extern from "ngrams/ngram_sets.h" nogil:
    ctypedef struct NgramNodeC "rb_ngram_node":
        uint32_t n_segments
    ctypedef struct NgramSetC "rb_ngram_set":
        const TokensC* tokens
        int max_order
        NgramNodeC* nodes
        uint32_t* found
        int64_t* first_found
    int64_t count_ngrams "rb_count_ngrams" (
        const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
    ) noexcept
    int ngram_set_build "rb_ngram_set_build" (
        NgramSetC* s, const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
    ) except -1


cdef extern from "ngrams/inverted_index.h" nogil:
    enum:
        BLOCK_REFS "RB_BLOCK_REFS"
        BLOCK_TOKENS "RB_BLOCK_TOKENS"
        BLOCK_ORDERS "RB_BLOCK_ORDERS"
        BLOCK_HYP_TOKENS "RB_BLOCK_HYP_TOKENS"
    ctypedef struct InvertedIndexC "rb_inverted_index":
        NgramSetC ngrams
        int64_t begin
        int step
        int64_t n_refs
        uint8_t* counts
        int64_t stride
    void inverted_index_init "rb_inverted_index_init" (
        InvertedIndexC* x, uint64_t key, PyObject* stop
    ) noexcept
    void inverted_index_free "rb_inverted_index_free" (InvertedIndexC* x) noexcept
    int inverted_index_build "rb_inverted_index_build" (
        InvertedIndexC* x, const TokensC* refs, int64_t begin, int64_t end, int step,
        int max_order,
    ) except -1
    const uint32_t* inverted_index_find "rb_inverted_index_find" (
        InvertedIndexC* x, const TokensC* hyps, int64_t hyp, int64_t* first_of_order
    ) except NULL
    int inverted_index_sum "rb_inverted_index_sum" (
        InvertedIndexC* x, const uint32_t* found, int64_t n, uint8_t* counts
    ) except -1
    int inverted_index_count "rb_inverted_index_count" (
        InvertedIndexC* x, const TokensC* hyps, int64_t hyp
    ) except -1
