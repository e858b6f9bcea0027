/* BLEU's brevity penalty and reference lengths, and a cache of the logarithms and exponentials that
 * the scores of similar rows have in common. A search scores rows that differ in a few counts: the
 * same corpus with one segment swapped, the hypotheses of one reference. Their precisions are
 * ratios of the same few integers, so a score looks up the logarithms of its four precisions by
 * these integers, in a third of the time. A cached value is an earlier result of the C library, to
 * the last bit.
 *
 * A table is direct-mapped: a new value replaces an old one, a look-up is one load and one
 * comparison, and nothing moves. A hash table of all values would grow with the search. A table has
 * 1,024 entries of 16 bytes. A cache is used by one call or handle at a time, never by two threads.
 * Four values are looked up at once, without a branch before the end. */
#ifndef RAPIDBLEU_METRICS_BLEU_H
#define RAPIDBLEU_METRICS_BLEU_H

#include "text/token_table.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define RB_CACHE_SLOTS 1024                 /* per table */
#define RB_CACHE_MAX INT64_C(0x3FFFFFFF)    /* largest integer whose values are cached */
#define RB_CACHE_ZEROS UINT64_C(0x7FFFFFFF) /* minus the number of zeros: key in place of 0 */

typedef struct {
    uint64_t key; /* of two integers of 31 bits; 0 if empty */
    double value;
} rb_cache_entry;

static inline uint64_t rb_cache_key(uint64_t a, uint64_t b) {
    return UINT64_C(1) << 63 | a << 32 | b;
}

/* The entry for two integers; all pairs of 27 consecutive values each do not collide. */
static inline rb_cache_entry *rb_cache_slot(rb_cache_entry *entries, int table, uint64_t a,
                                            uint64_t b) {
    return entries + table * RB_CACHE_SLOTS + ((37 * a + b) & (RB_CACHE_SLOTS - 1));
}

static inline uint64_t rb_cache_find(rb_cache_entry *entries, int table, uint64_t a, uint64_t b,
                                     double *value) {
    const rb_cache_entry *entry = rb_cache_slot(entries, table, a, b);
    *value = entry->value;
    return entry->key ^ rb_cache_key(a, b); /* 0 on a hit */
}

/* Look up the values of four ratios, count to total, in tables first to first + 3: 1, with `values`
 * set, if all are cached. A count of 0 is looked up as RB_CACHE_ZEROS minus the number of zeros so
 * far. Four zeros, and integers below 0 or above RB_CACHE_MAX, are never cached. */
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

/* The logarithm of the brevity penalty, for a nonempty text. */
static inline double rb_log_brevity(int64_t hyp_len, int64_t ref_len) {
    return hyp_len < ref_len ? 1.0 - (double)ref_len / (double)hyp_len : 0.0;
}

/* The penalty of a text shorter than its references (Papineni et al. 2002, 2.2.2), in every metric
 * that has one. */
static inline double rb_brevity_penalty(int64_t hyp_len, int64_t ref_len) {
    if (hyp_len >= ref_len) return 1.0;
    return hyp_len > 0 ? exp(rb_log_brevity(hyp_len, ref_len)) : 0.0;
}

/* Ties of the closest lengths: the shorter; averages are rounded down. */
enum { RB_CLOSEST, RB_SHORTEST, RB_LONGEST, RB_AVERAGE };

static inline int64_t rb_length_gap(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* Effective reference length of a segment in tokens (Papineni et al. 2002, 2.2.2). */
static inline int64_t rb_reference_length(const rb_tokens *refs, int64_t ref_begin, int64_t ref_end,
                                          int64_t hyp_len, int policy) {
    int64_t best = rb_segment_length(refs, ref_begin), total = 0, ref;
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t length = rb_segment_length(refs, ref);
        const int64_t gap = rb_length_gap(length, hyp_len), best_gap = rb_length_gap(best, hyp_len);
        total += length;
        if ((policy == RB_SHORTEST && length < best) || (policy == RB_LONGEST && length > best)
            || (policy == RB_CLOSEST && (gap < best_gap || (gap == best_gap && length < best))))
            best = length;
    }
    return policy == RB_AVERAGE ? total / (ref_end - ref_begin) : best;
}

static inline int rb_compare_lengths(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline void rb_sort_lengths(int64_t *lengths, int64_t n) {
    qsort(lengths, (size_t)n, sizeof *lengths, rb_compare_lengths);
}

/* Reference length of a segment whose references are the rest of its group of at least two:
 * `lengths` of the whole group, ascending, `total` their sum, `own` one of them. */
static inline int64_t rb_length_of_others(const int64_t *lengths, int64_t n, int64_t total,
                                          int64_t own, int policy) {
    int64_t low = 0, high = n - 1;
    if (policy == RB_AVERAGE) return (total - own) / (n - 1);
    if (policy == RB_SHORTEST) return lengths[own == lengths[0] ? 1 : 0];
    if (policy == RB_LONGEST) return lengths[own == lengths[n - 1] ? n - 2 : n - 1];
    while (low < high) { /* the first that is not shorter */
        const int64_t middle = (low + high) / 2;
        if (lengths[middle] < own)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n - 1 || (low > 0 && own - lengths[low - 1] <= lengths[low + 1] - own))
        return lengths[low - 1];
    return lengths[low + 1];
}

#endif
