/* Hypotheses of a segment, and their order, after Moses removes duplicates. Moses' extractor goes
 * through the hypotheses of a segment in order. One with the features and statistics of an earlier
 * one is replaced by the last of the segment, which is then examined in its place: A A B C becomes
 * A C B. The order is preserved to make files comparable. A table of the remaining ones finds the
 * earlier one, in linear time; rows of equal bits share a hash, and so do zeros of either sign. */
#ifndef RAPIDBLEU_MOSES_UNIQUE_ROWS_H
#define RAPIDBLEU_MOSES_UNIQUE_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "common/bits.h"
#include "common/probing_table.h"

typedef struct {
    const float *features; /* [n, n_features], finite */
    const uint32_t *stats; /* [n, n_words]: integers of 32 bits, or halves of 64-bit ones */
    const int64_t *tags;   /* [n]: rows of different tags are different; NULL: all alike */
    int64_t n_features;
    int64_t n_words;
    uint64_t key; /* of hashes */
} rb_moses_rows;

static inline uint64_t rb_moses_row_hash(const rb_moses_rows *r, int64_t row) {
    const float *features = r->features + row * r->n_features;
    const uint32_t *stats = r->stats + row * r->n_words;
    uint64_t value = r->key;
    int64_t k;
    for (k = 0; k < r->n_features; k++) {
        const float feature = features[k] + 0.0f; /* minus zero becomes zero */
        uint32_t bits;
        memcpy(&bits, &feature, 4);
        value = rb_fold(value ^ bits, UINT64_C(0xA0761D6478BD642F));
    }
    for (k = 0; k < r->n_words; k++)
        value = rb_fold(value ^ stats[k], UINT64_C(0xE7037ED1A0B428DB));
    if (r->tags != NULL)
        value = rb_fold(value ^ (uint64_t)r->tags[row], UINT64_C(0x8EBC6AF09C88C6E3));
    return value;
}

static inline bool rb_moses_rows_equal(const rb_moses_rows *r, int64_t a, int64_t b) {
    int64_t k;
    for (k = 0; k < r->n_features; k++)
        if (r->features[a * r->n_features + k] != r->features[b * r->n_features + k]) return false;
    if (r->tags != NULL && r->tags[a] != r->tags[b]) return false;
    return memcmp(r->stats + a * r->n_words, r->stats + b * r->n_words,
                  (size_t)r->n_words * sizeof *r->stats) == 0;
}

/* Write the remaining rows of [begin, end) to `order`: their number, or -1 with an exception set.
 * The table, of int64_t, reuses its memory across segments. */
static inline int64_t rb_moses_unique(const rb_moses_rows *r, int64_t begin, int64_t end,
                                      int64_t *order, rb_probing_table *t) {
    int64_t k = 0, n = end - begin, row;
    int64_t *slots;
    if (rb_probing_table_clear(t, rb_slots_for(2 * n), sizeof *slots, 0xFF) < 0) return -1;
    slots = (int64_t *)t->slots; /* -1 if free */
    for (row = begin; row < end; row++) order[row - begin] = row;
    for (row = begin; row < end; row++) { /* each step keeps or replaces one */
        uint64_t place = rb_moses_row_hash(r, order[k]);
        RB_PROBE(place, t->n_slots,
                 slots[place] < 0 || rb_moses_rows_equal(r, slots[place], order[k]));
        if (slots[place] < 0)
            slots[place] = order[k++];
        else
            order[k] = order[--n];
        if (rb_poll_due(row, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
    }
    return n;
}

#endif
