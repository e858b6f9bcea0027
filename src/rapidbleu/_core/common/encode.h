/* The three storage forms of Python strings that are not all ASCII, as UTF-8: Latin-1, two bytes and four
 * bytes a character.
 *
 * Writers return the end of what they wrote and may store up to 130 bytes beyond it; the caller provides
 * 2, 3 or 4 bytes for each character, and 130 more.  Nothing is read behind the text. */
#ifndef RAPIDBLEU_COMMON_ENCODE_H
#define RAPIDBLEU_COMMON_ENCODE_H

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

static uint8_t *rb_encode_ucs2_portable(const uint16_t *text, ptrdiff_t n, uint8_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out = rb_encode(text[i], out);
    return out;
}

static uint8_t *rb_encode_ucs4_portable(const uint32_t *text, ptrdiff_t n, uint8_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out = rb_encode(text[i], out);
    return out;
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

/* `count` characters as lanes of 32 bits: each is put together as four bytes, of which those are kept
 * that it has. */
RB_AVX512 RB_INLINE uint8_t *rb_encode_lanes_avx512(__m512i c, int count, uint8_t *out) {
    const uint64_t first_bytes = UINT64_C(0x1111111111111111);
    const __m512i low = _mm512_set1_epi32(0x3f);
    const __mmask16 inside = (__mmask16)(UINT32_C(0xffff) >> (16 - count));
    const __mmask16 two = _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x80));
    const __mmask16 three = _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x800));
    const __mmask16 four = _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x10000));
    const __m512i a = _mm512_and_si512(c, low);
    const __m512i b = _mm512_and_si512(_mm512_srli_epi32(c, 6), low);
    const __m512i d = _mm512_and_si512(_mm512_srli_epi32(c, 12), low);
    const __m512i ba = _mm512_or_si512(b, _mm512_slli_epi32(a, 8));
    const __m512i dba = _mm512_or_si512(d, _mm512_slli_epi32(ba, 8));
    const __m512i all = _mm512_or_si512(_mm512_srli_epi32(c, 18), _mm512_slli_epi32(dba, 8));
    uint64_t kept;
    __m512i bytes = c;
    bytes = _mm512_mask_or_epi32(
        bytes, two, _mm512_or_si512(_mm512_srli_epi32(c, 6), _mm512_slli_epi32(a, 8)),
        _mm512_set1_epi32(0x80c0));
    bytes = _mm512_mask_or_epi32(
        bytes, three, _mm512_or_si512(_mm512_srli_epi32(c, 12), _mm512_slli_epi32(ba, 8)),
        _mm512_set1_epi32(0x8080e0));
    bytes = _mm512_mask_or_epi32(bytes, four, all, _mm512_set1_epi32((int)0x808080f0));
    kept = first_bytes | _pdep_u64(two, first_bytes << 1) | _pdep_u64(three, first_bytes << 2)
         | _pdep_u64(four, first_bytes << 3);
    kept &= _pdep_u64(inside, first_bytes) * 15;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, bytes));
    return out + rb_popcount_v3(kept);
}

RB_AVX512 static uint8_t *rb_encode_ucs2_avx512(const uint16_t *text, ptrdiff_t n, uint8_t *out) {
    for (; n > 0; n -= 16, text += 16) {
        const int count = n < 16 ? (int)n : 16;
        const __mmask16 inside = (__mmask16)(UINT32_C(0xffff) >> (16 - count));
        out = rb_encode_lanes_avx512(
            _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(inside, text)), count, out);
    }
    return out;
}

RB_AVX512 static uint8_t *rb_encode_ucs4_avx512(const uint32_t *text, ptrdiff_t n, uint8_t *out) {
    for (; n > 0; n -= 16, text += 16) {
        const int count = n < 16 ? (int)n : 16;
        const __mmask16 inside = (__mmask16)(UINT32_C(0xffff) >> (16 - count));
        out = rb_encode_lanes_avx512(_mm512_maskz_loadu_epi32(inside, text), count, out);
    }
    return out;
}
#endif

typedef struct {
    uint8_t *(*latin1)(const uint8_t *text, ptrdiff_t n, uint8_t *out, int lower);
    uint8_t *(*ucs2)(const uint16_t *text, ptrdiff_t n, uint8_t *out);
    uint8_t *(*ucs4)(const uint32_t *text, ptrdiff_t n, uint8_t *out);
} rb_encoders;

static inline rb_encoders rb_encoders_select(void) {
    rb_encoders encoders = {
        rb_encode_latin1_portable, rb_encode_ucs2_portable, rb_encode_ucs4_portable};
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX2) encoders.latin1 = rb_encode_latin1_v3;
    if (level == RB_LEVEL_AVX512) {
        encoders.latin1 = rb_encode_latin1_avx512;
        encoders.ucs2 = rb_encode_ucs2_avx512;
        encoders.ucs4 = rb_encode_ucs4_avx512;
    }
#endif
    return encoders;
}

#endif
