/* The inner loops of clipped counting; ngrams/clipping.h says what they do.
 *
 * masks: see ngrams/token_masks.h.
 *
 * count_four and hit_four: orders 1 to 4 from such masks.
 *
 * match_words: orders up to RB_MOST_ORDERS, references of up to RB_MOST_WORDS words, from rows of
 * position bits; either counts, for a single reference, or hits.
 *
 * Each loop is compiled for several levels (common/cpu.h).  An rb_matcher holds pointers to one set of them; the owner of a
 * matcher asks once for the level, not for each text. */
#ifndef RAPIDBLEU_NGRAMS_MATCH_H
#define RAPIDBLEU_NGRAMS_MATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"
#include "common/cpu.h"
#include "ngrams/token_masks.h"

#define RB_MOST_ORDERS 16
#define RB_MOST_WORDS 6 /* of a reference */

typedef struct {
    rb_masks_fn masks;
    void (*count_four)(const uint64_t *masks, ptrdiff_t n, int64_t *counts);
    void (*hit_four)(const uint64_t *masks, ptrdiff_t n, uint64_t *hits);
    void (*match_words)(const uint64_t *bits, const uint32_t *rows, ptrdiff_t n, int n_words,
                        int max_order, int64_t *counts, uint64_t *hits);
} rb_matcher;

/* Take the lowest free position of a match; what was free. */
RB_INLINE uint64_t rb_take(uint64_t match, uint64_t *taken) {
    uint64_t free = match & ~*taken;
    *taken |= free & (0 - free);
    return free;
}

/* Orders 2 to 4 where an n-gram has several positions, each taken once. */
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

/* Tokens often recur in the other text, longer n-grams rarely: where each has one position at most,
 * those taken are simply those that matched. */
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

/* hits[i] gets bit n - 1 set when the n-gram that ends at token i found a free position. */
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

/* State in local arrays: with constant sizes the compiler keeps it in registers. */
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

/* The same with the common sizes as constants. */
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

/* Orders 2 to 4 of eight tokens at a time. */
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

#endif
