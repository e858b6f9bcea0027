/* The positions of two texts sorted by what follows them: what ngrams/sorted_ngrams.h counts.
 *
 * Distinct tokens of the reference are numbered from 1, and a position stands for the string of
 * numbers from there on.  Number 0 is a token that the reference has not, or the end of the hypothesis;
 * the end of the reference has a number of its own.  So neither is in strings that both texts have.
 *
 * Positions are sorted by radix, the last digit first, and a digit is a pair of tokens: of the thousands
 * of pairs that there could be a text has hundreds, which are numbered by a table of all.  So three
 * passes sort six tokens.  Each pass sees the same digits but for those at the ends of the texts, so
 * they are counted once.  Where a table of all pairs would be larger than the texts, a digit is one
 * token. */
#ifndef RAPIDBLEU_TEXT_SORTED_POSITIONS_H
#define RAPIDBLEU_TEXT_SORTED_POSITIONS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/probing_table.h"

#define RB_SORT_MOST (1 << 18) /* tokens of a text: some ten milliseconds of work */
#define RB_SORT_ORDERS 16
#define RB_SORT_GAP RB_SORT_ORDERS /* numbers behind each text */
#define RB_SORT_DIRECT 2048        /* identities below are their own places in the table of tokens */
#define RB_SORT_SLOTS 4096         /* for the others, at most half of which are used */
#define RB_SORT_PLACES (RB_SORT_DIRECT + RB_SORT_SLOTS)
#define RB_SORT_PAIRS 65536     /* of a table of all pairs at most, and */
#define RB_SORT_PAIRS_A_TOKEN 4 /* for each token of the texts: more take longer than other passes */

typedef struct {
    uint64_t key;       /* odd and secret, so that no tokens can be prepared that collide */
    uint64_t *identity; /* [RB_SORT_SLOTS] */
    uint16_t *number;   /* [RB_SORT_PLACES] 0: the place is free */
} rb_number_table;

/* The hypothesis and behind it the reference, each with a gap behind it. */
typedef struct {
    rb_number_table table;
    ptrdiff_t n, m;   /* tokens of the hypothesis and of the reference */
    ptrdiff_t ref;    /* where the reference begins */
    ptrdiff_t length; /* gaps included */
    uint16_t *number; /* [length] of the token at each position */
    uint16_t *pair;   /* [length] number of it and the next as a pair */
    uint16_t *digit;  /* `number` or `pair` */
    int step;         /* tokens of a digit */
    uint32_t n_digits;
    uint32_t *count; /* [length] positions of each digit */
    uint32_t *begin; /* [length] where the next position of each digit goes, from the left */
    uint32_t *end;   /* [length] and from the right */
    uint32_t *room;  /* [2 * length] for positions, before a pass and after it */
    uint64_t *words; /* [length] for what is counted; room for the table of all pairs before */
} rb_sorting;

/* Words of memory for texts of n and m tokens. */
static inline int64_t rb_sorted_words(int64_t n, int64_t m) {
    return 4 * (n + m + 2 * RB_SORT_GAP) + RB_SORT_SLOTS + RB_SORT_PLACES / 4;
}

/* Divide the memory. */
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

/* The place of a token: its own, or a free one. */
RB_INLINE uint64_t rb_number_place(const rb_number_table *t, uint64_t identity) {
    uint64_t slot;
    if (identity < RB_SORT_DIRECT) return identity;
    slot = rb_hash_word(identity, t->key);
    RB_PROBE(slot, RB_SORT_SLOTS,
             t->number[RB_SORT_DIRECT + slot] == 0 || t->identity[slot] == identity);
    return RB_SORT_DIRECT + slot;
}

/* Fill the gaps: with 0, and behind the reference with a number of its own. */
RB_INLINE void rb_close_texts(rb_sorting *s, int end) {
    int i;
    for (i = 0; i < RB_SORT_GAP; i++) {
        s->number[s->n + i] = 0;
        s->number[s->ref + s->m + i] = (uint16_t)end;
    }
}

/* Number the tokens of both texts; how many numbers that takes, or 0 if the reference has more than
 * `most` different tokens. */
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

/* Number the pairs of tokens that there are, in their order, by a table of all. */
RB_INLINE void rb_number_sorted_pairs(rb_sorting *s, uint32_t n_numbers) {
    uint16_t *table = (uint16_t *)s->words; /* which are made later */
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

/* Choose what the positions are sorted by. */
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

/* Count or uncount the digits of positions [begin, end). */
RB_INLINE void rb_count_digits(rb_sorting *s, ptrdiff_t begin, ptrdiff_t end, uint32_t by) {
    ptrdiff_t i;
    for (i = begin; i < end; i++) s->count[s->digit[i]] += by;
}

/* Let each digit have as many places as positions. */
RB_INLINE void rb_open_places(rb_sorting *s) {
    uint32_t sum = 0, k;
    for (k = 0; k < s->n_digits; k++) {
        s->begin[k] = sum;
        sum += s->count[k];
        s->end[k] = sum;
    }
}

/* Sort all positions by their first `max_order` numbers; returns where they are.  Each pass goes from
 * both ends to the middle, as the place of a digit is known one addition after the one before: so there
 * are two of these to wait for at a time. */
RB_INLINE const uint32_t *rb_sort_positions(rb_sorting *s, int max_order) {
    const ptrdiff_t n = s->n, ref = s->ref, m = s->m, step = s->step;
    uint32_t *from = s->room, *to = from + n + m;
    ptrdiff_t at = (max_order - 1) / step * step; /* where in a string its digit is */
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

#endif
