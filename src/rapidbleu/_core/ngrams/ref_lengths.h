/* Effective reference length: which of a segment's references gives its length. */
#ifndef RAPIDBLEU_NGRAMS_REF_LENGTHS_H
#define RAPIDBLEU_NGRAMS_REF_LENGTHS_H

#include <stdlib.h>
#include "text/token_table.h"

/* Of two equally close references the shorter; of the average the integer part. */
enum { RB_CLOSEST, RB_SHORTEST, RB_LONGEST, RB_AVERAGE };

static inline int64_t rb_length_gap(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* Effective reference length of a segment in tokens (Papineni et al. 2002, 2.2.2). */
static inline int64_t rb_reference_length(const rb_tokens *refs, int64_t ref_begin, int64_t ref_end,
                                          int64_t hyp_len, int policy) {
    int64_t best = rb_segment_length(refs, ref_begin), total = 0, ref;
    for (ref = ref_begin; ref < ref_end; ref++) {
        const int64_t length = rb_segment_length(refs, ref);
        const int64_t gap = rb_length_gap(length, hyp_len), best_gap = rb_length_gap(best, hyp_len);
        total += length;
        if ((policy == RB_SHORTEST && length < best) || (policy == RB_LONGEST && length > best)
            || (policy == RB_CLOSEST && (gap < best_gap || (gap == best_gap && length < best))))
            best = length;
    }
    return policy == RB_AVERAGE ? total / (ref_end - ref_begin) : best;
}

static inline int rb_compare_lengths(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline void rb_sort_lengths(int64_t *lengths, int64_t n) {
    qsort(lengths, (size_t)n, sizeof *lengths, rb_compare_lengths);
}

/* Reference length of a segment whose references are all others of a group of at least two.
 * `lengths` are those of the whole group, ascending, `total` their sum, `own` one of them. */
static inline int64_t rb_length_of_others(const int64_t *lengths, int64_t n, int64_t total,
                                          int64_t own, int policy) {
    int64_t low = 0, high = n - 1;
    if (policy == RB_AVERAGE) return (total - own) / (n - 1);
    if (policy == RB_SHORTEST) return lengths[own == lengths[0] ? 1 : 0];
    if (policy == RB_LONGEST) return lengths[own == lengths[n - 1] ? n - 2 : n - 1];
    while (low < high) { /* the first that is not shorter */
        const int64_t middle = (low + high) / 2;
        if (lengths[middle] < own)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n - 1 || (low > 0 && own - lengths[low - 1] <= lengths[low + 1] - own))
        return lengths[low - 1];
    return lengths[low + 1];
}

#endif
