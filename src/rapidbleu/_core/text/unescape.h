/* 13a's first step: replacements in place, before the text is cut into tokens.
 *
 * In sacrebleu's order: "<skipped>" and a hyphen before a line feed vanish, a line feed turns into a
 * space, and then four entities into their characters, one after the other, so that "&amp;lt;" ends
 * as "<".  Nothing grows, so each replacement is one pass that moves the text down over itself; what
 * is left behind the new end is blanked.  Few segments contain any of this: the scanner finds "&",
 * "<" and the line feed in its planes, and only then are these passes made, up to seven.  Signals are
 * polled for after each pass over a long text. */
#ifndef RAPIDBLEU_TEXT_UNESCAPE_H
#define RAPIDBLEU_TEXT_UNESCAPE_H

#include <stdint.h>
#include <string.h>

#include "common/signals.h"

/* Replace a pattern everywhere in text[begin:end] by one character or none; the new end of the text,
 * or -1 with an exception set. */
static inline int64_t rb_replace_pattern(uint8_t *text, int64_t begin, int64_t end,
                                         const char *pattern, int pattern_length,
                                         const char *replacement) {
    int64_t source = begin, target = begin;
    while (source < end) {
        if (text[source] == (uint8_t)pattern[0] && source + pattern_length <= end
            && memcmp(text + source, pattern, (size_t)pattern_length) == 0) {
            source += pattern_length;
            if (replacement[0]) text[target++] = (uint8_t)replacement[0];
        } else {
            text[target++] = text[source++];
        }
    }
    if (target < end) memset(text + target, 0x20, (size_t)(end - target));
    if (source - begin > RB_POLL_CELLS && rb_poll_without_gil(NULL) < 0) return -1;
    return target;
}

/* All of 13a's replacements in text[begin:end]; the new end of the text, or -1 as above. */
static inline int64_t rb_unescape(uint8_t *text, int64_t begin, int64_t end) {
    if ((end = rb_replace_pattern(text, begin, end, "<skipped>", 9, "")) < 0) return -1;
    if ((end = rb_replace_pattern(text, begin, end, "-\n", 2, "")) < 0) return -1;
    if ((end = rb_replace_pattern(text, begin, end, "\n", 1, " ")) < 0) return -1;
    if (memchr(text + begin, '&', (size_t)(end - begin)) == NULL) return end;
    if ((end = rb_replace_pattern(text, begin, end, "&quot;", 6, "\"")) < 0) return -1;
    if ((end = rb_replace_pattern(text, begin, end, "&amp;", 5, "&")) < 0) return -1;
    if ((end = rb_replace_pattern(text, begin, end, "&lt;", 4, "<")) < 0) return -1;
    return rb_replace_pattern(text, begin, end, "&gt;", 4, ">");
}

#endif
