/* Small numbers for the tokens of texts: 1, 2, ... in the order in which different tokens come. */
#ifndef RAPIDBLEU_NGRAMS_TOKEN_NUMBERS_H
#define RAPIDBLEU_NGRAMS_TOKEN_NUMBERS_H

#include "ngrams/hash_tables.h"

/* Number the tokens of a text; one that is not in the table is added to it or else gets a 0.
 *
 * The table must have been cleared for the token table whose tokens are added. */
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

#endif
