/* The upper envelope of the lines of one segment: which hypothesis is best, and from where on
 * (Macherey et al. 2008). About seven of a thousand lines are on the envelope. Two sweeps in single
 * precision (below) leave some forty candidates, which are thinned once more in double precision,
 * by the points where the best of them cross, and sorted by slope. A stack then builds the
 * envelope: a line is removed if the next one overtakes it before it has overtaken the one below.
 *
 * All decisions are made in double precision. The highest of parallel lines is used, and the first
 * of equal ones. Of three lines through one point the middle one has no interval and is dropped,
 * like a line that in floating point would overtake only at infinity. The usual scan, from each
 * line to the first that crosses it, takes as many passes over all lines as the envelope has, with
 * a division per line; sorting all lines takes fifty times as long as sweeping. Linear in the lines
 * as a rule; n log n if most of them are on the envelope. */
#ifndef RAPIDBLEU_TUNING_ENVELOPE_H
#define RAPIDBLEU_TUNING_ENVELOPE_H

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "common/signals.h"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The prefilter of upper envelopes: sweeps over the lines of one segment, y = a + b * x in single
 * precision, that rule most of them out. Intercepts are shifted so that the highest is 0. A first
 * sweep finds three lines: the leftmost of the upper envelope (lowest slope), one that is highest
 * at x = 0, and the rightmost. A line that rises above all three does so where two of them cross,
 * so a second sweep keeps the lines that reach the three at one of these two points. Any three
 * lines work, so rounding in their choice is harmless, and points lowered by more than the rounding
 * errors of a sum lose no line. Comparisons are such that NaN keeps a line. */
#define RB_SWEEP_LANES 8 /* n is a multiple of it in all sweeps */

typedef struct {
    float low, high;   /* lowest and highest slope */
    float left, right; /* highest intercepts of the lines with these slopes */
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

/* The sieve's conditions, negated so that NaN keeps a line. */
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
/* The minimum lane of v (or the maximum, with signs inverted). */
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

/* Raise the highest values to those whose key is `key`. */
RB_V3 RB_INLINE __m256 rb_highest_of(__m256 highest, __m256 values, __m256 keys, __m256 key) {
    const __m256 none = _mm256_set1_ps(-FLT_MAX), same = _mm256_cmp_ps(keys, key, _CMP_EQ_OQ);
    return _mm256_max_ps(highest, _mm256_blendv_ps(none, values, same));
}

/* Two vectors at a time, the last two overlapping, because each maximum waits for the last. */
RB_V3 static void rb_extremes_v3(const float *a, const float *b, ptrdiff_t n, rb_extremes *e) {
    const __m256 none = _mm256_set1_ps(-FLT_MAX), zero = _mm256_setzero_ps();
    __m256 low0 = _mm256_loadu_ps(b), low1 = low0, high0 = low0, high1 = low0;
    __m256 middle0 = none, middle1 = none, left0 = none, left1 = none, right0 = none;
    __m256 right1 = none, low, high;
    ptrdiff_t i, j;
    for (i = 0; i < n; i += 2 * RB_SWEEP_LANES) {
        __m256 b0 = _mm256_loadu_ps(b + i), b1;
        j = i + RB_SWEEP_LANES < n ? i + RB_SWEEP_LANES : i;
        b1 = _mm256_loadu_ps(b + j);
        low0 = _mm256_min_ps(low0, b0);
        low1 = _mm256_min_ps(low1, b1);
        high0 = _mm256_max_ps(high0, b0);
        high1 = _mm256_max_ps(high1, b1);
        middle0 = rb_highest_of(middle0, b0, _mm256_loadu_ps(a + i), zero);
        middle1 = rb_highest_of(middle1, b1, _mm256_loadu_ps(a + j), zero);
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
        left0 = rb_highest_of(left0, a0, b0, low);
        left1 = rb_highest_of(left1, a1, b1, low);
        right0 = rb_highest_of(right0, a0, b0, high);
        right1 = rb_highest_of(right1, a1, b1, high);
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

/* The sieve for the lines of a segment. `depth` is the lowest intercept; if slopes are `rounded`,
 * their order at both ends is unknown. */
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

#define RB_FEW_LINES 12    /* candidates sorted without thinning */
#define RB_INSERT_LINES 48 /* candidates sorted by insertion */

typedef struct {
    int64_t n;               /* lines of the segment */
    int64_t n_padded;        /* rounded up to a multiple of RB_SWEEP_LANES, all readable */
    const float *intercepts; /* minus the highest, rounded */
    const float *slopes;     /* rounded */
    float depth;             /* the lowest intercept */
    const double *exact_intercepts;
    const double *exact_slopes; /* NULL if `slopes` are exact */
} rb_lines;

typedef struct {
    double begin; /* x from which the line is highest */
    double slope;
    double intercept;
    int64_t line;
} rb_vertex;

/* Order by slope; of parallel lines the highest first, of equal ones the first. */
static inline int rb_vertex_before(const rb_vertex *a, const rb_vertex *b) {
    if (a->slope != b->slope) return a->slope < b->slope;
    if (a->intercept != b->intercept) return a->intercept > b->intercept;
    return a->line < b->line;
}

static inline void rb_vertices_insert(rb_vertex *vertices, int64_t n) {
    int64_t i, j;
    for (i = 1; i < n; i++) {
        const rb_vertex moved = vertices[i];
        for (j = i; j > 0 && rb_vertex_before(&moved, vertices + j - 1); j--)
            vertices[j] = vertices[j - 1];
        vertices[j] = moved;
    }
}

static inline int rb_vertices_merge(const rb_vertex *source, rb_vertex *target, int64_t middle,
                                    int64_t n, PyObject *stop) {
    int64_t i = 0, j = middle, k;
    for (k = 0; k < n; k++) {
        if (rb_poll_due(k, RB_POLL_TOKENS) && rb_poll_without_gil(stop) < 0) return -1;
        if (i < middle && (j == n || rb_vertex_before(source + i, source + j)))
            target[k] = source[i++];
        else
            target[k] = source[j++];
    }
    return 0;
}

/* Merge sort, with initial runs sorted by insertion. */
static inline int rb_vertices_sort(rb_vertex *vertices, rb_vertex *spare, int64_t n,
                                   PyObject *stop) {
    rb_vertex *source = vertices, *target = spare, *swapped;
    int64_t run, begin, n_moved = 0;
    for (begin = 0; begin < n; begin += RB_INSERT_LINES)
        rb_vertices_insert(vertices + begin,
                           n - begin < RB_INSERT_LINES ? n - begin : RB_INSERT_LINES);
    for (run = RB_INSERT_LINES; run < n; run *= 2) {
        for (begin = 0; begin < n; begin += 2 * run) {
            const int64_t rest = n - begin;
            if (rb_vertices_merge(source + begin, target + begin, run < rest ? run : rest,
                                  2 * run < rest ? 2 * run : rest, stop)
                < 0)
                return -1;
            n_moved += 2 * run;
            if (n_moved >= RB_POLL_TOKENS) {
                n_moved = 0;
                if (rb_poll_without_gil(stop) < 0) return -1;
            }
        }
        swapped = source;
        source = target;
        target = swapped;
    }
    if (source != vertices) memcpy(vertices, source, (size_t)n * sizeof *vertices);
    return 0;
}

/* The x at which two lines cross, or 0 if they are parallel. */
static inline double rb_cross(const rb_vertex *a, const rb_vertex *b) {
    return a->slope != b->slope ? (a->intercept - b->intercept) / (b->slope - a->slope) : 0.0;
}

/* Reduce sorted lines to their envelope. */
static inline int64_t rb_vertices_stack(rb_vertex *vertices, int64_t n, int moses) {
    double x = 0.0;
    int64_t i, height = 0;
    for (i = 0; i < n; i++) {
        rb_vertex added = vertices[i];
        if (height > 0 && vertices[height - 1].slope == added.slope) {
            rb_vertex *top = vertices + height - 1;
            if (moses && top->intercept == added.intercept && top->begin > -INFINITY)
                top->line = added.line;
            continue;
        }
        for (; height > 0; height--) {
            x = rb_cross(vertices + height - 1, &added);
            if (x > vertices[height - 1].begin) break;
        }
        if (height == 0) x = -INFINITY;
        if (x < INFINITY) {
            added.begin = x;
            vertices[height++] = added;
        }
    }
    return height;
}

/* Lower bound, after rounding, of a line at x that equals a good one there. */
static inline double rb_reach(const rb_vertex *good, double x, double widest, double deepest) {
    return good->intercept + good->slope * x
         - 64 * DBL_EPSILON * (widest * fabs(x) + deepest);
}

/* Keep the lines that may be on the envelope, given five good ones: the line that is highest at 0,
 * the first and the last, and those that are highest where these cross. On either side of the
 * middle, a line of the envelope reaches the two neighbors of its slope where these cross. */
static inline int64_t rb_vertices_thin(rb_vertex *vertices, int64_t n) {
    int64_t first = 0, middle = 0, last = 0, i, m = 0, best[2];
    double x[2], top[2];
    double x_out[2], y_out[2], x_in[2], y_in[2]; /* of the outer and the inner crossing */
    double widest, deepest = 0.0, at_out, at_in, slope;
    int side;
    for (i = 1; i < n; i++) {
        if (vertices[i].slope < vertices[first].slope) first = i;
        if (vertices[i].slope > vertices[last].slope) last = i;
        if (vertices[i].intercept > vertices[middle].intercept) middle = i;
    }
    for (i = 0; i < n; i++) deepest += fabs(vertices[i].intercept);
    slope = vertices[middle].slope;
    widest = fabs(vertices[first].slope) + fabs(vertices[last].slope);
    x[0] = rb_cross(vertices + first, vertices + middle);
    x[1] = rb_cross(vertices + middle, vertices + last);
    best[0] = best[1] = middle;
    top[0] = top[1] = -INFINITY;
    for (i = 0; i < n; i++) {
        side = vertices[i].slope > slope;
        at_in = vertices[i].intercept + vertices[i].slope * x[side];
        if (at_in > top[side]) {
            top[side] = at_in;
            best[side] = i;
        }
    }
    for (side = 0; side < 2; side++) {
        const rb_vertex *good = vertices + best[side];
        x_out[side] = rb_cross(vertices + (side ? last : first), good);
        x_in[side] = rb_cross(good, vertices + middle);
        y_out[side] = rb_reach(good, x_out[side], widest, deepest);
        y_in[side] = rb_reach(good, x_in[side], widest, deepest);
    }
    for (i = 0; i < n; i++) {
        side = vertices[i].slope > slope;
        at_out = vertices[i].intercept + vertices[i].slope * x_out[side];
        at_in = vertices[i].intercept + vertices[i].slope * x_in[side];
        vertices[m] = vertices[i];
        m += !(at_out < y_out[side]) | !(at_in < y_in[side]);
    }
    return m;
}

/* Write the lines of the envelope from left to right and return their number; -1 with an exception
 * set. `kept` has room for n_padded, `vertices` for twice as many. The first of equal lines is
 * taken; with `moses` the last, except on the leftmost interval. */
static inline int64_t rb_upper_envelope(const rb_lines *lines, const rb_sweeper *sweeper,
                                        uint32_t *kept, rb_vertex *vertices, int moses,
                                        PyObject *stop) {
    const ptrdiff_t n_padded = (ptrdiff_t)lines->n_padded;
    rb_extremes extremes;
    rb_sieve sieve;
    ptrdiff_t i, n_kept;
    int64_t n = 0;
    sweeper->extremes(lines->intercepts, lines->slopes, n_padded, &extremes);
    rb_sieve_make(&extremes, lines->depth, lines->exact_slopes != NULL, &sieve);
    n_kept = sweeper->sift(lines->intercepts, lines->slopes, n_padded, &sieve, kept);
    for (i = 0; i < n_kept; i++) {
        const int64_t k = kept[i];
        if (k >= lines->n) continue;
        vertices[n].line = k;
        vertices[n].intercept = lines->exact_intercepts[k];
        vertices[n].slope =
            lines->exact_slopes != NULL ? lines->exact_slopes[k] : (double)lines->slopes[k];
        n++;
    }
    if (n > RB_FEW_LINES) n = rb_vertices_thin(vertices, n);
    if (n <= RB_INSERT_LINES)
        rb_vertices_insert(vertices, n);
    else if (rb_vertices_sort(vertices, vertices + n, n, stop) < 0)
        return -1;
    return rb_vertices_stack(vertices, n, moses);
}

#endif
