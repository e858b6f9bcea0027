/* Is a text well-formed UTF-8 (Unicode 15, table 3-7)?  Runs of ASCII are skipped eight bytes at a
 * time; surrogates, overlong forms and code points beyond U+10FFFF are refused, as by `bytes.decode`. */
#ifndef RAPIDBLEU_UTF8_CHECK_H
#define RAPIDBLEU_UTF8_CHECK_H

#include "bits.h"

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
    while (p < end) {
        while (end - p >= 8 && !(rb_load64(p) & UINT64_C(0x8080808080808080))) p += 8;
        if (p == end) break;
        if (!(length = rb_utf8_length(p, end))) break;
        p += length;
    }
    return p;
}

#endif
