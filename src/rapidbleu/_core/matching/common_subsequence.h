/* Length of the longest common subsequence of two texts, bit by bit (Hyyro 2004).
 *
 * A cell of the table of lengths is one more than the cell on its left, or the same: one bit.  A row
 * of 64 columns follows from the one above by an addition, whose carry the next block of columns
 * takes over: one bit a row. */
#ifndef RAPIDBLEU_MATCHING_COMMON_SUBSEQUENCE_H
#define RAPIDBLEU_MATCHING_COMMON_SUBSEQUENCE_H

#include "edits/equal_positions.h"

/* Words of memory for a text of n tokens, besides those of rb_equal. */
static inline int64_t rb_subsequence_words(int64_t n) { return (n + 63) / 64; }

/* Rows of one block: the columns where the length grows are those whose bit is 0 in the end. */
RB_INLINE uint64_t rb_subsequence_block(const uint64_t *masks, int64_t n, uint64_t *carries) {
    uint64_t same = UINT64_MAX;
    int64_t i, k;
    for (i = 0; i < n; i += 64) {
        const int64_t end = n - i < 64 ? n - i : 64;
        uint64_t in = carries[i / 64], out = 0;
        for (k = 0; k < end; k++) {
            const uint64_t taken = same & masks[i + k];
            const uint64_t sum = same + taken, with_carry = sum + (in & 1);
            out |= (uint64_t)((sum < same) | (with_carry < sum)) << k;
            same = with_carry | (same - taken);
            in >>= 1;
        }
        carries[i / 64] = out;
    }
    return same;
}

/* The length; -1 if a signal handler raised. */
static inline int64_t rb_common_subsequence(rb_equal *e, uint64_t *memory, rb_scratch *scratch) {
    int64_t block, length = 0;
    memset(memory, 0, (size_t)rb_subsequence_words(e->n) * sizeof *memory);
    for (block = 0; block < rb_equal_blocks(e); block++) {
        length += rb_popcount(~rb_subsequence_block(rb_equal_block(e, block), e->n, memory));
        if (rb_scratch_worked(scratch, e->n) < 0) return -1;
    }
    return length;
}

/* The length for a hypothesis and one reference; -1 after an error. */
static inline int64_t rb_subsequence_length(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                            int64_t ref, rb_scratch *scratch) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t n_equal = rb_equal_words(n, m);
    uint64_t *memory = rb_scratch_words(scratch, n_equal + rb_subsequence_words(n));
    rb_equal e;
    int64_t both, front;
    if (memory == NULL || rb_equal_open(&e, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    both = rb_equal_strip(&e, &front);
    if (e.n > 0 && e.m > 0) {
        const int64_t length = rb_common_subsequence(&e, memory + n_equal, scratch);
        return length < 0 ? -1 : both + length;
    }
    return both;
}

#endif
