/* METEOR's normalization of a line (release 1.5, option -norm), from UTF-8 to tokens.
 *
 * Marks are set apart first (marks.h).  Then words are looked at that end in a dot: it stays, or is
 * set apart, or all dots of the word go, which depends on the dots and letters of the word, on a table
 * of prefixes, and on the first character of the next word.  Runs of dots come back, blanks beyond
 * ASCII go, and so do control characters at both ends of the line.  What is left is lowercased, a
 * character at a time: each sigma is a word of its own, so none is at the end of one.
 *
 * Each step is a pass over an array of code points; time and memory are linear. */
#ifndef RAPIDBLEU_METEOR_NORMALIZE_H
#define RAPIDBLEU_METEOR_NORMALIZE_H

#include "meteor/lowercase.h"
#include "meteor/marks.h"
#include "common/utf8.h"
#include "text/token_table.h"

enum { RB_NO_PREFIX, RB_PREFIX_OF_DIGITS, RB_PREFIX };

/* Words that keep a dot at their end, sorted. */
typedef struct {
    uint32_t *characters; /* of all words */
    int64_t *first;       /* [n + 1] into the characters */
    uint8_t *kinds;       /* [n] always, or in front of a digit */
    int64_t n;
} rb_prefixes;

static inline void rb_prefixes_free(rb_prefixes *p) {
    PyMem_RawFree(p->characters);
    PyMem_RawFree(p->first);
    PyMem_RawFree(p->kinds);
    memset(p, 0, sizeof *p);
}

/* Room for n words of so many characters; -1 and MemoryError. */
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

/* The last word is complete: the next one begins. */
static inline void rb_prefixes_close(rb_prefixes *p, int kind, int is_last) {
    p->kinds[p->n++] = (uint8_t)kind;
    if (!is_last) p->first[p->n + 1] = p->first[p->n];
}

/* Less than 0, 0 or more: a word comes before prefix k, is it, or comes behind it. */
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

/* Write a word of two or more characters that ends in a dot; returns the end of what is written. */
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

/* Bring dots to where they belong: words with one blank behind each.  `text` is the line as it was. */
static inline int rb_line_dots(rb_marks *m, const uint8_t *text, const uint8_t *end,
                               const rb_prefixes *prefixes) {
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
            out = rb_final_dot(word, length, in < stop ? *in : 0, prefixes, out);
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

/* Append the words of a line in lower case to a table, whose text they are appended to. */
static inline int rb_line_push(const rb_marks *m, const rb_lowercase *lowercase, rb_tokens *t) {
    const uint32_t *in = m->line, *stop = in + m->n;
    uint8_t *out;
    if (rb_text_reserve(t, 4 * m->n) < 0) return -1;
    while (in < stop && *in <= ' ') in++;
    while (stop > in && stop[-1] <= ' ') stop--;
    while (in < stop) {
        const int64_t begin = t->text_length;
        out = t->text + begin;
        for (; in < stop && !rb_separates_words(*in); in++) {
            if (*in < 128) {
                *out++ = (uint8_t)(*in + (*in - 'A' < 26 ? 32 : 0));
            } else if (*in == 0x130) { /* a dotted I: the dot stays */
                out = rb_encode(0x307, rb_encode('i', out));
            } else
                out = rb_encode(rb_lower(lowercase, *in), out);
        }
        t->text_length = out - t->text;
        if (rb_tokens_push(t, begin, t->text_length - begin) < 0) return -1;
        while (in < stop && rb_separates_words(*in)) in++;
    }
    return 0;
}

/* Normalize text in UTF-8, padded, but for its case: words with one blank behind each.  Spaces and
 * control characters at both ends go first, as a word with one keeps no dot apart. */
static inline int rb_normalize_line(rb_marks *m, const uint8_t *text, const uint8_t *end, int language,
                                    const rb_prefixes *prefixes) {
    const uint8_t *in;
    while (text < end && *text <= ' ') text++;
    while (end > text && end[-1] <= ' ') end--;
    m->n = end - text;
    if (rb_marks_reserve(m) < 0) return -1;
    m->other[0] = ' ';
    for (in = text, m->n = 1; in < end; m->n++) in += rb_decode(in, &m->other[m->n]);
    m->other[m->n] = ' ';
    rb_marks_swap(m, m->n + 1);
    if (rb_marks_set_apart(m, language) < 0) return -1;
    return rb_line_dots(m, text, end, prefixes);
}

/* Append the tokens of the last part of a table's text, from `begin` on, which they replace. */
static inline int rb_normalize(rb_tokens *t, int64_t begin, int64_t end, rb_marks *m, int language,
                               const rb_prefixes *prefixes, const rb_lowercase *lowercase) {
    if (rb_normalize_line(m, t->text + begin, t->text + end, language, prefixes) < 0) return -1;
    t->text_length = begin;
    if (rb_line_push(m, lowercase, t) < 0) return -1;
    return rb_tokens_close_segment(t);
}

#endif
