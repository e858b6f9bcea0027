/* Weights of the n-grams that a hypothesis has in common with references among the weighted texts.
 *
 * As in ngrams/clipping.h, bits say where in a reference an n-gram ends, and each n-gram takes one
 * place that is free.  The place tells the weight (ngrams/ngram_weights.h): neither a token nor an
 * n-gram is hashed.  An order is looked at only as far as the one before is matched.
 *
 * For references of up to 64 tokens.  Sums run over the hypothesis from left to right. */
#ifndef RAPIDBLEU_COUNTING_MATCHED_WEIGHTS_H
#define RAPIDBLEU_COUNTING_MATCHED_WEIGHTS_H

#include "metrics/scratch.h"
#include "ngrams/ngram_weights.h"

#define RB_MOST_PLACED_ORDERS 16
#define RB_MOST_PLACED_TOKENS 4096 /* of a hypothesis, each of which has a weight of each order */

/* Can rb_matched_weights tell what these references match of n tokens? */
static inline int rb_weights_have_places(const rb_ngram_weights *w, int64_t n, const rb_tokens *refs,
                                         int64_t ref_begin, int64_t ref_end) {
    return w->texts == refs && n <= RB_MOST_PLACED_TOKENS
        && rb_longest(refs, ref_begin, ref_end) <= 64;
}

/* Put down what one reference matches: `weights[i * max_order + k]` of the n-gram of k + 1 tokens that
 * ends at token i of n, unless that has one. */
static inline void rb_place_weights(const rb_ngram_weights *w, const uint64_t *masks, int64_t n,
                                    int64_t first_token, int max_order, uint32_t *matched,
                                    double *weights) {
    uint64_t runs[RB_MOST_PLACED_ORDERS], taken[RB_MOST_PLACED_ORDERS];
    int64_t i;
    int k, depth = 0; /* orders of which a run goes on */
    for (k = 0; k < max_order; k++) taken[k] = 0;
    for (i = 0; i < n; i++) {
        for (k = depth < max_order ? depth : max_order - 1; k > 0; k--)
            runs[k] = runs[k - 1] << 1 & masks[i];
        runs[0] = masks[i];
        for (k = 0; k <= depth && k < max_order && runs[k] != 0; k++) {
            const uint64_t free = runs[k] & ~taken[k];
            if (free == 0) continue;
            taken[k] |= free & (0 - free);
            if (matched[i] >> k & 1) continue;
            matched[i] |= UINT32_C(1) << k;
            weights[i * max_order + k]
                = w->nodes[rb_ngrams_ending(w, first_token + rb_ctz(free))[k]].weight;
        }
        depth = k;
    }
}

/* Add up the weights of the n-grams of each order that the references together match. */
static inline int rb_matched_weights(const rb_ngram_weights *w, const rb_tokens *hyps, int64_t hyp,
                                     int64_t ref_begin, int64_t ref_end, int max_order, double *sums,
                                     rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp);
    uint64_t *masks = rb_scratch_words(s, 2 * n + n * max_order + (n + 1) / 2);
    double *weights;
    uint32_t *matched;
    int64_t ref, i;
    int k;
    if (masks == NULL) return -1;
    weights = (double *)(masks + 2 * n);
    matched = (uint32_t *)(weights + n * max_order);
    memset(weights, 0, (size_t)(n * max_order) * sizeof *weights);
    memset(matched, 0, (size_t)n * sizeof *matched);
    for (ref = ref_begin; ref < ref_end; ref++) {
        rb_token_masks(s->clipping.matcher.masks, hyps, hyp, w->texts, ref, masks, masks + n);
        rb_place_weights(w, masks, n, w->texts->first_token[ref], max_order, matched, weights);
        if (rb_scratch_worked(s, n * max_order) < 0) return -1;
    }
    for (k = 0; k < max_order; k++) sums[k] = 0.0;
    for (i = 0; i < n; i++)
        for (k = 0; k < max_order; k++) sums[k] += weights[i * max_order + k];
    return 0;
}

#endif
