/* The human side of a figure, prepared once for all metrics and all swaps of metrics. Groups of
 * scores are all together, per segment, or per system. The properties of a group's human scores do
 * not depend on the metric: their order, the starts of runs of equal scores, how many are
 * sufficiently lower, and, for Pearson's and Spearman's coefficients, the scores or ranks minus
 * their mean. A metric then takes one pass over arrays. Memory is 20 bytes a score. */
#ifndef RAPIDBLEU_META_GOLD_H
#define RAPIDBLEU_META_GOLD_H

#include "common/memory.h"
#include "common/sorted_keys.h"
#include <math.h>

typedef struct {
    int64_t n;
    int64_t n_groups;
    int64_t longest;        /* group */
    const int64_t *offsets; /* [n_groups + 1], borrowed */
    int64_t *tied;          /* [n_groups] pairs of equal scores; the following arrays are after it */
    int64_t *classes;       /* [n_groups] different scores */
    double *spread;         /* [n_groups] root of the sum of squares of `centered`; 0 if constant */
    double *centered;       /* [n] score, or rank, minus the mean of the group */
    int32_t *order;         /* [n] index within its group of the i-th lowest score */
    int32_t *run;           /* [n] in this order, start of the run of equal scores */
    int32_t *lower;         /* [n] earlier scores lower by at least the least difference */
} rb_gold;

static inline void rb_gold_free(rb_gold *gold) {
    PyMem_RawFree(gold->tied);
    memset(gold, 0, sizeof *gold);
}

/* Sort scores into items with their positions; returns the array with the result, or NULL. */
static inline rb_keyed *rb_sort_scores(const double *scores, int64_t n, rb_keyed *items,
                                       rb_keyed *other, PyObject *stop) {
    int64_t i;
    for (i = 0; i < n; i++) {
        items[i].key = rb_key_of(scores[i]);
        items[i].place = i;
    }
    return rb_sort_keyed(items, other, n, stop);
}

/* Ranks from 1 of sorted items, with means for equal scores. */
static inline void rb_ranks_of(const rb_keyed *items, int64_t n, double *ranks) {
    int64_t begin, end, i;
    for (begin = 0; begin < n; begin = end) {
        for (end = begin + 1; end < n && items[end].key == items[begin].key;) end++;
        for (i = begin; i < end; i++) ranks[items[i].place] = 0.5 * (double)(begin + end + 1);
    }
}

/* The sum of n numbers, in four independent parts for the processor. */
static inline double rb_sum_of(const double *x, int64_t n) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        sums[0] += x[i];
        sums[1] += x[i + 1];
        sums[2] += x[i + 2];
        sums[3] += x[i + 3];
    }
    for (; i < n; i++) sums[0] += x[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline int rb_all_same(const double *x, int64_t n) {
    int64_t i;
    for (i = 1; i < n; i++)
        if (x[i] != x[0]) return 0;
    return 1;
}

static inline void rb_gold_runs(rb_gold *gold, int64_t g, const rb_keyed *items,
                                const double *human, double least_difference) {
    const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
    int64_t i, run = 0, lower = 0;
    gold->tied[g] = 0;
    gold->classes[g] = 0;
    for (i = 0; i < n; i++) {
        const double own = human[items[i].place];
        if (i == 0 || items[i].key != items[i - 1].key) {
            run = i;
            gold->classes[g]++;
        }
        while (lower < i && own - human[items[lower].place] >= least_difference) lower++;
        gold->order[begin + i] = (int32_t)items[i].place;
        gold->run[begin + i] = (int32_t)run;
        gold->lower[begin + i] = (int32_t)lower;
        gold->tied[g] += i - run;
    }
}

/* Subtract the mean of scores in place, and return their spread. */
static inline double rb_center(double *x, int64_t n) {
    double sums = 0.0;
    int64_t i;
    const int same = rb_all_same(x, n);
    const double mean = n > 0 ? rb_sum_of(x, n) / (double)n : 0.0;
    for (i = 0; i < n; i++) {
        x[i] -= mean;
        sums += x[i] * x[i];
    }
    return same ? 0.0 : sqrt(sums);
}

/* Prepare the human scores of all groups, `ranked` for Spearman's. 0 or -1; free either way. */
static inline int rb_gold_prepare(rb_gold *gold, const double *human, const int64_t *offsets,
                                  int64_t n_groups, int ranked, double least_difference) {
    const int64_t n = offsets[n_groups];
    int64_t g, worked = 0;
    rb_keyed *items = NULL, *sorted;
    int status = -1;
    memset(gold, 0, sizeof *gold);
    gold->n = n;
    gold->n_groups = n_groups;
    gold->offsets = offsets;
    for (g = 0; g < n_groups; g++)
        if (offsets[g + 1] - offsets[g] > gold->longest) gold->longest = offsets[g + 1] - offsets[g];
    gold->tied = (int64_t *)PyMem_RawMalloc(rb_bytes_of(3 * n_groups + 3 * n + 1, 8));
    items = (rb_keyed *)PyMem_RawMalloc(rb_bytes_of(2 * gold->longest, sizeof(rb_keyed)) + 1);
    if (gold->tied == NULL || items == NULL) {
        rb_no_memory();
        goto done;
    }
    gold->classes = gold->tied + n_groups;
    gold->spread = (double *)(gold->classes + n_groups);
    gold->centered = gold->spread + n_groups;
    gold->order = (int32_t *)(gold->centered + n);
    gold->run = gold->order + n;
    gold->lower = gold->run + n;
    for (g = 0; g < n_groups; g++) {
        const int64_t begin = offsets[g], m = offsets[g + 1] - begin;
        double *centered = gold->centered + begin;
        sorted = rb_sort_scores(human + begin, m, items, items + gold->longest, NULL);
        if (sorted == NULL) goto done;
        rb_gold_runs(gold, g, sorted, human + begin, least_difference);
        if (ranked)
            rb_ranks_of(sorted, m, centered);
        else
            memcpy(centered, human + begin, (size_t)m * sizeof *centered);
        gold->spread[g] = rb_center(centered, m);
        worked += m + 1;
        if (worked >= RB_POLL_TOKENS) {
            worked = 0;
            if (rb_poll_without_gil(NULL) < 0) goto done;
        }
    }
    status = 0;
done:
    PyMem_RawFree(items);
    return status;
}

#endif
