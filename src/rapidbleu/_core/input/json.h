/* Strings of JSON objects, one object per line, decoded without Python objects. Only lines that
 * Python's json certainly accepts are read: an object of strings, numbers, true, false and null, with
 * each wanted key once and a string as its value. Any other line, also a malformed one, is left to
 * json, which decides every unusual case and names every error.
 *
 * A line ends with a byte below 0x20, which no string contains, so nothing looks for the end; eight
 * bytes beyond it are read. The line must be well-formed UTF-8. */
#ifndef RAPIDBLEU_INPUT_JSON_H
#define RAPIDBLEU_INPUT_JSON_H

#include <string.h>

#include "common/bits.h"
#include "common/utf8.h"

#define RB_JSON_LONGEST_NUMBER 300 /* bytes; json refuses integers of thousands of digits */

typedef struct {
    const uint8_t *name; /* of the key, in UTF-8 */
    size_t name_length;
    uint8_t *out; /* room for the line and eight bytes */
    int64_t length; /* of the string written there; -1: none yet */
} rb_json_field;

static inline const uint8_t *rb_json_skip_spaces(const uint8_t *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    return p;
}

/* Four hexadecimal digits, or -1. */
static inline int32_t rb_json_hex(const uint8_t *p) {
    int32_t value = 0;
    int i;
    for (i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = memchr(digits, p[i], sizeof digits - 1);
        if (digit == NULL) return -1;
        value = value << 4 | (int32_t)(digit - digits - (digit - digits > 15 ? 6 : 0));
    }
    return value;
}

/* Decode the escape at p after its backslash, and move p behind it; -1 if it is none, or half of a
 * surrogate pair. */
static inline int32_t rb_json_escape(const uint8_t **p) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const uint8_t *at = (*p)++;
    const char *letter = memchr(letters, *at, sizeof letters - 1);
    int32_t c, low;
    if (letter != NULL) return meanings[letter - letters];
    if (*at != 'u' || (c = rb_json_hex(at + 1)) < 0) return -1;
    *p += 4;
    if (c < 0xd800 || c > 0xdfff) return c;
    if (c > 0xdbff || at[5] != '\\' || at[6] != 'u') return -1;
    low = rb_json_hex(at + 7);
    *p += 6;
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
}

/* Write the string at p, after its quotation mark, to out; the length, or -1. Moves p behind it. */
static inline int64_t rb_json_string(const uint8_t **p, uint8_t *out) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint8_t *const begin = out;
    for (;;) {
        const uint64_t word = rb_load64(*p), quote = word ^ ones * '"', slash = word ^ ones * '\\';
        /* Characters below 0x20 and these two. A borrow only changes bytes above the first one. */
        const uint64_t found = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote)
                             | ((slash - ones) & ~slash);
        const int n = found & ones << 7 ? rb_ctz(found & ones << 7) >> 3 : 8;
        int32_t c;
        memcpy(out, *p, 8);
        out += n;
        *p += n;
        if (n == 8) continue;
        c = *(*p)++;
        if (c == '"') return out - begin;
        if (c != '\\' || (c = rb_json_escape(p)) < 0) return -1;
        out = rb_encode((uint32_t)c, out);
    }
}

static inline const uint8_t *rb_json_digits(const uint8_t *p) {
    while (*p >= '0' && *p <= '9') p++;
    return p;
}

/* The end of the number, true, false or null at p, or NULL. */
static inline const uint8_t *rb_json_scalar_end(const uint8_t *p) {
    const uint8_t *const begin = p, *digits;
    if (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0) return p + 4;
    if (memcmp(p, "false", 5) == 0) return p + 5;
    digits = p += *p == '-';
    p = *p == '0' ? p + 1 : rb_json_digits(p);
    if (p > digits && *p == '.') p = rb_json_digits(digits = p + 1);
    if (p > digits && (*p | 0x20) == 'e') {
        digits = p + 1 + (p[1] == '-' || p[1] == '+');
        p = rb_json_digits(digits);
    }
    return p > digits && p - begin <= RB_JSON_LONGEST_NUMBER ? p : NULL;
}

/* Write the fields of the line [p, end): 1, or 0 if it is left to json. `spare` has as much room. */
static inline int rb_json_read(const uint8_t *p, const uint8_t *end, rb_json_field *fields,
                               int64_t n_fields, uint8_t *spare) {
    int64_t n_found = 0, k;
    for (k = 0; k < n_fields; k++) fields[k].length = -1;
    p = rb_json_skip_spaces(p);
    if (*p != '{') return 0;
    do {
        int64_t length;
        p = rb_json_skip_spaces(p + 1);
        if (*p++ != '"' || (length = rb_json_string(&p, spare)) < 0) return 0;
        for (k = 0; k < n_fields; k++)
            if (fields[k].name_length == (size_t)length
                && memcmp(fields[k].name, spare, (size_t)length) == 0)
                break;
        p = rb_json_skip_spaces(p);
        if (*p != ':') return 0;
        p = rb_json_skip_spaces(p + 1);
        if (*p == '"') {
            p++;
            length = rb_json_string(&p, k < n_fields ? fields[k].out : spare);
            if (length < 0 || (k < n_fields && fields[k].length >= 0)) return 0;
            if (k < n_fields) fields[k].length = length, n_found++;
        } else if (k < n_fields || (p = rb_json_scalar_end(p)) == NULL) {
            return 0;
        }
        p = rb_json_skip_spaces(p);
    } while (*p == ',');
    return *p == '}' && rb_json_skip_spaces(p + 1) == end && n_found == n_fields;
}

#endif
