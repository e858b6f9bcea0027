"""Clipped matches of one hypothesis with every reference of a block, from an inverted index.

The references of a block are sets of features (see features.pyx), and the index says of a feature
which references have it.  The matches of a hypothesis with all of them are a sum over its features:
of rows of bits where many references have the feature, which are added 64 columns at a time
(planes.h), and of short lists of references otherwise.  So the cost is proportional to the n-grams
that segments share, and each text is looked at once, not once for each pair.

Counters are bytes, as a hypothesis of up to 255 tokens has no more n-grams of one order.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stddef cimport ptrdiff_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.features cimport (
    features_build, features_find, features_free, features_init, room,
)
from rapidbleu._core.text cimport TokensC, segment_length


cdef extern from "planes.h" nogil:
    enum:
        RB_LANE
        RB_ROWS
    void rb_spread_fill(uint8_t* spread) noexcept
    void rb_sum_rows(
        const uint64_t** rows, ptrdiff_t n, ptrdiff_t n_words, const uint8_t* spread,
        uint8_t* counts,
    ) noexcept


cdef enum:
    LEAST_FOR_BITS = 24  # references: below, lists only
    BITS_SHARE = 96

cdef uint8_t spread[2048]
rb_spread_fill(spread)


cdef void pair_index_init(PairIndexC* x) noexcept nogil:
    memset(x, 0, sizeof(PairIndexC))
    features_init(&x.features)


cdef void pair_index_free(PairIndexC* x) noexcept nogil:
    features_free(&x.features)
    PyMem_RawFree(x.places)
    PyMem_RawFree(x.bits)
    PyMem_RawFree(x.postings)
    PyMem_RawFree(x.counts)
    PyMem_RawFree(x.found)
    PyMem_RawFree(x.rows)
    memset(x, 0, sizeof(PairIndexC))


cdef int pair_index_build(
    PairIndexC* x, const TokensC* refs, int64_t begin, int64_t end, int step, int max_order
) except -1 nogil:
    """Index a block of references in the memory of the one before.

    They are every step-th segment of [begin, end): at most BLOCK_REFS of them, with at most
    BLOCK_TOKENS tokens, and MOST_ORDERS orders.
    """
    cdef int64_t node, r, k, n_postings = 0, n, enough, row_words, n_bits
    cdef PlaceC* place
    features_build(&x.features, refs, begin, end, step, max_order)
    x.begin, x.step, x.n_refs = begin, step, x.features.n_segments
    x.stamp = <uint32_t> x.n_refs
    x.n_words = (x.n_refs + 63) // 64
    row_words = (x.n_words + RB_LANE - 1) // RB_LANE * RB_LANE
    n_bits = row_words  # the first row is all zero
    enough = x.n_refs // BITS_SHARE + 4 if x.n_refs >= LEAST_FOR_BITS else x.n_refs + 1
    room(<void**> &x.places, &x.place_capacity, x.features.n_nodes, sizeof(PlaceC))
    for node in range(x.features.n_nodes):
        n = x.features.nodes[node].n_segments
        place = &x.places[node]
        if n >= enough:
            place.first, place.n = <uint32_t> n_bits, 0
            n_bits += row_words
        else:
            place.first, place.n = <uint32_t> n_postings, <uint32_t> n
            n_postings += n
    room(<void**> &x.bits, &x.bit_capacity, n_bits, sizeof(uint64_t))
    room(<void**> &x.postings, &x.posting_capacity, n_postings, sizeof(uint16_t))
    memset(x.bits, 0, <size_t> n_bits * sizeof(uint64_t))
    for r in range(x.n_refs):
        for k in range(x.features.first_found[r], x.features.first_found[r + 1]):
            place = &x.places[x.features.found[k]]
            if place.n == 0:
                x.bits[place.first + r // 64] |= <uint64_t> 1 << (r % 64)
            else:
                x.postings[place.first] = <uint16_t> r
                place.first += 1
    for node in range(x.features.n_nodes):
        x.places[node].first -= x.places[node].n
    x.stride = 64 * x.n_words
    room(<void**> &x.counts, &x.count_capacity, max_order * x.stride, 1)
    return 0


cdef int pair_index_count(PairIndexC* x, const TokensC* hyps, int64_t hyp) except -1 nogil:
    """Fill x.counts: matches of a hypothesis of at most MOST_TOKENS with each reference."""
    cdef int64_t first_of_order[MOST_ORDERS + 1]
    cdef const uint32_t* found = pair_index_find(x, hyps, hyp, first_of_order)
    cdef int order
    for order in range(x.features.max_order):
        pair_index_sum(
            x, found + first_of_order[order], first_of_order[order + 1] - first_of_order[order],
            x.counts + order * x.stride,
        )
    return 0


cdef const uint32_t* pair_index_find(
    PairIndexC* x, const TokensC* hyps, int64_t hyp, int64_t* first_of_order
) except NULL nogil:
    """The features of a hypothesis that some reference has, order by order."""
    cdef int64_t n = segment_length(hyps, hyp), place = hyp - x.begin
    cdef int max_order = x.features.max_order, order
    if hyps == x.features.tokens and 0 <= place < x.n_refs * x.step:  # one of the references
        first_of_order[0] = 0
        for order in range(max_order):
            first_of_order[order + 1] = first_of_order[order] + (n - order if n > order else 0)
        return x.features.found + x.features.first_found[place // x.step]
    room(<void**> &x.found, &x.found_capacity, (max_order + 2) * n + 1, sizeof(uint32_t))
    x.stamp += 1
    features_find(&x.features, hyps, hyp, x.stamp, x.found, first_of_order)
    return x.found


cdef int pair_index_sum(
    PairIndexC* x, const uint32_t* found, int64_t n, uint8_t* counts
) except -1 nogil:
    """Fill counts, one for each reference: how many of n features, at most MOST_TOKENS, it has."""
    cdef int64_t k, n_rows = 0, i
    cdef PlaceC place
    room(<void**> &x.rows, &x.row_capacity, n + RB_ROWS, sizeof(uint64_t*))
    for k in range(n):
        place = x.places[found[k]]
        if place.n == 0:
            x.rows[n_rows] = x.bits + place.first
            n_rows += 1
    if n_rows == 0:
        memset(counts, 0, <size_t> x.stride)
    else:
        while n_rows % RB_ROWS:
            x.rows[n_rows] = x.bits
            n_rows += 1
        rb_sum_rows(x.rows, n_rows, x.n_words, spread, counts)
    for k in range(n):
        place = x.places[found[k]]
        for i in range(place.n):
            counts[x.postings[place.first + i]] += 1
    return 0
