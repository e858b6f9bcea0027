/* Clipped n-gram counts of one hypothesis against its references (Papineni et al. 2002, 2.1).
 *
 * For references of up to two hundred tokens no n-gram is ever stored or hashed.  Let `b` be the
 * positions of the reference that hold the hypothesis's token i.  Then the positions where the n-gram
 * that ends at token i ends in the reference are
 *
 *     m[n] = (m[n-1] << 1) & b          m[n-1] as it stood at token i - 1
 *
 * and clipping is consumption: each hypothesis n-gram takes one position that is still free,
 *
 *     free = m[n] & ~taken[n];  taken[n] |= free & -free
 *
 * It is exact because equality of n-grams partitions the positions: an n-gram can only take positions
 * of its own kind, and there are as many as the reference has occurrences.  The clipped count is the
 * number of positions taken, with several references the number of hypothesis n-grams that found a
 * free position in any of them, which is min(count, max over references).  About 24 operations and no
 * branch a token, against 40 ns for the best hash table of n-grams that was tried.
 *
 * With R reference tokens this takes ceil(R / 64) words a token, and again for each reference.  For a
 * longer one all positions are sorted (sorted_ngrams.h) if it has few different tokens, as characters
 * are and words of all but giant texts.  The rest, and several references of more than one word, are
 * refined (refinement.h).  Both take a time linear in the length. */
#ifndef RAPIDBLEU_NGRAMS_CLIPPING_H
#define RAPIDBLEU_NGRAMS_CLIPPING_H

#include "ngrams/match.h"
#include "ngrams/refinement.h"
#include "ngrams/sorted_ngrams.h"
#include "ngrams/token_positions.h"

#define RB_WORDS_MATCHED 3        /* of a single reference; beyond, the other ways are faster */
#define RB_MOST_MATCHED (1 << 20) /* tokens of a hypothesis that is matched: some ten milliseconds */

/* What counting needs, kept from one segment to the next. */
typedef struct {
    uint64_t *words; /* masks, running matches and taken positions, hits */
    int64_t capacity;
    rb_refinement refinement;
    rb_matcher matcher;
    uint64_t key; /* odd and secret, of hash tables */
    int64_t work; /* tokens matched with one of several references since the last poll */
} rb_clipping;

static inline void rb_clipping_init(rb_clipping *c, uint64_t key) {
    memset(c, 0, sizeof *c);
    rb_refinement_init(&c->refinement, key);
    c->matcher = rb_matcher_select();
    c->key = key;
}

static inline void rb_clipping_free(rb_clipping *c) {
    PyMem_RawFree(c->words);
    rb_refinement_free(&c->refinement);
    memset(c, 0, sizeof *c);
}

/* Bytes held. */
static inline int64_t rb_clipping_memory(const rb_clipping *c) {
    return 8 * c->capacity + c->refinement.capacity;
}

/* Room for n words; what they held may be lost. */
static inline int rb_clipping_reserve(rb_clipping *c, int64_t n) {
    if (n <= c->capacity) return 0;
    return rb_grow((void **)&c->words, &c->capacity, n, sizeof *c->words);
}

/* Count work on one of several references; poll for signals every so often. */
static inline int rb_clipping_worked(rb_clipping *c, int64_t n_tokens, PyObject *stop) {
    c->work += n_tokens;
    if (c->work < RB_POLL_TOKENS) return 0;
    c->work = 0;
    return rb_poll_without_gil(stop);
}

/* How many hypothesis n-grams of each order found a free position in any reference. */
static inline void rb_count_hits(const uint64_t *hits, int64_t n, int max_order, int64_t *correct) {
    int64_t i;
    int order;
    for (i = 0; i < n; i++)
        for (order = 0; order < max_order; order++) correct[order] += (int64_t)(hits[i] >> order & 1);
}

/* Up to four orders against references of up to 64 tokens; fewer take as long as all four. */
static inline int rb_match_four_orders(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                       int64_t ref_begin, int64_t ref_end, int max_order,
                                       int64_t *correct, rb_clipping *c, PyObject *stop) {
    const int64_t n = rb_segment_length(hyps, hyp);
    int64_t counts[4];
    uint64_t *hits;
    int64_t ref;
    if (rb_clipping_reserve(c, 3 * n) < 0) return -1;
    hits = c->words + n;
    memset(hits, 0, (size_t)n * sizeof *hits);
    for (ref = ref_begin; ref < ref_end; ref++) {
        rb_token_masks(c->matcher.masks, hyps, hyp, refs, ref, c->words, hits + n);
        if (ref_end - ref_begin == 1) {
            c->matcher.count_four(c->words, (ptrdiff_t)n, counts);
            memcpy(correct, counts, (size_t)max_order * sizeof *counts);
            return 0;
        }
        c->matcher.hit_four(c->words, (ptrdiff_t)n, hits);
        if (rb_clipping_worked(c, n, stop) < 0) return -1;
    }
    rb_count_hits(hits, n, max_order, correct);
    return 0;
}

/* Orders up to RB_MOST_ORDERS, references of up to RB_MOST_WORDS words.  Without `correct` what is
 * matched is left in the words: bit k - 1 of word i for the k tokens that end with token i. */
static inline int rb_match_orders(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                  int64_t ref_begin, int64_t ref_end, int64_t longest, int max_order,
                                  int64_t *correct, rb_clipping *c, PyObject *stop) {
    const int64_t n = rb_segment_length(hyps, hyp);
    const int single = correct != NULL && ref_end - ref_begin == 1;
    rb_positions table;
    uint64_t *hits;
    uint32_t *rows;
    int64_t ref;
    if (rb_clipping_reserve(c, 2 * n + rb_positions_words(longest, (longest + 63) / 64)) < 0) return -1;
    hits = c->words;
    rows = (uint32_t *)(hits + n);
    memset(hits, 0, (size_t)n * sizeof *hits);
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t n_words = (rb_segment_length(refs, ref) + 63) / 64;
        if (n_words == 0) continue;
        rb_positions_fill(&table, c->key, hits + 2 * n, refs, ref, n_words);
        rb_positions_rows(&table, refs, ref, hyps, hyp, rows);
        c->matcher.match_words(table.bits, rows, (ptrdiff_t)n, (int)n_words, max_order,
                               single ? correct : NULL, single ? NULL : hits);
        if (rb_clipping_worked(c, n, stop) < 0) return -1;
    }
    if (correct != NULL && !single) rb_count_hits(hits, n, max_order, correct);
    return 0;
}

/* A long reference of few different tokens, none of them long: 1; 0: it is no such thing; -1. */
static inline int rb_sort_orders(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                                 int max_order, int64_t *correct, rb_clipping *c) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t h = hyps->first_token[hyp], r = refs->first_token[ref];
    if (n > RB_SORT_MOST || m > RB_SORT_MOST || max_order > RB_SORT_ORDERS
        || hyps->first_long[hyp] < hyps->first_long[hyp + 1]
        || refs->first_long[ref] < refs->first_long[ref + 1])
        return 0;
    if (rb_clipping_reserve(c, rb_sorted_words(n, m)) < 0) return -1;
    return rb_sorted_counts(hyps->lo + h, hyps->hi + h, n, refs->lo + r, refs->hi + r, m, max_order,
                            correct, c->words, c->key);
}

/* Number the tokens, long ones among them.  Sort those of a single reference if they are few, which takes
 * fewer passes through the texts; or else refine them. */
static inline int rb_number_orders(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                   int64_t ref_begin, int64_t ref_end, int max_order,
                                   int64_t *correct, rb_clipping *c, PyObject *stop) {
    rb_sequence s;
    int64_t n, m;
    if (rb_sequence_open(&s, hyps, hyp, refs, ref_begin, ref_end, &c->refinement, stop) < 0) return -1;
    n = s.n_live[0];
    m = s.n_live[1];
    if (s.n_texts > 2 || n > RB_SORT_MOST || m > RB_SORT_MOST || max_order > RB_SORT_ORDERS
        || s.n_numbers > rb_most_sorted(max_order))
        return rb_refine(&s, max_order, correct);
    if (rb_clipping_reserve(c, rb_sorted_words(n, m)) < 0) return -1;
    rb_sorted_number_counts(s.number, n, s.number + s.begin[1], m, s.n_numbers, max_order, correct,
                            c->words);
    return 0;
}

/* Tokens of the longest of several references. */
static inline int64_t rb_longest(const rb_tokens *refs, int64_t ref_begin, int64_t ref_end) {
    int64_t longest = 0, ref;
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t m = rb_segment_length(refs, ref);
        longest = m > longest ? m : longest;
    }
    return longest;
}

/* Fill correct[0 .. max_order) for hypothesis `hyp` against references [ref_begin, ref_end); work
 * ends when `stop` is no longer empty. */
static inline int rb_clipped_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                    int64_t ref_begin, int64_t ref_end, int max_order,
                                    int64_t *correct, rb_clipping *c, PyObject *stop) {
    const int64_t n = rb_segment_length(hyps, hyp), longest = rb_longest(refs, ref_begin, ref_end);
    const int n_words = ref_end - ref_begin == 1 ? RB_WORDS_MATCHED : 1;
    memset(correct, 0, (size_t)max_order * sizeof *correct);
    if (n == 0 || longest == 0 || max_order == 0) return 0;
    if (longest > 64 * n_words || max_order > RB_MOST_ORDERS || n > RB_MOST_MATCHED) {
        const int sorted = ref_end - ref_begin == 1
                         ? rb_sort_orders(hyps, hyp, refs, ref_begin, max_order, correct, c)
                         : 0;
        if (sorted != 0) return sorted < 0 ? -1 : 0;
        return rb_number_orders(hyps, hyp, refs, ref_begin, ref_end, max_order, correct, c, stop);
    }
    if (longest <= 64 && max_order <= 4)
        return rb_match_four_orders(hyps, hyp, refs, ref_begin, ref_end, max_order, correct, c, stop);
    return rb_match_orders(hyps, hyp, refs, ref_begin, ref_end, longest, max_order, correct, c, stop);
}

#endif
