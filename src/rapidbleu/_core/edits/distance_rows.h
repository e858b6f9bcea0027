/* Levenshtein's distance of two numbered texts, and the last row of its table. Rows are computed as
 * in levenshtein.h, in stripes of up to four blocks of 64 columns, whose words pass all rows
 * together: the output of a block is ready long before the next row needs it, so the processor
 * works on all four at a time. Two bits a row are stored at the end of each stripe. A table by
 * number contains the words of a stripe for each token. Memory is linear; 64 cells take some
 * fifteen operations, three or four of them at once.
 *
 * If the distance is known to be at most some number, paths of that length stay near the diagonal
 * (Ukkonen 1985), and a stripe needs only the rows there. Cells beyond, at the top of a stripe or
 * below the end of the one before, count as reached by deletions or insertions alone: they may be
 * too high, never too low, so cells of shortest paths are exact. */
#ifndef RAPIDBLEU_EDITS_DISTANCE_ROWS_H
#define RAPIDBLEU_EDITS_DISTANCE_ROWS_H

#include "common/cpu.h"
#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include "ngrams/token_masks.h"

#define RB_BLOCK 64
#define RB_STRIPE 4 /* blocks at most */

typedef struct {
    uint64_t *of_number; /* [numbers + 1, blocks] positions of a token; all 0 between two texts */
    uint64_t *across;    /* [2, words of rows] is the next cell one more, or one less? */
} rb_distance_rows;

static inline int64_t rb_row_words(int64_t n) { return (n + 63) / 64; }

/* Blocks of a stripe of m columns. */
static inline int rb_stripe_blocks(int64_t m) {
    return m > RB_BLOCK * (RB_STRIPE - 1) ? RB_STRIPE : (int)rb_row_words(m);
}

/* Words of memory for texts of up to n tokens, and compared texts with n_numbers. */
static inline int64_t rb_distance_words(int64_t n, int64_t n_numbers) {
    return RB_STRIPE * (n_numbers + 1) + 2 * rb_row_words(n);
}

static inline void rb_distance_place(rb_distance_rows *d, uint64_t *memory, int64_t n_numbers) {
    d->of_number = memory;
    d->across = memory + RB_STRIPE * (n_numbers + 1);
    memset(memory, 0, (size_t)(RB_STRIPE * (n_numbers + 1)) * sizeof *memory);
}

/* Diagonals, column minus row, that paths of at most `most` edits can reach; of all if -1. */
typedef struct {
    int64_t n, m, low, high;
} rb_reach;

static inline rb_reach rb_reach_of(int64_t n, int64_t m, int64_t most) {
    const rb_reach all = {n, m, -n, m}, some = {n, m, (m - n - most) / 2, (m - n + most) / 2};
    return most < 0 ? all : some;
}

/* Rows of columns [begin, end), in whole words; a row more on both sides. */
static inline void rb_reach_rows(const rb_reach *r, int64_t begin, int64_t end, int64_t *from,
                                 int64_t *to) {
    *from = begin - r->high - 1;
    *from = *from < 0 ? 0 : (*from < r->n ? *from : r->n) & ~INT64_C(63);
    *to = (end - r->low + 64) & ~INT64_C(63);
    if (*to > r->n) *to = r->n;
}

/* No row has a cell to the left of the stripe yet, except the one before the first column. */
static inline void rb_across_open(uint64_t *across, int64_t n) {
    memset(across, 0xff, (size_t)rb_row_words(n) * sizeof *across);
    memset(across + rb_row_words(n), 0, (size_t)rb_row_words(n) * sizeof *across);
}

/* Sum of the changes in rows [from, to), the first a multiple of 64. */
static inline int64_t rb_across_sum(const uint64_t *across, int64_t n, int64_t from, int64_t to) {
    const uint64_t *more = across, *less = across + rb_row_words(n);
    int64_t sum = 0, i;
    for (i = from; i < to; i += 64) {
        const uint64_t rows = to - i < 64 ? ~(UINT64_MAX << (to - i)) : UINT64_MAX;
        sum += rb_popcount(more[i / 64] & rows) - rb_popcount(less[i / 64] & rows);
    }
    return sum;
}

/* Rows of a stripe of blocks, a constant. Row i has the positions of token a[i] of the table
 * `equal`, or, if a is NULL, of i. `more` and `less` are what comes in from the left, and then what
 * goes out to the right; NULL if there is a single stripe. `last` receives the words of the last
 * row, a pair per block, and `rows`, unless NULL, the words of each row. */
RB_INLINE void rb_distance_stripe(int n_blocks, const uint64_t *equal, const int32_t *a, int64_t n,
                                  uint64_t *more, uint64_t *less, uint64_t *last, uint64_t *rows) {
    uint64_t vp[RB_STRIPE], vn[RB_STRIPE];
    int64_t i;
    int k, w;
    for (w = 0; w < n_blocks; w++) {
        vp[w] = UINT64_MAX;
        vn[w] = 0;
    }
    for (i = 0; i < n; i += 64) {
        const int end = n - i < 64 ? (int)(n - i) : 64;
        uint64_t in_more = more != NULL ? more[i / 64] : 0, in_less = more != NULL ? less[i / 64] : 0;
        uint64_t out_more = 0, out_less = 0;
        for (k = 0; k < end; k++) {
            const uint64_t *x_of = equal + (a != NULL ? a[i + k] : i + k) * n_blocks;
            uint64_t not_up = more != NULL ? ~in_more & 1 : 0, down = more != NULL ? in_less & 1 : 0;
            for (w = 0; w < n_blocks; w++) {
                const uint64_t x = x_of[w] | down;
                const uint64_t d0 = (((x & vp[w]) + vp[w]) ^ vp[w]) | x | vn[w];
                const uint64_t not_hp = (d0 | vp[w]) ^ vn[w], hn = vp[w] & d0;
                const uint64_t not_in = not_hp << 1 | not_up, both = d0 & not_in;
                vp[w] = (hn << 1 | down) | (not_in ^ both);
                vn[w] = d0 ^ both;
                not_up = not_hp >> 63;
                down = hn >> 63;
                if (rows != NULL) {
                    *rows++ = vp[w];
                    *rows++ = vn[w];
                }
            }
            out_more |= (not_up ^ 1) << k;
            out_less |= down << k;
            in_more >>= 1;
            in_less >>= 1;
        }
        if (more != NULL) {
            more[i / 64] = out_more;
            less[i / 64] = out_less;
        }
    }
    for (w = 0; w < n_blocks; w++) {
        last[2 * w] = vp[w];
        last[2 * w + 1] = vn[w];
    }
}

/* Call a function with the number of blocks as a constant for the optimizer. */
#define RB_BY_BLOCKS(n_blocks, function, ...)                                                      \
    switch (n_blocks) {                                                                            \
        case 1: function(1, __VA_ARGS__); break;                                                   \
        case 2: function(2, __VA_ARGS__); break;                                                   \
        case 3: function(3, __VA_ARGS__); break;                                                   \
        default: function(RB_STRIPE, __VA_ARGS__);                                                 \
    }

/* Enter the positions of tokens b[begin:end] into a table for n_blocks, or clear them. */
RB_INLINE void rb_distance_enter(uint64_t *of_number, const int32_t *b, int64_t begin, int64_t end,
                                 int n_blocks) {
    int64_t j;
    for (j = begin; j < end; j++)
        of_number[b[j] * (int64_t)n_blocks + (j - begin) / RB_BLOCK]
            |= UINT64_C(1) << ((j - begin) % RB_BLOCK);
    for (j = 0; j < n_blocks; j++) of_number[j] = 0;
}

RB_INLINE void rb_distance_clear(uint64_t *of_number, const int32_t *b, int64_t begin, int64_t end,
                                 int n_blocks) {
    int64_t j;
    for (j = begin; j < end; j++) of_number[b[j] * (int64_t)n_blocks + (j - begin) / RB_BLOCK] = 0;
}

/* Sum of the changes in the first `left` columns of a row's words. */
static inline int64_t rb_row_sum(const uint64_t *row, int64_t left) {
    int64_t sum = 0;
    for (; left > 0; row += 2, left -= RB_BLOCK) {
        const uint64_t cells = left < RB_BLOCK ? ~(UINT64_MAX << left) : UINT64_MAX;
        sum += rb_popcount(row[0] & cells) - rb_popcount(row[1] & cells);
    }
    return sum;
}

/* The distance of texts `a` and `b` within reach, or -1. Number 0 is a token in only one of them.
 * `row`, unless NULL, receives the words of the last row: of the blocks of `b`, rounded up to whole
 * stripes, from column `*first` on, whose cell is `*value`. */
static inline int64_t rb_distance_within(rb_distance_rows *d, const int32_t *a, const int32_t *b,
                                         const rb_reach *reach, uint64_t *row, int64_t *first,
                                         int64_t *value, rb_scratch *scratch) {
    const int64_t n = reach->n, m = reach->m;
    const int n_blocks = rb_stripe_blocks(m);
    int64_t distance = -1, corner = 0, top = 0, begin; /* `corner` is the cell of row `top` */
    rb_across_open(d->across, n);
    for (begin = 0; begin < m; begin += RB_BLOCK * n_blocks) {
        uint64_t own[2 * RB_STRIPE], *last = row != NULL ? row + begin / RB_BLOCK * 2 : own;
        const int64_t end = begin + RB_BLOCK * n_blocks < m ? begin + RB_BLOCK * n_blocks : m;
        int64_t from, to;
        uint64_t *more, *less;
        rb_reach_rows(reach, begin, end, &from, &to);
        corner += rb_across_sum(d->across, n, top, from);
        top = from;
        if (distance < 0 && to == n) {
            *first = begin;
            *value = distance = begin == 0 ? n : corner + rb_across_sum(d->across, n, from, n);
        }
        more = d->across + from / 64;
        less = more + rb_row_words(n);
        rb_distance_enter(d->of_number, b, begin, end, n_blocks);
        RB_BY_BLOCKS(n_blocks, rb_distance_stripe, d->of_number, a + from, to - from, more, less,
                     last, NULL);
        rb_distance_clear(d->of_number, b, begin, end, n_blocks);
        corner += end - begin;
        if (distance >= 0) distance += rb_row_sum(last, end - begin);
        if (rb_scratch_worked(scratch, (to - from) * n_blocks) < 0) return -1;
    }
    return distance;
}

static inline int64_t rb_distance(rb_distance_rows *d, const int32_t *a, int64_t n, const int32_t *b,
                                  int64_t m, uint64_t *row, rb_scratch *scratch) {
    const rb_reach all = rb_reach_of(n, m, -1);
    int64_t first, value;
    return n == 0 || m == 0 ? n + m
                            : rb_distance_within(d, a, b, &all, row, &first, &value, scratch);
}

/* Positions of each token of one text in another, 64 at a time. Bit-parallel distances go through a
 * text `a` and need the positions of each token in a text `b`, in blocks of 64 positions: one word
 * a token. If `b` has one block, the words come from comparing all tokens with each other
 * (ngrams/token_masks.h). Otherwise tokens are numbered, and a table by number, in which a block
 * sets at most 64 bits and clears them again, yields the words block by block: memory is linear.
 * The number of a character of ASCII is its code, so most texts of characters are hardly hashed. */
#define RB_CODES 128

typedef struct {
    int64_t n, m;                      /* tokens of a and of b */
    uint64_t *masks;                   /* [n] positions in the last requested block */
    uint64_t *of_number;               /* [numbers, blocks] of a stripe; NULL if b is one block */
    const int32_t *a_numbers, *b_numbers; /* [n], [m]; 0: a token of a that is not in b */
} rb_equal;

static inline int64_t rb_equal_blocks(const rb_equal *e) { return (e->m + RB_BLOCK - 1) / RB_BLOCK; }

static inline int64_t rb_equal_words(int64_t n, int64_t m) {
    return m <= RB_BLOCK ? 2 * n : n + (m + RB_CODES) * rb_stripe_blocks(m) + (n + m + 1) / 2;
}

/* Prepare texts of n and m tokens with numbers below `n_numbers`, for each of which `memory` has
 * rb_stripe_blocks(m) words. */
static inline void rb_equal_of_numbers(rb_equal *e, uint64_t *memory, int64_t n_numbers,
                                       const int32_t *a, int64_t n, const int32_t *b, int64_t m) {
    e->n = n;
    e->m = m;
    e->of_number = memory;
    e->a_numbers = a;
    e->b_numbers = b;
    memset(memory, 0, (size_t)(n_numbers * rb_stripe_blocks(m)) * sizeof *memory);
}

/* Write the code of each token that is a character of ASCII, and 0 for the remaining tokens;
 * returns how many remain. */
static inline uint32_t rb_equal_codes(const rb_tokens *texts, int64_t text, int32_t *numbers) {
    const int64_t n = rb_segment_length(texts, text);
    const uint32_t *lo = texts->lo + texts->first_token[text];
    const uint32_t *hi = texts->hi + texts->first_token[text];
    uint32_t others = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        const uint32_t is_code = (hi[i] == 0) & (lo[i] - 1 < RB_CODES - 1); /* NUL has no code */
        numbers[i] = (int32_t)(lo[i] & (0 - is_code));
        others += 1 - is_code;
    }
    return others;
}

/* Number the remaining tokens from RB_CODES on; those missing in the table are added or stay 0. */
static inline int rb_equal_others(rb_token_table *table, const rb_tokens *texts, int64_t text,
                                  uint32_t others, int add, int32_t *numbers) {
    const int64_t first = texts->first_token[text], end_long = texts->first_long[text + 1];
    int64_t k = texts->first_long[text], i;
    for (i = 0; others > 0; i++) {
        const rb_long_token *record = NULL;
        uint64_t identity;
        rb_token_slot *slot;
        if (numbers[i] != 0) continue;
        if (k < end_long && texts->longs[k].index == i) record = &texts->longs[k++];
        identity = rb_token_identity(texts, first + i);
        slot = rb_token_table_find(table, texts, identity, record);
        if (slot->node != RB_NO_NODE)
            numbers[i] = (int32_t)slot->node;
        else if (add) {
            numbers[i] = (int32_t)(RB_CODES + table->table.n_items);
            if (rb_token_table_add(table, slot, identity, record, (uint32_t)numbers[i]) < 0)
                return -1;
        }
        others--;
        if (rb_poll_due(others, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
    }
    return 0;
}

/* Prepare text `a` for comparison with text `b`; `memory` remains in use. */
static inline int rb_equal_open(rb_equal *e, uint64_t *memory, rb_scratch *scratch,
                                const rb_tokens *as, int64_t a, const rb_tokens *bs, int64_t b) {
    const int64_t n = rb_segment_length(as, a), m = rb_segment_length(bs, b);
    rb_token_table *table = &scratch->tokens;
    e->masks = memory;
    if (m > RB_BLOCK) {
        int32_t *numbers = (int32_t *)(memory + n + (m + RB_CODES) * rb_stripe_blocks(m));
        const uint32_t in_a = rb_equal_codes(as, a, numbers);
        const uint32_t in_b = rb_equal_codes(bs, b, numbers + n);
        if (rb_token_table_clear(table, bs, in_b) < 0
            || rb_equal_others(table, bs, b, in_b, 1, numbers + n) < 0
            || rb_equal_others(table, as, a, in_a, 0, numbers) < 0)
            return -1;
        rb_equal_of_numbers(e, memory + n, RB_CODES + table->table.n_items, numbers, n,
                            numbers + n, m);
        return 0;
    }
    e->n = n;
    e->m = m;
    e->of_number = NULL;
    e->a_numbers = e->b_numbers = NULL;
    rb_token_masks(scratch->clipping.matcher.masks, as, a, bs, b, memory, memory + n);
    return 0;
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
    } else if (front + back > 0 && e->m > 0) {
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
    rb_distance_enter(e->of_number, e->b_numbers, begin, end, 1);
    for (i = 0; i < e->n; i++) e->masks[i] = e->of_number[e->a_numbers[i]];
    rb_distance_clear(e->of_number, e->b_numbers, begin, end, 1);
    return e->masks;
}

#endif
