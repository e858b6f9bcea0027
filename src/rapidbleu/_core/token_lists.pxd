"""C contract of token lists: sequences of hashable tokens into token tables."""

from libc.stdint cimport int64_t

from rapidbleu._core.ngrams cimport ClippingC
from rapidbleu._core.text cimport TokensC


cdef class ListTables:
    cdef TokensC hyps
    cdef TokensC refs
    cdef ClippingC clipping
    cdef int64_t* first_ref      # [segments of the batch + 1]
    cdef dict numbers            # of the tokens of one segment that are neither str nor int

    cdef int clear(self) except -1
    cdef int64_t memory(self) noexcept
    cdef bint read_segment(self, hypothesis, references, int64_t k) except -1


cdef enum:
    LIST_BATCH = 64              # segments: their tokens stay in the first-level cache


cdef tuple elements(source)
cdef frozen(source)
