/* How often each n-gram of a corpus occurs: a trie in one hash table.
 *
 * An n-gram is a pair: the number of its first n - 1 tokens, which are an n-gram themselves, and
 * its last token.  64 bits hold such a pair, so identity is exact whatever the order, and the
 * prefix that NIST divides by is at hand without a look-up.  Walking on from a token through the
 * orders takes one probe an order.
 *
 * The table holds numbers of n-grams (common/probing_table.h), what they are and how often they
 * occur is in two arrays: 16 bytes an n-gram and 8 to 16 for its slots.  The simpler way, a
 * Counter of tuples, makes an object of each n-gram and hashes all of its tokens. */
#ifndef RAPIDBLEU_NGRAMS_NGRAM_TRIE_H
#define RAPIDBLEU_NGRAMS_NGRAM_TRIE_H

#include "common/probing_table.h"

#define RB_FIRST_GRAMS 64 /* a power of two: capacity doubles up to 2**30 */

typedef struct {
    uint64_t *key;  /* [capacity] (longest proper prefix, last token); gram 0 is the empty one */
    int64_t *count; /* [capacity] */
    int64_t n_grams;
    int64_t capacity;
    rb_probing_table table; /* of int32_t: gram that hashes there; 0: free */
    uint64_t secret;
} rb_ngram_trie;

/* Where an n-gram is, or the free slot where it would be. */
static inline int32_t *rb_ngram_trie_slot(const rb_ngram_trie *t, uint64_t key) {
    int32_t *slots = (int32_t *)t->table.slots;
    uint64_t place = rb_hash_word(key, t->secret);
    RB_PROBE(place, t->table.n_slots, slots[place] == 0 || t->key[slots[place]] == key);
    return &slots[place];
}

/* Room for so many n-grams, a power of two, in arrays that share one capacity and twice as many
 * slots.  N-grams enter the new slots in their order, as their keys are then read in a row. */
static inline int rb_ngram_trie_grow(rb_ngram_trie *t, int64_t capacity) {
    int64_t key_capacity = t->capacity, count_capacity = t->capacity, i;
    if (capacity > INT32_MAX) {
        const PyGILState_STATE state = PyGILState_Ensure();
        PyErr_SetString(PyExc_MemoryError, "more than 2**31 different n-grams");
        PyGILState_Release(state);
        return -1;
    }
    if (rb_grow((void **)&t->key, &key_capacity, capacity, sizeof(uint64_t)) < 0
        || rb_grow((void **)&t->count, &count_capacity, capacity, sizeof(int64_t)) < 0
        || rb_probing_table_clear(&t->table, 2 * capacity, sizeof(int32_t), 0) < 0)
        return -1;
    t->capacity = capacity;
    for (i = 1; i < t->n_grams; i++) {
        if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        *rb_ngram_trie_slot(t, t->key[i]) = (int32_t)i;
    }
    return 0;
}

/* A trie of the empty n-gram only, whose count is the caller's affair; also after an error it is to
 * be freed. */
static inline int rb_ngram_trie_init(rb_ngram_trie *t, uint64_t secret) {
    memset(t, 0, sizeof *t);
    rb_probing_table_init(&t->table);
    t->secret = secret;
    if (rb_ngram_trie_grow(t, RB_FIRST_GRAMS) < 0) return -1;
    t->n_grams = 1;
    t->key[0] = 0;
    t->count[0] = 0;
    return 0;
}

static inline void rb_ngram_trie_free(rb_ngram_trie *t) {
    PyMem_RawFree(t->key);
    PyMem_RawFree(t->count);
    rb_probing_table_free(&t->table);
    memset(t, 0, sizeof *t);
}

static inline uint64_t rb_ngram_trie_key(int64_t prefix, int32_t token) {
    return (uint64_t)prefix << 32 | (uint32_t)token;
}

/* The n-gram of a prefix and a token; 0 if there is none. */
static inline int64_t rb_ngram_trie_find(const rb_ngram_trie *t, int64_t prefix, int32_t token) {
    return *rb_ngram_trie_slot(t, rb_ngram_trie_key(prefix, token));
}

/* Count an n-gram, whose tokens are numbered from 1; its number, or -1 if an exception is set. */
static inline int64_t rb_ngram_trie_add(rb_ngram_trie *t, int64_t prefix, int32_t token) {
    const uint64_t key = rb_ngram_trie_key(prefix, token);
    int32_t *slot = rb_ngram_trie_slot(t, key);
    int64_t gram = *slot;
    if (gram == 0) {
        if (t->n_grams == t->capacity) {
            if (rb_ngram_trie_grow(t, 2 * t->capacity) < 0) return -1;
            slot = rb_ngram_trie_slot(t, key);
        }
        gram = t->n_grams++;
        t->key[gram] = key;
        t->count[gram] = 0;
        *slot = (int32_t)gram;
    }
    t->count[gram]++;
    return gram;
}

#endif
