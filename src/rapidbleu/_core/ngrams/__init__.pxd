"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.common cimport ProbingTableC
from rapidbleu._core.text cimport LongTokenC, TokensC


cdef extern from "ngrams/clipping.h" nogil:
    enum:
        MOST_MATCHED "RB_MOST_MATCHED"
    ctypedef struct ClippingC "rb_clipping":
        pass
    void clipping_init "rb_clipping_init" (ClippingC* c, uint64_t key) noexcept
    void clipping_free "rb_clipping_free" (ClippingC* c) noexcept
    int64_t clipping_memory "rb_clipping_memory" (const ClippingC* c) noexcept
    int64_t longest "rb_longest" (
        const TokensC* refs, int64_t ref_begin, int64_t ref_end
    ) noexcept
    int clipped_counts "rb_clipped_counts" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
        int max_order, int64_t* correct, ClippingC* c, PyObject* stop,
    ) except -1


cdef extern from "ngrams/token_masks.h" nogil:
    ctypedef void (*MasksC "rb_masks_fn")(
        const uint32_t* lo, const uint32_t* hi, ptrdiff_t n, const uint32_t* other_lo,
        const uint32_t* other_hi, ptrdiff_t m, uint64_t* masks,
    ) noexcept nogil
    void token_masks "rb_token_masks" (
        MasksC masks_of, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref,
        uint64_t* masks, uint64_t* found,
    ) noexcept


cdef extern from "ngrams/match.h" nogil:
    enum:
        MOST_ORDERS "RB_MOST_ORDERS"
        MOST_WORDS "RB_MOST_WORDS"
    ctypedef struct MatcherC "rb_matcher":
        MasksC masks
    MatcherC matcher_select "rb_matcher_select" () noexcept


cdef extern from "ngrams/ref_lengths.h" nogil:
    enum:  # of two equally close references the shorter; of the average the integer part
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


cdef extern from "ngrams/refinement.h" nogil:
    ctypedef struct RefinementC "rb_refinement":
        int64_t capacity
    void refinement_init "rb_refinement_init" (RefinementC* c, uint64_t key) noexcept
    void refinement_free "rb_refinement_free" (RefinementC* c) noexcept
    ctypedef struct SequenceC "rb_sequence":
        pass
    int sequence_open "rb_sequence_open" (
        SequenceC* s, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, RefinementC* c, PyObject* stop,
    ) except -1
    int refine "rb_refine" (SequenceC* s, int max_order, int64_t* correct) except -1


cdef extern from "ngrams/sorted_ngrams.h" nogil:
    enum:
        SORT_MOST "RB_SORT_MOST"
        SORT_ORDERS "RB_SORT_ORDERS"
    int64_t sorted_words "rb_sorted_words" (int64_t n, int64_t m) noexcept
    bint sorted_counts "rb_sorted_counts" (
        const uint32_t* hyp_lo, const uint32_t* hyp_hi, int64_t n, const uint32_t* ref_lo,
        const uint32_t* ref_hi, int64_t m, int max_order, int64_t* correct, uint64_t* memory,
        uint64_t key,
    ) noexcept


cdef extern from "ngrams/token_positions.h" nogil:
    ctypedef struct PositionsC "rb_positions":
        int64_t n_rows
        uint64_t* bits
    int64_t positions_words "rb_positions_words" (int64_t n_tokens, int64_t n_words) noexcept
    void positions_fill "rb_positions_fill" (
        PositionsC* table, uint64_t key, uint64_t* memory, const TokensC* refs, int64_t ref,
        int64_t n_words,
    ) noexcept
    void positions_rows "rb_positions_rows" (
        const PositionsC* table, const TokensC* refs, int64_t ref, const TokensC* hyps, int64_t hyp,
        uint32_t* rows,
    ) noexcept


cdef extern from "ngrams/hash_tables.h" nogil:
    enum:
        NO_NODE "RB_NO_NODE"
    ctypedef struct TokenSlotC "rb_token_slot":
        uint32_t node
    ctypedef struct TokenTableC "rb_token_table":
        ProbingTableC table
    void token_table_init "rb_token_table_init" (TokenTableC* t, uint64_t key) noexcept
    void token_table_free "rb_token_table_free" (TokenTableC* t) noexcept
    int token_table_clear "rb_token_table_clear" (
        TokenTableC* t, const TokensC* tokens, int64_t n
    ) except -1
    TokenSlotC* token_table_find "rb_token_table_find" (
        const TokenTableC* t, const TokensC* tokens, uint64_t identity, const LongTokenC* record
    ) noexcept
    int token_table_add "rb_token_table_add" (
        TokenTableC* t, TokenSlotC* slot, uint64_t identity, const LongTokenC* record,
        uint32_t node,
    ) except -1
    int token_numbers "rb_token_numbers" (
        TokenTableC* table, const TokensC* texts, int64_t text, bint add, int32_t* numbers
    ) except -1


cdef extern from "ngrams/ngram_weights.h" nogil:
    ctypedef struct WeightedNgramC "rb_weighted_ngram":
        int64_t count
        double weight
        uint32_t prefix
    ctypedef struct NgramWeightsC "rb_ngram_weights":
        TokenTableC tokens
        WeightedNgramC* nodes
        int64_t n_nodes
        uint32_t* ending
        int max_order
    void ngram_weights_init "rb_ngram_weights_init" (NgramWeightsC* w, uint64_t key) noexcept
    void ngram_weights_free "rb_ngram_weights_free" (NgramWeightsC* w) noexcept
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


cdef extern from "ngrams/ngram_trie.h" nogil:
    ctypedef struct NgramTrieC "rb_ngram_trie":
        uint64_t* key
        int64_t* count
        int64_t n_grams
    int ngram_trie_init "rb_ngram_trie_init" (NgramTrieC* t, uint64_t secret) except -1
    void ngram_trie_free "rb_ngram_trie_free" (NgramTrieC* t) noexcept
    int64_t ngram_trie_find "rb_ngram_trie_find" (
        const NgramTrieC* t, int64_t prefix, int32_t token
    ) noexcept
    int64_t ngram_trie_add "rb_ngram_trie_add" (
        NgramTrieC* t, int64_t prefix, int32_t token
    ) except -1
