"""C contract of the trie of n-grams: how often each n-gram of a corpus occurs."""

from libc.stdint cimport int32_t, int64_t, uint64_t


ctypedef struct GramCountsC:
    uint64_t* key         # [capacity] (longest proper prefix, last token); gram 0 is the empty one
    int64_t* count        # [capacity]
    int64_t n_grams
    int64_t capacity
    int32_t* slots        # [n_slots] gram that hashes there; 0: free
    int64_t n_slots       # a power of two, at least twice n_grams


cdef int gram_counts_init(GramCountsC* g) except -1 nogil
cdef void gram_counts_free(GramCountsC* g) noexcept nogil
cdef int64_t gram_find(const GramCountsC* g, int64_t prefix, int32_t token) noexcept nogil
cdef int64_t gram_add(GramCountsC* g, int64_t prefix, int32_t token) except -1 nogil
