/* Is a text well-formed UTF-8 (Unicode 15, table 3-7)?  Surrogates, overlong forms and code points
 * beyond U+10FFFF are refused, as by `bytes.decode`.
 *
 * With wide registers 64 bytes are judged at a time, by bits: each lead byte says where continuation
 * bytes are expected, and they have to be there and nowhere else.  A block begins with a character,
 * and the next block begins with the one that this block cuts.  ASCII costs a test.  Whatever is
 * wrong is found again byte by byte, and so is the rest of the text checked. */
#ifndef RAPIDBLEU_COMMON_UTF8_CHECK_H
#define RAPIDBLEU_COMMON_UTF8_CHECK_H

#include "common/bits.h"

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
