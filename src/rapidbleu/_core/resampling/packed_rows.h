/* Rows of statistics packed for sums of many selections of rows: 16 columns in 32 bytes. Bootstrap
 * and randomization add rows up thousands of times, at the cost of loading them: as int64, BLEU's
 * row is 80 bytes, and a test set of 3,004 segments exceeds the nearest cache. But counts of a
 * segment are small. A column gets a lane of 16 bits if its largest count fits 11 bits; larger
 * counts are split into pieces of 11 bits, a lane each, so any int64 fits and all sums are exact.
 * Equal columns share lanes: all systems have the same references, whose lengths are a quarter of
 * the columns of 16 systems under BLEU and chrF.
 *
 * 16 lanes, four words, are a row of a panel. Columns of several parts (systems or metrics) are
 * adjacent, so they share the draws. Memory is 2 bytes a lane and segment.
 *
 * With one panel, the row of each draw is gathered: a word at a time is added without carries
 * between lanes, even in the portable form, 32 rows before a lane could overflow. With more panels,
 * which exceed the nearest caches, gathering waits for memory. There a resample is a tally: how
 * often each row is drawn, as int16. Its sums are the product of the tally and each panel, whose
 * rows are read in order, for several tallies at once; with AVX2, two rows of eight lanes are one
 * instruction (the products of adjacent int16 are added as int32). 16 systems take 0.4 of the time.
 * Without AVX2, the products take three times as long. */
#ifndef RAPIDBLEU_RESAMPLING_PACKED_ROWS_H
#define RAPIDBLEU_RESAMPLING_PACKED_ROWS_H

#include "common/cpu.h"
#include "common/memory.h"
#include "common/signals.h"
#include <stdint.h>
#include <string.h>

#define RB_LANES 16
#define RB_PANEL_WORDS 4
#define RB_PANEL_BLOCK 32 /* panels have a multiple of it, padded with zeros, in rows */
#define RB_LANE_BITS 11
#define RB_LANE_ROWS 32
#define RB_TALLIES 4 /* multiplied together */
#define RB_TABLE_WORDS (256 * RB_PANEL_WORDS) /* sums of all subsets of 8 rows */

typedef struct {
    int64_t first;       /* columns of the parts before its own */
    int64_t width;       /* columns of its part */
    int64_t column;      /* in its part */
    int64_t lane;        /* shared with the pieces of equal columns */
    int shift;           /* position of its lowest bit in the count */
    uint64_t hash;       /* of the column */
    const int64_t *rows; /* of its part, valid until the panels are filled */
} rb_piece;

typedef struct {
    int64_t n_segments; /* at least 1 */
    int64_t n_columns;  /* of all parts */
    int64_t n_pieces;
    int64_t piece_capacity;
    int64_t n_lanes;
    int64_t n_panels;
    int64_t n_rows; /* of a panel */
    int64_t most;   /* maximum of a count */
    rb_piece *pieces;
    uint64_t *words; /* [n_panels][n_rows][RB_PANEL_WORDS] */
} rb_packed_rows;

/* Initialize without parts; must be freed even after an error. */
static inline void rb_packed_rows_init(rb_packed_rows *p, int64_t n_segments) {
    memset(p, 0, sizeof *p);
    p->n_segments = n_segments;
    p->most = INT64_MAX / n_segments;
    p->n_rows = (n_segments + RB_PANEL_BLOCK - 1) / RB_PANEL_BLOCK * RB_PANEL_BLOCK;
}

static inline void rb_packed_rows_free(rb_packed_rows *p) {
    PyMem_RawFree(p->pieces);
    PyMem_RawFree(p->words);
    memset(p, 0, sizeof *p);
}

/* Raise ValueError for a count too large for sums of all segments; returns -1. */
static inline int rb_packed_rows_refuse(int64_t count, int64_t column) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Format(PyExc_ValueError,
                 "rows: expected counts whose sums are below 2**63; got %lld in column %lld",
                 (long long)count, (long long)column);
    PyGILState_Release(state);
    return -1;
}

/* The first piece of an earlier column that is equal, or -1. */
static inline int64_t rb_packed_rows_find(const rb_packed_rows *p, const int64_t *rows,
                                          int64_t width, int64_t column, uint64_t hash) {
    int64_t k, i;
    for (k = 0; k < p->n_pieces; k++) {
        const rb_piece *piece = &p->pieces[k];
        if (piece->shift || piece->hash != hash) continue;
        for (i = 0; i < p->n_segments; i++)
            if (rows[i * width + column] != piece->rows[i * piece->width + piece->column]) break;
        if (i == p->n_segments) return k;
    }
    return -1;
}

/* Assign lanes to the columns of a part, which must exist until the panels are filled. 0 or -1. */
static inline int rb_packed_rows_add_part(rb_packed_rows *p, const int64_t *rows, int64_t width) {
    const int64_t n = p->n_segments;
    int64_t column, i;
    for (column = 0; column < width; column++) {
        int64_t largest = 0, equal;
        uint64_t hash = 0;
        int shift = 0;
        if (rb_poll_without_gil(NULL) < 0) return -1;
        for (i = 0; i < n; i++) {
            const int64_t count = rows[i * width + column];
            if (count > largest) largest = count;
            hash = (hash ^ (uint64_t)count) * UINT64_C(0x9e3779b97f4a7c15);
        }
        if (largest > p->most) return rb_packed_rows_refuse(largest, column);
        equal = rb_packed_rows_find(p, rows, width, column, hash);
        do {
            rb_piece *piece;
            if (p->n_pieces == p->piece_capacity
                && rb_grow((void **)&p->pieces, &p->piece_capacity, p->n_pieces + 1,
                           sizeof(rb_piece))
                       < 0)
                return -1;
            piece = &p->pieces[p->n_pieces++];
            piece->first = p->n_columns;
            piece->width = width;
            piece->column = column;
            piece->lane = equal < 0 ? p->n_lanes++ : p->pieces[equal++].lane;
            piece->shift = shift;
            piece->hash = hash;
            piece->rows = rows;
            shift += RB_LANE_BITS;
        } while (shift < 63 && largest >> shift);
    }
    p->n_columns += width;
    return 0;
}

static inline uint64_t *rb_packed_rows_panel(const rb_packed_rows *p, int64_t i) {
    return p->words + i * p->n_rows * RB_PANEL_WORDS;
}

/* Allocate zeroed panels once all parts are added. 0 or -1. */
static inline int rb_packed_rows_allocate(rb_packed_rows *p) {
    int64_t n;
    p->n_panels = (p->n_lanes + RB_LANES - 1) / RB_LANES;
    n = p->n_panels * p->n_rows * RB_PANEL_WORDS + 1;
    p->words = (uint64_t *)rb_allocate_zeros(n, sizeof(uint64_t));
    return p->words == NULL ? -1 : 0;
}

/* Write all lanes. 0 or -1. */
static inline int rb_packed_rows_fill(rb_packed_rows *p) {
    const int64_t n = p->n_segments;
    int64_t k, i;
    for (k = 0; k < p->n_pieces; k++) {
        const rb_piece *piece = &p->pieces[k];
        const int64_t *column = piece->rows + piece->column;
        uint8_t *out = (uint8_t *)rb_packed_rows_panel(p, piece->lane / RB_LANES);
        out += piece->lane % RB_LANES * 2;
        if (rb_poll_without_gil(NULL) < 0) return -1;
        for (i = 0; i < n; i++) {
            const uint16_t bits = (uint16_t)(column[i * piece->width] >> piece->shift
                                             & ((1 << RB_LANE_BITS) - 1));
            memcpy(out + i * RB_LANES * 2, &bits, 2);
        }
    }
    return 0;
}

/* Index of a piece's count in n totals, with the parts concatenated. */
static inline int64_t rb_packed_rows_place(const rb_packed_rows *p, int64_t piece, int64_t total,
                                           int64_t n) {
    const rb_piece *own = &p->pieces[piece];
    return own->first * n + total * own->width + own->column;
}

typedef struct {
    /* Add the rows of n indices, at most 2**20, to sums. */
    void (*gather)(const uint64_t *panel, const int32_t *indices, int64_t n, int64_t *sums);
    /* Add n rows, an even number, times their counts in RB_TALLIES tallies to sums: [tally][lane].
     * Tallies are `size` apart; the counts of one must add up to at most 2**20. */
    void (*multiply)(const uint64_t *panel, const int16_t *tallies, int64_t size, int64_t n,
                     int64_t *sums);
    /* Add the sum of the subset of 32 rows given by a mask to the sums of each of n trials. */
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

static void rb_multiply_portable(const uint64_t *panel, const int16_t *tallies, int64_t size,
                                 int64_t n, int64_t *sums) {
    int32_t totals[RB_TALLIES][RB_LANES] = {{0}};
    int64_t i;
    int t, k;
    for (i = 0; i < n; i += 2, panel += 2 * RB_PANEL_WORDS) {
        int16_t lanes[2][RB_LANES];
        memcpy(lanes, panel, sizeof lanes);
        for (t = 0; t < RB_TALLIES; t++) {
            const int16_t *counts = tallies + t * size + i;
            for (k = 0; k < RB_LANES; k++)
                totals[t][k] += lanes[0][k] * counts[0] + lanes[1][k] * counts[1];
        }
    }
    for (t = 0; t < RB_TALLIES; t++, sums += RB_LANES)
        for (k = 0; k < RB_LANES; k++) sums[k] += totals[t][k];
}

/* Build four tables of the sums of all subsets of 8 rows, for 32 rows. */
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

/* Add the products of eight lanes of two rows and their counts, twice. */
RB_V3 RB_INLINE void rb_add_products(__m256i *low, __m256i *high, __m256i low_pairs,
                                     __m256i high_pairs, const int16_t *counts) {
    int32_t bits;
    __m256i two;
    memcpy(&bits, counts, sizeof bits);
    two = _mm256_set1_epi32(bits);
    *low = _mm256_add_epi32(*low, _mm256_madd_epi16(low_pairs, two));
    *high = _mm256_add_epi32(*high, _mm256_madd_epi16(high_pairs, two));
}

/* `low` has lanes 0-3 and 8-11, `high` has lanes 4-7 and 12-15. */
RB_V3 RB_INLINE void rb_add_lanes(int64_t *sums, __m256i low, __m256i high) {
    uint32_t totals[RB_LANES];
    int k;
    _mm256_storeu_si256((__m256i *)totals, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(totals + 8), _mm256_permute2x128_si256(low, high, 0x31));
    for (k = 0; k < RB_LANES; k++) sums[k] += totals[k];
}

/* In arrays, GCC 12 would move each sum from register to register. */
RB_V3 static void rb_multiply_v3(const uint64_t *panel, const int16_t *tallies, int64_t size,
                                 int64_t n, int64_t *sums) {
    const int16_t *second = tallies + size, *third = second + size, *fourth = third + size;
    __m256i low1 = _mm256_setzero_si256(), low2 = low1, low3 = low1, low4 = low1;
    __m256i high1 = low1, high2 = low1, high3 = low1, high4 = low1;
    int64_t i;
    for (i = 0; i < n; i += 2) {
        const __m256i row = rb_lanes_load(panel + i * RB_PANEL_WORDS);
        const __m256i next = rb_lanes_load(panel + (i + 1) * RB_PANEL_WORDS);
        const __m256i low = _mm256_unpacklo_epi16(row, next);
        const __m256i high = _mm256_unpackhi_epi16(row, next);
        rb_add_products(&low1, &high1, low, high, tallies + i);
        rb_add_products(&low2, &high2, low, high, second + i);
        rb_add_products(&low3, &high3, low, high, third + i);
        rb_add_products(&low4, &high4, low, high, fourth + i);
    }
    rb_add_lanes(sums, low1, high1);
    rb_add_lanes(sums + RB_LANES, low2, high2);
    rb_add_lanes(sums + 2 * RB_LANES, low3, high3);
    rb_add_lanes(sums + 3 * RB_LANES, low4, high4);
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
    rb_summer summer = {rb_gather_portable, rb_multiply_portable, rb_select_portable};
#if RB_HAVE_V3
    if (rb_use_v3()) {
        summer.gather = rb_gather_v3;
        summer.multiply = rb_multiply_v3;
        summer.select = rb_select_v3;
    }
#endif
    return summer;
}

#endif
