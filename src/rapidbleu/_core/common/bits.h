/* Bit and word primitives with the same meaning under every compiler: trailing zeros, population
 * count, the high half of a 64-bit product, and little-endian loads and stores. Each has a portable
 * form, and uses an intrinsic where a compiler offers one. Also the conversion of 64 bytes to words
 * of their bits, for which neither the baseline of x86-64 nor NEON has an instruction. */
#ifndef RAPIDBLEU_BITS_H
#define RAPIDBLEU_BITS_H

#include <stdint.h>
#include <string.h>

#include "common/cpu.h"

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/* Index of the lowest set bit; the argument must not be zero. */
static inline int rb_ctz(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long index;
    _BitScanForward64(&index, x);
    return (int)index;
#else
    int n = 0;
    while (!(x & 1)) { x >>= 1; n++; }
    return n;
#endif
}

/* The highest set bit alone; the argument must not be zero. */
static inline uint64_t rb_highest_bit(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return UINT64_C(1) << (63 - __builtin_clzll(x));
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long index;
    _BitScanReverse64(&index, x);
    return UINT64_C(1) << index;
#else
    while (x & (x - 1)) x &= x - 1;
    return x;
#endif
}

/* Number of set bits. Without the machine instruction, which is not in the x86-64 baseline, the
 * parallel sum beats a compiler's table look-up. */
static inline int rb_popcount(uint64_t x) {
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)((x * UINT64_C(0x0101010101010101)) >> 56);
}

/* The same by the machine instruction, for code that may require it. */
RB_INLINE int rb_popcount_v3(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(x);
#elif defined(_MSC_VER) && defined(_M_X64)
    return (int)__popcnt64(x);
#else
    return rb_popcount(x);
#endif
}

/* Product of two words folded to one: high half xor low half. */
static inline uint64_t rb_fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 rb_u128;
    rb_u128 product = (rb_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    uint64_t high = hh + (lh >> 32) + (hl >> 32) + (mid >> 32);
    return high ^ ((mid << 32) | (uint32_t)ll);
#endif
}

/* Eight bytes at p as a little-endian word, on every byte order. */
static inline uint64_t rb_load64(const uint8_t *p) {
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
#else
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24
         | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48
         | (uint64_t)p[7] << 56;
#endif
#else
    uint64_t word; /* MSVC: every target is little-endian */
    memcpy(&word, p, 8);
    return word;
#endif
}

/* Store a word at p, lowest byte first, on every byte order. */
static inline void rb_store64(uint8_t *p, uint64_t word) {
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &word, 8);
#else
    int k;
    for (k = 0; k < 8; k++, word >>= 8) p[k] = (uint8_t)word;
#endif
#else
    memcpy(p, &word, 8); /* MSVC: every target is little-endian */
#endif
}

/* Are two texts of the same length equal? Nine to sixteen bytes, the length of most tokens that are
 * compared, take four loads and no branch. */
static inline int rb_same_bytes(const uint8_t *a, const uint8_t *b, int64_t length) {
    if (length <= 8 || length > 16) return memcmp(a, b, (size_t)length) == 0;
    return ((rb_load64(a) ^ rb_load64(b))
            | (rb_load64(a + length - 8) ^ rb_load64(b + length - 8))) == 0;
}

/* The low `length` bytes of a word, 0 <= length <= 8. */
static inline uint64_t rb_low_bytes(uint64_t word, int length) {
    return length >= 8 ? word : word & ((UINT64_C(1) << (8 * length)) - 1);
}

/* The lower case of eight bytes, and the highest bit of each ASCII letter or digit. Sums of seven
 * bits do not carry. */
static inline uint64_t rb_plain_bytes(uint64_t bytes, uint64_t *lower) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    const uint64_t low = bytes & ~high, small = low | ones << 5, ascii = ~bytes & high;
    const uint64_t letters = (small + (128 - 'a') * ones) & ~(small + (127 - 'z') * ones) & ascii;
    *lower = bytes | letters >> 2;
    return letters | ((low + (128 - '0') * ones) & ~(low + (127 - '9') * ones) & ascii);
}

/* Byte k of words[j] to byte j of planes[k], for j < 8 and k < 7. */
#if RB_HAVE_SSE2
RB_INLINE void rb_seven_planes(const uint64_t *words, uint64_t *planes) {
    __m128i pairs[4], low[2], high[2];
    int j;
    for (j = 0; j < 4; j++)
        pairs[j] = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(words + 2 * j)),
                                     _mm_loadl_epi64((const __m128i *)(words + 2 * j + 1)));
    for (j = 0; j < 2; j++) {
        low[j] = _mm_unpacklo_epi16(pairs[2 * j], pairs[2 * j + 1]);
        high[j] = _mm_unpackhi_epi16(pairs[2 * j], pairs[2 * j + 1]);
    }
    _mm_storeu_si128((__m128i *)planes, _mm_unpacklo_epi32(low[0], low[1]));
    _mm_storeu_si128((__m128i *)(planes + 2), _mm_unpackhi_epi32(low[0], low[1]));
    _mm_storeu_si128((__m128i *)(planes + 4), _mm_unpacklo_epi32(high[0], high[1]));
    _mm_storel_epi64((__m128i *)(planes + 6), _mm_unpackhi_epi32(high[0], high[1]));
}
#else
RB_INLINE void rb_seven_planes(const uint64_t *words, uint64_t *planes) {
    static const uint64_t low[3] = {UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x0000ffff0000ffff),
                                    UINT64_C(0x00000000ffffffff)};
    uint64_t w[8];
    int step, j;
    memcpy(w, words, sizeof w);
    for (step = 0; step < 3; step++) { /* exchange bytes, pairs of them, and halves */
        const int apart = 1 << step, shift = 8 << step;
        for (j = 0; j < 8; j++) {
            uint64_t changes;
            if (j & apart) continue;
            changes = (w[j] >> shift ^ w[j + apart]) & low[step];
            w[j + apart] ^= changes;
            w[j] ^= changes << shift;
        }
    }
    memcpy(planes, w, 7 * sizeof *planes);
}
#endif

#if RB_HAVE_NEON
/* Below, vector j has bytes j, j + 4, j + 8, ... of 64, as loaded by vld4q_u8, so that shifts of
 * whole vectors combine the bits of neighbors. Halves of two bytes then form one byte. */
RB_INLINE uint64_t rb_low_halves_neon(uint8x16_t v) {
    const uint16x8_t twice = vreinterpretq_u16_u8(vsliq_n_u8(v, v, 4));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(twice, 4)), 0);
}

RB_INLINE uint64_t rb_high_halves_neon(uint8x16_t v) {
    const uint16x8_t twice = vreinterpretq_u16_u8(vsriq_n_u8(v, v, 4));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(twice, 4)), 0);
}

/* Bit 7 of each byte. */
RB_INLINE uint64_t rb_high_bits_neon(uint8x16x4_t v) {
    const uint8x16_t v01 = vsriq_n_u8(v.val[1], v.val[0], 1);
    const uint8x16_t v23 = vsriq_n_u8(v.val[3], v.val[2], 1);
    return rb_high_halves_neon(vsriq_n_u8(v23, v01, 2));
}

/* Bit k of each byte to planes[k], for k < 7. */
RB_INLINE void rb_seven_planes_neon(uint8x16x4_t v, uint64_t *planes) {
    const uint8x16_t ones = vdupq_n_u8(0x55), twos = vdupq_n_u8(0x33);
    const uint8x16_t even_01 = vbslq_u8(ones, v.val[0], vshlq_n_u8(v.val[1], 1));
    const uint8x16_t even_23 = vbslq_u8(ones, v.val[2], vshlq_n_u8(v.val[3], 1));
    const uint8x16_t odd_01 = vbslq_u8(ones, vshrq_n_u8(v.val[0], 1), v.val[1]);
    const uint8x16_t odd_23 = vbslq_u8(ones, vshrq_n_u8(v.val[2], 1), v.val[3]);
    const uint8x16_t bits_04 = vbslq_u8(twos, even_01, vshlq_n_u8(even_23, 2));
    const uint8x16_t bits_15 = vbslq_u8(twos, odd_01, vshlq_n_u8(odd_23, 2));
    const uint8x16_t bits_26 = vbslq_u8(twos, vshrq_n_u8(even_01, 2), even_23);
    const uint8x16_t bits_37 = vbslq_u8(twos, vshrq_n_u8(odd_01, 2), odd_23);
    planes[0] = rb_low_halves_neon(bits_04);
    planes[1] = rb_low_halves_neon(bits_15);
    planes[2] = rb_low_halves_neon(bits_26);
    planes[3] = rb_low_halves_neon(bits_37);
    planes[4] = rb_high_halves_neon(bits_04);
    planes[5] = rb_high_halves_neon(bits_15);
    planes[6] = rb_high_halves_neon(bits_26);
}
#endif

#endif
