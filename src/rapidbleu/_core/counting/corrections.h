/* N-grams that a correction of a text has in common with a reference, and those that it should have
 * changed (GLEU of Napoles et al. 2015, in the form of 2016).
 *
 * Of each order two clipped counts: n-grams of the hypothesis in the reference; and n-grams of the
 * hypothesis in the source, of which the reference has none.  Order by order, as in ngram_hits.h. */
#ifndef RAPIDBLEU_COUNTING_CORRECTIONS_H
#define RAPIDBLEU_COUNTING_CORRECTIONS_H

#include "counting/ngram_hits.h"

/* Texts `source` and `ref` are of the same table.  `matches` and `kept` get a count for each order. */
static inline int rb_correction_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *texts,
                                       int64_t source, int64_t ref, int max_order, int64_t *matches,
                                       int64_t *kept, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), n_source = rb_segment_length(texts, source);
    const int64_t m = rb_segment_length(texts, ref), most = n_source + m + 1;
    uint64_t *memory = rb_scratch_words(s, (2 * (n + n_source + m) + 3 * most + 1) / 2);
    int32_t *numbers, *nodes, *source_numbers, *source_nodes, *ref_numbers, *ref_nodes;
    int32_t *in_ref, *in_source, *has; /* what is left to match, by node; does the reference have it? */
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
