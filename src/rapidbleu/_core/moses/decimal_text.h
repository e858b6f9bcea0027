/* Doubles and integers as decimal numbers, as `%g` writes them.
 *
 * `%g` keeps six digits, without zeros at the end.  A value that is scaled to six digits before the
 * point is off by less than 1e-9, so it is rounded as the exact value is unless it is within 1e-6 of
 * a half.  Those values, and very large or small ones, are left to the interpreter, whose conversion
 * is correctly rounded and knows no locale.
 *
 * The six digits are the bytes of one word.  A table says for each power of ten where the point comes
 * between them, or which zeros come before them, so that the usual number is two stores without a
 * branch: what differs from one number to the next is only by how much the text grows. */
#ifndef RAPIDBLEU_MOSES_DECIMAL_TEXT_H
#define RAPIDBLEU_MOSES_DECIMAL_TEXT_H

#include "Python.h"
#include <stdint.h>
#include <string.h>

#include "common/bits.h"
#include "moses/decimal.h"

#define RB_NUMBER_WIDTH 16  /* most bytes that rb_format_number touches; -1.23457e-105 is longest */
#define RB_INTEGER_WIDTH 20 /* most bytes that rb_format_integer touches */

#define RB_LEAST_POWER (-30)
static const double rb_scales[60] = {/* what brings the first digit of 10^-30 to 10^29 to 10^5 */
    1e35,  1e34,  1e33,  1e32,  1e31,  1e30,  1e29,  1e28,  1e27,  1e26,  1e25,  1e24,
    1e23,  1e22,  1e21,  1e20,  1e19,  1e18,  1e17,  1e16,  1e15,  1e14,  1e13,  1e12,
    1e11,  1e10,  1e9,   1e8,   1e7,   1e6,   1e5,   1e4,   1e3,   1e2,   1e1,   1e0,
    1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12,
    1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22, 1e-23, 1e-24};

typedef struct {
    uint64_t whole;      /* the bytes of the digits before the point */
    uint64_t point;      /* the point, behind them */
    uint8_t n_whole;     /* digits that are written even if they are zeros */
    uint8_t n_point;     /* 1: there is a point if more digits follow */
    uint8_t n_before;    /* bytes before the first digit */
} rb_places;

#define RB_WHOLE(n) {(UINT64_C(1) << 8 * (n)) - 1, (uint64_t)'.' << 8 * (n), (n), 1, 0}
#define RB_SMALL(n) {~UINT64_C(0), 0, 0, 0, (n)}
#define RB_LEAST_FIXED (-4)
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

/* Digits as `%g` writes them with an exponent. */
static inline uint8_t *rb_format_power(uint64_t digits, int n, int power, uint8_t *out) {
    rb_store64(out, (digits & 0xff) | '.' << 8 | (digits & ~UINT64_C(0xff)) << 8);
    out += n > 1 ? n + 1 : 1;
    *out++ = 'e';
    *out++ = power < 0 ? '-' : '+';
    if (power < 0) power = -power;
    *out++ = (uint8_t)('0' + power / 10);
    *out++ = (uint8_t)('0' + power % 10);
    return out;
}

/* Write `value` as `%g` does where that is exact here; returns the end of the text, or NULL. */
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
    if (!(size >= 1e-29 && size < 1e29)) return NULL;
    power = (int)(bits >> 52 & 0x7ff) - 1023; /* of two */
    power = ((power * 1233 + (256 << 12)) >> 12) - 256; /* of ten: this or one more */
    power += size * rb_scales[power - RB_LEAST_POWER] > 999999.9;
    scaled = size * rb_scales[power - RB_LEAST_POWER] + 0.5;
    digits = (uint32_t)scaled;
    rest = scaled - digits;
    if (rest < 0.000001 || rest > 0.999999 || digits == 1000000) return NULL;
    text = rb_digits_of(100 * digits);
    n = (rb_ctz(rb_highest_bit(text)) >> 3) + 1; /* without zeros at the end */
    text |= RB_BYTES('0');
    if (power < RB_LEAST_FIXED || power > 5) return rb_format_power(text, n, power, out);
    places = &rb_fixed[power - RB_LEAST_FIXED];
    rb_store64(out, RB_BYTES('0') ^ (uint64_t)('0' ^ '.') << 8);
    out += places->n_before;
    rb_store64(out, (text & places->whole) | places->point | (text & ~places->whole) << 8);
    return out + (n > places->n_whole ? n + places->n_point : places->n_whole);
}

/* Write a finite number as `%g` does: the end of the text, or NULL with MemoryError set.  The GIL is
 * not needed. */
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

/* Write an integer as `%g` does if that is exact, else with all of its digits.  Returns as above. */
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
