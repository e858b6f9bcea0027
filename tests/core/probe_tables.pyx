"""The headers of `_core/ngrams` that are made of hash tables, called directly."""

from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint64_t

from rapidbleu._core.ngrams cimport (
    InvertedIndexC, TokenTableC, inverted_index_build, inverted_index_count, inverted_index_free,
    inverted_index_init, token_numbers, token_table_clear, token_table_free, token_table_init,
)
from rapidbleu._core.text cimport (
    TokensC, segment_length, text_reserve, tokens_close_segment, tokens_free, tokens_init,
    tokens_push, tokens_push_id,
)


cdef extern from "<string.h>":
    void* memcpy(void* to, const void* source, size_t n)


cdef extern from "common/probing_table.h":
    int64_t rb_slots_for(int64_t n)
    uint64_t rb_hash_word(uint64_t word, uint64_t key)


cdef extern from "ngrams/token_masks.h":
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

    def numbers(self, Segments segments, int64_t segment, bint add):
        """Numbers of a segment's tokens, from 1; new ones are added or 0."""
        cdef int64_t n = segment_length(&segments.tokens, segment), i
        cdef array.array found = array.array("i", bytes(4 * n))
        token_numbers(&self.table, &segments.tokens, segment, add, found.data.as_ints)
        return found.tolist()


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
