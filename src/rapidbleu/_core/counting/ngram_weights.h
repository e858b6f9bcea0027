/* Weights of the n-grams of a set of texts, by their frequency in it. Tokens are numbered, and an
 * n-gram is a node, found by hashing the node of its prefix and the number of its last token
 * (hash_tables.h), so n-grams cannot be confused. A node has two counts: occurrences, and segments
 * with any. Weights are derived once and read-only afterwards, for any number of threads. An n-gram
 * whose prefix occurs only once occurs once itself, so it gets no node, and all n-grams without a
 * node have the same weight. Counting goes order by order, and hashes only continuations of n-grams
 * that occur twice. Memory may be built in again and again, and grows to the size for most texts.
 *
 * Each token of the texts stores the nodes of the n-grams that end there, so a comparison with
 * these very texts gets the weight of an n-gram from its position without hashing. */
#ifndef RAPIDBLEU_COUNTING_NGRAM_WEIGHTS_H
#define RAPIDBLEU_COUNTING_NGRAM_WEIGHTS_H

#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include <math.h>

typedef struct {
    int64_t count;      /* occurrences */
    int64_t n_segments; /* in whose references it occurs */
    double weight;
    int32_t segment; /* seen last, from 1 on; free after the build */
    uint32_t prefix; /* node without the last token; 0 for a single token */
} rb_weighted_ngram;

typedef struct {
    rb_token_table tokens;
    rb_gram_table grams;
    rb_weighted_ngram *nodes; /* from 1 on: tokens first, by number; node 0 is all zero */
    int64_t n_nodes, capacity;
    const rb_tokens *texts;
    uint32_t *ending; /* [tokens of the texts, max_order] nodes of n-grams that end there, or 0 */
    int32_t *numbers; /* [tokens of the texts] */
    int64_t ending_capacity, numbers_capacity;
    int64_t n_segments;
    uint32_t zero; /* a token after which all n-grams have nodes, or 0 */
    int max_order;
} rb_ngram_weights;

static inline void rb_ngram_weights_init(rb_ngram_weights *w, uint64_t key) {
    memset(w, 0, sizeof *w);
    rb_token_table_init(&w->tokens, key);
    rb_gram_table_init(&w->grams, key);
}

static inline void rb_ngram_weights_free(rb_ngram_weights *w) {
    rb_token_table_free(&w->tokens);
    rb_gram_table_free(&w->grams);
    PyMem_RawFree(w->nodes);
    PyMem_RawFree(w->ending);
    PyMem_RawFree(w->numbers);
    memset(w, 0, sizeof *w);
}

static inline int64_t rb_ngram_weights_memory(const rb_ngram_weights *w) {
    return w->tokens.table.capacity * (int64_t)sizeof(rb_token_slot)
         + w->grams.table.capacity * (int64_t)sizeof(rb_gram_slot)
         + w->capacity * (int64_t)sizeof *w->nodes
         + 4 * (w->ending_capacity + w->numbers_capacity);
}

static inline int rb_ngram_weights_reserve(rb_ngram_weights *w, int64_t node) {
    if (node < w->capacity) return 0;
    return rb_grow((void **)&w->nodes, &w->capacity, node + 1, sizeof *w->nodes);
}

/* Nodes of the n-grams that end at a token of the texts, by order. */
static inline uint32_t *rb_ngrams_ending(const rb_ngram_weights *w, int64_t token) {
    return w->ending + token * w->max_order;
}

static inline void rb_ngram_weights_seen(rb_ngram_weights *w, uint32_t node, int32_t segment) {
    rb_weighted_ngram *ngram = &w->nodes[node];
    ngram->count++;
    ngram->n_segments += ngram->segment != segment;
    ngram->segment = segment;
}

/* The node of an n-gram with one more token, added if new; 0 after an error. */
static inline uint32_t rb_ngram_weights_longer(rb_ngram_weights *w, uint32_t node, int32_t number) {
    const uint64_t gram = rb_gram_of(node, (uint32_t)number);
    rb_gram_slot *slot = rb_gram_table_find(&w->grams, gram);
    const uint32_t added = (uint32_t)(w->n_nodes + 1);
    if (slot->node != RB_NO_NODE) return slot->node;
    if (w->n_nodes + 2 >= (int64_t)RB_NO_NODE) {
        rb_no_memory();
        return 0;
    }
    if (rb_ngram_weights_reserve(w, added) < 0 || rb_gram_table_add(&w->grams, slot, gram, added) < 0)
        return 0;
    memset(&w->nodes[added], 0, sizeof *w->nodes);
    w->nodes[added].prefix = node;
    w->n_nodes++;
    return added;
}

/* Number and count the tokens of the texts; segment i has texts [first[i], first[i + 1]). */
static inline int rb_ngram_weights_tokens(rb_ngram_weights *w, const int64_t *first,
                                          PyObject *stop) {
    const rb_tokens *texts = w->texts;
    const int64_t n = texts->n_tokens, n_last = 2 * w->tokens.table.n_items + 255;
    int32_t *numbers = w->numbers;
    int64_t text, segment = 0, i;
    if (rb_token_table_clear(&w->tokens, texts, n < n_last ? n : n_last) < 0) return -1;
    for (text = 0; text < texts->n_segments; text++) {
        if (rb_token_numbers(&w->tokens, texts, text, 1, numbers + texts->first_token[text]) < 0)
            return -1;
        if (rb_poll_due(text, RB_POLL_OBJECTS) && rb_poll_without_gil(stop) < 0) return -1;
    }
    w->n_nodes = w->tokens.table.n_items;
    if (rb_ngram_weights_reserve(w, w->n_nodes) < 0) return -1;
    memset(w->nodes, 0, (size_t)(w->n_nodes + 1) * sizeof *w->nodes);
    for (text = 0; text < texts->n_segments; text++) {
        while (first[segment + 1] <= text) segment++;
        for (i = texts->first_token[text]; i < texts->first_token[text + 1]; i++) {
            rb_ngrams_ending(w, i)[0] = (uint32_t)numbers[i];
            rb_ngram_weights_seen(w, (uint32_t)numbers[i], (int32_t)(segment + 1));
        }
    }
    return 0;
}

/* Count the n-grams of an order, at least 2, that continue one of the order before. */
static inline int rb_ngram_weights_order(rb_ngram_weights *w, int order, const int64_t *first,
                                         PyObject *stop) {
    const rb_tokens *texts = w->texts;
    int64_t text, segment = 0, last, done = 0;
    for (text = 0; text < texts->n_segments; text++) {
        while (first[segment + 1] <= text) segment++;
        for (last = texts->first_token[text] + order - 1; last < texts->first_token[text + 1]; last++) {
            const uint32_t before = rb_ngrams_ending(w, last - 1)[order - 2];
            uint32_t node;
            if (before == 0 || (w->nodes[before].count < 2 && before != w->zero)) continue;
            node = rb_ngram_weights_longer(w, before, w->numbers[last]);
            if (node == 0) return -1;
            rb_ngram_weights_seen(w, node, (int32_t)(segment + 1));
            rb_ngrams_ending(w, last)[order - 1] = node;
            if (rb_poll_due(++done, RB_POLL_TOKENS) && rb_poll_without_gil(stop) < 0) return -1;
        }
    }
    return 0;
}

/* Count the n-grams of texts, which must outlive this; segment i has [first[i], first[i + 1]).
 * N-grams that begin with a token of identity `zero` always get a node, unless it is 0. */
static inline int rb_ngram_weights_build(rb_ngram_weights *w, const rb_tokens *texts,
                                         const int64_t *first, int64_t n_segments, int max_order,
                                         uint64_t zero, PyObject *stop) {
    const int64_t n = texts->n_tokens;
    int order;
    w->texts = texts;
    w->max_order = max_order;
    w->n_segments = n_segments;
    w->zero = 0;
    if (rb_room((void **)&w->ending, &w->ending_capacity, n * max_order, sizeof *w->ending) < 0
        || rb_slots_fill(w->ending, n * max_order * (int64_t)sizeof *w->ending, 0) < 0
        || rb_room((void **)&w->numbers, &w->numbers_capacity, n, sizeof *w->numbers) < 0
        || rb_ngram_weights_tokens(w, first, stop) < 0)
        return -1;
    if (zero != 0) {
        const rb_token_slot *slot = rb_token_table_find(&w->tokens, texts, zero, NULL);
        w->zero = slot->node == RB_NO_NODE ? 0 : slot->node;
    }
    if (max_order > 1 && rb_gram_table_clear(&w->grams, n) < 0) return -1;
    for (order = 2; order <= max_order; order++)
        if (rb_ngram_weights_order(w, order, first, stop) < 0) return -1;
    return 0;
}

/* The node of an n-gram with one more token, or 0. */
static inline uint32_t rb_ngram_weights_next(const rb_ngram_weights *w, uint32_t node,
                                             int32_t number) {
    const rb_gram_slot *slot;
    if (number == 0 || (w->nodes[node].count < 2 && node != w->zero)) return 0;
    slot = rb_gram_table_find(&w->grams, rb_gram_of(node, (uint32_t)number));
    return slot->node == RB_NO_NODE ? 0 : slot->node;
}

/* Add the weights of a text's n-grams set in `hits` to one sum per order; `numbers` are its
 * tokens', and n-grams without a node weigh nothing. Looks no further than the longest hit. */
static inline void rb_ngram_weights_sum(const rb_ngram_weights *w, const int32_t *numbers,
                                        const uint64_t *hits, int64_t n, int max_order,
                                        double *sums) {
    int64_t i, k, last;
    for (i = 0; i < n; i++) {
        uint32_t node = (uint32_t)numbers[i];
        last = (i + max_order < n ? i + max_order : n) - 1;
        while (last >= i && !(hits[last] >> (last - i) & 1)) last--;
        for (k = i; k <= last && node != 0; node = rb_ngram_weights_next(w, node, numbers[k])) {
            if (hits[k] >> (k - i) & 1) sums[k - i] += w->nodes[node].weight;
            if (++k > last) break;
        }
    }
}

/* Rarity of each n-gram: the log of the number of segments divided by the number that have it. An
 * n-gram without a node is in one segment or in none, which counts the same. */
static inline double rb_ngram_weights_rarity(rb_ngram_weights *w) {
    const double all = log((double)w->n_segments);
    double of_one = all - log(1.0);
    int64_t node;
    for (node = 1; node <= w->n_nodes; node++) {
        const int64_t n = w->nodes[node].n_segments;
        w->nodes[node].weight = n == 1 ? of_one : all - log((double)n);
    }
    return all;
}

/* Information of each n-gram (Doddington 2002): the surprise of its last token given its prefix, in
 * bits; 0 for a prefix that occurs once. mteval ignores the token `zero` as a prefix; NLTK divides
 * logs. */
static inline void rb_ngram_weights_information(rb_ngram_weights *w, int as_nltk) {
    const double log_2 = log(2.0);
    double ratio = 1.0, weight = 0.0; /* of the n-gram before, often the same */
    int64_t node;
    for (node = 1; node <= w->n_nodes; node++) {
        rb_weighted_ngram *ngram = &w->nodes[node];
        const int64_t before = ngram->prefix == 0 || ngram->prefix == w->zero
                             ? w->texts->n_tokens : w->nodes[ngram->prefix].count;
        const double own = (double)before / (double)ngram->count;
        if (own != ratio) weight = as_nltk ? log(own) / log_2 : log2(own);
        ngram->weight = weight;
        ratio = own;
    }
}

/* N-grams that a hypothesis shares with references among the weighted texts, of up to 64 tokens. As
 * in ngrams/clipping.h, bits show where an n-gram ends in a reference, and each n-gram takes one
 * free position, which leads to its node without hashing. An order is examined only as far as the
 * previous one matches. Sums run over the hypothesis from left to right. */
#define RB_MOST_PLACED_ORDERS 16
#define RB_MOST_PLACED_TOKENS 4096 /* of a hypothesis; each has a node per order */

static inline int rb_weights_have_places(const rb_ngram_weights *w, int64_t n, const rb_tokens *refs,
                                         int64_t ref_begin, int64_t ref_end) {
    return w->texts == refs && n <= RB_MOST_PLACED_TOKENS
        && rb_longest(refs, ref_begin, ref_end) <= 64;
}

/* Record the matches of one reference: `nodes[i * max_order + k]` of the n-gram of k + 1 tokens that
 * ends at token i, unless already set; or add their weights to `sums`, unless that is NULL. Uses
 * two words of scratch a token. 0 or -1. */
static inline int rb_placed_nodes(const rb_ngram_weights *w, const rb_tokens *hyps, int64_t hyp,
                                  int64_t ref, int max_order, uint32_t *nodes, double *sums,
                                  rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), first_token = w->texts->first_token[ref];
    uint64_t runs[RB_MOST_PLACED_ORDERS], taken[RB_MOST_PLACED_ORDERS];
    uint64_t *masks = rb_scratch_words(s, 2 * n);
    int64_t i;
    int k, depth = 0; /* orders that a run continues */
    if (masks == NULL) return -1;
    rb_token_masks(s->clipping.matcher.masks, hyps, hyp, w->texts, ref, masks, masks + n);
    for (k = 0; k < max_order; k++) taken[k] = 0;
    for (i = 0; i < n; i++) {
        for (k = depth < max_order ? depth : max_order - 1; k > 0; k--)
            runs[k] = runs[k - 1] << 1 & masks[i];
        runs[0] = masks[i];
        for (k = 0; k <= depth && k < max_order && runs[k] != 0; k++) {
            const uint64_t free = runs[k] & ~taken[k];
            uint32_t node;
            if (free == 0) continue;
            taken[k] |= free & (0 - free);
            node = rb_ngrams_ending(w, first_token + rb_ctz(free))[k];
            if (sums != NULL)
                sums[k] += w->nodes[node].weight;
            else if (nodes[i * max_order + k] == 0)
                nodes[i * max_order + k] = node;
        }
        depth = k;
    }
    return rb_scratch_worked(s, n * max_order);
}

/* Sum the weights of the n-grams of each order that the references together match. */
static inline int rb_matched_weights(const rb_ngram_weights *w, const rb_tokens *hyps, int64_t hyp,
                                     int64_t ref_begin, int64_t ref_end, int max_order, double *sums,
                                     rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp);
    uint64_t *memory = rb_scratch_words(s, 2 * n + (n * max_order + 1) / 2);
    uint32_t *nodes;
    int64_t ref, i;
    int k;
    if (memory == NULL) return -1;
    for (k = 0; k < max_order; k++) sums[k] = 0.0;
    if (ref_end - ref_begin == 1)
        return rb_placed_nodes(w, hyps, hyp, ref_begin, max_order, NULL, sums, s);
    nodes = (uint32_t *)(memory + 2 * n); /* after the masks */
    memset(nodes, 0, (size_t)(n * max_order) * sizeof *nodes);
    for (ref = ref_begin; ref < ref_end; ref++)
        if (rb_placed_nodes(w, hyps, hyp, ref, max_order, nodes, NULL, s) < 0) return -1;
    for (i = 0; i < n; i++)
        for (k = 0; k < max_order; k++)
            if (nodes[i * max_order + k] != 0) sums[k] += w->nodes[nodes[i * max_order + k]].weight;
    return 0;
}

#endif
