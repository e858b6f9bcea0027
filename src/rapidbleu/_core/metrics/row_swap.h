/* One row of counts in the place of another, and the totals of all rows after that: a pass that
 * weighs the change and a pass that makes it.
 *
 * A search does little else than replace rows and ask for the score.  Compilers are told that what
 * is written overlaps nothing else, so that both passes go through a row two counts at a time; a
 * pass that went one by one would have the next one wait, as a processor cannot load at once what
 * two stores have just written.
 *
 * Whatever another thread writes to the fresh counts meanwhile, the totals stay the sums of the rows
 * and stay in bounds: the row that is made is what the sums, once weighed, have more than the totals
 * without the old row. */
#ifndef RAPIDBLEU_METRICS_ROW_SWAP_H
#define RAPIDBLEU_METRICS_ROW_SWAP_H

#include <stdint.h>

#include "common/cpu.h"

/* Write the sums that n fresh counts in the place of a row would make of the totals.  Returns a
 * number that no count and no sum exceeds. */
RB_INLINE uint64_t rb_row_weigh(const int64_t *totals, const int64_t *row, const int64_t *fresh,
                                int64_t *__restrict sums, int n) {
    uint64_t bits = 0;
    int j;
    for (j = 0; j < n; j++) {
        const uint64_t count = (uint64_t)fresh[j];
        const uint64_t sum = (uint64_t)totals[j] - (uint64_t)row[j] + count;
        sums[j] = (int64_t)sum;
        bits |= count | sum;
    }
    return bits;
}

/* Make the sums the totals, and the counts that they were weighed with the row. */
RB_INLINE void rb_row_settle(int64_t *__restrict totals, int64_t *__restrict row,
                             const int64_t *__restrict sums, int n) {
    int j;
    for (j = 0; j < n; j++) {
        row[j] = sums[j] - (totals[j] - row[j]);
        totals[j] = sums[j];
    }
}

#endif
