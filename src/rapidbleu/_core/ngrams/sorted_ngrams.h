/* Clipped counts of two long texts over a small alphabet, by sorting: the way of clipping.h for
 * characters.
 *
 * Distinct tokens of the reference are numbered from 1, in so few bits that the numbers of max_order
 * tokens and a bit that says whose they are fit into a word.  The word that begins at a token, first
 * token highest, is the n-gram of every order there at once.  The words of both texts are sorted by
 * radix.  Words that begin with the same n tokens are then neighbours, and where that beginning
 * changes, min(how many of the one text, how many of the other) since its last change is the clipped
 * count of one n-gram.
 *
 * Number 0 is a token that the reference has not, or the end of the hypothesis; the end of the
 * reference has a number of its own.  So neither is in n-grams that both texts have.
 *
 * Where beginnings change is as unpredictable as text, so the counts have no branch on it: all
 * orders are lanes of one vector, and the highest bit in which a word differs from the one before it
 * selects the lanes that count.
 *
 * Linear in time, and no n-gram is hashed.  Refinement, which drops few positions where the alphabet
 * is small, takes several times as long. */
#ifndef RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H
#define RAPIDBLEU_NGRAMS_SORTED_NGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/probing_table.h"

#define RB_SORT_SLOTS 4096     /* of the table of tokens, at most half full */
#define RB_SORT_MOST (1 << 18) /* tokens of a text: some ten milliseconds of work */
#define RB_SORT_ORDERS 16
#define RB_LEAST_RADIX 8
#define RB_MOST_RADIX 11
#define RB_SORT_PASSES ((64 + RB_MOST_RADIX - 1) / RB_MOST_RADIX)
#define RB_SORT_PLACES (RB_SORT_PASSES << RB_MOST_RADIX)

/* Words of memory for texts of n and m tokens. */
static inline int64_t rb_sorted_words(int64_t n, int64_t m) {
    return 2 * (n + m) + RB_SORT_PLACES / 2 + RB_SORT_SLOTS + RB_SORT_SLOTS / 4;
}

typedef struct {
    uint64_t key; /* odd and secret, so that no tokens can be prepared that collide */
    uint64_t *identity;
    uint16_t *number;
} rb_number_table;

/* The slot of a token: its own, or a free one. */
RB_INLINE uint64_t rb_number_slot(const rb_number_table *t, uint64_t identity) {
    uint64_t place = rb_hash_word(identity, t->key);
    RB_PROBE(place, RB_SORT_SLOTS, t->number[place] == 0 || t->identity[place] == identity);
    return place;
}

/* Bits of a digit for n words of so many bits: wide ones take few passes, and narrow ones few places. */
RB_INLINE int rb_radix_for(int64_t n, int bits) {
    int radix, best = RB_LEAST_RADIX;
    int64_t cost, least = INT64_MAX;
    for (radix = RB_LEAST_RADIX; radix <= RB_MOST_RADIX; radix++) {
        cost = (bits + radix - 1) / radix * (n + (INT64_C(1) << radix));
        if (cost < least) {
            least = cost;
            best = radix;
        }
    }
    return best;
}

/* Sort n words by so many bits from bit 1 on, with room for as many; returns where they are. */
RB_INLINE uint64_t *rb_sort_words(uint64_t *words, uint64_t *room, ptrdiff_t n, int bits,
                                      uint32_t *places) {
    const int radix = rb_radix_for(n, bits), n_passes = (bits + radix - 1) / radix;
    const uint32_t n_places = UINT32_C(1) << radix;
    ptrdiff_t i;
    uint32_t k;
    int pass;
    memset(places, 0, (size_t)n_passes * n_places * sizeof *places);
    for (i = 0; i < n; i++) {
        uint64_t rest = words[i] >> 1;
        for (pass = 0; pass < n_passes; pass++, rest >>= radix)
            places[(uint32_t)pass * n_places + (rest & (n_places - 1))]++;
    }
    for (pass = 0; pass < n_passes; pass++, places += n_places) {
        const int shift = 1 + pass * radix;
        uint64_t *swap = words;
        uint32_t sum = 0;
        for (k = 0; k < n_places; k++) {
            const uint32_t count = places[k];
            places[k] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++) room[places[words[i] >> shift & (n_places - 1)]++] = words[i];
        words = room;
        room = swap;
    }
    return words;
}

/* For each highest bit in which a word may differ from the one before it: all bits of the lanes of
 * orders whose beginnings are changed. */
static inline void rb_changed_lanes(int32_t changed[64][RB_SORT_ORDERS], int bits, int max_order) {
    int bit, lane;
    for (bit = 0; bit < 64; bit++)
        for (lane = 0; lane < RB_SORT_ORDERS; lane++)
            changed[bit][lane] = -(bit > bits * (max_order - 1 - lane));
}

/* Where in that table it is, for word i of n; those around all words differ in everything. */
RB_INLINE int rb_highest_change(const uint64_t *words, ptrdiff_t n, ptrdiff_t i) {
    const uint64_t differ = i == 0 || i == n ? UINT64_MAX : words[i] ^ words[i - 1];
    return rb_ctz(rb_highest_bit(differ | 1));
}

/* Add up the clipped counts of n sorted words. */
static inline void rb_count_sorted(const uint64_t *words, ptrdiff_t n, int bits, int max_order,
                                   int64_t *correct) {
    int32_t changed[64][RB_SORT_ORDERS];
    int32_t in_hyp[RB_SORT_ORDERS] = {0}, in_ref[RB_SORT_ORDERS] = {0}, both[RB_SORT_ORDERS] = {0};
    int32_t n_hyp = 0, n_ref = 0;
    ptrdiff_t i;
    int lane;
    rb_changed_lanes(changed, bits, max_order);
    for (i = 0; i <= n; i++) {
        const int32_t *mask = changed[rb_highest_change(words, n, i)];
        for (lane = 0; lane < max_order; lane++) {
            const int32_t a = n_hyp - in_hyp[lane], b = n_ref - in_ref[lane];
            both[lane] += (a < b ? a : b) & mask[lane];
            in_hyp[lane] = (n_hyp & mask[lane]) | (in_hyp[lane] & ~mask[lane]);
            in_ref[lane] = (n_ref & mask[lane]) | (in_ref[lane] & ~mask[lane]);
        }
        if (i == n) break;
        n_ref += (int32_t)(words[i] & 1);
        n_hyp += (int32_t)(~words[i] & 1);
    }
    for (lane = 0; lane < max_order; lane++) correct[lane] = both[lane];
}

#if RB_HAVE_V3
/* The same for up to eight orders, with all that a lane knows in registers. */
RB_V3 static inline void rb_count_sorted_v3(const uint64_t *words, ptrdiff_t n, int bits,
                                            int max_order, int64_t *correct) {
    int32_t changed[64][RB_SORT_ORDERS], sums[8];
    __m256i in_hyp = _mm256_setzero_si256(), in_ref = in_hyp, both = in_hyp;
    int32_t n_ref = 0;
    ptrdiff_t i;
    int lane;
    rb_changed_lanes(changed, bits, max_order);
    for (i = 0; i <= n; i++) {
        const __m256i mask =
            _mm256_loadu_si256((const __m256i *)changed[rb_highest_change(words, n, i)]);
        const __m256i hyp = _mm256_set1_epi32((int32_t)i - n_ref), ref = _mm256_set1_epi32(n_ref);
        const __m256i least = _mm256_min_epi32(_mm256_sub_epi32(hyp, in_hyp),
                                               _mm256_sub_epi32(ref, in_ref));
        both = _mm256_add_epi32(both, _mm256_and_si256(least, mask));
        in_hyp = _mm256_blendv_epi8(in_hyp, hyp, mask);
        in_ref = _mm256_blendv_epi8(in_ref, ref, mask);
        if (i == n) break;
        n_ref += (int32_t)(words[i] & 1);
    }
    _mm256_storeu_si256((__m256i *)sums, both);
    for (lane = 0; lane < max_order; lane++) correct[lane] = sums[lane];
}
#endif

/* The words of a text, which ends with a number and of which bit 0 says whose it is; those of the
 * hypothesis that begin with number 0 are left out.  Returns how many there are. */
RB_INLINE ptrdiff_t rb_make_words(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                      const rb_number_table *table, int bits, int max_order,
                                      uint64_t end, uint64_t whose, uint64_t *words) {
    const int top = bits * (max_order - 1);
    uint64_t word = 0;
    uint64_t *out = words;
    ptrdiff_t i;
    int k;
    for (k = 0; k < max_order; k++) word = word << bits | end;
    for (i = n - 1; i >= 0; i--) {
        uint64_t slot = rb_number_slot(table, lo[i] | (uint64_t)hi[i] << 32);
        uint64_t number = table->number[slot];
        word = word >> bits | number << top;
        *out = word << 1 | whose;
        out += number != 0;
    }
    return out - words;
}

/* Counts of sorted words; see rb_count_sorted. */
typedef void (*rb_count_sorted_fn)(const uint64_t *words, ptrdiff_t n, int bits, int max_order,
                                   int64_t *correct);

RB_INLINE int rb_sorted_counts_body(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                    const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                    int max_order, int64_t *correct, uint64_t *memory, uint64_t key,
                                    rb_count_sorted_fn count) {
    uint64_t *words = memory, *room = words + n + m;
    uint32_t *places = (uint32_t *)(room + n + m);
    rb_number_table table;
    int64_t i, n_tokens = 0, most = RB_SORT_SLOTS / 2;
    int bits = 1;
    if (max_order * 11 > 63) most = (INT64_C(1) << 63 / max_order) - 2;
    table.key = key;
    table.identity = room + n + m + RB_SORT_PLACES / 2;
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
    while ((n_tokens + 1) >> bits) bits++;
    n = rb_make_words(hyp_lo, hyp_hi, n, &table, bits, max_order, 0, 0, words);
    n += rb_make_words(ref_lo, ref_hi, m, &table, bits, max_order, (uint64_t)n_tokens + 1, 1,
                       words + n);
    words = rb_sort_words(words, room, n, bits * max_order, places);
    count(words, n, bits, max_order, correct);
    return 1;
}

static int rb_sorted_counts_portable(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                     const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                     int max_order, int64_t *correct, uint64_t *memory,
                                     uint64_t key) {
    return rb_sorted_counts_body(hyp_lo, hyp_hi, n, ref_lo, ref_hi, m, max_order, correct, memory,
                                 key, rb_count_sorted);
}

#if RB_HAVE_V3
RB_V3 static int rb_sorted_counts_v3(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                     const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                     int max_order, int64_t *correct, uint64_t *memory,
                                     uint64_t key) {
    return rb_sorted_counts_body(hyp_lo, hyp_hi, n, ref_lo, ref_hi, m, max_order, correct, memory,
                                 key, max_order <= 8 ? rb_count_sorted_v3 : rb_count_sorted);
}
#endif

/* Fill correct[0 .. max_order) for two texts of at most RB_SORT_MOST tokens of which none is long,
 * in memory of rb_sorted_words; 0 if the reference has too many different tokens. */
static inline int rb_sorted_counts(const uint32_t *hyp_lo, const uint32_t *hyp_hi, int64_t n,
                                   const uint32_t *ref_lo, const uint32_t *ref_hi, int64_t m,
                                   int max_order, int64_t *correct, uint64_t *memory,
                                   uint64_t key) {
#if RB_HAVE_V3
    if (rb_use_v3())
        return rb_sorted_counts_v3(hyp_lo, hyp_hi, n, ref_lo, ref_hi, m, max_order, correct, memory,
                                   key);
#endif
    return rb_sorted_counts_portable(hyp_lo, hyp_hi, n, ref_lo, ref_hi, m, max_order, correct,
                                     memory, key);
}

#endif
