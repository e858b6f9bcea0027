"""C contract of numbered tokens: sequences as small integers that are the same in all of them."""

from libc.stdint cimport int32_t, int64_t


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
