/* Decimal numbers and doubles, both ways, as `float` reads them and `%g` writes them.
 *
 * Features are nearly always six digits and a point.  For those, double arithmetic is exact enough to
 * be right and takes some nanoseconds, where `strtod` and `printf` take a hundred or more and depend
 * on the locale.  What is not exact there, long numbers, large exponents, values half way between two
 * texts, goes to the interpreter's own conversions, which are correctly rounded and know no locale.
 *
 * Reading: a token of up to seven bytes, digits and a point, is taken apart in one 64-bit word;
 * longer ones and exponents are read digit by digit.  An integer below 2^53 times or divided by a
 * power of ten up to 10^22 is a single operation on exact operands, so IEEE arithmetic rounds it
 * correctly (Clinger 1990, section 3).  Everything else is left to `rb_read_slowly`, which needs the
 * GIL.
 *
 * Writing: `%g` keeps six digits.  The value scaled to six digits before the point is off by less
 * than 1e-9, so it is rounded as the exact value is unless it is within 1e-6 of a half; those values
 * are left to the interpreter too. */
#ifndef RAPIDBLEU_MOSES_DECIMAL_H
#define RAPIDBLEU_MOSES_DECIMAL_H

#include "Python.h"
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"

/* Wider intermediate results (x87) would round twice. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define RB_EXACT_DOUBLES 1
#elif defined(_MSC_VER)
#define RB_EXACT_DOUBLES 1
#else
#define RB_EXACT_DOUBLES 0
#endif

#define RB_NUMBER_PADDING 16 /* readable bytes behind the text */
#define RB_NUMBER_WIDTH 16   /* longest text that rb_format_number writes: -1.23457e-105, a space */
#define RB_INTEGER_WIDTH 20  /* longest text of an integer of 64 bits */

static const double rb_powers[36] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
    1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35};

#define RB_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Bit 7 of the first byte that is a space or lower, and perhaps of later bytes; 0: none is. */
static inline uint64_t rb_blanks(uint64_t word) {
    return (word - RB_BYTES(0x21)) & ~word & RB_BYTES(0x80);
}

/* Where the token at p ends: the next byte that is a space or lower, of which there is one. */
static inline const uint8_t *rb_token_end(const uint8_t *p) {
    uint64_t blanks;
    while (!(blanks = rb_blanks(rb_load64(p)))) p += 8;
    return p + (rb_ctz(blanks) >> 3);
}

static inline uint64_t rb_eight_digits(uint64_t word) {
    word = (word & RB_BYTES(0x0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

static inline int rb_is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/* The digits of a token that ends at `end`, one by one; 0: not a plain number, or not exact. */
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

/* A number without its sign. */
RB_INLINE int rb_read_size(const uint8_t *p, const uint8_t **end, double *value) {
    uint64_t word, blanks, point, digits, low;
    int n, n_fraction = 0, at;
    word = rb_load64(p);
    blanks = rb_blanks(word);
    if (blanks && (n = rb_ctz(blanks) >> 3) > 0) {
        *end = p + n;
        word = rb_low_bytes(word, n);
        low = word ^ RB_BYTES('.');
        point = (low - RB_BYTES(1)) & ~low & RB_BYTES(0x80);
        if (point) {
            at = rb_ctz(point) >> 3;
            n_fraction = --n - at;
            word = rb_low_bytes(word, at) | (word >> 8 * at >> 8) << 8 * at;
        }
        if (n == 0) return 0;
        word = word << (64 - 8 * n) | rb_low_bytes(RB_BYTES('0'), 8 - n);
        digits = (word & RB_BYTES(0xf0)) | ((word + RB_BYTES(6)) & RB_BYTES(0xf0)) >> 4;
        if (digits == RB_BYTES(0x33)) {
            *value = (double)(int64_t)rb_eight_digits(word) / rb_powers[n_fraction];
            return RB_EXACT_DOUBLES;
        }
    } else {
        *end = rb_token_end(p);
    }
    return rb_long_number(p, *end, value);
}

/* Read the token at p, which is no blank, and set its end.  1: `value` is what the text says,
 * correctly rounded; 0: `rb_read_slowly` has to say it, or that it is no number.  Signs of a column
 * are alike, so they are guessed well; what follows does not wait for them. */
static inline int rb_read_number(const uint8_t *p, const uint8_t **end, double *value) {
    int done;
    if (*p != '-') return rb_read_size(p, end, value);
    done = rb_read_size(p + 1, end, value);
    *value = -*value;
    return done;
}

/* Read a token [p, end) of any form: 1, and `value` is the number, infinite if it is too large; 0: it
 * is none; -1: an exception is set.  The GIL is held. */
static inline int rb_read_slowly(const uint8_t *p, const uint8_t *end, double *value) {
    const uint8_t *c;
    PyObject *text; /* what ends in NUL, as the interpreter needs it */
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

/* Read an integer of up to seven digits; -1: the token at p, which is no blank, is none. */
static inline int64_t rb_read_count(const uint8_t *p, const uint8_t **end) {
    uint64_t word = rb_load64(p), blanks = rb_blanks(word), digits;
    int n;
    if (!blanks) {
        *end = rb_token_end(p);
        return -1;
    }
    n = rb_ctz(blanks) >> 3;
    *end = p + n;
    if (n == 0) return -1;
    word = word << (64 - 8 * n) | rb_low_bytes(RB_BYTES('0'), 8 - n);
    digits = (word & RB_BYTES(0xf0)) | ((word + RB_BYTES(6)) & RB_BYTES(0xf0)) >> 4;
    return digits == RB_BYTES(0x33) ? (int64_t)rb_eight_digits(word) : -1;
}

/* Write `value` as `%g` does where that is exact here; returns the end of the text, or NULL. */
static inline uint8_t *rb_format_exactly(double value, uint8_t *out) {
    uint64_t bits;
    uint32_t digits;
    uint8_t text[6];
    double size, scaled, rest;
    int exponent, n = 6, i;
    if (!RB_EXACT_DOUBLES) return NULL;
    memcpy(&bits, &value, 8);
    if (bits >> 63) *out++ = '-';
    size = bits >> 63 ? -value : value;
    if (size == 0) {
        *out++ = '0';
        return out;
    }
    if (!(size >= 1e-29 && size < 1e29)) return NULL;
    bits &= ~(UINT64_C(1) << 63);
    exponent = (int)(bits >> 52) - 1023;
    exponent = (exponent * 1233 - (exponent < 0 ? 4095 : 0)) / 4096; /* of ten: this or one more */
    for (;;) {
        scaled = exponent <= 5 ? size * rb_powers[5 - exponent] : size / rb_powers[exponent - 5];
        if (scaled < 999999.499) break;
        if (scaled < 999999.501) return NULL; /* this power or the next, by a hair */
        exponent++;
    }
    digits = (uint32_t)scaled;
    rest = scaled - digits;
    if (rest > 0.499999 && rest < 0.500001) return NULL;
    digits += rest > 0.5;
    for (i = 5; i >= 0; i--, digits /= 10) text[i] = (uint8_t)('0' + digits % 10);
    while (n > 1 && text[n - 1] == '0') n--;
    if (exponent < -4 || exponent > 5) {
        *out++ = text[0];
        if (n > 1) *out++ = '.';
        for (i = 1; i < n; i++) *out++ = text[i];
        *out++ = 'e';
        *out++ = exponent < 0 ? '-' : '+';
        if (exponent < 0) exponent = -exponent;
        *out++ = (uint8_t)('0' + exponent / 10);
        *out++ = (uint8_t)('0' + exponent % 10);
        return out;
    }
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        for (i = -1; i > exponent; i--) *out++ = '0';
        for (i = 0; i < n; i++) *out++ = text[i];
        return out;
    }
    for (i = 0; i <= exponent; i++) *out++ = text[i];
    if (n > exponent + 1) *out++ = '.';
    for (; i < n; i++) *out++ = text[i];
    return out;
}

/* Write a finite number as `%g` does, RB_NUMBER_WIDTH bytes at most: the end of the text, or NULL
 * with MemoryError set.  The GIL is not needed. */
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

/* Write an integer as `%g` does if that is exact, else with all of its digits: RB_INTEGER_WIDTH bytes
 * at most.  Returns as above. */
static inline uint8_t *rb_format_integer(int64_t value, uint8_t *out) {
    uint8_t digits[RB_INTEGER_WIDTH];
    uint64_t left = (uint64_t)value;
    int64_t rest = value;
    int n = 0;
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
