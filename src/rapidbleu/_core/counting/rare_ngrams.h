/* How alike two texts are by the n-grams that are rare in a set of texts (CIDEr-D: Vedantam et al.
 * 2015).
 *
 * Of each order a text is a vector: how often it has each n-gram, times how rare that is
 * (ngrams/ngram_weights.h).  The likeness is the cosine of both vectors, with the hypothesis clipped
 * to the reference in the product.  N-grams are numbered order by order, as in ngram_hits.h; sums
 * run over different n-grams in the order of the text, so their bits are those of the package
 * pycocoevalcap. */
#ifndef RAPIDBLEU_COUNTING_RARE_NGRAMS_H
#define RAPIDBLEU_COUNTING_RARE_NGRAMS_H

#include "counting/ngram_hits.h"
#include "ngrams/ngram_weights.h"

#define RB_MOST_RARE_ORDERS 16

/* A text whose n-grams of one order after the other are counted. */
typedef struct {
    int64_t n;
    int32_t *numbers; /* [n] of tokens, within this text or the one that it is looked up in */
    int32_t *nodes;   /* [n] of the n-grams that end there; 0: of none */
    int32_t *counts;  /* [n + 1] by node */
    int32_t *global;  /* [n] numbers in the set of texts */
    uint32_t *known;  /* [n] nodes there */
} rb_vector;

static inline int64_t rb_vector_words(int64_t n) { return (5 * n + 2) / 2; }

static inline uint64_t *rb_vector_place(rb_vector *v, uint64_t *memory, int64_t n) {
    v->n = n;
    v->numbers = (int32_t *)memory;
    v->nodes = v->numbers + n;
    v->global = v->nodes + n;
    v->known = (uint32_t *)(v->global + n);
    v->counts = (int32_t *)(v->known + n);
    return memory + rb_vector_words(n);
}

/* Number the tokens of a text, anew and in the set. */
static inline int rb_vector_open(rb_vector *v, const rb_ngram_weights *w, const rb_tokens *texts,
                                 int64_t text, rb_scratch *s) {
    if (rb_token_table_clear(&s->tokens, texts, v->n) < 0
        || rb_token_numbers(&s->tokens, texts, text, 1, v->numbers) < 0
        || rb_token_numbers((rb_token_table *)&w->tokens, texts, text, 0, v->global) < 0)
        return -1;
    memcpy(v->nodes, v->numbers, (size_t)v->n * sizeof *v->nodes);
    memcpy(v->known, v->global, (size_t)v->n * sizeof *v->known);
    return 0;
}

/* Go on to the n-grams of an order, and count them. */
static inline int rb_vector_order(rb_vector *v, const rb_ngram_weights *w, int order, rb_scratch *s) {
    int64_t i;
    if (order > 1) {
        if (rb_gram_table_clear(&s->grams, v->n) < 0
            || rb_hashed_nodes(&s->grams, v->numbers, v->n, order, 1, v->nodes) < 0)
            return -1;
        for (i = v->n - 1; i > 0; i--)
            v->known[i] = v->known[i - 1] == 0
                        ? 0 : rb_ngram_weights_next(w, v->known[i - 1], v->global[i]);
        if (v->n > 0) v->known[0] = 0;
    }
    memset(v->counts, 0, (size_t)(v->n + 1) * sizeof *v->counts);
    for (i = 0; i < v->n; i++) v->counts[v->nodes[i]]++;
    return 0;
}

/* How rare the n-gram that ends at a token is; `unknown` is what one without a node weighs. */
static inline double rb_vector_weight(const rb_vector *v, const rb_ngram_weights *w, int64_t i,
                                      double unknown) {
    return v->known[i] == 0 ? unknown : w->nodes[v->known[i]].weight;
}

/* The square of the length of a vector.  Each n-gram is taken where it comes first: `seen`, one byte
 * a node, is 0 before and after. */
static inline double rb_vector_square(const rb_vector *v, const rb_ngram_weights *w, double unknown,
                                      uint8_t *seen) {
    double square = 0.0;
    int64_t i;
    for (i = 0; i < v->n; i++) {
        const int32_t node = v->nodes[i];
        double x;
        if (node == 0 || seen[node]) continue;
        seen[node] = 1;
        x = (double)v->counts[node] * rb_vector_weight(v, w, i, unknown);
        square += x * x;
    }
    for (i = 0; i < v->n; i++) seen[v->nodes[i]] = 0;
    return square;
}

/* A different n-gram of the hypothesis: where it ends first, how often it occurs, what it weighs. */
typedef struct {
    int32_t place, count;
    double weight;
} rb_rare_ngram;

/* List the different n-grams of an order, in order; how many. */
static inline int64_t rb_vector_list(const rb_vector *v, const rb_ngram_weights *w, double unknown,
                                     uint8_t *seen, rb_rare_ngram *list) {
    int64_t i, n = 0;
    for (i = 0; i < v->n; i++) {
        const int32_t node = v->nodes[i];
        if (node == 0 || seen[node]) continue;
        seen[node] = 1;
        list[n].place = (int32_t)i;
        list[n].count = v->counts[node];
        list[n++].weight = rb_vector_weight(v, w, i, unknown);
    }
    for (i = 0; i < v->n; i++) seen[v->nodes[i]] = 0;
    return n;
}

/* The score of a hypothesis: ten times the mean over orders and references; -1 after an error. */
static inline double rb_rare_likeness(const rb_ngram_weights *w, double unknown, const rb_tokens *hyps,
                                      int64_t hyp, const rb_tokens *refs, int64_t ref_begin,
                                      int64_t ref_end, int max_order, double sigma, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), longest = rb_longest(refs, ref_begin, ref_end);
    const int64_t longer = n > longest ? n : longest;
    const int64_t n_words = rb_vector_words(n) + rb_vector_words(longest) + 2 * n * max_order + n
                          + (longer + 8) / 8;
    uint64_t *memory = rb_scratch_words(s, n_words);
    double sums[RB_MOST_RARE_ORDERS], squares[RB_MOST_RARE_ORDERS], mean = 0.0;
    int64_t n_listed[RB_MOST_RARE_ORDERS], ref, k;
    rb_vector own, other;
    rb_rare_ngram *list;
    int32_t *numbers, *nodes; /* of the hypothesis, within the reference */
    uint8_t *seen;
    int order;
    if (memory == NULL) return -1.0;
    memory = rb_vector_place(&own, memory, n);
    list = (rb_rare_ngram *)memory;
    numbers = (int32_t *)(memory + 2 * n * max_order);
    nodes = numbers + n;
    seen = (uint8_t *)(nodes + n);
    memory = (uint64_t *)seen + (longer + 8) / 8;
    memset(seen, 0, (size_t)longer + 1);
    if (rb_vector_open(&own, w, hyps, hyp, s) < 0) return -1.0;
    for (order = 1; order <= max_order; order++) {
        if (rb_vector_order(&own, w, order, s) < 0) return -1.0;
        squares[order - 1] = rb_vector_square(&own, w, unknown, seen);
        n_listed[order - 1] = rb_vector_list(&own, w, unknown, seen, list + n * (order - 1));
        sums[order - 1] = 0.0;
    }
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t m = rb_segment_length(refs, ref);
        const double apart = (double)((n > 1 ? n - 1 : 0) - (m > 1 ? m - 1 : 0));
        /* A power of e, which is not exp to the last bit. */
        const double near = pow(2.718281828459045, -(apart * apart) / (2.0 * sigma * sigma));
        rb_vector_place(&other, memory, m);
        if (rb_vector_open(&other, w, refs, ref, s) < 0
            || rb_token_numbers(&s->tokens, hyps, hyp, 0, numbers) < 0)
            return -1.0;
        memcpy(nodes, numbers, (size_t)n * sizeof *nodes);
        for (order = 1; order <= max_order; order++) {
            const rb_rare_ngram *listed = list + n * (order - 1);
            double product = 0.0, lengths;
            if (rb_vector_order(&other, w, order, s) < 0
                || (order > 1 && rb_hashed_nodes(&s->grams, numbers, n, order, 0, nodes) < 0))
                return -1.0;
            other.counts[0] = 0;
            for (k = 0; k < n_listed[order - 1]; k++) {
                const double ours = (double)listed[k].count * listed[k].weight;
                const double theirs
                    = (double)other.counts[nodes[listed[k].place]] * listed[k].weight;
                product += (ours < theirs ? ours : theirs) * theirs;
            }
            lengths = sqrt(squares[order - 1])
                    * sqrt(rb_vector_square(&other, w, unknown, seen));
            sums[order - 1] += (lengths != 0.0 ? product / lengths : product) * near;
        }
        if (rb_scratch_worked(s, (n + m) * max_order) < 0) return -1.0;
    }
    for (order = 0; order < max_order; order++) mean += sums[order];
    return mean / max_order / (double)(ref_end - ref_begin) * 10.0;
}

#endif
