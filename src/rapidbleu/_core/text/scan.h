/* Rules of the compiled tokenizers: text to token identities, 64 bytes at a time, without Python
 * objects. 13a, zh, intl, char and none are one machine with different tables. A table assigns each
 * character a class (text/classify.h), and four substitutions of mteval do the rest, in this order:
 *
 *     SYMBOL            -> ' c '        always a token of its own
 *     ([^DIGIT])(POINT) -> '\1 \2 '     a point not after a digit,
 *     (POINT)([^DIGIT]) -> ' \1 \2'     or not before one, is a token of its own
 *     (DIGIT)(DASH)     -> '\1 \2 '     and so is a dash after a digit
 *
 * The result depends only on the neighbors of each character, so the rule is bit algebra on planes
 * (bit i of plane DIGIT: character i is a digit). One exception: a substitution consumes two
 * characters, so in a run of points the first rule takes every second one; only then are bits
 * walked one by one. A token starts at a non-space bit after a space or a boundary. Branches would
 * be mispredicted. Text is UTF-8. A non-ASCII character is a letter unless the table gives it a
 * class: white space is replaced by spaces in place, symbols (the ideographs of zh) get boundaries,
 * and any other class (the quotation marks of intl) ends the scan for a walk by the caller. */
#ifndef RAPIDBLEU_TEXT_SCAN_H
#define RAPIDBLEU_TEXT_SCAN_H

#include "common/signals.h"
#include "text/classify.h"
#include "text/token_table.h"

typedef struct {
    const rb_class_table *table;
    int pad;        /* apply the rule to the text between two spaces */
    int characters; /* every token is a single character */
} rb_scan_rule;

enum { /* results of a scan */
    RB_SCANNED,
    RB_WALK,   /* met a character beyond bit algebra */
    RB_ESCAPED /* met a possible replacement, to be made first */
};

/* Effects of the non-ASCII characters of a block. */
typedef struct {
    uint64_t spaces;
    uint64_t boundary;
    uint64_t next_boundary; /* of the next block */
    int walk;               /* met one that is neither a letter, white space nor a symbol */
} rb_wide_marks;

/* Overwrite white space by spaces and set boundaries around symbols, at the bytes in `leads`. */
static rb_wide_marks rb_place_wide(const rb_class_table *table, uint8_t *block, uint64_t leads) {
    rb_wide_marks marks = {0, 0, 0, 0};
    for (; leads; leads &= leads - 1) {
        const int i = rb_ctz(leads);
        uint32_t code_point;
        const int length = rb_decode(block + i, &code_point);
        const uint8_t kind = rb_wide_class(table, code_point);
        if (kind == RB_SPACE) {
            memset(block + i, 0x20, (size_t)length);
            marks.spaces |= ((UINT64_C(1) << length) - 1) << i;
        } else if (kind == RB_SYMBOL) {
            marks.boundary |= UINT64_C(1) << i;
            if (i + length < 64)
                marks.boundary |= UINT64_C(1) << (i + length);
            else
                marks.next_boundary |= UINT64_C(1) << (i + length - 64);
        } else if (kind != RB_OTHER) {
            marks.walk = 1;
            return marks;
        }
    }
    return marks;
}

/* The first, third, ... bit of each run of set bits; a run may begin in the previous block. */
static uint64_t rb_every_second(uint64_t points, uint64_t was_taken) {
    uint64_t taken = 0;
    while (points) {
        const uint64_t bit = points & (0 - points);
        points ^= bit;
        if (!(bit >> 1 & taken) && !(bit & 1 & was_taken)) taken |= bit;
    }
    return taken;
}

/* Point to the next token, and to the last position with room for another block's tokens. */
RB_INLINE int rb_open_cursor(rb_tokens *t, rb_cursor *cursor, rb_cursor *roof) {
    if (rb_tokens_reserve(t, RB_MOST_EMITTED) < 0) return -1;
    cursor->lo = t->lo + t->n_tokens;
    cursor->hi = t->hi + t->n_tokens;
    cursor->longs = t->longs + t->n_longs;
    cursor->index = (int32_t)(t->n_tokens - t->first_token[t->n_segments]);
    roof->lo = t->lo + t->token_capacity - RB_MOST_EMITTED;
    roof->longs = t->longs + t->long_capacity - RB_MOST_EMITTED;
    return 0;
}

RB_INLINE void rb_close_cursor(rb_tokens *t, const rb_cursor *cursor) {
    t->n_tokens = cursor->lo - t->lo;
    t->n_longs = cursor->longs - t->longs;
}

#define RB_MARK
#define RB_OF_LEVEL(name) name##_portable
#include "text/scan_body.h"
#if RB_HAVE_V3
#undef RB_MARK
#undef RB_OF_LEVEL
#define RB_MARK RB_V3
#define RB_OF_LEVEL(name) name##_v3
#include "text/scan_body.h"
#undef RB_MARK
#undef RB_OF_LEVEL
#define RB_MARK RB_AVX512
#define RB_OF_LEVEL(name) name##_avx512
#include "text/scan_body.h"
#elif RB_HAVE_NEON
#undef RB_OF_LEVEL
#define RB_OF_LEVEL(name) name##_neon
#include "text/scan_body.h"
#endif
#undef RB_MARK
#undef RB_OF_LEVEL

typedef int (*rb_scan_fn)(const rb_scan_rule *rule, rb_tokens *t, int64_t begin, int64_t end,
                          int escapes);

static inline rb_scan_fn rb_scan_select(void) {
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX512) return rb_scan_avx512;
    if (level == RB_LEVEL_AVX2) return rb_scan_v3;
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) return rb_scan_neon;
#endif
    return rb_scan_portable;
}

typedef int (*rb_scan_words_fn)(const rb_class_table *table, rb_tokens *t, int64_t begin, int64_t end);

static inline rb_scan_words_fn rb_scan_words_select(void) {
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX512) return rb_scan_words_avx512;
    if (level == RB_LEVEL_AVX2) return rb_scan_words_v3;
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) return rb_scan_words_neon;
#endif
    return rb_scan_words_portable;
}

/* Append the next eight bytes that are `kept`, as code points, if all are ASCII; else return NULL.
 * Each byte is stored and the output advances if it is kept, which avoids branches. */
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

/* 13a's first step: replacements in place, before the text is split into tokens. In sacrebleu's
 * order: "<skipped>" and a hyphen before a line feed vanish, a line feed becomes a space, then four
 * entities become characters, one after the other, so that "&amp;lt;" ends as "<". No replacement of
 * an entity completes another one except these, so one pass does all four. Nothing grows: a pass
 * moves the pieces between its patterns down and fills the rest with spaces. The scanner finds "&",
 * "<" and line feeds in its planes; only segments with any of them need the passes, which search
 * for first characters. Signals are polled after many of these and after a long pass. */
typedef struct {
    const char *text;
    int length;
    char replacement; /* 0: none */
} rb_escape;

/* Replace the patterns, the first one that matches at a place, in text[begin:end]. All of them have
 * the same first character. The new end, or -1 with an exception set. */
static inline int64_t rb_replace(uint8_t *text, int64_t begin, int64_t end,
                                 const rb_escape *escapes, int n_escapes) {
    int64_t at = begin, moved = begin, target = begin, n_found = 0;
    const uint8_t *found;
    while (at < end && (found = memchr(text + at, escapes->text[0], (size_t)(end - at))) != NULL) {
        int k = 0;
        if (rb_poll_due(n_found++, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        at = found - text;
        while (k < n_escapes
               && (end - at < escapes[k].length
                   || memcmp(found, escapes[k].text, (size_t)escapes[k].length) != 0))
            k++;
        if (k == n_escapes) {
            at++;
            continue;
        }
        memmove(text + target, text + moved, (size_t)(at - moved));
        target += at - moved;
        if (escapes[k].replacement) text[target++] = (uint8_t)escapes[k].replacement;
        moved = at += escapes[k].length;
    }
    if (end - begin > RB_POLL_CELLS && rb_poll_without_gil(NULL) < 0) return -1;
    if (moved == begin) return end;
    memmove(text + target, text + moved, (size_t)(end - moved));
    target += end - moved;
    memset(text + target, 0x20, (size_t)(end - target));
    return target;
}

/* Apply all replacements of 13a to text[begin:end]; the new end, or -1 as above. */
static inline int64_t rb_unescape(uint8_t *text, int64_t begin, int64_t end) {
    static const rb_escape skipped = {"<skipped>", 9, 0}, broken_word = {"-\n", 2, 0};
    static const rb_escape entities[] = {
        {"&quot;", 6, '"'}, {"&amp;lt;", 8, '<'}, {"&amp;gt;", 8, '>'},
        {"&amp;", 5, '&'}, {"&lt;", 4, '<'}, {"&gt;", 4, '>'},
    };
    int64_t i;
    if ((end = rb_replace(text, begin, end, &skipped, 1)) < 0) return -1;
    if (memchr(text + begin, '\n', (size_t)(end - begin)) != NULL) {
        if ((end = rb_replace(text, begin, end, &broken_word, 1)) < 0) return -1;
        for (i = begin; i < end; i++) text[i] = text[i] == '\n' ? ' ' : text[i];
    }
    return rb_replace(text, begin, end, entities, 6);
}

#endif
