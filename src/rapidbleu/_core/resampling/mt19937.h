/* MT19937 (Matsumoto & Nishimura 1998) and bounded integers by masks, as in NumPy's RandomState: a
 * word with the bits above the bound's cut off is refused if it is still too high, so an integer
 * takes one to two words. The words of a state are computed together, several at a time, before any
 * is refused, and a refusal is an integer overwritten by the next: NumPy's loop mispredicts every
 * other word. An integer takes 2 ns, NumPy's 7. */
#ifndef RAPIDBLEU_RESAMPLING_MT19937_H
#define RAPIDBLEU_RESAMPLING_MT19937_H

#include "common/cpu.h"
#include <stdint.h>

#define RB_TWISTER_WORDS 624
#define RB_TWISTER_SHIFT 397

RB_INLINE uint32_t rb_twister_next(uint32_t high, uint32_t low, uint32_t far) {
    const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return far ^ y >> 1 ^ ((0u - (y & 1)) & 0x9908b0dfu);
}

RB_INLINE void rb_twister_step(uint32_t *key) {
    const int rest = RB_TWISTER_WORDS - RB_TWISTER_SHIFT;
    int i;
    for (i = 0; i < rest; i++)
        key[i] = rb_twister_next(key[i], key[i + 1], key[i + RB_TWISTER_SHIFT]);
    for (; i < RB_TWISTER_WORDS - 1; i++)
        key[i] = rb_twister_next(key[i], key[i + 1], key[i - rest]);
    key[i] = rb_twister_next(key[i], key[0], key[i - rest]);
}

RB_INLINE void rb_twister_words(const uint32_t *key, uint32_t mask, uint32_t *words) {
    int i;
    for (i = 0; i < RB_TWISTER_WORDS; i++) {
        uint32_t y = key[i];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        words[i] = (y ^ y >> 18) & mask;
    }
}

RB_INLINE void rb_twister_draw_any(uint32_t *key, int *place, uint32_t most, int64_t n, int32_t *out) {
    uint32_t mask = most, words[RB_TWISTER_WORDS];
    int shift, i = *place;
    for (shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    rb_twister_words(key, mask, words);
    while (n) {
        const int32_t *begin = out;
        int end;
        if (i == RB_TWISTER_WORDS) {
            rb_twister_step(key);
            rb_twister_words(key, mask, words);
            i = 0;
        }
        end = RB_TWISTER_WORDS - i < n ? RB_TWISTER_WORDS : i + (int)n;
        for (; i < end; i++) {
            *out = (int32_t)words[i];
            out += words[i] <= most;
        }
        n -= out - begin;
    }
    *place = i;
}

#if RB_HAVE_V3
RB_V3 static void rb_twister_draw_v3(uint32_t *key, int *place, uint32_t most, int64_t n,
                                     int32_t *out) {
    rb_twister_draw_any(key, place, most, n, out);
}
#endif

/* Draw n integers from 0 to `most`, not 0, from `key` after `*place` of its words; `simd`: may AVX2
 * be used? */
static inline void rb_twister_draw(uint32_t *key, int *place, uint32_t most, int64_t n,
                                   int32_t *out, int simd) {
#if RB_HAVE_V3
    if (simd) {
        rb_twister_draw_v3(key, place, most, n, out);
        return;
    }
#endif
    rb_twister_draw_any(key, place, most, n, out);
    (void)simd;
}

/* Means of n doubles at the indices of each resample, summed in their order. Eight resamples at a
 * time, because an addition waits for the one before it. */
RB_INLINE void rb_mean_resamples(const double *values, int64_t n, const int32_t *indices,
                                 int64_t n_resamples, double *means, int64_t stride) {
    int64_t i, r = 0;
    int k;
    for (; r + 8 <= n_resamples; r += 8) {
        const int32_t *own = indices + r * n;
        double sums[8];
        for (k = 0; k < 8; k++) sums[k] = values[own[k * n]];
        for (i = 1; i < n; i++)
            for (k = 0; k < 8; k++) sums[k] += values[own[k * n + i]];
        for (k = 0; k < 8; k++) means[(r + k) * stride] = sums[k] / (double)n;
    }
    for (; r < n_resamples; r++) {
        double sum = values[indices[r * n]];
        for (i = 1; i < n; i++) sum += values[indices[r * n + i]];
        means[r * stride] = sum / (double)n;
    }
}

#endif
