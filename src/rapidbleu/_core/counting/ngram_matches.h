/* How often each n-gram is right, too many or missing in a system's outputs.
 *
 * Right is an n-gram of an output as often as a reference of its segment has it, the one that has it
 * most often; the other occurrences are too many.  Missing are those of the segment's first
 * reference that the output has not.  N-grams are numbers, so what is left of each
 * to be matched is an item of one array, of which only those of the segment are ever not 0. */
#ifndef RAPIDBLEU_COUNTING_NGRAM_MATCHES_H
#define RAPIDBLEU_COUNTING_NGRAM_MATCHES_H

#include "common/memory.h"
#include "common/signals.h"
#include "ngrams/hash_tables.h"

/* Numbers for the n-grams of many texts, so that what happens to an n-gram is an item of an array.
 *
 * A segment's texts lie side by side: its references first, then the outputs of the systems.  They
 * are read in another order, all references before all outputs, so n-grams of references have the
 * lowest numbers: 1, 2, ... by first appearance; 0 stands for an n-gram without a number.
 *
 * Words are numbered by the exact table of tokens.  From then on each order follows from the one
 * before: an n-gram is the number of the n-gram without its last word, and the number of that word,
 * which are 64 bits together and exact.  One array holds the numbers of one order, of the n-gram
 * that begins at each token, and is overwritten by those of the next.
 *
 * Linear in the tokens, for each order.  Tokens are fewer than 2**31. */

typedef struct {
    const rb_tokens *tokens; /* borrowed */
    const int64_t *first;    /* borrowed: [n_segments + 1], the first text of each segment */
    int64_t n_segments;
    int64_t n_systems; /* the last texts of each segment */
} rb_beside;

typedef struct {
    int32_t *places; /* [n_items + 1]: the token where each number was first seen; [0] is unused */
    int64_t capacity;
    int64_t n_items;
} rb_first_places;

/* The texts of a segment that are references, or the output of a system: [*text, *end). */
static inline void rb_texts_of(const rb_beside *b, int64_t segment, int64_t system, int64_t *text,
                               int64_t *end) {
    const int64_t outputs = b->first[segment + 1] - b->n_systems;
    *text = system < 0 ? b->first[segment] : outputs + system;
    *end = system < 0 ? outputs : *text + 1;
}

static inline int rb_places_add(rb_first_places *p, int64_t place) {
    if (p->n_items + 2 > p->capacity
        && rb_grow((void **)&p->places, &p->capacity, p->n_items + 2, sizeof *p->places) < 0)
        return -1;
    p->places[++p->n_items] = (int32_t)place;
    return 0;
}

/* Number the words of the references (system -1) or of a system; -1 with an exception set. */
static inline int rb_number_words(const rb_beside *b, int64_t system, rb_token_table *table,
                                  int32_t *words, rb_first_places *places) {
    int64_t segment, text, end, i;
    for (segment = 0; segment < b->n_segments; segment++) {
        rb_texts_of(b, segment, system, &text, &end);
        for (; text < end; text++) {
            const int64_t begin = b->tokens->first_token[text];
            const int64_t stop = b->tokens->first_token[text + 1];
            if (rb_token_numbers(table, b->tokens, text, 1, words + begin) < 0) return -1;
            for (i = begin; i < stop; i++)
                if (words[i] > places->n_items && rb_places_add(places, i) < 0) return -1;
        }
    }
    return 0;
}

/* Write the number of the n-gram that begins at a token. */
static inline int rb_number_ngram(rb_gram_table *table, uint64_t gram, int add, int64_t place,
                                  int32_t *numbers, rb_first_places *places) {
    rb_gram_slot *slot = rb_gram_table_find(table, gram);
    if (slot->node != RB_NO_NODE) {
        numbers[place] = (int32_t)slot->node;
        return 0;
    }
    numbers[place] = 0;
    if (!add) return 0;
    if (rb_places_add(places, place) < 0) return -1;
    numbers[place] = (int32_t)places->n_items;
    return rb_gram_table_add(table, slot, gram, (uint32_t)places->n_items);
}

/* Number the n-grams of one order, given the numbers of the order below, which are overwritten.
 * With `add`, n-grams that are not in the table are added; otherwise they get a 0. */
static inline int rb_number_ngrams(const rb_beside *b, int64_t system, int order,
                                   const int32_t *words, int add, rb_gram_table *table,
                                   int32_t *numbers, rb_first_places *places) {
    int64_t segment, text, end, i;
    for (segment = 0; segment < b->n_segments; segment++) {
        rb_texts_of(b, segment, system, &text, &end);
        for (; text < end; text++) {
            const int64_t stop = b->tokens->first_token[text + 1];
            for (i = b->tokens->first_token[text]; i < stop; i++) {
                if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
                if (i + order > stop) numbers[i] = 0;
                if (numbers[i] == 0) continue;
                if (rb_number_ngram(table, rb_gram_of((uint32_t)numbers[i],
                                                      (uint32_t)words[i + order - 1]),
                                    add, i, numbers, places) < 0)
                    return -1;
            }
        }
    }
    return 0;
}

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
