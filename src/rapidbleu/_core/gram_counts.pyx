"""How often each n-gram of a corpus occurs: a trie in one hash table.

An n-gram is a pair: the number of its first n - 1 tokens, which are an n-gram themselves, and its
last token.  64 bits hold such a pair, so identity is exact whatever the order, and the prefix that
NIST divides by is at hand without a look-up.  Walking on from a token through the orders takes one
probe an order.

Open addressing at a load of one half; 24 bytes an n-gram and 8 to 16 for its slots.  The simpler
way, a Counter of tuples, makes an object of each n-gram and hashes all of its tokens.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc

from rapidbleu._core.common cimport POLL_TOKENS, hash_key, poll_due, poll_without_gil, rb_fold


cdef enum:
    FIRST_GRAMS = 64

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15
cdef uint64_t SECRET = hash_key()


cdef int gram_counts_init(GramCountsC* g) except -1 nogil:
    """A trie of the empty n-gram only, whose count is the caller's affair."""
    memset(g, 0, sizeof(GramCountsC))
    gram_counts_grow(g, FIRST_GRAMS)
    g.n_grams = 1
    g.key[0] = 0
    g.count[0] = 0
    return 0


cdef void gram_counts_free(GramCountsC* g) noexcept nogil:
    PyMem_RawFree(g.key)
    PyMem_RawFree(g.count)
    PyMem_RawFree(g.slots)
    memset(g, 0, sizeof(GramCountsC))


cdef inline int64_t gram_slot(const GramCountsC* g, uint64_t key) noexcept nogil:
    """Where a key is, or the free slot where it would be."""
    cdef int64_t slot = <int64_t> (rb_fold(key ^ SECRET, SPREAD) & <uint64_t> (g.n_slots - 1))
    while g.slots[slot] and g.key[g.slots[slot]] != key:
        slot = (slot + 1) & (g.n_slots - 1)
    return slot


cdef int gram_counts_grow(GramCountsC* g, int64_t capacity) except -1 nogil:
    """Room for so many n-grams, a power of two."""
    cdef void* key
    cdef void* count = NULL
    cdef int32_t* slots = NULL
    cdef int64_t i
    if capacity > INT32_MAX:
        with gil:
            raise MemoryError("more than 2**31 different n-grams")
    key = PyMem_RawRealloc(g.key, <size_t> capacity * sizeof(uint64_t))
    if key != NULL:
        g.key = <uint64_t*> key
        count = PyMem_RawRealloc(g.count, <size_t> capacity * sizeof(int64_t))
    if count != NULL:
        g.count = <int64_t*> count
        slots = <int32_t*> PyMem_RawCalloc(<size_t> (2 * capacity), sizeof(int32_t))
    if slots == NULL:
        with gil:
            raise MemoryError
    PyMem_RawFree(g.slots)
    g.slots = slots
    g.capacity = capacity
    g.n_slots = 2 * capacity
    for i in range(1, g.n_grams):
        if poll_due(i, POLL_TOKENS):
            poll_without_gil(NULL)
        g.slots[gram_slot(g, g.key[i])] = <int32_t> i
    return 0


cdef int64_t gram_find(const GramCountsC* g, int64_t prefix, int32_t token) noexcept nogil:
    """The n-gram of a prefix and a token; 0 if there is none."""
    return g.slots[gram_slot(g, <uint64_t> prefix << 32 | <uint64_t> token)]


cdef int64_t gram_add(GramCountsC* g, int64_t prefix, int32_t token) except -1 nogil:
    """Count an n-gram; returns its number.  Tokens are numbered from 1."""
    cdef uint64_t key = <uint64_t> prefix << 32 | <uint64_t> token
    cdef int64_t slot = gram_slot(g, key), gram = g.slots[slot]
    if gram == 0:
        if g.n_grams == g.capacity:
            gram_counts_grow(g, 2 * g.capacity)
            slot = gram_slot(g, key)
        gram = g.n_grams
        g.n_grams += 1
        g.key[gram] = key
        g.count[gram] = 0
        g.slots[slot] = <int32_t> gram
    g.count[gram] += 1
    return gram
