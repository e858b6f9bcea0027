/* The words that a metric has met, and what it was told of each, once.
 *
 * A kernel that compares stems or synonyms needs to know what a word is made of, which Python tells
 * it.  So each different word gets a number when it comes for the first time, and is described then;
 * from there on the kernel compares numbers.  A stem is a string like a word and gets its number from
 * the same table: words with equal stems have stems with equal numbers.  Synonym sets are sorted
 * numbers, and 64 bits, one for each set's hash, tell most words without a common set apart at once.
 *
 * The table belongs to the scratch memory of one thread and is never locked; that every thread asks
 * Python once for each word is what this costs.  Words take some 60 bytes each and are forgotten, all
 * at once, when there are too many of them. */
#ifndef RAPIDBLEU_METEOR_VOCABULARY_H
#define RAPIDBLEU_METEOR_VOCABULARY_H

#include "common/probing_table.h"
#include "text/token_table.h"

#define RB_MOST_WORDS_KEPT (INT64_C(1) << 16)
#define RB_FIRST_WORDS 512
#define RB_NO_STEM (-1)

typedef struct {
    uint64_t identity;    /* of its token */
    uint64_t sets_hashed; /* a bit for each synonym set */
    int64_t first_set;    /* into the sets of the vocabulary */
    int64_t record;       /* of a long token; -1: a short one */
    int32_t n_sets;
    int32_t stem;   /* number of the word that is its stem, or RB_NO_STEM */
    int32_t phrase; /* its number in a table of phrases, from 1; 0: it is not there */
    int32_t place, stem_place; /* of the pair at hand: where the hypothesis has it first */
    int8_t is_known, is_function;
} rb_word;

typedef struct {
    rb_tokens text; /* identities and bytes of all words, as one segment */
    rb_word *words;
    int64_t word_capacity;
    int64_t *sets;
    int64_t n_sets, set_capacity;
    rb_probing_table table; /* of int32_t: number of the word, plus one; 0: free */
    uint64_t secret;
} rb_vocabulary;

static inline int64_t rb_vocabulary_size(const rb_vocabulary *v) { return v->text.n_tokens; }

/* Bytes held. */
static inline int64_t rb_vocabulary_memory(const rb_vocabulary *v) {
    return rb_tokens_memory(&v->text) + v->word_capacity * (int64_t)sizeof(rb_word)
         + v->set_capacity * 8 + v->table.capacity * 4;
}

static inline void rb_vocabulary_free(rb_vocabulary *v) {
    rb_tokens_free(&v->text);
    PyMem_RawFree(v->words);
    PyMem_RawFree(v->sets);
    rb_probing_table_free(&v->table);
    memset(v, 0, sizeof *v);
}

/* Forget all words. */
static inline int rb_vocabulary_clear(rb_vocabulary *v) {
    rb_tokens_clear(&v->text);
    v->n_sets = 0;
    return rb_probing_table_clear(&v->table, 2 * RB_FIRST_WORDS, sizeof(int32_t), 0);
}

/* A table without words, of the tokens of tables with these keys; also after an error it is to be
 * freed. */
static inline int rb_vocabulary_init(rb_vocabulary *v, const uint64_t *keys, uint64_t secret) {
    memset(v, 0, sizeof *v);
    rb_probing_table_init(&v->table);
    v->secret = secret;
    if (rb_tokens_init(&v->text, keys) < 0) return -1;
    return rb_vocabulary_clear(v);
}

/* Is a word that of an identity and, if it is long, of a record of a table? */
static inline int rb_word_is(const rb_vocabulary *v, int64_t word, const rb_tokens *texts,
                             uint64_t identity, const rb_long_token *record) {
    const int64_t own = v->words[word].record;
    return v->words[word].identity == identity && (own < 0) == (record == NULL)
        && (own < 0 || rb_same_long(&v->text, &v->text.longs[own], texts, record));
}

/* Where a word is, or the free slot where it would be. */
static inline int32_t *rb_vocabulary_slot(const rb_vocabulary *v, const rb_tokens *texts,
                                          uint64_t identity, const rb_long_token *record) {
    int32_t *slots = (int32_t *)v->table.slots;
    uint64_t place = rb_hash_word(identity, v->secret);
    RB_PROBE(place, v->table.n_slots,
             slots[place] == 0 || rb_word_is(v, slots[place] - 1, texts, identity, record));
    return &slots[place];
}

static inline void *rb_vocabulary_moved(const void *owner, const void *slot) {
    const rb_vocabulary *v = (const rb_vocabulary *)owner;
    const int32_t word = *(const int32_t *)slot;
    int32_t *slots = (int32_t *)v->table.slots;
    uint64_t place;
    if (word == 0) return NULL;
    place = rb_hash_word(v->words[word - 1].identity, v->secret);
    RB_PROBE(place, v->table.n_slots, slots[place] == 0);
    return &slots[place];
}

/* The last token of the vocabulary's text becomes a word, not known yet. */
static inline int rb_vocabulary_enter(rb_vocabulary *v, int32_t *slot, int is_long) {
    const int64_t word = v->text.n_tokens - 1;
    rb_word *own = &v->words[word];
    memset(own, 0, sizeof *own);
    own->identity = rb_token_identity(&v->text, word);
    own->record = is_long ? v->text.n_longs - 1 : -1;
    own->stem = RB_NO_STEM;
    *slot = (int32_t)word + 1;
    if (rb_probing_table_take(&v->table, sizeof(int32_t), 0, rb_vocabulary_moved, v) == 0) return 0;
    v->table.n_slots = 0; /* words may be missing: it is to be cleared before it is used again */
    return -1;
}

static inline int rb_vocabulary_reserve(rb_vocabulary *v) {
    if (v->text.n_tokens < v->word_capacity) return 0;
    return rb_grow((void **)&v->words, &v->word_capacity, v->text.n_tokens + RB_FIRST_WORDS,
                   sizeof(rb_word));
}

/* The number of a token of a table, or -1. */
static inline int64_t rb_vocabulary_find(const rb_vocabulary *v, const rb_tokens *texts,
                                         uint64_t identity, const rb_long_token *record) {
    return (int64_t)*rb_vocabulary_slot(v, texts, identity, record) - 1;
}

/* The number of a token of a table, which is added if it is new; -1 and an exception. */
static inline int64_t rb_vocabulary_token(rb_vocabulary *v, const rb_tokens *texts,
                                          uint64_t identity, const rb_long_token *record) {
    int32_t *slot = rb_vocabulary_slot(v, texts, identity, record);
    rb_tokens *own = &v->text;
    if (*slot != 0) return *slot - 1;
    if (rb_vocabulary_reserve(v) < 0 || rb_tokens_reserve(own, 1) < 0) return -1;
    if (record != NULL) {
        rb_long_token *copy = &own->longs[own->n_longs];
        if (rb_text_reserve(own, record->length) < 0) return -1;
        memcpy(own->text + own->text_length, texts->text + record->position,
               (size_t)record->length);
        copy->position = own->text_length;
        copy->length = record->length;
        copy->index = (int32_t)own->n_tokens;
        own->text_length += record->length;
        own->n_longs++;
    }
    if (rb_tokens_push_id(own, identity) < 0) return -1;
    if (rb_vocabulary_enter(v, slot, record != NULL) < 0) return -1;
    return own->n_tokens - 1;
}

/* The number of a string of UTF-8, which is added if it is new; -1 and an exception. */
static inline int64_t rb_vocabulary_string(rb_vocabulary *v, const char *string, int64_t length) {
    rb_tokens *own = &v->text;
    const int64_t begin = own->text_length, token = own->n_tokens, n_longs = own->n_longs;
    const rb_long_token *record;
    int32_t *slot;
    if (rb_vocabulary_reserve(v) < 0 || rb_text_reserve(own, length) < 0) return -1;
    memcpy(own->text + begin, string, (size_t)length);
    if (rb_tokens_push(own, begin, length) < 0) return -1;
    record = own->n_longs > n_longs ? &own->longs[n_longs] : NULL;
    slot = rb_vocabulary_slot(v, own, rb_token_identity(own, token), record);
    if (*slot != 0) { /* met before */
        own->n_tokens = token;
        own->n_longs = n_longs;
        return *slot - 1;
    }
    if (record != NULL) own->text_length += length;
    return rb_vocabulary_enter(v, slot, record != NULL) < 0 ? -1 : token;
}

/* The bytes of a word: those of a short one are written to `room`, for eight. */
static inline const char *rb_vocabulary_bytes(const rb_vocabulary *v, int64_t word, char *room,
                                              int64_t *length) {
    const int64_t record = v->words[word].record;
    uint64_t identity = v->words[word].identity;
    if (record >= 0) {
        *length = v->text.longs[record].length;
        return (const char *)v->text.text + v->text.longs[record].position;
    }
    for (*length = 0; identity != 0; identity >>= 8) room[(*length)++] = (char)(identity & 0xff);
    return room;
}

/* Add a synonym set to the word that is being described; sets come in ascending order. */
static inline int rb_vocabulary_add_set(rb_vocabulary *v, int64_t word, int64_t set) {
    rb_word *own = &v->words[word];
    if (v->n_sets == v->set_capacity
        && rb_grow((void **)&v->sets, &v->set_capacity, v->n_sets + RB_FIRST_WORDS, 8) < 0)
        return -1;
    if (own->n_sets == 0) own->first_set = v->n_sets;
    v->sets[v->n_sets++] = set;
    own->n_sets++;
    own->sets_hashed |= UINT64_C(1) << (rb_hash_word((uint64_t)set, v->secret) & 63);
    return 0;
}

/* Have two words a synonym set in common? */
static inline int rb_are_synonyms(const rb_vocabulary *v, const rb_word *a, const rb_word *b) {
    const int64_t *x = v->sets + a->first_set, *x_end = x + a->n_sets;
    const int64_t *y = v->sets + b->first_set, *y_end = y + b->n_sets;
    if ((a->sets_hashed & b->sets_hashed) == 0) return 0;
    while (x < x_end && y < y_end) {
        if (*x == *y) return 1;
        if (*x < *y)
            x++;
        else
            y++;
    }
    return 0;
}

/* Number the tokens of a text; how many of them are not known yet, or -1 and an exception. */
static inline int64_t rb_vocabulary_numbers(rb_vocabulary *v, const rb_tokens *texts, int64_t text,
                                            int32_t *numbers) {
    const int64_t first = texts->first_token[text], n = rb_segment_length(texts, text);
    const int64_t end_long = texts->first_long[text + 1];
    int64_t k = texts->first_long[text], i, unknown = 0;
    for (i = 0; i < n; i++) {
        const int is_long = k < end_long && texts->longs[k].index == i;
        const rb_long_token *record = is_long ? &texts->longs[k] : NULL;
        const int64_t word = rb_vocabulary_token(v, texts, rb_token_identity(texts, first + i), record);
        if (word < 0) return -1;
        k += is_long;
        numbers[i] = (int32_t)word;
        unknown += !v->words[word].is_known;
    }
    return unknown;
}

#endif
