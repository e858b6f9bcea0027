/* Correct, surplus and missing n-grams in a system's outputs. An n-gram of an output is correct as
 * often as it occurs in the reference of its segment that has most of it; its other occurrences are
 * surplus. Missing are the n-grams of the segment's first reference that the output lacks. N-grams
 * are numbers, so the matches left are an array, nonzero only for the current segment. */
#ifndef RAPIDBLEU_COUNTING_NGRAM_MATCHES_H
#define RAPIDBLEU_COUNTING_NGRAM_MATCHES_H

#include "common/memory.h"
#include "common/signals.h"
#include "ngrams/hash_tables.h"

/* Numbers for the n-grams of many texts, as indices of arrays. A segment's texts are adjacent, its
 * references before the outputs of the systems, but are read with all references before all
 * outputs, so n-grams of references have the lowest numbers: 1, 2, ... by first appearance; 0 is an
 * n-gram without a number. Words are numbered by the exact table of tokens, and each order follows
 * from the previous one: the key of an n-gram is the numbers of its prefix and of its last word, 64
 * bits together and exact. One array contains the number of the n-gram of one order that begins at
 * each token; the next order overwrites it. Linear in the tokens, fewer than 2**31. */
typedef struct {
    const rb_tokens *tokens; /* borrowed */
    const int64_t *first;    /* borrowed: [n_segments + 1], the first text of each segment */
    int64_t n_segments;
    int64_t n_systems; /* outputs at the end of each segment */
} rb_beside;

typedef struct {
    int32_t *places; /* [n_items + 1] first token of each number; [0] is unused */
    int64_t capacity;
    int64_t n_items;
} rb_first_places;

/* The references of a segment (system -1), or the output of a system: [*text, *end). */
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

/* Number the n-grams of one order from the numbers of the order below, overwriting them. N-grams
 * missing from the table are added with `add`, and otherwise get 0. */
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
    int32_t *left;          /* [n_ngrams + 1] zeros: matches left for a hypothesis */
    int32_t *own;           /* [n_ngrams + 1] zeros: counts of one reference */
} rb_matching;

static inline void rb_tokens_between(const rb_beside *b, int64_t text, int64_t end_text,
                                     int64_t *begin, int64_t *end) {
    *begin = b->tokens->first_token[text];
    *end = b->tokens->first_token[end_text];
}

/* Write the maximum count of each n-gram over the references to `left`. */
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

/* Add right, surplus or missing occurrences to counts[number], 0 for none; -1: exception set. */
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
