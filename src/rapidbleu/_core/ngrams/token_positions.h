/* Where each token of a reference stands, as rows of bits, for references of several words.
 *
 * Up to 64 tokens it is cheapest to compare every token of the hypothesis with all of the reference,
 * eight at a time.  Beyond, the reference's distinct tokens go into a small open-addressing table
 * with a row of position bits each, and a hypothesis token finds its row with one probe.  The table
 * is made in the caller's memory for one pair of texts and is never more than two thirds full.
 *
 * Long tokens are compared byte by byte both when they enter and when they are looked up, so two
 * with equal identities get two rows. */
#ifndef RAPIDBLEU_NGRAMS_TOKEN_POSITIONS_H
#define RAPIDBLEU_NGRAMS_TOKEN_POSITIONS_H

#include "common/probing_table.h"
#include "text/token_table.h"

typedef struct {
    uint64_t key;       /* odd and secret */
    int64_t n_rows;     /* distinct tokens and row 0, which has no bit */
    int64_t n_slots;    /* a power of two */
    uint64_t *bits;     /* [n_rows][words of a row] positions of each token */
    uint64_t *identity; /* [n_rows] */
    int32_t *record;    /* [n_rows] which long token of the reference it is; -1: short */
    uint32_t *slots;    /* [n_slots] row of the token that hashes there; 0: free */
} rb_positions;

static inline int64_t rb_positions_slots(int64_t n_tokens) {
    int64_t n_slots = 64;
    while (2 * n_slots < 3 * n_tokens) n_slots *= 2;
    return n_slots;
}

/* 64-bit words of memory that a table may need. */
static inline int64_t rb_positions_words(int64_t n_tokens, int64_t n_words) {
    return (n_tokens + 1) * (n_words + 2) + rb_positions_slots(n_tokens) / 2;
}

/* Is the token of a row that of this identity and, if `record` is not -1, of this long record? */
static inline int rb_positions_same(const rb_positions *table, uint32_t row, const rb_tokens *refs,
                                    int64_t ref, uint64_t identity, const rb_tokens *texts,
                                    int64_t record) {
    return table->identity[row] == identity
        && (record < 0
            || rb_same_long(texts, &texts->longs[record], refs,
                            &refs->longs[refs->first_long[ref] + table->record[row]]));
}

/* Slot of a token's identity.  A character is its own identity, and those of one alphabet mostly
 * differ in the lowest byte: it moves them to slots of their own, with some room between neighbours.
 * Left to chance, two of the most frequent letters share a slot in some processes, where chrF takes a
 * third longer. */
static inline uint64_t rb_positions_slot(const rb_positions *table, uint64_t identity) {
    return identity * 77 ^ rb_hash_word(identity >> 8, table->key);
}

/* Row of a token, or 0 and the slot where it would go; `record` is -1 if it is short. */
static inline uint32_t rb_positions_find(const rb_positions *table, const rb_tokens *refs,
                                         int64_t ref, uint64_t identity, const rb_tokens *texts,
                                         int64_t record, int64_t *slot) {
    uint64_t place = rb_positions_slot(table, identity);
    RB_PROBE(place, table->n_slots,
             table->slots[place] == 0
                 || rb_positions_same(table, table->slots[place], refs, ref, identity, texts, record));
    *slot = (int64_t)place;
    return table->slots[place];
}

/* Build the table of a reference in `memory`, of rb_positions_words, with rows of n_words. */
static inline void rb_positions_fill(rb_positions *table, uint64_t key, uint64_t *memory,
                                     const rb_tokens *refs, int64_t ref, int64_t n_words) {
    const int64_t n = rb_segment_length(refs, ref), token = refs->first_token[ref];
    const int64_t first_long = refs->first_long[ref], end_long = refs->first_long[ref + 1];
    int64_t record = first_long, i, slot;
    table->key = key;
    table->n_slots = rb_positions_slots(n);
    table->identity = memory;
    table->bits = table->identity + n + 1;
    table->record = (int32_t *)(table->bits + (n + 1) * n_words);
    table->slots = (uint32_t *)(table->record + 2 * (n + 1));
    memset(table->slots, 0, (size_t)table->n_slots * sizeof(uint32_t));
    memset(table->bits, 0, (size_t)n_words * sizeof(uint64_t));
    table->n_rows = 1;
    for (i = 0; i < n; i++) {
        const uint64_t identity = rb_token_identity(refs, token + i);
        const int is_long = record < end_long && refs->longs[record].index == i;
        uint32_t row = rb_positions_find(table, refs, ref, identity, refs, is_long ? record : -1,
                                         &slot);
        if (row == 0) {
            row = (uint32_t)table->n_rows++;
            table->slots[slot] = row;
            table->identity[row] = identity;
            table->record[row] = is_long ? (int32_t)(record - first_long) : -1;
            memset(table->bits + row * n_words, 0, (size_t)n_words * sizeof(uint64_t));
        }
        table->bits[row * n_words + (i >> 6)] |= UINT64_C(1) << (i & 63);
        record += is_long;
    }
}

/* The row of each token of a hypothesis. */
static inline void rb_positions_rows(const rb_positions *table, const rb_tokens *refs, int64_t ref,
                                     const rb_tokens *hyps, int64_t hyp, uint32_t *rows) {
    const int64_t n = rb_segment_length(hyps, hyp), token = hyps->first_token[hyp];
    const int64_t end_long = hyps->first_long[hyp + 1];
    int64_t record = hyps->first_long[hyp], i, slot;
    for (i = 0; i < n; i++) {
        const int is_long = record < end_long && hyps->longs[record].index == i;
        rows[i] = rb_positions_find(table, refs, ref, rb_token_identity(hyps, token + i), hyps,
                                    is_long ? record : -1, &slot);
        record += is_long;
    }
}

#endif
