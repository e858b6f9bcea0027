/* Distances of all prefixes of two texts, and of all suffixes: bounds for modified texts. A text
 * that begins with the first i tokens of `a` and ends with the tokens from k on passes through a
 * cell of row i of the first table and one of row k of the second. With `free` arbitrary tokens in
 * between, the minimum sum of two cells `free` columns apart is a lower bound: rows change by at
 * most 1 from cell to cell, so other cells are not better. A bound takes one pass over two rows of
 * 16-bit numbers, which compilers vectorize. Time and memory are the product of both lengths, four
 * bytes a cell, so only texts up to a size get tables. */
#ifndef RAPIDBLEU_EDITS_PART_DISTANCES_H
#define RAPIDBLEU_EDITS_PART_DISTANCES_H

#include "metrics/rows.h"

#define RB_MOST_CELLS (1 << 22) /* of a table */
#define RB_LONGEST_SIDE 16000   /* so that sums of two distances fit 16 bits */

typedef struct {
    int64_t width;  /* cells of a row */
    int16_t *front; /* [n + 1, m + 1] of the first i tokens of a and the first j of b */
    int16_t *back;  /* [n + 1, m + 1] of the tokens from i and from j on */
} rb_part_distances;

/* Words of memory; 0 if such texts get no tables. */
static inline int64_t rb_part_words(int64_t n, int64_t m) {
    if (n > RB_LONGEST_SIDE || m > RB_LONGEST_SIDE || (n + 1) * (m + 1) > RB_MOST_CELLS) return 0;
    return ((n + 1) * (m + 1) + 1) / 2;
}

static inline void rb_part_place(rb_part_distances *p, uint64_t *memory, int64_t n, int64_t m) {
    p->width = m + 1;
    p->front = (int16_t *)memory;
    p->back = p->front + (n + 1) * (m + 1);
}

/* The m cells of a row as far as they depend on the previous row, all at once; neighbors within the
 * row are applied later. `diagonal` and `above` are cells of the previous row. */
static inline void rb_part_row(int16_t *row, const int16_t *diagonal, const int16_t *above, int32_t a,
                               const int32_t *b, int64_t m) {
    int64_t j;
    for (j = 0; j < m; j++) {
        const int16_t one = (int16_t)(diagonal[j] + (a != b[j])), other = (int16_t)(above[j] + 1);
        row[j] = one < other ? one : other;
    }
}

static inline int rb_part_fill(rb_part_distances *p, const int32_t *a, int64_t n, const int32_t *b,
                               int64_t m, rb_scratch *scratch) {
    int16_t *row = p->front, *last;
    int64_t i, j;
    for (j = 0; j <= m; j++) row[j] = (int16_t)j;
    for (i = 0; i < n; i++) {
        last = row;
        row += p->width;
        rb_part_row(row + 1, last, last + 1, a[i], b, m);
        row[0] = (int16_t)(i + 1);
        for (j = 1; j <= m; j++)
            if (row[j] > row[j - 1] + 1) row[j] = (int16_t)(row[j - 1] + 1);
    }
    row = p->back + n * p->width;
    for (j = 0; j <= m; j++) row[j] = (int16_t)(m - j);
    for (i = n - 1; i >= 0; i--) {
        last = row;
        row -= p->width;
        rb_part_row(row, last + 1, last, a[i], b, m);
        row[m] = (int16_t)(n - i);
        for (j = m - 1; j >= 0; j--)
            if (row[j] > row[j + 1] + 1) row[j] = (int16_t)(row[j + 1] + 1);
    }
    return rb_scratch_worked(scratch, n * m);
}

/* Lower bound of the distance of texts that begin with the first i tokens of `a`, continue with
 * `free` arbitrary ones, and end with the tokens from k on. */
static inline int64_t rb_part_bound(const rb_part_distances *p, int64_t i, int64_t k, int64_t free) {
    const int16_t *front = p->front + i * p->width, *back = p->back + k * p->width + free;
    const int64_t n = p->width - free;
    int16_t least = INT16_MAX;
    int64_t j;
    if (n <= 0) return 0;
    for (j = 0; j < n; j++) {
        const int16_t sum = (int16_t)(front[j] + back[j]);
        least = sum < least ? sum : least;
    }
    return least;
}

#endif
