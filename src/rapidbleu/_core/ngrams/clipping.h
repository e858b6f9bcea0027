/* Clipped n-gram counts of one hypothesis against its references (Papineni et al. 2002, 2.1). For
 * references of up to two hundred tokens no n-gram is ever stored or hashed. Let `b` be the
 * positions of the reference that contain the hypothesis's token i. Then the positions at which the
 * n-gram that ends at token i ends in the reference are
 *
 *     m[n] = (m[n-1] << 1) & b          m[n-1] as of token i - 1
 *
 * and clipping is consumption: each hypothesis n-gram takes one free position,
 *
 *     free = m[n] & ~taken[n];  taken[n] |= free & -free
 *
 * This is exact because equality of n-grams partitions the positions: an n-gram can only take
 * positions of its own kind, of which there are as many as occurrences in the reference. The
 * clipped count is the number of positions taken, or with several references the number of
 * hypothesis n-grams with a free position in any of them, which is min(count, max over references).
 * It takes about 24 operations a token without a branch, compared with 40 ns for the fastest hash
 * table of n-grams that was tried.
 *
 * R reference tokens take ceil(R / 64) words per token and reference. Longer references are sorted
 * (sorted_ngrams.h) if they have few different tokens, like characters, or words of all but giant
 * texts. The rest, and several references of more than one word, are refined (refinement.h),
 * linearly too. */
#ifndef RAPIDBLEU_NGRAMS_CLIPPING_H
#define RAPIDBLEU_NGRAMS_CLIPPING_H

#include "common/bits.h"
#include "common/cpu.h"
#include "ngrams/refinement.h"
#include "ngrams/sorted_ngrams.h"
#include "ngrams/token_masks.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Inner loops of clipped counting, compiled for several levels (common/cpu.h). The owner of an
 * rb_matcher selects its level once, not per text. masks: see ngrams/token_masks.h. count_four and
 * hit_four: orders 1 to 4 from such masks. match_words: orders up to RB_MOST_ORDERS, references of
 * up to RB_MOST_WORDS words, from rows of bits; counts, for one reference, or hits. */
#define RB_MOST_ORDERS 16
#define RB_MOST_WORDS 6 /* in a reference */

typedef struct {
    rb_masks_fn masks;
    void (*count_four)(const uint64_t *masks, ptrdiff_t n, int64_t *counts);
    void (*hit_four)(const uint64_t *masks, ptrdiff_t n, uint64_t *hits);
    void (*match_words)(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n, int n_words,
                        int max_order, int64_t *counts, uint64_t *hits);
} rb_matcher;

/* Take the lowest free position of a match and return the positions that were free. */
RB_INLINE uint64_t rb_take(uint64_t match, uint64_t *taken) {
    uint64_t free = match & ~*taken;
    *taken |= free & (0 - free);
    return free;
}

/* Orders 2 to 4 if an n-gram has several positions, each taken once. */
RB_INLINE void rb_count_repeated(const uint64_t *masks, ptrdiff_t n, int64_t *counts) {
    uint64_t m1 = 0, m2 = 0, m3 = 0, m4 = 0, t2 = 0, t3 = 0, t4 = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        const uint64_t b = masks[i];
        m4 = (m3 << 1) & b;
        m3 = (m2 << 1) & b;
        m2 = (m1 << 1) & b;
        m1 = b;
        rb_take(m2, &t2);
        rb_take(m3, &t3);
        rb_take(m4, &t4);
    }
    counts[1] = rb_popcount(t2);
    counts[2] = rb_popcount(t3);
    counts[3] = rb_popcount(t4);
}

/* Tokens often recur in the other text, longer n-grams rarely: if each has at most one position,
 * the positions taken are those matched. */
RB_INLINE void rb_count_four_body(const uint64_t *masks, ptrdiff_t n, int64_t *counts) {
    uint64_t m1 = 0, m2 = 0, m3 = 0, m4 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, repeated = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        const uint64_t b = masks[i];
        m4 = (m3 << 1) & b;
        m3 = (m2 << 1) & b;
        m2 = (m1 << 1) & b;
        m1 = b;
        rb_take(m1, &t1);
        repeated |= m2 & (m2 - 1);
        t2 |= m2;
        t3 |= m3;
        t4 |= m4;
    }
    counts[0] = rb_popcount(t1);
    counts[1] = rb_popcount(t2);
    counts[2] = rb_popcount(t3);
    counts[3] = rb_popcount(t4);
    if (repeated) rb_count_repeated(masks, n, counts);
}

/* Set bit n - 1 of hits[i] if the n-gram that ends at token i has a free position. */
RB_INLINE void rb_hit_four_body(const uint64_t *masks, ptrdiff_t n, uint64_t *hits) {
    uint64_t m1 = 0, m2 = 0, m3 = 0, m4 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        uint64_t b = masks[i];
        m4 = (m3 << 1) & b;
        m3 = (m2 << 1) & b;
        m2 = (m1 << 1) & b;
        m1 = b;
        hits[i] |= (uint64_t)(rb_take(m1, &t1) != 0) | (uint64_t)(rb_take(m2, &t2) != 0) << 1
                 | (uint64_t)(rb_take(m3, &t3) != 0) << 2 | (uint64_t)(rb_take(m4, &t4) != 0) << 3;
    }
}

/* State in local arrays of constant size, which the compiler keeps in registers. */
RB_INLINE void rb_match_words_body(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n,
                                   int n_words, int max_order, int64_t *counts, uint64_t *hits) {
    uint64_t match[RB_MOST_ORDERS * RB_MOST_WORDS], taken[RB_MOST_ORDERS * RB_MOST_WORDS];
    ptrdiff_t i;
    int order, w;
    for (w = 0; w < max_order * n_words; w++) match[w] = taken[w] = 0;
    for (i = 0; i < n; i++) {
        const uint64_t *b = bits + (size_t)rows[i] * (size_t)n_words;
        uint64_t hit = 0;
        for (order = max_order - 1; order >= 0; order--) {
            uint64_t carry = 0, found = 0;
            uint64_t *m = match + order * n_words, *t = taken + order * n_words;
            for (w = 0; w < n_words; w++) {
                uint64_t before = order ? m[w - n_words] : 0, free;
                m[w] = order ? (before << 1 | carry) & b[w] : b[w];
                carry = before >> 63;
                free = m[w] & ~t[w] & (found ? 0 : ~UINT64_C(0));
                t[w] |= free & (0 - free);
                found |= free;
            }
            hit |= (uint64_t)(found != 0) << order;
        }
        if (hits) hits[i] |= hit;
    }
    if (counts)
        for (order = 0; order < max_order; order++)
            for (w = 0; w < n_words; w++)
                counts[order] += rb_popcount(taken[order * n_words + w]);
}

RB_INLINE void rb_match_words_sized(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n,
                                    int n_words, int max_order, int64_t *counts, uint64_t *hits) {
    if (max_order == 4 && n_words == 2 && counts)
        rb_match_words_body(bits, rows, n, 2, 4, counts, NULL);
    else if (max_order == 4 && n_words == 3 && counts)
        rb_match_words_body(bits, rows, n, 3, 4, counts, NULL);
    else if (max_order == 6 && n_words == 1 && counts)
        rb_match_words_body(bits, rows, n, 1, 6, counts, NULL);
    else if (max_order == 6 && n_words == 2 && counts)
        rb_match_words_body(bits, rows, n, 2, 6, counts, NULL);
    else if (max_order == 6 && n_words == 3 && counts)
        rb_match_words_body(bits, rows, n, 3, 6, counts, NULL);
    else
        rb_match_words_body(bits, rows, n, n_words, max_order, counts, hits);
}

static void rb_match_words_portable(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n,
                                    int n_words, int max_order, int64_t *counts, uint64_t *hits) {
    rb_match_words_sized(bits, rows, n, n_words, max_order, counts, hits);
}

static void rb_count_four_portable(const uint64_t *masks, ptrdiff_t n, int64_t *counts) {
    rb_count_four_body(masks, n, counts);
}

static void rb_hit_four_portable(const uint64_t *masks, ptrdiff_t n, uint64_t *hits) {
    rb_hit_four_body(masks, n, hits);
}

#if RB_HAVE_V3
RB_V3 static void rb_count_four_v3(const uint64_t *masks, ptrdiff_t n, int64_t *counts) {
    rb_count_four_body(masks, n, counts);
}

RB_V3 static void rb_hit_four_v3(const uint64_t *masks, ptrdiff_t n, uint64_t *hits) {
    rb_hit_four_body(masks, n, hits);
}

RB_V3 static void rb_match_words_v3(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n,
                                    int n_words, int max_order, int64_t *counts, uint64_t *hits) {
    rb_match_words_sized(bits, rows, n, n_words, max_order, counts, hits);
}

RB_AVX512 RB_INLINE int rb_popcount_of_all(__m512i words) {
    return rb_popcount_v3((uint64_t)_mm512_reduce_or_epi64(words));
}

/* Orders 2 to 4, eight tokens at a time. */
RB_AVX512 static void rb_count_four_avx512(const uint64_t *masks, ptrdiff_t n, int64_t *counts) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i before = _mm512_setzero_si512(), t2 = before, t3 = before, t4 = before;
    __mmask8 repeated = 0;
    uint64_t t1 = 0;
    ptrdiff_t i, k;
    for (i = 0; i < n; i += 8) {
        const __mmask8 inside = n - i >= 8 ? 0xff : (__mmask8)((1 << (n - i)) - 1);
        const __m512i b = _mm512_maskz_loadu_epi64(inside, masks + i);
        const __m512i m2 = _mm512_and_si512(
            b, _mm512_slli_epi64(_mm512_alignr_epi64(b, before, 7), 1));
        const __m512i m3 = _mm512_and_si512(
            m2, _mm512_slli_epi64(_mm512_alignr_epi64(b, before, 6), 2));
        const __m512i m4 = _mm512_and_si512(
            m3, _mm512_slli_epi64(_mm512_alignr_epi64(b, before, 5), 3));
        repeated |= _mm512_test_epi64_mask(m2, _mm512_sub_epi64(m2, one));
        t2 = _mm512_or_si512(t2, m2);
        t3 = _mm512_or_si512(t3, m3);
        t4 = _mm512_or_si512(t4, m4);
        before = b;
    }
    for (k = 0; k < n; k++) rb_take(masks[k], &t1);
    counts[0] = rb_popcount_v3(t1);
    counts[1] = rb_popcount_of_all(t2);
    counts[2] = rb_popcount_of_all(t3);
    counts[3] = rb_popcount_of_all(t4);
    if (repeated) rb_count_repeated(masks, n, counts);
}
#endif

static inline rb_matcher rb_matcher_select(void) {
    rb_matcher matcher = {rb_masks_portable, rb_count_four_portable, rb_hit_four_portable,
                          rb_match_words_portable};
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX2 || level == RB_LEVEL_AVX512) {
        matcher.masks = rb_masks_v3;
        matcher.count_four = rb_count_four_v3;
        matcher.hit_four = rb_hit_four_v3;
        matcher.match_words = rb_match_words_v3;
    }
    if (level == RB_LEVEL_AVX512) {
        matcher.masks = rb_masks_avx512;
        matcher.count_four = rb_count_four_avx512;
    }
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) matcher.masks = rb_masks_neon;
#endif
    return matcher;
}

#define RB_WORDS_MATCHED 3        /* of a single reference; beyond it, other methods are faster */
#define RB_MOST_MATCHED (1 << 20) /* hypothesis tokens: about ten milliseconds */

typedef struct {
    uint64_t *words; /* masks, running matches, taken positions, hits */
    int64_t capacity;
    rb_refinement refinement;
    rb_matcher matcher;
    uint64_t key; /* odd and secret, for hash tables */
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

static inline int64_t rb_clipping_memory(const rb_clipping *c) {
    return 8 * c->capacity + c->refinement.capacity;
}

/* Make room for n words, whose contents may be lost. */
static inline int rb_clipping_reserve(rb_clipping *c, int64_t n) {
    if (n <= c->capacity) return 0;
    return rb_grow((void **)&c->words, &c->capacity, n, sizeof *c->words);
}

/* Count work on one of several references, polling for signals now and then. */
static inline int rb_clipping_worked(rb_clipping *c, int64_t n_tokens, PyObject *stop) {
    c->work += n_tokens;
    if (c->work < RB_POLL_TOKENS) return 0;
    c->work = 0;
    return rb_poll_without_gil(stop);
}

/* Count the hypothesis n-grams of each order that found a free position in any reference. */
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

/* Orders up to RB_MOST_ORDERS, references of up to RB_MOST_WORDS words. Without `correct`, matches
 * are left in the words: bit k - 1 of word i for the k tokens that end with token i. */
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

/* Sort a long reference of few different tokens, all short: 1; 0 if it is not such; -1: error. */
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

/* Number all tokens; sort a single reference of few different ones, in fewer passes, or refine. */
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

static inline int64_t rb_longest(const rb_tokens *refs, int64_t ref_begin, int64_t ref_end) {
    int64_t longest = 0, ref;
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t m = rb_segment_length(refs, ref);
        longest = m > longest ? m : longest;
    }
    return longest;
}

/* Fill correct[0 .. max_order) for `hyp` against references [ref_begin, ref_end) unless stopped. */
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
