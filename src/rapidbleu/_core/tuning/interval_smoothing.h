/* Scores smoothed over neighbouring intervals (Cer et al. 2008): linear in their number, however
 * wide the window.
 *
 * The mean comes from a sliding sum of integers, which does not drift.  A score is an integer and
 * a fraction of the unit that the highest possible sum has 53 bits of; both are added up exactly,
 * and the sum is rounded once.  Only what is 70 bits and more below the highest score is cut off.
 *
 * Of the worst scores those that a later one is no better than never count again, so the others
 * form a queue from worse to better. */
#ifndef RAPIDBLEU_TUNING_INTERVAL_SMOOTHING_H
#define RAPIDBLEU_TUNING_INTERVAL_SMOOTHING_H

#include "common/signals.h"
#include <math.h>

#define RB_SUM_BITS 53 /* of the whole units of the highest sum: a double holds them */
#define RB_COUNT_BITS 62

typedef struct {
    int exponent; /* a unit is 2**-exponent */
    int fraction_bits;
    int64_t units;
    int64_t fractions;
    int64_t n_unbounded; /* scores in the sum that are infinite, or no numbers */
} rb_sliding_sum;

/* Add a score (sign 1) or take it away (sign -1). */
static inline void rb_sliding_sum_add(rb_sliding_sum *s, double score, int sign) {
    double scaled;
    int64_t units;
    if (!isfinite(score)) {
        s->n_unbounded += sign;
        return;
    }
    scaled = ldexp(score, s->exponent);
    units = (int64_t)scaled;
    s->units += sign * units;
    s->fractions += sign * (int64_t)ldexp(scaled - (double)units, s->fraction_bits);
}

/* The mean of the n scores in the sum. */
static inline double rb_sliding_sum_mean(const rb_sliding_sum *s, int64_t n) {
    const int64_t one = INT64_C(1) << s->fraction_bits, carry = s->fractions / one;
    double rest = (double)(s->fractions - carry * one);
    if (s->n_unbounded) return NAN;
    rest = (double)(s->units + carry) + ldexp(rest, -s->fraction_bits);
    return ldexp(rest / (double)n, -s->exponent);
}

/* Write the mean of n scores and their neighbours, `window` < n on either side. */
static inline int rb_smooth_by_mean(const double *scores, int64_t n, int64_t window,
                                    double *smoothed, PyObject *stop) {
    const int64_t most = n < 2 * window + 1 ? n : 2 * window + 1;
    rb_sliding_sum s = {0, 0, 0, 0, 0};
    double highest = 0.0;
    int64_t i, begin, end = 0;
    int exponent, bits = 0;
    for (i = 0; i < n; i++)
        if (isfinite(scores[i]) && fabs(scores[i]) > highest) highest = fabs(scores[i]);
    while (most >> bits) bits++;
    (void)frexp(highest, &exponent);
    s.exponent = RB_SUM_BITS - bits - exponent;
    s.fraction_bits = RB_COUNT_BITS - bits < RB_SUM_BITS ? RB_COUNT_BITS - bits : RB_SUM_BITS;
    for (i = 0; i < n; i++) {
        if (i % RB_POLL_TOKENS == 0 && rb_poll_without_gil(stop) < 0) return -1;
        begin = i > window ? i - window : 0;
        for (; end < n && end < i + window + 1; end++) rb_sliding_sum_add(&s, scores[end], 1);
        if (i > window) rb_sliding_sum_add(&s, scores[begin - 1], -1);
        smoothed[i] = rb_sliding_sum_mean(&s, end - begin);
    }
    return 0;
}

/* Write the worst of n scores and their neighbours; there is room for n in the queue. */
static inline int rb_smooth_by_worst(const double *scores, int64_t n, int64_t window,
                                     int lower_is_better, double *smoothed, int64_t *queue,
                                     PyObject *stop) {
    int64_t i, end = 0, first = 0, last = 0;
    for (i = 0; i < n; i++) {
        if (i % RB_POLL_TOKENS == 0 && rb_poll_without_gil(stop) < 0) return -1;
        for (; end < n && end < i + window + 1; end++) {
            while (last > first
                   && (lower_is_better ? scores[queue[last - 1]] <= scores[end]
                                       : scores[queue[last - 1]] >= scores[end]))
                last--;
            queue[last++] = end;
        }
        while (queue[first] < i - window) first++;
        smoothed[i] = scores[queue[first]];
    }
    return 0;
}

#endif
