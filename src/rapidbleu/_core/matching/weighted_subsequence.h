/* The weighted longest common subsequence (ROUGE-W, Lin 2004, section 4): tokens in a row count more
 * than the same tokens apart.
 *
 * A run of k tokens weighs k**weight.  As in the paper, two equal tokens are always taken, with the
 * run that ends before them, and the table keeps the best of its neighbours otherwise.  Time is the
 * product of both lengths; memory is linear. */
#ifndef RAPIDBLEU_MATCHING_WEIGHTED_SUBSEQUENCE_H
#define RAPIDBLEU_MATCHING_WEIGHTED_SUBSEQUENCE_H

#include <math.h>
#include "metrics/scratch.h"
#include "ngrams/hash_tables.h"

/* Words of memory for texts of n and m tokens. */
static inline int64_t rb_weighted_words(int64_t n, int64_t m) {
    const int64_t shorter = n < m ? n : m;
    return (n + 1) + (shorter + 2) + (n + 1 + n + m + 1) / 2;
}

/* Fill in what the next token of a run adds, by the length of the run before it. */
static inline void rb_run_gains(double *gains, int64_t n, double weight) {
    int64_t k;
    for (k = 0; k <= n; k++) gains[k] = pow((double)(k + 1), weight) - pow((double)k, weight);
}

/* The weight of the subsequence; -1 after an error. */
static inline double rb_weighted_subsequence(const rb_tokens *hyps, int64_t hyp,
                                             const rb_tokens *refs, int64_t ref, double weight,
                                             rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t shorter = n < m ? n : m;
    uint64_t *memory = rb_scratch_words(s, rb_weighted_words(n, m));
    double *row = (double *)memory, *gains;
    int32_t *runs, *hyp_numbers, *ref_numbers;
    int64_t i, j;
    if (memory == NULL) return -1.0;
    gains = row + n + 1;
    runs = (int32_t *)(gains + shorter + 2);
    hyp_numbers = runs + n + 1;
    ref_numbers = hyp_numbers + n;
    if (rb_token_table_clear(&s->tokens, hyps, n) < 0
        || rb_token_numbers(&s->tokens, hyps, hyp, 1, hyp_numbers) < 0
        || rb_token_numbers(&s->tokens, refs, ref, 0, ref_numbers) < 0)
        return -1.0;
    rb_run_gains(gains, shorter + 1, weight);
    memset(runs, 0, (size_t)(n + 1) * sizeof *runs);
    for (j = 0; j <= n; j++) row[j] = 0.0;
    for (i = 0; i < m; i++) {
        double diagonal = 0.0;
        int32_t run = 0; /* that ends at the diagonal */
        for (j = 1; j <= n; j++) {
            const double above = row[j];
            const int32_t run_above = runs[j];
            if (hyp_numbers[j - 1] == ref_numbers[i]) {
                row[j] = diagonal + gains[run];
                runs[j] = run + 1;
            } else {
                row[j] = above > row[j - 1] ? above : row[j - 1];
                runs[j] = 0;
            }
            diagonal = above;
            run = run_above;
        }
        if (rb_scratch_worked(s, n) < 0) return -1.0;
    }
    return row[n];
}

#endif
