/* Levenshtein's distance of two numbered texts, and the last row of its table. Rows are computed as
 * in levenshtein.h, but only two bits a row are stored at the end of each stripe of columns. A
 * stripe has four blocks of 64 columns, whose words pass all rows together: the output of a block
 * is ready long before the next row needs it, so the processor works on all four at a time. A table
 * by number contains the words of a stripe for each token. Memory is linear; 64 cells take some
 * fifteen operations, three or four of them at once. */
#ifndef RAPIDBLEU_EDITS_DISTANCE_ROWS_H
#define RAPIDBLEU_EDITS_DISTANCE_ROWS_H

#include "common/cpu.h"
#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include "ngrams/token_masks.h"

#define RB_BLOCK 64
#define RB_STRIPE 4 /* blocks, if more than one */

typedef struct {
    uint64_t *of_number; /* [numbers + 1, blocks] positions of a token; all 0 between two texts */
    uint64_t *across;    /* [2, words of rows] is the next cell one more, or one less? */
} rb_distance_rows;

static inline int64_t rb_row_words(int64_t n) { return (n + 63) / 64; }

/* Words of memory for texts of up to n tokens, and compared texts with n_numbers. */
static inline int64_t rb_distance_words(int64_t n, int64_t n_numbers) {
    return RB_STRIPE * (n_numbers + 1) + 2 * rb_row_words(n);
}

static inline void rb_distance_place(rb_distance_rows *d, uint64_t *memory, int64_t n_numbers) {
    d->of_number = memory;
    d->across = memory + RB_STRIPE * (n_numbers + 1);
    memset(memory, 0, (size_t)(RB_STRIPE * (n_numbers + 1)) * sizeof *memory);
}

/* All rows of a stripe; `last` receives the words of the last one, a pair per block. */
RB_INLINE void rb_distance_stripe(rb_distance_rows *d, const int32_t *a, int64_t n, int n_blocks,
                                  uint64_t *last) {
    uint64_t *more = d->across, *less = d->across + rb_row_words(n);
    uint64_t vp[RB_STRIPE], vn[RB_STRIPE];
    int64_t i;
    int k, w;
    for (w = 0; w < n_blocks; w++) {
        vp[w] = UINT64_MAX;
        vn[w] = 0;
    }
    for (i = 0; i < n; i += 64) {
        const int end = n - i < 64 ? (int)(n - i) : 64;
        uint64_t in_more = more[i / 64], in_less = less[i / 64], out_more = 0, out_less = 0;
        for (k = 0; k < end; k++) {
            const uint64_t *equal = d->of_number + (int64_t)a[i + k] * n_blocks;
            uint64_t up = in_more & 1, down = in_less & 1;
            for (w = 0; w < n_blocks; w++) {
                const uint64_t x = equal[w] | down;
                const uint64_t d0 = (((x & vp[w]) + vp[w]) ^ vp[w]) | x | vn[w];
                const uint64_t hp = vn[w] | ~(d0 | vp[w]), hn = vp[w] & d0;
                const uint64_t hp_in = hp << 1 | up, hn_in = hn << 1 | down;
                vp[w] = hn_in | ~(d0 | hp_in);
                vn[w] = hp_in & d0;
                up = hp >> 63;
                down = hn >> 63;
            }
            out_more |= up << k;
            out_less |= down << k;
            in_more >>= 1;
            in_less >>= 1;
        }
        more[i / 64] = out_more;
        less[i / 64] = out_less;
    }
    for (w = 0; w < n_blocks; w++) {
        last[2 * w] = vp[w];
        last[2 * w + 1] = vn[w];
    }
}

/* The distance of texts `a` and `b`, or -1. Number 0 is a token in only one of them. `row`, unless
 * NULL, receives the words of the last row: of the blocks of `b`, rounded up to whole stripes. */
static inline int64_t rb_distance(rb_distance_rows *d, const int32_t *a, int64_t n, const int32_t *b,
                                  int64_t m, uint64_t *row, rb_scratch *scratch) {
    const int n_blocks = m > RB_BLOCK ? RB_STRIPE : 1;
    const int64_t n_words = rb_row_words(n);
    int64_t distance = n, begin, j, left;
    int w;
    if (n == 0) return m;
    memset(d->across, 0xff, (size_t)n_words * sizeof *d->across);
    memset(d->across + n_words, 0, (size_t)n_words * sizeof *d->across);
    for (begin = 0; begin < m; begin += RB_BLOCK * n_blocks) {
        uint64_t own[2 * RB_STRIPE], *last = row != NULL ? row + begin / RB_BLOCK * 2 : own;
        const int64_t end = begin + RB_BLOCK * n_blocks < m ? begin + RB_BLOCK * n_blocks : m;
        for (j = begin; j < end; j++)
            d->of_number[b[j] * (int64_t)n_blocks + (j - begin) / RB_BLOCK]
                |= UINT64_C(1) << ((j - begin) % RB_BLOCK);
        for (w = 0; w < n_blocks; w++) d->of_number[w] = 0;
        if (n_blocks == 1) /* a constant for the optimizer */
            rb_distance_stripe(d, a, n, 1, last);
        else
            rb_distance_stripe(d, a, n, RB_STRIPE, last);
        for (j = begin; j < end; j++)
            d->of_number[b[j] * (int64_t)n_blocks + (j - begin) / RB_BLOCK] = 0;
        for (w = 0, left = end - begin; left > 0; w++, left -= RB_BLOCK) {
            const uint64_t cells = left < RB_BLOCK ? ~(UINT64_MAX << left) : UINT64_MAX;
            distance += rb_popcount(last[2 * w] & cells) - rb_popcount(last[2 * w + 1] & cells);
        }
        if (rb_scratch_worked(scratch, n * n_blocks) < 0) return -1;
    }
    return distance;
}

/* Positions of each token of one text in another, 64 at a time. Bit-parallel distances go through a
 * text `a` and need the positions of each token in a text `b`, in blocks of 64 positions: one word
 * a token. If `b` has one block, the words come from comparing all tokens with each other
 * (ngrams/token_masks.h). Otherwise tokens are numbered, and a table by number, in which a block
 * sets at most 64 bits and clears them again, yields the words block by block: memory is linear. */
typedef struct {
    int64_t n, m;                      /* tokens of a and of b */
    uint64_t *masks;                   /* [n] positions in the last requested block */
    uint64_t *of_number;               /* [numbers] of a block; NULL if b has a single block */
    const int32_t *a_numbers, *b_numbers; /* [n], [m]; 0: a token of a that is not in b */
} rb_equal;

static inline int64_t rb_equal_blocks(const rb_equal *e) { return (e->m + RB_BLOCK - 1) / RB_BLOCK; }

static inline int64_t rb_equal_words(int64_t n, int64_t m) {
    return m <= RB_BLOCK ? 2 * n : n + (m + 1) + (n + m + 1) / 2;
}

/* Prepare text `a` for comparison with text `b`; `memory` remains in use. */
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
    return rb_number_both(&scratch->tokens, as, a, a_numbers, bs, b, b_numbers);
}

/* The same for numbered texts of n and m tokens; `memory` is n + m + 1 words. */
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

/* Does token i of a equal the token at position j of b? */
static inline int rb_equal_at(const rb_equal *e, int64_t i, int64_t j) {
    return e->of_number == NULL ? (int)(e->masks[i] >> j & 1)
                                : e->a_numbers[i] == e->b_numbers[j];
}

/* Strip common prefix, of length `in_front`, and suffix; returns their total length. */
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
