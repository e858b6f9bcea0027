"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int64_t, uint64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.ngrams cimport NgramWeightsC
from rapidbleu._core.text cimport TokensC


cdef extern from "counting/corrections.h" nogil:
    int correction_counts "rb_correction_counts" (
        const TokensC* hyps, int64_t hyp, const TokensC* texts, int64_t source, int64_t ref,
        int max_order, int64_t* matches, int64_t* kept, ScratchC* scratch,
    ) except -1


cdef extern from "counting/matched_weights.h" nogil:
    bint weights_have_places "rb_weights_have_places" (
        const NgramWeightsC* w, int64_t n, const TokensC* refs, int64_t ref_begin, int64_t ref_end
    ) noexcept
    int matched_weights "rb_matched_weights" (
        const NgramWeightsC* w, const TokensC* hyps, int64_t hyp, int64_t ref_begin,
        int64_t ref_end, int max_order, double* sums, ScratchC* scratch,
    ) except -1


cdef extern from "counting/ngram_hits.h" nogil:
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
