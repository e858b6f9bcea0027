"""The headers of `_core/ngrams` that are made of hash tables, called directly."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from rapidbleu._core.ngrams cimport (
    InvertedIndexC, NgramTrieC, TokenSlotC, TokenTableC, inverted_index_build,
    inverted_index_count, inverted_index_free, inverted_index_init, ngram_trie_add,
    ngram_trie_find, ngram_trie_free, ngram_trie_init, token_table_add, token_table_clear,
    token_table_find, token_table_free, token_table_init,
)
from rapidbleu._core.text cimport (
    LongTokenC, TokensC, segment_length, text_reserve, token_identity, tokens_close_segment,
    tokens_free, tokens_init, tokens_push, tokens_push_id,
)


cdef extern from "<string.h>":
    void* memcpy(void* to, const void* source, size_t n)


cdef extern from "common/probing_table.h":
    int64_t rb_slots_for(int64_t n)
    uint64_t rb_hash_word(uint64_t word, uint64_t key)


cdef extern from "ngrams/inverted_index.h":
    enum:
        RB_LANE
        RB_ROWS
    void rb_sum_rows(const uint64_t** rows, ssize_t n, ssize_t n_words, uint8_t* counts)


cdef extern from "ngrams/hash_tables.h":
    ctypedef struct GramSlotC "rb_gram_slot":
        uint32_t node
    ctypedef struct GramTableC "rb_gram_table":
        pass
    void rb_gram_table_init(GramTableC* t, uint64_t key)
    void rb_gram_table_free(GramTableC* t)
    int rb_gram_table_clear(GramTableC* t, int64_t n) except -1
    uint64_t rb_gram_of(uint32_t prefix, uint32_t token)
    GramSlotC* rb_gram_table_find(const GramTableC* t, uint64_t gram)
    int rb_gram_table_add(GramTableC* t, GramSlotC* slot, uint64_t gram, uint32_t node) except -1


cdef extern from "ngrams/token_positions.h":
    ctypedef struct PositionsC "rb_positions":
        uint64_t key
    uint64_t rb_positions_slot(const PositionsC* table, uint64_t identity)


def slots_for(int64_t n):
    return rb_slots_for(n)


def slots_searched(words, uint64_t key, Py_ssize_t n_slots):
    """How many slots the searches for all words go through, in a table that has them."""
    cdef bytearray taken = bytearray(n_slots)
    cdef uint8_t* slots = taken
    cdef uint64_t word, place
    cdef int64_t n = 0
    for word in words:
        place = rb_hash_word(word, key) & <uint64_t> (n_slots - 1)
        n += 1
        while slots[place]:
            place = (place + 1) & <uint64_t> (n_slots - 1)
            n += 1
        slots[place] = 1
    return n


def positions_slots(words, uint64_t key, int64_t n_slots):
    """The slots of words in a table of positions."""
    cdef PositionsC table
    table.key = key
    return [rb_positions_slot(&table, word) & <uint64_t> (n_slots - 1) for word in words]


cdef class Segments:
    """A token table; tokens are ids or bytes."""

    cdef TokensC tokens
    cdef uint64_t[4] keys

    def __cinit__(self, segments):
        cdef bytes token
        for i in range(4):
            self.keys[i] = 0x9E3779B97F4A7C15 + 2 * i
        tokens_init(&self.tokens, self.keys)
        for segment in segments:
            for item in segment:
                if isinstance(item, int):
                    tokens_push_id(&self.tokens, item)
                    continue
                token = item
                text_reserve(&self.tokens, len(token))
                memcpy(self.tokens.text + self.tokens.text_length, <char*> token, len(token))
                tokens_push(&self.tokens, self.tokens.text_length, len(token))
                self.tokens.text_length += len(token)
            tokens_close_segment(&self.tokens)

    def __dealloc__(self):
        tokens_free(&self.tokens)

    def blind(self):
        """Let the identities of all long tokens be the same."""
        cdef int64_t k, segment, token
        for segment in range(self.tokens.n_segments):
            for k in range(self.tokens.first_long[segment], self.tokens.first_long[segment + 1]):
                token = self.tokens.first_token[segment] + self.tokens.longs[k].index
                self.tokens.lo[token] = self.tokens.hi[token] = 256


cdef class TokenNumbers:
    """Tokens numbered in the order in which they come."""

    cdef TokenTableC table
    cdef Segments segments

    def __cinit__(self, uint64_t key):
        token_table_init(&self.table, key)

    def __dealloc__(self):
        token_table_free(&self.table)

    def clear(self, Segments segments, int64_t n):
        self.segments = segments
        token_table_clear(&self.table, &segments.tokens, n)

    def numbers(self, Segments segments, int64_t segment, bint insert):
        """Numbers of a segment's tokens; new ones are entered or None."""
        cdef const TokensC* t = &segments.tokens
        cdef int64_t i, k = t.first_long[segment]
        cdef const LongTokenC* record
        cdef TokenSlotC* slot
        cdef uint64_t identity
        found = []
        for i in range(segment_length(t, segment)):
            record = NULL
            if k < t.first_long[segment + 1] and t.longs[k].index == i:
                record = &t.longs[k]
                k += 1
            identity = token_identity(t, t.first_token[segment] + i)
            slot = token_table_find(&self.table, t, identity, record)
            if slot.node == 0xFFFFFFFF:
                found.append(self.table.table.n_items if insert else None)
                if insert:
                    token_table_add(
                        &self.table, slot, identity, record, <uint32_t> self.table.table.n_items
                    )
            else:
                found.append(slot.node)
        return found


cdef class GramNumbers:
    """N-grams numbered in the order in which they come."""

    cdef GramTableC table
    cdef uint32_t n

    def __cinit__(self, uint64_t key):
        rb_gram_table_init(&self.table, key)

    def __dealloc__(self):
        rb_gram_table_free(&self.table)

    def clear(self, int64_t n):
        rb_gram_table_clear(&self.table, n)
        self.n = 0

    def number(self, uint32_t prefix, uint32_t token, bint insert):
        cdef uint64_t gram = rb_gram_of(prefix, token)
        cdef GramSlotC* slot = rb_gram_table_find(&self.table, gram)
        if slot.node != 0xFFFFFFFF:
            return slot.node
        if not insert:
            return None
        rb_gram_table_add(&self.table, slot, gram, self.n)
        self.n += 1
        return self.n - 1


cdef class Index:
    """Matches of hypotheses with references, from an index that is built several times."""

    cdef InvertedIndexC index

    def __cinit__(self, uint64_t key):
        inverted_index_init(&self.index, key, NULL)

    def __dealloc__(self):
        inverted_index_free(&self.index)

    def build(self, Segments refs, int64_t begin, int64_t end, int step, int max_order):
        inverted_index_build(&self.index, &refs.tokens, begin, end, step, max_order)

    def elements(self):
        """The elements of each reference, as numbers."""
        cdef int64_t* first = self.index.ngrams.first_found
        return [
            [self.index.ngrams.found[i] for i in range(first[r], first[r + 1])]
            for r in range(self.index.n_refs)
        ]

    def count(self, Segments hyps, int64_t hyp):
        """Matches of an order with each reference."""
        inverted_index_count(&self.index, &hyps.tokens, hyp)
        return [
            [self.index.counts[order * self.index.stride + r] for r in range(self.index.n_refs)]
            for order in range(self.index.ngrams.max_order)
        ]


def sum_rows(list rows, Py_ssize_t n_words):
    """Column sums of rows of bits, which are integers."""
    cdef Py_ssize_t n = (len(rows) + RB_ROWS - 1) // RB_ROWS * RB_ROWS, row, word
    cdef Py_ssize_t width = (n_words + RB_LANE - 1) // RB_LANE * RB_LANE
    cdef bytearray bits = bytearray(8 * n * width + 8), counts = bytearray(64 * n_words)
    cdef bytearray places = bytearray(n * sizeof(uint64_t*))
    cdef const uint64_t** place = <const uint64_t**> <char*> places
    for row in range(n):
        place[row] = <uint64_t*> <char*> bits + row * width
        for word in range(n_words if row < len(rows) else 0):
            (<uint64_t*> place[row])[word] = rows[row] >> 64 * word & 0xFFFFFFFFFFFFFFFF
    rb_sum_rows(place, n, n_words, <uint8_t*> <char*> counts)
    return list(counts)


cdef class Trie:
    """How often n-grams occur."""

    cdef NgramTrieC trie

    def __cinit__(self, uint64_t secret):
        ngram_trie_init(&self.trie, secret)

    def __dealloc__(self):
        ngram_trie_free(&self.trie)

    def add(self, int64_t prefix, int32_t token):
        return ngram_trie_add(&self.trie, prefix, token)

    def find(self, int64_t prefix, int32_t token):
        return ngram_trie_find(&self.trie, prefix, token)

    def grams(self):
        """Prefix, last token and count of each n-gram."""
        return [
            (self.trie.key[i] >> 32, self.trie.key[i] & 0xFFFFFFFF, self.trie.count[i])
            for i in range(1, self.trie.n_grams)
        ]
