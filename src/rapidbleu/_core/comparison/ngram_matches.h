/* How often each n-gram is right, too many or missing in a system's outputs.
 *
 * Right is an n-gram of an output as often as a reference of its segment has it, the one that has it
 * most often; the other occurrences are too many.  Missing are those of the segment's first
 * reference that the output has not.  N-grams are numbers (ngram_numbers.h), so what is left of each
 * to be matched is an item of one array, of which only those of the segment are ever not 0. */
#ifndef RAPIDBLEU_COMPARISON_NGRAM_MATCHES_H
#define RAPIDBLEU_COMPARISON_NGRAM_MATCHES_H

#include "comparison/ngram_numbers.h"

enum { RB_RIGHT, RB_TOO_MANY, RB_MISSING };

typedef struct {
    const rb_beside *beside;
    const int32_t *numbers; /* [tokens] of the n-gram that begins there, or 0 */
    int32_t *left;          /* [n_ngrams + 1] zeros: what a hypothesis can still match */
    int32_t *own;           /* [n_ngrams + 1] zeros: those of one reference */
} rb_matching;

/* The tokens of texts: [*begin, *end). */
static inline void rb_tokens_between(const rb_beside *b, int64_t text, int64_t end_text,
                                     int64_t *begin, int64_t *end) {
    *begin = b->tokens->first_token[text];
    *end = b->tokens->first_token[end_text];
}

/* Count in `left` how often a reference has each n-gram: of several, that with the most. */
static inline int rb_expect_ngrams(const rb_matching *m, int64_t text, int64_t end_text) {
    const int32_t *numbers = m->numbers;
    int64_t begin, end, i;
    for (; text < end_text; text++) {
        rb_tokens_between(m->beside, text, text + 1, &begin, &end);
        for (i = begin; i < end; i++) {
            const int32_t n = ++m->own[numbers[i]];
            if (n > m->left[numbers[i]]) m->left[numbers[i]] = n;
            if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        }
        for (i = begin; i < end; i++) m->own[numbers[i]] = 0;
    }
    m->left[0] = 0;
    return 0;
}

/* Add to counts[number] how often it is right, too many or missing; -1 with an exception set.
 * counts[0] gets those without a number. */
static inline int rb_count_ngrams_of(const rb_matching *m, int64_t system, int what,
                                     int32_t *counts) {
    const rb_beside *b = m->beside;
    const int32_t *numbers = m->numbers;
    int64_t segment, text, end_text, begin, end, i;
    for (segment = 0; segment < b->n_segments; segment++) {
        int64_t refs, end_refs;
        rb_texts_of(b, segment, -1, &refs, &end_refs);
        if (what == RB_MISSING) end_refs = refs + 1;
        if (rb_expect_ngrams(m, refs, end_refs) < 0) return -1;
        rb_texts_of(b, segment, system, &text, &end_text);
        rb_tokens_between(b, text, end_text, &begin, &end);
        for (i = begin; i < end; i++) {
            const int32_t number = numbers[i];
            const int matched = m->left[number] > 0;
            m->left[number] -= matched;
            if (what != RB_MISSING) counts[number] += matched == (what == RB_RIGHT);
            if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        }
        rb_tokens_between(b, refs, end_refs, &begin, &end);
        if (what == RB_MISSING)
            for (i = begin; i < end; i++)
                if (m->left[numbers[i]] > 0) {
                    m->left[numbers[i]]--;
                    counts[numbers[i]]++;
                }
        for (i = begin; i < end; i++) m->left[numbers[i]] = 0;
    }
    return 0;
}

#endif
