"""Clipped n-gram counts of one hypothesis against its references (Papineni et al. 2002, 2.1).

For references of up to a few hundred tokens no n-gram is ever stored or hashed.  Let `b` be the
positions of the reference that hold the hypothesis's token i.  Then the positions where the n-gram
that ends at token i ends in the reference are

    m[n] = (m[n-1] << 1) & b          m[n-1] as it stood at token i - 1

and clipping is consumption: each hypothesis n-gram takes one position nobody has taken,

    free = m[n] & ~taken[n];  taken[n] |= free & -free

It is exact because equality of n-grams partitions the positions: an n-gram can only take positions
of its own kind, and there are as many as the reference has occurrences.  The clipped count is the
number of positions taken, with several references the number of hypothesis n-grams that found a
free position in any of them, which is min(count, max over references).  About 24 operations and no
branch a token, against 40 ns for the best hash table of n-grams that was tried.

With R reference tokens this takes ceil(R / 64) words a token; longer references go to sorted words
(sorted_grams.h) if the tokens are few and short, as characters are, or else to `refinement`, both
of which take a time linear in the length.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc

from rapidbleu._core.common cimport (
    POLL_TOKENS, bytes_of, hash_key, poll_without_gil, rb_popcount,
)
from rapidbleu._core.positions cimport (
    PositionTableC, position_table_fill, position_table_rows, position_table_words,
)
from rapidbleu._core.refinement cimport (
    refined_counts, refinement_free, refinement_init, refinement_memory,
)
from rapidbleu._core.text cimport LongTokenC, TokensC, same_long, segment_length

cdef extern from "match.h" nogil:
    enum:
        RB_MOST_ORDERS
        RB_MOST_WORDS
    ctypedef struct rb_matcher:
        void (*masks)(
            const uint32_t*, const uint32_t*, ptrdiff_t,
            const uint32_t*, const uint32_t*, ptrdiff_t, uint64_t*,
        ) noexcept nogil
        void (*count_four)(const uint64_t*, ptrdiff_t, int64_t*) noexcept nogil
        void (*hit_four)(const uint64_t*, ptrdiff_t, uint64_t*) noexcept nogil
        void (*match_words)(
            const uint64_t*, const uint32_t*, ptrdiff_t, int, int, int64_t*, uint64_t*,
        ) noexcept nogil
    rb_matcher rb_matcher_select()


cdef extern from "sorted_grams.h" nogil:
    enum:
        RB_SORT_MOST
        RB_SORT_ORDERS
    int64_t rb_sorted_words(int64_t n, int64_t m) noexcept
    bint rb_sorted_counts(
        const uint32_t* hyp_lo, const uint32_t* hyp_hi, int64_t n, const uint32_t* ref_lo,
        const uint32_t* ref_hi, int64_t m, int max_order, int64_t* correct, uint64_t* memory,
        uint64_t key,
    ) noexcept


cdef enum:
    MOST_TOKENS = 1 << 20  # of a hypothesis whose words are matched: some ten milliseconds

cdef uint64_t KEY = hash_key()

cdef rb_matcher matcher = rb_matcher_select()


cdef void clipping_init(ClippingC* c) noexcept nogil:
    c.words = NULL
    c.capacity = 0
    c.stop = NULL
    c.work = 0
    refinement_init(&c.refinement)


cdef void clipping_free(ClippingC* c) noexcept nogil:
    PyMem_RawFree(c.words)
    refinement_free(&c.refinement)
    clipping_init(c)


cdef int64_t clipping_memory(const ClippingC* c) noexcept nogil:
    return 8 * c.capacity + refinement_memory(&c.refinement)


cdef inline int matched(ClippingC* c, int64_t n_tokens) except -1 nogil:
    """Count work on one of several references; look at signals every so often."""
    c.work += n_tokens
    if c.work >= POLL_TOKENS:
        c.work = 0
        poll_without_gil(c.stop)
    return 0


cdef int words_reserve(ClippingC* c, int64_t n) except -1 nogil:
    cdef void* larger
    if n > c.capacity:
        n += n // 2
        larger = PyMem_RawRealloc(c.words, bytes_of(n, sizeof(uint64_t)))
        if larger == NULL:
            with gil:
                raise MemoryError
        c.words = <uint64_t*> larger
        c.capacity = n
    return 0


cdef int clipped_counts(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int max_order, int64_t* correct, ClippingC* c,
) except -1 nogil:
    """Fill correct[0..max_order-1] for hypothesis `hyp` against references [ref_begin, ref_end)."""
    cdef int64_t n = segment_length(hyps, hyp), longest = 0, m, ref
    memset(correct, 0, max_order * sizeof(int64_t))
    for ref in range(ref_begin, ref_end):
        m = segment_length(refs, ref)
        longest = m if m > longest else longest
    if n == 0 or longest == 0 or max_order == 0:
        return 0
    if longest > 64 * RB_MOST_WORDS or max_order > RB_MOST_ORDERS or n > MOST_TOKENS:
        if ref_end - ref_begin == 1 and sort_words(
            hyps, hyp, refs, ref_begin, max_order, correct, c
        ):
            return 0
        return refined_counts(
            hyps, hyp, refs, ref_begin, ref_end, max_order, correct, &c.refinement, c.stop
        )
    if longest <= 64 and max_order == 4:
        return match_four(hyps, hyp, refs, ref_begin, ref_end, correct, c)
    return match_words(hyps, hyp, refs, ref_begin, ref_end, longest, max_order, correct, c)


cdef int match_four(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int64_t* correct, ClippingC* c,
) except -1 nogil:
    """Orders 1 to 4 against references of up to 64 tokens."""
    cdef int64_t n = segment_length(hyps, hyp), h = hyps.first_token[hyp], ref, r
    cdef uint64_t* hits
    words_reserve(c, 3 * n)
    hits = c.words + n
    memset(hits, 0, <size_t> n * sizeof(uint64_t))
    for ref in range(ref_begin, ref_end):
        r = refs.first_token[ref]
        matcher.masks(
            hyps.lo + h, hyps.hi + h, n,
            refs.lo + r, refs.hi + r, segment_length(refs, ref), c.words,
        )
        verify_longs(hyps, hyp, refs, ref, c.words, hits + n)
        if ref_end - ref_begin == 1:
            matcher.count_four(c.words, n, correct)
            return 0
        matcher.hit_four(c.words, n, hits)
        matched(c, n)
    count_hits(hits, n, 4, correct)
    return 0


cdef void verify_longs(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, uint64_t* masks,
    uint64_t* found,
) noexcept nogil:
    """Clear the bits of long tokens whose bytes are not those of the reference's token.

    Which of the reference's long tokens stands at a position is the number of those before it.
    Half of the hypothesis's long tokens are found, nobody can predict which: they are listed
    without a branch first.
    """
    cdef int64_t k, n_found = 0
    cdef uint64_t long_bits = 0, mask, rest, bit
    cdef const LongTokenC* a
    cdef const LongTokenC* b
    for k in range(refs.first_long[ref], refs.first_long[ref + 1]):
        long_bits |= <uint64_t> 1 << refs.longs[k].index
    for k in range(hyps.first_long[hyp], hyps.first_long[hyp + 1]):
        found[n_found] = <uint64_t> k
        n_found += masks[hyps.longs[k].index] != 0
    for k in range(n_found):
        a = &hyps.longs[found[k]]
        mask = rest = masks[a.index]
        while rest:
            bit = rest & (~rest + 1)
            rest ^= bit
            b = &refs.longs[refs.first_long[ref] + rb_popcount(long_bits & (bit - 1))]
            if not same_long(hyps, a, refs, b):
                mask ^= bit
        masks[a.index] = mask


cdef int match_words(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int64_t longest, int max_order, int64_t* correct, ClippingC* c,
) except -1 nogil:
    """Orders up to RB_MOST_ORDERS, references of up to RB_MOST_WORDS words."""
    cdef int64_t n = segment_length(hyps, hyp), ref, n_words = (longest + 63) // 64
    cdef PositionTableC table
    cdef uint64_t* hits
    cdef uint32_t* rows
    cdef bint single = ref_end - ref_begin == 1
    words_reserve(c, 2 * n + position_table_words(longest, n_words))
    hits = c.words
    rows = <uint32_t*> (hits + n)
    memset(hits, 0, <size_t> n * sizeof(uint64_t))
    for ref in range(ref_begin, ref_end):
        n_words = (segment_length(refs, ref) + 63) // 64
        if n_words == 0:
            continue
        position_table_fill(&table, hits + 2 * n, refs, ref, n_words)
        position_table_rows(&table, refs, ref, hyps, hyp, rows)
        matcher.match_words(
            table.bits, rows, n, <int> n_words, max_order, correct if single else NULL,
            NULL if single else hits,
        )
        matched(c, n)
    if not single:
        count_hits(hits, n, max_order, correct)
    return 0


cdef bint sort_words(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int max_order,
    int64_t* correct, ClippingC* c,
) except -1 nogil:
    """A long reference of few different tokens, none of them long; False: it is no such thing."""
    cdef int64_t n = segment_length(hyps, hyp), m = segment_length(refs, ref)
    cdef int64_t h = hyps.first_token[hyp], r = refs.first_token[ref]
    if (
        n > RB_SORT_MOST or m > RB_SORT_MOST or max_order > RB_SORT_ORDERS
        or hyps.first_long[hyp] < hyps.first_long[hyp + 1]
        or refs.first_long[ref] < refs.first_long[ref + 1]
    ):
        return False
    words_reserve(c, rb_sorted_words(n, m))
    return rb_sorted_counts(
        hyps.lo + h, hyps.hi + h, n, refs.lo + r, refs.hi + r, m, max_order, correct, c.words,
        KEY,
    )


cdef void count_hits(
    const uint64_t* hits, int64_t n, int max_order, int64_t* correct
) noexcept nogil:
    """How many hypothesis n-grams of each order found a free position in any reference."""
    cdef int64_t i
    cdef int order
    for i in range(n):
        for order in range(max_order):
            correct[order] += (hits[i] >> order) & 1
