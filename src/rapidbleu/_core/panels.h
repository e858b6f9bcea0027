/* Sums of rows that lie in panels: 16 lanes of 16 bits for each segment, as four words.
 *
 * A lane holds less than 2**RB_LANE_BITS, so the sum of RB_LANE_ROWS lanes fits in 16 bits, and rows
 * are added a word at a time without a carry from lane to lane, in the portable form too; then the
 * lanes of the sum are widened. */
#ifndef RAPIDBLEU_PANELS_H
#define RAPIDBLEU_PANELS_H

#include <stdint.h>
#include <string.h>
#include "common/cpu.h"

#define RB_LANES 16
#define RB_PANEL_WORDS 4
#define RB_LANE_BITS 11
#define RB_LANE_ROWS 32
#define RB_TABLE_WORDS (256 * RB_PANEL_WORDS) /* of the sums of all subsets of 8 rows */

typedef struct {
    /* Add the rows of n indices, at most 2**20, to sums. */
    void (*gather)(const uint64_t *panel, const int32_t *indices, int64_t n, int64_t *sums);
    /* Add the sum of the subset of 32 rows that a mask names to the sums of each of n trials. */
    void (*select)(const uint64_t *tables, const uint32_t *masks, int64_t n, uint32_t *sums);
} rb_summer;

static inline void rb_lanes_add(uint32_t *sums, const uint64_t *words) {
    uint16_t lanes[RB_LANES];
    int k;
    memcpy(lanes, words, sizeof lanes);
    for (k = 0; k < RB_LANES; k++) sums[k] += lanes[k];
}

static void rb_gather_portable(const uint64_t *panel, const int32_t *indices, int64_t n,
                               int64_t *sums) {
    uint32_t totals[RB_LANES] = {0};
    int k;
    while (n > 0) {
        int64_t m = n < RB_LANE_ROWS ? n : RB_LANE_ROWS, i;
        uint64_t a = 0, b = 0, c = 0, d = 0, words[RB_PANEL_WORDS];
        for (i = 0; i < m; i++) {
            const uint64_t *row = panel + (int64_t)indices[i] * RB_PANEL_WORDS;
            a += row[0];
            b += row[1];
            c += row[2];
            d += row[3];
        }
        words[0] = a;
        words[1] = b;
        words[2] = c;
        words[3] = d;
        rb_lanes_add(totals, words);
        indices += m;
        n -= m;
    }
    for (k = 0; k < RB_LANES; k++) sums[k] += totals[k];
}

/* Make four tables of the sums of all subsets of 8 rows, of 32 rows. */
static inline void rb_tabulate(const uint64_t *rows, uint64_t *tables) {
    int t, j, i, k;
    for (t = 0; t < 4; t++, tables += RB_TABLE_WORDS) {
        for (k = 0; k < RB_PANEL_WORDS; k++) tables[k] = 0;
        for (j = 0; j < 8; j++, rows += RB_PANEL_WORDS) {
            uint64_t *with = tables + (RB_PANEL_WORDS << j);
            for (i = 0; i < RB_PANEL_WORDS << j; i += RB_PANEL_WORDS)
                for (k = 0; k < RB_PANEL_WORDS; k++) with[i + k] = tables[i + k] + rows[k];
        }
    }
}

static void rb_select_portable(const uint64_t *tables, const uint32_t *masks, int64_t n,
                               uint32_t *sums) {
    int64_t i;
    int k;
    for (i = 0; i < n; i++, sums += RB_LANES) {
        uint32_t mask = masks[i];
        const uint64_t *a = tables + (mask & 255) * RB_PANEL_WORDS;
        const uint64_t *b = tables + RB_TABLE_WORDS + (mask >> 8 & 255) * RB_PANEL_WORDS;
        const uint64_t *c = tables + 2 * RB_TABLE_WORDS + (mask >> 16 & 255) * RB_PANEL_WORDS;
        const uint64_t *d = tables + 3 * RB_TABLE_WORDS + (mask >> 24) * RB_PANEL_WORDS;
        uint64_t words[RB_PANEL_WORDS];
        for (k = 0; k < RB_PANEL_WORDS; k++) words[k] = a[k] + b[k] + c[k] + d[k];
        rb_lanes_add(sums, words);
    }
}

#if RB_HAVE_V3
RB_V3 RB_INLINE __m256i rb_lanes_load(const uint64_t *words) {
    return _mm256_loadu_si256((const __m256i *)words);
}

RB_V3 RB_INLINE __m256i rb_low_lanes(__m256i lanes) {
    return _mm256_cvtepu16_epi32(_mm256_castsi256_si128(lanes));
}

RB_V3 RB_INLINE __m256i rb_high_lanes(__m256i lanes) {
    return _mm256_cvtepu16_epi32(_mm256_extracti128_si256(lanes, 1));
}

RB_V3 static void rb_gather_v3(const uint64_t *panel, const int32_t *indices, int64_t n,
                               int64_t *sums) {
    __m256i low = _mm256_setzero_si256(), high = low;
    uint32_t totals[RB_LANES];
    int k;
    while (n > 0) {
        int64_t m = n < RB_LANE_ROWS ? n : RB_LANE_ROWS, i = 0;
        __m256i a = _mm256_setzero_si256(), b = a;
        for (; i + 4 <= m; i += 4) {
            a = _mm256_add_epi16(a, rb_lanes_load(panel + (int64_t)indices[i] * RB_PANEL_WORDS));
            b = _mm256_add_epi16(b, rb_lanes_load(panel + (int64_t)indices[i + 1] * RB_PANEL_WORDS));
            a = _mm256_add_epi16(a, rb_lanes_load(panel + (int64_t)indices[i + 2] * RB_PANEL_WORDS));
            b = _mm256_add_epi16(b, rb_lanes_load(panel + (int64_t)indices[i + 3] * RB_PANEL_WORDS));
        }
        for (; i < m; i++)
            a = _mm256_add_epi16(a, rb_lanes_load(panel + (int64_t)indices[i] * RB_PANEL_WORDS));
        a = _mm256_add_epi16(a, b);
        low = _mm256_add_epi32(low, rb_low_lanes(a));
        high = _mm256_add_epi32(high, rb_high_lanes(a));
        indices += m;
        n -= m;
    }
    _mm256_storeu_si256((__m256i *)totals, low);
    _mm256_storeu_si256((__m256i *)(totals + 8), high);
    for (k = 0; k < RB_LANES; k++) sums[k] += totals[k];
}

RB_V3 static void rb_select_v3(const uint64_t *tables, const uint32_t *masks, int64_t n,
                               uint32_t *sums) {
    const uint64_t *second = tables + RB_TABLE_WORDS, *third = second + RB_TABLE_WORDS;
    const uint64_t *fourth = third + RB_TABLE_WORDS;
    int64_t i;
    for (i = 0; i < n; i++, sums += RB_LANES) {
        uint32_t mask = masks[i];
        __m256i *low = (__m256i *)sums, *high = (__m256i *)(sums + 8);
        __m256i a = rb_lanes_load(tables + (mask & 255) * RB_PANEL_WORDS);
        __m256i b = rb_lanes_load(second + (mask >> 8 & 255) * RB_PANEL_WORDS);
        __m256i c = rb_lanes_load(third + (mask >> 16 & 255) * RB_PANEL_WORDS);
        __m256i d = rb_lanes_load(fourth + (mask >> 24) * RB_PANEL_WORDS);
        a = _mm256_add_epi16(_mm256_add_epi16(a, b), _mm256_add_epi16(c, d));
        _mm256_storeu_si256(low, _mm256_add_epi32(_mm256_loadu_si256(low), rb_low_lanes(a)));
        _mm256_storeu_si256(high, _mm256_add_epi32(_mm256_loadu_si256(high), rb_high_lanes(a)));
    }
}
#endif

static inline rb_summer rb_summer_select(void) {
    rb_summer summer = {rb_gather_portable, rb_select_portable};
#if RB_HAVE_V3
    if (rb_use_v3()) {
        summer.gather = rb_gather_v3;
        summer.select = rb_select_v3;
    }
#endif
    return summer;
}

#endif
