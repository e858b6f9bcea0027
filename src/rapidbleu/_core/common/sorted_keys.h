/* Sorting of items by the value of a double. The bits of doubles as integers order like the numbers
 * once negative ones are inverted. Few items are merge-sorted, without branches; many are sorted by
 * 11 bits at a time, the lowest first, skipping digits that all share: for 15,000 items in a quarter
 * of the time. Sorting is stable. */
#ifndef RAPIDBLEU_COMMON_SORTED_KEYS_H
#define RAPIDBLEU_COMMON_SORTED_KEYS_H

#include "common/signals.h"
#include <stdint.h>
#include <string.h>

#define RB_DIGIT_BITS 11
#define RB_DIGITS 6 /* of 64 bits */
#define RB_DIGIT_VALUES (1 << RB_DIGIT_BITS)
#define RB_MANY_KEYS 512 /* from which on digits are faster than merging */

typedef struct {
    uint64_t key;  /* orders like the value */
    int64_t place; /* original position, or anything else of the caller */
} rb_keyed;

/* A key that orders like the value; equal for 0 and -0. */
static inline uint64_t rb_key_of(double value) {
    const double plain = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double rb_value_of_key(uint64_t key) {
    const uint64_t bits = key >> 63 ? key ^ UINT64_C(1) << 63 : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
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
    if (n < RB_MANY_KEYS) return rb_merge_keyed(items, other, n);
    return rb_sort_digits(items, other, n, stop);
}

#endif
