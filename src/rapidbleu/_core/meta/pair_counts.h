/* Pairs of one group, by the order of a metric and the human order: the counts of Kendall's family.
 * The metric's scores are read in human order, so an earlier one has a lower or equal human score.
 * Groups of a few scores, and all metrics with a threshold of ties, are counted pair by pair,
 * without a branch: 1 ns a pair. Long groups are sorted, and inversions, which are Kendall's
 * discordant pairs, are counted by merging ranks: n log n. Merges avoid branches and are twice as
 * fast. Reference: Knight 1966, A Computer Method for Calculating Kendall's Tau with Ungrouped
 * Data. */
#ifndef RAPIDBLEU_META_PAIR_COUNTS_H
#define RAPIDBLEU_META_PAIR_COUNTS_H

#include "meta/gold.h"

#define RB_FEW 48 /* scores up to which pairs are counted one by one */
#define RB_STRETCH 8 /* ranks sorted by insertion */

typedef struct {
    int64_t concordant;
    int64_t discordant;
    int64_t human;   /* tied in human scores only */
    int64_t metric;  /* tied in the metric only */
    int64_t both;    /* tied in both */
    int64_t classes; /* different scores of the metric */
} rb_pair_counts;

typedef struct {
    rb_keyed *items; /* [2 * longest group], followed by the other arrays */
    double *scores;  /* [longest] */
    int32_t *ranks;  /* [2 * longest] */
    int64_t longest;
} rb_pair_scratch;

static inline void rb_in_human_order(const rb_gold *gold, int64_t g, const double *metric,
                                     double *scores) {
    const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
    int64_t i;
    for (i = 0; i < n; i++) scores[i] = metric[gold->order[begin + i]];
}

/* Count all pairs of scores in human order; differences up to epsilon are ties. 0 or -1. */
static inline int rb_count_each_pair(const double *y, const int32_t *run, int64_t n, double epsilon,
                                     rb_pair_counts *counts, PyObject *stop) {
    int64_t i, j, worked = 0;
    for (i = 0; i < n; i++) {
        const double own = y[i];
        const int64_t middle = run[i];
        int64_t above = 0, below = 0, same = 0;
        for (j = 0; j < middle; j++) {
            above += own - y[j] > epsilon;
            below += y[j] - own > epsilon;
        }
        for (; j < i; j++) same += fabs(own - y[j]) <= epsilon;
        counts->concordant += above;
        counts->discordant += below;
        counts->both += same;
        worked += i;
        if (worked >= RB_POLL_CELLS) {
            worked = 0;
            if (rb_poll_without_gil(stop) < 0) return -1;
        }
    }
    return 0;
}

/* Sort a few ranks by insertion and return the inversions. */
static inline int64_t rb_insert_ranks(int32_t *ranks, int64_t n) {
    int64_t i, j, inversions = 0;
    for (i = 1; i < n; i++) {
        const int32_t rank = ranks[i];
        for (j = i; j > 0 && ranks[j - 1] > rank; j--) ranks[j] = ranks[j - 1];
        ranks[j] = rank;
        inversions += i - j;
    }
    return inversions;
}

/* Merge [0, middle) and [middle, n) into `out` and return the inversions between the two. */
static inline int64_t rb_merge_ranks(const int32_t *ranks, int64_t middle, int64_t n,
                                     int32_t *out) {
    int64_t i = 0, j = middle, k = 0, inversions = 0;
    while (i < middle && j < n) {
        const int second = ranks[j] < ranks[i];
        inversions += second ? middle - i : 0;
        out[k++] = ranks[second ? j : i];
        j += second;
        i += !second;
    }
    memcpy(out + k, ranks + i, (size_t)(middle - i) * sizeof *out);
    memcpy(out + k + middle - i, ranks + j, (size_t)(n - j) * sizeof *out);
    return inversions;
}

/* Count the inversions of ranks, with as many of scratch; both are overwritten. 0 or -1. */
static inline int rb_count_inversions(int32_t *ranks, int32_t *scratch, int64_t n,
                                      int64_t *inversions, PyObject *stop) {
    int64_t i, width;
    *inversions = 0;
    for (i = 0; i < n; i += RB_STRETCH)
        *inversions += rb_insert_ranks(ranks + i, n - i < RB_STRETCH ? n - i : RB_STRETCH);
    for (width = RB_STRETCH; width < n; width *= 2) {
        int32_t *out = scratch;
        if (n >= RB_POLL_TOKENS && rb_poll_without_gil(stop) < 0) return -1;
        for (i = 0; i < n; i += 2 * width) {
            const int64_t m = n - i < 2 * width ? n - i : 2 * width;
            *inversions += rb_merge_ranks(ranks + i, m < width ? m : width, m, out + i);
        }
        scratch = ranks;
        ranks = out;
    }
    return 0;
}

/* The same without a threshold, by sorting. In the metric's order each score gets its rank and
 * moves to the next position in the run of its human score, so ranks are in human order, and
 * without inversions within a run. 0 or -1. */
static inline int rb_count_by_sorting(const double *y, const int32_t *run, int64_t n, int64_t tied,
                                      rb_pair_scratch *scratch, rb_pair_counts *counts,
                                      PyObject *stop) {
    const rb_keyed *sorted =
        rb_sort_scores(y, n, scratch->items, scratch->items + scratch->longest, stop);
    int32_t *ranks = scratch->ranks, *next = ranks + scratch->longest, rank = -1;
    int64_t i, begin = 0, same = 0, by_metric = 0;
    if (sorted == NULL) return -1;
    memcpy(next, run, (size_t)n * sizeof *next);
    for (i = 0; i < n; i++) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key) {
            begin = i;
            rank++;
        }
        by_metric += i - begin;
        ranks[next[run[sorted[i].place]]++] = rank;
    }
    for (i = 1; i < n; i++) {
        same = run[i] == run[i - 1] && ranks[i] == ranks[i - 1] ? same + 1 : 0;
        counts->both += same;
    }
    counts->classes = (int64_t)rank + 1;
    if (rb_count_inversions(ranks, next, n, &counts->discordant, stop) < 0) return -1;
    counts->concordant = n * (n - 1) / 2 - tied - by_metric + counts->both - counts->discordant;
    return 0;
}

static inline int64_t rb_classes_of(const double *y, int64_t n) {
    int64_t i, j, classes = 0;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i && y[j] != y[i];) j++;
        classes += j == i;
    }
    return classes;
}

/* Count the pairs of group g; `metric` has its scores. 0 or -1. */
static inline int rb_count_pairs(const rb_gold *gold, int64_t g, const double *metric,
                                 double epsilon, rb_pair_scratch *scratch, rb_pair_counts *counts,
                                 PyObject *stop) {
    const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
    const int32_t *run = gold->run + begin;
    double *y = scratch->scores;
    memset(counts, 0, sizeof *counts);
    rb_in_human_order(gold, g, metric, y);
    if (n <= RB_FEW || epsilon > 0.0) {
        if (rb_count_each_pair(y, run, n, epsilon, counts, stop) < 0) return -1;
        if (n <= RB_FEW) counts->classes = rb_classes_of(y, n);
    } else if (rb_count_by_sorting(y, run, n, gold->tied[g], scratch, counts, stop) < 0) {
        return -1;
    }
    counts->human = gold->tied[g] - counts->both;
    counts->metric = n * (n - 1) / 2 - counts->concordant - counts->discordant - gold->tied[g];
    return 0;
}

/* Count the pairs with human scores far apart: those in human order, and all. 0 or -1. */
static inline int rb_count_far_pairs(const rb_gold *gold, int64_t g, const double *metric,
                                     rb_pair_scratch *scratch, int64_t *right, int64_t *all,
                                     PyObject *stop) {
    const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
    const int32_t *lower = gold->lower + begin, *run = gold->run + begin;
    double *y = scratch->scores;
    int64_t i, j, worked = 0;
    *right = *all = 0;
    rb_in_human_order(gold, g, metric, y);
    for (i = 0; i < n; i++) {
        const int64_t n_below = lower[i] < run[i] ? lower[i] : run[i]; /* without equal ones */
        int64_t above = 0;
        for (j = 0; j < n_below; j++) above += y[i] > y[j];
        *right += above;
        *all += lower[i];
        worked += lower[i] + 1;
        if (worked >= RB_POLL_CELLS) {
            worked = 0;
            if (rb_poll_without_gil(stop) < 0) return -1;
        }
    }
    return 0;
}

#endif
