/* CharacTER (Wang et al. 2016): words are moved, characters are edited.
 *
 * First the words of the hypothesis move, as long as that saves edits of words (word_moves.h).  Then
 * the characters of both texts are compared, and the moves are paid for by the mean length of the
 * words that were moved, which is found by comparing the hypothesis before and after.
 *
 * Memory is linear, and time that of the moves and of one distance of characters. */
#ifndef RAPIDBLEU_EDITS_CHARACTER_TER_H
#define RAPIDBLEU_EDITS_CHARACTER_TER_H

#include "edits/word_moves.h"

/* The number of a character; one that is not in the table is added to it or else gets a 0. */
static inline int32_t rb_character_number(rb_character_ter *c, uint32_t code, int add,
                                          int32_t *n_numbers) {
    uint64_t slot = rb_hash_word(code, c->scratch->tokens.key);
    RB_PROBE(slot, c->n_slots, c->slots[slot] == 0 || c->slots[slot] == code + 1);
    if (c->slots[slot] != 0) return c->numbers[slot];
    if (!add) return 0;
    c->slots[slot] = code + 1;
    return c->numbers[slot] = ++*n_numbers;
}

/* What the moves cost: the mean length of the words of each run that is now farther behind. */
static inline double rb_cost_of_moves(const rb_character_ter *c) {
    const int64_t *begin = c->hyp_words.begin;
    double cost = 0.0;
    int64_t i, k;
    memset(c->first, 0xff, (size_t)(c->n + 1) * sizeof *c->first);
    for (i = c->n - 1; i >= 0; i--) {
        c->next[i] = c->first[c->hyp[i]];
        c->first[c->hyp[i]] = (int32_t)i;
    }
    for (i = 0; i < c->n;) {
        int32_t *first = &c->first[c->before[i]];
        int64_t length = 1;
        while (*first >= 0 && *first <= i) *first = c->next[*first];
        k = *first;
        if (c->before[i] == c->hyp[i] || k < 0) {
            i++;
            continue;
        }
        while (k + length < c->n && c->before[i + length] == c->hyp[k + length]) length++;
        cost += (double)(begin[i + length] - begin[i]) / (double)length;
        i += length;
    }
    return cost;
}

/* Edits of the characters of both texts, words joined by spaces; or -1. */
static inline int64_t rb_character_edits(rb_character_ter *c) {
    const rb_spelling *h = &c->hyp_words, *r = &c->ref_words;
    int64_t n = 0, m = 0, front = 0, i, k;
    int32_t n_numbers = 0;
    memset(c->slots, 0, (size_t)c->n_slots * sizeof *c->slots);
    for (i = 0; i < c->m; i++) {
        if (i > 0) c->b[m++] = rb_character_number(c, ' ', 1, &n_numbers);
        for (k = r->begin[i]; k < r->begin[i + 1]; k++)
            c->b[m++] = rb_character_number(c, r->chars[k], 1, &n_numbers);
    }
    for (i = 0; i < c->n; i++) {
        const int64_t word = c->word[c->hyp[i]];
        if (i > 0) c->a[n++] = rb_character_number(c, ' ', 0, &n_numbers);
        for (k = h->begin[word]; k < h->begin[word + 1]; k++)
            c->a[n++] = rb_character_number(c, h->chars[k], 0, &n_numbers);
    }
    while (front < n && front < m && c->a[front] == c->b[front]) front++;
    while (n > front && m > front && c->a[n - 1] == c->b[m - 1]) n--, m--;
    return rb_distance(&c->rows, c->a + front, n - front, c->b + front, m - front, NULL,
                       c->scratch);
}

/* Lay everything out in scratch memory, and read both texts; -1 if there is no memory. */
static inline int rb_character_open(rb_character_ter *c, const rb_tokens *hyps, int64_t hyp,
                                    const rb_tokens *refs, int64_t ref, rb_scratch *scratch) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t longer = n > m ? n : m;
    const int64_t n_chars = rb_spelling_bytes(hyps, hyp) + n;
    const int64_t m_chars = rb_spelling_bytes(refs, ref) + m;
    const int64_t most = n_chars > m_chars ? n_chars : m_chars;
    const int64_t n_numbers = n > m_chars ? n : m_chars; /* of words, or of characters */
    const int64_t part_words = m > RB_BLOCK ? rb_part_words(n, m) : 0;
    int64_t n_slots = 2, n_words; /* twice as many as there are code points are enough */
    uint64_t *memory;
    int32_t *ints;
    while (n_slots < 2 * m_chars && n_slots < 1 << 22) n_slots *= 2;
    n_words = rb_distance_words(most, n_numbers) + part_words + (n + 1) + (m + 1)
            + (4 * n + m + 2 * (n + 1) + longer + 2 * (n_chars + m_chars) + 2 * n_slots + 1) / 2;
    memory = rb_scratch_words(scratch, n_words);
    if (memory == NULL) return -1;
    c->scratch = scratch;
    c->n_slots = n_slots;
    c->n = n;
    c->m = m;
    rb_distance_place(&c->rows, memory, n_numbers);
    memory += rb_distance_words(most, n_numbers);
    c->parts.width = 0;
    if (part_words > 0) rb_part_place(&c->parts, memory, n, m);
    c->hyp_words.begin = (int64_t *)(memory + part_words);
    c->ref_words.begin = c->hyp_words.begin + n + 1;
    ints = (int32_t *)(c->ref_words.begin + m + 1);
    c->hyp = ints;
    c->before = c->hyp + n;
    c->moved = c->before + n;
    c->best = c->moved + n;
    c->ref = c->best + n;
    c->first = c->ref + m;
    c->word = c->first + n + 1;
    c->next = c->word + n + 1;
    c->a = c->next + longer;
    c->b = c->a + n_chars;
    c->numbers = c->b + m_chars;
    c->slots = (uint32_t *)(c->numbers + n_slots);
    c->hyp_words.chars = c->slots + n_slots;
    c->ref_words.chars = c->hyp_words.chars + n_chars;
    rb_spell(&c->hyp_words, hyps, hyp);
    rb_spell(&c->ref_words, refs, ref);
    return rb_character_words(c, hyps, hyp, refs, ref);
}

/* Score of a hypothesis and one reference, from 0 to 1; or -1. */
static inline double rb_character_score(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                        int64_t ref, rb_scratch *scratch) {
    rb_character_ter c;
    int64_t edits, least, gain, length;
    double cost;
    if (rb_segment_length(hyps, hyp) == 0) return 1.0;
    if (rb_character_open(&c, hyps, hyp, refs, ref, scratch) < 0) return -1.0;
    length = c.hyp_words.begin[c.n] + c.n - 1; /* with spaces between words */
    edits = rb_distance(&c.rows, c.hyp, c.n, c.ref, c.m, NULL, scratch);
    if (edits <= 0) return (double)edits;
    least = rb_least_edits(&c);
    for (gain = 1; gain > 0 && edits > least; edits -= gain) {
        gain = rb_best_move(&c, edits);
        if (gain < 0) return -1.0;
    }
    cost = rb_cost_of_moves(&c);
    edits = rb_character_edits(&c);
    if (edits < 0) return -1.0;
    cost += (double)edits;
    return length > 0 && cost < (double)length ? cost / (double)length : 1.0;
}

#endif
