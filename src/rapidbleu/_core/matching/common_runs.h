/* Runs of equal tokens of two texts: pairs of places in which both texts have the same tokens.
 *
 * A text's tokens are numbered and the places of each number are linked, so that all pairs of places
 * with equal tokens are visited row by row, in order: time is the number of such pairs, and memory is
 * linear.  The run that ends at a pair is one longer than that which ends at the pair before both.
 *
 * Greedy runs (GTM: Melamed et al. 2003, Turian et al. 2003): the longest run of tokens that are in
 * no other yet, of equals the one that begins first in the hypothesis, then in the reference; and so
 * on.  One walk finds the greatest length there is, a second takes all runs of it. */
#ifndef RAPIDBLEU_MATCHING_COMMON_RUNS_H
#define RAPIDBLEU_MATCHING_COMMON_RUNS_H

#include <math.h>
#include "metrics/scratch.h"
#include "ngrams/hash_tables.h"

/* A text `b` by the numbers of its tokens, and a text `a` in the same numbers. */
typedef struct {
    int64_t n, m, longer; /* lengths, and the greater one: numbers are at most this */
    int32_t *a, *b;  /* [n], [m] numbers; 0: a token of a that b has not */
    int32_t *next;   /* [m] the next place of the same token; -1: there is none */
    int32_t *first;  /* [longer + 1] by number: its first place */
    int32_t *before; /* [m + 1] lengths of the runs that end in the row before, by place + 1 */
    int32_t *here;   /* [m + 1] and in this row */
} rb_runs;

static inline int64_t rb_runs_words(int64_t n, int64_t m) {
    return (n + 2 * m + 2 * (m + 1) + (n > m ? n : m) + 1 + 1) / 2;
}

/* Link the places of numbered texts. */
static inline void rb_runs_link(rb_runs *r) {
    int64_t j;
    memset(r->first, 0xff, (size_t)(r->longer + 1) * sizeof *r->first);
    for (j = r->m - 1; j >= 0; j--) {
        r->next[j] = r->first[r->b[j]];
        r->first[r->b[j]] = (int32_t)j;
    }
    r->first[0] = -1;
}

/* Lay the arrays out in memory of rb_runs_words. */
static inline void rb_runs_place(rb_runs *r, uint64_t *memory, int64_t n, int64_t m) {
    r->n = n;
    r->m = m;
    r->longer = n > m ? n : m;
    r->before = (int32_t *)memory;
    r->here = r->before + m + 1;
    r->first = r->here + m + 1;
    r->next = r->first + r->longer + 1;
    r->b = r->next + m;
    r->a = r->b + m;
}

/* Begin a row: what was this row is the one before. */
static inline void rb_runs_next_row(rb_runs *r) {
    int32_t *here = r->here;
    r->here = r->before;
    r->before = here;
}

/* Forget what the row before the last one had for a token. */
static inline void rb_runs_forget(rb_runs *r, int32_t number) {
    int32_t j;
    for (j = r->first[number]; j >= 0; j = r->next[j]) r->here[j + 1] = 0;
}

/* Greedy runs */

typedef struct {
    rb_runs runs;
    uint8_t *used_a, *used_b; /* [n], [m] is the token in a run? */
} rb_greedy;

static inline int64_t rb_greedy_words(int64_t n, int64_t m) {
    return rb_runs_words(n, m) + (n + m + 7) / 8;
}

/* Visit all runs of free tokens.  With length 0 return the greatest length; else take all runs of
 * that length, which is the greatest, and return how many; -1 after an error. */
static inline int64_t rb_greedy_walk(rb_greedy *g, int32_t length, rb_scratch *s) {
    rb_runs *r = &g->runs;
    int64_t found = 0, i, n_pairs;
    int32_t j, k, older = 0, old = 0; /* numbers of the two tokens before */
    memset(r->before, 0, (size_t)(r->m + 1) * sizeof *r->before);
    memset(r->here, 0, (size_t)(r->m + 1) * sizeof *r->here);
    for (i = 0; i < r->n; i++) {
        const int32_t number = g->used_a[i] ? 0 : r->a[i];
        rb_runs_next_row(r);
        rb_runs_forget(r, older);
        older = old;
        old = number;
        for (j = r->first[number], n_pairs = 1; j >= 0; j = r->next[j], n_pairs++) {
            const int32_t run = g->used_b[j] ? 0 : r->before[j] + 1;
            r->here[j + 1] = run;
            if (length == 0) {
                found = run > found ? run : found;
                continue;
            }
            if (run != length) continue;
            for (k = 0; k < length && !g->used_a[i - k] && !g->used_b[j - k]; k++) continue;
            if (k < length) continue; /* a run that was taken meanwhile has some of its tokens */
            memset(g->used_a + i + 1 - length, 1, (size_t)length);
            memset(g->used_b + j + 1 - length, 1, (size_t)length);
            found++;
        }
        if (rb_scratch_worked(s, n_pairs) < 0) return -1;
    }
    return found;
}

/* Sum of length**exponent of the greedy runs of a hypothesis and one reference; -1 after an error. */
static inline double rb_greedy_runs(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                    int64_t ref, double exponent, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    uint64_t *memory = rb_scratch_words(s, rb_greedy_words(n, m));
    rb_greedy g;
    double sum = 0.0;
    int64_t length, count;
    if (memory == NULL) return -1.0;
    rb_runs_place(&g.runs, memory, n, m);
    g.used_a = (uint8_t *)(memory + rb_runs_words(n, m));
    g.used_b = g.used_a + n;
    memset(g.used_a, 0, (size_t)(n + m));
    if (rb_token_table_clear(&s->tokens, refs, m) < 0
        || rb_token_numbers(&s->tokens, refs, ref, 1, g.runs.b) < 0
        || rb_token_numbers(&s->tokens, hyps, hyp, 0, g.runs.a) < 0)
        return -1.0;
    rb_runs_link(&g.runs);
    for (;;) {
        length = rb_greedy_walk(&g, 0, s);
        if (length <= 0) return length < 0 ? -1.0 : sum;
        count = rb_greedy_walk(&g, (int32_t)length, s);
        if (count < 0) return -1.0;
        sum += (double)count * pow((double)length, exponent);
        if (length == 1) return sum;
    }
}

#endif
