/* One text against up to 32 texts of up to 64 tokens at once. The bit-parallel rows of
 * levenshtein.h and of common subsequences do the same operations for any texts, so each text of a
 * block is a lane: AVX2 computes four lanes in one instruction, NEON two. The table of a block has
 * a row for each different token, with its positions in each lane. Tokens of all texts are numbered
 * once, so a text finds its rows without hashing. */
#ifndef RAPIDBLEU_SCORING_LANES_H
#define RAPIDBLEU_SCORING_LANES_H

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"

#define RB_LANES 32
#define RB_LANE_TOKENS 64

/* For n tokens of a text, whose rows of the table are `rows`: a number for each lane. */
typedef void (*rb_lanes_fn)(const uint64_t *table, const uint32_t *rows, int64_t n, int n_lanes,
                            const int *lengths, int64_t *results);

typedef struct {
    uint32_t *row_of;    /* [numbers of tokens + 1] row in the table; 0 if not in the block */
    int32_t *numbers;    /* of each row */
    uint64_t *table;     /* [n_rows, RB_LANES] */
    uint32_t *rows;      /* of the compared text */
    int64_t row_of_capacity, numbers_capacity, table_capacity, rows_capacity, n_rows;
    int lengths[RB_LANES];
    int n_lanes;
    int64_t results[RB_LANES];
    rb_lanes_fn distances, subsequences;
} rb_lanes;

RB_INLINE uint64_t rb_lane_bits(int length) {
    return length == 0 ? 0 : UINT64_MAX >> (RB_LANE_TOKENS - length);
}

static void rb_lane_distances_portable(const uint64_t *table, const uint32_t *rows, int64_t n,
                                       int n_lanes, const int *lengths, int64_t *results) {
    int64_t i;
    int lane;
    for (lane = 0; lane < n_lanes; lane++) {
        uint64_t vp = UINT64_MAX, vn = 0;
        for (i = 0; i < n; i++) {
            const uint64_t x = table[(size_t)rows[i] * RB_LANES + lane];
            const uint64_t d0 = (((x & vp) + vp) ^ vp) | x | vn;
            const uint64_t hp = (vn | ~(d0 | vp)) << 1 | 1, hn = (vp & d0) << 1;
            vp = hn | ~(d0 | hp);
            vn = hp & d0;
        }
        results[lane] = n + rb_popcount(vp & rb_lane_bits(lengths[lane]))
                      - rb_popcount(vn & rb_lane_bits(lengths[lane]));
    }
}

static void rb_lane_subsequences_portable(const uint64_t *table, const uint32_t *rows, int64_t n,
                                          int n_lanes, const int *lengths, int64_t *results) {
    int64_t i;
    int lane;
    for (lane = 0; lane < n_lanes; lane++) {
        uint64_t same = UINT64_MAX;
        for (i = 0; i < n; i++) {
            const uint64_t taken = same & table[(size_t)rows[i] * RB_LANES + lane];
            same = (same + taken) | (same - taken);
        }
        results[lane] = rb_popcount(~same & rb_lane_bits(lengths[lane]));
    }
}

#if RB_HAVE_V3
/* Four lanes; two such are computed together, because each operation waits for the previous one. */
typedef struct {
    __m256i vp, vn;
} rb_four_lanes;

RB_V3 static inline rb_four_lanes rb_next_row_v3(rb_four_lanes v, __m256i x) {
    const __m256i ones = _mm256_set1_epi64x(-1), one = _mm256_set1_epi64x(1);
    __m256i d0, hp, hn;
    d0 = _mm256_xor_si256(_mm256_add_epi64(_mm256_and_si256(x, v.vp), v.vp), v.vp);
    d0 = _mm256_or_si256(_mm256_or_si256(d0, x), v.vn);
    hp = _mm256_or_si256(v.vn, _mm256_andnot_si256(_mm256_or_si256(d0, v.vp), ones));
    hn = _mm256_slli_epi64(_mm256_and_si256(v.vp, d0), 1);
    hp = _mm256_or_si256(_mm256_slli_epi64(hp, 1), one);
    v.vp = _mm256_or_si256(hn, _mm256_andnot_si256(_mm256_or_si256(d0, hp), ones));
    v.vn = _mm256_and_si256(hp, d0);
    return v;
}

RB_V3 static void rb_lane_distances_v3(const uint64_t *table, const uint32_t *rows, int64_t n,
                                       int n_lanes, const int *lengths, int64_t *results) {
    int64_t i;
    int lane, k;
    for (lane = 0; lane < n_lanes; lane += 8) {
        rb_four_lanes a = {_mm256_set1_epi64x(-1), _mm256_setzero_si256()}, b = a;
        uint64_t vp[8], vn[8];
        for (i = 0; i < n; i++) {
            const __m256i *x = (const __m256i *)(table + (size_t)rows[i] * RB_LANES + lane);
            a = rb_next_row_v3(a, _mm256_loadu_si256(x));
            b = rb_next_row_v3(b, _mm256_loadu_si256(x + 1));
        }
        _mm256_storeu_si256((__m256i *)vp, a.vp);
        _mm256_storeu_si256((__m256i *)(vp + 4), b.vp);
        _mm256_storeu_si256((__m256i *)vn, a.vn);
        _mm256_storeu_si256((__m256i *)(vn + 4), b.vn);
        for (k = 0; k < 8; k++)
            results[lane + k] = n + rb_popcount(vp[k] & rb_lane_bits(lengths[lane + k]))
                              - rb_popcount(vn[k] & rb_lane_bits(lengths[lane + k]));
    }
}

RB_V3 static void rb_lane_subsequences_v3(const uint64_t *table, const uint32_t *rows, int64_t n,
                                          int n_lanes, const int *lengths, int64_t *results) {
    int64_t i;
    int lane, k;
    for (lane = 0; lane < n_lanes; lane += 8) {
        __m256i a = _mm256_set1_epi64x(-1), b = a;
        uint64_t same[8];
        for (i = 0; i < n; i++) {
            const __m256i *x = (const __m256i *)(table + (size_t)rows[i] * RB_LANES + lane);
            const __m256i u = _mm256_and_si256(a, _mm256_loadu_si256(x));
            const __m256i w = _mm256_and_si256(b, _mm256_loadu_si256(x + 1));
            a = _mm256_or_si256(_mm256_add_epi64(a, u), _mm256_sub_epi64(a, u));
            b = _mm256_or_si256(_mm256_add_epi64(b, w), _mm256_sub_epi64(b, w));
        }
        _mm256_storeu_si256((__m256i *)same, a);
        _mm256_storeu_si256((__m256i *)(same + 4), b);
        for (k = 0; k < 8; k++)
            results[lane + k] = rb_popcount(~same[k] & rb_lane_bits(lengths[lane + k]));
    }
}
#endif

#if RB_HAVE_NEON
/* Computes eight lanes together, because each operation waits for the previous one. */
static void rb_lane_distances_neon(const uint64_t *table, const uint32_t *rows, int64_t n,
                                   int n_lanes, const int *lengths, int64_t *results) {
    const uint64x2_t one = vdupq_n_u64(1);
    int64_t i;
    int lane, k;
    for (lane = 0; lane < n_lanes; lane += 8) {
        uint64x2_t vp[4], vn[4];
        uint64_t ps[8], ns[8];
        for (k = 0; k < 4; k++) {
            vp[k] = vdupq_n_u64(UINT64_MAX);
            vn[k] = vdupq_n_u64(0);
        }
        for (i = 0; i < n; i++)
            for (k = 0; k < 4; k++) {
                const uint64x2_t x =
                    vld1q_u64(table + (size_t)rows[i] * RB_LANES + lane + 2 * k);
                const uint64x2_t sum = vaddq_u64(vandq_u64(x, vp[k]), vp[k]);
                const uint64x2_t d0 = vorrq_u64(vorrq_u64(veorq_u64(sum, vp[k]), x), vn[k]);
                const uint64x2_t free = vornq_u64(vn[k], vorrq_u64(d0, vp[k]));
                const uint64x2_t hp = vsliq_n_u64(one, free, 1);
                const uint64x2_t hn = vshlq_n_u64(vandq_u64(vp[k], d0), 1);
                vp[k] = vornq_u64(hn, vorrq_u64(d0, hp));
                vn[k] = vandq_u64(hp, d0);
            }
        for (k = 0; k < 4; k++) {
            vst1q_u64(ps + 2 * k, vp[k]);
            vst1q_u64(ns + 2 * k, vn[k]);
        }
        for (k = 0; k < 8; k++)
            results[lane + k] = n + rb_popcount(ps[k] & rb_lane_bits(lengths[lane + k]))
                              - rb_popcount(ns[k] & rb_lane_bits(lengths[lane + k]));
    }
}

static void rb_lane_subsequences_neon(const uint64_t *table, const uint32_t *rows, int64_t n,
                                      int n_lanes, const int *lengths, int64_t *results) {
    int64_t i;
    int lane, k;
    for (lane = 0; lane < n_lanes; lane += 8) {
        uint64x2_t same[4];
        uint64_t words[8];
        for (k = 0; k < 4; k++) same[k] = vdupq_n_u64(UINT64_MAX);
        for (i = 0; i < n; i++)
            for (k = 0; k < 4; k++) {
                const uint64x2_t taken = vandq_u64(
                    same[k], vld1q_u64(table + (size_t)rows[i] * RB_LANES + lane + 2 * k));
                same[k] = vorrq_u64(vaddq_u64(same[k], taken), vsubq_u64(same[k], taken));
            }
        for (k = 0; k < 4; k++) vst1q_u64(words + 2 * k, same[k]);
        for (k = 0; k < 8; k++)
            results[lane + k] = rb_popcount(~words[k] & rb_lane_bits(lengths[lane + k]));
    }
}
#endif

static inline void rb_lanes_init(rb_lanes *l, rb_level level) {
    memset(l, 0, sizeof *l);
    l->distances = rb_lane_distances_portable;
    l->subsequences = rb_lane_subsequences_portable;
#if RB_HAVE_V3
    if (level == RB_LEVEL_AVX2 || level == RB_LEVEL_AVX512) {
        l->distances = rb_lane_distances_v3;
        l->subsequences = rb_lane_subsequences_v3;
    }
#elif RB_HAVE_NEON
    if (level == RB_LEVEL_NEON) {
        l->distances = rb_lane_distances_neon;
        l->subsequences = rb_lane_subsequences_neon;
    }
#else
    (void)level;
#endif
}

static inline void rb_lanes_free(rb_lanes *l) {
    PyMem_RawFree(l->row_of);
    PyMem_RawFree(l->numbers);
    PyMem_RawFree(l->table);
    PyMem_RawFree(l->rows);
    memset(l, 0, sizeof *l);
}

/* Remove the texts; numbers of tokens are below `n_numbers`. */
static inline int rb_lanes_clear(rb_lanes *l, int64_t n_numbers) {
    int64_t row;
    if (n_numbers > l->row_of_capacity) {
        if (rb_grow((void **)&l->row_of, &l->row_of_capacity, n_numbers, sizeof *l->row_of) < 0)
            return -1;
        memset(l->row_of, 0, (size_t)l->row_of_capacity * sizeof *l->row_of);
    } else
        for (row = 1; row < l->n_rows; row++) l->row_of[l->numbers[row]] = 0;
    memset(l->lengths, 0, sizeof l->lengths);
    l->n_lanes = 0;
    l->n_rows = 1; /* row 0 is for tokens not in the block */
    if (rb_room((void **)&l->table, &l->table_capacity, RB_LANES, sizeof *l->table) < 0) return -1;
    memset(l->table, 0, RB_LANES * sizeof *l->table);
    return 0;
}

static inline int rb_lanes_reserve(rb_lanes *l) {
    const int64_t n = l->n_rows + 1;
    if (n * RB_LANES > l->table_capacity
        && rb_grow((void **)&l->table, &l->table_capacity, n * RB_LANES, sizeof *l->table) < 0)
        return -1;
    if (n <= l->numbers_capacity) return 0;
    return rb_grow((void **)&l->numbers, &l->numbers_capacity, n, sizeof *l->numbers);
}

/* Put a text of up to RB_LANE_TOKENS tokens into the next lane. */
static inline int rb_lanes_add(rb_lanes *l, const int32_t *numbers, int64_t n) {
    int64_t i;
    for (i = 0; i < n; i++) {
        uint32_t row = l->row_of[numbers[i]];
        if (row == 0) {
            if (rb_lanes_reserve(l) < 0) return -1;
            row = (uint32_t)l->n_rows++;
            memset(l->table + (size_t)row * RB_LANES, 0, RB_LANES * sizeof *l->table);
            l->numbers[row] = numbers[i];
            l->row_of[numbers[i]] = row;
        }
        l->table[(size_t)row * RB_LANES + (size_t)l->n_lanes] |= UINT64_C(1) << i;
    }
    l->lengths[l->n_lanes++] = (int)n;
    return 0;
}

static inline int rb_lanes_compare(rb_lanes *l, rb_lanes_fn compare, const int32_t *numbers,
                                   int64_t n) {
    int64_t n_rows = 0, i;
    if (rb_room((void **)&l->rows, &l->rows_capacity, n, sizeof *l->rows) < 0) return -1;
    for (i = 0; i < n; i++) {
        l->rows[n_rows] = l->row_of[numbers[i]];
        n_rows += compare != l->subsequences || l->rows[n_rows] != 0; /* 0: in no lane */
    }
    compare(l->table, l->rows, n_rows, l->n_lanes, l->lengths, l->results);
    return 0;
}

#endif
