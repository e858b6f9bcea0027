/* Rows of an edit distance: from the distances of the row above to those of a row.
 *
 *     row[j] = min(above[j - 1] + (word != ref[j]), above[j] + 1, row[j - 1] + 1)
 *
 * or, from the end, to those of a row from the row below.  The last term makes each cell wait for the
 * one before it.  AVX2 form: row[j] - j is the lowest of what the other two terms less j are up to
 * there, so that eight cells are three steps of a prefix minimum.  NEON form: four cells, two steps. */
#ifndef RAPIDBLEU_MOVES_BEAM_ROWS_H
#define RAPIDBLEU_MOVES_BEAM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "common/cpu.h"

#define RB_BEAM_FAR (1 << 29) /* out of reach; the sum of two is 32 bits */
#define RB_BEAM_BEYOND 7      /* cells of no use that are read and written */

/* Fill in `n` cells, at least one, next to one of distance `edge`; the last cell filled in.
 *
 * Down, the edge is in front of the cells, and `from` is the row above; up, it is behind them, `from` is
 * the row below, and each cell is of those below it and to its right.  One cell of `from` beyond those
 * on the side of the edge is there too.  Up to RB_BEAM_BEYOND more cells on the other side are read of
 * ref and from, and written of row. */
typedef int32_t (*rb_beam_row_fn)(const int32_t *ref, ptrdiff_t n, int32_t word, const int32_t *from,
                                  int32_t edge, int32_t *row);

typedef struct {
    rb_beam_row_fn down;
    rb_beam_row_fn up;
} rb_beam_rows;

static int32_t rb_beam_down_portable(const int32_t *ref, ptrdiff_t n, int32_t word,
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

static int32_t rb_beam_up_portable(const int32_t *ref, ptrdiff_t n, int32_t word,
                                   const int32_t *below, int32_t right, int32_t *row) {
    ptrdiff_t j;
    for (j = n - 1; j >= 0; j--) {
        const int32_t across = below[j + 1] + (word != ref[j]), down = below[j] + 1;
        const int32_t best = across < down ? across : down;
        right += 1;
        right = best < right ? best : right;
        row[j] = right;
    }
    return right;
}

#if RB_HAVE_V3
/* The lowest of lanes 0, ..., k in lane k. */
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

RB_V3 static int32_t rb_beam_down_v3(const int32_t *ref, ptrdiff_t n, int32_t word,
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

/* The lowest of lanes k, ..., 7 in lane k. */
RB_V3 RB_INLINE __m256i rb_suffix_minimum(__m256i x) {
    const __m256i far = _mm256_set1_epi32(RB_BEAM_FAR);
    const __m256i by_one = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
    const __m256i by_two = _mm256_setr_epi32(2, 3, 4, 5, 6, 7, 7, 7);
    x = _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(x, by_one), far, 0x80));
    x = _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(x, by_two), far, 0xc0));
    return _mm256_min_epi32(
        x, _mm256_blend_epi32(_mm256_permute4x64_epi64(x, 0xee), far, 0xf0));
}

RB_V3 static int32_t rb_beam_up_v3(const int32_t *ref, ptrdiff_t n, int32_t word,
                                   const int32_t *below, int32_t right, int32_t *row) {
    const __m256i words = _mm256_set1_epi32(word), one = _mm256_set1_epi32(1);
    const __m256i places = _mm256_setr_epi32(8, 7, 6, 5, 4, 3, 2, 1);
    __m256i before = _mm256_set1_epi32(right);
    ptrdiff_t j;
    for (j = n - 8; j > -8; j -= 8) {
        const __m256i same = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(ref + j)), words);
        const __m256i across = _mm256_add_epi32(
            _mm256_loadu_si256((const __m256i *)(below + j + 1)), _mm256_add_epi32(same, one));
        const __m256i down =
            _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(below + j)), one);
        const __m256i least = rb_suffix_minimum(
            _mm256_sub_epi32(_mm256_min_epi32(across, down), places));
        const __m256i cells = _mm256_add_epi32(_mm256_min_epi32(least, before), places);
        _mm256_storeu_si256((__m256i *)(row + j), cells);
        before = _mm256_broadcastd_epi32(_mm256_castsi256_si128(cells));
    }
    return row[0];
}
#endif

#if RB_HAVE_NEON
static int32_t rb_beam_down_neon(const int32_t *ref, ptrdiff_t n, int32_t word,
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

static int32_t rb_beam_up_neon(const int32_t *ref, ptrdiff_t n, int32_t word,
                               const int32_t *below, int32_t right, int32_t *row) {
    static const int32_t each[4] = {4, 3, 2, 1};
    const int32x4_t words = vdupq_n_s32(word), far = vdupq_n_s32(RB_BEAM_FAR);
    const int32x4_t places = vld1q_s32(each), ahead = vsubq_s32(places, vdupq_n_s32(1));
    int32x4_t before = vdupq_n_s32(right);
    ptrdiff_t j;
    for (j = n - 4; j > -4; j -= 4) {
        const int32x4_t same = vreinterpretq_s32_u32(vceqq_s32(vld1q_s32(ref + j), words));
        const int32x4_t across = vaddq_s32(vld1q_s32(below + j + 1), same);
        int32x4_t least = vsubq_s32(vminq_s32(across, vld1q_s32(below + j)), ahead), cells;
        least = vminq_s32(least, vextq_s32(least, far, 1));
        least = vminq_s32(least, vextq_s32(least, far, 2));
        cells = vaddq_s32(vminq_s32(least, before), places);
        vst1q_s32(row + j, cells);
        before = vdupq_laneq_s32(cells, 0);
    }
    return row[0];
}
#endif

static inline rb_beam_rows rb_beam_rows_select(void) {
    rb_beam_rows rows = {rb_beam_down_portable, rb_beam_up_portable};
#if RB_HAVE_V3
    if (rb_use_v3()) {
        rows.down = rb_beam_down_v3;
        rows.up = rb_beam_up_v3;
    }
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) {
        rows.down = rb_beam_down_neon;
        rows.up = rb_beam_up_neon;
    }
#endif
    return rows;
}

#endif
