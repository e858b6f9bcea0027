"""Cython declarations of the headers in this folder, and kernels used elsewhere."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport BestReferenceKernel, SegmentMeanKernel
from rapidbleu._core.text cimport TokensC


cdef extern from "matching/runs.h" nogil:
    double greedy_runs "rb_greedy_runs" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double exponent,
        ScratchC* scratch,
    ) except? -1.0
    int word_order "rb_word_order" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, bint as_nltk,
        int64_t* aligned, int64_t* ascending, ScratchC* scratch,
    ) except -1


cdef extern from "matching/subsequences.h" nogil:
    void subsequence_scores "rb_subsequence_scores" (
        const int64_t* hits, int64_t n_hyp, const int* n_refs, int64_t n, double square,
        double scale, double* scores,
    ) noexcept
    int64_t subsequence_length "rb_subsequence_length" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch
    ) except -1
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
    bint is_sentence "rb_is_sentence" (const TokensC* texts, int64_t text) noexcept
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
    double weighted_subsequence "rb_weighted_subsequence" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double weight,
        ScratchC* scratch,
    ) except? -1.0


cdef extern from "matching/skips.h" nogil:
    int64_t skip_bigrams "rb_skip_bigrams" (int64_t n, int64_t gap) noexcept
    int64_t skip_matches "rb_skip_matches" (
        const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t gap,
        bint singles, bint but_last, ScratchC* scratch,
    ) except -1
    enum:
        MOST_SKIP_ORDERS "RB_MOST_SKIP_ORDERS"
    int skip_ngrams "rb_skip_ngrams" (
        const TokensC* a_texts, int64_t a, const TokensC* b_texts, int64_t b, double decay,
        int n_orders, double* kernels, ScratchC* scratch,
    ) except -1


# The overlap of a hypothesis and a reference, and the size of each.
ctypedef struct OverlapC:
    double hits
    double hyp
    double ref


cdef class RougeKernel(SegmentMeanKernel):
    cdef double beta
    cdef bint pooled

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil
    cdef void rate(self, const OverlapC* overlap, double* values) noexcept nogil
    cdef double score_overlap(self, double hits, double n_hyp, double n_ref) noexcept nogil


cdef class RougeLKernel(RougeKernel):
    cdef bint by_sentence

    # Scores of a text with n other texts.
    cdef void score_lengths(
        self, const int64_t* lengths, int64_t n_hyp, const int* n_refs, int64_t n, double* scores
    ) noexcept nogil
