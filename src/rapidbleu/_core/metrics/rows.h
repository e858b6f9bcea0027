/* Real numbers in rows of integers, so that their sums are exact in any order.
 *
 * A number takes two columns: whole units of 2**-20, and the rest in units of 2**-50.  Both count
 * upwards like those of every other metric and stay below 2**31 for numbers below 2,048, so rows
 * also fit into 32-bit integers.  A number is kept to 2**-51 and sums are exact; sums of doubles
 * would be rounded, in another way in another order. */
#ifndef RAPIDBLEU_METRICS_ROWS_H
#define RAPIDBLEU_METRICS_ROWS_H

#include "common/cpu.h"
#include "ngrams/clipping.h"
#include "ngrams/hash_tables.h"
#include <stdint.h>

#define RB_UNITS 1048576.0    /* of 1: a unit is 2**-20 */
#define RB_PARTS 1073741824.0 /* of a unit, 2**30 */
#define RB_REAL 2             /* columns */

/* Write a number from 0 to 2**40. */
static inline void rb_real_store(int64_t *columns, double number) {
    const double units = number * RB_UNITS;
    columns[0] = (int64_t)units;
    columns[1] = (int64_t)((units - (double)columns[0]) * RB_PARTS + 0.5);
}

/* The number of so many units and parts of them, below 2**53 of each, rounded once. */
static inline double rb_real_of(int64_t units, int64_t rest) {
    return ((double)units + (double)rest / RB_PARTS) / RB_UNITS;
}

/* The number, or a sum of numbers. */
static inline double rb_real_value(const int64_t *columns) {
    return rb_real_of(columns[0], columns[1]);
}

/* Where in n rows of some columns, of which the first three are matches and two lengths, the matches first
 * exceed a length, which `most` becomes; -1: nowhere. */
static inline int64_t rb_excess_of_matches(const int64_t *rows, int64_t n, int n_stats,
                                           int64_t *most) {
    int64_t i;
    for (i = 0; i < n * n_stats; i += n_stats) {
        *most = rows[i + 1] < rows[i + 2] ? rows[i + 1] : rows[i + 2];
        if (rows[i] > *most) return i;
    }
    return -1;
}

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

/* Scratch of a metric: the memory that the rows of one segment after the other are computed in, and
 * how that work is interrupted.
 *
 * Every metric gets it with each segment.  Metrics that count n-grams pass the clipping on; others
 * take words of the same memory, as the two are never needed at once.  It grows to what the longest
 * segment needs and is kept. */

/* What a metric keeps from one segment to the next, at the head of a record of its own. */
typedef struct rb_kept {
    void (*free)(struct rb_kept *kept);
    int64_t (*memory)(const struct rb_kept *kept); /* bytes that are worth giving back */
} rb_kept;

typedef struct {
    rb_clipping clipping;
    rb_token_table tokens; /* numbers of one segment's tokens */
    rb_gram_table grams;   /* and of its n-grams */
    rb_kept *kept;         /* by the one metric whose scratch this is, or NULL */
    PyObject *stop; /* a list: work ends when it is no longer empty; or NULL */
    int64_t work;   /* since the last poll, in what a metric counts */
} rb_scratch;

static inline void rb_scratch_init(rb_scratch *s, uint64_t key) {
    rb_clipping_init(&s->clipping, key);
    rb_token_table_init(&s->tokens, key);
    rb_gram_table_init(&s->grams, key);
    s->kept = NULL;
    s->stop = NULL;
    s->work = 0;
}

static inline void rb_scratch_free(rb_scratch *s) {
    rb_clipping_free(&s->clipping);
    rb_token_table_free(&s->tokens);
    rb_gram_table_free(&s->grams);
    if (s->kept != NULL) s->kept->free(s->kept);
    s->kept = NULL;
    s->stop = NULL;
    s->work = 0;
}

/* Bytes held. */
static inline int64_t rb_scratch_memory(const rb_scratch *s) {
    return rb_clipping_memory(&s->clipping)
         + s->tokens.table.capacity * (int64_t)sizeof(rb_token_slot)
         + s->grams.table.capacity * (int64_t)sizeof(rb_gram_slot)
         + (s->kept == NULL ? 0 : s->kept->memory(s->kept));
}

/* Count cells of work, and poll for signals every so often; -1 to end. */
static inline int rb_scratch_worked(rb_scratch *s, int64_t cells) {
    s->work += cells;
    if (s->work < RB_POLL_CELLS) return 0;
    s->work = 0;
    return rb_poll_without_gil(s->stop);
}

/* n words for a metric's own use, at least one, until the next call or the next count of n-grams;
 * NULL and MemoryError if there are none. */
static inline uint64_t *rb_scratch_words(rb_scratch *s, int64_t n) {
    return rb_clipping_reserve(&s->clipping, n > 0 ? n : 1) < 0 ? NULL : s->clipping.words;
}

#endif
