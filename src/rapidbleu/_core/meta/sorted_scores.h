/* Sorting of scores with their original positions, and the number of inversions of a sequence. The
 * bits of doubles as integers order like the numbers once negative ones are inverted. Few scores
 * are merge-sorted; many are sorted by 11 bits at a time, the lowest first, skipping digits that
 * all share: for 15,000 scores in a quarter of the time. Sorting is stable. Inversions, which are
 * Kendall's discordant pairs, are counted by merging ranks (Knight 1966, A Computer Method for
 * Calculating Kendall's Tau with Ungrouped Data). Merges avoid branches and are twice as fast. */
#ifndef RAPIDBLEU_META_SORTED_SCORES_H
#define RAPIDBLEU_META_SORTED_SCORES_H

#include "common/signals.h"
#include <stdint.h>
#include <string.h>

#define RB_DIGIT_BITS 11
#define RB_DIGITS 6 /* of 64 bits */
#define RB_DIGIT_VALUES (1 << RB_DIGIT_BITS)
#define RB_MANY_SCORES 512 /* from which on digits are faster than merging */
#define RB_STRETCH 8       /* ranks sorted by insertion */

typedef struct {
    uint64_t key;  /* orders like the score */
    int32_t place; /* original position */
    int32_t note;  /* for the caller */
} rb_keyed;

/* A key that orders like the score; equal for 0 and -0. */
static inline uint64_t rb_key_of(double score) {
    const double plain = score + 0.0;
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Merge sort; returns the array with the result. */
static inline rb_keyed *rb_merge_keyed(rb_keyed *items, rb_keyed *other, int64_t n) {
    int64_t width, begin;
    for (width = 1; width < n; width *= 2) {
        rb_keyed *out = other;
        for (begin = 0; begin < n; begin += 2 * width) {
            const int64_t middle = n - begin < width ? n : begin + width;
            const int64_t end = n - begin < 2 * width ? n : begin + 2 * width;
            int64_t i = begin, j = middle, k = begin;
            while (i < middle && j < end) {
                const int second = items[j].key < items[i].key;
                out[k++] = items[second ? j : i];
                j += second;
                i += !second;
            }
            memcpy(out + k, items + i, (size_t)(middle - i) * sizeof *out);
            memcpy(out + k + middle - i, items + j, (size_t)(end - j) * sizeof *out);
        }
        other = items;
        items = out;
    }
    return items;
}

/* Sort by digits; returns the array with the result, or NULL after an interruption. */
static inline rb_keyed *rb_sort_digits(rb_keyed *items, rb_keyed *other, int64_t n,
                                       PyObject *stop) {
    const uint64_t mask = RB_DIGIT_VALUES - 1;
    int64_t starts[RB_DIGIT_VALUES], i, next, count;
    int digit, k;
    for (digit = 0; digit < RB_DIGITS; digit++) {
        const int shift = digit * RB_DIGIT_BITS;
        rb_keyed *out = other;
        memset(starts, 0, sizeof starts);
        for (i = 0; i < n; i++) {
            starts[items[i].key >> shift & mask]++;
            if (rb_poll_due(i, RB_POLL_CELLS) && rb_poll_without_gil(stop) < 0) return NULL;
        }
        if (starts[items[0].key >> shift & mask] == n) continue;
        for (k = 0, next = 0; k < RB_DIGIT_VALUES; k++) {
            count = starts[k];
            starts[k] = next;
            next += count;
        }
        for (i = 0; i < n; i++) {
            out[starts[items[i].key >> shift & mask]++] = items[i];
            if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(stop) < 0) return NULL;
        }
        other = items;
        items = out;
    }
    return items;
}

/* Sort n items with an equal array as scratch; returns the one with the result, or NULL. */
static inline rb_keyed *rb_sort_keyed(rb_keyed *items, rb_keyed *other, int64_t n,
                                      PyObject *stop) {
    if (n < RB_MANY_SCORES) return rb_merge_keyed(items, other, n);
    return rb_sort_digits(items, other, n, stop);
}

/* Sort scores into items with their positions; returns the array with the result, or NULL. */
static inline rb_keyed *rb_sort_scores(const double *scores, int64_t n, rb_keyed *items,
                                       rb_keyed *other, PyObject *stop) {
    int64_t i;
    for (i = 0; i < n; i++) {
        items[i].key = rb_key_of(scores[i]);
        items[i].place = (int32_t)i;
        items[i].note = 0;
    }
    return rb_sort_keyed(items, other, n, stop);
}

/* Sort a few ranks by insertion and return the inversions. */
static inline int64_t rb_insert_ranks(int32_t *ranks, int64_t n) {
    int64_t i, j, inversions = 0;
    for (i = 1; i < n; i++) {
        const int32_t rank = ranks[i];
        for (j = i; j > 0 && ranks[j - 1] > rank; j--) ranks[j] = ranks[j - 1];
        ranks[j] = rank;
        inversions += i - j;
    }
    return inversions;
}

/* Merge [0, middle) and [middle, n) into `out` and return the inversions between the two. */
static inline int64_t rb_merge_ranks(const int32_t *ranks, int64_t middle, int64_t n,
                                     int32_t *out) {
    int64_t i = 0, j = middle, k = 0, inversions = 0;
    while (i < middle && j < n) {
        const int second = ranks[j] < ranks[i];
        inversions += second ? middle - i : 0;
        out[k++] = ranks[second ? j : i];
        j += second;
        i += !second;
    }
    memcpy(out + k, ranks + i, (size_t)(middle - i) * sizeof *out);
    memcpy(out + k + middle - i, ranks + j, (size_t)(n - j) * sizeof *out);
    return inversions;
}

/* Count the inversions of ranks, with as many of scratch; both are overwritten. 0 or -1. */
static inline int rb_count_inversions(int32_t *ranks, int32_t *scratch, int64_t n,
                                      int64_t *inversions, PyObject *stop) {
    int64_t i, width;
    *inversions = 0;
    for (i = 0; i < n; i += RB_STRETCH)
        *inversions += rb_insert_ranks(ranks + i, n - i < RB_STRETCH ? n - i : RB_STRETCH);
    for (width = RB_STRETCH; width < n; width *= 2) {
        int32_t *out = scratch;
        if (n >= RB_POLL_TOKENS && rb_poll_without_gil(stop) < 0) return -1;
        for (i = 0; i < n; i += 2 * width) {
            const int64_t m = n - i < 2 * width ? n - i : 2 * width;
            *inversions += rb_merge_ranks(ranks + i, m < width ? m : width, m, out + i);
        }
        scratch = ranks;
        ranks = out;
    }
    return 0;
}

#endif
