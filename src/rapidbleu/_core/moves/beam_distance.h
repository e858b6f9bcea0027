/* Edit distance of two texts within a beam around the diagonal, and of variants of one of them.
 *
 * The idea: row i has the distances of the hypothesis's first i tokens to the first j of the
 * reference, for the j that differ by at most `width` from i times the ratio of the lengths; all else
 * is out of reach.  The width is 25, or more where the reference is so much longer that rows would
 * not meet.  That is what sacrebleu's TER explores; where texts differ by more than the beam, its
 * distance is not the one of Levenshtein, and neither is this.  All edits cost the same; of equally
 * good ways to a cell, the alignment prefers the diagonal, then a token of the hypothesis left out,
 * then one of the reference.
 *
 * A search asks for the distances of many variants, each of which differs from the text in one
 * stretch of tokens.  So there are two tables: from the beginning to each cell, and from each cell to
 * the end.  A variant needs the rows of its stretch only, then the best sum over the row where the
 * stretch ends.  The distance within a beam is a shortest way through its cells, so the sum is exact.
 * The rejected way is a cache of prefixes: it starts again at the first token that differs, and takes
 * the whole rest of the text for each variant.
 *
 * Memory: a table has up to 53 cells of 4 bytes for each token of the hypothesis, plus as many in all
 * as the reference has tokens.  Every row has one cell out of reach on either side, so that a step
 * needs no test for the edge of the beam.  The caller provides the memory.  Time is a nanosecond a
 * cell; signals are polled for every few milliseconds. */
#ifndef RAPIDBLEU_MOVES_BEAM_DISTANCE_H
#define RAPIDBLEU_MOVES_BEAM_DISTANCE_H

#include "moves/beam_rows.h"
#include "moves/numbered_pair.h"
#include <math.h>

enum {
    RB_BEAM_LEAST_WIDTH = 25
};

typedef struct {
    rb_pair *pair;
    double ratio;        /* of the lengths: the slope of the beam */
    int64_t width;       /* of the beam to either side */
    int64_t stride;      /* from a row to the next */
    int32_t *first_row;  /* distances from the beginning, of no token of hyp */
    int32_t *forward;    /* [n_hyp][stride] distances from the beginning */
    int32_t *backward;   /* [n_hyp][stride] and to the end */
    int32_t *spare;      /* [2][stride] */
    int32_t *begins;     /* [n_hyp + 1] the first cell of each row that is within the beam */
    int32_t *ends;       /* [n_hyp + 1] where its cells end */
    rb_beam_rows fill;   /* compute a row */
} rb_beam;

static inline int64_t rb_beam_width(double ratio) {
    if (RB_BEAM_LEAST_WIDTH < ratio / 2) return (int64_t)ceil(ratio / 2 + RB_BEAM_LEAST_WIDTH);
    return RB_BEAM_LEAST_WIDTH;
}

static inline double rb_beam_ratio(int64_t n_hyp, int64_t n_ref) {
    return n_hyp > 0 ? (double)n_ref / (double)n_hyp : 1.0;
}

/* Cells of the widest row, one out of reach on either side, and what a row may write beyond. */
static inline int64_t rb_beam_stride(int64_t n_ref, int64_t width) {
    return 2 + RB_BEAM_BEYOND + (n_ref + 1 < 2 * width + 1 ? n_ref + 1 : 2 * width + 1);
}

/* Words of memory that `rb_beam_init` needs. */
static inline int64_t rb_beam_words(int64_t n_hyp, int64_t n_ref) {
    const int64_t stride = rb_beam_stride(n_ref, rb_beam_width(rb_beam_ratio(n_hyp, n_ref)));
    return (2 * n_hyp + 2 + (n_ref + 3) + 2 * RB_BEAM_BEYOND + (2 * n_hyp + 2) * stride + 1) / 2;
}

/* Lay out the tables in `memory`. */
static inline void rb_beam_init(rb_beam *b, uint64_t *memory, rb_pair *pair, rb_beam_rows fill) {
    const int64_t n_hyp = pair->n_hyp, n_ref = pair->n_ref;
    int64_t i, j;
    b->pair = pair;
    b->ratio = rb_beam_ratio(n_hyp, n_ref);
    b->width = rb_beam_width(b->ratio);
    b->stride = rb_beam_stride(n_ref, b->width);
    b->first_row = (int32_t *)memory;
    b->forward = b->first_row + n_ref + 3 + RB_BEAM_BEYOND;
    b->backward = b->forward + n_hyp * b->stride + RB_BEAM_BEYOND;
    b->spare = b->backward + n_hyp * b->stride;
    b->first_row[0] = b->first_row[n_ref + 2] = RB_BEAM_FAR;
    for (j = 0; j <= n_ref; j++) b->first_row[j + 1] = (int32_t)j;
    b->begins = b->spare + 2 * b->stride;
    b->ends = b->begins + n_hyp + 1;
    b->fill = fill;
    for (i = 0; i <= n_hyp; i++) { /* the first row is whole, the last one to the right */
        const int64_t middle = (int64_t)((double)i * b->ratio);
        const int whole = i == 0 || i == n_hyp || middle + b->width > n_ref;
        b->begins[i] = (int32_t)(i > 0 && middle > b->width ? middle - b->width : 0);
        b->ends[i] = (int32_t)(whole ? n_ref + 1 : middle + b->width);
    }
}

static inline int64_t rb_beam_row_begin(const rb_beam *b, int64_t i) { return b->begins[i]; }
static inline int64_t rb_beam_row_end(const rb_beam *b, int64_t i) { return b->ends[i]; }

/* The distances of row i from the beginning: cell j is at [j - rb_beam_row_begin(b, i) + 1]. */
static inline int32_t *rb_beam_forward_row(const rb_beam *b, int64_t i) {
    return i > 0 ? b->forward + (i - 1) * b->stride : b->first_row;
}

/* Compute row i of a hypothesis whose token there is `word`, from the row above. */
static inline void rb_beam_next_row(const rb_beam *b, int64_t i, int32_t word,
                                    const int32_t *above, int32_t *row) {
    const int64_t begin = rb_beam_row_begin(b, i), end = rb_beam_row_end(b, i);
    const int64_t above_begin = rb_beam_row_begin(b, i - 1);
    const int64_t above_end = rb_beam_row_end(b, i - 1);
    const int64_t both = end < above_end + 1 ? end : above_end + 1;
    const int64_t cell = 1 - begin, up = 1 - above_begin; /* cell j is at row[cell + j] */
    const int32_t *ref = b->pair->ref;
    int32_t left = RB_BEAM_FAR;
    int64_t j = begin;
    row[0] = RB_BEAM_FAR;
    if (j == 0) {
        left = row[cell] = above[up] + 1;
        j = 1;
    }
    if (j < both) {
        left = b->fill.down(ref + j - 1, both - j, word, above + up + j, left, row + cell + j);
        j = both;
    }
    for (; j < end; j++) row[cell + j] = ++left;
    row[cell + end] = RB_BEAM_FAR;
}

/* Fill the table from the beginning: the distance, or -1. */
static inline int64_t rb_beam_forward(rb_beam *b) {
    const int64_t n_hyp = b->pair->n_hyp, n_ref = b->pair->n_ref;
    int64_t i;
    for (i = 1; i <= n_hyp; i++) {
        rb_beam_next_row(b, i, b->pair->hyp[i - 1], rb_beam_forward_row(b, i - 1),
                         rb_beam_forward_row(b, i));
        if (rb_pair_worked(b->pair, b->stride) < 0) return -1;
    }
    return rb_beam_forward_row(b, n_hyp)[n_ref - rb_beam_row_begin(b, n_hyp) + 1];
}

/* Fill the table to the end, from the last row on; the hypothesis has a token.  0 or -1. */
static inline int rb_beam_backward(rb_beam *b) {
    const int64_t n_hyp = b->pair->n_hyp, n_ref = b->pair->n_ref;
    int64_t i = n_hyp, j, begin = rb_beam_row_begin(b, i), end = rb_beam_row_end(b, i);
    int32_t *row = b->backward + (i - 1) * b->stride;
    const int32_t *ref = b->pair->ref;
    row[0] = row[end - begin + 1] = RB_BEAM_FAR;
    for (j = begin; j < end; j++) row[j - begin + 1] = (int32_t)(n_ref - j);
    for (i = n_hyp - 1; i > 0; i--) {
        const int64_t below_begin = begin, down = 1 - below_begin;
        const int32_t *below = row;
        const int32_t word = b->pair->hyp[i];
        int64_t both, cell;
        int32_t right = RB_BEAM_FAR;
        begin = rb_beam_row_begin(b, i);
        end = rb_beam_row_end(b, i);
        cell = 1 - begin; /* cell j is at row[cell + j] */
        row -= b->stride;
        both = begin > below_begin - 1 ? begin : below_begin - 1;
        row[cell + end] = RB_BEAM_FAR;
        j = end - 1;
        if (j == n_ref) {
            right = row[cell + j] = below[down + j] + 1;
            j -= 1;
        }
        if (j >= both) {
            right = b->fill.up(ref + both, j - both + 1, word, below + down + both, right,
                               row + cell + both);
            j = both - 1;
        }
        for (; j >= begin; j--) row[cell + j] = ++right;
        row[0] = RB_BEAM_FAR;
        if (rb_pair_worked(b->pair, b->stride) < 0) return -1;
    }
    return 0;
}

static inline int32_t rb_beam_forward_cell(const rb_beam *b, int64_t i, int64_t j) {
    const int64_t begin = rb_beam_row_begin(b, i);
    if (j < begin || j >= rb_beam_row_end(b, i)) return RB_BEAM_FAR;
    return rb_beam_forward_row(b, i)[j - begin + 1];
}

RB_INLINE char rb_beam_last_step(const void *table, const rb_pair *p, int64_t i, int64_t j) {
    const rb_beam *b = (const rb_beam *)table;
    const int32_t here = rb_beam_forward_cell(b, i, j);
    if (i > 0 && j > 0) {
        const int32_t differ = p->hyp[i - 1] != p->ref[j - 1];
        if (here == rb_beam_forward_cell(b, i - 1, j - 1) + differ) return differ ? 'S' : '=';
    }
    return i > 0 && (j == 0 || here == rb_beam_forward_cell(b, i - 1, j) + 1) ? 'I' : 'D';
}

/* See `rb_pair_walk`; the forward table is filled in. */
RB_INLINE int64_t rb_beam_walk(const rb_beam *b, char *end) {
    return rb_pair_walk(b->pair, rb_beam_last_step, b, end);
}

/* Distance of the hypothesis with `words` in the place of its tokens [begin, end), which are some;
 * both tables are filled.  Or -1. */
static inline int64_t rb_beam_replaced(rb_beam *b, const int32_t *words, int64_t begin,
                                       int64_t end) {
    const int32_t *above = rb_beam_forward_row(b, begin);
    const int32_t *rest = b->backward + (end - 1) * b->stride;
    const int64_t n = rb_beam_row_end(b, end) - rb_beam_row_begin(b, end);
    int32_t best = RB_BEAM_FAR;
    int64_t i, k;
    for (i = begin + 1; i <= end; i++) {
        int32_t *row = b->spare + (i & 1) * b->stride;
        rb_beam_next_row(b, i, words[i - 1 - begin], above, row);
        above = row;
    }
    for (k = 1; k <= n; k++) {
        const int32_t through = above[k] + rest[k];
        best = through < best ? through : best;
    }
    return rb_pair_worked(b->pair, (end - begin + 1) * b->stride) < 0 ? -1 : best;
}

#endif
