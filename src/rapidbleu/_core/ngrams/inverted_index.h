/* Clipped matches of one hypothesis with every reference of a block, from an inverted index. The
 * references of a block are sets of elements, n-grams with their occurrences (ngram_sets.h); the
 * index maps an element to its references. The matches of a hypothesis with all of them are a sum
 * over its elements: of rows of bits, added 64 columns at a time, for elements of many references,
 * and of short lists of references otherwise. So the cost is proportional to the n-grams that
 * segments share, and each text is read once instead of once per pair. Counters are bytes, because
 * a hypothesis of up to 255 tokens has no more n-grams of one order. */
#ifndef RAPIDBLEU_NGRAMS_INVERTED_INDEX_H
#define RAPIDBLEU_NGRAMS_INVERTED_INDEX_H

#include "common/bits.h"
#include "common/cpu.h"
#include "ngrams/ngram_sets.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Column sums of rows of bits: how many of n rows have bit j set, for every j. Counters are
 * bit-sliced: planes[k] contains bit k of all counters, 64 in a word, so one logical operation
 * works on 64 counters. Four full adders reduce seven rows at a time to one digit each of weight 1,
 * 2 and 4, which are added to the planes: five operations a word and row instead of ten for adding
 * rows one by one (Harley and Seal's bit count). */
#define RB_LANE 4       /* words added at once; rows are padded to a multiple */
#define RB_ROWS 7       /* rows added at once; lists of rows are padded to a multiple */
#define RB_MOST_PLANES 8

typedef struct { uint64_t word[RB_LANE]; } rb_lane;

/* The bits of a byte as one byte each; the larger macros do so for consecutive bytes from x on. */
#define RB_SPREAD_1(x)                                                                             \
    (x) & 1, (x) >> 1 & 1, (x) >> 2 & 1, (x) >> 3 & 1, (x) >> 4 & 1, (x) >> 5 & 1, (x) >> 6 & 1,   \
        (x) >> 7 & 1
#define RB_SPREAD_4(x)                                                                             \
    RB_SPREAD_1(x), RB_SPREAD_1((x) + 1), RB_SPREAD_1((x) + 2), RB_SPREAD_1((x) + 3)
#define RB_SPREAD_16(x)                                                                            \
    RB_SPREAD_4(x), RB_SPREAD_4((x) + 4), RB_SPREAD_4((x) + 8), RB_SPREAD_4((x) + 12)
#define RB_SPREAD_64(x)                                                                            \
    RB_SPREAD_16(x), RB_SPREAD_16((x) + 16), RB_SPREAD_16((x) + 32), RB_SPREAD_16((x) + 48)

RB_INLINE rb_lane rb_lane_load(const uint64_t *p) {
    rb_lane x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Full adder: a + b + *sum = *sum + 2 * carry, bitwise. */
RB_INLINE rb_lane rb_full_add(rb_lane a, rb_lane b, rb_lane *sum) {
    rb_lane carry;
    int w;
    for (w = 0; w < RB_LANE; w++) {
        uint64_t odd = a.word[w] ^ b.word[w];
        carry.word[w] = (a.word[w] & b.word[w]) | (odd & sum->word[w]);
        sum->word[w] ^= odd;
    }
    return carry;
}

RB_INLINE rb_lane rb_half_add(rb_lane a, rb_lane *sum) {
    rb_lane carry;
    int w;
    for (w = 0; w < RB_LANE; w++) {
        carry.word[w] = a.word[w] & sum->word[w];
        sum->word[w] ^= a.word[w];
    }
    return carry;
}

/* Write counts[0 .. 64 * n_words) from n rows, a multiple of RB_ROWS of which at most 255 are not
 * all zero; rows are readable up to the next multiple of RB_LANE words. Most of the time goes into
 * converting planes to bytes, so wider vectors gained nothing. */
static inline void rb_sum_rows(const uint64_t *const *rows, ptrdiff_t n, ptrdiff_t n_words,
                               uint8_t *counts) {
    static const uint8_t spread[8 * 256] = {/* the bits of each byte */
                                            RB_SPREAD_64(0), RB_SPREAD_64(64), RB_SPREAD_64(128),
                                            RB_SPREAD_64(192)};
    ptrdiff_t first, i;
    int n_planes = 1, k, w, byte;
    while (n_planes < RB_MOST_PLANES && n >> n_planes) n_planes++;
    for (first = 0; first < n_words; first += RB_LANE) {
        rb_lane planes[RB_MOST_PLANES];
        memset(planes, 0, sizeof planes);
        for (i = 0; i < n; i += RB_ROWS) {
            rb_lane one = rb_lane_load(rows[i] + first), other = rb_lane_load(rows[i + 3] + first);
            rb_lane two, two_more, four, carry;
            two = rb_full_add(rb_lane_load(rows[i + 1] + first),
                              rb_lane_load(rows[i + 2] + first), &one);
            two_more = rb_full_add(rb_lane_load(rows[i + 4] + first),
                                   rb_lane_load(rows[i + 5] + first), &other);
            carry = rb_full_add(other, rb_lane_load(rows[i + 6] + first), &one);
            four = rb_full_add(carry, two_more, &two);
            carry = rb_half_add(one, &planes[0]);
            carry = rb_full_add(carry, two, &planes[1]);
            carry = rb_full_add(carry, four, &planes[2]);
            for (k = 3; k < n_planes; k++) carry = rb_half_add(carry, &planes[k]);
        }
        for (w = 0; w < RB_LANE && first + w < n_words; w++)
            for (byte = 0; byte < 8; byte++, counts += 8) {
                uint64_t sums = 0;
                for (k = 0; k < n_planes; k++) {
                    uint64_t bits;
                    memcpy(&bits, spread + 8 * (planes[k].word[w] >> 8 * byte & 255), 8);
                    sums |= bits << k;
                }
                memcpy(counts, &sums, 8);
            }
    }
}

/* Limits of a block, so that index and counters stay in the cache and numbers have few bits. */
#define RB_BLOCK_REFS 512
#define RB_BLOCK_TOKENS (1 << 18)
#define RB_BLOCK_ORDERS 16
#define RB_BLOCK_HYP_TOKENS 255 /* per hypothesis, so that its counters are bytes */

#define RB_LEAST_FOR_BITS 24 /* references; with fewer, lists only */
#define RB_BITS_SHARE 96

typedef struct {
    uint32_t first; /* word of its row of bits, or first posting */
    uint32_t n;     /* postings; 0 if it has a row */
} rb_posting_place;

typedef struct {
    rb_ngram_set ngrams;
    int64_t begin; /* segment of the first reference */
    int step;      /* from one reference's segment to the next */
    int64_t n_refs;
    rb_posting_place *places; /* by node */
    int64_t place_capacity;
    uint64_t *bits;  /* rows; the first is all zero */
    int64_t n_words; /* in use per row */
    int64_t bit_capacity;
    uint16_t *postings;
    int64_t posting_capacity;
    uint8_t *counts; /* [max_order, stride] */
    int64_t stride;
    int64_t count_capacity;
    uint32_t *found;
    int64_t found_capacity;
    const uint64_t **rows;
    int64_t row_capacity;
    uint32_t stamp; /* of the last hypothesis */
} rb_inverted_index;

/* Initialize without memory; the key is for its hash tables. */
static inline void rb_inverted_index_init(rb_inverted_index *x, uint64_t key, PyObject *stop) {
    memset(x, 0, sizeof *x);
    rb_ngram_set_init(&x->ngrams, key, stop);
}

static inline void rb_inverted_index_free(rb_inverted_index *x) {
    rb_ngram_set_free(&x->ngrams);
    PyMem_RawFree(x->places);
    PyMem_RawFree(x->bits);
    PyMem_RawFree(x->postings);
    PyMem_RawFree(x->counts);
    PyMem_RawFree(x->found);
    PyMem_RawFree((void *)x->rows);
    memset(x, 0, sizeof *x);
}

static inline void rb_inverted_index_fill(rb_inverted_index *x) {
    const rb_ngram_set *s = &x->ngrams;
    int64_t node, r, k;
    for (r = 0; r < x->n_refs; r++)
        for (k = s->first_found[r]; k < s->first_found[r + 1]; k++) {
            rb_posting_place *place = &x->places[s->found[k]];
            if (place->n == 0)
                x->bits[place->first + r / 64] |= UINT64_C(1) << (r % 64);
            else
                x->postings[place->first++] = (uint16_t)r;
        }
    for (node = 0; node < s->n_nodes; node++) x->places[node].first -= x->places[node].n;
}

/* Index every step-th segment of [begin, end) in the memory of the previous block: at most
 * RB_BLOCK_REFS, with RB_BLOCK_TOKENS tokens and RB_BLOCK_ORDERS orders. */
static inline int rb_inverted_index_build(rb_inverted_index *x, const rb_tokens *refs,
                                          int64_t begin, int64_t end, int step, int max_order) {
    int64_t node, n_postings = 0, n, enough, row_words, n_bits;
    if (rb_ngram_set_build(&x->ngrams, refs, begin, end, step, max_order) < 0) return -1;
    x->begin = begin;
    x->step = step;
    x->n_refs = x->ngrams.n_segments;
    x->stamp = (uint32_t)x->n_refs;
    x->n_words = (x->n_refs + 63) / 64;
    x->stride = 64 * x->n_words;
    row_words = (x->n_words + RB_LANE - 1) / RB_LANE * RB_LANE;
    n_bits = row_words; /* the first row is all zero */
    enough = x->n_refs >= RB_LEAST_FOR_BITS ? x->n_refs / RB_BITS_SHARE + 4 : x->n_refs + 1;
    if (rb_room((void **)&x->places, &x->place_capacity, x->ngrams.n_nodes,
                sizeof(rb_posting_place))
        < 0)
        return -1;
    for (node = 0; node < x->ngrams.n_nodes; node++) {
        rb_posting_place *place = &x->places[node];
        n = x->ngrams.nodes[node].n_segments;
        if (n >= enough) {
            place->first = (uint32_t)n_bits;
            place->n = 0;
            n_bits += row_words;
        } else {
            place->first = (uint32_t)n_postings;
            place->n = (uint32_t)n;
            n_postings += n;
        }
    }
    if (rb_room((void **)&x->bits, &x->bit_capacity, n_bits, sizeof(uint64_t)) < 0
        || rb_room((void **)&x->postings, &x->posting_capacity, n_postings, sizeof(uint16_t)) < 0
        || rb_room((void **)&x->counts, &x->count_capacity, max_order * x->stride, 1) < 0)
        return -1;
    memset(x->bits, 0, (size_t)n_bits * sizeof(uint64_t));
    rb_inverted_index_fill(x);
    return 0;
}

/* The elements of a hypothesis that any reference has, by order; NULL if an exception is set. */
static inline const uint32_t *rb_inverted_index_find(rb_inverted_index *x, const rb_tokens *hyps,
                                                     int64_t hyp, int64_t *first_of_order) {
    const int64_t n = rb_segment_length(hyps, hyp), place = hyp - x->begin;
    const int max_order = x->ngrams.max_order;
    int order;
    if (hyps == x->ngrams.tokens && 0 <= place && place < x->n_refs * x->step) { /* a reference */
        first_of_order[0] = 0;
        for (order = 0; order < max_order; order++)
            first_of_order[order + 1] = first_of_order[order] + (n > order ? n - order : 0);
        return x->ngrams.found + x->ngrams.first_found[place / x->step];
    }
    if (rb_room((void **)&x->found, &x->found_capacity, (max_order + 2) * n, sizeof(uint32_t)) < 0)
        return NULL;
    x->stamp++;
    rb_ngram_set_find(&x->ngrams, hyps, hyp, x->stamp, x->found, first_of_order);
    return x->found;
}

/* Count how many of n <= RB_BLOCK_HYP_TOKENS elements each reference has, up to the stride. */
static inline int rb_inverted_index_sum(rb_inverted_index *x, const uint32_t *found, int64_t n,
                                        uint8_t *counts) {
    int64_t k, n_rows = 0, i;
    if (rb_room((void **)&x->rows, &x->row_capacity, n + RB_ROWS, sizeof(uint64_t *)) < 0)
        return -1;
    for (k = 0; k < n; k++) {
        const rb_posting_place place = x->places[found[k]];
        if (place.n == 0) x->rows[n_rows++] = x->bits + place.first;
    }
    if (n_rows == 0)
        memset(counts, 0, (size_t)x->stride);
    else {
        while (n_rows % RB_ROWS) x->rows[n_rows++] = x->bits;
        rb_sum_rows(x->rows, (ptrdiff_t)n_rows, (ptrdiff_t)x->n_words, counts);
    }
    for (k = 0; k < n; k++) {
        const rb_posting_place place = x->places[found[k]];
        for (i = 0; i < place.n; i++) counts[x->postings[place.first + i]]++;
    }
    return 0;
}

/* Fill x->counts: matches of a hypothesis of at most RB_BLOCK_HYP_TOKENS with each reference. */
static inline int rb_inverted_index_count(rb_inverted_index *x, const rb_tokens *hyps,
                                          int64_t hyp) {
    int64_t first_of_order[RB_BLOCK_ORDERS + 1];
    const uint32_t *found = rb_inverted_index_find(x, hyps, hyp, first_of_order);
    int order;
    if (found == NULL) return -1;
    for (order = 0; order < x->ngrams.max_order; order++) {
        const int64_t first = first_of_order[order];
        if (rb_inverted_index_sum(x, found + first, first_of_order[order + 1] - first,
                                  x->counts + order * x->stride)
            < 0)
            return -1;
    }
    return 0;
}

#endif
