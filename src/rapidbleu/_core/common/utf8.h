/* UTF-8: read one code point at a time or eight ASCII characters, written, and lowercased.
 *
 * Lone surrogates pass as three bytes. */
#ifndef RAPIDBLEU_COMMON_UTF8_H
#define RAPIDBLEU_COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"

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

#endif
