/* Memo entries, and the look-up of four values at once: without a branch until all are there. */
#ifndef RAPIDBLEU_MEMO_H
#define RAPIDBLEU_MEMO_H

#include <stdint.h>

#define RB_MEMO_SLOTS 1024                 /* of a table */
#define RB_MEMO_MOST INT64_C(0x3FFFFFFF)   /* of an integer that is remembered */
#define RB_MEMO_ZEROS UINT64_C(0x7FFFFFFF) /* less a number of zeros: looked up instead of 0 */

typedef struct {
    uint64_t key; /* of two integers of 31 bits; 0: nothing here yet */
    double value;
} rb_memo_entry;

static inline uint64_t rb_memo_key(uint64_t a, uint64_t b) {
    return UINT64_C(1) << 63 | a << 32 | b;
}

/* Where the value for two integers belongs; 27 values of each, all pairs, do not collide. */
static inline rb_memo_entry *rb_memo_slot(rb_memo_entry *entries, int table, uint64_t a,
                                          uint64_t b) {
    return entries + table * RB_MEMO_SLOTS + ((37 * a + b) & (RB_MEMO_SLOTS - 1));
}

static inline uint64_t rb_memo_find(rb_memo_entry *entries, int table, uint64_t a, uint64_t b,
                                    double *value) {
    const rb_memo_entry *entry = rb_memo_slot(entries, table, a, b);
    *value = entry->value;
    return entry->key ^ rb_memo_key(a, b); /* 0: it is the value */
}

/* Are the values of four ratios, count to total, in the tables first to first + 3?  Then they go to
 * values.  A count of 0 is looked up as RB_MEMO_ZEROS less the number of zeros so far.  Not found are
 * four zeros, and integers below 0 or above RB_MEMO_MOST. */
static inline int rb_memo_four(rb_memo_entry *entries, int first, const int64_t *counts,
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
            missed |= rb_memo_find(entries, first + k, (uint64_t)counts[k], (uint64_t)totals[k],
                                   values + k);
    else {
        uint64_t name = RB_MEMO_ZEROS;
        for (k = 0; k < 4; k++) {
            name -= counts[k] == 0;
            missed |= rb_memo_find(entries, first + k, counts[k] ? (uint64_t)counts[k] : name,
                                   (uint64_t)totals[k], values + k);
        }
    }
    return any != 0 && (missed | ((bits | any) & ~(uint64_t)RB_MEMO_MOST)) == 0;
}

#endif
