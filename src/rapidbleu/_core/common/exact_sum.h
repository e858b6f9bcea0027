/* The exact sum of a few floats, rounded once, like Python's math.fsum: stored as nonoverlapping
 * ascending parts; an addition splits each sum of two floats exactly into the rounded sum and the
 * rest (Shewchuk 1997, Adaptive Precision Floating-Point Arithmetic, 2.3). */
#ifndef RAPIDBLEU_COMMON_EXACT_SUM_H
#define RAPIDBLEU_COMMON_EXACT_SUM_H

#include <math.h>

#define RB_EXACT_TERMS 16

/* The rounded sum of a and b; `rest` receives the rounding error. */
static inline double rb_two_sum(double a, double b, double *rest) {
    const double large = fabs(a) < fabs(b) ? b : a, small = fabs(a) < fabs(b) ? a : b;
    const double sum = large + small;
    *rest = small - (sum - large);
    return sum;
}

/* The sum of up to RB_EXACT_TERMS finite floats whose sums are also finite. */
static inline double rb_exact_sum(const double *terms, int n_terms) {
    double parts[RB_EXACT_TERMS], sum, rest = 0.0;
    int n = 0, t, i;
    for (t = 0; t < n_terms; t++) {
        int kept = 0;
        sum = terms[t];
        for (i = 0; i < n; i++) {
            sum = rb_two_sum(sum, parts[i], &rest);
            if (rest != 0.0) parts[kept++] = rest;
        }
        if (sum != 0.0) parts[kept++] = sum;
        n = kept;
    }
    if (n == 0) return 0.0;
    sum = parts[--n];
    while (n > 0) {
        sum = rb_two_sum(sum, parts[--n], &rest);
        if (rest != 0.0) break;
    }
    /* a rest of half a unit in the last place was rounded to even: does the next part decide? */
    if (n > 0 && ((rest < 0.0 && parts[n - 1] < 0.0) || (rest > 0.0 && parts[n - 1] > 0.0))) {
        const double rounded = sum + 2.0 * rest;
        if (rounded - sum == 2.0 * rest) sum = rounded;
    }
    return sum;
}

#endif
