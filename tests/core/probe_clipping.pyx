"""The headers of `_core/ngrams` that count what a hypothesis and its references share."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cpython.object cimport PyObject

from rapidbleu._core.metrics cimport (
    ScratchC, length_of_others, reference_length, scratch_free, scratch_init, scratch_memory,
    scratch_words, sort_lengths,
)
from rapidbleu._core.ngrams cimport ClippingC, clipped_counts
from rapidbleu._core.text cimport (
    TokensC, text_reserve, tokens_clear, tokens_close_segment, tokens_free, tokens_init,
    tokens_push, tokens_push_id,
)


cdef extern from "ngrams/clipping.h" nogil:
    void clipping_init "rb_clipping_init" (ClippingC* c, uint64_t key) noexcept
    void clipping_free "rb_clipping_free" (ClippingC* c) noexcept
    int64_t clipping_memory "rb_clipping_memory" (const ClippingC* c) noexcept
    ctypedef struct MatcherC "rb_matcher":
        void (*masks)(
            const uint32_t*, const uint32_t*, Py_ssize_t,
            const uint32_t*, const uint32_t*, Py_ssize_t, uint64_t*,
        ) noexcept nogil
    MatcherC rb_matcher_select()
    void rb_masks_one_by_one(
        const uint32_t*, const uint32_t*, Py_ssize_t,
        const uint32_t*, const uint32_t*, Py_ssize_t, uint64_t*,
    ) noexcept


cdef extern from "ngrams/token_masks.h" nogil:
    ctypedef struct PositionsC "rb_positions":
        int64_t n_rows
        uint64_t* bits
    int64_t positions_words "rb_positions_words" (int64_t n_tokens, int64_t n_words) noexcept
    void positions_fill "rb_positions_fill" (
        PositionsC* table, uint64_t key, uint64_t* memory, const TokensC* refs, int64_t ref,
        int64_t n_words,
    ) noexcept
    void positions_rows "rb_positions_rows" (
        const PositionsC* table, const TokensC* refs, int64_t ref, const TokensC* hyps, int64_t hyp,
        uint32_t* rows,
    ) noexcept


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
    """The table of segments, which are lists of bytes and of ids."""
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
    """A hypothesis and its references, and what counts their n-grams."""

    cdef TokensC hyps
    cdef TokensC refs
    cdef uint64_t[4] keys
    cdef uint64_t key
    cdef ClippingC clipping
    cdef RefinementC refinement
    cdef MatcherC matcher

    def __cinit__(self, keys, uint64_t key):
        for i in range(4):
            self.keys[i] = keys[i]
        self.key = key
        tokens_init(&self.hyps, self.keys)
        tokens_init(&self.refs, self.keys)
        clipping_init(&self.clipping, key)
        refinement_init(&self.refinement, key)
        self.matcher = rb_matcher_select()

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        clipping_free(&self.clipping)
        refinement_free(&self.refinement)

    def read(self, hyp, refs):
        fill(&self.hyps, [hyp])
        fill(&self.refs, refs)

    def count(self, str way, int max_order, stop=None):
        """Clipped counts by one of the ways; None if it is not one for these texts."""
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

    def memory(self):
        return clipping_memory(&self.clipping)

    def release(self):
        clipping_free(&self.clipping)
        return clipping_memory(&self.clipping)

    def masks(self, bint one_by_one=False):
        """Of each token of the hypothesis, where it occurs among up to 64 of the reference."""
        cdef uint64_t* masks = <uint64_t*> malloc(self.hyps.n_tokens * sizeof(uint64_t) + 1)
        (rb_masks_one_by_one if one_by_one else self.matcher.masks)(
            self.hyps.lo, self.hyps.hi, self.hyps.n_tokens,
            self.refs.lo, self.refs.hi, self.refs.n_tokens, masks,
        )
        result = [masks[i] for i in range(self.hyps.n_tokens)]
        free(masks)
        return result

    def positions(self):
        """Of each token of the hypothesis, where it occurs in the reference; distinct tokens."""
        cdef PositionsC table
        cdef int64_t m = self.refs.n_tokens, n_words = (m + 63) // 64, i, j
        cdef uint64_t* memory = <uint64_t*> malloc(
            positions_words(m, n_words) * sizeof(uint64_t)
        )
        cdef uint32_t* rows = <uint32_t*> malloc(self.hyps.n_tokens * sizeof(uint32_t) + 1)
        positions_fill(&table, self.key, memory, &self.refs, 0, n_words)
        positions_rows(&table, &self.refs, 0, &self.hyps, 0, rows)
        found = [
            [
                j for j in range(64 * n_words)
                if table.bits[rows[i] * n_words + j // 64] >> (j % 64) & 1
            ]
            for i in range(self.hyps.n_tokens)
        ]
        free(memory)
        free(rows)
        return found, table.n_rows - 1

    def pretend_length(self, int64_t n_tokens):
        """Say that the reference has so many tokens, which are never read."""
        self.refs.first_token[1] = n_tokens

    def reference_length(self, int64_t hyp_len, int policy):
        return reference_length(&self.refs, 0, self.refs.n_segments, hyp_len, policy)


def lengths_of_others(lengths, int policy):
    """The reference length of each segment of a group, of which all others are references."""
    cdef int64_t n = len(lengths), i
    cdef int64_t* ordered = <int64_t*> malloc(n * sizeof(int64_t))
    for i in range(n):
        ordered[i] = lengths[i]
    sort_lengths(ordered, n)
    result = [length_of_others(ordered, n, sum(lengths), own, policy) for own in lengths]
    free(ordered)
    return result


def scratch_sizes(sizes):
    """Bytes held after words were asked for and written, each in turn, and after all are freed."""
    cdef ScratchC scratch
    cdef uint64_t* words
    scratch_init(&scratch, 1)
    held = []
    for size in sizes:
        words = scratch_words(&scratch, size)
        memset(words, 0xFF, <size_t> size * sizeof(uint64_t))
        held.append(scratch_memory(&scratch))
    scratch_free(&scratch)
    return [*held, scratch_memory(&scratch)]
