/* Decimal numbers to doubles, with the results of `float`. Features are nearly always six digits
 * and a point, for which double arithmetic is exact and takes some nanoseconds, whereas `strtod`
 * takes a hundred or more and depends on the locale. Long numbers and large exponents, which are
 * not exact, use the interpreter's conversion, which is correctly rounded and independent of the
 * locale.
 *
 * A token of up to eight bytes, digits and a point, is parsed in one 64-bit word; longer ones and
 * exponents are read digit by digit. An integer below 2^53 times or divided by a power of ten up to
 * 10^22 is a single operation on exact operands, so IEEE arithmetic rounds it correctly (Clinger
 * 1990, section 3). Everything else is left to `rb_read_slowly`, which needs the GIL. */
#ifndef RAPIDBLEU_MOSES_DECIMAL_H
#define RAPIDBLEU_MOSES_DECIMAL_H

#include "Python.h"
#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include <float.h>
#include <stdint.h>
#include <string.h>

/* Wider intermediate results (x87) would round twice. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define RB_EXACT_DOUBLES 1
#elif defined(_MSC_VER)
#define RB_EXACT_DOUBLES 1
#else
#define RB_EXACT_DOUBLES 0
#endif

#define RB_NUMBER_PADDING 16 /* readable bytes after the text */

static const double rb_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define RB_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Bit 7 of the first byte that is a space or lower, and perhaps of later bytes; 0 if none is. */
static inline uint64_t rb_blanks(uint64_t word) {
    return (word - RB_BYTES(0x21)) & ~word & RB_BYTES(0x80);
}

/* End of the token at p: the next byte that is a space or lower, which must exist. */
static inline const uint8_t *rb_token_end(const uint8_t *p) {
    uint64_t blanks;
    while (!(blanks = rb_blanks(rb_load64(p)))) p += 8;
    return p + (rb_ctz(blanks) >> 3);
}

/* The number of eight digits, the bytes 0 to 9, or -1 if a byte is anything else. */
static inline int64_t rb_eight_digits(uint64_t digits) {
    if ((digits | (digits + RB_BYTES(0x76))) & RB_BYTES(0x80)) return -1;
    digits = digits * 2561 >> 8;
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (int64_t)((digits & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32);
}

static inline int rb_is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/* Read the digits of a token that ends at `end` one by one; 0 if not a plain number, or inexact. */
static inline int rb_long_number(const uint8_t *p, const uint8_t *end, double *value) {
    uint64_t mantissa = 0;
    int exponent = 0, n_digits = 0, any = 0, power = 0, negative = 0;
    for (; p < end && rb_is_digit(*p); p++, any = 1) {
        mantissa = 10 * mantissa + (uint64_t)(*p - '0');
        if (mantissa && ++n_digits > 18) return 0;
    }
    if (p < end && *p == '.') {
        for (p++; p < end && rb_is_digit(*p); p++, any = 1) {
            mantissa = 10 * mantissa + (uint64_t)(*p - '0');
            if (--exponent < -99 || (mantissa && ++n_digits > 18)) return 0;
        }
    }
    if (!any) return 0;
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
        if (p == end) return 0;
        for (; p < end && rb_is_digit(*p); p++)
            if ((power = 10 * power + (*p - '0')) > 999) return 0;
        exponent += negative ? -power : power;
    }
    if (p != end || mantissa >> 53 || exponent < -22 || exponent > 22) return 0;
    *value = exponent < 0 ? (double)mantissa / rb_powers[-exponent]
                          : (double)mantissa * rb_powers[exponent];
    return RB_EXACT_DOUBLES;
}

RB_INLINE int rb_read_size(const uint8_t *p, const uint8_t **end, double *value) {
    const uint64_t text = rb_load64(p), blanks = rb_blanks(text), low = text ^ RB_BYTES('.');
    uint64_t word = text ^ RB_BYTES('0');
    if (blanks || p[8] <= ' ') {
        int n = blanks ? rb_ctz(blanks) >> 3 : 8, n_fraction = 0;
        uint64_t point = (low - RB_BYTES(1)) & ~low & RB_BYTES(0x80);
        *end = p + n;
        point &= blanks ^ (blanks - 1); /* in the token */
        if (point) {
            const uint64_t whole = point ^ (point - 1), before = whole >> 8;
            n_fraction = --n - (rb_ctz(point) >> 3);
            word = (word & before) | (word >> 8 & ~before);
        }
        if (n > 0) {
            const int64_t digits = rb_eight_digits(word << (64 - 8 * n));
            if (digits >= 0) {
                *value = (double)digits / rb_powers[n_fraction];
                return RB_EXACT_DOUBLES;
            }
        }
    } else {
        *end = rb_token_end(p);
    }
    return rb_long_number(p, *end, value);
}

/* Read the token at p, which is not a space, and set its end. 1: `value` is correctly rounded; 0:
 * `rb_read_slowly` must decide. Signs in a column are alike, hence predictable. */
static inline int rb_read_number(const uint8_t *p, const uint8_t **end, double *value) {
    int done;
    if (*p != '-') return rb_read_size(p, end, value);
    done = rb_read_size(p + 1, end, value);
    *value = -*value;
    return done;
}

/* Read a token [p, end) of any form: 1 with its `value`, infinite if too large; 0 if it is not a
 * number; -1 with an exception set. Needs the GIL. */
static inline int rb_read_slowly(const uint8_t *p, const uint8_t *end, double *value) {
    const uint8_t *c;
    PyObject *text; /* ends in NUL, as required by the interpreter */
    if (p == end || *p == 'e' || *p == 'E') return 0;
    for (c = p; c < end; c++)
        if (!rb_is_digit(*c) && (*c == 0 || strchr("+-.eE", *c) == NULL)) return 0;
    text = PyBytes_FromStringAndSize((const char *)p, end - p);
    if (text == NULL) return -1;
    *value = PyOS_string_to_double(PyBytes_AS_STRING(text), NULL, NULL);
    Py_DECREF(text);
    if (*value != -1.0 || !PyErr_Occurred()) return 1;
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return -1;
    PyErr_Clear();
    return 0;
}

/* Read an integer of up to seven digits; -1 if the token at p, not a space, is anything else. */
static inline int64_t rb_read_count(const uint8_t *p, const uint8_t **end) {
    const uint64_t word = rb_load64(p), blanks = rb_blanks(word);
    int n;
    if (!blanks) {
        *end = rb_token_end(p);
        return -1;
    }
    n = rb_ctz(blanks) >> 3;
    *end = p + n;
    if (n == 0) return -1;
    return rb_eight_digits((word ^ RB_BYTES('0')) << (64 - 8 * n));
}

/* Doubles and integers to decimal numbers, with the results of `%g`. `%g` writes six digits,
 * without trailing zeros. A value scaled to six digits before the point is off by less than 1e-9,
 * so it is rounded like the exact value unless it is within 1e-6 of a half. Those values, and all
 * with an exponent, are left to the interpreter, whose conversion is correctly rounded and
 * independent of the locale. The six digits are the bytes of one word. A table contains for each
 * power of ten the position of the point, or the leading zeros, so the usual number is two stores
 * without a branch; only the length of the text depends on the number. */
#define RB_NUMBER_WIDTH 16  /* most bytes touched by rb_format_number; -1.23457e-105 is longest */
#define RB_INTEGER_WIDTH 20 /* most bytes touched by rb_format_integer */

#define RB_LEAST_POWER (-5)
static const double rb_scales[11] = {/* move the first digit of 10^-5 to 10^5 to 10^5 */
    1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0};

typedef struct {
    uint64_t whole;      /* bytes of the digits before the point */
    uint64_t point;      /* the point, after them */
    uint8_t n_whole;     /* digits written even if they are zeros */
    uint8_t n_point;     /* 1: write a point if more digits follow */
    uint8_t n_before;    /* bytes before the first digit */
} rb_places;

#define RB_WHOLE(n) {(UINT64_C(1) << 8 * (n)) - 1, (uint64_t)'.' << 8 * (n), (n), 1, 0}
#define RB_SMALL(n) {~UINT64_C(0), 0, 0, 0, (n)}
static const rb_places rb_fixed[10] = {
    RB_SMALL(5), RB_SMALL(4), RB_SMALL(3), RB_SMALL(2), RB_WHOLE(1),
    RB_WHOLE(2), RB_WHOLE(3), RB_WHOLE(4), RB_WHOLE(5), RB_WHOLE(6)};

/* The eight digits of a number below 10^8, the first one in the lowest byte. */
static inline uint64_t rb_digits_of(uint32_t value) {
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* Write `value` like `%g` if that is exact here, and return the end of the text, or NULL. */
static inline uint8_t *rb_format_exactly(double value, uint8_t *out) {
    const rb_places *places;
    uint64_t bits, text;
    uint32_t digits;
    double size, scaled, rest;
    int power, n;
    if (!RB_EXACT_DOUBLES) return NULL;
    memcpy(&bits, &value, 8);
    *out = '-';
    out += bits >> 63;
    size = bits >> 63 ? -value : value;
    if (size == 0) {
        *out++ = '0';
        return out;
    }
    if (!(size >= 1e-4 && size < 999999.5)) return NULL;
    power = (int)(bits >> 52 & 0x7ff) - 1023; /* of two */
    power = ((power * 1233 + (256 << 12)) >> 12) - 256; /* of ten: this or one more */
    power += size * rb_scales[power - RB_LEAST_POWER] > 999999.9;
    scaled = size * rb_scales[power - RB_LEAST_POWER] + 0.5;
    digits = (uint32_t)scaled;
    rest = scaled - digits;
    if (rest < 0.000001 || rest > 0.999999 || digits == 1000000) return NULL;
    text = rb_digits_of(100 * digits);
    n = (rb_ctz(rb_highest_bit(text)) >> 3) + 1; /* without trailing zeros */
    text |= RB_BYTES('0');
    places = &rb_fixed[power - RB_LEAST_POWER - 1];
    rb_store64(out, RB_BYTES('0') ^ (uint64_t)('0' ^ '.') << 8);
    out += places->n_before;
    rb_store64(out, (text & places->whole) | places->point | (text & ~places->whole) << 8);
    return out + (n > places->n_whole ? n + places->n_point : places->n_whole);
}

/* Write a finite number like `%g`, without the GIL: the end, or NULL with MemoryError set. */
static inline uint8_t *rb_format_number(double value, uint8_t *out) {
    uint8_t *end = rb_format_exactly(value, out);
    PyGILState_STATE state;
    char *text;
    size_t n;
    if (end != NULL) return end;
    state = PyGILState_Ensure();
    text = PyOS_double_to_string(value, 'g', 6, 0, NULL);
    if (text == NULL) {
        PyErr_NoMemory();
    } else {
        n = strlen(text);
        memcpy(out, text, n);
        end = out + n;
        PyMem_Free(text);
    }
    PyGILState_Release(state);
    return end;
}

/* Write an integer like `%g` if that is exact, otherwise with all digits. Returns as above. */
static inline uint8_t *rb_format_integer(int64_t value, uint8_t *out) {
    uint8_t digits[RB_INTEGER_WIDTH];
    uint64_t left = (uint64_t)value, text;
    int64_t rest = value;
    int n = 0;
    if (left < 1000000) {
        text = rb_digits_of((uint32_t)left);
        n = rb_ctz(text | UINT64_C(1) << 56) >> 3; /* zeros before the first digit, or the only one */
        rb_store64(out, (text | RB_BYTES('0')) >> 8 * n);
        return out + 8 - n;
    }
    while (rest && rest % 10 == 0) rest /= 10;
    if (-1000000 < rest && rest < 1000000) return rb_format_number((double)value, out);
    if (value < 0) {
        *out++ = '-';
        left = 0 - left;
    }
    for (; left; left /= 10) digits[n++] = (uint8_t)('0' + left % 10);
    while (n) *out++ = digits[--n];
    return out;
}

#endif
