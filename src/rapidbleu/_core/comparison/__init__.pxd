"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rapidbleu._core.common cimport ProbingTableC
from rapidbleu._core.ngrams cimport TokenTableC
from rapidbleu._core.text cimport TokensC


cdef extern from "ngrams/hash_tables.h" nogil:
    ctypedef struct GramTableC "rb_gram_table":
        ProbingTableC table
    void gram_table_init "rb_gram_table_init" (GramTableC* t, uint64_t key) noexcept
    void gram_table_free "rb_gram_table_free" (GramTableC* t) noexcept
    int gram_table_clear "rb_gram_table_clear" (GramTableC* t, int64_t n) except -1


cdef extern from "comparison/ngram_matches.h" nogil:
    ctypedef struct BesideC "rb_beside":
        const TokensC* tokens
        const int64_t* first
        int64_t n_segments
        int64_t n_systems
    ctypedef struct FirstPlacesC "rb_first_places":
        int32_t* places
        int64_t n_items
    void texts_of "rb_texts_of" (
        const BesideC* b, int64_t segment, int64_t system, int64_t* text, int64_t* end
    ) noexcept
    int number_words "rb_number_words" (
        const BesideC* b, int64_t system, TokenTableC* table, int32_t* words, FirstPlacesC* places
    ) except -1
    int number_ngrams "rb_number_ngrams" (
        const BesideC* b, int64_t system, int order, const int32_t* words, bint add,
        GramTableC* table, int32_t* numbers, FirstPlacesC* places,
    ) except -1
    enum:
        RIGHT "RB_RIGHT"
        TOO_MANY "RB_TOO_MANY"
        MISSING "RB_MISSING"
    ctypedef struct MatchingC "rb_matching":
        const BesideC* beside
        const int32_t* numbers
        int32_t* left
        int32_t* own
    int count_ngrams_of "rb_count_ngrams_of" (
        const MatchingC* m, int64_t system, int what, int32_t* counts
    ) except -1
