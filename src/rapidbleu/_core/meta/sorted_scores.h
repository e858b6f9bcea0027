/* Scores sorted, with the places they came from, and how many pairs were the wrong way round.
 *
 * A merge sort serves all that figures need of an order: ranks, runs of equal scores, and the number
 * of inversions, which is Kendall's count of discordant pairs (Knight 1966, A Computer Method for
 * Calculating Kendall's Tau with Ungrouped Data).  Short stretches are sorted by insertion, and then
 * merged from one array into the other and back.  Equal scores keep their order. */
#ifndef RAPIDBLEU_META_SORTED_SCORES_H
#define RAPIDBLEU_META_SORTED_SCORES_H

#include "common/signals.h"
#include <stdint.h>
#include <string.h>

#define RB_STRETCH 8 /* scores that are sorted by insertion */

typedef struct {
    double score;
    int32_t place;
} rb_placed;

/* Sort a few by insertion; returns the inversions. */
static inline int64_t rb_insert_placed(rb_placed *items, int64_t n) {
    int64_t i, j, inversions = 0;
    for (i = 1; i < n; i++) {
        const rb_placed item = items[i];
        for (j = i; j > 0 && items[j - 1].score > item.score; j--) items[j] = items[j - 1];
        items[j] = item;
        inversions += i - j;
    }
    return inversions;
}

/* Merge [0, middle) and [middle, n) into `out`; returns the inversions between the two. */
static inline int64_t rb_merge_placed(const rb_placed *items, int64_t middle, int64_t n,
                                      rb_placed *out) {
    int64_t i = 0, j = middle, k = 0, inversions = 0;
    while (i < middle && j < n) {
        if (items[j].score < items[i].score) {
            inversions += middle - i;
            out[k++] = items[j++];
        } else {
            out[k++] = items[i++];
        }
    }
    memcpy(out + k, items + i, (size_t)(middle - i) * sizeof *out);
    memcpy(out + k + middle - i, items + j, (size_t)(n - j) * sizeof *out);
    return inversions;
}

/* Sort n items, with as many of scratch; adds to `inversions` those there were.  0 or -1. */
static inline int rb_sort_placed(rb_placed *items, rb_placed *scratch, int64_t n,
                                 int64_t *inversions, PyObject *stop) {
    rb_placed *from = items, *to = scratch, *other;
    int64_t i, width;
    for (i = 0; i < n; i += RB_STRETCH)
        *inversions += rb_insert_placed(items + i, n - i < RB_STRETCH ? n - i : RB_STRETCH);
    for (width = RB_STRETCH; width < n; width *= 2) {
        if (n >= RB_POLL_TOKENS && rb_poll_without_gil(stop) < 0) return -1;
        for (i = 0; i < n; i += 2 * width) {
            const int64_t m = n - i < 2 * width ? n - i : 2 * width;
            *inversions += rb_merge_placed(from + i, m < width ? m : width, m, to + i);
        }
        other = from;
        from = to;
        to = other;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
    return 0;
}

#endif
