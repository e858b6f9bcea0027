/* Latin-1, the narrowest storage form of a Python string with other characters than ASCII, as UTF-8.
 *
 * The end of what was written is returned; up to 130 bytes beyond it may be stored, and nothing is
 * read behind the text. */
#ifndef RAPIDBLEU_COMMON_LATIN1_H
#define RAPIDBLEU_COMMON_LATIN1_H

#include "common/utf8.h"

#if defined(__SSE2__) /* part of x86-64 */
#include <emmintrin.h>
#endif

/* The sign bits of 64 bytes as one word. */
static inline uint64_t rb_high_bits(const uint8_t *p) {
    uint64_t bits = 0;
    int i;
#if defined(__SSE2__)
    for (i = 0; i < 64; i += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(p + i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(block) << i;
    }
#else
    for (i = 0; i < 8; i++) {
        uint64_t high = rb_load64(p + 8 * i) >> 7 & UINT64_C(0x0101010101010101);
        bits |= (high * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
#endif
    return bits;
}

/* Lower case of a Latin-1 character above ASCII: no letter depends on its neighbours. */
static inline uint8_t rb_lower_latin1(uint8_t c) {
    return (uint8_t)(c + (((uint8_t)(c - 0xc0) <= 0x1e && c != 0xd7) << 5));
}

/* Up to 64 Latin-1 characters, those above ASCII in lower case if asked; 128 bytes of text and of
 * room are there.  What follows a wide character is copied again, one place on, as a whole: cheaper
 * than a branch on how much it is. */
RB_INLINE uint8_t *rb_encode_latin1_block(const uint8_t *text, int n, uint8_t *out, int lower) {
    uint64_t wide = rb_high_bits(text);
    if (n < 64) wide &= (UINT64_C(1) << n) - 1;
    memcpy(out, text, 64);
    while (wide) {
        int i = rb_ctz(wide);
        const uint8_t c = lower ? rb_lower_latin1(text[i]) : text[i];
        out[i] = (uint8_t)(0xc0 | c >> 6);
        out[i + 1] = (uint8_t)(0x80 | (c & 0x3f));
        memcpy(out + i + 2, text + i + 1, 64);
        out++;
        wide &= wide - 1;
    }
    return out + n;
}

/* With `lower` in lower case, which changes no length. */
RB_INLINE uint8_t *rb_encode_latin1_body(const uint8_t *text, ptrdiff_t n, uint8_t *out, int lower) {
    uint8_t *const begin = out;
    uint8_t rest[192]; /* nothing may be read behind the end of the text itself */
    for (; n >= 128; n -= 64, text += 64) out = rb_encode_latin1_block(text, 64, out, lower);
    memcpy(rest, text, (size_t)n);
    out = rb_encode_latin1_block(rest, n < 64 ? (int)n : 64, out, lower);
    if (n > 64) out = rb_encode_latin1_block(rest + 64, (int)n - 64, out, lower);
    if (lower) rb_lower_ascii(begin, out - begin);
    return out;
}

static uint8_t *rb_encode_latin1_portable(const uint8_t *text, ptrdiff_t n, uint8_t *out,
                                          int lower) {
    return rb_encode_latin1_body(text, n, out, lower);
}

#if RB_HAVE_V3
RB_V3 static uint8_t *rb_encode_latin1_v3(const uint8_t *text, ptrdiff_t n, uint8_t *out,
                                          int lower) {
    return rb_encode_latin1_body(text, n, out, lower);
}

/* 32 characters at a time as 16 bits each, whose upper half is kept if the character is wide. */
RB_AVX512 static uint8_t *rb_encode_latin1_avx512(const uint8_t *text, ptrdiff_t n, uint8_t *out,
                                                  int lower) {
    const uint64_t lower_halves = UINT64_C(0x5555555555555555);
    ptrdiff_t i;
    if (lower) return rb_encode_latin1_portable(text, n, out, lower);
    for (i = 0; i < n; i += 32) {
        const int count = n - i < 32 ? (int)(n - i) : 32;
        const __mmask32 inside = (__mmask32)(UINT64_C(0xffffffff) >> (32 - count));
        const __m512i c = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(inside, text + i));
        const __mmask32 wide = _mm512_cmpge_epu16_mask(c, _mm512_set1_epi16(0x80));
        const __m512i first = _mm512_or_si512(_mm512_srli_epi16(c, 6), _mm512_set1_epi16(0xc0));
        const __m512i second = _mm512_slli_epi16(
            _mm512_or_si512(_mm512_and_si512(c, _mm512_set1_epi16(0x3f)), _mm512_set1_epi16(0x80)),
            8);
        const __m512i bytes = _mm512_mask_blend_epi16(wide, c, _mm512_or_si512(first, second));
        const uint64_t kept = lower_halves | _pdep_u64(wide, ~lower_halves);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, bytes));
        out += count + rb_popcount_v3(wide);
    }
    return out;
}
#endif

typedef uint8_t *(*rb_encode_latin1_fn)(const uint8_t *text, ptrdiff_t n, uint8_t *out, int lower);

static inline rb_encode_latin1_fn rb_encode_latin1_select(void) {
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX512) return rb_encode_latin1_avx512;
    if (level == RB_LEVEL_AVX2) return rb_encode_latin1_v3;
#endif
    return rb_encode_latin1_portable;
}

#endif
