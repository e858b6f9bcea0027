/* UTF-8: read one code point at a time or eight ASCII characters, written from the three storage
 * forms of a Python string, and lowercased.
 *
 * Lone surrogates pass as three bytes.  Writers return the end of what they wrote and may store up
 * to 130 bytes beyond it; the caller provides 2, 3 or 4 bytes for each character, and 130 more. */
#ifndef RAPIDBLEU_COMMON_UTF8_H
#define RAPIDBLEU_COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"

#if defined(__SSE2__) /* part of x86-64 */
#include <emmintrin.h>
#endif

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

/* Lower case in place, ASCII. */
static inline void rb_lower_ascii(uint8_t *text, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) text[i] = (uint8_t)(text[i] + (((uint8_t)(text[i] - 'A') < 26) << 5));
}

/* Lower case of a Latin-1 character above ASCII: no letter depends on its neighbours. */
static inline uint8_t rb_lower_latin1(uint8_t c) {
    return (uint8_t)(c + (((uint8_t)(c - 0xc0) <= 0x1e && c != 0xd7) << 5));
}

/* Up to 64 Latin-1 characters, those above ASCII in lower case if asked; 128 bytes of text and of
 * room are there.  What follows a wide character is copied again, one place on, as a whole: cheaper
 * than a branch on how much it is. */
static inline uint8_t *rb_encode_latin1_block(const uint8_t *text, int n, uint8_t *out, int lower) {
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
static inline uint8_t *rb_encode_latin1(const uint8_t *text, ptrdiff_t n, uint8_t *out, int lower) {
    uint8_t *const begin = out;
    uint8_t rest[192]; /* nothing may be read behind the end of the text itself */
    for (; n >= 128; n -= 64, text += 64) out = rb_encode_latin1_block(text, 64, out, lower);
    memcpy(rest, text, (size_t)n);
    out = rb_encode_latin1_block(rest, n < 64 ? (int)n : 64, out, lower);
    if (n > 64) out = rb_encode_latin1_block(rest + 64, (int)n - 64, out, lower);
    if (lower) rb_lower_ascii(begin, out - begin);
    return out;
}

static inline uint8_t *rb_encode_ucs2(const uint16_t *text, ptrdiff_t n, uint8_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out = rb_encode(text[i], out);
    return out;
}

static inline uint8_t *rb_encode_ucs4(const uint32_t *text, ptrdiff_t n, uint8_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out = rb_encode(text[i], out);
    return out;
}

#endif
