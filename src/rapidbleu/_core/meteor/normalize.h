/* METEOR's normalization of a line (release 1.5, option -norm), from UTF-8 to tokens. Marks are set
 * apart first. Then words that end in a dot are examined: the dot stays, or is set apart, or all
 * dots of the word vanish, depending on the dots and letters of the word, on a table of prefixes,
 * and on the first character of the next word. Runs of dots are restored, non-ASCII spaces are
 * removed, and so are control characters at both ends of the line. The rest is lowercased character
 * by character: a sigma is always medial. Each step is a linear pass over code points.
 * Most words are letters and digits between spaces: no step changes them, or reaches beyond them.
 * So they are lowercased at once, and only the parts between them take the steps. */
#ifndef RAPIDBLEU_METEOR_NORMALIZE_H
#define RAPIDBLEU_METEOR_NORMALIZE_H

#include "common/memory.h"
#include "common/signals.h"
#include "common/utf8.h"
#include "text/token_table.h"
#include <stdint.h>
#include <string.h>

/* Lower case of one character, by the interpreter's table, which needs no lock on CPython. */
static inline uint32_t rb_lower(uint32_t c) {
    if (c >= 0xc0 && c < 0x100) return c + (c < 0xdf && c != 0xd7 ? 32 : 0);
#ifdef PYPY_VERSION
    const PyGILState_STATE state = PyGILState_Ensure();
    c = Py_UNICODE_TOLOWER(c);
    PyGILState_Release(state);
    return c;
#else
    return Py_UNICODE_TOLOWER(c);
#endif
}

/* Write the lower case of a character; a dotted I keeps its dot. */
static inline uint8_t *rb_encode_lower(uint32_t c, uint8_t *out) {
    if (c == 0x130) return rb_encode(0x307, rb_encode('i', out));
    return rb_encode(c < 128 ? c + (c - 'A' < 26 ? 32 : 0) : rb_lower(c), out);
}

/* Marks set apart as in METEOR's normalization (release 1.5, option -norm). The rules are
 * successive substitutions over the whole line: a mark between two characters of given classes gets
 * spaces on one side or both, and a substitution consumes these characters, so of two marks that
 * share a neighbor only the first is matched. Here each substitution is a pass over an array of
 * code points, with classes from a table of 128 bytes and a few ranges. Passes for absent marks are
 * skipped. A pass writes at most three times its input, and a mark gets few spaces. */
enum { RB_IS_OTHER = 1, RB_IS_LETTER = 2, RB_IS_DIGIT = 4, RB_IS_DOT = 8, RB_IS_S = 16 };
enum { RB_MARKS_OTHER, RB_MARKS_EN, RB_MARKS_FR };

#define RB_NO_LETTER (RB_IS_OTHER | RB_IS_DIGIT | RB_IS_DOT)
#define RB_NO_DIGIT (RB_IS_OTHER | RB_IS_LETTER | RB_IS_DOT)
#define RB_NEITHER (RB_IS_OTHER | RB_IS_DOT)
#define RB_IS_WORD (RB_IS_LETTER | RB_IS_DIGIT)
#define RB_DOT_RUN UINT32_C(0xfffe) /* twice: stands for two or more dots */

typedef struct {
    uint32_t *line, *other; /* input and output of a pass */
    int64_t n, capacity, other_capacity;
} rb_marks;

static inline void rb_marks_free(rb_marks *m) {
    PyMem_RawFree(m->line);
    PyMem_RawFree(m->other);
    memset(m, 0, sizeof *m);
}

/* The classes of a character: Latin and Cyrillic letters as METEOR lists them, and ASCII digits. */
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

/* Characters handled by later rules: white space, and marks that may occur in words. */
static inline int rb_is_left_alone(uint32_t c) {
    return (c >= 9 && c <= 13) || c == ' ' || c == '\'' || c == ',' || c == '-' || c == '`'
        || c == 0x2018 || c == 0x2019;
}

/* Make room for the output of a pass, after polling for signals if the line is long. */
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

/* Put spaces around symbols and around runs of dots, which become one sign. */
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

/* Put spaces before or after a mark, or both, between these classes; they replace a dash. */
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

/* Unify single quotes; unify double quotes, and two single ones, with spaces around them. */
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

/* Set apart the marks of a line that begins and ends with a space. */
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

enum { RB_NO_PREFIX, RB_PREFIX_OF_DIGITS, RB_PREFIX };

/* Words that keep a final dot, sorted. */
typedef struct {
    uint32_t *characters; /* of all words */
    int64_t *first;       /* [n + 1] into the characters */
    uint8_t *kinds;       /* [n] always, or before a digit */
    int64_t n;
} rb_prefixes;

static inline void rb_prefixes_free(rb_prefixes *p) {
    PyMem_RawFree(p->characters);
    PyMem_RawFree(p->first);
    PyMem_RawFree(p->kinds);
    memset(p, 0, sizeof *p);
}

static inline int rb_prefixes_init(rb_prefixes *p, int64_t n, int64_t n_characters) {
    memset(p, 0, sizeof *p);
    p->characters = (uint32_t *)PyMem_RawMalloc(rb_bytes_of(n_characters + 1, sizeof(uint32_t)));
    p->first = (int64_t *)PyMem_RawCalloc((size_t)n + 1, sizeof(int64_t));
    p->kinds = (uint8_t *)PyMem_RawMalloc((size_t)n + 1);
    if (p->characters == NULL || p->first == NULL || p->kinds == NULL) return rb_no_memory();
    return 0;
}

static inline void rb_prefixes_add(rb_prefixes *p, uint32_t character) {
    p->characters[p->first[p->n + 1]++] = character;
}

static inline void rb_prefixes_close(rb_prefixes *p, int kind, int is_last) {
    p->kinds[p->n++] = (uint8_t)kind;
    if (!is_last) p->first[p->n + 1] = p->first[p->n];
}

/* Compare a word with prefix k: less than 0, 0 or more. */
static inline int rb_prefix_order(const rb_prefixes *p, int64_t k, const uint32_t *word,
                                  int64_t length) {
    const uint32_t *own = p->characters + p->first[k];
    const int64_t own_length = p->first[k + 1] - p->first[k];
    int64_t i;
    for (i = 0; i < length && i < own_length; i++)
        if (word[i] != own[i]) return word[i] < own[i] ? -1 : 1;
    return length < own_length ? -1 : length > own_length;
}

static inline int rb_prefix_kind(const rb_prefixes *p, const uint32_t *word, int64_t length) {
    int64_t low = 0, high = p->n;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const int order = rb_prefix_order(p, middle, word, length);
        if (order == 0) return p->kinds[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return RB_NO_PREFIX;
}

static inline int rb_separates_words(uint32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static inline int rb_is_wide_blank(uint32_t c) {
    return c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Write a word of two or more characters that ends in a dot, and return the end of the output. */
static inline uint32_t *rb_final_dot(const uint32_t *word, int64_t length, uint32_t following,
                                     const rb_prefixes *prefixes, uint32_t *out) {
    int has_dot = 0, has_letter = 0, kind;
    int64_t i;
    for (i = 0; i < length - 1; i++) {
        has_dot |= word[i] == '.';
        has_letter |= rb_mark_class(word[i]) & RB_IS_LETTER;
    }
    if (has_dot && has_letter) {
        for (i = 0; i < length; i++)
            if (word[i] != '.') *out++ = word[i];
        return out;
    }
    kind = rb_prefix_kind(prefixes, word, length - 1);
    for (i = 0; i < length - 1; i++) *out++ = word[i];
    if (kind != RB_PREFIX && !(following >= 'a' && following <= 'z')
        && !(kind == RB_PREFIX_OF_DIGITS && following >= '0' && following <= '9'))
        *out++ = ' ';
    *out++ = '.';
    return out;
}

/* Resolve the dots: words with one space after each. `text` is the original line, `following` the
 * character after it. */
static inline int rb_line_dots(rb_marks *m, const uint8_t *text, const uint8_t *end,
                               uint32_t following, const rb_prefixes *prefixes) {
    const uint32_t *in = m->line, *const stop = in + m->n, *word;
    uint32_t *out;
    if (rb_room((void **)&m->other, &m->other_capacity, 2 * m->n + (end - text), sizeof(uint32_t)) < 0)
        return -1;
    out = m->other;
    while (in < stop && rb_separates_words(*in)) in++;
    while (in < stop) {
        int64_t length;
        for (word = in; in < stop && !rb_separates_words(*in); in++) {}
        length = in - word;
        while (in < stop && rb_separates_words(*in)) in++;
        if (length > 1 && word[length - 1] == '.') {
            out = rb_final_dot(word, length, in < stop ? *in : following, prefixes, out);
        } else if (length > 1 && word[1] == RB_DOT_RUN) {
            while (text[0] != '.' || text[1] != '.') text++;
            while (text < end && *text == '.') *out++ = *text++;
        } else if (length > 1 || !rb_is_wide_blank(*word)) {
            memcpy(out, word, (size_t)length * sizeof *word);
            out += length;
        }
        *out++ = ' ';
    }
    rb_marks_swap(m, out - m->other);
    return 0;
}

/* Append the lowercased words of a part of a line, without controls at both ends of the line. */
static inline int rb_line_push(const rb_marks *m, int is_first, int is_last, rb_tokens *t) {
    const uint32_t *in = m->line, *stop = in + m->n;
    while (in < stop && (*in == ' ' || (is_first && *in < ' '))) in++;
    while (is_last && stop > in && stop[-1] <= ' ') stop--;
    while (in < stop) {
        const int64_t begin = t->text_length;
        uint8_t *out = t->text + begin;
        for (; in < stop && !rb_separates_words(*in); in++) out = rb_encode_lower(*in, out);
        t->text_length = out - t->text;
        if (rb_tokens_push(t, begin, t->text_length - begin) < 0) return -1;
        while (in < stop && rb_separates_words(*in)) in++;
    }
    return 0;
}

/* Normalize a part of a line (UTF-8, padded), except for its case: one space after each word. */
static inline int rb_normalize_part(rb_marks *m, const uint8_t *text, const uint8_t *end,
                                    uint32_t following, int language, const rb_prefixes *prefixes) {
    const uint8_t *in;
    m->n = end - text;
    if (rb_marks_reserve(m) < 0) return -1;
    m->other[0] = ' ';
    for (in = text, m->n = 1; in < end; m->n++) in += rb_decode(in, &m->other[m->n]);
    m->other[m->n] = ' ';
    rb_marks_swap(m, m->n + 1);
    if (rb_marks_set_apart(m, language) < 0) return -1;
    return rb_line_dots(m, text, end, following, prefixes);
}

/* Remove spaces and control characters at both ends, because a word with one keeps its dot. */
static inline void rb_trim_line(const uint8_t **text, const uint8_t **end) {
    while (*text < *end && **text <= ' ') ++*text;
    while (*end > *text && (*end)[-1] <= ' ') --*end;
}

static inline int rb_normalize_line(rb_marks *m, const uint8_t *text, const uint8_t *end, int language,
                                    const rb_prefixes *prefixes) {
    rb_trim_line(&text, &end);
    return rb_normalize_part(m, text, end, 0, language, prefixes);
}

/* Write the lower case of a word of letters and digits up to a space or the end of the line, and
 * return its end; NULL if it has another character, or is too long to go without a poll. */
static inline const uint8_t *rb_plain_word(const uint8_t *in, const uint8_t *end, uint8_t **out) {
    const uint8_t *const patience = in + RB_POLL_CELLS;
    while (in < patience) {
        uint64_t lower, others = ~rb_plain_bytes(rb_load64(in), &lower) & UINT64_C(0x8080808080808080);
        const int n = others == 0 ? 8 : rb_ctz(others) >> 3;
        uint32_t c;
        rb_store64(*out, lower);
        in += n;
        *out += n;
        if (n == 8) continue;
        if (in == end || *in == ' ') return in;
        if (*in < 0x80) return NULL;
        in += rb_decode(in, &c);
        if (rb_mark_class(c) != RB_IS_LETTER) return NULL;
        *out = rb_encode_lower(c, *out);
    }
    return NULL;
}

/* Append the tokens of the last part of a table's text, from `begin` on, and their text after it. */
static inline int rb_normalize(rb_tokens *t, int64_t begin, int64_t end, rb_marks *m, int language,
                               const rb_prefixes *prefixes) {
    const int64_t n_tokens = t->n_tokens;
    const uint8_t *in, *stop, *after, *part = NULL, *patience;
    t->text_length = end + 1; /* a space ends the last word */
    if (rb_text_reserve(t, 3 * (end - begin)) < 0) return -1; /* a byte becomes at most three */
    in = t->text + begin;
    stop = t->text + end;
    rb_trim_line(&in, &stop);
    patience = in + RB_POLL_CELLS;
    while (in < stop) {
        uint8_t *const text = t->text + t->text_length, *out = text;
        while (*in == ' ') in++; /* the last character is none */
        if (in > patience && rb_poll_without_gil(NULL) < 0) return -1;
        if (in > patience) patience = in + RB_POLL_CELLS;
        after = rb_plain_word(in, stop, &out);
        if (after == NULL) {
            part = part == NULL ? in : part;
            while (in < stop && *in != ' ') in++;
        }
        if (part != NULL && (after != NULL || in == stop)) {
            if (rb_normalize_part(m, part, in, in < stop ? *in : 0, language, prefixes) < 0
                || rb_line_push(m, t->n_tokens == n_tokens, in == stop, t) < 0)
                return -1;
            part = NULL;
        } else if (after != NULL) {
            t->text_length += out - text;
            if (out - text <= RB_SHORT_TOKEN
                    ? rb_tokens_push_id(t, rb_short_identity(text, out - text)) < 0
                    : rb_tokens_push(t, text - t->text, out - text) < 0)
                return -1;
            in = after;
        }
    }
    return rb_tokens_close_segment(t);
}

#endif
