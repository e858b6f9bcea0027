"""C contract of `nltk.sums`."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.ngrams cimport ClippingC
from rapidbleu._core.text cimport TokensC


# Token lists: sequences of hashable tokens into token tables

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


# Numbered tokens: sequences as small integers that are the same in all of them

cdef class Numbered:
    cdef int32_t* token
    cdef int64_t* first          # [n + 1]
    cdef int64_t n
    cdef int64_t n_tokens
    cdef int64_t token_capacity
    cdef int64_t first_capacity
    cdef int64_t longest

    cdef bint append(self, tokens, dict numbers, bint adds) except -1
    cdef int close(self, int64_t n_more) except -1
