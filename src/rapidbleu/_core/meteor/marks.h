/* Marks set apart as METEOR's normalization does it (release 1.5, option -norm).
 *
 * The rules are substitutions over the whole line, one after the other: a mark between two characters
 * of given classes gets blanks on one side or both, and a substitution consumes these characters, so
 * that of two marks that share a neighbour only the first is seen.  Here each substitution is a pass
 * over an array of code points, whose classes are looked up in a table of 128 bytes and a few ranges.
 * Passes for marks that the line has not are left out.  What a pass writes is at most three times what
 * it reads, and each mark gets blanks a few times at most, so time and memory are linear. */
#ifndef RAPIDBLEU_METEOR_MARKS_H
#define RAPIDBLEU_METEOR_MARKS_H

#include <string.h>
#include "common/memory.h"
#include "common/signals.h"

enum { RB_IS_OTHER = 1, RB_IS_LETTER = 2, RB_IS_DIGIT = 4, RB_IS_DOT = 8, RB_IS_S = 16 };
enum { RB_MARKS_OTHER, RB_MARKS_EN, RB_MARKS_FR };

#define RB_NO_LETTER (RB_IS_OTHER | RB_IS_DIGIT | RB_IS_DOT)
#define RB_NO_DIGIT (RB_IS_OTHER | RB_IS_LETTER | RB_IS_DOT)
#define RB_NEITHER (RB_IS_OTHER | RB_IS_DOT)
#define RB_IS_WORD (RB_IS_LETTER | RB_IS_DIGIT)
#define RB_DOT_RUN UINT32_C(0xfffe) /* twice: stands for two or more dots */

typedef struct {
    uint32_t *line, *other; /* what is read, and what is written */
    int64_t n, capacity, other_capacity;
} rb_marks;

static inline void rb_marks_free(rb_marks *m) {
    PyMem_RawFree(m->line);
    PyMem_RawFree(m->other);
    memset(m, 0, sizeof *m);
}

/* The classes of a character: Latin and Cyrillic letters, as METEOR lists them, and ASCII digits. */
static inline int rb_mark_class(uint32_t c) {
    if (c < 128) {
        if ((c | 32) >= 'a' && (c | 32) <= 'z') return c == 's' ? RB_IS_LETTER | RB_IS_S : RB_IS_LETTER;
        if (c >= '0' && c <= '9') return RB_IS_DIGIT;
        return c == '.' ? RB_IS_DOT : RB_IS_OTHER;
    }
    if (c >= 0xc0 && c <= 0x17e) return c == 0xd7 || c == 0xf7 ? RB_IS_OTHER : RB_IS_LETTER;
    if ((c >= 0x400 && c <= 0x527) || (c >= 0xa640 && c <= 0xa66e) || (c >= 0xa67e && c <= 0xa697)
        || (c >= 0x1d00 && c <= 0x1d7f))
        return RB_IS_LETTER;
    return RB_IS_OTHER;
}

/* Characters that later rules look after: white space and marks that words may have in them. */
static inline int rb_is_left_alone(uint32_t c) {
    return (c >= 9 && c <= 13) || c == ' ' || c == '\'' || c == ',' || c == '-' || c == '`'
        || c == 0x2018 || c == 0x2019;
}

/* Room for what a pass writes, and what it wrote becomes what is read.  A pass over a long line looks
 * for signals first. */
static inline int rb_marks_reserve(rb_marks *m) {
    if (m->n >= RB_POLL_CELLS && rb_poll_without_gil(NULL) < 0) return -1;
    return rb_room((void **)&m->other, &m->other_capacity, 3 * m->n + 8, sizeof(uint32_t));
}

static inline void rb_marks_swap(rb_marks *m, int64_t n) {
    uint32_t *line = m->line;
    const int64_t capacity = m->capacity;
    m->line = m->other;
    m->capacity = m->other_capacity;
    m->other = line;
    m->other_capacity = capacity;
    m->n = n;
}

/* Blanks around symbols and around runs of dots, which become one sign. */
static inline int rb_marks_symbols(rb_marks *m) {
    const uint32_t *in = m->line;
    uint32_t *out;
    int64_t i;
    if (rb_marks_reserve(m) < 0) return -1;
    out = m->other;
    for (i = 0; i < m->n; i++) {
        if (in[i] == '.' && i + 1 < m->n && in[i + 1] == '.') {
            while (i + 1 < m->n && in[i + 1] == '.') i++;
            *out++ = ' ';
            *out++ = RB_DOT_RUN;
            *out++ = RB_DOT_RUN;
            *out++ = ' ';
        } else if (rb_mark_class(in[i]) == RB_IS_OTHER && !rb_is_left_alone(in[i])) {
            *out++ = ' ';
            *out++ = in[i];
            *out++ = ' ';
        } else
            *out++ = in[i];
    }
    rb_marks_swap(m, out - m->other);
    return 0;
}

/* Where a mark is between characters of these classes, put blanks before it, behind it or both; a
 * dash is replaced by them. */
static inline int rb_marks_between(rb_marks *m, int left, uint32_t mark, int right, int before,
                                   int behind) {
    const uint32_t *in = m->line;
    uint32_t *out;
    int64_t i = 0;
    if (rb_marks_reserve(m) < 0) return -1;
    out = m->other;
    while (i < m->n) {
        *out++ = in[i];
        if (i + 2 < m->n && in[i + 1] == mark && (rb_mark_class(in[i]) & left)
            && (rb_mark_class(in[i + 2]) & right)) {
            if (before) *out++ = ' ';
            if (mark != '-') *out++ = mark;
            if (behind) *out++ = ' ';
            *out++ = in[i + 2];
            i += 3;
        } else
            i++;
    }
    rb_marks_swap(m, out - m->other);
    return 0;
}

/* All kinds of single quotes are one; double quotes, and two single ones, are another, with blanks. */
static inline int rb_marks_quotes(rb_marks *m) {
    uint32_t *in = m->line, *out;
    int64_t i;
    if (rb_marks_reserve(m) < 0) return -1;
    out = m->other;
    for (i = 0; i < m->n; i++)
        if (in[i] == '`' || in[i] == 0x2018 || in[i] == 0x2019) in[i] = '\'';
    for (i = 0; i < m->n; i++) {
        const int is_pair = in[i] == '\'' && i + 1 < m->n && in[i + 1] == '\'';
        if (is_pair || in[i] == 0x201c || in[i] == 0x201d) {
            *out++ = ' ';
            *out++ = '"';
            *out++ = ' ';
            i += is_pair;
        } else
            *out++ = in[i];
    }
    rb_marks_swap(m, out - m->other);
    return 0;
}

/* All kinds of dashes are one, and two are one. */
static inline void rb_marks_dashes(rb_marks *m) {
    int64_t i, n = 0;
    for (i = 0; i < m->n; i++)
        if (m->line[i] == 0x2013) m->line[i] = '-';
    for (i = 0; i < m->n; i++) {
        m->line[n++] = m->line[i];
        if (m->line[i] == '-' && i + 1 < m->n && m->line[i + 1] == '-') i++;
    }
    m->n = n;
}

static inline int rb_marks_apostrophes(rb_marks *m, int language) {
    if (language == RB_MARKS_OTHER) {
        int64_t i, n = 0;
        if (rb_marks_reserve(m) < 0) return -1;
        for (i = 0; i < m->n; i++) {
            if (m->line[i] == '\'') m->other[n++] = ' ';
            m->other[n++] = m->line[i];
            if (m->line[i] == '\'') m->other[n++] = ' ';
        }
        rb_marks_swap(m, n);
        return 0;
    }
    if (rb_marks_between(m, RB_NO_LETTER, '\'', RB_NO_LETTER, 1, 1) < 0
        || rb_marks_between(m, language == RB_MARKS_EN ? RB_NEITHER : RB_NO_LETTER, '\'', RB_IS_LETTER,
                            1, 1) < 0
        || rb_marks_between(m, RB_IS_LETTER, '\'', RB_NO_LETTER, 1, 1) < 0)
        return -1;
    if (language == RB_MARKS_FR) return rb_marks_between(m, RB_IS_LETTER, '\'', RB_IS_LETTER, 0, 1);
    if (rb_marks_between(m, RB_IS_LETTER, '\'', RB_IS_LETTER, 1, 0) < 0) return -1;
    return rb_marks_between(m, RB_IS_DIGIT, '\'', RB_IS_S, 1, 0);
}

/* Set the marks of a line apart, which begins and ends with a blank. */
static inline int rb_marks_set_apart(rb_marks *m, int language) {
    int commas = 0, quotes = 0, dashes = 0;
    int64_t i;
    for (i = 0; i < m->n; i++) {
        const uint32_t c = m->line[i];
        commas |= c == ',';
        quotes |= c == '\'' || c == '`' || (c >= 0x2018 && c <= 0x201d);
        dashes |= c == '-' || c == 0x2013;
    }
    if (rb_marks_symbols(m) < 0) return -1;
    if (commas
        && (rb_marks_between(m, RB_NO_DIGIT, ',', RB_NO_DIGIT, 1, 1) < 0
            || rb_marks_between(m, RB_IS_DIGIT, ',', RB_NO_DIGIT, 1, 1) < 0
            || rb_marks_between(m, RB_NO_DIGIT, ',', RB_IS_DIGIT, 1, 1) < 0))
        return -1;
    if (quotes && rb_marks_quotes(m) < 0) return -1;
    if (dashes) {
        rb_marks_dashes(m);
        if (rb_marks_between(m, RB_IS_WORD | RB_IS_DOT, '-', RB_IS_WORD, 1, 0) < 0) return -1;
    }
    return quotes ? rb_marks_apostrophes(m, language) : 0;
}

#endif
