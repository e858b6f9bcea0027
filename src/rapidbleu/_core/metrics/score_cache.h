/* A cache of the logarithms and exponentials that the scores of similar rows have in common.
 *
 * The idea: a search scores rows which differ in a few counts from each other: the same corpus with
 * one segment swapped, the hypotheses of one reference.  Their precisions are ratios of the same few
 * integers, so a score takes no logarithm but looks up those of its four precisions by the integers
 * they are made of, in a third of the time.  A cached value is what the C library computed before, to
 * the last bit.
 *
 * A table is direct-mapped: a new value takes the place of an old one, so a look-up is one load and
 * one comparison, and nothing is ever moved.  A hash table that keeps every value would grow with the
 * search.  A table has 1,024 entries of 16 bytes.  A cache belongs to one call or handle at a time,
 * never to two threads.
 *
 * Four values are looked up at once, without a branch until all are there. */
#ifndef RAPIDBLEU_METRICS_SCORE_CACHE_H
#define RAPIDBLEU_METRICS_SCORE_CACHE_H

#include <stdint.h>

#define RB_CACHE_SLOTS 1024                 /* of a table */
#define RB_CACHE_MAX INT64_C(0x3FFFFFFF)    /* of an integer whose values are cached */
#define RB_CACHE_ZEROS UINT64_C(0x7FFFFFFF) /* less a number of zeros: looked up instead of 0 */

typedef struct {
    uint64_t key; /* of two integers of 31 bits; 0: nothing here yet */
    double value;
} rb_cache_entry;

static inline uint64_t rb_cache_key(uint64_t a, uint64_t b) {
    return UINT64_C(1) << 63 | a << 32 | b;
}

/* Where the value for two integers belongs; 27 values of each, all pairs, do not collide. */
static inline rb_cache_entry *rb_cache_slot(rb_cache_entry *entries, int table, uint64_t a,
                                            uint64_t b) {
    return entries + table * RB_CACHE_SLOTS + ((37 * a + b) & (RB_CACHE_SLOTS - 1));
}

static inline uint64_t rb_cache_find(rb_cache_entry *entries, int table, uint64_t a, uint64_t b,
                                     double *value) {
    const rb_cache_entry *entry = rb_cache_slot(entries, table, a, b);
    *value = entry->value;
    return entry->key ^ rb_cache_key(a, b); /* 0: it is the value */
}

/* Are the values of four ratios, count to total, in the tables first to first + 3?  Then they go to
 * values.  A count of 0 is looked up as RB_CACHE_ZEROS less the number of zeros so far.  Not found are
 * four zeros, and integers below 0 or above RB_CACHE_MAX. */
static inline int rb_cache_find_four(rb_cache_entry *entries, int first, const int64_t *counts,
                                     const int64_t *totals, double *values) {
    uint64_t missed = 0, any = 0, bits = 0;
    int k, no_zero = 1;
    for (k = 0; k < 4; k++) {
        any |= (uint64_t)counts[k];
        bits |= (uint64_t)totals[k];
        no_zero &= counts[k] != 0;
    }
    if (no_zero)
        for (k = 0; k < 4; k++)
            missed |= rb_cache_find(entries, first + k, (uint64_t)counts[k], (uint64_t)totals[k],
                                    values + k);
    else {
        uint64_t name = RB_CACHE_ZEROS;
        for (k = 0; k < 4; k++) {
            name -= counts[k] == 0;
            missed |= rb_cache_find(entries, first + k, counts[k] ? (uint64_t)counts[k] : name,
                                    (uint64_t)totals[k], values + k);
        }
    }
    return any != 0 && (missed | ((bits | any) & ~(uint64_t)RB_CACHE_MAX)) == 0;
}

#endif
