/* Expected rows of statistics, with hypotheses of a segment weighted by probabilities exponential
 * in their weighted features, and the gradient of functions of these rows. Features and statistics
 * are both in columns (feature_columns.h), so three operations handle several hypotheses at a time:
 * weighing columns yields a number per hypothesis; these numbers become probabilities; and
 * gathering columns yields a number per column, the sum over hypotheses times their shares. Sums
 * use eight lanes on every processor, so results do not depend on it. */
#ifndef RAPIDBLEU_TUNING_EXPECTED_ROWS_H
#define RAPIDBLEU_TUNING_EXPECTED_ROWS_H

#include <math.h>
#include <string.h>

#include "common/cpu.h"
#include "tuning/feature_columns.h"

enum { RB_SHORTS, RB_FLOATS, RB_DOUBLES }; /* types of columns */

/* Weigh items of columns from `begin` on, with a sum per item, or gather them by their shares, with
 * a sum per column. */
typedef void (*rb_columns_operation)(const void *columns, int64_t begin, int64_t stride,
                                     int64_t n_columns, const double *factors, double *sums,
                                     int64_t n);
typedef int (*rb_share_operation)(double *scores, double count, int64_t n_hyps, int64_t n);
typedef double (*rb_center_operation)(double *worths, const double *shares, double mean, int64_t n);

typedef struct {
    rb_columns_operation weigh[3];
    rb_columns_operation gather[3];
    rb_share_operation share;
    rb_center_operation center;
} rb_expecter;

RB_COLUMNS_ADD(rb_add_shorts, uint16_t)

static inline double rb_lanes_sum(const double *x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* Add n items of each column times their shares to its sum, two columns at a time, because each
 * addition waits for the previous one. */
#define RB_COLUMNS_GATHER(name, type)                                                              \
    static inline void name(const void *columns, int64_t begin, int64_t stride, int64_t n_columns, \
                            const double *shares, double *sums, int64_t n) {                       \
        int64_t i, j;                                                                              \
        int k;                                                                                     \
        for (j = 0; j < n_columns; j += 2) {                                                       \
            double one[RB_COLUMN_LANES], two[RB_COLUMN_LANES];                                     \
            const type *a = (const type *)columns + begin + j * stride;                            \
            const type *b = j + 1 < n_columns ? a + stride : a;                                    \
            for (k = 0; k < RB_COLUMN_LANES; k++) one[k] = two[k] = 0.0;                           \
            for (i = 0; i < n; i += RB_COLUMN_LANES) {                                             \
                for (k = 0; k < RB_COLUMN_LANES; k++) one[k] += shares[i + k] * (double)a[i + k];  \
                for (k = 0; k < RB_COLUMN_LANES; k++) two[k] += shares[i + k] * (double)b[i + k];  \
            }                                                                                      \
            sums[j] += rb_lanes_sum(one);                                                          \
            if (j + 1 < n_columns) sums[j + 1] += rb_lanes_sum(two);                               \
        }                                                                                          \
    }

RB_COLUMNS_GATHER(rb_gather_shorts, uint16_t)
RB_COLUMNS_GATHER(rb_gather_floats, float)
RB_COLUMNS_GATHER(rb_gather_doubles, double)

/* 1 / 13!, 1 / 12!, ... 1 / 0! */
static const double rb_exp_terms[] = {
    1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
    1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0,
};
#define RB_EXP_LEAST -690.0
#define RB_EXP_SHIFT 6755399441055744.0 /* 1.5 * 2**52 */
#define RB_LOG2_E 1.4426950408889634
#define RB_LN2_HIGH 0.6931471803691238 /* in 32 bits */
#define RB_LN2_LOW 1.9082149292705877e-10

/* exp(x) for x <= 0, to two units in the last place; at least exp(-690), whose shares are still
 * normal numbers, which are fast. x is n ln 2 + r, and exp(r) a Taylor series of degree 13. Adding
 * the shift rounds to an integer, which is then in the lowest bits. */
static inline double rb_exp_negative(double x) {
    double whole, rest, power, scale;
    uint64_t bits;
    int i;
    x = x < RB_EXP_LEAST ? RB_EXP_LEAST : x;
    whole = x * RB_LOG2_E + RB_EXP_SHIFT;
    memcpy(&bits, &whole, sizeof bits);
    memcpy(&whole, &bits, sizeof whole);
    whole -= RB_EXP_SHIFT;
    rest = x - whole * RB_LN2_HIGH - whole * RB_LN2_LOW;
    power = rb_exp_terms[0];
    for (i = 1; i < 14; i++) power = power * rest + rb_exp_terms[i];
    bits = (bits + 1023) << 52;
    memcpy(&scale, &bits, sizeof scale);
    return power * scale;
}

/* Turn scores into shares of `count`, exponential in the scores; padding gets none. 0 if a score is
 * not finite, unless it is below all the rest. */
static int rb_share(double *scores, double count, int64_t n_hyps, int64_t n) {
    double sums[RB_COLUMN_LANES], highest = scores[0], each;
    int64_t i;
    int k;
    for (i = 1; i < n_hyps; i++) highest = scores[i] > highest ? scores[i] : highest;
    for (i = 0; i < n_hyps; i++) scores[i] = rb_exp_negative(scores[i] - highest);
    for (; i < n; i++) scores[i] = 0.0;
    for (k = 0; k < RB_COLUMN_LANES; k++) sums[k] = 0.0;
    for (i = 0; i < n; i += RB_COLUMN_LANES)
        for (k = 0; k < RB_COLUMN_LANES; k++) sums[k] += scores[i + k];
    each = count / rb_lanes_sum(sums);
    for (i = 0; i < n; i++) scores[i] *= each;
    return highest < INFINITY && each == each;
}

/* Replace worths by shares x deviations from the mean; returns the sum of shares x
 * deviations**2. */
static double rb_center(double *worths, const double *shares, double mean, int64_t n) {
    double sums[RB_COLUMN_LANES];
    int64_t i;
    int k;
    for (k = 0; k < RB_COLUMN_LANES; k++) sums[k] = 0.0;
    for (i = 0; i < n; i += RB_COLUMN_LANES)
        for (k = 0; k < RB_COLUMN_LANES; k++) {
            const double above = worths[i + k] - mean;
            worths[i + k] = shares[i + k] * above;
            sums[k] += worths[i + k] * above;
        }
    return rb_lanes_sum(sums);
}

static const rb_expecter rb_expecter_portable = {
    {rb_add_shorts, rb_add_floats, rb_add_doubles},
    {rb_gather_shorts, rb_gather_floats, rb_gather_doubles},
    rb_share,
    rb_center,
};

#if RB_HAVE_V3
/* The operations of this header for AVX2, to the same bits: eight lanes are two vectors. Compilers
 * vectorize neither sums in lanes nor the exponential; by hand they take a third of the time. */
RB_V3 static inline __m256d rb_four_shorts(const uint16_t *p) {
    return _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
RB_V3 static inline __m256d rb_four_floats(const float *p) {
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
RB_V3 static inline __m256d rb_four_doubles(const double *p) { return _mm256_loadu_pd(p); }

RB_V3 static inline double rb_vectors_sum(__m256d low, __m256d high) {
    double lanes[RB_COLUMN_LANES];
    _mm256_storeu_pd(lanes, low);
    _mm256_storeu_pd(lanes + 4, high);
    return rb_lanes_sum(lanes);
}

#define RB_COLUMNS_V3(items, type)                                                                 \
    RB_V3 static void rb_weigh_##items##_v3(const void *columns, int64_t begin, int64_t stride,    \
                                            int64_t n_columns, const double *weights,              \
                                            double *sums, int64_t n) {                             \
        int64_t i, j;                                                                              \
        for (i = 0; i < n; i += RB_COLUMN_LANES) {                                                 \
            const type *column = (const type *)columns + begin + i;                                \
            __m256d low = _mm256_setzero_pd(), high = low;                                         \
            for (j = 0; j < n_columns; j++, column += stride) {                                    \
                const __m256d weight = _mm256_set1_pd(weights[j]);                                 \
                low = _mm256_add_pd(low, _mm256_mul_pd(weight, rb_four_##items(column)));          \
                high = _mm256_add_pd(high, _mm256_mul_pd(weight, rb_four_##items(column + 4)));    \
            }                                                                                      \
            _mm256_storeu_pd(sums + i, low);                                                       \
            _mm256_storeu_pd(sums + i + 4, high);                                                  \
        }                                                                                          \
    }                                                                                              \
    RB_V3 static void rb_gather_##items##_v3(const void *columns, int64_t begin, int64_t stride,   \
                                             int64_t n_columns, const double *shares,              \
                                             double *sums, int64_t n) {                            \
        int64_t i, j;                                                                              \
        for (j = 0; j < n_columns; j += 2) {                                                       \
            const type *a = (const type *)columns + begin + j * stride;                            \
            const type *b = j + 1 < n_columns ? a + stride : a;                                    \
            __m256d low_a = _mm256_setzero_pd(), high_a = low_a, low_b = low_a, high_b = low_a;    \
            for (i = 0; i < n; i += RB_COLUMN_LANES) {                                             \
                const __m256d low = _mm256_loadu_pd(shares + i);                                   \
                const __m256d high = _mm256_loadu_pd(shares + i + 4);                              \
                low_a = _mm256_add_pd(low_a, _mm256_mul_pd(low, rb_four_##items(a + i)));          \
                high_a = _mm256_add_pd(high_a, _mm256_mul_pd(high, rb_four_##items(a + i + 4)));   \
                low_b = _mm256_add_pd(low_b, _mm256_mul_pd(low, rb_four_##items(b + i)));          \
                high_b = _mm256_add_pd(high_b, _mm256_mul_pd(high, rb_four_##items(b + i + 4)));   \
            }                                                                                      \
            sums[j] += rb_vectors_sum(low_a, high_a);                                              \
            if (j + 1 < n_columns) sums[j + 1] += rb_vectors_sum(low_b, high_b);                   \
        }                                                                                          \
    }

RB_COLUMNS_V3(shorts, uint16_t)
RB_COLUMNS_V3(floats, float)
RB_COLUMNS_V3(doubles, double)

RB_V3 static inline __m256d rb_exp_negative_v3(__m256d x) {
    const __m256d shift = _mm256_set1_pd(RB_EXP_SHIFT);
    __m256d whole, rest, power = _mm256_set1_pd(rb_exp_terms[0]);
    __m256i bits;
    int i;
    x = _mm256_max_pd(_mm256_set1_pd(RB_EXP_LEAST), x); /* keeps NaN */
    whole = _mm256_add_pd(_mm256_mul_pd(x, _mm256_set1_pd(RB_LOG2_E)), shift);
    bits = _mm256_castpd_si256(whole);
    whole = _mm256_sub_pd(whole, shift);
    rest = _mm256_sub_pd(x, _mm256_mul_pd(whole, _mm256_set1_pd(RB_LN2_HIGH)));
    rest = _mm256_sub_pd(rest, _mm256_mul_pd(whole, _mm256_set1_pd(RB_LN2_LOW)));
    for (i = 1; i < 14; i++)
        power = _mm256_add_pd(_mm256_mul_pd(power, rest), _mm256_set1_pd(rb_exp_terms[i]));
    bits = _mm256_slli_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023)), 52);
    return _mm256_mul_pd(power, _mm256_castsi256_pd(bits));
}

RB_V3 static int rb_share_v3(double *scores, double count, int64_t n_hyps, int64_t n) {
    __m256d top = _mm256_loadu_pd(scores), highest, low, high, factor;
    double lanes[4], most, each;
    int64_t i;
    int k;
    for (i = 4; i < n; i += 4) top = _mm256_max_pd(_mm256_loadu_pd(scores + i), top);
    _mm256_storeu_pd(lanes, top);
    for (most = lanes[0], k = 1; k < 4; k++) most = lanes[k] > most ? lanes[k] : most;
    highest = _mm256_set1_pd(most);
    low = high = _mm256_setzero_pd();
    for (i = 0; i + RB_COLUMN_LANES <= n_hyps; i += RB_COLUMN_LANES) {
        const __m256d x = _mm256_sub_pd(_mm256_loadu_pd(scores + i), highest);
        const __m256d y = _mm256_sub_pd(_mm256_loadu_pd(scores + i + 4), highest);
        const __m256d of_x = rb_exp_negative_v3(x), of_y = rb_exp_negative_v3(y);
        low = _mm256_add_pd(low, of_x);
        high = _mm256_add_pd(high, of_y);
        _mm256_storeu_pd(scores + i, of_x);
        _mm256_storeu_pd(scores + i + 4, of_y);
    }
    if (i < n) {
        for (k = 0; k < RB_COLUMN_LANES; k++)
            scores[i + k] = i + k < n_hyps ? rb_exp_negative(scores[i + k] - most) : 0.0;
        low = _mm256_add_pd(low, _mm256_loadu_pd(scores + i));
        high = _mm256_add_pd(high, _mm256_loadu_pd(scores + i + 4));
    }
    each = count / rb_vectors_sum(low, high);
    factor = _mm256_set1_pd(each);
    for (i = 0; i < n; i += 4)
        _mm256_storeu_pd(scores + i, _mm256_mul_pd(_mm256_loadu_pd(scores + i), factor));
    return most < INFINITY && each == each;
}

static const rb_expecter rb_expecter_v3 = {
    {rb_weigh_shorts_v3, rb_weigh_floats_v3, rb_weigh_doubles_v3},
    {rb_gather_shorts_v3, rb_gather_floats_v3, rb_gather_doubles_v3},
    rb_share_v3,
    rb_center,
};
#endif

static inline const rb_expecter *rb_expecter_select(void) {
#if RB_HAVE_V3
    if (rb_use_v3()) return &rb_expecter_v3;
#endif
    return &rb_expecter_portable;
}

#endif
