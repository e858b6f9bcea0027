/* Extended edit distance (Stanchev, Wang and Ney 2019): edits of characters, jumps between words,
 * and positions of the hypothesis that the path skips or visits twice. The table has a row for each
 * character of the reference and a cell for each position of the hypothesis. After each row the
 * first of its cheapest positions is visited. After a space of the reference every position can be
 * reached by a jump from there. In the end each position never visited counts, and so does each
 * repeated visit: |ref| + |hyp| + 1 minus twice the number of visited positions.
 *
 * Costs are doubles, and which of two paths is cheaper often depends on their last bits, because
 * five deletions do not exactly equal one edit. So each cell is computed by the operations of the
 * definition, in its order. A row first needs the row above, one position to the left; so four rows
 * are computed together, each one position after the row above, so that their additions overlap.
 * Only a jump needs a whole row at once. Memory is one row and a byte per position, time 2 ns a
 * cell. */
#ifndef RAPIDBLEU_EDITS_EXTENDED_EDIT_H
#define RAPIDBLEU_EDITS_EXTENDED_EDIT_H

#include "metrics/rows.h"

#define RB_EED_ROWS 4 /* computed together */

typedef struct {
    double jump, coverage, deletion, insertion; /* costs; alpha and rho in the paper */
} rb_eed_costs;

typedef struct {
    int64_t n;
    const uint32_t *hyp; /* [n] characters */
    double *row;         /* [n + 1] costs of all positions */
    uint8_t *visited;    /* [n + 1] */
    rb_eed_costs costs;
} rb_eed;

/* A partially computed row. */
typedef struct {
    double here, before; /* cost at this position, and at the previous one */
    double least;        /* so far */
    int64_t place;       /* first position with the least cost */
} rb_eed_row;

/* Advance row r by one position, from row r - 1. */
RB_INLINE void rb_eed_cell(const rb_eed *e, rb_eed_row *rows, int r, int64_t i, uint32_t ref) {
    static const double substitution[2] = {0.0, 1.0};
    const double left = rows[r].here + e->costs.deletion;
    const double diagonal = rows[r - 1].before + substitution[e->hyp[i - 1] != ref];
    const double above = rows[r - 1].here + e->costs.insertion;
    double cost = diagonal < above ? diagonal : above;
    cost = left < cost ? left : cost;
    rows[r].before = rows[r].here;
    rows[r].here = cost;
    rows[r].place = cost < rows[r].least ? i : rows[r].place;
    rows[r].least = cost < rows[r].least ? cost : rows[r].least;
}

/* Advance row r of k to position i - r + 1; `some`: only rows for which it exists. */
RB_INLINE void rb_eed_step(rb_eed *e, rb_eed_row *rows, const uint32_t *ref, int k, int64_t i,
                           int some) {
    int r;
    rows[0].before = rows[0].here;
    if (!some || i <= e->n) rows[0].here = e->row[i];
    for (r = k; r > 0; r--)
        if (!some || (1 <= i - r + 1 && i - r + 1 <= e->n))
            rb_eed_cell(e, rows, r, i - r + 1, ref[r - 1]);
    if (!some || i >= k) e->row[i - k + 1] = rows[k].here;
}

/* The next k rows, of which only the last may be a space; returns newly visited positions. */
RB_INLINE int64_t rb_eed_rows(rb_eed *e, const uint32_t *ref, int k) {
    rb_eed_row rows[RB_EED_ROWS + 1];
    int64_t n_new = 0, i;
    int r;
    rows[0].here = e->row[0];
    for (r = 1; r <= k; r++) {
        rows[r].here = rows[r].least = rows[r - 1].here + 1.0;
        rows[r].place = 0;
    }
    e->row[0] = rows[k].here;
    for (i = 1; i < k; i++) rb_eed_step(e, rows, ref, k, i, 1);
    for (; i <= e->n; i++) rb_eed_step(e, rows, ref, k, i, 0);
    for (; i < e->n + k; i++) rb_eed_step(e, rows, ref, k, i, 1);
    for (r = 1; r <= k; r++) {
        n_new += !e->visited[rows[r].place];
        e->visited[rows[r].place] = 1;
    }
    if (ref[k - 1] == ' ') {
        const double jump = e->costs.jump + rows[k].least;
        for (i = 0; i <= e->n; i++) e->row[i] = jump < e->row[i] ? jump : e->row[i];
    }
    return n_new;
}

/* Score of a hypothesis and one reference, whose tokens are characters, from 0 to 1; or -1. */
static inline double rb_extended_edit(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                      int64_t ref, const rb_eed_costs *costs, rb_scratch *scratch) {
    const uint32_t *chars = refs->lo + refs->first_token[ref];
    const int64_t m = rb_segment_length(refs, ref);
    int64_t n_visited = 0, begin, i;
    double coverage, score;
    rb_eed e;
    e.n = rb_segment_length(hyps, hyp);
    e.hyp = hyps->lo + hyps->first_token[hyp];
    e.costs = *costs;
    e.row = (double *)rb_scratch_words(scratch, e.n + 1 + (e.n + 8) / 8);
    if (e.row == NULL) return -1.0;
    e.visited = (uint8_t *)(e.row + e.n + 1);
    memset(e.visited, 0, (size_t)(e.n + 1));
    e.row[0] = 0.0;
    for (i = 1; i <= e.n; i++) e.row[i] = 1.0;
    for (begin = 0; begin < m; begin += i) {
        for (i = 1; i < RB_EED_ROWS && begin + i < m && chars[begin + i - 1] != ' ';) i++;
        switch (i) { /* a constant for the optimizer */
            case 1: n_visited += rb_eed_rows(&e, chars + begin, 1); break;
            case 2: n_visited += rb_eed_rows(&e, chars + begin, 2); break;
            case 3: n_visited += rb_eed_rows(&e, chars + begin, 3); break;
            default: n_visited += rb_eed_rows(&e, chars + begin, 4);
        }
        if (rb_scratch_worked(scratch, i * e.n) < 0) return -1.0;
    }
    coverage = costs->coverage * (double)(m + e.n + 1 - 2 * n_visited);
    score = e.row[e.n] + coverage;
    return score < (double)m + coverage ? score / ((double)m + coverage) : 1.0;
}

#endif
