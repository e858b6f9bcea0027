/* Features of n-best lists in columns, and their weighted sums. The hypotheses of a segment are
 * contiguous in each column, and each segment begins at a multiple of a vector's width. Padding
 * repeats the segment's first hypothesis, because a repeated line changes no envelope and no
 * maximum. The authoritative sum is in double precision, added from the first feature on; a weight
 * of 0 adds nothing, even for an infinite feature. */
#ifndef RAPIDBLEU_TUNING_FEATURE_COLUMNS_H
#define RAPIDBLEU_TUNING_FEATURE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#define RB_COLUMN_LANES 8 /* of the widest vectors; segments begin at multiples of it */

typedef struct {
    int64_t n_segments;
    int64_t n_features;
    int64_t n_padded;     /* items of a column */
    int64_t longest;      /* padded length of the longest segment */
    int64_t *offsets;     /* [n_segments + 1] first hypothesis of each */
    int64_t *begins;      /* [n_segments + 1] its index in a column */
    const float *rounded; /* [n_features, n_padded] */
    const double *exact;  /* the same before rounding, or NULL if that loses nothing */
} rb_feature_columns;

static inline int64_t rb_segment_places(const rb_feature_columns *c, int64_t segment) {
    return c->begins[segment + 1] - c->begins[segment];
}

static inline int64_t rb_segment_hyps(const rb_feature_columns *c, int64_t segment) {
    return c->offsets[segment + 1] - c->offsets[segment];
}

/* Add up n weighted items of columns, RB_COLUMN_LANES at a time, with sums in registers. */
#define RB_COLUMNS_ADD(name, type)                                                                 \
    static inline void name(const void *columns, int64_t begin, int64_t stride,                    \
                            int64_t n_features, const double *weights, double *scores,             \
                            int64_t n) {                                                           \
        int64_t i, j;                                                                              \
        int k;                                                                                     \
        for (i = 0; i < n; i += RB_COLUMN_LANES) {                                                 \
            double sums[RB_COLUMN_LANES];                                                          \
            const type *column = (const type *)columns + begin + i;                                \
            for (k = 0; k < RB_COLUMN_LANES; k++) sums[k] = 0.0;                                   \
            for (j = 0; j < n_features; j++, column += stride)                                     \
                if (weights[j] != 0.0)                                                             \
                    for (k = 0; k < RB_COLUMN_LANES; k++)                                          \
                        sums[k] += weights[j] * (double)column[k];                                 \
            for (k = 0; k < RB_COLUMN_LANES; k++) scores[i + k] = sums[k];                         \
        }                                                                                          \
    }

RB_COLUMNS_ADD(rb_add_floats, float)
RB_COLUMNS_ADD(rb_add_doubles, double)

/* Write the weighted sums of features of a segment, including padding. */
static inline void rb_columns_weigh(const rb_feature_columns *c, int64_t segment,
                                    const double *weights, double *scores) {
    const int64_t begin = c->begins[segment], n = rb_segment_places(c, segment);
    if (c->exact != NULL)
        rb_add_doubles(c->exact, begin, c->n_padded, c->n_features, weights, scores, n);
    else
        rb_add_floats(c->rounded, begin, c->n_padded, c->n_features, weights, scores, n);
}

/* As `rb_columns_weigh`, with products and results in single precision, like Moses. */
static inline void rb_columns_weigh_single(const rb_feature_columns *c, int64_t segment,
                                           const double *weights, double *scores) {
    const int64_t n = rb_segment_places(c, segment);
    const float *column = c->rounded + c->begins[segment];
    int64_t i, j;
    for (i = 0; i < n; i++) scores[i] = 0.0;
    for (j = 0; j < c->n_features; j++, column += c->n_padded) {
        const float weight = (float)weights[j];
        for (i = 0; i < n; i++) scores[i] += (double)(float)(weight * column[i]);
    }
    for (i = 0; i < n; i++) scores[i] = (double)(float)scores[i];
}

/* The weighted sum of features of one item of a segment, equal to `rb_columns_weigh`. */
static inline double rb_columns_weigh_one(const rb_feature_columns *c, int64_t segment,
                                          const double *weights, int64_t place) {
    double score = 0.0;
    int64_t j;
    place += c->begins[segment];
    for (j = 0; j < c->n_features; j++, place += c->n_padded) {
        if (weights[j] == 0.0) continue;
        score += weights[j] * (c->exact != NULL ? c->exact[place] : (double)c->rounded[place]);
    }
    return score;
}

#endif
