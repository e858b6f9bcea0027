"""C contract of reference lengths."""

from libc.stdint cimport int64_t

from rapidbleu._core.text cimport TokensC


cdef enum:  # of two equally close references the shorter; of the average the integer part
    CLOSEST
    SHORTEST
    LONGEST
    AVERAGE


cdef int64_t reference_length(
    const TokensC* refs, int64_t ref_begin, int64_t ref_end, int64_t hyp_len, int policy
) noexcept nogil
cdef void sort_lengths(int64_t* lengths, int64_t n) noexcept nogil
cdef int64_t length_of_others(
    const int64_t* lengths, int64_t n, int64_t total, int64_t own, int policy
) noexcept nogil
