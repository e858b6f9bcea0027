/* UTF-8: read one code point at a time or eight ASCII characters, written, and lowercased.
 *
 * Lone surrogates pass as three bytes. */
#ifndef RAPIDBLEU_COMMON_UTF8_H
#define RAPIDBLEU_COMMON_UTF8_H

#include "common/bits.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int rb_is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* Length of the code point at p, and the code point itself.  A byte that starts no well-formed
 * sequence counts as one character, 0xfffd, so that any bytes can be read to their end.  Up to four
 * bytes are read; the text must be padded with something that is no continuation byte. */
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

/* Append those of the next eight bytes that are `kept`, as code points, if all are ASCII; else NULL.
 * Each byte is stored, and the place of the next moves on if it is kept: no branch depends on it. */
static inline uint32_t *rb_eight_characters(const uint8_t *text, const uint8_t *kept,
                                            uint32_t *out) {
    int i;
    if (rb_load64(text) & UINT64_C(0x8080808080808080)) return NULL;
    for (i = 0; i < 8; i++) {
        *out = text[i];
        out += kept[text[i]];
    }
    return out;
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

/* Lower case in place, ASCII. */
static inline void rb_lower_ascii(uint8_t *text, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) text[i] = (uint8_t)(text[i] + (((uint8_t)(text[i] - 'A') < 26) << 5));
}

/* Is a text well-formed UTF-8 (Unicode 15, table 3-7)?  Surrogates, overlong forms and code points
 * beyond U+10FFFF are refused, as by `bytes.decode`.
 *
 * With wide registers 64 bytes are judged at a time, by bits: each lead byte says where continuation
 * bytes are expected, and they have to be there and nowhere else.  A block begins with a character,
 * and the next block begins with the one that this block cuts.  ASCII costs a test.  Whatever is
 * wrong is found again byte by byte, and so is the rest of the text checked. */

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

/* How many bytes of the 64 at p are whole characters; 0 if they are malformed. */
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
        if (low_second | high_second) { /* followed by no less than 0xa0; by less */
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

/* The first byte behind the blocks at p that are well-formed and whole. */
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

/* How many bytes the character at p takes, 0 if it is malformed; p < end. */
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

#endif
