/* Figures of two metrics whose scores are swapped at random: the trials of a permutation test.
 *
 * A coin decides for each unit, which is a score, a segment or a system, whose score goes to which of
 * two hybrids.  Coins are bits.  Either the hybrids' scores are compared with people's as they are,
 * group by group, or first the mean of each system is taken.  The human side is prepared once, and a
 * trial is one pass that fills the hybrids and one pass over each for its figure.
 *
 * Reference: Deutsch et al. 2021, A Statistical Analysis of Summarization Evaluation Metrics Using
 * Resampling Methods, section 4.2. */
#ifndef RAPIDBLEU_META_SWAPS_H
#define RAPIDBLEU_META_SWAPS_H

#include "meta/figures.h"

typedef struct {
    const double *one; /* [n] scores of a metric */
    const double *other;
    const int32_t *units; /* [n] which coin decides */
    int64_t n;
    int64_t n_units;
    const int64_t *systems; /* [n_systems + 1] where the scores of each begin; NULL: no means */
    int64_t n_systems;
} rb_swap_plan;

/* Fill the hybrids of the trial whose coins begin at a bit. */
static inline void rb_swap(const rb_swap_plan *plan, const uint32_t *coins, int64_t first,
                           double *left, double *right) {
    int64_t i;
    for (i = 0; i < plan->n; i++) {
        const int64_t bit = first + plan->units[i];
        const int tails = ~coins[bit >> 5] >> (bit & 31) & 1;
        const double both[2] = {plan->one[i], plan->other[i]};
        left[i] = both[tails];
        right[i] = both[1 - tails];
    }
}

/* Replace scores by the means of systems, in place. */
static inline void rb_take_means(const rb_swap_plan *plan, double *scores) {
    int64_t i;
    for (i = 0; i < plan->n_systems; i++) {
        const int64_t begin = plan->systems[i], n = plan->systems[i + 1] - begin;
        scores[i] = rb_sum_of(scores + begin, n) / (double)n;
    }
}

/* The figures of both hybrids in trials whose coins follow one another from bit 0 on.
 * `room`: 2 * n scores and 2 * n_groups parts of figures.  0 or -1. */
static inline int rb_swapped_figures(const rb_gold *gold, const rb_swap_plan *plan,
                                     const uint32_t *coins, int64_t n_trials, rb_figure figure,
                                     rb_figure_scratch *scratch, double *room, double *left,
                                     double *right, PyObject *stop) {
    double *numerators = room + 2 * plan->n, *denominators = numerators + gold->n_groups;
    int64_t trial, worked = 0;
    int side;
    for (trial = 0; trial < n_trials; trial++) {
        rb_swap(plan, coins, trial * plan->n_units, room, room + plan->n);
        for (side = 0; side < 2; side++) {
            double *hybrid = room + side * plan->n;
            if (plan->systems != NULL) rb_take_means(plan, hybrid);
            if (rb_group_figures(gold, hybrid, figure, 0.0, scratch, numerators, denominators, stop)
                < 0)
                return -1;
            (side ? right : left)[trial] =
                rb_figure_of_all(numerators, denominators, gold->n_groups);
        }
        worked += plan->n;
        if (worked >= RB_POLL_TOKENS) {
            worked = 0;
            if (rb_poll_without_gil(stop) < 0) return -1;
        }
    }
    return 0;
}

#endif
