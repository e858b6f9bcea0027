/* Figures of agreement of a group, their mean over groups, and figures of swapped metrics. A
 * group's figure is a numerator and a denominator, and the figure of all groups is the ratio of
 * their sums. For a mean of groups the denominator is 1, or 0 if the figure is undefined; for the
 * shared task's Kendall-like figure it is the number of pairs, so that all pairs weigh the same.
 *
 * A trial of the permutation test swaps scores of two metrics: a coin, which is a bit, decides for
 * each unit (a score, a segment or a system) which of two hybrids receives whose score. The hybrids
 * are compared with human scores group by group, or averaged by system first. A trial is one pass
 * that fills the hybrids and one pass over each for its figure. References: Deutsch et al. 2021, A
 * Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods, section 4.2;
 * Knight 1966; Deutsch et al. 2023, Ties Matter, section 2; Mathur et al. 2020, Results of the
 * WMT20 Metrics Shared Task, section 3. */
#ifndef RAPIDBLEU_META_FIGURES_H
#define RAPIDBLEU_META_FIGURES_H

#include "meta/pair_counts.h"

typedef enum {
    RB_PEARSON,
    RB_SQUARED, /* Pearson's coefficient, squared */
    RB_SPEARMAN,
    RB_TAU_B,
    RB_TAU_C,
    RB_FAR_PAIRS, /* Kendall-like, of pairs whose human scores are far apart */
    RB_TAU_23,
    RB_ACCURACY
} rb_figure;

typedef struct {
    rb_pair_scratch pairs;
    double *ranks; /* of the longest group */
} rb_figure_scratch;

static inline void rb_figure_scratch_free(rb_figure_scratch *scratch) {
    PyMem_RawFree(scratch->pairs.items);
    memset(scratch, 0, sizeof *scratch);
}

/* 0 or -1; must be freed in any case. */
static inline int rb_figure_scratch_make(rb_figure_scratch *scratch, int64_t longest) {
    rb_pair_scratch *pairs = &scratch->pairs;
    pairs->longest = longest;
    pairs->items = (rb_keyed *)rb_allocate(longest + 1, 2 * sizeof(rb_keyed) + 24);
    if (pairs->items == NULL) return -1;
    pairs->scores = (double *)(pairs->items + 2 * longest);
    scratch->ranks = pairs->scores + longest;
    pairs->ranks = (int32_t *)(scratch->ranks + longest);
    return 0;
}

/* Pearson's coefficient of n scores with centered ones; nan if either side is constant. */
static inline double rb_pearson(const double *x, const double *centered, double spread, int64_t n) {
    double square[4] = {0.0, 0.0, 0.0, 0.0}, product[4] = {0.0, 0.0, 0.0, 0.0}, mean, value, d;
    int64_t i;
    int k;
    if (spread == 0.0 || rb_all_same(x, n)) return NAN;
    mean = rb_sum_of(x, n) / (double)n;
    for (i = 0; i + 4 <= n; i += 4) {
        for (k = 0; k < 4; k++) {
            d = x[i + k] - mean;
            square[k] += d * d;
            product[k] += d * centered[i + k];
        }
    }
    for (; i < n; i++) {
        d = x[i] - mean;
        square[0] += d * d;
        product[0] += d * centered[i];
    }
    value = (product[0] + product[1]) + (product[2] + product[3]);
    value = value / (sqrt((square[0] + square[1]) + (square[2] + square[3])) * spread);
    return value > 1.0 ? 1.0 : value < -1.0 ? -1.0 : value;
}

/* Ranks of scores: a few by comparing all pairs, many by sorting. 0 or -1. */
static inline int rb_rank(const double *x, int64_t n, rb_figure_scratch *scratch, PyObject *stop) {
    rb_keyed *items = scratch->pairs.items;
    int64_t i, j;
    if (n > RB_FEW) {
        items = rb_sort_scores(x, n, items, items + scratch->pairs.longest, stop);
        if (items == NULL) return -1;
        rb_ranks_of(items, n, scratch->ranks);
        return 0;
    }
    for (i = 0; i < n; i++) {
        int64_t lower = 0, same = 0;
        for (j = 0; j < n; j++) {
            lower += x[j] < x[i];
            same += x[j] == x[i];
        }
        scratch->ranks[i] = (double)lower + 0.5 * (double)(same + 1);
    }
    return 0;
}

static inline double rb_figure_of_counts(const rb_pair_counts *c, int64_t n, int64_t human_classes,
                                         rb_figure figure) {
    const int64_t all = n * (n - 1) / 2;
    const int64_t by_metric = all - c->metric - c->both, by_people = all - c->human - c->both;
    const double balance = (double)(c->concordant - c->discordant);
    double value, classes;
    switch (figure) {
    case RB_TAU_23:
        return (double)(2 * (c->concordant + c->both) - all) / (double)all;
    case RB_ACCURACY:
        return (double)(c->concordant + c->both) / (double)all;
    case RB_TAU_C:
        if (by_metric == 0 || by_people == 0) return NAN;
        classes = (double)(c->classes < human_classes ? c->classes : human_classes);
        value = 2.0 * balance / ((double)n * (double)n * (classes - 1.0) / classes);
        break;
    default:
        if (by_metric == 0 || by_people == 0) return NAN;
        value = balance / sqrt((double)by_metric) / sqrt((double)by_people);
    }
    return value > 1.0 ? 1.0 : value < -1.0 ? -1.0 : value;
}

/* The figure of group g, whose scores begin at `metric`, as a fraction. 0 or -1. */
static inline int rb_group_figure(const rb_gold *gold, int64_t g, const double *metric,
                                  rb_figure figure, double epsilon, rb_figure_scratch *scratch,
                                  double *numerator, double *denominator, PyObject *stop) {
    const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
    const double *centered = gold->centered + begin, spread = gold->spread[g];
    rb_pair_counts counts;
    int64_t right, all;
    double value = NAN;
    if (n < 2) {
        *numerator = *denominator = 0.0;
        return 0;
    }
    switch (figure) {
    case RB_PEARSON:
        value = rb_pearson(metric, centered, spread, n);
        break;
    case RB_SQUARED:
        value = rb_pearson(metric, centered, spread, n);
        value *= value;
        break;
    case RB_SPEARMAN:
        if (rb_rank(metric, n, scratch, stop) < 0) return -1;
        value = rb_pearson(scratch->ranks, centered, spread, n);
        break;
    case RB_FAR_PAIRS:
        if (rb_count_far_pairs(gold, g, metric, &scratch->pairs, &right, &all, stop) < 0) return -1;
        *numerator = (double)(2 * right - all);
        *denominator = (double)all;
        return 0;
    default:
        if (rb_count_pairs(gold, g, metric, epsilon, &scratch->pairs, &counts, stop) < 0) return -1;
        value = rb_figure_of_counts(&counts, n, gold->classes[g], figure);
    }
    *denominator = value == value ? 1.0 : 0.0;
    *numerator = value == value ? value : 0.0;
    return 0;
}

static inline int rb_group_figures(const rb_gold *gold, const double *metric, rb_figure figure,
                                   double epsilon, rb_figure_scratch *scratch, double *numerators,
                                   double *denominators, PyObject *stop) {
    int64_t g, worked = 0;
    for (g = 0; g < gold->n_groups; g++) {
        if (rb_group_figure(gold, g, metric + gold->offsets[g], figure, epsilon, scratch,
                            numerators + g, denominators + g, stop)
            < 0)
            return -1;
        worked += gold->offsets[g + 1] - gold->offsets[g] + 1;
        if (worked >= RB_POLL_TOKENS) {
            worked = 0;
            if (rb_poll_without_gil(stop) < 0) return -1;
        }
    }
    return 0;
}

/* The figure of all groups together: nan if none has one. */
static inline double rb_figure_of_all(const double *numerators, const double *denominators,
                                      int64_t n_groups) {
    double numerator = 0.0, denominator = 0.0;
    int64_t g;
    for (g = 0; g < n_groups; g++) {
        numerator += numerators[g];
        denominator += denominators[g];
    }
    return denominator > 0.0 ? numerator / denominator : NAN;
}

typedef struct {
    const double *one; /* [n] scores of a metric */
    const double *other;
    const int32_t *units; /* [n] index of the deciding coin */
    int64_t n;
    int64_t n_units;
    const int64_t *systems; /* [n_systems + 1] first score of each; NULL: no means */
    int64_t n_systems;
} rb_swap_plan;

/* Fill the hybrids of the trial whose coins begin at bit `first`. */
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

static inline void rb_take_means(const rb_swap_plan *plan, double *scores) {
    int64_t i;
    for (i = 0; i < plan->n_systems; i++) {
        const int64_t begin = plan->systems[i], n = plan->systems[i + 1] - begin;
        scores[i] = rb_sum_of(scores + begin, n) / (double)n;
    }
}

/* Figures of both hybrids in trials with consecutive coins from bit 0 on. `room`: 2 * n scores and
 * 2 * n_groups parts of figures. 0 or -1. */
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
