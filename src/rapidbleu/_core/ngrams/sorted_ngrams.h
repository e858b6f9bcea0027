/* Clipped counts of two long texts over a small alphabet by sorting (see clipping.h).
 *
 * The n-grams of all orders that begin at a position are prefixes of one string. Once the positions
 * of both texts are sorted by their strings, equal n-grams are adjacent, for each order. If the
 * hypothesis has an n-gram a times and the reference b times, min(a, b) = (a + b - |a - b|) / 2; so
 * the clipped count of an order is half of all positions minus the sum of |a - b|, and a - b is a
 * sum of 1 and -1 over neighbors. Changes of n-grams are as unpredictable as text, so the code does
 * not branch on them: all orders are lanes of one vector, and the lowest bit in which a word of
 * numbers differs from the previous word selects the lanes with a new n-gram.
 *
 * Time is linear, and no n-gram is hashed. Refinement, which drops few positions of a small
 * alphabet, takes several times as long. */
#ifndef RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H
#define RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H

#include "common/probing_table.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The positions of two texts, sorted by their continuations. Distinct tokens of the reference are
 * numbered from 1, and a position stands for the string of numbers from there on. Number 0 is a
 * token missing from the reference, or the end of the hypothesis; the end of the reference has a
 * number of its own. So no string that both texts have contains either.
 *
 * Positions are radix-sorted, last digit first. A digit is a pair of tokens: of thousands of
 * possible pairs a text has hundreds, numbered by a table of all, so three passes sort six tokens.
 * Passes see the same digits except at the ends of the texts, so digits are counted once. If a
 * table of all pairs would exceed the texts, a digit is one token. */
#define RB_SORT_MOST (1 << 18) /* tokens of a text: about ten milliseconds of work */
#define RB_SORT_ORDERS 16
#define RB_SORT_GAP RB_SORT_ORDERS /* numbers after each text */
#define RB_SORT_DIRECT 2048        /* identities below are their own index in the token table */
#define RB_SORT_SLOTS 4096         /* for all other tokens; at most half full */
#define RB_SORT_PLACES (RB_SORT_DIRECT + RB_SORT_SLOTS)
#define RB_SORT_PAIRS 65536     /* maximum size of a table of all pairs, */
#define RB_SORT_PAIRS_A_TOKEN 4 /* and per token of the texts: more take longer than other passes */

typedef struct {
    uint64_t key;       /* odd and secret, so that colliding tokens cannot be crafted */
    uint64_t *identity; /* [RB_SORT_SLOTS] */
    uint16_t *number;   /* [RB_SORT_PLACES] 0 if free */
} rb_number_table;

/* The hypothesis followed by the reference, each with a gap after it. */
typedef struct {
    rb_number_table table;
    ptrdiff_t n, m;   /* tokens of the hypothesis and of the reference */
    ptrdiff_t ref;    /* start of the reference */
    ptrdiff_t length; /* including gaps */
    uint16_t *number; /* [length] of the token at each position */
    uint16_t *pair;   /* [length] number of it and the next as a pair */
    uint16_t *digit;  /* `number` or `pair` */
    int step;         /* tokens per digit */
    uint32_t n_digits;
    uint32_t *count; /* [length] positions of each digit */
    uint32_t *begin; /* [length] next index of each digit, from the left */
    uint32_t *end;   /* [length] and from the right */
    uint32_t *room;  /* [2 * length] positions before and after a pass */
    uint64_t *words; /* [length] to be counted; before that, the table of all pairs */
} rb_sorting;

static inline int64_t rb_sorted_words(int64_t n, int64_t m) {
    return 4 * (n + m + 2 * RB_SORT_GAP) + RB_SORT_SLOTS + RB_SORT_PLACES / 4;
}

static inline void rb_sorting_lay_out(rb_sorting *s, int64_t n, int64_t m, uint64_t key,
                                      uint64_t *memory) {
    s->table.key = key;
    s->n = (ptrdiff_t)n;
    s->m = (ptrdiff_t)m;
    s->ref = s->n + RB_SORT_GAP;
    s->length = s->ref + s->m + RB_SORT_GAP;
    s->table.identity = memory;
    s->words = s->table.identity + RB_SORT_SLOTS;
    s->room = (uint32_t *)(s->words + s->length);
    s->count = s->room + 2 * s->length;
    s->begin = s->count + s->length;
    s->end = s->begin + s->length;
    s->number = (uint16_t *)(s->end + s->length);
    s->pair = s->number + s->length;
    s->table.number = s->pair + s->length;
}

RB_INLINE uint64_t rb_number_place(const rb_number_table *t, uint64_t identity) {
    uint64_t slot;
    if (identity < RB_SORT_DIRECT) return identity;
    slot = rb_hash_word(identity, t->key);
    RB_PROBE(slot, RB_SORT_SLOTS,
             t->number[RB_SORT_DIRECT + slot] == 0 || t->identity[slot] == identity);
    return RB_SORT_DIRECT + slot;
}

/* Fill the gaps with 0, and after the reference with a number of its own. */
RB_INLINE void rb_close_texts(rb_sorting *s, int end) {
    int i;
    for (i = 0; i < RB_SORT_GAP; i++) {
        s->number[s->n + i] = 0;
        s->number[s->ref + s->m + i] = (uint16_t)end;
    }
}

/* Number both texts' tokens: how many, or 0 for more than `most` different reference tokens. */
static inline int rb_number_texts(rb_sorting *s, const uint32_t *hyp_lo, const uint32_t *hyp_hi,
                                  const uint32_t *ref_lo, const uint32_t *ref_hi, int most) {
    rb_number_table *t = &s->table;
    uint16_t *number = s->number + s->ref;
    int last = 0;
    ptrdiff_t i;
    memset(t->number, 0, RB_SORT_PLACES * sizeof *t->number);
    for (i = 0; i < s->m; i++) {
        const uint64_t identity = ref_lo[i] | (uint64_t)ref_hi[i] << 32;
        const uint64_t place = rb_number_place(t, identity);
        if (t->number[place] == 0) {
            if (last == most) return 0;
            t->number[place] = (uint16_t)++last;
            if (place >= RB_SORT_DIRECT) t->identity[place - RB_SORT_DIRECT] = identity;
        }
        number[i] = t->number[place];
    }
    for (i = 0; i < s->n; i++)
        s->number[i] = t->number[rb_number_place(t, hyp_lo[i] | (uint64_t)hyp_hi[i] << 32)];
    rb_close_texts(s, last + 1);
    return last + 2;
}

/* Number the occurring pairs of tokens in sorted order, by a table of all. */
RB_INLINE void rb_number_sorted_pairs(rb_sorting *s, uint32_t n_numbers) {
    uint16_t *table = (uint16_t *)s->words; /* not in use yet */
    const uint32_t n_pairs = n_numbers * n_numbers;
    uint32_t n = 0, k;
    ptrdiff_t i;
    memset(table, 0, n_pairs * sizeof *table);
    for (i = 0; i < s->length - 1; i++)
        s->pair[i] = (uint16_t)(s->number[i] * n_numbers + s->number[i + 1]);
    for (i = 0; i < s->length - 1; i++) table[s->pair[i]] = 1;
    for (k = 0; k < n_pairs; k++) {
        const uint32_t has = table[k];
        table[k] = (uint16_t)n;
        n += has;
    }
    for (i = 0; i < s->length - 1; i++) s->pair[i] = table[s->pair[i]];
    s->n_digits = n;
}

RB_INLINE void rb_choose_digits(rb_sorting *s, int n_numbers) {
    const int64_t n_pairs = (int64_t)n_numbers * n_numbers;
    if (n_pairs <= RB_SORT_PAIRS && n_pairs <= RB_SORT_PAIRS_A_TOKEN * (int64_t)(s->n + s->m)) {
        rb_number_sorted_pairs(s, (uint32_t)n_numbers);
        s->digit = s->pair;
        s->step = 2;
    } else {
        s->n_digits = (uint32_t)n_numbers;
        s->digit = s->number;
        s->step = 1;
    }
}

RB_INLINE void rb_count_digits(rb_sorting *s, ptrdiff_t begin, ptrdiff_t end, uint32_t by) {
    ptrdiff_t i;
    for (i = begin; i < end; i++) s->count[s->digit[i]] += by;
}

RB_INLINE void rb_open_places(rb_sorting *s) {
    uint32_t sum = 0, k;
    for (k = 0; k < s->n_digits; k++) {
        s->begin[k] = sum;
        sum += s->count[k];
        s->end[k] = sum;
    }
}

/* Sort all positions by their first `max_order` numbers and return the result. Each pass proceeds
 * from both ends to the middle: two independent chains of additions hide latency. */
RB_INLINE const uint32_t *rb_sort_positions(rb_sorting *s, int max_order) {
    const ptrdiff_t n = s->n, ref = s->ref, m = s->m, step = s->step;
    uint32_t *from = s->room, *to = from + n + m;
    ptrdiff_t at = (max_order - 1) / step * step; /* offset of its digit in a string */
    ptrdiff_t i, k;
    for (i = 0; i < n; i++) from[i] = (uint32_t)i;
    for (i = 0; i < m; i++) from[n + i] = (uint32_t)(ref + i);
    memset(s->count, 0, s->n_digits * sizeof *s->count);
    rb_count_digits(s, at, n + at, 1);
    rb_count_digits(s, ref + at, ref + m + at, 1);
    for (;;) {
        const uint16_t *digit = s->digit + at;
        uint32_t *swap = from;
        rb_open_places(s);
        for (i = 0, k = n + m - 1; i < k; i++, k--) {
            const uint32_t p = from[i], q = from[k];
            to[s->begin[digit[p]]++] = p;
            to[--s->end[digit[q]]] = q;
        }
        if (i == k) to[s->begin[digit[from[i]]]] = from[i];
        from = to;
        to = swap;
        if (at == 0) return from;
        at -= step;
        rb_count_digits(s, at, at + step, 1);
        rb_count_digits(s, n + at, n + at + step, UINT32_MAX);
        rb_count_digits(s, ref + at, ref + at + step, 1);
        rb_count_digits(s, ref + m + at, ref + m + at + step, UINT32_MAX);
    }
}

#define RB_SORT_REF (UINT64_C(1) << 63) /* in the word of a position: from the reference */

/* The words of a text: the numbers from each position on, the first one lowest, and `whose` in the
 * highest bit. A word is derived from the word two positions later, so two are built at a time. */
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

/* For each lowest bit in which successive words differ: masks of orders whose n-gram changes. */
RB_INLINE void rb_changed_lanes(int32_t changed[64][RB_SORT_ORDERS], int bits) {
    int bit, lane;
    for (bit = 0; bit < 64; bit++)
        for (lane = 0; lane < RB_SORT_ORDERS; lane++)
            changed[bit][lane] = -(bit < bits * (lane + 1));
}

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
/* The same for up to eight orders, with the state of all lanes in registers. */
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

/* Maximum of different reference tokens, so that the numbers of an n-gram fit into a word. */
static inline int rb_most_sorted(int max_order) {
    return max_order * 11 > 63 ? (1 << 63 / max_order) - 2 : RB_SORT_SLOTS / 2;
}

/* Fill correct[0 .. max_order) for two texts of at most RB_SORT_MOST tokens, all short, in memory
 * of rb_sorted_words; 0 if the reference has too many different tokens. */
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

/* The same for numbered tokens: from 1 to `last` in the reference, at most rb_most_sorted. */
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
