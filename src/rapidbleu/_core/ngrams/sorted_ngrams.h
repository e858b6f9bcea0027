/* Clipped counts of two long texts over a small alphabet, by sorting: the way of clipping.h for
 * characters.
 *
 * Distinct tokens of the reference are numbered from 1, in so few bits that the numbers of max_order
 * tokens fit into a word.  The word that begins at a token, first token highest, is the n-gram of
 * every order there at once.  Both lists of words are sorted by radix and merged: words that begin
 * with the same n tokens are neighbours, so when that beginning changes, min(how many of the one,
 * how many of the other) is the clipped count of one n-gram.  Number 0 is a token that the reference
 * has not, or the end of the text; an n-gram with it counts nothing.
 *
 * Linear in time, 40 ns a token for six orders; refinement, which drops few positions where the
 * alphabet is small, takes 90.  No n-gram is hashed. */
#ifndef RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H
#define RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/probing_table.h"

#define RB_SORT_SLOTS 4096           /* of the table of tokens, at most half full */
#define RB_SORT_MOST (1 << 17)       /* tokens of a text: some milliseconds of work */
#define RB_SORT_ORDERS 16
#define RB_RADIX 8
#define RB_BUCKETS (1 << RB_RADIX)

/* Words of memory for texts of n and m tokens. */
static inline int64_t rb_sorted_words(int64_t n, int64_t m) {
    return n + 1 + m + 1 + (n > m ? n : m) + RB_SORT_SLOTS + RB_SORT_SLOTS / 4;
}

typedef struct {
    uint64_t key; /* odd and secret, so that no tokens can be prepared that collide */
    uint64_t *identity;
    uint16_t *number;
} rb_number_table;

/* The slot of a token: its own, or a free one. */
RB_INLINE uint64_t rb_number_slot(const rb_number_table *t, uint64_t identity) {
    uint64_t place = identity * t->key >> 52;
    RB_PROBE(place, RB_SORT_SLOTS, t->number[place] == 0 || t->identity[place] == identity);
    return place;
}

/* Sort n words of so many bits, with room for as many; returns where they are. */
static inline uint64_t *rb_sort_words(uint64_t *words, uint64_t *room, ptrdiff_t n, int bits) {
    uint32_t place[64 / RB_RADIX][RB_BUCKETS];
    int n_passes = (bits + RB_RADIX - 1) / RB_RADIX, pass, k;
    ptrdiff_t i;
    memset(place, 0, sizeof place[0] * (size_t)n_passes);
    for (i = 0; i < n; i++)
        for (pass = 0; pass < n_passes; pass++)
            place[pass][words[i] >> pass * RB_RADIX & (RB_BUCKETS - 1)]++;
    for (pass = 0; pass < n_passes; pass++) {
        uint32_t sum = 0, *to = place[pass];
        uint64_t *swap = words;
        for (k = 0; k < RB_BUCKETS; k++) {
            uint32_t count = to[k];
            to[k] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++) room[to[words[i] >> pass * RB_RADIX & (RB_BUCKETS - 1)]++] = words[i];
        words = room;
        room = swap;
    }
    return words;
}

/* Add up the clipped counts of two sorted lists, each followed by a word of ones. */
static inline void rb_merge_words(const uint64_t *a, const uint64_t *b, int bits, int max_order,
                                  int64_t *correct) {
    const uint64_t *from_a[RB_SORT_ORDERS], *from_b[RB_SORT_ORDERS];
    uint64_t digit = (UINT64_C(1) << bits) - 1, word = *a < *b ? *a : *b, changed;
    int order, shift;
    for (order = 0; order < max_order; order++) {
        from_a[order] = a;
        from_b[order] = b;
    }
    while (word != UINT64_MAX) {
        while (*a == word) a++;
        while (*b == word) b++;
        changed = word ^ (*a < *b ? *a : *b);
        for (order = max_order - 1, shift = 0; order >= 0; order--, shift += bits) {
            if (changed >> shift == 0) break; /* words share this beginning and all shorter ones */
            ptrdiff_t in_a = a - from_a[order], in_b = b - from_b[order];
            ptrdiff_t both = in_a < in_b ? in_a : in_b;
            from_a[order] = a;
            from_b[order] = b;
            correct[order] += word >> shift & digit ? both : 0;
        }
        word ^= changed;
    }
}

/* The words of a text, those with number 0 in front left out; returns how many. */
static inline ptrdiff_t rb_make_words(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                      const rb_number_table *table, int bits, int max_order,
                                      uint64_t *words) {
    uint64_t word = 0;
    uint64_t *out = words;
    ptrdiff_t i;
    for (i = n - 1; i >= 0; i--) {
        uint64_t slot = rb_number_slot(table, lo[i] | (uint64_t)hi[i] << 32);
        uint64_t number = table->number[slot];
        word = word >> bits | number << bits * (max_order - 1);
        *out = word;
        out += number != 0;
    }
    return out - words;
}

/* Fill correct[0 .. max_order) for two texts of at most RB_SORT_MOST tokens of which none is long,
 * in memory of rb_sorted_words; 0 if the reference has too many different tokens. */
static inline int rb_sorted_counts(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                   const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                   int max_order, int64_t *correct, uint64_t *memory, uint64_t key) {
    uint64_t *a = memory, *b = a + n + 1, *room = b + m + 1, *sorted_a, *sorted_b;
    rb_number_table table;
    int64_t i, n_tokens = 0, most = RB_SORT_SLOTS / 2;
    int bits = 1;
    if (max_order * 11 > 63) most = (INT64_C(1) << 63 / max_order) - 1;
    table.key = key;
    table.identity = room + (n > m ? n : m);
    table.number = (uint16_t *)(table.identity + RB_SORT_SLOTS);
    memset(table.number, 0, RB_SORT_SLOTS * sizeof(uint16_t));
    for (i = 0; i < m; i++) {
        uint64_t identity = ref_lo[i] | (uint64_t)ref_hi[i] << 32;
        uint64_t slot = rb_number_slot(&table, identity);
        if (table.number[slot]) continue;
        if (n_tokens == most) return 0;
        table.identity[slot] = identity;
        table.number[slot] = (uint16_t)++n_tokens;
    }
    while (n_tokens >> bits) bits++;
    n = rb_make_words(hyp_lo, hyp_hi, n, &table, bits, max_order, a);
    m = rb_make_words(ref_lo, ref_hi, m, &table, bits, max_order, b);
    sorted_a = rb_sort_words(a, room, n, bits * max_order);
    if (sorted_a != a) memcpy(a, sorted_a, (size_t)n * sizeof *a);
    sorted_b = rb_sort_words(b, room, m, bits * max_order);
    if (sorted_b != b) memcpy(b, sorted_b, (size_t)m * sizeof *b);
    a[n] = b[m] = UINT64_MAX;
    rb_merge_words(a, b, bits, max_order, correct);
    return 1;
}

#endif
