"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int64_t

from rapidbleu._core.text cimport TokensC


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
