/* All common skip n-grams of two texts, weighted by their gaps.
 *
 * K_n is the sum, over all pairs of occurrences of the same n tokens in the same order, of
 * decay**(gaps), where gaps are the tokens left out within both occurrences.  With U the sums of the
 * shorter ones that end before a pair of places, decayed by the distance to it, the next order is
 *
 *     E(i, j) = U(i - 1, j - 1) where the tokens are equal, and else 0;     K_n = sum of E
 *     U(i, j) = sum over i' <= i, j' <= j of E(i', j') decay**(i - i' + j - j')
 *
 * which two decayed sums compute, one along the row and one down each column.  All terms are
 * positive.  Time is the number of orders times both lengths, memory linear. */
#ifndef RAPIDBLEU_MATCHING_SKIP_NGRAMS_H
#define RAPIDBLEU_MATCHING_SKIP_NGRAMS_H

#include "metrics/scratch.h"
#include "ngrams/hash_tables.h"

#define RB_MOST_SKIP_ORDERS 16

/* Doubles of memory for texts of m tokens as columns. */
static inline int64_t rb_skip_cells(int64_t m, int n_orders) { return 2 * (m + 1) * n_orders; }

/* Add up K for each order.  For each order but the last, `memory` has U of the row before and the
 * sums down each column. */
static inline int rb_skip_kernels(const int32_t *a, int64_t n, const int32_t *b, int64_t m,
                                  double decay, int n_orders, double *memory, double *kernels,
                                  rb_scratch *s) {
    int64_t i, j;
    int k;
    for (k = 0; k < n_orders; k++) kernels[k] = 0.0;
    for (j = 0; j < rb_skip_cells(m, n_orders); j++) memory[j] = 0.0;
    for (i = 0; i < n; i++) {
        /* What U(i - 1, j - 1) of each order was, before this row is written over it. */
        double diagonal[RB_MOST_SKIP_ORDERS], along[RB_MOST_SKIP_ORDERS];
        for (k = 0; k < n_orders; k++) diagonal[k] = along[k] = 0.0;
        for (j = 0; j < m; j++) {
            const int equal = a[i] != 0 && a[i] == b[j];
            double ends = equal ? 1.0 : 0.0; /* E of the order */
            for (k = 0; k < n_orders; k++) {
                double *row = memory + 2 * (m + 1) * k, *columns = row + m + 1;
                const double above = row[j];
                kernels[k] += ends;
                columns[j] = decay * columns[j] + ends;
                along[k] = decay * along[k] + columns[j];
                row[j] = along[k];
                ends = equal ? diagonal[k] : 0.0;
                diagonal[k] = above;
            }
        }
        if (rb_scratch_worked(s, m * n_orders) < 0) return -1;
    }
    return 0;
}

/* K of each order of a text `a` with a text `b`, which may be the same. */
static inline int rb_skip_ngrams(const rb_tokens *as, int64_t a, const rb_tokens *bs, int64_t b,
                                 double decay, int n_orders, double *kernels, rb_scratch *s) {
    const int64_t n = rb_segment_length(as, a), m = rb_segment_length(bs, b);
    const int64_t n_cells = rb_skip_cells(m, n_orders);
    uint64_t *memory = rb_scratch_words(s, n_cells + (n + m + 1) / 2);
    int32_t *a_numbers, *b_numbers;
    if (memory == NULL) return -1;
    a_numbers = (int32_t *)(memory + n_cells);
    b_numbers = a_numbers + n;
    if (rb_token_table_clear(&s->tokens, bs, m) < 0
        || rb_token_numbers(&s->tokens, bs, b, 1, b_numbers) < 0
        || rb_token_numbers(&s->tokens, as, a, 0, a_numbers) < 0)
        return -1;
    return rb_skip_kernels(a_numbers, n, b_numbers, m, decay, n_orders, (double *)memory, kernels, s);
}

#endif
