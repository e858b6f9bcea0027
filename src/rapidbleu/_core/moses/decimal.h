/* Decimal numbers as doubles, as `float` reads them.
 *
 * Features are nearly always six digits and a point.  For those, double arithmetic is exact and takes
 * some nanoseconds, where `strtod` takes a hundred or more and depends on the locale.  What is not
 * exact there, long numbers and large exponents, goes to the interpreter's own conversion, which is
 * correctly rounded and knows no locale.
 *
 * A token of up to seven bytes, digits and a point, is taken apart in one 64-bit word;
 * longer ones and exponents are read digit by digit.  An integer below 2^53 times or divided by a
 * power of ten up to 10^22 is a single operation on exact operands, so IEEE arithmetic rounds it
 * correctly (Clinger 1990, section 3).  Everything else is left to `rb_read_slowly`, which needs the
 * GIL.
 *
 * `moses/decimal_text.h` goes the other way. */
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

static const double rb_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

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

#endif
