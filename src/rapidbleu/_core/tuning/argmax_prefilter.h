/* The prefilter of choices by weights: weighted sums of columns of features in single precision,
 * for several vectors of weights at once, and the search for the high ones.
 *
 * Portable form: four features at a time are added to the sums of a vector; compilers make vectors
 * of that.  AVX2 form: sums of 16 places by four vectors of weights stay in registers while the
 * features go by, so that a feature is loaded once for four vectors.  Fused multiplication and
 * addition gained nothing, as loading takes the time. */
#ifndef RAPIDBLEU_TUNING_ARGMAX_PREFILTER_H
#define RAPIDBLEU_TUNING_ARGMAX_PREFILTER_H

#include <float.h>
#include "common/bits.h"
#include "common/cpu.h"
#include "tuning/feature_columns.h"

#define RB_VECTORS 4 /* of weights, at most, that are weighed together */

typedef struct {
    /* Sums of n places, a multiple of RB_COLUMN_LANES and not 0; the columns of features are
     * `stride` apart, and weights[RB_VECTORS * j + v] is that of feature j in vector v.  Writes
     * scores[v * n + place], and the highest to tops[v]. */
    void (*weigh)(const float *columns, ptrdiff_t stride, ptrdiff_t n, const float *weights,
                  ptrdiff_t n_features, int n_vectors, float *scores, float *tops);
    /* The first place from `place` on whose score is not below the threshold, or n. */
    ptrdiff_t (*next)(const float *scores, ptrdiff_t place, ptrdiff_t n, float threshold);
} rb_weigher;

/* The largest magnitude.  As integers the bits of magnitudes are in order, and compilers know how
 * to find the largest of integers by vectors. */
static inline float rb_largest(const float *values, ptrdiff_t n) {
    int32_t largest = 0;
    float result;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= INT32_MAX;
        largest = bits > largest ? bits : largest;
    }
    memcpy(&result, &largest, sizeof result);
    return result;
}

static void rb_weigh_portable(const float *columns, ptrdiff_t stride, ptrdiff_t n,
                              const float *weights, ptrdiff_t n_features, int n_vectors,
                              float *scores, float *tops) {
    ptrdiff_t i, j;
    int v, k;
    for (v = 0; v < n_vectors; v++, scores += n) {
        const float *weight = weights + v, *column = columns;
        float highest[RB_COLUMN_LANES];
        for (i = 0; i < n; i++) scores[i] = 0.0f;
        for (j = 0; j + 4 <= n_features; j += 4, column += 4 * stride, weight += 4 * RB_VECTORS) {
            const float *second = column + stride, *third = second + stride;
            const float *fourth = third + stride;
            float a = weight[0], b = weight[RB_VECTORS], c = weight[2 * RB_VECTORS];
            float d = weight[3 * RB_VECTORS];
            for (i = 0; i < n; i++)
                scores[i] += a * column[i] + b * second[i] + (c * third[i] + d * fourth[i]);
        }
        for (; j < n_features; j++, column += stride, weight += RB_VECTORS) {
            float a = weight[0];
            for (i = 0; i < n; i++) scores[i] += a * column[i];
        }
        for (k = 0; k < RB_COLUMN_LANES; k++) highest[k] = scores[k];
        for (i = RB_COLUMN_LANES; i < n; i += RB_COLUMN_LANES)
            for (k = 0; k < RB_COLUMN_LANES; k++)
                highest[k] = scores[i + k] > highest[k] ? scores[i + k] : highest[k];
        tops[v] = highest[0];
        for (k = 1; k < RB_COLUMN_LANES; k++) tops[v] = highest[k] > tops[v] ? highest[k] : tops[v];
    }
}

static ptrdiff_t rb_next_portable(const float *scores, ptrdiff_t place, ptrdiff_t n,
                                  float threshold) {
    while (place < n && !(scores[place] >= threshold)) place++;
    return place;
}

#if RB_HAVE_V3
/* The sums of 8 * n_blocks places for n_vectors vectors, which must be constants. */
RB_V3 RB_INLINE void rb_weigh_tile(const float *columns, ptrdiff_t stride, ptrdiff_t n,
                                   const float *weights, ptrdiff_t n_features, int n_vectors,
                                   int n_blocks, float *scores, __m256 *highest) {
    __m256 sums[RB_VECTORS][4];
    ptrdiff_t j;
    int v, b;
    for (v = 0; v < n_vectors; v++)
        for (b = 0; b < n_blocks; b++) sums[v][b] = _mm256_setzero_ps();
    for (j = 0; j < n_features; j++, columns += stride, weights += RB_VECTORS)
        for (b = 0; b < n_blocks; b++) {
            __m256 values = _mm256_loadu_ps(columns + 8 * b);
            for (v = 0; v < n_vectors; v++)
                sums[v][b] = _mm256_add_ps(
                    sums[v][b], _mm256_mul_ps(values, _mm256_broadcast_ss(weights + v)));
        }
    for (v = 0; v < n_vectors; v++)
        for (b = 0; b < n_blocks; b++) {
            _mm256_storeu_ps(scores + v * n + 8 * b, sums[v][b]);
            highest[v] = _mm256_max_ps(highest[v], sums[v][b]);
        }
}

RB_V3 RB_INLINE void rb_weigh_tiles(const float *columns, ptrdiff_t stride, ptrdiff_t n,
                                    const float *weights, ptrdiff_t n_features, int n_vectors,
                                    int n_blocks, float *scores, float *tops) {
    __m256 highest[RB_VECTORS];
    ptrdiff_t i = 0;
    int v, k;
    for (v = 0; v < n_vectors; v++) highest[v] = _mm256_set1_ps(-FLT_MAX);
    for (; i + 8 * n_blocks <= n; i += 8 * n_blocks)
        rb_weigh_tile(columns + i, stride, n, weights, n_features, n_vectors, n_blocks, scores + i,
                      highest);
    for (; i < n; i += 8)
        rb_weigh_tile(columns + i, stride, n, weights, n_features, n_vectors, 1, scores + i,
                      highest);
    for (v = 0; v < n_vectors; v++) {
        float lanes[8];
        _mm256_storeu_ps(lanes, highest[v]);
        tops[v] = lanes[0];
        for (k = 1; k < 8; k++) tops[v] = lanes[k] > tops[v] ? lanes[k] : tops[v];
    }
}

RB_V3 static void rb_weigh_v3(const float *columns, ptrdiff_t stride, ptrdiff_t n,
                              const float *weights, ptrdiff_t n_features, int n_vectors,
                              float *scores, float *tops) {
    int v;
    if (n_vectors == RB_VECTORS)
        rb_weigh_tiles(columns, stride, n, weights, n_features, RB_VECTORS, 2, scores, tops);
    else
        for (v = 0; v < n_vectors; v++)
            rb_weigh_tiles(columns, stride, n, weights + v, n_features, 1, 4, scores + v * n,
                           tops + v);
}

RB_V3 static ptrdiff_t rb_next_v3(const float *scores, ptrdiff_t place, ptrdiff_t n,
                                  float threshold) {
    const __m256 least = _mm256_set1_ps(threshold);
    ptrdiff_t i = place - place % 8;
    unsigned inside = 0xffu << place % 8;
    for (; i < n; i += 8, inside = 0xff) {
        __m256 high = _mm256_cmp_ps(_mm256_loadu_ps(scores + i), least, _CMP_GE_OQ);
        unsigned found = (unsigned)_mm256_movemask_ps(high) & inside;
        if (found) return i + rb_ctz(found);
    }
    return n;
}
#endif

static inline rb_weigher rb_weigher_select(void) {
    rb_weigher weigher = {rb_weigh_portable, rb_next_portable};
#if RB_HAVE_V3
    if (rb_use_v3()) {
        weigher.weigh = rb_weigh_v3;
        weigher.next = rb_next_v3;
    }
#endif
    return weigher;
}

#endif
