/* Weights of rows in each resample of a Poisson bootstrap. A bootstrap draws each of n rows about
 * Poisson(1) times. With exactly this distribution rows are independent: the weight of a row in
 * resample r is a function of the seed, the row's key and r, and any subset of the rows can be
 * added up anywhere. Word r % 4 of counter r / 4 is a number of 32 bits, and the weight is the
 * number of thresholds, out of 12, that it reaches. Threshold k is 2**32 P(X <= k), X of
 * Poisson(1), rounded, so each probability is right to its last bit; 13, expected 0.3 times in
 * 2**32, is never drawn.
 *
 * Weights are stored in four bit planes: bit b of the weights of 32 rows in a resample is one word,
 * a mask of the rows to add 2**b times. So rows are added by tables of sums, as for coins.
 * References: Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson
 * frequencies; Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data
 * streams. */
#ifndef RAPIDBLEU_RESAMPLING_POISSON_H
#define RAPIDBLEU_RESAMPLING_POISSON_H

#include "common/bits.h"
#include "common/cpu.h"
#include "common/signals.h"
#include <stdint.h>

/* Keys of texts: 64 bits, equal in every process and on every machine. SipHash-2-4 (Aumasson &
 * Bernstein 2012) of UTF-8 with a key of zeros: 60 ns for a short str. Two of a million texts
 * collide once in 40 million cases. */
#define RB_ROTATE64(x, turn) ((x) << (turn) | (x) >> (64 - (turn)))

RB_INLINE void rb_siphash_round(uint64_t *v) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = RB_ROTATE64(v[1], 13) ^ v[0];
    v[3] = RB_ROTATE64(v[3], 16) ^ v[2];
    v[0] = RB_ROTATE64(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = RB_ROTATE64(v[1], 17) ^ v[2];
    v[3] = RB_ROTATE64(v[3], 21) ^ v[0];
    v[2] = RB_ROTATE64(v[2], 32);
}

RB_INLINE void rb_siphash_add(uint64_t *v, uint64_t word) {
    v[3] ^= word;
    rb_siphash_round(v);
    rb_siphash_round(v);
    v[0] ^= word;
}

static inline uint64_t rb_id_key(const uint8_t *text, int64_t n) {
    uint64_t v[4] = {
        UINT64_C(0x736f6d6570736575), UINT64_C(0x646f72616e646f6d),
        UINT64_C(0x6c7967656e657261), UINT64_C(0x7465646279746573),
    };
    uint64_t last = (uint64_t)n << 56;
    int64_t i, whole = n & ~INT64_C(7);
    for (i = 0; i < whole; i += 8) rb_siphash_add(v, rb_load64(text + i));
    for (; i < n; i++) last |= (uint64_t)text[i] << (8 * (i & 7));
    rb_siphash_add(v, last);
    v[2] ^= 0xff;
    for (i = 0; i < 4; i++) rb_siphash_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Threefry4x32-20: random words as a function of (seed, key, number), without state. The words are
 * an enciphered counter: 20 rounds of additions, rotations and exclusive ors mix it with the words
 * of the seed. So the same seed, key and number yield the same words, in any order and on every
 * machine. All published generators of this kind pass TestU01's BigCrush; this one needs no product
 * of two words, and compilers vectorize it as it stands: 1.3 ns a word with SSE2, 0.7 with AVX2.
 * Philox4x32-10 takes as long with SSE2, and 1.6 with AVX2 unless written in intrinsics. 12 rounds
 * pass BigCrush; its authors recommend 20.
 *
 * Reference: Salmon, Moraes, Dror & Shaw 2011, Parallel Random Numbers: As Easy as 1, 2, 3. */
#define RB_ROTATE32(x, turn) ((x) << (turn) | (x) >> (32 - (turn)))

#define RB_THREEFRY_MIX(a, b, turn) \
    do { \
        a += b; \
        b = RB_ROTATE32(b, turn) ^ a; \
    } while (0)

#define RB_THREEFRY_TWO_ROUNDS(r0, r1, r2, r3) \
    do { \
        RB_THREEFRY_MIX(x0, x1, r0); \
        RB_THREEFRY_MIX(x2, x3, r1); \
        RB_THREEFRY_MIX(x0, x3, r2); \
        RB_THREEFRY_MIX(x2, x1, r3); \
    } while (0)

#define RB_THREEFRY_ADD_KEY(a, b, c, d, i) \
    do { \
        x0 += a; \
        x1 += b; \
        x2 += c; \
        x3 += d + (i); \
    } while (0)

/* Words of the counters (number + i, key), i < n: word k of counter i to out[k * n + i]. */
RB_INLINE void rb_threefry(uint64_t seed, uint64_t key, uint64_t number, int64_t n, uint32_t *out) {
    const uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32), k2 = 0, k3 = 0;
    const uint32_t k4 = 0x1bd11bda ^ k0 ^ k1 ^ k2 ^ k3;
    int64_t i;
    for (i = 0; i < n; i++) {
        uint64_t own = number + (uint64_t)i;
        uint32_t x0 = (uint32_t)own + k0, x1 = (uint32_t)(own >> 32) + k1;
        uint32_t x2 = (uint32_t)key + k2, x3 = (uint32_t)(key >> 32) + k3;
        RB_THREEFRY_TWO_ROUNDS(10, 26, 11, 21);
        RB_THREEFRY_TWO_ROUNDS(13, 27, 23, 5);
        RB_THREEFRY_ADD_KEY(k1, k2, k3, k4, 1);
        RB_THREEFRY_TWO_ROUNDS(6, 20, 17, 11);
        RB_THREEFRY_TWO_ROUNDS(25, 10, 18, 20);
        RB_THREEFRY_ADD_KEY(k2, k3, k4, k0, 2);
        RB_THREEFRY_TWO_ROUNDS(10, 26, 11, 21);
        RB_THREEFRY_TWO_ROUNDS(13, 27, 23, 5);
        RB_THREEFRY_ADD_KEY(k3, k4, k0, k1, 3);
        RB_THREEFRY_TWO_ROUNDS(6, 20, 17, 11);
        RB_THREEFRY_TWO_ROUNDS(25, 10, 18, 20);
        RB_THREEFRY_ADD_KEY(k4, k0, k1, k2, 4);
        RB_THREEFRY_TWO_ROUNDS(10, 26, 11, 21);
        RB_THREEFRY_TWO_ROUNDS(13, 27, 23, 5);
        RB_THREEFRY_ADD_KEY(k0, k1, k2, k3, 5);
        out[i] = x0;
        out[n + i] = x1;
        out[2 * n + i] = x2;
        out[3 * n + i] = x3;
    }
}

#define RB_MOST_WEIGHT 12
#define RB_WEIGHT_BITS 4
#define RB_MOST_RESAMPLES 256 /* weighted together, a multiple of 4 */
#define RB_MOST_SUM (INT64_C(1) << 60) /* of counts: times RB_MOST_WEIGHT it is below 2**64 */

static const uint32_t rb_poisson_thresholds[RB_MOST_WEIGHT] = {
    UINT32_C(0x5e2d58d9), UINT32_C(0xbc5ab1b1), UINT32_C(0xeb715e1e), UINT32_C(0xfb239797),
    UINT32_C(0xff1025f6), UINT32_C(0xffd90f3c), UINT32_C(0xfffa8b72), UINT32_C(0xffff540c),
    UINT32_C(0xffffed1f), UINT32_C(0xfffffe21), UINT32_C(0xffffffd5), UINT32_C(0xfffffffc),
};

static inline uint32_t rb_poisson_weight(uint32_t word) {
    uint32_t weight = 0;
    while (weight < RB_MOST_WEIGHT && word >= rb_poisson_thresholds[weight]) weight++;
    return weight;
}

/* All bits or none: does a word reach threshold k? */
#define RB_REACHES(word, k) (0u - (uint32_t)((word) >= rb_poisson_thresholds[(k) - 1]))

/* Set the bits of row `row`, 0 to 31, in n resamples. planes[b * n + i] has bits b for word i. */
RB_INLINE void rb_poisson_set(const uint32_t *words, int64_t n, int row, uint32_t *planes) {
    const uint32_t bit = UINT32_C(1) << row;
    uint32_t large = 0;
    int64_t i, b;
    for (i = 0; i < n; i++) { /* weights up to 5, and 5 for larger ones */
        const uint32_t word = words[i];
        const uint32_t two = RB_REACHES(word, 2), four = RB_REACHES(word, 4);
        const uint32_t odd = RB_REACHES(word, 1) ^ two ^ RB_REACHES(word, 3) ^ four
                           ^ RB_REACHES(word, 5);
        planes[i] |= bit & odd;
        planes[n + i] |= bit & (two ^ four);
        planes[2 * n + i] |= bit & four;
        large |= RB_REACHES(word, 6);
    }
    if (!large) return;
    for (i = 0; i < n; i++) { /* one in 1,700 */
        uint32_t changed;
        if (words[i] < rb_poisson_thresholds[5]) continue;
        changed = rb_poisson_weight(words[i]) ^ 5;
        for (b = 0; b < RB_WEIGHT_BITS; b++) planes[b * n + i] ^= (changed >> b & 1) << row;
    }
}

/* Set the bits of a row in the resamples of n counters, 4 each, at most RB_MOST_RESAMPLES. */
typedef void (*rb_weigher)(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                           uint32_t *planes);

RB_INLINE void rb_weigh(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                        uint32_t *planes) {
    uint32_t words[RB_MOST_RESAMPLES];
    rb_threefry(seed, key, number, n, words);
    rb_poisson_set(words, 4 * n, row, planes);
}

static void rb_weigh_portable(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                              uint32_t *planes) {
    rb_weigh(seed, key, number, n, row, planes);
}

#if RB_HAVE_V3
RB_V3 static void rb_weigh_v3(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                              uint32_t *planes) {
    rb_weigh(seed, key, number, n, row, planes);
}
#endif

static inline rb_weigher rb_weigher_select(void) {
#if RB_HAVE_V3
    if (rb_use_v3()) return rb_weigh_v3;
#endif
    return rb_weigh_portable;
}

/* Raise ValueError for negative counts or sums beyond RB_MOST_SUM; returns -1. */
static inline int rb_check_counts(const int64_t *rows, int64_t n, int64_t width) {
    int64_t column, i;
    for (column = 0; column < width; column++) {
        int64_t left = RB_MOST_SUM;
        if (rb_poll_without_gil(NULL) < 0) return -1;
        for (i = 0; i < n; i++) {
            const int64_t count = rows[i * width + column];
            if (count < 0 || count > left) {
                const PyGILState_STATE state = PyGILState_Ensure();
                PyErr_Format(PyExc_ValueError,
                             "rows[%lld][%lld]: expected counts from 0 on whose sum is at most "
                             "2**60; got %lld",
                             (long long)i, (long long)column, (long long)count);
                PyGILState_Release(state);
                return -1;
            }
            left -= count;
        }
    }
    return 0;
}

#endif
