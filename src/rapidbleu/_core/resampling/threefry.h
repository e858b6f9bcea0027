/* Threefry4x32-20, the random words of (seed, key, number): any of them without those before it.
 *
 * The idea: a generator that has no state.  The words are a counter, enciphered: 20 rounds of additions,
 * rotations and exclusive ors mix it with the words of the seed.  So the same seed, key and number give
 * the same words, in any order and on every machine.
 *
 * Of the published generators of this kind, all of which pass TestU01's BigCrush, this one needs no
 * product of two words, and compilers make vector code of it as it stands: 1.3 ns a word with SSE2, 0.7
 * with AVX2.  Philox4x32-10 takes as long with SSE2, and 1.6 with AVX2 unless it is written in
 * intrinsics.  12 rounds are enough for BigCrush; 20 are what its authors recommend.
 *
 * Reference: Salmon, Moraes, Dror & Shaw 2011, Parallel Random Numbers: As Easy as 1, 2, 3. */
#ifndef RAPIDBLEU_RESAMPLING_THREEFRY_H
#define RAPIDBLEU_RESAMPLING_THREEFRY_H

#include "common/cpu.h"
#include <stdint.h>

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

#endif
