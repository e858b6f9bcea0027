/* Column sums of rows of bits: of n rows, how many have bit j set, for every j.
 *
 * Counters are bit-sliced: planes[k] holds bit k of all counters, 64 in a word, so that one logical
 * operation works on 64 counters.  Seven rows at a time go through four full adders to one digit
 * each of weight 1, 2 and 4 and are then added to the planes: five operations a word and row,
 * where adding rows one by one takes ten (Harley and Seal's way of counting bits). */
#ifndef RAPIDBLEU_NGRAMS_BIT_COUNTERS_H
#define RAPIDBLEU_NGRAMS_BIT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"
#include "common/cpu.h"

#define RB_LANE 4       /* words that go through the adders together; rows are multiples of it */
#define RB_ROWS 7       /* rows that are added together; lists of rows are padded to a multiple */
#define RB_MOST_PLANES 8

typedef struct { uint64_t word[RB_LANE]; } rb_lane;

/* The bits of a byte as a byte each, and those of so many bytes from x on. */
#define RB_SPREAD_1(x)                                                                             \
    (x) & 1, (x) >> 1 & 1, (x) >> 2 & 1, (x) >> 3 & 1, (x) >> 4 & 1, (x) >> 5 & 1, (x) >> 6 & 1,   \
        (x) >> 7 & 1
#define RB_SPREAD_4(x)                                                                             \
    RB_SPREAD_1(x), RB_SPREAD_1((x) + 1), RB_SPREAD_1((x) + 2), RB_SPREAD_1((x) + 3)
#define RB_SPREAD_16(x)                                                                            \
    RB_SPREAD_4(x), RB_SPREAD_4((x) + 4), RB_SPREAD_4((x) + 8), RB_SPREAD_4((x) + 12)
#define RB_SPREAD_64(x)                                                                            \
    RB_SPREAD_16(x), RB_SPREAD_16((x) + 16), RB_SPREAD_16((x) + 32), RB_SPREAD_16((x) + 48)

RB_INLINE rb_lane rb_lane_load(const uint64_t *p) {
    rb_lane x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Full adder: a + b + *sum = *sum + 2 * carry, bit by bit. */
RB_INLINE rb_lane rb_full_add(rb_lane a, rb_lane b, rb_lane *sum) {
    rb_lane carry;
    int w;
    for (w = 0; w < RB_LANE; w++) {
        uint64_t odd = a.word[w] ^ b.word[w];
        carry.word[w] = (a.word[w] & b.word[w]) | (odd & sum->word[w]);
        sum->word[w] ^= odd;
    }
    return carry;
}

RB_INLINE rb_lane rb_half_add(rb_lane a, rb_lane *sum) {
    rb_lane carry;
    int w;
    for (w = 0; w < RB_LANE; w++) {
        carry.word[w] = a.word[w] & sum->word[w];
        sum->word[w] ^= a.word[w];
    }
    return carry;
}

/* Write counts[0 .. 64 * n_words) from n rows, a multiple of RB_ROWS of which at most 255 are not
 * all zero; rows are readable up to the next multiple of RB_LANE words.  Most of the time goes into
 * the turn from planes to bytes, so compiling this for wider vectors gained nothing. */
static inline void rb_sum_rows(const uint64_t *const *rows, ptrdiff_t n, ptrdiff_t n_words,
                               uint8_t *counts) {
    static const uint8_t spread[8 * 256] = {/* the bits of each byte */
                                            RB_SPREAD_64(0), RB_SPREAD_64(64), RB_SPREAD_64(128),
                                            RB_SPREAD_64(192)};
    ptrdiff_t first, i;
    int n_planes = 1, k, w, byte;
    while (n_planes < RB_MOST_PLANES && n >> n_planes) n_planes++;
    for (first = 0; first < n_words; first += RB_LANE) {
        rb_lane planes[RB_MOST_PLANES];
        memset(planes, 0, sizeof planes);
        for (i = 0; i < n; i += RB_ROWS) {
            rb_lane one = rb_lane_load(rows[i] + first), other = rb_lane_load(rows[i + 3] + first);
            rb_lane two, two_more, four, carry;
            two = rb_full_add(rb_lane_load(rows[i + 1] + first),
                              rb_lane_load(rows[i + 2] + first), &one);
            two_more = rb_full_add(rb_lane_load(rows[i + 4] + first),
                                   rb_lane_load(rows[i + 5] + first), &other);
            carry = rb_full_add(other, rb_lane_load(rows[i + 6] + first), &one);
            four = rb_full_add(carry, two_more, &two);
            carry = rb_half_add(one, &planes[0]);
            carry = rb_full_add(carry, two, &planes[1]);
            carry = rb_full_add(carry, four, &planes[2]);
            for (k = 3; k < n_planes; k++) carry = rb_half_add(carry, &planes[k]);
        }
        for (w = 0; w < RB_LANE && first + w < n_words; w++)
            for (byte = 0; byte < 8; byte++, counts += 8) {
                uint64_t sums = 0;
                for (k = 0; k < n_planes; k++) {
                    uint64_t bits;
                    memcpy(&bits, spread + 8 * (planes[k].word[w] >> 8 * byte & 255), 8);
                    sums |= bits << k;
                }
                memcpy(counts, &sums, 8);
            }
    }
}

#endif
