"""The headers of `_core/ngrams`, called directly."""

from cpython cimport array
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cpython.object cimport PyObject

from rapidbleu._core.ngrams cimport (
    ClippingC, TokenTableC, clipped_counts, token_numbers, token_table_clear, token_table_free,
    token_table_init,
)
from rapidbleu._core.text cimport (
    TokensC, segment_length, text_reserve, tokens_clear, tokens_close_segment, tokens_free,
    tokens_init, tokens_push, tokens_push_id,
)


cdef extern from "common/probing_table.h":
    int64_t rb_slots_for(int64_t n)
    uint64_t rb_hash_word(uint64_t word, uint64_t key)


cdef extern from "ngrams/token_masks.h":
    ctypedef struct PositionsC "rb_positions":
        uint64_t key
    uint64_t rb_positions_slot(const PositionsC* table, uint64_t identity)


cdef extern from "ngrams/clipping.h" nogil:
    void clipping_init "rb_clipping_init" (ClippingC* c, uint64_t key) noexcept
    void clipping_free "rb_clipping_free" (ClippingC* c) noexcept


cdef extern from "ngrams/refinement.h" nogil:
    ctypedef struct RefinementC "rb_refinement":
        int64_t capacity
    void refinement_init "rb_refinement_init" (RefinementC* c, uint64_t key) noexcept
    void refinement_free "rb_refinement_free" (RefinementC* c) noexcept
    ctypedef struct SequenceC "rb_sequence":
        pass
    int sequence_open "rb_sequence_open" (
        SequenceC* s, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, RefinementC* c, PyObject* stop,
    ) except -1
    int refine "rb_refine" (SequenceC* s, int max_order, int64_t* correct) except -1


cdef extern from "ngrams/sorted_ngrams.h" nogil:
    int64_t sorted_words "rb_sorted_words" (int64_t n, int64_t m) noexcept
    bint sorted_counts "rb_sorted_counts" (
        const uint32_t* hyp_lo, const uint32_t* hyp_hi, int64_t n, const uint32_t* ref_lo,
        const uint32_t* ref_hi, int64_t m, int max_order, int64_t* correct, uint64_t* memory,
        uint64_t key,
    ) noexcept


cdef int fill(TokensC* t, segments) except -1:
    cdef bytes token
    tokens_clear(t)
    for segment in segments:
        for item in segment:
            if isinstance(item, int):
                tokens_push_id(t, item)
                continue
            token = item
            text_reserve(t, len(token))
            memcpy(t.text + t.text_length, <const char*> token, len(token))
            tokens_push(t, t.text_length, len(token))
            t.text_length += len(token)
        tokens_close_segment(t)
    return 0


cdef class Probe:
    """A hypothesis, its references, and the counters of their n-grams."""

    cdef TokensC hyps
    cdef TokensC refs
    cdef uint64_t[4] keys
    cdef uint64_t key
    cdef ClippingC clipping
    cdef RefinementC refinement

    def __cinit__(self, keys, uint64_t key):
        for i in range(4):
            self.keys[i] = keys[i]
        self.key = key
        tokens_init(&self.hyps, self.keys)
        tokens_init(&self.refs, self.keys)
        clipping_init(&self.clipping, key)
        refinement_init(&self.refinement, key)

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        clipping_free(&self.clipping)
        refinement_free(&self.refinement)

    def read(self, hyp, refs):
        fill(&self.hyps, [hyp])
        fill(&self.refs, refs)

    def count(self, str way, int max_order, stop=None):
        """Return clipped counts by an algorithm; None if it does not support these texts."""
        cdef int64_t n = self.hyps.n_tokens, m = self.refs.n_tokens
        cdef int64_t n_refs = self.refs.n_segments
        cdef int64_t* correct = <int64_t*> malloc(max_order * sizeof(int64_t) + 1)
        cdef uint64_t* memory = NULL
        cdef SequenceC sequence
        memset(correct, 0, max_order * sizeof(int64_t))
        try:
            if way == "refined":
                sequence_open(
                    &sequence, &self.hyps, 0, &self.refs, 0, n_refs, &self.refinement,
                    <PyObject*> stop,
                )
                refine(&sequence, max_order, correct)
            elif way == "sorted":
                memory = <uint64_t*> malloc(sorted_words(n, m) * sizeof(uint64_t))
                if not sorted_counts(
                    self.hyps.lo, self.hyps.hi, n, self.refs.lo, self.refs.hi, m, max_order,
                    correct, memory, self.key,
                ):
                    return None
            else:
                clipped_counts(
                    &self.hyps, 0, &self.refs, 0, n_refs, max_order, correct, &self.clipping,
                    <PyObject*> stop,
                )
            return [correct[i] for i in range(max_order)]
        finally:
            free(correct)
            free(memory)

    def pretend_length(self, int64_t n_tokens):
        """Set the length of the reference, whose tokens are never read."""
        self.refs.first_token[1] = n_tokens


def slots_for(int64_t n):
    return rb_slots_for(n)


def slots_searched(words, uint64_t key, Py_ssize_t n_slots):
    """Count the slots visited by searches for all words of a table."""
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
    cdef PositionsC table
    table.key = key
    return [rb_positions_slot(&table, word) & <uint64_t> (n_slots - 1) for word in words]


cdef class Segments:
    """A token table; tokens are ids or bytes."""

    cdef TokensC tokens
    cdef uint64_t[4] keys

    def __cinit__(self, segments):
        for i in range(4):
            self.keys[i] = 0x9E3779B97F4A7C15 + 2 * i
        tokens_init(&self.tokens, self.keys)
        fill(&self.tokens, segments)

    def __dealloc__(self):
        tokens_free(&self.tokens)

    def blind(self):
        """Make the identities of all long tokens equal."""
        cdef int64_t k, segment, token
        for segment in range(self.tokens.n_segments):
            for k in range(self.tokens.first_long[segment], self.tokens.first_long[segment + 1]):
                token = self.tokens.first_token[segment] + self.tokens.longs[k].index
                self.tokens.lo[token] = self.tokens.hi[token] = 256


cdef class TokenNumbers:
    """Token numbers in the order of occurrence."""

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
        """Return the numbers of a segment's tokens, from 1; new ones are added or 0."""
        cdef int64_t n = segment_length(&segments.tokens, segment)
        cdef array.array found = array.array("i", bytes(4 * n))
        token_numbers(&self.table, &segments.tokens, segment, add, <int32_t*> found.data.as_ints)
        return found.tolist()
