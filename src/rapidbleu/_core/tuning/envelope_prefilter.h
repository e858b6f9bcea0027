/* The prefilter of upper envelopes: sweeps over the lines of one segment, y = a + b * x in single
 * precision, that rule most of them out.
 *
 * The intercepts have been shifted so that the highest is 0.  A first sweep finds three lines: the
 * leftmost of the upper envelope (lowest slope), one that is highest at x = 0, and the rightmost.
 * A line that rises above all three somewhere does so where two of them cross, so a second sweep
 * keeps the lines that reach the three at one of these two points.  Any three lines will do, so
 * rounding in their choice costs nothing, and points that lie low by more than the rounding errors
 * of a sum lose no line.  Comparisons are such that NaN keeps a line. */
#ifndef RAPIDBLEU_TUNING_ENVELOPE_PREFILTER_H
#define RAPIDBLEU_TUNING_ENVELOPE_PREFILTER_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include "common/bits.h"
#include "common/cpu.h"

#define RB_SWEEP_LANES 8 /* n is a multiple of it in all sweeps */

typedef struct {
    float low, high;   /* lowest and highest slope */
    float left, right; /* highest intercept of the lines that have them */
    float middle;      /* highest slope of the lines with intercept 0 */
} rb_extremes;

typedef struct {
    float x1, y1, x2, y2; /* keep a line that reaches y1 at x1 or y2 at x2, */
    float low, high;      /* or whose slope is at most low or at least high */
} rb_sieve;

typedef struct {
    void (*extremes)(const float *a, const float *b, ptrdiff_t n, rb_extremes *e);
    ptrdiff_t (*sift)(const float *a, const float *b, ptrdiff_t n, const rb_sieve *s,
                      uint32_t *kept);
} rb_sweeper;

static inline void rb_extremes_portable(const float *a, const float *b, ptrdiff_t n,
                                        rb_extremes *e) {
    rb_extremes x = {b[0], b[0], -FLT_MAX, -FLT_MAX, -FLT_MAX};
    ptrdiff_t i;
    for (i = 1; i < n; i++) {
        x.low = b[i] < x.low ? b[i] : x.low;
        x.high = b[i] > x.high ? b[i] : x.high;
    }
    for (i = 0; i < n; i++) {
        x.left = b[i] == x.low && a[i] > x.left ? a[i] : x.left;
        x.right = b[i] == x.high && a[i] > x.right ? a[i] : x.right;
        x.middle = a[i] == 0.0f && b[i] > x.middle ? b[i] : x.middle;
    }
    *e = x;
}

/* The sieve's conditions, negated so that NaN keeps. */
#define RB_KEPT(a, b, s)                                                                     \
    (!((a) + (b) * (s)->x1 < (s)->y1) | !((a) + (b) * (s)->x2 < (s)->y2) | !((b) > (s)->low) \
     | !((b) < (s)->high))

static inline ptrdiff_t rb_sift_portable(const float *a, const float *b, ptrdiff_t n,
                                         const rb_sieve *s, uint32_t *kept) {
    ptrdiff_t i, m = 0;
    int k;
    for (i = 0; i < n; i += RB_SWEEP_LANES) {
        uint32_t mask = 0;
        for (k = 0; k < RB_SWEEP_LANES; k++)
            mask |= (uint32_t)RB_KEPT(a[i + k], b[i + k], s) << k;
        for (; mask; mask &= mask - 1) kept[m++] = (uint32_t)(i + rb_ctz(mask));
    }
    return m;
}

#if RB_HAVE_V3
/* The lane of v that is lowest (or, with its sign turned, highest) goes to all callers alike. */
RB_V3 static float rb_lowest_lane(__m256 v) {
    __m128 x = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_min_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_min_ss(x, _mm_shuffle_ps(x, x, 1)));
}

RB_V3 static float rb_highest_lane(__m256 v) {
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_shuffle_ps(x, x, 1)));
}

/* Two vectors at a time, the last two overlapping, for one maximum waits for the one before. */
RB_V3 static void rb_extremes_v3(const float *a, const float *b, ptrdiff_t n, rb_extremes *e) {
    const __m256 none = _mm256_set1_ps(-FLT_MAX), zero = _mm256_setzero_ps();
    __m256 low0 = _mm256_loadu_ps(b), low1 = low0, high0 = low0, high1 = low0;
    __m256 middle0 = none, middle1 = none, left0 = none, left1 = none, right0 = none;
    __m256 right1 = none, low, high;
    ptrdiff_t i, j;
    for (i = 0; i < n; i += 2 * RB_SWEEP_LANES) {
        __m256 b0 = _mm256_loadu_ps(b + i), b1, a0 = _mm256_loadu_ps(a + i), a1;
        j = i + RB_SWEEP_LANES < n ? i + RB_SWEEP_LANES : i;
        b1 = _mm256_loadu_ps(b + j);
        a1 = _mm256_loadu_ps(a + j);
        low0 = _mm256_min_ps(low0, b0);
        low1 = _mm256_min_ps(low1, b1);
        high0 = _mm256_max_ps(high0, b0);
        high1 = _mm256_max_ps(high1, b1);
        a0 = _mm256_blendv_ps(none, b0, _mm256_cmp_ps(a0, zero, _CMP_EQ_OQ));
        a1 = _mm256_blendv_ps(none, b1, _mm256_cmp_ps(a1, zero, _CMP_EQ_OQ));
        middle0 = _mm256_max_ps(middle0, a0);
        middle1 = _mm256_max_ps(middle1, a1);
    }
    e->low = rb_lowest_lane(_mm256_min_ps(low0, low1));
    e->high = rb_highest_lane(_mm256_max_ps(high0, high1));
    e->middle = rb_highest_lane(_mm256_max_ps(middle0, middle1));
    low = _mm256_set1_ps(e->low);
    high = _mm256_set1_ps(e->high);
    for (i = 0; i < n; i += 2 * RB_SWEEP_LANES) {
        __m256 b0 = _mm256_loadu_ps(b + i), b1, a0 = _mm256_loadu_ps(a + i), a1;
        j = i + RB_SWEEP_LANES < n ? i + RB_SWEEP_LANES : i;
        b1 = _mm256_loadu_ps(b + j);
        a1 = _mm256_loadu_ps(a + j);
        left0 = _mm256_max_ps(
            left0, _mm256_blendv_ps(none, a0, _mm256_cmp_ps(b0, low, _CMP_EQ_OQ)));
        left1 = _mm256_max_ps(
            left1, _mm256_blendv_ps(none, a1, _mm256_cmp_ps(b1, low, _CMP_EQ_OQ)));
        right0 = _mm256_max_ps(
            right0, _mm256_blendv_ps(none, a0, _mm256_cmp_ps(b0, high, _CMP_EQ_OQ)));
        right1 = _mm256_max_ps(
            right1, _mm256_blendv_ps(none, a1, _mm256_cmp_ps(b1, high, _CMP_EQ_OQ)));
    }
    e->left = rb_highest_lane(_mm256_max_ps(left0, left1));
    e->right = rb_highest_lane(_mm256_max_ps(right0, right1));
}

RB_V3 static ptrdiff_t rb_sift_v3(const float *a, const float *b, ptrdiff_t n, const rb_sieve *s,
                                  uint32_t *kept) {
    const __m256 x1 = _mm256_set1_ps(s->x1), y1 = _mm256_set1_ps(s->y1);
    const __m256 x2 = _mm256_set1_ps(s->x2), y2 = _mm256_set1_ps(s->y2);
    const __m256 low = _mm256_set1_ps(s->low), high = _mm256_set1_ps(s->high);
    ptrdiff_t i, m = 0;
    for (i = 0; i < n; i += RB_SWEEP_LANES) {
        __m256 u = _mm256_loadu_ps(a + i), v = _mm256_loadu_ps(b + i);
        __m256 at1 = _mm256_add_ps(u, _mm256_mul_ps(v, x1));
        __m256 at2 = _mm256_add_ps(u, _mm256_mul_ps(v, x2));
        __m256 keep = _mm256_or_ps(
            _mm256_or_ps(_mm256_cmp_ps(at1, y1, _CMP_NLT_UQ), _mm256_cmp_ps(at2, y2, _CMP_NLT_UQ)),
            _mm256_or_ps(_mm256_cmp_ps(v, low, _CMP_NGT_UQ), _mm256_cmp_ps(v, high, _CMP_NLT_UQ)));
        uint32_t mask = (uint32_t)_mm256_movemask_ps(keep);
        for (; mask; mask &= mask - 1) kept[m++] = (uint32_t)(i + rb_ctz(mask));
    }
    return m;
}
#endif

static inline rb_sweeper rb_sweeper_select(int use_simd) {
    rb_sweeper sweeper = {rb_extremes_portable, rb_sift_portable};
#if RB_HAVE_V3
    if (use_simd && rb_use_v3()) {
        sweeper.extremes = rb_extremes_v3;
        sweeper.sift = rb_sift_v3;
    }
#endif
    (void)use_simd;
    return sweeper;
}

/* The sieve for the lines of a segment.  `depth` is the lowest intercept, `rounded` whether the
 * slopes are, so that the order of those at either end is not known. */
static inline void rb_sieve_make(const rb_extremes *e, float depth, int rounded, rb_sieve *s) {
    const float error = 16 * FLT_EPSILON;
    float widest = e->high > -e->low ? e->high : -e->low;
    s->x1 = s->x2 = 0.0f;
    s->y1 = s->y2 = INFINITY; /* no line passes here */
    s->low = rounded ? e->low : -INFINITY;
    s->high = rounded ? e->high : INFINITY;
    if (e->low < e->middle) {
        s->x1 = e->left / (e->middle - e->low);
        s->y1 = e->middle * s->x1 - error * (widest * -s->x1 - depth);
    }
    if (e->middle < e->high) {
        s->x2 = e->right / (e->middle - e->high);
        s->y2 = e->middle * s->x2 - error * (widest * s->x2 - depth);
    }
    if (!(e->low < e->middle) && !(e->middle < e->high)) s->y1 = 0.0f; /* parallel lines */
}

#endif
