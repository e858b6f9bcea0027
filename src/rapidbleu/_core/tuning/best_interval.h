/* The best interval on a line, and a point in it. The objective is constant between two boundaries:
 * the score, perhaps smoothed over neighboring intervals by the caller, minus a penalty at the
 * interval's middle. Error rates are negated. Neighbors with equal objectives form one interval.
 * The best objective wins, among equals the widest interval, which changes least when features do.
 * The point is its middle.
 *
 * For an unbounded interval the point is beyond the outermost boundary by a tenth of its distance
 * from here, which does not depend on the scale of the features. A line without boundaries does not
 * move the weights. Moses takes the first of the best intervals, goes back by 1000 from the first
 * boundary or forward by 0.1 from the last, and ignores moves of less than 0.00015. */
#ifndef RAPIDBLEU_TUNING_BEST_INTERVAL_H
#define RAPIDBLEU_TUNING_BEST_INTERVAL_H

#include "common/signals.h"
#include <math.h>

#define RB_STEPS_BACK 1000
#define RB_BEYOND 0.1
#define RB_NO_STEP 0.00015

typedef struct {
    double low;   /* start of the line, or -inf */
    double high;  /* its end, or inf */
    double slope; /* of a penalty slope * x + curvature * x**2 */
    double curvature;
    int lower_is_better; /* are scores negated in the objective? */
    int moses;           /* take the first of equal intervals and step like Moses */
} rb_interval_rules;

typedef struct {
    double x;
    double score;     /* there */
    double objective; /* there: the score after smoothing, minus the penalty */
    double here;      /* the objective at x = 0 */
    double low;       /* the interval, or several with equal objectives */
    double high;
} rb_best_interval;

static inline double rb_interval_end(const double *boundaries, int64_t n, int64_t i,
                                     const rb_interval_rules *rules) {
    if (i < 0) return rules->low;
    return i < n ? boundaries[i] : rules->high;
}

/* A point between two ends, one of which may be missing. */
static inline double rb_middle(double low, double high) {
    if (low > -INFINITY && high < INFINITY) return 0.5 * low + 0.5 * high;
    if (low > -INFINITY) return low + RB_BEYOND * (low != 0.0 ? fabs(low) : 1.0);
    if (high < INFINITY) return high - RB_BEYOND * (high != 0.0 ? fabs(high) : 1.0);
    return 0.0;
}

/* As `rb_middle`, by the rules of Moses and in single precision. */
static inline double rb_moses_point(double low, double high) {
    float x;
    if (low > -INFINITY && high < INFINITY)
        x = (float)(0.5 * (double)(float)(low + high));
    else if (low > -INFINITY)
        x = (float)(low + RB_BEYOND);
    else
        x = (float)(high < INFINITY ? high - RB_STEPS_BACK : 0.0);
    return fabs((double)x) >= RB_NO_STEP ? (double)x : 0.0;
}

static inline double rb_objective(double score, const rb_interval_rules *rules, double x) {
    double value = rules->lower_is_better ? -score : score;
    if (rules->slope != 0.0 || rules->curvature != 0.0)
        value -= (rules->slope + rules->curvature * x) * x;
    return value;
}

static inline double rb_objective_of(const double *boundaries, const double *smoothed, int64_t n,
                                     int64_t i, const rb_interval_rules *rules) {
    const double low = rb_interval_end(boundaries, n, i - 1, rules);
    const double high = rb_interval_end(boundaries, n, i, rules);
    return rb_objective(smoothed[i], rules, rb_middle(low, high));
}

/* The interval that begins at x or contains it. */
static inline int64_t rb_interval_at(const double *boundaries, int64_t n, double x) {
    int64_t low = 0, high = n, i;
    while (low < high) {
        i = (low + high) / 2;
        if (boundaries[i] <= x)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

static inline int rb_choose_interval(const double *boundaries, const double *scores,
                                     const double *smoothed, int64_t n,
                                     const rb_interval_rules *rules, rb_best_interval *best,
                                     PyObject *stop) {
    int64_t i = 0, last, polled = 0;
    double objective, next, low, high;
    int better;
    best->objective = -INFINITY;
    best->low = best->high = 0.0;
    next = rb_objective_of(boundaries, smoothed, n, 0, rules);
    for (; i <= n; i = last + 1) {
        if (i >= polled + RB_POLL_TOKENS) {
            polled = i;
            if (rb_poll_without_gil(stop) < 0) return -1;
        }
        objective = next;
        for (last = i; last < n; last++) {
            next = rb_objective_of(boundaries, smoothed, n, last + 1, rules);
            if (rules->moses || next != objective) break;
        }
        low = rb_interval_end(boundaries, n, i - 1, rules);
        high = rb_interval_end(boundaries, n, last, rules);
        better = objective > best->objective;
        if (objective == best->objective && !rules->moses)
            better = high - low > best->high - best->low;
        if (better) {
            best->objective = objective;
            best->low = low;
            best->high = high;
        }
    }
    low = best->low;
    high = best->high;
    best->x = rules->moses ? rb_moses_point(low, high) : rb_middle(low, high);
    best->score = scores[rb_interval_at(boundaries, n, best->x)];
    best->here = rb_objective(smoothed[rb_interval_at(boundaries, n, 0.0)], rules, 0.0);
    return 0;
}

#endif
