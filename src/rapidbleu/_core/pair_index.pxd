"""C contract of the index of a block of references: which of them have a feature."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from rapidbleu._core.features cimport FeaturesC
from rapidbleu._core.text cimport TokensC


cdef enum:
    BLOCK_REFS = 512     # of a block at most: its index and counters stay in the cache
    BLOCK_TOKENS = 1 << 18
    MOST_ORDERS = 16
    MOST_TOKENS = 255    # of a hypothesis, so that its counters are bytes


ctypedef struct PlaceC:
    uint32_t first       # word of its row of bits, or first posting
    uint32_t n           # postings; 0: it has a row


ctypedef struct PairIndexC:
    FeaturesC features
    int64_t begin        # segment of the first reference
    int step             # from the segment of one to that of the next
    int64_t n_refs
    PlaceC* places       # of each node
    int64_t place_capacity
    uint64_t* bits       # rows; the first is all zero
    int64_t n_words      # that a row needs
    int64_t bit_capacity
    uint16_t* postings
    int64_t posting_capacity
    uint8_t* counts      # [max_order, stride]
    int64_t stride
    int64_t count_capacity
    uint32_t* found
    int64_t found_capacity
    const uint64_t** rows
    int64_t row_capacity
    uint32_t stamp       # of the last hypothesis


cdef void pair_index_init(PairIndexC* x) noexcept nogil
cdef void pair_index_free(PairIndexC* x) noexcept nogil
cdef int pair_index_build(
    PairIndexC* x, const TokensC* refs, int64_t begin, int64_t end, int step, int max_order
) except -1 nogil
cdef const uint32_t* pair_index_find(
    PairIndexC* x, const TokensC* hyps, int64_t hyp, int64_t* first_of_order
) except NULL nogil
cdef int pair_index_sum(
    PairIndexC* x, const uint32_t* found, int64_t n, uint8_t* counts
) except -1 nogil
cdef int pair_index_count(PairIndexC* x, const TokensC* hyps, int64_t hyp) except -1 nogil
