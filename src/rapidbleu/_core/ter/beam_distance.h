/* Edit distance of two texts within a beam around the diagonal, and of variants of the hypothesis.
 * Row i contains the distances of the hypothesis's first i tokens to the first j of the reference,
 * for each j that differs by at most `width` from i times the ratio of the lengths; everything else
 * is out of reach. The width is 25, or more if the reference is so much longer that rows would not
 * meet. This is the beam of sacrebleu's TER; for texts that differ by more, neither distance is
 * Levenshtein's. All edits cost the same; among equally good paths to a cell, the alignment prefers
 * the diagonal, then skipping a token of the hypothesis, then one of the reference.
 *
 * A search needs the distances of many variants that differ from the text in one stretch of tokens.
 * So there are two tables: from the beginning to each cell, and from each cell to the end. A
 * variant only needs the rows of its stretch and the best sum over the row where the stretch ends.
 * The distance within a beam is a shortest path through its cells, so the sum is exact. A cache of
 * prefixes, the alternative, would restart at the first different token and process the whole rest
 * of the text for each variant.
 *
 * Memory, provided by the caller: up to 53 cells of 4 bytes per hypothesis token and table, plus
 * one cell per reference token. Every row has one unreachable cell on either side, so steps need
 * not test for the edge of the beam. A cell takes a nanosecond. */
#ifndef RAPIDBLEU_TER_BEAM_DISTANCE_H
#define RAPIDBLEU_TER_BEAM_DISTANCE_H

#include "common/cpu.h"
#include "ter/numbered_pair.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of an edit distance, each from the row above:
 *
 *     row[j] = min(above[j - 1] + (word != ref[j]), above[j] + 1, row[j - 1] + 1)
 *
 * The last term makes each cell wait for its predecessor. AVX2 form: row[j] - j is the running
 * minimum of the other two terms minus j, so eight cells take three steps of a prefix minimum. NEON
 * form: four cells, two steps. */
#define RB_BEAM_FAR (1 << 29) /* out of reach; the sum of two fits 32 bits */
#define RB_BEAM_BEYOND 7      /* unused cells that are read and written */

/* Fill in `n` cells, at least one, after a cell of distance `left`, and return the last one.
 * `above` is the row above, with one more cell before. Up to RB_BEAM_BEYOND more cells are read of
 * ref and above, and written of row. */
typedef int32_t (*rb_beam_row_fn)(const int32_t *ref, ptrdiff_t n, int32_t word,
                                  const int32_t *above, int32_t left, int32_t *row);

static int32_t rb_beam_row_portable(const int32_t *ref, ptrdiff_t n, int32_t word,
                                    const int32_t *above, int32_t left, int32_t *row) {
    ptrdiff_t j;
    for (j = 0; j < n; j++) {
        const int32_t across = above[j - 1] + (word != ref[j]), down = above[j] + 1;
        const int32_t best = across < down ? across : down;
        left += 1;
        left = best < left ? best : left;
        row[j] = left;
    }
    return left;
}

#if RB_HAVE_V3
/* The minimum of lanes 0, ..., k in lane k. */
RB_V3 RB_INLINE __m256i rb_prefix_minimum(__m256i x) {
    const __m256i far = _mm256_set1_epi32(RB_BEAM_FAR);
    const __m256i by_one = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
    const __m256i by_two = _mm256_setr_epi32(0, 0, 0, 1, 2, 3, 4, 5);
    x = _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(x, by_one), far, 0x01));
    x = _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(x, by_two), far, 0x03));
    return _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permute4x64_epi64(x, 0x44), far, 0x0f));
}

RB_V3 static int32_t rb_beam_row_v3(const int32_t *ref, ptrdiff_t n, int32_t word,
                                    const int32_t *above, int32_t left, int32_t *row) {
    const __m256i words = _mm256_set1_epi32(word), one = _mm256_set1_epi32(1);
    const __m256i places = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8);
    const __m256i last = _mm256_set1_epi32(7);
    __m256i before = _mm256_set1_epi32(left);
    ptrdiff_t j;
    for (j = 0; j < n; j += 8) {
        const __m256i same = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(ref + j)), words);
        const __m256i across = _mm256_add_epi32(
            _mm256_loadu_si256((const __m256i *)(above + j - 1)), _mm256_add_epi32(same, one));
        const __m256i down =
            _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(above + j)), one);
        const __m256i least = rb_prefix_minimum(
            _mm256_sub_epi32(_mm256_min_epi32(across, down), places));
        const __m256i cells = _mm256_add_epi32(_mm256_min_epi32(least, before), places);
        _mm256_storeu_si256((__m256i *)(row + j), cells);
        before = _mm256_permutevar8x32_epi32(cells, last);
    }
    return row[n - 1];
}
#endif

#if RB_HAVE_NEON
static int32_t rb_beam_row_neon(const int32_t *ref, ptrdiff_t n, int32_t word,
                                 const int32_t *above, int32_t left, int32_t *row) {
    static const int32_t each[4] = {1, 2, 3, 4};
    const int32x4_t words = vdupq_n_s32(word), far = vdupq_n_s32(RB_BEAM_FAR);
    const int32x4_t places = vld1q_s32(each), ahead = vsubq_s32(places, vdupq_n_s32(1));
    int32x4_t before = vdupq_n_s32(left);
    ptrdiff_t j;
    for (j = 0; j < n; j += 4) {
        const int32x4_t same = vreinterpretq_s32_u32(vceqq_s32(vld1q_s32(ref + j), words));
        const int32x4_t across = vaddq_s32(vld1q_s32(above + j - 1), same);
        int32x4_t least = vsubq_s32(vminq_s32(across, vld1q_s32(above + j)), ahead), cells;
        least = vminq_s32(least, vextq_s32(far, least, 3));
        least = vminq_s32(least, vextq_s32(far, least, 2));
        cells = vaddq_s32(vminq_s32(least, before), places);
        vst1q_s32(row + j, cells);
        before = vdupq_laneq_s32(cells, 3);
    }
    return row[n - 1];
}
#endif

static inline rb_beam_row_fn rb_beam_row_select(void) {
#if RB_HAVE_V3
    if (rb_use_v3()) return rb_beam_row_v3;
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) return rb_beam_row_neon;
#endif
    return rb_beam_row_portable;
}

enum {
    RB_BEAM_LEAST_WIDTH = 25
};

typedef struct {
    rb_pair *pair;
    double ratio;        /* of the lengths: the slope of the beam */
    int64_t width;       /* of the beam on either side */
    int64_t stride;      /* from a row to the next */
    int32_t *first_row;  /* distances from the beginning, for no token of hyp */
    int32_t *forward;    /* [n_hyp][stride] distances from the beginning */
    int32_t *backward;   /* [n_hyp][stride] and to the end: of both texts read backward */
    int32_t *spare;      /* [2][stride] */
    int32_t *mirrored;   /* [n_ref] tokens of ref from the last to the first */
    int32_t *begins;     /* [n_hyp + 1] first cell of each row within the beam */
    int32_t *ends;       /* [n_hyp + 1] end of its cells */
    rb_beam_row_fn fill; /* computes a row */
} rb_beam;

/* The cells of a row within the beam. */
typedef struct {
    int64_t begin, end;
} rb_beam_span;

static inline int64_t rb_beam_width(double ratio) {
    if (RB_BEAM_LEAST_WIDTH < ratio / 2) return (int64_t)ceil(ratio / 2 + RB_BEAM_LEAST_WIDTH);
    return RB_BEAM_LEAST_WIDTH;
}

static inline double rb_beam_ratio(int64_t n_hyp, int64_t n_ref) {
    return n_hyp > 0 ? (double)n_ref / (double)n_hyp : 1.0;
}

/* Cells of the widest row, including unreachable and unused ones. */
static inline int64_t rb_beam_stride(int64_t n_ref, int64_t width) {
    return 2 + RB_BEAM_BEYOND + (n_ref + 1 < 2 * width + 1 ? n_ref + 1 : 2 * width + 1);
}

static inline int64_t rb_beam_words(int64_t n_hyp, int64_t n_ref) {
    const int64_t stride = rb_beam_stride(n_ref, rb_beam_width(rb_beam_ratio(n_hyp, n_ref)));
    return (2 * n_hyp + 2 + (2 * n_ref + 3) + 2 * RB_BEAM_BEYOND + (2 * n_hyp + 2) * stride + 1) / 2;
}

static inline void rb_beam_init(rb_beam *b, uint64_t *memory, rb_pair *pair, rb_beam_row_fn fill) {
    const int64_t n_hyp = pair->n_hyp, n_ref = pair->n_ref;
    int64_t i, j;
    b->pair = pair;
    b->ratio = rb_beam_ratio(n_hyp, n_ref);
    b->width = rb_beam_width(b->ratio);
    b->stride = rb_beam_stride(n_ref, b->width);
    b->first_row = (int32_t *)memory;
    b->forward = b->first_row + n_ref + 3 + RB_BEAM_BEYOND;
    b->backward = b->forward + n_hyp * b->stride;
    b->spare = b->backward + n_hyp * b->stride;
    b->first_row[0] = b->first_row[n_ref + 2] = RB_BEAM_FAR;
    for (j = 0; j <= n_ref; j++) b->first_row[j + 1] = (int32_t)j;
    b->begins = b->spare + 2 * b->stride;
    b->ends = b->begins + n_hyp + 1;
    b->mirrored = b->ends + n_hyp + 1;
    for (j = 0; j < n_ref; j++) b->mirrored[j] = pair->ref[n_ref - 1 - j];
    b->fill = fill;
    for (i = 0; i <= n_hyp; i++) { /* the first row is whole, the last one to the right */
        const int64_t middle = (int64_t)((double)i * b->ratio);
        const int whole = i == 0 || i == n_hyp || middle + b->width > n_ref;
        b->begins[i] = (int32_t)(i > 0 && middle > b->width ? middle - b->width : 0);
        b->ends[i] = (int32_t)(whole ? n_ref + 1 : middle + b->width);
    }
}

static inline rb_beam_span rb_beam_span_of(const rb_beam *b, int64_t i) {
    const rb_beam_span span = {b->begins[i], b->ends[i]};
    return span;
}

/* The same with the cells counted from the last one. */
static inline rb_beam_span rb_beam_mirrored_span(const rb_beam *b, int64_t i) {
    const int64_t n_cells = b->pair->n_ref + 1;
    const rb_beam_span span = {n_cells - b->ends[i], n_cells - b->begins[i]};
    return span;
}

/* Distances of row i from the beginning: cell j is at [j - begins[i] + 1]. */
static inline int32_t *rb_beam_forward_row(const rb_beam *b, int64_t i) {
    return i > 0 ? b->forward + (i - 1) * b->stride : b->first_row;
}

/* Distances of row i to the end: cell j is at [ends[i] - j]. */
static inline int32_t *rb_beam_backward_row(const rb_beam *b, int64_t i) {
    return b->backward + (b->pair->n_hyp - i) * b->stride;
}

/* Compute a row for the hypothesis token `word` from the row before. */
static inline void rb_beam_next_row(const rb_beam *b, const int32_t *ref, int32_t word,
                                    rb_beam_span before, const int32_t *above, rb_beam_span span,
                                    int32_t *row) {
    const int64_t both = span.end < before.end + 1 ? span.end : before.end + 1;
    const int64_t cell = 1 - span.begin, up = 1 - before.begin; /* cell j is at row[cell + j] */
    int32_t left = RB_BEAM_FAR;
    int64_t j = span.begin;
    row[0] = RB_BEAM_FAR;
    if (j == 0) {
        left = row[cell] = above[up] + 1;
        j = 1;
    }
    if (j < both) {
        left = b->fill(ref + j - 1, both - j, word, above + up + j, left, row + cell + j);
        j = both;
    }
    for (; j < span.end; j++) row[cell + j] = ++left;
    row[cell + span.end] = RB_BEAM_FAR;
}

/* Fill the table from the beginning: the distance, or -1. */
static inline int64_t rb_beam_forward(rb_beam *b) {
    const int64_t n_hyp = b->pair->n_hyp, n_ref = b->pair->n_ref;
    int64_t i;
    for (i = 1; i <= n_hyp; i++) {
        rb_beam_next_row(b, b->pair->ref, b->pair->hyp[i - 1], rb_beam_span_of(b, i - 1),
                         rb_beam_forward_row(b, i - 1), rb_beam_span_of(b, i),
                         rb_beam_forward_row(b, i));
        if (rb_pair_worked(b->pair, b->stride) < 0) return -1;
    }
    return rb_beam_forward_row(b, n_hyp)[n_ref - b->begins[n_hyp] + 1];
}

/* Fill the table to the end, from the last row; the hypothesis is not empty. 0 or -1. */
static inline int rb_beam_backward(rb_beam *b) {
    const int64_t n_hyp = b->pair->n_hyp;
    const rb_beam_span last = rb_beam_mirrored_span(b, n_hyp);
    int32_t *row = rb_beam_backward_row(b, n_hyp);
    int64_t i, j;
    row[0] = row[last.end + 1] = RB_BEAM_FAR;
    for (j = 0; j < last.end; j++) row[j + 1] = (int32_t)j; /* it reaches the end of ref */
    for (i = n_hyp - 1; i > 0; i--) {
        rb_beam_next_row(b, b->mirrored, b->pair->hyp[i], rb_beam_mirrored_span(b, i + 1),
                         rb_beam_backward_row(b, i + 1), rb_beam_mirrored_span(b, i),
                         rb_beam_backward_row(b, i));
        if (rb_pair_worked(b->pair, b->stride) < 0) return -1;
    }
    return 0;
}

static inline int32_t rb_beam_forward_cell(const rb_beam *b, int64_t i, int64_t j) {
    if (j < b->begins[i] || j >= b->ends[i]) return RB_BEAM_FAR;
    return rb_beam_forward_row(b, i)[j - b->begins[i] + 1];
}

RB_INLINE char rb_beam_last_step(const void *table, const rb_pair *p, int64_t i, int64_t j) {
    const rb_beam *b = (const rb_beam *)table;
    const int32_t here = rb_beam_forward_cell(b, i, j);
    if (i > 0 && j > 0) {
        const int32_t differ = p->hyp[i - 1] != p->ref[j - 1];
        if (here == rb_beam_forward_cell(b, i - 1, j - 1) + differ) return differ ? 'S' : '=';
    }
    return i > 0 && (j == 0 || here == rb_beam_forward_cell(b, i - 1, j) + 1) ? 'I' : 'D';
}

RB_INLINE int64_t rb_beam_walk(const rb_beam *b, char *end) {
    return rb_pair_walk(b->pair, rb_beam_last_step, b, end);
}

/* Distance with tokens [begin, end), not empty, replaced by `words`, by both tables; or -1. */
static inline int64_t rb_beam_replaced(rb_beam *b, const int32_t *words, int64_t begin,
                                       int64_t end) {
    const int32_t *above = rb_beam_forward_row(b, begin);
    const int32_t *rest = rb_beam_backward_row(b, end);
    const int64_t n = b->ends[end] - b->begins[end];
    int32_t best = RB_BEAM_FAR;
    int64_t i, k;
    for (i = begin + 1; i <= end; i++) {
        int32_t *row = b->spare + (i & 1) * b->stride;
        rb_beam_next_row(b, b->pair->ref, words[i - 1 - begin], rb_beam_span_of(b, i - 1), above,
                         rb_beam_span_of(b, i), row);
        above = row;
    }
    for (k = 1; k <= n; k++) {
        const int32_t through = above[k] + rest[n + 1 - k];
        best = through < best ? through : best;
    }
    return rb_pair_worked(b->pair, (end - begin + 1) * b->stride) < 0 ? -1 : best;
}

#endif
