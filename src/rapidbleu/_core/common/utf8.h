/* UTF-8: decoding, encoding, validation and lowercasing. Lone surrogates pass as three bytes. */
#ifndef RAPIDBLEU_COMMON_UTF8_H
#define RAPIDBLEU_COMMON_UTF8_H

#include "common/bits.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int rb_is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* Length of the code point at p, and the code point itself. A byte that starts no well-formed
 * sequence counts as one character, 0xfffd, so any bytes can be read to their end. Up to four bytes
 * are read; the text must be padded with a byte that is not a continuation byte. */
static inline int rb_decode(const uint8_t *p, uint32_t *code_point) {
    if (p[0] < 0x80) {
        *code_point = p[0];
        return 1;
    }
    if (p[0] >= 0xc2 && p[0] < 0xe0 && rb_is_continuation(p[1])) {
        *code_point = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
        return 2;
    }
    if (p[0] >= 0xe0 && p[0] < 0xf0 && rb_is_continuation(p[1]) && rb_is_continuation(p[2])) {
        *code_point = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
        return 3;
    }
    if (p[0] >= 0xf0 && p[0] < 0xf5 && rb_is_continuation(p[1]) && rb_is_continuation(p[2])
        && rb_is_continuation(p[3])) {
        *code_point = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12
                    | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
        if (*code_point <= 0x10ffff) return 4;
    }
    *code_point = 0xfffd;
    return 1;
}

static inline uint8_t *rb_encode(uint32_t c, uint8_t *out) {
    if (c < 0x80) {
        *out++ = (uint8_t)c;
    } else if (c < 0x800) {
        *out++ = (uint8_t)(0xc0 | c >> 6);
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (uint8_t)(0xe0 | c >> 12);
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *out++ = (uint8_t)(0xf0 | c >> 18);
        *out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return out;
}

static inline void rb_lower_ascii(uint8_t *text, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) text[i] = (uint8_t)(text[i] + (((uint8_t)(text[i] - 'A') < 26) << 5));
}

/* Is a text well-formed UTF-8 (Unicode 15, table 3-7)? Surrogates, overlong forms and code points
 * beyond U+10FFFF are refused, as by `bytes.decode`. With wide registers 64 bytes are checked at a
 * time, by bits: lead bytes determine where continuation bytes must be, and they may be nowhere
 * else. A block begins with a character, and the next block begins with the character that this
 * block splits. ASCII costs a test. Errors, and the rest of the text, are examined byte by byte. */

#if RB_HAVE_SSE2
/* Bits of the bytes b of a block with `compare`, an expression of b. */
#define RB_BLOCK_BITS(bits, block, compare)                              \
    do {                                                                 \
        int rb_i;                                                        \
        (bits) = 0;                                                      \
        for (rb_i = 0; rb_i < 4; rb_i++) {                               \
            const __m128i b = (block)[rb_i];                             \
            (bits) |= (uint64_t)(uint32_t)_mm_movemask_epi8(compare)     \
                   << (16 * rb_i);                                       \
        }                                                                \
    } while (0)

#define RB_EQUAL(value) _mm_cmpeq_epi8(b, _mm_set1_epi8((char)(value)))
#define RB_BELOW(value) _mm_cmplt_epi8(b, _mm_set1_epi8((char)(value))) /* and from 0x80 on */

/* Number of bytes in whole characters of the 64 at p; 0 if they are malformed. */
static inline int rb_utf8_block(const uint8_t *p) {
    const __m128i *const from = (const __m128i *)p;
    const __m128i block[4] = {_mm_loadu_si128(from), _mm_loadu_si128(from + 1),
                              _mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3)};
    const __m128i most = _mm_max_epu8(_mm_max_epu8(block[0], block[1]),
                                      _mm_max_epu8(block[2], block[3]));
    __m128i overlong = _mm_setzero_si128();
    uint64_t high, tail, lead, lead3 = 0, lead4 = 0, below, low_second, high_second, wrong = 0;
    int i;
    RB_BLOCK_BITS(high, block, b);
    RB_BLOCK_BITS(tail, block, RB_BELOW(0xc0));
    lead = high & ~tail;
    for (i = 0; i < 4; i++) /* 0xc0 and 0xc1 */
        overlong = _mm_or_si128(
            overlong, _mm_cmpeq_epi8(_mm_and_si128(block[i], _mm_set1_epi8((char)0xfe)),
                                     _mm_set1_epi8((char)0xc0)));
    if (_mm_movemask_epi8(overlong)) return 0;
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(most, _mm_set1_epi8((char)0xe0)), most))) {
        RB_BLOCK_BITS(below, block, RB_BELOW(0xe0));
        lead3 = high & ~below;
        RB_BLOCK_BITS(low_second, block, RB_EQUAL(0xe0));
        RB_BLOCK_BITS(high_second, block, RB_EQUAL(0xed));
        if (low_second | high_second) { /* followed by at least 0xa0; by less */
            RB_BLOCK_BITS(below, block, RB_BELOW(0xa0));
            wrong |= (low_second << 1 & below) | (high_second << 1 & ~below);
        }
        RB_BLOCK_BITS(below, block, RB_BELOW(0xf0));
        lead4 = high & ~below;
        if (lead4) {
            RB_BLOCK_BITS(low_second, block, RB_EQUAL(0xf0));
            RB_BLOCK_BITS(high_second, block, RB_EQUAL(0xf4));
            RB_BLOCK_BITS(below, block, RB_BELOW(0x90));
            wrong |= (low_second << 1 & below) | (high_second << 1 & ~below);
            RB_BLOCK_BITS(below, block, RB_BELOW(0xf5));
            wrong |= high & ~below;
        }
    }
    if (wrong | ((lead << 1 | lead3 << 2 | lead4 << 3) ^ tail)) return 0;
    return 64 - (lead >> 63 ? 1 : lead3 >> 62 & 1 ? 2 : lead4 >> 61 & 1 ? 3 : 0);
}

/* The end of the well-formed, whole blocks at p. */
static inline const uint8_t *rb_utf8_blocks(const uint8_t *p, const uint8_t *end) {
    int length;
    while (end - p >= 64) {
        const __m128i *const from = (const __m128i *)p;
        if (_mm_movemask_epi8(_mm_or_si128(
                _mm_or_si128(_mm_loadu_si128(from), _mm_loadu_si128(from + 1)),
                _mm_or_si128(_mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3))))) {
            if (!(length = rb_utf8_block(p))) break;
            p += length;
        } else {
            p += 64;
        }
    }
    return p;
}
#endif

/* Length in bytes of the character at p, 0 if it is malformed; p < end. */
static inline int rb_utf8_length(const uint8_t *p, const uint8_t *end) {
    uint8_t low = 0x80, high = 0xbf; /* of the second byte */
    int length, i;
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (end - p < length) return 0;
    if (p[0] == 0xe0) low = 0xa0;
    if (p[0] == 0xed) high = 0x9f;
    if (p[0] == 0xf0) low = 0x90;
    if (p[0] == 0xf4) high = 0x8f;
    if (p[1] < low || p[1] > high) return 0;
    for (i = 2; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return length;
}

/* The first malformed character of [p, end), or end. */
static inline const uint8_t *rb_utf8_check(const uint8_t *p, const uint8_t *end) {
    int length;
#if RB_HAVE_SSE2
    p = rb_utf8_blocks(p, end);
#endif
    while (p < end) {
        while (end - p >= 8 && !(rb_load64(p) & UINT64_C(0x8080808080808080))) p += 8;
        if (p == end) break;
        if (!(length = rb_utf8_length(p, end))) break;
        p += length;
    }
    return p;
}

/* Python strings that are not all ASCII, encoded as UTF-8: Latin-1, two bytes and four bytes a
 * character. Writers return the end of their output and may store up to 130 bytes beyond it; the
 * caller provides 2, 3 or 4 bytes per character, and 130 more. Nothing is read after the text. */
typedef uint64_t (*rb_high_bits_fn)(const uint8_t *p);

RB_INLINE uint64_t rb_high_bits(const uint8_t *p) {
    uint64_t bits = 0;
    int i;
#if RB_HAVE_SSE2
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

/* Lower case of a Latin-1 character above ASCII, none of which depends on its neighbors. */
static inline uint8_t rb_lower_latin1(uint8_t c) {
    return (uint8_t)(c + (((uint8_t)(c - 0xc0) <= 0x1e && c != 0xd7) << 5));
}

/* Up to 64 Latin-1 characters, lowercased above ASCII with `lower`; needs 128 bytes of text and of
 * room. The rest after a wide character is copied again as a whole, which avoids a branch. */
RB_INLINE uint8_t *rb_encode_latin1_block(rb_high_bits_fn high_bits, const uint8_t *text, int n,
                                          uint8_t *out, int lower) {
    uint64_t wide = high_bits(text);
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

/* `lower` lowercases, which changes no length. */
RB_INLINE uint8_t *rb_encode_latin1_body(rb_high_bits_fn high_bits, const uint8_t *text,
                                         ptrdiff_t n, uint8_t *out, int lower) {
    uint8_t *const begin = out;
    uint8_t rest[192]; /* because nothing may be read after the text */
    for (; n >= 128; n -= 64, text += 64)
        out = rb_encode_latin1_block(high_bits, text, 64, out, lower);
    memcpy(rest, text, (size_t)n);
    out = rb_encode_latin1_block(high_bits, rest, n < 64 ? (int)n : 64, out, lower);
    if (n > 64) out = rb_encode_latin1_block(high_bits, rest + 64, (int)n - 64, out, lower);
    if (lower) rb_lower_ascii(begin, out - begin);
    return out;
}

static uint8_t *rb_encode_latin1_portable(const uint8_t *text, ptrdiff_t n, uint8_t *out,
                                          int lower) {
    return rb_encode_latin1_body(rb_high_bits, text, n, out, lower);
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
    return rb_encode_latin1_body(rb_high_bits, text, n, out, lower);
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

/* `count` characters as lanes of 32 bits: each becomes four bytes, then compressed. */
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

#if RB_HAVE_NEON
RB_INLINE uint64_t rb_high_bits_of_text_neon(const uint8_t *p) {
    return rb_high_bits_neon(vld4q_u8(p));
}

static uint8_t *rb_encode_latin1_neon(const uint8_t *text, ptrdiff_t n, uint8_t *out, int lower) {
    return rb_encode_latin1_body(rb_high_bits_of_text_neon, text, n, out, lower);
}

/* Four characters as four bytes each, the unused overwritten by the next; `narrow`: never four. */
RB_INLINE uint8_t *rb_encode_four_neon(uint32x4_t c, int narrow, uint8_t *out) {
    const uint32x4_t low = vdupq_n_u32(0x3f), six = vshrq_n_u32(c, 6), twelve = vshrq_n_u32(c, 12);
    const uint32x4_t is_two = vcgeq_u32(c, vdupq_n_u32(0x80));
    const uint32x4_t is_three = vcgeq_u32(c, vdupq_n_u32(0x800));
    const uint32x4_t is_four = vcgeq_u32(c, vdupq_n_u32(0x10000));
    const uint32x4_t a = vandq_u32(c, low);
    const uint32x4_t ba = vsliq_n_u32(vandq_u32(six, low), a, 8);
    const uint32x4_t dba = vsliq_n_u32(vandq_u32(twelve, low), ba, 8);
    const uint32x4_t two = vorrq_u32(vsliq_n_u32(six, a, 8), vdupq_n_u32(0x80c0));
    const uint32x4_t three = vorrq_u32(vsliq_n_u32(twelve, ba, 8), vdupq_n_u32(0x8080e0));
    const uint32x4_t four =
        vorrq_u32(vsliq_n_u32(vshrq_n_u32(c, 18), dba, 8), vdupq_n_u32(0x808080f0));
    uint32x4_t all = vbslq_u32(is_three, three, vbslq_u32(is_two, two, c));
    uint32x4_t more = vaddq_u32(is_two, is_three); /* -1 for each byte except the first */
    uint32_t bytes[4], lengths[4];
    int k;
    if (!narrow) {
        all = vbslq_u32(is_four, four, all);
        more = vaddq_u32(more, is_four);
    }
    vst1q_u32(bytes, all);
    vst1q_u32(lengths, vsubq_u32(vdupq_n_u32(1), more));
    for (k = 0; k < 4; k++) {
        memcpy(out, bytes + k, 4);
        out += lengths[k];
    }
    return out;
}

/* Copies runs of ASCII, and splits runs of ideographs. */
static uint8_t *rb_encode_ucs2_neon(const uint16_t *text, ptrdiff_t n, uint8_t *out) {
    for (; n >= 8; n -= 8, text += 8) {
        const uint16x8_t c = vld1q_u16(text);
        if (vmaxvq_u16(c) < 0x80) {
            vst1_u8(out, vmovn_u16(c));
            out += 8;
        } else if (vminvq_u16(c) >= 0x800) {
            const uint8x8_t low = vdup_n_u8(0x3f), mark = vdup_n_u8(0x80);
            uint8x8x3_t bytes;
            bytes.val[0] = vorr_u8(vmovn_u16(vshrq_n_u16(c, 12)), vdup_n_u8(0xe0));
            bytes.val[1] = vorr_u8(vand_u8(vshrn_n_u16(c, 6), low), mark);
            bytes.val[2] = vorr_u8(vand_u8(vmovn_u16(c), low), mark);
            vst3_u8(out, bytes);
            out += 24;
        } else {
            out = rb_encode_four_neon(vmovl_u16(vget_low_u16(c)), 1, out);
            out = rb_encode_four_neon(vmovl_u16(vget_high_u16(c)), 1, out);
        }
    }
    return rb_encode_ucs2_portable(text, n, out);
}

static uint8_t *rb_encode_ucs4_neon(const uint32_t *text, ptrdiff_t n, uint8_t *out) {
    for (; n >= 8; n -= 8, text += 8) {
        const uint32x4_t c = vld1q_u32(text), d = vld1q_u32(text + 4);
        if (vmaxvq_u32(vorrq_u32(c, d)) < 0x80) {
            vst1_u8(out, vmovn_u16(vcombine_u16(vmovn_u32(c), vmovn_u32(d))));
            out += 8;
        } else {
            out = rb_encode_four_neon(c, 0, out);
            out = rb_encode_four_neon(d, 0, out);
        }
    }
    return rb_encode_ucs4_portable(text, n, out);
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
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) {
        encoders.latin1 = rb_encode_latin1_neon;
        encoders.ucs2 = rb_encode_ucs2_neon;
        encoders.ucs4 = rb_encode_ucs4_neon;
    }
#endif
    return encoders;
}

#endif
