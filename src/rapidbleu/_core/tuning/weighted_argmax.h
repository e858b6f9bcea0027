/* The hypothesis that each vector of weights chooses: the one with the highest sum of features. The
 * authoritative sum is in double precision, added from the first feature on, and the first of equal
 * hypotheses is chosen. Few hypotheses need it. Sums in single precision are computed for a segment
 * and four vectors at a time (below), while the segment's columns stay in the cache for all
 * vectors; sums below the highest by more than twice the maximum error are ruled out, and if one
 * hypothesis remains, nothing is added in double precision.
 *
 * The error. Let u = 2**-24, D features, and A the sum of |weight| times the largest magnitude of
 * the feature in this segment. Weight, feature, product and at most D additions are each rounded,
 * so a sum is wrong by (D + 3) u A plus terms of order u**2, and the sum in double precision by
 * next to nothing; the bound used, 1.25 (D + 8) u A for D < 2**20, leaves room for rounding the
 * threshold. Subnormal numbers lose at most 2**-126 in a weight, feature or product, even if the
 * processor flushes them to zero. If A or a magnitude exceeds 1e38, single precision may overflow,
 * and the segment is summed in double precision.
 *
 * 0.6 ns a hypothesis and vector for 15 features, 1.3 without AVX2, compared with 4 for all sums in
 * double precision. Memory is one float per segment and feature. */
#ifndef RAPIDBLEU_TUNING_WEIGHTED_ARGMAX_H
#define RAPIDBLEU_TUNING_WEIGHTED_ARGMAX_H

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "tuning/feature_columns.h"
#include <float.h>
#include <math.h>

/* The prefilter of choices by weights: weighted sums of feature columns in single precision, for
 * several vectors of weights at once, and the search for high ones. Portable form: four features at
 * a time are added to the sums of a vector, which compilers vectorize. AVX2 form: sums of 16 items
 * by four vectors of weights stay in registers while the features pass, so a feature is loaded once
 * for four vectors. Fused multiply-add gained nothing, because loads dominate. */
#define RB_VECTORS 4 /* of weights, at most, processed together */

typedef struct {
    /* Sums of n items, a nonzero multiple of RB_COLUMN_LANES; columns of features are `stride`
     * apart, and weights[RB_VECTORS * j + v] is for feature j in vector v. Writes scores[v * n +
     * place], and the highest to tops[v]. */
    void (*weigh)(const float *columns, ptrdiff_t stride, ptrdiff_t n, const float *weights,
                  ptrdiff_t n_features, int n_vectors, float *scores, float *tops);
    /* The first item from `place` on whose score is not below the threshold, or n. */
    ptrdiff_t (*next)(const float *scores, ptrdiff_t place, ptrdiff_t n, float threshold);
} rb_weigher;

/* The largest magnitude. Compilers vectorize the maximum of bits as integers. */
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
/* The sums of 8 * n_blocks items for n_vectors vectors, which must be constants. */
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

#define RB_LARGE 1e38               /* a third of the largest number in single precision */
#define RB_MANY_FEATURES (1 << 20)  /* from here on sums have too large an error */
#define RB_UNIT (0.5 * FLT_EPSILON) /* relative error of rounding to single precision */
#define RB_LOST ((double)FLT_MIN)   /* maximum loss of a number near zero */

/* Vectors of weights, arranged for sums of several at once, and room for the sums of a segment. */
typedef struct {
    const rb_feature_columns *columns;
    const rb_weigher *weigher;
    const float *largest;  /* [n_segments, n_features] magnitudes of features */
    int64_t n_vectors;
    const double *weights; /* [n_vectors, n_features] */
    float *rounded;        /* [blocks of RB_VECTORS, n_features, RB_VECTORS] */
    double *magnitudes;    /* the same, absolute values in double precision */
    double *sums;          /* [n_vectors] of the magnitudes */
    float *scores;         /* [RB_VECTORS, columns->longest] of one segment */
    double *exact_scores;  /* [columns->longest] */
} rb_argmax;

static inline void rb_argmax_free(rb_argmax *a) {
    PyMem_RawFree(a->rounded);
    PyMem_RawFree(a->magnitudes);
    PyMem_RawFree(a->sums);
    PyMem_RawFree(a->scores);
    PyMem_RawFree(a->exact_scores);
}

/* Must be freed even after an error. */
static inline int rb_argmax_init(rb_argmax *a, const rb_feature_columns *columns,
                                 const rb_weigher *weigher, const float *largest,
                                 const double *weights, int64_t n_vectors) {
    const int64_t d = columns->n_features, n_blocks = (n_vectors + RB_VECTORS - 1) / RB_VECTORS;
    const int64_t size = n_blocks * RB_VECTORS * d;
    int64_t v, j;
    a->columns = columns;
    a->weigher = weigher;
    a->largest = largest;
    a->n_vectors = n_vectors;
    a->weights = weights;
    a->rounded = (float *)PyMem_RawMalloc(rb_bytes_of(size + 1, sizeof(float)));
    a->magnitudes = (double *)PyMem_RawMalloc(rb_bytes_of(size + 1, sizeof(double)));
    a->sums = (double *)PyMem_RawMalloc(rb_bytes_of(n_vectors + 1, sizeof(double)));
    a->scores = (float *)PyMem_RawMalloc(rb_bytes_of(columns->longest, RB_VECTORS * sizeof(float)));
    a->exact_scores = (double *)PyMem_RawMalloc(rb_bytes_of(columns->longest, sizeof(double)));
    if (a->rounded == NULL || a->magnitudes == NULL || a->sums == NULL || a->scores == NULL
        || a->exact_scores == NULL)
        return rb_no_memory();
    memset(a->rounded, 0, (size_t)size * sizeof *a->rounded);
    memset(a->magnitudes, 0, (size_t)size * sizeof *a->magnitudes);
    for (v = 0; v < n_vectors; v++) {
        a->sums[v] = 0.0;
        for (j = 0; j < d; j++) {
            const int64_t place = (v / RB_VECTORS * d + j) * RB_VECTORS + v % RB_VECTORS;
            const double magnitude = fabs(weights[v * d + j]);
            a->magnitudes[place] = magnitude;
            a->sums[v] += magnitude;
            if (magnitude < RB_LARGE) a->rounded[place] = (float)weights[v * d + j];
        }
    }
    return 0;
}

static inline void rb_largest_features(const rb_feature_columns *c, int64_t segment,
                                       float *largest) {
    const float *column = c->rounded + c->begins[segment];
    int64_t j;
    for (j = 0; j < c->n_features; j++, column += c->n_padded)
        largest[j] = rb_largest(column, (ptrdiff_t)rb_segment_places(c, segment));
}

static inline int64_t rb_first_highest(const double *scores, int64_t n) {
    int64_t i, best = 0;
    for (i = 1; i < n; i++)
        if (scores[i] > scores[best]) best = i;
    return best;
}

/* The first hypothesis with the highest sum, among those not below a threshold. */
static inline int64_t rb_argmax_settle(const rb_argmax *a, int64_t segment, const double *weights,
                                       const float *scores, float threshold) {
    const rb_feature_columns *c = a->columns;
    const ptrdiff_t n_places = (ptrdiff_t)rb_segment_places(c, segment);
    const int64_t n = rb_segment_hyps(c, segment);
    ptrdiff_t best = a->weigher->next(scores, 0, n_places, threshold);
    ptrdiff_t place = a->weigher->next(scores, best + 1, n_places, threshold);
    double highest, score;
    if (place >= n) return best; /* padding repeats the first hypothesis */
    highest = rb_columns_weigh_one(c, segment, weights, best);
    for (; place < n; place = a->weigher->next(scores, place + 1, n_places, threshold)) {
        score = rb_columns_weigh_one(c, segment, weights, place);
        if (score > highest) {
            best = place;
            highest = score;
        }
    }
    return best;
}

static inline void rb_argmax_rows(const rb_argmax *a, int64_t segment, int64_t first,
                                  int64_t *rows) {
    const rb_feature_columns *c = a->columns;
    const int64_t d = c->n_features, n = rb_segment_places(c, segment);
    const double *magnitudes = a->magnitudes + first * d;
    const float *largest = a->largest + segment * d;
    double sizes[RB_VECTORS], margin, total = 0.0;
    float tops[RB_VECTORS];
    const int64_t left = a->n_vectors - first;
    const int n_vectors = left < RB_VECTORS ? (int)left : RB_VECTORS;
    int64_t j;
    int v;
    a->weigher->weigh(c->rounded + c->begins[segment], (ptrdiff_t)c->n_padded, (ptrdiff_t)n,
                      a->rounded + first * d, (ptrdiff_t)d, n_vectors, a->scores, tops);
    for (v = 0; v < RB_VECTORS; v++) sizes[v] = 0.0;
    for (j = 0; j < d; j++) {
        total += (double)largest[j];
        for (v = 0; v < RB_VECTORS; v++)
            sizes[v] += magnitudes[RB_VECTORS * j + v] * (double)largest[j];
    }
    for (v = 0; v < n_vectors; v++) {
        const double *weights = a->weights + (first + v) * d;
        margin = total + a->sums[first + v];
        if (sizes[v] < RB_LARGE && margin < RB_LARGE && d < RB_MANY_FEATURES) {
            /* twice the bound of the essay */
            margin = 2.5 * (double)(d + 8) * RB_UNIT * sizes[v]
                   + 4.0 * (margin + (double)d) * RB_LOST;
            rows[v] = rb_argmax_settle(a, segment, weights, a->scores + v * n,
                                       (float)((double)tops[v] - margin));
        } else {
            rb_columns_weigh(c, segment, weights, a->exact_scores);
            rows[v] = rb_first_highest(a->exact_scores, rb_segment_hyps(c, segment));
        }
        rows[v] += c->offsets[segment];
    }
}

#endif
