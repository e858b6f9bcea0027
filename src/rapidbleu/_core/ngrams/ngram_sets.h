/* N-gram sets: clipped matches of two segments as the size of a set intersection. A clipped count
 * is the minimum of an n-gram's counts in both segments. With the k-th occurrence of an n-gram in a
 * segment as an element of its own, (n-gram, k), a segment is a set of elements and the clipped
 * count is the number of elements that two segments share. For many segments against many it pays
 * to number the elements once and then work on small integers.
 *
 * An element is a node. The node of an n-gram is its first occurrence; `deeper` leads to the next.
 * An n-gram is found by the nodes of its prefix and its last token, so n-grams cannot be confused
 * (hash_tables.h). Each n-gram stores its last occurrence in the current segment, so a token
 * repeated a million times takes only a million steps. Memory: 16 bytes per different element, 16
 * and 24 per slot of the half-full tables of n-grams and tokens, and 4 per n-gram. */
#ifndef RAPIDBLEU_NGRAMS_NGRAM_SETS_H
#define RAPIDBLEU_NGRAMS_NGRAM_SETS_H

#include "ngrams/hash_tables.h"

typedef struct {
    uint32_t n_segments;   /* that have it */
    uint32_t deeper;       /* node of one more occurrence in a segment, or RB_NO_NODE */
    uint32_t last_segment; /* that had the n-gram */
    uint32_t last_node;    /* node of its last occurrence there */
} rb_ngram_node;

typedef struct {
    const rb_tokens *tokens; /* source of the segments */
    int max_order;
    rb_token_table token_table;
    rb_gram_table gram_table;
    rb_ngram_node *nodes;
    int64_t n_nodes;
    int64_t node_capacity;
    uint32_t *found; /* nodes of each segment, by order */
    int64_t found_capacity;
    int64_t *first_found; /* [n_segments + 1] */
    int64_t n_segments;
    int64_t segment_capacity;
    uint32_t *seen; /* in one segment: its tokens, and the n-gram that starts at each */
    int64_t seen_capacity;
    int64_t n_new;  /* n-grams since the last poll */
    PyObject *stop; /* borrowed; see signals.h */
} rb_ngram_set;

static inline void rb_ngram_set_init(rb_ngram_set *s, uint64_t key, PyObject *stop) {
    memset(s, 0, sizeof *s);
    rb_token_table_init(&s->token_table, key);
    rb_gram_table_init(&s->gram_table, key);
    s->stop = stop;
}

static inline void rb_ngram_set_free(rb_ngram_set *s) {
    rb_token_table_free(&s->token_table);
    rb_gram_table_free(&s->gram_table);
    PyMem_RawFree(s->nodes);
    PyMem_RawFree(s->found);
    PyMem_RawFree(s->first_found);
    PyMem_RawFree(s->seen);
    memset(s, 0, sizeof *s);
}

static inline int64_t rb_count_ngrams(const rb_tokens *tokens, int64_t begin, int64_t end, int step,
                                      int max_order) {
    int64_t segment, count = 0;
    for (segment = begin; segment < end; segment += step) {
        const int64_t n = rb_segment_length(tokens, segment);
        const int64_t orders = n < max_order ? n : max_order;
        count += orders * n - orders * (orders - 1) / 2;
    }
    return count;
}

/* Building: functions that return a node return -1 if an exception is set. */

static inline int rb_ngram_set_poll(rb_ngram_set *s) {
    if (++s->n_new < RB_POLL_TOKENS) return 0;
    s->n_new = 0;
    return rb_poll_without_gil(s->stop);
}

static inline int64_t rb_ngram_set_add_node(rb_ngram_set *s) {
    rb_ngram_node *node;
    if (s->n_nodes == s->node_capacity
        && rb_grow((void **)&s->nodes, &s->node_capacity, s->n_nodes + 256, sizeof(rb_ngram_node))
               < 0)
        return -1;
    node = &s->nodes[s->n_nodes];
    node->deeper = node->last_segment = node->last_node = RB_NO_NODE;
    node->n_segments = 0;
    return s->n_nodes++;
}

static inline int64_t rb_ngram_set_add_token(rb_ngram_set *s, uint64_t identity,
                                             const rb_long_token *record) {
    rb_token_table *t = &s->token_table;
    rb_token_slot *slot = rb_token_table_find(t, s->tokens, identity, record);
    int64_t node;
    if (slot->node != RB_NO_NODE) return slot->node;
    node = rb_ngram_set_add_node(s);
    if (node < 0 || rb_token_table_add(t, slot, identity, record, (uint32_t)node) < 0) return -1;
    return node;
}

static inline int64_t rb_ngram_set_add_gram(rb_ngram_set *s, uint32_t prefix, uint32_t token) {
    const uint64_t gram = rb_gram_of(prefix, token);
    rb_gram_slot *slot = rb_gram_table_find(&s->gram_table, gram);
    int64_t node;
    if (slot->node != RB_NO_NODE) return slot->node;
    node = rb_ngram_set_add_node(s);
    if (node < 0 || rb_gram_table_add(&s->gram_table, slot, gram, (uint32_t)node) < 0) return -1;
    return node;
}

/* The node of one more occurrence of an n-gram in the segment of this stamp. */
static inline int64_t rb_ngram_set_add_occurrence(rb_ngram_set *s, uint32_t gram, uint32_t stamp) {
    uint32_t node = gram;
    if (s->nodes[gram].last_segment == stamp) {
        const uint32_t last = s->nodes[gram].last_node;
        node = s->nodes[last].deeper;
        if (node == RB_NO_NODE) {
            const int64_t added = rb_ngram_set_add_node(s);
            if (added < 0) return -1;
            node = (uint32_t)added;
            s->nodes[last].deeper = node;
        }
    }
    s->nodes[gram].last_segment = stamp;
    s->nodes[gram].last_node = node;
    s->nodes[node].n_segments++;
    return node;
}

/* List the elements of a segment, adding nodes for new ones; their number, or -1. */
static inline int64_t rb_ngram_set_add_segment(rb_ngram_set *s, int64_t segment, uint32_t stamp,
                                               uint32_t *found) {
    const rb_tokens *t = s->tokens;
    const int64_t n = rb_segment_length(t, segment), first = t->first_token[segment];
    const int64_t end = t->first_long[segment + 1];
    const int64_t n_orders = s->max_order < n ? s->max_order : n;
    int64_t k = t->first_long[segment], i, order, node, n_found = 0;
    uint32_t *seen = s->seen, *grams = s->seen + n;
    for (i = 0; i < n; i++) {
        const rb_long_token *record = NULL;
        if (k < end && t->longs[k].index == i) record = &t->longs[k++];
        node = rb_ngram_set_add_token(s, rb_token_identity(t, first + i), record);
        if (node < 0 || rb_ngram_set_poll(s) < 0) return -1;
        seen[i] = (uint32_t)node;
    }
    for (order = 0; order < n_orders; order++)
        for (i = 0; i < n - order; i++) {
            node = order == 0 ? seen[i] : rb_ngram_set_add_gram(s, grams[i], seen[i + order]);
            if (node < 0) return -1;
            grams[i] = (uint32_t)node;
            node = rb_ngram_set_add_occurrence(s, grams[i], stamp);
            if (node < 0 || rb_ngram_set_poll(s) < 0) return -1;
            found[n_found++] = (uint32_t)node;
        }
    return n_found;
}

/* Number the elements (below RB_NO_NODE) of every step-th segment of [begin, end). */
static inline int rb_ngram_set_build(rb_ngram_set *s, const rb_tokens *tokens, int64_t begin,
                                     int64_t end, int step, int max_order) {
    const int64_t n_found = rb_count_ngrams(tokens, begin, end, step, max_order);
    int64_t k, n, longest = 0, n_tokens = 0;
    s->n_segments = (end - begin) / step;
    for (k = 0; k < s->n_segments; k++) {
        n = rb_segment_length(tokens, begin + k * step);
        n_tokens += n;
        longest = n > longest ? n : longest;
    }
    s->tokens = tokens;
    s->max_order = max_order;
    s->n_nodes = 0;
    if (rb_token_table_clear(&s->token_table, tokens, n_tokens / 4) < 0
        || rb_gram_table_clear(&s->gram_table, n_found / 8) < 0
        || rb_room((void **)&s->found, &s->found_capacity, n_found, sizeof(uint32_t)) < 0
        || rb_room((void **)&s->first_found, &s->segment_capacity, s->n_segments + 1,
                   sizeof(int64_t)) < 0
        || rb_room((void **)&s->seen, &s->seen_capacity, 2 * longest, sizeof(uint32_t)) < 0)
        return -1;
    s->first_found[0] = 0;
    for (k = 0; k < s->n_segments; k++) {
        n = rb_ngram_set_add_segment(s, begin + k * step, (uint32_t)k,
                                     s->found + s->first_found[k]);
        if (n < 0) return -1;
        s->first_found[k + 1] = s->first_found[k] + n;
    }
    return 0;
}

/* List the elements of another segment that have a node, by order. `stamp` must not have been used
 * since the set was built; `found` needs room for the elements followed by two numbers per token,
 * `first_of_order` for one more than the orders. */
static inline void rb_ngram_set_find(rb_ngram_set *s, const rb_tokens *tokens, int64_t segment,
                                     uint32_t stamp, uint32_t *found, int64_t *first_of_order) {
    const int64_t n = rb_segment_length(tokens, segment), first = tokens->first_token[segment];
    const int64_t end = tokens->first_long[segment + 1];
    int64_t k = tokens->first_long[segment], i, n_found = 0;
    uint32_t *seen = found + s->max_order * n, *grams = seen + n;
    int order;
    for (i = 0; i < n; i++) {
        const rb_long_token *record = NULL;
        if (k < end && tokens->longs[k].index == i) record = &tokens->longs[k++];
        seen[i] = rb_token_table_find(&s->token_table, tokens, rb_token_identity(tokens, first + i),
                                      record)->node;
    }
    for (order = 0; order < s->max_order; order++) {
        first_of_order[order] = n_found;
        for (i = 0; i < n - order; i++) {
            uint32_t node = seen[i];
            rb_ngram_node *gram;
            if (order > 0) {
                node = RB_NO_NODE;
                if (grams[i] != RB_NO_NODE && seen[i + order] != RB_NO_NODE)
                    node = rb_gram_table_find(&s->gram_table,
                                              rb_gram_of(grams[i], seen[i + order]))->node;
            }
            grams[i] = node;
            if (node == RB_NO_NODE) continue;
            gram = &s->nodes[node];
            if (gram->last_segment == stamp) /* RB_NO_NODE follows the last occurrence */
                node = gram->last_node == RB_NO_NODE ? RB_NO_NODE
                                                     : s->nodes[gram->last_node].deeper;
            gram->last_segment = stamp;
            gram->last_node = node;
            if (node != RB_NO_NODE) found[n_found++] = node;
        }
    }
    first_of_order[s->max_order] = n_found;
}

#endif
