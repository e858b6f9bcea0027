"""C contract of the tables that number tokens and n-grams; finding is inline."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

from rapidbleu._core.common cimport rb_fold
from rapidbleu._core.text cimport LongTokenC, TokensC, same_long


cdef enum:
    NO_NODE = 0xFFFFFFFF  # in a slot that is free


ctypedef struct TokenSlotC:
    uint64_t identity
    const LongTokenC* record  # NULL: a short token, which is its identity
    uint32_t node


ctypedef struct TokenTableC:
    const TokensC* tokens     # where the records of long tokens belong
    TokenSlotC* slots
    int64_t n_slots           # in use, a power of two
    int64_t capacity
    int64_t n_items
    uint64_t key


ctypedef struct GramSlotC:
    uint64_t key              # node of the n-gram without its last token, node of that token
    uint32_t node


ctypedef struct GramTableC:
    GramSlotC* slots
    int64_t n_slots
    int64_t capacity
    int64_t n_items
    uint64_t key


cdef int token_table_clear(TokenTableC* t, const TokensC* tokens, int64_t n) except -1 nogil
cdef int gram_table_clear(GramTableC* t, int64_t n) except -1 nogil
cdef void token_table_free(TokenTableC* t) noexcept nogil
cdef void gram_table_free(GramTableC* t) noexcept nogil
cdef int token_table_take(TokenTableC* t, TokenSlotC* slot, TokenSlotC item) except -1 nogil
cdef int gram_table_take(GramTableC* t, GramSlotC* slot, GramSlotC item) except -1 nogil


cdef inline TokenSlotC* token_slot(
    const TokenTableC* t, const TokensC* tokens, uint64_t identity, const LongTokenC* record
) noexcept nogil:
    """Where a token is, or the free slot where it would be."""
    cdef uint64_t mask = <uint64_t> t.n_slots - 1
    cdef uint64_t place = rb_fold(identity ^ t.key, t.key) & mask
    cdef TokenSlotC* slot = &t.slots[place]
    while slot.node != NO_NODE and not (
        slot.identity == identity and (slot.record == NULL) == (record == NULL)
        and (record == NULL or same_long(t.tokens, slot.record, tokens, record))
    ):
        place = (place + 1) & mask
        slot = &t.slots[place]
    return slot


cdef inline GramSlotC* gram_slot(const GramTableC* t, uint64_t key) noexcept nogil:
    """Where an n-gram is, or the free slot where it would be."""
    cdef uint64_t mask = <uint64_t> t.n_slots - 1
    cdef uint64_t place = rb_fold(key ^ t.key, t.key) & mask
    while t.slots[place].node != NO_NODE and t.slots[place].key != key:
        place = (place + 1) & mask
    return &t.slots[place]


cdef inline uint64_t gram_key(uint32_t gram, uint32_t token) noexcept nogil:
    return <uint64_t> gram << 32 | token
