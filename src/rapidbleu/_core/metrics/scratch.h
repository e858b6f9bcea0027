/* Scratch of a metric: the memory that the rows of one segment after the other are computed in, and
 * how that work is interrupted.
 *
 * Every metric gets it with each segment.  Metrics that count n-grams pass the clipping on; others
 * take words of the same memory, as the two are never needed at once.  It grows to what the longest
 * segment needs and is kept. */
#ifndef RAPIDBLEU_METRICS_SCRATCH_H
#define RAPIDBLEU_METRICS_SCRATCH_H

#include "ngrams/clipping.h"
#include "ngrams/hash_tables.h"

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
