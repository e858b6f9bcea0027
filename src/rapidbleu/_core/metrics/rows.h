/* Real numbers in rows of integers, so that their sums are exact in any order. A number takes two
 * columns: whole units of 2**-20, and the rest in units of 2**-50. Like all counts both are
 * nonnegative, and below 2**31 for numbers below 2,048, so rows also fit into 32-bit integers.
 * Numbers are accurate to 2**-51; sums are exact. */
#ifndef RAPIDBLEU_METRICS_ROWS_H
#define RAPIDBLEU_METRICS_ROWS_H

#include "common/cpu.h"
#include "ngrams/clipping.h"
#include "ngrams/hash_tables.h"
#include <stdint.h>

#define RB_UNITS 1048576.0    /* in 1: a unit is 2**-20 */
#define RB_PARTS 1073741824.0 /* in a unit: 2**30 */
#define RB_REAL 2             /* columns */

/* Write a number from 0 to 2**40. */
static inline void rb_real_store(int64_t *columns, double number) {
    const double units = number * RB_UNITS;
    columns[0] = (int64_t)units;
    columns[1] = (int64_t)((units - (double)columns[0]) * RB_PARTS + 0.5);
}

/* The number of these units and parts, below 2**53 each, rounded once. */
static inline double rb_real_of(int64_t units, int64_t rest) {
    return ((double)units + (double)rest / RB_PARTS) / RB_UNITS;
}

static inline double rb_real_value(const int64_t *columns) {
    return rb_real_of(columns[0], columns[1]);
}

/* Replacement of one row of counts, in a pass that computes the new totals and a pass that commits
 * them. A search does little else. `restrict` lets compilers process a row two counts at a time;
 * with one at a time the next pass would stall, because a processor cannot load at once what two
 * stores have just written. If another thread modifies the fresh counts meanwhile, the totals
 * remain the sums of the rows and in bounds, because the new row is the difference of the computed
 * sums and the totals without the old row. */

/* Write to `sums` the totals with n fresh counts for a row; return a bound of counts and sums. */
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

/* Commit the sums as totals, and the counts that led to them as the row. */
RB_INLINE void rb_row_settle(int64_t *__restrict totals, int64_t *__restrict row,
                             const int64_t *__restrict sums, int n) {
    int j;
    for (j = 0; j < n; j++) {
        row[j] = sums[j] - (totals[j] - row[j]);
        totals[j] = sums[j];
    }
}

/* Scratch of a metric: memory reused for one segment after the other, and the interruption of work.
 * Metrics that count n-grams pass the clipping on; other metrics use words of the same memory,
 * because the two are never needed at once. It grows to the size for the longest segment. */

/* Data that a metric keeps across segments, at the head of its own record. */
typedef struct rb_kept {
    void (*free)(struct rb_kept *kept);
    int64_t (*memory)(const struct rb_kept *kept); /* bytes worth freeing */
} rb_kept;

typedef struct {
    rb_clipping clipping;
    rb_token_table tokens; /* numbers of one segment's tokens */
    rb_gram_table grams;   /* and of its n-grams */
    rb_kept *kept;         /* of the metric that uses this scratch, or NULL */
    PyObject *stop; /* a list that ends the work once it is not empty; or NULL */
    int64_t work;   /* since the last poll, in units of the metric */
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

static inline int64_t rb_scratch_memory(const rb_scratch *s) {
    return rb_clipping_memory(&s->clipping)
         + s->tokens.table.capacity * (int64_t)sizeof(rb_token_slot)
         + s->grams.table.capacity * (int64_t)sizeof(rb_gram_slot)
         + (s->kept == NULL ? 0 : s->kept->memory(s->kept));
}

/* Count cells of work and poll for signals now and then; -1 to stop. */
static inline int rb_scratch_worked(rb_scratch *s, int64_t cells) {
    s->work += cells;
    if (s->work < RB_POLL_CELLS) return 0;
    s->work = 0;
    return rb_poll_without_gil(s->stop);
}

/* At least n words for a metric until the next call or count of n-grams; NULL: MemoryError set. */
static inline uint64_t *rb_scratch_words(rb_scratch *s, int64_t n) {
    return rb_clipping_reserve(&s->clipping, n > 0 ? n : 1) < 0 ? NULL : s->clipping.words;
}

#endif
