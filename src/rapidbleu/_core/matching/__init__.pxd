"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.text cimport TokensC


cdef extern from "matching/common_runs.h" nogil:
    double greedy_runs "rb_greedy_runs" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double exponent,
        ScratchC* scratch,
    ) except? -1.0


cdef extern from "matching/common_subsequence.h" nogil:
    int64_t subsequence_length "rb_subsequence_length" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch
    ) except -1


cdef extern from "matching/skip_bigrams.h" nogil:
    int64_t skip_bigrams "rb_skip_bigrams" (int64_t n, int64_t gap) noexcept
    int64_t skip_matches "rb_skip_matches" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t gap,
        bint singles, bint but_last, ScratchC* scratch,
    ) except -1


cdef extern from "matching/skip_ngrams.h" nogil:
    enum:
        MOST_SKIP_ORDERS "RB_MOST_SKIP_ORDERS"
    int skip_ngrams "rb_skip_ngrams" (
        const TokensC* a_texts, int64_t a, const TokensC* b_texts, int64_t b, double decay,
        int n_orders, double* kernels, ScratchC* scratch,
    ) except -1


cdef extern from "matching/union_subsequence.h" nogil:
    ctypedef struct UnionC "rb_union":
        int32_t* hyp
        int32_t* ref
        int64_t n_hyp
        int64_t n_ref
    void union_init "rb_union_init" (UnionC* u) noexcept
    void union_free "rb_union_free" (UnionC* u) noexcept
    int union_open "rb_union_open" (
        UnionC* u, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref,
        ScratchC* scratch,
    ) except -1
    int64_t union_tokens "rb_union_tokens" (const int32_t* numbers, int64_t n) noexcept
    int64_t sentence_end "rb_sentence_end" (
        const int32_t* numbers, int64_t begin, int64_t n
    ) noexcept
    int union_take "rb_union_take" (UnionC* u, int64_t n_numbers, ScratchC* scratch) except -1
    int union_take_weighted "rb_union_take_weighted" (
        UnionC* u, double weight, ScratchC* scratch
    ) except -1
    double union_hits "rb_union_hits" (
        UnionC* u, int64_t n_numbers, double weight
    ) except? -1.0


cdef extern from "matching/weighted_subsequence.h" nogil:
    double weighted_subsequence "rb_weighted_subsequence" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double weight,
        ScratchC* scratch,
    ) except? -1.0


cdef extern from "matching/word_order.h" nogil:
    int word_order "rb_word_order" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, bint as_nltk,
        int64_t* aligned, int64_t* ascending, ScratchC* scratch,
    ) except -1
