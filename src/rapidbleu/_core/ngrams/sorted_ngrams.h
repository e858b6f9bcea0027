/* Clipped counts of two long texts over a small alphabet, by sorting: the way of clipping.h for
 * characters.
 *
 * The n-grams of all orders that begin at a position are the beginnings of one string.  With the
 * positions of both texts sorted by their strings (text/sorted_positions.h), those of the same n-gram are
 * neighbours, for each order.
 *
 * If the hypothesis has an n-gram a times and the reference b times, min(a, b) = (a + b - |a - b|) / 2;
 * so the clipped count of an order is half of what the sum of |a - b| leaves of all positions, and
 * a - b is a sum of 1 and -1 over neighbours.  Where n-grams change is as unpredictable as text, so
 * there is no branch on it: all orders are lanes of one vector, and the lowest bit in which a word of
 * numbers differs from the one before it selects the lanes whose n-gram is another.
 *
 * Linear in time, and no n-gram is hashed.  Refinement, which drops few positions where the alphabet
 * is small, takes several times as long. */
#ifndef RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H
#define RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H

#include "text/sorted_positions.h"

#define RB_SORT_REF (UINT64_C(1) << 63) /* in the word of a position: it is the reference's */

/* The words of a text: the numbers from each position on, the first one lowest, and in the highest bit
 * whose they are.  A word is made of the one after the next, so that two are made at a time. */
RB_INLINE void rb_make_words(const uint16_t *number, ptrdiff_t n, int bits, uint64_t whose,
                             uint64_t *words) {
    uint64_t next = 0, second = 0; /* words of the next position and of the one after */
    ptrdiff_t i;
    for (i = n + RB_SORT_GAP - 1; i >= n; i--) {
        second = next;
        next = next << bits | number[i];
    }
    for (; i >= 0; i--) {
        const uint64_t word = second << 2 * bits | (uint64_t)number[i + 1] << bits | number[i];
        second = next;
        next = word;
        words[i] = (word & ~RB_SORT_REF) | whose;
    }
}

/* For each lowest bit in which a word may differ from the one before it, all bits of the lanes of
 * orders whose n-gram is another. */
RB_INLINE void rb_changed_lanes(int32_t changed[64][RB_SORT_ORDERS], int bits) {
    int bit, lane;
    for (bit = 0; bit < 64; bit++)
        for (lane = 0; lane < RB_SORT_ORDERS; lane++)
            changed[bit][lane] = -(bit < bits * (lane + 1));
}

/* Add up the clipped counts of sorted positions. */
static inline void rb_count_sorted(const rb_sorting *s, const uint32_t *sorted, int max_order,
                                   int bits, int64_t *correct) {
    const ptrdiff_t n = s->n + s->m;
    int32_t changed[64][RB_SORT_ORDERS];
    int32_t more[RB_SORT_ORDERS] = {0}, apart[RB_SORT_ORDERS] = {0};
    uint64_t before = 0;
    ptrdiff_t i;
    int lane;
    rb_changed_lanes(changed, bits);
    for (i = 0; i < n; i++) {
        const uint64_t word = s->words[sorted[i]];
        const int32_t *lanes = changed[rb_ctz((word ^ before) | RB_SORT_REF)];
        const int32_t sign = word & RB_SORT_REF ? -1 : 1;
        before = word;
        for (lane = 0; lane < max_order; lane++) {
            const int32_t size = more[lane] < 0 ? -more[lane] : more[lane];
            apart[lane] += size & lanes[lane];
            more[lane] = (more[lane] & ~lanes[lane]) + sign;
        }
    }
    for (lane = 0; lane < max_order; lane++) {
        const int32_t size = more[lane] < 0 ? -more[lane] : more[lane];
        correct[lane] = (n - apart[lane] - size) / 2;
    }
}

#if RB_HAVE_V3
/* The same for up to eight orders, with all that a lane knows in registers. */
RB_V3 static inline void rb_count_sorted_v3(const rb_sorting *s, const uint32_t *sorted,
                                            int max_order, int bits, int64_t *correct) {
    static const int32_t signs[2] = {1, -1};
    const ptrdiff_t n = s->n + s->m;
    int32_t changed[64][RB_SORT_ORDERS], sums[8];
    __m256i more = _mm256_setzero_si256(), apart = more;
    uint64_t before = 0;
    ptrdiff_t i;
    int lane;
    rb_changed_lanes(changed, bits);
    for (i = 0; i < n; i++) {
        const uint64_t word = s->words[sorted[i]];
        const int32_t *lanes = changed[rb_ctz((word ^ before) | RB_SORT_REF)];
        const __m256i mask = _mm256_loadu_si256((const __m256i *)lanes);
        before = word;
        apart = _mm256_add_epi32(apart, _mm256_and_si256(_mm256_abs_epi32(more), mask));
        more = _mm256_add_epi32(_mm256_andnot_si256(mask, more),
                                _mm256_set1_epi32(signs[word >> 63]));
    }
    apart = _mm256_add_epi32(apart, _mm256_abs_epi32(more));
    _mm256_storeu_si256((__m256i *)sums, apart);
    for (lane = 0; lane < max_order; lane++) correct[lane] = (n - sums[lane]) / 2;
}
#endif

typedef void (*rb_count_sorted_fn)(const rb_sorting *s, const uint32_t *sorted, int max_order,
                                   int bits, int64_t *correct);

RB_INLINE void rb_sort_and_count_body(rb_sorting *s, int n_numbers, int max_order,
                                      int64_t *correct, rb_count_sorted_fn count) {
    int bits = 1;
    while ((n_numbers - 1) >> bits) bits++;
    rb_choose_digits(s, n_numbers);
    rb_make_words(s->number, s->n, bits, 0, s->words);
    rb_make_words(s->number + s->ref, s->m, bits, RB_SORT_REF, s->words + s->ref);
    count(s, rb_sort_positions(s, max_order), max_order, bits, correct);
}

static void rb_sort_and_count_portable(rb_sorting *s, int n_numbers, int max_order,
                                       int64_t *correct) {
    rb_sort_and_count_body(s, n_numbers, max_order, correct, rb_count_sorted);
}

#if RB_HAVE_V3
RB_V3 static void rb_sort_and_count_v3(rb_sorting *s, int n_numbers, int max_order,
                                       int64_t *correct) {
    rb_sort_and_count_body(s, n_numbers, max_order, correct,
                           max_order <= 8 ? rb_count_sorted_v3 : rb_count_sorted);
}
#endif

/* Clipped counts of numbered texts. */
static inline void rb_sort_and_count(rb_sorting *s, int n_numbers, int max_order,
                                     int64_t *correct) {
#if RB_HAVE_V3
    if (rb_use_v3()) {
        rb_sort_and_count_v3(s, n_numbers, max_order, correct);
        return;
    }
#endif
    rb_sort_and_count_portable(s, n_numbers, max_order, correct);
}

/* Different tokens that a reference may have: the numbers of an n-gram must fit into a word. */
static inline int rb_most_sorted(int max_order) {
    return max_order * 11 > 63 ? (1 << 63 / max_order) - 2 : RB_SORT_SLOTS / 2;
}

/* Fill correct[0 .. max_order) for two texts of at most RB_SORT_MOST tokens of which none is long,
 * in memory of rb_sorted_words; 0 if the reference has too many different tokens. */
static inline int rb_sorted_counts(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                   const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                   int max_order, int64_t *correct, uint64_t *memory,
                                   uint64_t key) {
    rb_sorting s;
    int n_numbers;
    rb_sorting_lay_out(&s, n, m, key, memory);
    n_numbers = rb_number_texts(&s, hyp_lo, hyp_hi, ref_lo, ref_hi, rb_most_sorted(max_order));
    if (n_numbers > 0) rb_sort_and_count(&s, n_numbers, max_order, correct);
    return n_numbers > 0;
}

/* The same for texts whose tokens have numbers: from 1 to `last` in the reference, which are no more than
 * rb_most_sorted. */
static inline void rb_sorted_number_counts(const int32_t *hyp, int64_t n, const int32_t *ref,
                                           int64_t m, int64_t last, int max_order,
                                           int64_t *correct, uint64_t *memory) {
    rb_sorting s;
    ptrdiff_t i;
    rb_sorting_lay_out(&s, n, m, 0, memory);
    for (i = 0; i < s.n; i++) s.number[i] = (uint16_t)hyp[i];
    for (i = 0; i < s.m; i++) s.number[s.ref + i] = (uint16_t)ref[i];
    rb_close_texts(&s, (int)last + 1);
    rb_sort_and_count(&s, (int)last + 2, max_order, correct);
}

#endif
