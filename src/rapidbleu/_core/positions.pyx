"""Where each token of a reference stands, as rows of bits, for references of several words.

Up to 64 tokens it is cheapest to compare every token of the hypothesis with all of the reference,
eight at a time.  Beyond, the reference's distinct tokens go into a small open-addressing table with
a row of position bits each, and a hypothesis token finds its row with one probe.  The table lives
in the caller's scratch for one pair of texts and is never more than two thirds full.  A slot is the
highest bits of the product with a secret odd number: those of two identities are rarely the same,
whatever they are, and a multiplication is all that it takes.

Long tokens are compared byte by byte both when they enter and when they are looked up, so two with
equal identities get two rows.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from rapidbleu._core.common cimport hash_key, rb_ctz
from rapidbleu._core.text cimport LongTokenC, TokensC, same_long, segment_length


cdef uint64_t KEY = hash_key()


cdef inline int64_t slots_for(int64_t n_tokens) noexcept nogil:
    cdef int64_t n_slots = 64
    while 2 * n_slots < 3 * n_tokens:
        n_slots *= 2
    return n_slots


cdef int64_t position_table_words(int64_t n_tokens, int64_t n_words) noexcept nogil:
    """64-bit words of memory that a table may need."""
    return (n_tokens + 1) * (n_words + 2) + slots_for(n_tokens) // 2


cdef inline uint64_t identity_of(const TokensC* t, int64_t token) noexcept nogil:
    return t.lo[token] | <uint64_t> t.hi[token] << 32


cdef inline uint32_t find(
    const PositionTableC* table, const TokensC* refs, int64_t ref, uint64_t identity,
    const TokensC* texts, int64_t record, int64_t* slot,
) noexcept nogil:
    """Row of a token, or 0 and the slot where it would go; `record` is -1 if it is short."""
    cdef uint64_t at = identity * KEY >> table.shift
    cdef const LongTokenC* a
    cdef const LongTokenC* b
    cdef uint32_t row
    while True:
        slot[0] = <int64_t> (at & <uint64_t> (table.n_slots - 1))
        row = table.slots[slot[0]]
        if row == 0:
            return 0
        if table.identity[row] == identity:
            if record < 0:
                return row
            a = &texts.longs[record]
            b = &refs.longs[refs.first_long[ref] + table.record[row]]
            if same_long(texts, a, refs, b):
                return row
        at += 1


cdef void position_table_fill(
    PositionTableC* table, uint64_t* memory, const TokensC* refs, int64_t ref, int64_t n_words
) noexcept nogil:
    """Build the table of a reference in `memory`, of `position_table_words`."""
    cdef int64_t n = segment_length(refs, ref), token = refs.first_token[ref], i, slot
    cdef int64_t record = refs.first_long[ref], end_long = refs.first_long[ref + 1]
    cdef uint64_t identity
    cdef uint32_t row
    cdef bint is_long
    table.n_words = n_words
    table.n_slots = slots_for(n)
    table.shift = 64 - rb_ctz(<uint64_t> table.n_slots)
    table.identity = memory
    table.bits = table.identity + n + 1
    table.record = <int32_t*> (table.bits + (n + 1) * n_words)
    table.slots = <uint32_t*> (table.record + 2 * (n + 1))
    memset(table.slots, 0, <size_t> table.n_slots * sizeof(uint32_t))
    memset(table.bits, 0, <size_t> n_words * sizeof(uint64_t))
    table.n_rows = 1
    for i in range(n):
        identity = identity_of(refs, token + i)
        is_long = record < end_long and refs.longs[record].index == i
        row = find(table, refs, ref, identity, refs, record if is_long else -1, &slot)
        if row == 0:
            row = <uint32_t> table.n_rows
            table.n_rows += 1
            table.slots[slot] = row
            table.identity[row] = identity
            table.record[row] = <int32_t> (record - refs.first_long[ref]) if is_long else -1
            memset(table.bits + row * n_words, 0, <size_t> n_words * sizeof(uint64_t))
        table.bits[row * n_words + (i >> 6)] |= <uint64_t> 1 << (i & 63)
        record += is_long


cdef void position_table_rows(
    const PositionTableC* table, const TokensC* refs, int64_t ref, const TokensC* hyps, int64_t hyp,
    uint32_t* rows,
) noexcept nogil:
    """The row of each token of a hypothesis."""
    cdef int64_t n = segment_length(hyps, hyp), token = hyps.first_token[hyp], i, slot
    cdef int64_t record = hyps.first_long[hyp], end_long = hyps.first_long[hyp + 1]
    cdef bint is_long
    for i in range(n):
        is_long = record < end_long and hyps.longs[record].index == i
        rows[i] = find(
            table, refs, ref, identity_of(hyps, token + i), hyps, record if is_long else -1, &slot
        )
        record += is_long
