/* Where each token of one text stands in another, 64 positions at a time.
 *
 * Bit-parallel distances go through a text `a` and ask of each of its tokens at which positions of a
 * text `b` the same token is, in blocks of 64 positions of `b`: one word a token.  If `b` has one
 * block, the words come from comparing every token with all others (ngrams/token_masks.h).
 * Otherwise the tokens are numbered, and a table by number, in which a block sets 64 bits at most
 * and clears them again, gives the words of one block after the other: memory is linear in both
 * lengths. */
#ifndef RAPIDBLEU_EDITS_EQUAL_POSITIONS_H
#define RAPIDBLEU_EDITS_EQUAL_POSITIONS_H

#include "edits/distance_rows.h"
#include "ngrams/hash_tables.h"
#include "ngrams/token_masks.h"

typedef struct {
    int64_t n, m;                      /* tokens of a and of b */
    uint64_t *masks;                   /* [n] positions of the block asked for last */
    uint64_t *of_number;               /* [numbers] of a block; NULL: b has one block only */
    const int32_t *a_numbers, *b_numbers; /* [n], [m]; 0: a token of a that b has not */
} rb_equal;

static inline int64_t rb_equal_blocks(const rb_equal *e) { return (e->m + RB_BLOCK - 1) / RB_BLOCK; }

/* Words of memory that texts of n and m tokens need. */
static inline int64_t rb_equal_words(int64_t n, int64_t m) {
    return m <= RB_BLOCK ? 2 * n : n + (m + 1) + (n + m + 1) / 2;
}

/* Compare text `a` with text `b`; `memory` is kept in use. */
static inline int rb_equal_open(rb_equal *e, uint64_t *memory, rb_scratch *scratch,
                                const rb_tokens *as, int64_t a, const rb_tokens *bs, int64_t b) {
    int32_t *a_numbers, *b_numbers;
    e->n = rb_segment_length(as, a);
    e->m = rb_segment_length(bs, b);
    e->masks = memory;
    e->of_number = NULL;
    if (e->m <= RB_BLOCK) {
        rb_token_masks(scratch->clipping.matcher.masks, as, a, bs, b, e->masks, memory + e->n);
        return 0;
    }
    e->of_number = memory + e->n;
    a_numbers = (int32_t *)(e->of_number + e->m + 1);
    b_numbers = a_numbers + e->n;
    e->a_numbers = a_numbers;
    e->b_numbers = b_numbers;
    memset(e->of_number, 0, (size_t)(e->m + 1) * sizeof(uint64_t));
    if (rb_token_table_clear(&scratch->tokens, bs, e->m) < 0
        || rb_token_numbers(&scratch->tokens, bs, b, 1, b_numbers) < 0)
        return -1;
    return rb_token_numbers(&scratch->tokens, as, a, 0, a_numbers);
}

/* Compare texts of n and m tokens that are numbered; `memory` is n + m + 1 words. */
static inline void rb_equal_of_numbers(rb_equal *e, uint64_t *memory, const int32_t *a, int64_t n,
                                       const int32_t *b, int64_t m) {
    e->n = n;
    e->m = m;
    e->masks = memory;
    e->of_number = memory + n;
    e->a_numbers = a;
    e->b_numbers = b;
    memset(e->of_number, 0, (size_t)(m + 1) * sizeof(uint64_t));
}

/* Is token i of a that at position j of b? */
static inline int rb_equal_at(const rb_equal *e, int64_t i, int64_t j) {
    return e->of_number == NULL ? (int)(e->masks[i] >> j & 1)
                                : e->a_numbers[i] == e->b_numbers[j];
}

/* Leave out the tokens with which both texts begin, `in_front` of them, and those with which both
 * end; how many in all. */
static inline int64_t rb_equal_strip(rb_equal *e, int64_t *in_front) {
    const int64_t shorter = e->n < e->m ? e->n : e->m;
    int64_t front = 0, back = 0, i;
    while (front < shorter && rb_equal_at(e, front, front)) front++;
    while (front + back < shorter && rb_equal_at(e, e->n - 1 - back, e->m - 1 - back)) back++;
    *in_front = front;
    e->n -= front + back;
    e->m -= front + back;
    if (e->of_number != NULL) {
        e->a_numbers += front;
        e->b_numbers += front;
    } else if (e->m > 0) {
        const uint64_t positions = UINT64_MAX >> (RB_BLOCK - e->m);
        e->masks += front;
        for (i = 0; i < e->n; i++) e->masks[i] = e->masks[i] >> front & positions;
    }
    return front + back;
}

/* The words of a block. */
static inline const uint64_t *rb_equal_block(rb_equal *e, int64_t block) {
    const int64_t begin = block * RB_BLOCK;
    const int64_t end = begin + RB_BLOCK < e->m ? begin + RB_BLOCK : e->m;
    int64_t i;
    if (e->of_number == NULL) return e->masks;
    for (i = begin; i < end; i++) e->of_number[e->b_numbers[i]] |= UINT64_C(1) << (i - begin);
    for (i = 0; i < e->n; i++) e->masks[i] = e->of_number[e->a_numbers[i]];
    for (i = begin; i < end; i++) e->of_number[e->b_numbers[i]] = 0;
    return e->masks;
}

#endif
