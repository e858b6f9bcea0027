/* Which hypothesis each vector of weights chooses: the one with the highest sum of features.
 *
 * The sum that counts is that in double precision, added from the first feature on, and of equal
 * ones the first hypothesis is chosen.  Few hypotheses need it.  Sums in single precision are made
 * for a segment and four vectors at a time (argmax_prefilter.h), while the segment's columns stay
 * in the cache for all vectors; whatever is below the highest of them by more than twice the error
 * that a sum may have is ruled out, and if one hypothesis is left nothing is added in double
 * precision at all.
 *
 * The error.  Let u = 2**-24, D features, and A the sum of |weight| times the largest magnitude
 * that the feature has in this segment.  Weight, feature, product and at most D additions are each
 * rounded, so a sum is wrong by (D + 3) u A and terms of order u**2, and the sum in double
 * precision by next to nothing; the bound taken, 1.25 (D + 8) u A for D < 2**20, leaves room for
 * the rounding of the threshold.  Numbers below the normal ones lose 2**-126 at most, even where
 * the processor is told to make zeros of them, in a weight, a feature or a product.  Where A or a
 * magnitude is beyond 1e38, single precision may overflow, and the segment is summed in double
 * precision.
 *
 * 0.6 ns a hypothesis and vector for 15 features, 1.3 without AVX2; all sums in double precision
 * take 4.  One float is kept for each segment and feature. */
#ifndef RAPIDBLEU_TUNING_WEIGHTED_ARGMAX_H
#define RAPIDBLEU_TUNING_WEIGHTED_ARGMAX_H

#include <float.h>
#include <math.h>
#include "common/memory.h"
#include "tuning/argmax_prefilter.h"

#define RB_LARGE 1e38               /* a third of the largest number in single precision */
#define RB_MANY_FEATURES (1 << 20)  /* whose sums have too large an error */
#define RB_UNIT (0.5 * FLT_EPSILON) /* relative error of rounding to single precision */
#define RB_LOST ((double)FLT_MIN)   /* most that a number near zero loses */

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

/* Also after an error it is to be freed. */
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
    memset(a->rounded, 0, rb_bytes_of(size, sizeof(float)));
    memset(a->magnitudes, 0, rb_bytes_of(size, sizeof(double)));
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

/* The largest magnitude of each feature in a segment. */
static inline void rb_largest_features(const rb_feature_columns *c, int64_t segment,
                                       float *largest) {
    const float *column = c->rounded + c->begins[segment];
    int64_t j;
    for (j = 0; j < c->n_features; j++, column += c->n_padded)
        largest[j] = rb_largest(column, (ptrdiff_t)rb_segment_places(c, segment));
}

/* The first of the highest scores. */
static inline int64_t rb_first_highest(const double *scores, int64_t n) {
    int64_t i, best = 0;
    for (i = 1; i < n; i++)
        if (scores[i] > scores[best]) best = i;
    return best;
}

/* The first of the hypotheses with the highest sum, among those not below a threshold. */
static inline int64_t rb_argmax_settle(const rb_argmax *a, int64_t segment, const double *weights,
                                       const float *scores, float threshold) {
    const rb_feature_columns *c = a->columns;
    const ptrdiff_t n_places = (ptrdiff_t)rb_segment_places(c, segment);
    const int64_t n = rb_segment_hyps(c, segment);
    ptrdiff_t best = a->weigher->next(scores, 0, n_places, threshold);
    ptrdiff_t place = a->weigher->next(scores, best + 1, n_places, threshold);
    double highest, score;
    if (place >= n) return best; /* what is behind n is the first hypothesis again */
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

/* Choose a segment's rows for up to RB_VECTORS vectors from the given one on. */
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
