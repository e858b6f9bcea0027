/* Similarity of two texts by n-grams that are rare in a set of texts (CIDEr-D: Vedantam et al.
 * 2015). For each order a text is a vector: the count of each n-gram times its rarity
 * (ngrams/ngram_weights.h). The similarity is the cosine of both vectors, with the hypothesis
 * clipped to the reference in the product. Sums run over different n-grams in the order of the
 * text, so they equal the package pycocoevalcap to the last bit.
 *
 * Counts of texts of up to 64 tokens are bits that show where each n-gram ends, as in
 * ngrams/clipping.h, until all n-grams of an order are different, as most are from two tokens on.
 * In longer texts n-grams are numbered order by order, as in ngram_hits.h.
 * Weights are hashed unless the text is one of the weighted ones. */
#ifndef RAPIDBLEU_COUNTING_RARE_NGRAMS_H
#define RAPIDBLEU_COUNTING_RARE_NGRAMS_H

#include "counting/ngram_hits.h"
#include "counting/ngram_weights.h"

#define RB_MOST_RARE_ORDERS 16

/* A text whose n-grams are counted one order after the other. In a short text `masks` are the
 * positions of each token, and `runs` the ends of the n-gram that ends at it. */
typedef struct {
    int64_t n;
    int64_t first;      /* its first token in the weighted texts; -1 if not among them */
    int different;      /* does no n-gram of the order occur twice? Then there are no counts */
    uint64_t *masks, *runs;   /* [n] of a short text */
    int32_t *numbers, *nodes; /* [n] of a long text's tokens, and of its n-grams; 0: none */
    int32_t *by_node;   /* [n + 1] counts of a long text's n-grams */
    int32_t *global;    /* [n] numbers of the tokens in the set of texts */
    uint32_t *known;    /* [n] nodes there */
} rb_vector;

static inline int64_t rb_vector_words(int64_t n) { return 2 * n + (3 * n + 2) / 2; }

static inline uint64_t *rb_vector_place(rb_vector *v, uint64_t *memory, int64_t n) {
    v->n = n;
    v->masks = memory;
    v->runs = v->masks + n;
    v->numbers = (int32_t *)v->masks;
    v->nodes = (int32_t *)v->runs;
    v->by_node = (int32_t *)(v->runs + n);
    v->global = v->by_node + n + 1;
    v->known = (uint32_t *)(v->global + n);
    return memory + rb_vector_words(n);
}

/* Begin with the tokens of a text; `found` is scratch of n words. */
static inline int rb_vector_open(rb_vector *v, const rb_ngram_weights *w, const rb_tokens *texts,
                                 int64_t text, uint64_t *found, rb_scratch *s) {
    const size_t n = (size_t)v->n;
    v->different = 0;
    v->first = w->texts == texts ? texts->first_token[text] : -1;
    if (v->first < 0) {
        if (rb_token_numbers((rb_token_table *)&w->tokens, texts, text, 0, v->global) < 0) return -1;
        memcpy(v->known, v->global, n * sizeof *v->known);
    }
    if (n <= 64) {
        rb_token_masks(s->clipping.matcher.masks, texts, text, texts, text, v->masks, found);
        memcpy(v->runs, v->masks, n * sizeof *v->runs);
        return 0;
    }
    if (rb_token_table_clear(&s->tokens, texts, v->n) < 0
        || rb_token_numbers(&s->tokens, texts, text, 1, v->numbers) < 0)
        return -1;
    memcpy(v->nodes, v->numbers, n * sizeof *v->nodes);
    return 0;
}

/* Begin with the tokens of a text within another, the last one opened. */
static inline int rb_vector_open_within(rb_vector *v, const rb_tokens *texts, int64_t text,
                                        const rb_vector *other, const rb_tokens *others,
                                        int64_t other_text, uint64_t *found, rb_scratch *s) {
    const size_t n = (size_t)v->n;
    if (other->n <= 64) {
        rb_token_masks(s->clipping.matcher.masks, texts, text, others, other_text, v->masks, found);
        memcpy(v->runs, v->masks, n * sizeof *v->runs);
        return 0;
    }
    if (rb_token_numbers(&s->tokens, texts, text, 0, v->numbers) < 0) return -1;
    memcpy(v->nodes, v->numbers, n * sizeof *v->nodes);
    return 0;
}

/* Extend the runs by a token; return which bits of two occurrences any has. */
static inline uint64_t rb_longer_runs(uint64_t *runs, const uint64_t *masks, int64_t n) {
    uint64_t repeated = 0;
    int64_t i;
    for (i = n - 1; i > 0; i--) {
        runs[i] = runs[i - 1] << 1 & masks[i];
        repeated |= runs[i] & (runs[i] - 1);
    }
    if (n > 0) runs[0] = 0;
    return repeated;
}

static inline int32_t rb_count_run(uint64_t run) {
    return (run & (run - 1)) == 0 ? run != 0 : rb_popcount(run);
}

static inline int rb_vector_order(rb_vector *v, const rb_ngram_weights *w, int order, rb_scratch *s) {
    int64_t i;
    if (order > 1) {
        if (v->n <= 64)
            v->different = v->different || rb_longer_runs(v->runs, v->masks, v->n) == 0;
        else if (rb_gram_table_clear(&s->grams, v->n) < 0
                 || rb_hashed_nodes(&s->grams, v->numbers, v->n, order, 1, v->nodes) < 0)
            return -1;
        if (v->first < 0 && v->n > 0) {
            for (i = v->n - 1; i > 0; i--)
                v->known[i] = v->known[i - 1] == 0
                            ? 0 : rb_ngram_weights_next(w, v->known[i - 1], v->global[i]);
            v->known[0] = 0;
        }
    }
    if (v->n <= 64) return 0;
    memset(v->by_node, 0, (size_t)(v->n + 1) * sizeof *v->by_node);
    for (i = 0; i < v->n; i++) v->by_node[v->nodes[i]]++;
    v->by_node[0] = 0;
    return 0;
}

static inline int rb_vector_order_within(rb_vector *v, const rb_vector *other, int order,
                                         rb_scratch *s) {
    if (order == 1) return 0;
    if (other->n > 64) return rb_hashed_nodes(&s->grams, v->numbers, v->n, order, 0, v->nodes);
    rb_longer_runs(v->runs, v->masks, v->n);
    return 0;
}

/* Count in the other text of the n-gram that ends at a token. */
static inline int32_t rb_vector_count_within(const rb_vector *v, const rb_vector *other,
                                             int64_t i) {
    return other->n > 64 ? other->by_node[v->nodes[i]] : rb_count_run(v->runs[i]);
}

/* Count of the n-gram that ends at a token, if first there; else 0. Clears counts by node. */
static inline int32_t rb_vector_count(rb_vector *v, int64_t i) {
    int32_t count;
    if (v->n <= 64) return v->runs[i] & ((UINT64_C(1) << i) - 1) ? 0 : rb_count_run(v->runs[i]);
    count = v->by_node[v->nodes[i]];
    v->by_node[v->nodes[i]] = 0;
    return count;
}

/* Rarity of the n-gram that ends at a token; `unknown` without a node. */
static inline double rb_vector_weight(const rb_vector *v, const rb_ngram_weights *w, int64_t i,
                                      int order, double unknown) {
    const uint32_t node = v->first < 0 ? v->known[i] : rb_ngrams_ending(w, v->first + i)[order - 1];
    return node == 0 ? unknown : w->nodes[node].weight;
}

/* A different n-gram: first end, count, weight. */
typedef struct {
    int32_t place, count;
    double weight;
} rb_rare_ngram;

/* List the n-grams of an order, and sum the squares of their components; returns their number. */
static inline int64_t rb_vector_list(rb_vector *v, const rb_ngram_weights *w, int order,
                                     double unknown, rb_rare_ngram *list, double *square) {
    int64_t i, n = 0;
    *square = 0.0;
    for (i = order - 1; i < v->n; i++) {
        const int32_t count = v->different ? 1 : rb_vector_count(v, i);
        double x;
        if (count == 0) continue;
        list[n].place = (int32_t)i;
        list[n].count = count;
        list[n].weight = rb_vector_weight(v, w, i, order, unknown);
        x = (double)count * list[n++].weight;
        *square += x * x;
    }
    return n;
}

/* Score of a hypothesis: ten times the mean over orders and references; -1 after an error. */
static inline double rb_rare_likeness(const rb_ngram_weights *w, double unknown, const rb_tokens *hyps,
                                      int64_t hyp, const rb_tokens *refs, int64_t ref_begin,
                                      int64_t ref_end, int max_order, double sigma, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), longest = rb_longest(refs, ref_begin, ref_end);
    const int64_t longer = n > longest ? n : longest;
    uint64_t *memory = rb_scratch_words(s, 2 * rb_vector_words(n) + rb_vector_words(longest)
                                               + 2 * n * max_order + 2 * longest + longer);
    double sums[RB_MOST_RARE_ORDERS], squares[RB_MOST_RARE_ORDERS], mean = 0.0;
    int64_t n_listed[RB_MOST_RARE_ORDERS], ref, k;
    rb_vector own, other, within; /* hypothesis, reference, hypothesis within the reference */
    rb_rare_ngram *list, *other_list;
    uint64_t *found;
    int order;
    if (memory == NULL) return -1.0;
    memory = rb_vector_place(&own, memory, n);
    memory = rb_vector_place(&within, memory, n);
    list = (rb_rare_ngram *)memory;
    other_list = list + n * max_order;
    found = (uint64_t *)(other_list + longest);
    memory = found + longer;
    if (rb_vector_open(&own, w, hyps, hyp, found, s) < 0) return -1.0;
    for (order = 1; order <= max_order; order++) {
        rb_rare_ngram *listed = list + n * (order - 1);
        if (rb_vector_order(&own, w, order, s) < 0) return -1.0;
        n_listed[order - 1] = rb_vector_list(&own, w, order, unknown, listed, &squares[order - 1]);
        sums[order - 1] = 0.0;
    }
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t m = rb_segment_length(refs, ref);
        const double apart = (double)((n > 1 ? n - 1 : 0) - (m > 1 ? m - 1 : 0));
        /* A power of e, which differs from exp in the last bit. */
        const double near = pow(2.718281828459045, -(apart * apart) / (2.0 * sigma * sigma));
        rb_vector_place(&other, memory, m);
        if (rb_vector_open(&other, w, refs, ref, found, s) < 0
            || rb_vector_open_within(&within, hyps, hyp, &other, refs, ref, found, s) < 0)
            return -1.0;
        for (order = 1; order <= max_order; order++) {
            const rb_rare_ngram *listed = list + n * (order - 1);
            double product = 0.0, square, lengths;
            if (rb_vector_order(&other, w, order, s) < 0
                || rb_vector_order_within(&within, &other, order, s) < 0)
                return -1.0;
            for (k = 0; k < n_listed[order - 1]; k++) {
                const int32_t count = rb_vector_count_within(&within, &other, listed[k].place);
                const double ours = (double)listed[k].count * listed[k].weight;
                const double theirs = (double)count * listed[k].weight;
                product += (ours < theirs ? ours : theirs) * theirs;
            }
            rb_vector_list(&other, w, order, unknown, other_list, &square);
            lengths = sqrt(squares[order - 1]) * sqrt(square);
            sums[order - 1] += (lengths != 0.0 ? product / lengths : product) * near;
        }
        if (rb_scratch_worked(s, (n + m) * max_order) < 0) return -1.0;
    }
    for (order = 0; order < max_order; order++) mean += sums[order];
    return mean / max_order / (double)(ref_end - ref_begin) * 10.0;
}

#endif
