/* Exact hash tables: tokens to numbers, and n-grams to numbers. A token is found by its 64-bit
 * identity; long tokens, whose identity is a hash, are compared by their bytes. An n-gram is found
 * by the numbers of its prefix (all but its last token) and of its last token, so its key is two
 * 32-bit numbers and n-grams cannot be confused. A slot takes 24 bytes for a token and 16 for an
 * n-gram. The rest is in common/probing_table.h. */
#ifndef RAPIDBLEU_NGRAMS_HASH_TABLES_H
#define RAPIDBLEU_NGRAMS_HASH_TABLES_H

#include "common/probing_table.h"
#include "text/token_table.h"

#define RB_NO_NODE UINT32_C(0xffffffff) /* of a free slot */
#define RB_NO_NODE_BYTE 0xff

typedef struct {
    uint64_t identity;
    const rb_long_token *record; /* NULL for a short token */
    uint32_t node;
} rb_token_slot;

typedef struct {
    rb_probing_table table;
    const rb_tokens *tokens; /* owner of the records */
    uint64_t key;
} rb_token_table;

typedef struct {
    uint64_t gram; /* node of the prefix, node of the last token */
    uint32_t node;
} rb_gram_slot;

typedef struct {
    rb_probing_table table;
    uint64_t key;
} rb_gram_table;

/* Initialize without memory; must be cleared before use. */
static inline void rb_token_table_init(rb_token_table *t, uint64_t key) {
    rb_probing_table_init(&t->table);
    t->tokens = NULL;
    t->key = key;
}

static inline void rb_token_table_free(rb_token_table *t) { rb_probing_table_free(&t->table); }

/* Clear, expecting about n tokens from `tokens`. */
static inline int rb_token_table_clear(rb_token_table *t, const rb_tokens *tokens, int64_t n) {
    t->tokens = tokens;
    return rb_probing_table_clear(&t->table, rb_slots_for(n), sizeof(rb_token_slot),
                                  RB_NO_NODE_BYTE);
}

/* Does a slot contain this token: its identity and, if long, the bytes of its record? */
static inline int rb_token_slot_holds(const rb_token_table *t, const rb_token_slot *slot,
                                      const rb_tokens *tokens, uint64_t identity,
                                      const rb_long_token *record) {
    return slot->identity == identity && (slot->record == NULL) == (record == NULL)
        && (record == NULL || rb_same_long(t->tokens, slot->record, tokens, record));
}

/* The slot of a token, or the free slot for it. */
static inline rb_token_slot *rb_token_table_find(const rb_token_table *t, const rb_tokens *tokens,
                                                 uint64_t identity, const rb_long_token *record) {
    rb_token_slot *slots = (rb_token_slot *)t->table.slots;
    uint64_t place = rb_hash_word(identity, t->key);
    RB_PROBE(place, t->table.n_slots,
             slots[place].node == RB_NO_NODE
                 || rb_token_slot_holds(t, &slots[place], tokens, identity, record));
    return &slots[place];
}

static inline void *rb_token_slot_moved(const void *owner, const void *slot) {
    const rb_token_table *t = (const rb_token_table *)owner;
    const rb_token_slot *old = (const rb_token_slot *)slot;
    rb_token_slot *slots = (rb_token_slot *)t->table.slots;
    uint64_t place;
    if (old->node == RB_NO_NODE) return NULL;
    place = rb_hash_word(old->identity, t->key);
    RB_PROBE(place, t->table.n_slots, slots[place].node == RB_NO_NODE);
    return &slots[place];
}

/* Store a new token in its free slot, whose pointer becomes invalid. */
static inline int rb_token_table_add(rb_token_table *t, rb_token_slot *slot, uint64_t identity,
                                     const rb_long_token *record, uint32_t node) {
    slot->identity = identity;
    slot->record = record;
    slot->node = node;
    return rb_probing_table_take(&t->table, sizeof(rb_token_slot), RB_NO_NODE_BYTE,
                                 rb_token_slot_moved, t);
}

/* Number the tokens of a text 1, 2, ... in order of first appearance. Missing tokens are added if
 * `add`, to a table that was cleared for `texts`, and otherwise get 0. */
static inline int rb_token_numbers(rb_token_table *table, const rb_tokens *texts, int64_t text,
                                   int add, int32_t *numbers) {
    const int64_t first = texts->first_token[text], n = rb_segment_length(texts, text);
    const int64_t end_long = texts->first_long[text + 1];
    int64_t k = texts->first_long[text], i;
    for (i = 0; i < n; i++) {
        const int is_long = k < end_long && texts->longs[k].index == i;
        const rb_long_token *record = is_long ? &texts->longs[k] : NULL;
        const uint64_t identity = rb_token_identity(texts, first + i);
        rb_token_slot *slot = rb_token_table_find(table, texts, identity, record);
        k += is_long;
        if (rb_poll_due(first + i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        if (slot->node != RB_NO_NODE)
            numbers[i] = (int32_t)slot->node;
        else if (!add)
            numbers[i] = 0;
        else {
            numbers[i] = (int32_t)table->table.n_items + 1;
            if (rb_token_table_add(table, slot, identity, record, (uint32_t)numbers[i]) < 0)
                return -1;
        }
    }
    return 0;
}

/* Number the tokens of two texts: in `b` from 1, in `a` likewise, or 0 if not in `b`. */
static inline int rb_number_both(rb_token_table *table, const rb_tokens *as, int64_t a,
                                 int32_t *a_numbers, const rb_tokens *bs, int64_t b,
                                 int32_t *b_numbers) {
    if (rb_token_table_clear(table, bs, rb_segment_length(bs, b)) < 0
        || rb_token_numbers(table, bs, b, 1, b_numbers) < 0)
        return -1;
    return rb_token_numbers(table, as, a, 0, a_numbers);
}

static inline void rb_gram_table_init(rb_gram_table *t, uint64_t key) {
    rb_probing_table_init(&t->table);
    t->key = key;
}

static inline void rb_gram_table_free(rb_gram_table *t) { rb_probing_table_free(&t->table); }

/* Clear, with room for n n-grams: most of a text's differ, so a smaller table would be moved. */
static inline int rb_gram_table_clear(rb_gram_table *t, int64_t n) {
    return rb_probing_table_clear(&t->table, rb_slots_for(2 * n), sizeof(rb_gram_slot),
                                  RB_NO_NODE_BYTE);
}

static inline uint64_t rb_gram_of(uint32_t prefix, uint32_t token) {
    return (uint64_t)prefix << 32 | token;
}

static inline rb_gram_slot *rb_gram_table_find(const rb_gram_table *t, uint64_t gram) {
    rb_gram_slot *slots = (rb_gram_slot *)t->table.slots;
    uint64_t place = rb_hash_word(gram, t->key);
    RB_PROBE(place, t->table.n_slots,
             slots[place].node == RB_NO_NODE || slots[place].gram == gram);
    return &slots[place];
}

static inline void *rb_gram_slot_moved(const void *owner, const void *slot) {
    const rb_gram_table *t = (const rb_gram_table *)owner;
    const rb_gram_slot *old = (const rb_gram_slot *)slot;
    rb_gram_slot *slots = (rb_gram_slot *)t->table.slots;
    uint64_t place;
    if (old->node == RB_NO_NODE) return NULL;
    place = rb_hash_word(old->gram, t->key);
    RB_PROBE(place, t->table.n_slots, slots[place].node == RB_NO_NODE);
    return &slots[place];
}

static inline int rb_gram_table_add(rb_gram_table *t, rb_gram_slot *slot, uint64_t gram,
                                    uint32_t node) {
    slot->gram = gram;
    slot->node = node;
    return rb_probing_table_take(&t->table, sizeof(rb_gram_slot), RB_NO_NODE_BYTE,
                                 rb_gram_slot_moved, t);
}

#endif
