/* Matched n-grams of a hypothesis: clipped counting (ngrams/clipping.h) that identifies the
 * matches, for weighted counts. Among equal n-grams any may be the matched ones. References beyond
 * the bits of clipping.h are counted by hashing, order by order. */
#ifndef RAPIDBLEU_COUNTING_NGRAM_HITS_H
#define RAPIDBLEU_COUNTING_NGRAM_HITS_H

#include "metrics/rows.h"
#include "ngrams/hash_tables.h"

/* Words of memory for hashing n tokens and the n_refs tokens of all references. */
static inline int64_t rb_hashed_hits_words(int64_t n, int64_t n_refs) {
    return (2 * n + 3 * (n_refs + 1) + 1) / 2;
}

/* Nodes of the n-grams that end at each of n tokens, from the nodes of one token less; 0: none, or
 * not in the table and not to be added. */
static inline int rb_hashed_nodes(rb_gram_table *grams, const int32_t *numbers, int64_t n, int order,
                                  int add, int32_t *nodes) {
    int64_t i;
    for (i = n - 1; i >= 0; i--) {
        const uint64_t gram = i + 1 < order ? 0
                            : rb_gram_of((uint32_t)nodes[i - 1], (uint32_t)numbers[i]);
        rb_gram_slot *slot;
        if (i + 1 < order || nodes[i - 1] == 0 || numbers[i] == 0) {
            nodes[i] = 0;
            continue;
        }
        slot = rb_gram_table_find(grams, gram);
        if (slot->node != RB_NO_NODE)
            nodes[i] = (int32_t)slot->node;
        else if (!add)
            nodes[i] = 0;
        else {
            nodes[i] = (int32_t)grams->table.n_items + 1;
            if (rb_gram_table_add(grams, slot, gram, (uint32_t)nodes[i]) < 0) return -1;
        }
    }
    return 0;
}

/* rb_ngram_hits by hashing; `hits` are 0, and `memory` has rb_hashed_hits_words. */
static inline int rb_hashed_hits(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                 int64_t ref_begin, int64_t ref_end, int max_order, uint64_t *hits,
                                 uint64_t *memory, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), first = refs->first_token[ref_begin];
    const int64_t n_refs = refs->first_token[ref_end] - first;
    int32_t *numbers = (int32_t *)memory, *nodes = numbers + n, *ref_numbers = nodes + n;
    int32_t *ref_nodes = ref_numbers + n_refs, *counts = ref_nodes + n_refs;
    int64_t ref, i, done = 0;
    int order;
    if (rb_token_table_clear(&s->tokens, refs, n_refs) < 0) return -1;
    for (ref = ref_begin; ref < ref_end; ref++)
        if (rb_token_numbers(&s->tokens, refs, ref, 1,
                             ref_numbers + refs->first_token[ref] - first) < 0)
            return -1;
    if (rb_token_numbers(&s->tokens, hyps, hyp, 0, numbers) < 0) return -1;
    memcpy(nodes, numbers, (size_t)n * sizeof *nodes);
    memcpy(ref_nodes, ref_numbers, (size_t)n_refs * sizeof *ref_nodes);
    memset(counts, 0, (size_t)(n_refs + 1) * sizeof *counts);
    for (order = 1; order <= max_order; order++) {
        if (order > 1 && rb_gram_table_clear(&s->grams, n_refs) < 0) return -1;
        for (ref = ref_begin; ref < ref_end; ref++) {
            const int64_t begin = refs->first_token[ref] - first, m = rb_segment_length(refs, ref);
            if (order > 1
                && rb_hashed_nodes(&s->grams, ref_numbers + begin, m, order, 1, ref_nodes + begin) < 0)
                return -1;
        }
        if (order > 1 && rb_hashed_nodes(&s->grams, numbers, n, order, 0, nodes) < 0) return -1;
        for (ref = ref_begin; ref < ref_end; ref++) {
            const int32_t *own = ref_nodes + (refs->first_token[ref] - first);
            const int64_t m = rb_segment_length(refs, ref);
            for (i = 0; i < m; i++) counts[own[i]]++;
            counts[0] = 0;
            for (i = 0; i < n; i++) {
                const int found = counts[nodes[i]] > 0;
                counts[nodes[i]] -= found;
                hits[i] |= (uint64_t)found << (order - 1);
            }
            for (i = 0; i < m; i++) counts[own[i]] = 0;
            done += n + m;
            if (done >= RB_POLL_TOKENS) {
                done = 0;
                if (rb_poll_without_gil(s->stop) < 0) return -1;
            }
        }
    }
    return 0;
}

/* One word for each token of hypothesis `hyp`: bit k - 1 is set if the n-gram of k tokens that ends
 * there is matched, with clipped counts over all references. The words are in the scratch, followed
 * by as many free ones; NULL after an error. At most RB_MOST_ORDERS orders. */
static inline uint64_t *rb_ngram_hits(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                      int64_t ref_begin, int64_t ref_end, int max_order,
                                      rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), longest = rb_longest(refs, ref_begin, ref_end);
    int64_t n_words;
    if (longest <= 64 * RB_MOST_WORDS && n <= RB_MOST_MATCHED)
        return rb_match_orders(hyps, hyp, refs, ref_begin, ref_end, longest, max_order, NULL,
                               &s->clipping, s->stop) < 0
             ? NULL : s->clipping.words;
    n_words = n + rb_hashed_hits_words(n, refs->first_token[ref_end] - refs->first_token[ref_begin]);
    if (rb_clipping_reserve(&s->clipping, n + n_words) < 0) return NULL;
    memset(s->clipping.words, 0, (size_t)n * sizeof(uint64_t));
    return rb_hashed_hits(hyps, hyp, refs, ref_begin, ref_end, max_order, s->clipping.words,
                          s->clipping.words + n, s) < 0
         ? NULL : s->clipping.words;
}

/* N-grams that a correction shares with a reference, and n-grams that it should have changed (GLEU
 * of Napoles et al. 2015, in the form of 2016): for each order, clipped counts of hypothesis
 * n-grams in the reference, and of those in the source that the reference lacks. */

/* Texts `source` and `ref` are in one table. `matches` and `kept` receive a count per order. */
static inline int rb_correction_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *texts,
                                       int64_t source, int64_t ref, int max_order, int64_t *matches,
                                       int64_t *kept, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), n_source = rb_segment_length(texts, source);
    const int64_t m = rb_segment_length(texts, ref), most = n_source + m + 1;
    uint64_t *memory = rb_scratch_words(s, (2 * (n + n_source + m) + 3 * most + 1) / 2);
    int32_t *numbers, *nodes, *source_numbers, *source_nodes, *ref_numbers, *ref_nodes;
    int32_t *in_ref, *in_source, *has; /* matches left, by node; does the reference have it? */
    int64_t i;
    int order;
    if (memory == NULL) return -1;
    numbers = (int32_t *)memory;
    nodes = numbers + n;
    source_numbers = nodes + n;
    source_nodes = source_numbers + n_source;
    ref_numbers = source_nodes + n_source;
    ref_nodes = ref_numbers + m;
    in_ref = ref_nodes + m;
    in_source = in_ref + most;
    has = in_source + most;
    if (rb_token_table_clear(&s->tokens, texts, most) < 0
        || rb_token_numbers(&s->tokens, texts, source, 1, source_numbers) < 0
        || rb_token_numbers(&s->tokens, texts, ref, 1, ref_numbers) < 0
        || rb_token_numbers(&s->tokens, hyps, hyp, 0, numbers) < 0)
        return -1;
    memcpy(nodes, numbers, (size_t)n * sizeof *nodes);
    memcpy(source_nodes, source_numbers, (size_t)n_source * sizeof *source_nodes);
    memcpy(ref_nodes, ref_numbers, (size_t)m * sizeof *ref_nodes);
    for (order = 1; order <= max_order; order++) {
        if (order > 1
            && (rb_gram_table_clear(&s->grams, most) < 0
                || rb_hashed_nodes(&s->grams, source_numbers, n_source, order, 1, source_nodes) < 0
                || rb_hashed_nodes(&s->grams, ref_numbers, m, order, 1, ref_nodes) < 0
                || rb_hashed_nodes(&s->grams, numbers, n, order, 0, nodes) < 0))
            return -1;
        memset(in_ref, 0, (size_t)(3 * most) * sizeof *in_ref);
        for (i = 0; i < m; i++) in_ref[ref_nodes[i]]++;
        for (i = 0; i < m; i++) has[ref_nodes[i]] = 1;
        for (i = 0; i < n_source; i++) in_source[source_nodes[i]]++;
        in_ref[0] = in_source[0] = 0;
        matches[order - 1] = kept[order - 1] = 0;
        for (i = 0; i < n; i++) {
            const int32_t node = nodes[i];
            const int matched = in_ref[node] > 0, same = !has[node] && in_source[node] > 0;
            in_ref[node] -= matched;
            in_source[node] -= same;
            matches[order - 1] += matched;
            kept[order - 1] += same;
        }
    }
    return rb_scratch_worked(s, (n + n_source + m) * max_order);
}

#endif
