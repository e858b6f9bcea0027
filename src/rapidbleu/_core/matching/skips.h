/* Pairs of tokens in order with gaps between them, clipped (ROUGE-S, Lin 2004, section 5). For each
 * different token common to both texts, one walk through each text counts the pairs that begin with
 * it: token b ends as many as there are occurrences within reach before it. Time is the number of
 * different common tokens times both lengths, for any reach; memory is linear. */
#ifndef RAPIDBLEU_MATCHING_SKIPS_H
#define RAPIDBLEU_MATCHING_SKIPS_H

#include "metrics/rows.h"
#include "ngrams/hash_tables.h"

/* Pairs of a text of n tokens with at most `gap` tokens between them. */
static inline int64_t rb_skip_bigrams(int64_t n, int64_t gap) {
    const int64_t reach = gap < n - 1 ? gap + 1 : n - 1; /* from a token to its furthest partner */
    return n < 2 ? 0 : reach * (n - reach) + reach * (reach - 1) / 2;
}

static inline int64_t rb_skip_words(int64_t n, int64_t m) {
    return (n + m + 1) / 2 + 2 * (m + 1) + (m + 1);
}

/* Count the pairs of a text that begin with token `first`, by the number of the other token. */
static inline void rb_skip_count(const int32_t *numbers, int64_t begin, int64_t n, int32_t first,
                                 int64_t gap, int64_t *counts) {
    int64_t within = 0, i;
    for (i = begin; i < n; i++) {
        if (i - begin > gap + 1 && numbers[i - gap - 2] == first) within--;
        counts[numbers[i]] += within;
        within += numbers[i] == first;
    }
}

/* Clipped matches of single tokens; `counts` are 0 before and after. */
static inline int64_t rb_single_matches(const int32_t *hyp, int64_t n, const int32_t *ref, int64_t m,
                                        int64_t *counts) {
    int64_t hits = 0, i;
    for (i = 0; i < m; i++) counts[ref[i]]++;
    for (i = 0; i < n; i++) {
        const int found = hyp[i] != 0 && counts[hyp[i]] > 0;
        counts[hyp[i]] -= found;
        hits += found;
    }
    for (i = 0; i < m; i++) counts[ref[i]] = 0;
    return hits;
}

/* Clipped matches of pairs, and of single tokens if `singles`, where `but_last` excludes the last
 * token of each text. -1 after an error. */
static inline int64_t rb_skip_matches(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                      int64_t ref, int64_t gap, int singles, int but_last,
                                      rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    uint64_t *memory = rb_scratch_words(s, rb_skip_words(n, m));
    int64_t *in_hyp = (int64_t *)memory, *in_ref, *begins, hits = 0, i, k;
    int32_t *hyp_numbers, *ref_numbers;
    if (memory == NULL) return -1;
    in_ref = in_hyp + m + 1;
    begins = in_ref + m + 1; /* first position of a token in the hypothesis, or -1 */
    hyp_numbers = (int32_t *)(begins + m + 1);
    ref_numbers = hyp_numbers + n;
    if (rb_number_both(&s->tokens, hyps, hyp, hyp_numbers, refs, ref, ref_numbers) < 0) return -1;
    memset(in_hyp, 0, (size_t)(2 * (m + 1)) * sizeof *in_hyp);
    memset(begins, 0xff, (size_t)(m + 1) * sizeof *begins);
    if (singles && n > 0 && m > 0)
        hits = rb_single_matches(hyp_numbers, n - but_last, ref_numbers, m - but_last, in_hyp);
    for (i = n - 1; i >= 0; i--) begins[hyp_numbers[i]] = i;
    for (i = 0; i < m; i++) {
        const int32_t first = ref_numbers[i];
        const int64_t begin = begins[first];
        if (begin < 0) continue; /* not in the hypothesis, or already counted */
        begins[first] = -1;
        rb_skip_count(hyp_numbers, begin, n, first, gap, in_hyp);
        rb_skip_count(ref_numbers, i, m, first, gap, in_ref);
        in_hyp[0] = 0;
        for (k = i; k < m; k++) {
            const int32_t second = ref_numbers[k];
            hits += in_hyp[second] < in_ref[second] ? in_hyp[second] : in_ref[second];
            in_ref[second] = 0;
        }
        for (k = begin; k < n; k++) in_hyp[hyp_numbers[k]] = 0;
        if (rb_scratch_worked(s, n + m) < 0) return -1;
    }
    return hits;
}

/* All common skip n-grams of two texts, weighted by their gaps. K_n is the sum of decay**(gaps)
 * over all pairs of occurrences of the same n tokens in order, where gaps are the tokens skipped
 * within both occurrences. With U the sums of the shorter ones that end before a pair of positions,
 * decayed by the distance to it, the next order is
 *
 *     E(i, j) = U(i - 1, j - 1) where the tokens are equal, and else 0;     K_n = sum of E
 *     U(i, j) = sum over i' <= i, j' <= j of E(i', j') decay**(i - i' + j - j')
 *
 * which two decayed sums compute, one along the row and one down each column. All terms are
 * positive. Time is the number of orders times both lengths, memory is linear. */
#define RB_MOST_SKIP_ORDERS 16

static inline int64_t rb_skip_cells(int64_t m, int n_orders) { return 2 * (m + 1) * n_orders; }

/* Add up K for each order; `memory`: for all but the last, U of the last row and column sums. */
static inline int rb_skip_kernels(const int32_t *a, int64_t n, const int32_t *b, int64_t m,
                                  double decay, int n_orders, double *memory, double *kernels,
                                  rb_scratch *s) {
    int64_t i, j;
    int k;
    for (k = 0; k < n_orders; k++) kernels[k] = 0.0;
    for (j = 0; j < rb_skip_cells(m, n_orders); j++) memory[j] = 0.0;
    for (i = 0; i < n; i++) {
        /* U(i - 1, j - 1) of each order, before this row overwrites it. */
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

/* K of each order of texts `a` and `b`, which may be the same. */
static inline int rb_skip_ngrams(const rb_tokens *as, int64_t a, const rb_tokens *bs, int64_t b,
                                 double decay, int n_orders, double *kernels, rb_scratch *s) {
    const int64_t n = rb_segment_length(as, a), m = rb_segment_length(bs, b);
    const int64_t n_cells = rb_skip_cells(m, n_orders);
    uint64_t *memory = rb_scratch_words(s, n_cells + (n + m + 1) / 2);
    int32_t *a_numbers, *b_numbers;
    if (memory == NULL) return -1;
    a_numbers = (int32_t *)(memory + n_cells);
    b_numbers = a_numbers + n;
    if (rb_number_both(&s->tokens, as, a, a_numbers, bs, b, b_numbers) < 0) return -1;
    return rb_skip_kernels(a_numbers, n, b_numbers, m, decay, n_orders, (double *)memory, kernels, s);
}

#endif
