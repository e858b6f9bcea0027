/* Two texts of numbered tokens, and how they are aligned.
 *
 * A hypothesis is to become a reference.  The tokens of the reference have numbers from 1 to its
 * length, equal tokens the same unless the hypothesis has none of them; 0 is a token of the hypothesis
 * that the reference has not. */
#ifndef RAPIDBLEU_TER_NUMBERED_PAIR_H
#define RAPIDBLEU_TER_NUMBERED_PAIR_H

#include "common/signals.h"

#define RB_PAIR_BEYOND 7 /* cells of no use that are read on either side of ref */

typedef struct {
    int64_t n_hyp;
    int64_t n_ref;
    int32_t *hyp;        /* [n_hyp] */
    int32_t *ref;        /* [n_ref] */
    int32_t *align;      /* [n_ref] the token of hyp where ref's token is, or the one before it */
    int32_t *hyp_errors; /* [n_hyp + 1] how many of the first tokens are edited */
    int32_t *ref_errors; /* [n_ref + 1] */
    PyObject *stop;      /* see common/signals.h */
    int64_t *work;       /* cells since the last poll */
} rb_pair;

/* Words of memory that `rb_pair_init` needs. */
static inline int64_t rb_pair_words(int64_t n_hyp, int64_t n_ref) {
    return (2 * n_hyp + 3 * n_ref + 2 + 2 * RB_PAIR_BEYOND + 1) / 2;
}

/* Lay out the arrays in `memory`; the tokens are still to be filled in. */
static inline void rb_pair_init(rb_pair *p, uint64_t *memory, int64_t n_hyp, int64_t n_ref,
                                PyObject *stop, int64_t *work) {
    p->n_hyp = n_hyp;
    p->n_ref = n_ref;
    p->hyp = (int32_t *)memory;
    p->ref = p->hyp + n_hyp + RB_PAIR_BEYOND;
    p->align = p->ref + n_ref + RB_PAIR_BEYOND;
    p->hyp_errors = p->align + n_ref;
    p->ref_errors = p->hyp_errors + n_hyp + 1;
    p->stop = stop;
    p->work = work;
}

/* Count work, and poll for signals every so often; -1 to end. */
static inline int rb_pair_worked(const rb_pair *p, int64_t cells) {
    *p->work += cells;
    if (*p->work < RB_POLL_CELLS) return 0;
    *p->work = 0;
    return rb_poll_without_gil(p->stop);
}

/* The last step of the best way through the first i tokens of the hypothesis and the first j of the
 * reference: '=' or 'S' for a token of both, 'I' for one of the hypothesis alone, 'D' for one of the
 * reference. */
typedef char rb_pair_step(const void *table, const rb_pair *p, int64_t i, int64_t j);

/* Follow the best way back: align the pair, and unless it is NULL, write the steps before `end`.  How
 * many steps, or -1. */
RB_INLINE int64_t rb_pair_walk(rb_pair *p, rb_pair_step *last_step, const void *table, char *end) {
    int64_t i = p->n_hyp, j = p->n_ref, n_steps = 0;
    while (i > 0 || j > 0) {
        const char step = last_step(table, p, i, j);
        n_steps++;
        if (end != NULL) *--end = step;
        if (step == 'I') {
            p->hyp_errors[i--] = 1;
        } else if (step == 'D') {
            p->align[j - 1] = (int32_t)(i - 1);
            p->ref_errors[j--] = 1;
        } else {
            p->align[j - 1] = (int32_t)(i - 1);
            p->hyp_errors[i--] = p->ref_errors[j--] = step == 'S';
        }
    }
    p->hyp_errors[0] = p->ref_errors[0] = 0;
    for (i = 0; i < p->n_hyp; i++) p->hyp_errors[i + 1] += p->hyp_errors[i];
    for (j = 0; j < p->n_ref; j++) p->ref_errors[j + 1] += p->ref_errors[j];
    return rb_pair_worked(p, p->n_hyp + p->n_ref) < 0 ? -1 : n_steps;
}

#endif
