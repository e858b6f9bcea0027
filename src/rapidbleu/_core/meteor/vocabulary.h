/* The words that a metric has met, and their properties, looked up once. A kernel that compares
 * stems or synonyms needs properties of words from Python. So each different word gets a number and
 * a description at its first appearance; from then on the kernel compares numbers. A stem is a
 * string like a word and gets its number from the same table, so equal stems have equal numbers.
 * Synonym sets are sorted numbers; 64 bits of hashes separate most words without a common set. The
 * table belongs to the scratch memory of one thread and is never locked, at the cost that every
 * thread asks Python once for each word. Words take some 60 bytes each, and are all forgotten if
 * too many. */
#ifndef RAPIDBLEU_METEOR_VOCABULARY_H
#define RAPIDBLEU_METEOR_VOCABULARY_H

#include "common/probing_table.h"
#include "metrics/rows.h"
#include "text/token_table.h"

#define RB_MOST_WORDS_KEPT (INT64_C(1) << 16)
#define RB_FIRST_WORDS 512
#define RB_NO_STEM (-1)

typedef struct {
    uint64_t identity;    /* of its token */
    uint64_t sets_hashed; /* a bit for each synonym set */
    int64_t first_set;    /* into the sets of the vocabulary */
    int64_t record;       /* of a long token; -1 if short */
    int32_t n_sets;
    int32_t stem;   /* number of the word that is its stem, or RB_NO_STEM */
    int32_t phrase; /* number in a table of phrases, from 1, or 0 */
    int32_t place, stem_place; /* first position in the current hypothesis */
    int8_t is_known, is_function;
} rb_word;

typedef struct {
    rb_tokens text; /* identities and bytes of all words, as one segment */
    rb_word *words;
    int64_t word_capacity;
    int64_t *sets;
    int64_t n_sets, set_capacity;
    rb_probing_table table; /* of int32_t: number of the word plus one; 0 if free */
    uint64_t secret;
} rb_vocabulary;

static inline int64_t rb_vocabulary_size(const rb_vocabulary *v) { return v->text.n_tokens; }

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

static inline int rb_vocabulary_clear(rb_vocabulary *v) {
    rb_tokens_clear(&v->text);
    v->n_sets = 0;
    return rb_probing_table_clear(&v->table, 2 * RB_FIRST_WORDS, sizeof(int32_t), 0);
}

/* Initialize for tokens of tables with these keys; must be freed even after an error. */
static inline int rb_vocabulary_init(rb_vocabulary *v, const uint64_t *keys, uint64_t secret) {
    memset(v, 0, sizeof *v);
    rb_probing_table_init(&v->table);
    v->secret = secret;
    if (rb_tokens_init(&v->text, keys) < 0) return -1;
    return rb_vocabulary_clear(v);
}

/* Does a word have this identity and, if it is long, the bytes of this record? */
static inline int rb_word_is(const rb_vocabulary *v, int64_t word, const rb_tokens *texts,
                             uint64_t identity, const rb_long_token *record) {
    const int64_t own_record = v->words[word].record;
    return v->words[word].identity == identity && (own_record < 0) == (record == NULL)
        && (own_record < 0 || rb_same_long(&v->text, &v->text.longs[own_record], texts, record));
}

/* The slot of a word, or the free slot for it. */
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

/* Enter the last token of the vocabulary's text as a word, as yet unknown. */
static inline int rb_vocabulary_enter(rb_vocabulary *v, int32_t *slot, int is_long) {
    const int64_t word = v->text.n_tokens - 1;
    rb_word *entry = &v->words[word];
    memset(entry, 0, sizeof *entry);
    entry->identity = rb_token_identity(&v->text, word);
    entry->record = is_long ? v->text.n_longs - 1 : -1;
    entry->stem = RB_NO_STEM;
    *slot = (int32_t)word + 1;
    if (rb_probing_table_take(&v->table, sizeof(int32_t), 0, rb_vocabulary_moved, v) == 0) return 0;
    v->table.n_slots = 0; /* words may be missing, so it must be cleared before use */
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

/* The number of a token of a table, added if new; -1 with an exception set. */
static inline int64_t rb_vocabulary_token(rb_vocabulary *v, const rb_tokens *texts,
                                          uint64_t identity, const rb_long_token *record) {
    int32_t *slot = rb_vocabulary_slot(v, texts, identity, record);
    rb_tokens *tokens = &v->text;
    if (*slot != 0) return *slot - 1;
    if (rb_vocabulary_reserve(v) < 0 || rb_tokens_reserve(tokens, 1) < 0) return -1;
    if (record != NULL) {
        rb_long_token *copy = &tokens->longs[tokens->n_longs];
        if (rb_text_reserve(tokens, record->length) < 0) return -1;
        memcpy(tokens->text + tokens->text_length, texts->text + record->position,
               (size_t)record->length);
        copy->position = tokens->text_length;
        copy->length = record->length;
        copy->index = (int32_t)tokens->n_tokens;
        tokens->text_length += record->length;
        tokens->n_longs++;
    }
    if (rb_tokens_push_id(tokens, identity) < 0) return -1;
    if (rb_vocabulary_enter(v, slot, record != NULL) < 0) return -1;
    return tokens->n_tokens - 1;
}

/* The number of a string of UTF-8, added if new; -1 with an exception set. */
static inline int64_t rb_vocabulary_string(rb_vocabulary *v, const char *string, int64_t length) {
    rb_tokens *tokens = &v->text;
    const int64_t begin = tokens->text_length, token = tokens->n_tokens, n_longs = tokens->n_longs;
    const rb_long_token *record;
    int32_t *slot;
    if (rb_vocabulary_reserve(v) < 0 || rb_text_reserve(tokens, length) < 0) return -1;
    memcpy(tokens->text + begin, string, (size_t)length);
    if (rb_tokens_push(tokens, begin, length) < 0) return -1;
    record = tokens->n_longs > n_longs ? &tokens->longs[n_longs] : NULL;
    slot = rb_vocabulary_slot(v, tokens, rb_token_identity(tokens, token), record);
    if (*slot != 0) { /* met before */
        tokens->n_tokens = token;
        tokens->n_longs = n_longs;
        return *slot - 1;
    }
    if (record != NULL) tokens->text_length += length;
    return rb_vocabulary_enter(v, slot, record != NULL) < 0 ? -1 : token;
}

/* The bytes of a word; a short one is written to `room`, for eight. */
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

/* Add a synonym set to the word being described, in ascending order. */
static inline int rb_vocabulary_add_set(rb_vocabulary *v, int64_t word, int64_t set) {
    rb_word *entry = &v->words[word];
    if (v->n_sets == v->set_capacity
        && rb_grow((void **)&v->sets, &v->set_capacity, v->n_sets + RB_FIRST_WORDS, 8) < 0)
        return -1;
    if (entry->n_sets == 0) entry->first_set = v->n_sets;
    v->sets[v->n_sets++] = set;
    entry->n_sets++;
    entry->sets_hashed |= UINT64_C(1) << (rb_hash_word((uint64_t)set, v->secret) & 63);
    return 0;
}

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

/* Number the tokens of a text: the number of unknown ones, or -1 with an exception set. */
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

/* Candidate matches of words and phrases of a hypothesis and a reference (METEOR). A module is a
 * way to match: equal words; different words with equal stems; different words with a common
 * synonym set; phrases listed as paraphrases. Modules have an order, each considers all words, and
 * each match is a candidate: a pair of words found by two modules is two candidates.
 *
 * Candidates of words are not stored, because repeated words have as many as the product of their
 * counts: they are listed on demand for one position of the reference. To find them, each word and
 * each stem leads to its first position in the hypothesis, and each position to the next with the
 * same word and the next with the same stem. For synonyms all words of the hypothesis are examined.
 * Candidates of phrases (phrases.h) are stored, sorted by start in the reference.
 *
 * A candidate whose words are all in no other candidate is definite: the search (beam.h) has no
 * choice there. Counting the candidates that cover each word takes one pass. Time is the number of
 * candidates, and for synonyms the product of both lengths; memory is linear. */
#define RB_MOST_MODULES 4

enum { RB_EXACT, RB_STEM, RB_SYNONYM, RB_PARAPHRASE };

/* A pair of phrases: their starts, their lengths, the index of the module. */
typedef struct {
    int32_t ref_start, ref_len, hyp_start, hyp_len, module;
} rb_match;

/* The words of one text: numbers, stems and other properties by position. */
typedef struct {
    int32_t *numbers, *stems;
    int64_t n;
} rb_side;

typedef struct {
    const rb_vocabulary *words;
    int modules[RB_MOST_MODULES]; /* in order */
    int n_modules;
    rb_side hyp, ref;
    int32_t *next_place, *next_stem; /* [hyp.n] next position of the same word or stem, or -1 */
    const rb_match *phrases;     /* candidates of phrases, by start in the reference */
    const int64_t *first_phrase; /* [ref.n + 1]; NULL if there are none */
    int32_t *ref_cover, *hyp_cover; /* candidates that cover each word */
    rb_match *definite;             /* [ref.n], by start; hyp_len 0 if none */
    uint8_t *ref_is_definite;       /* [ref.n] is a word part of a definite match? */
    int64_t distances;              /* at least the sum over all candidates */
    uint64_t one_chunk, one_credit; /* in the rank of a path (beam.h) */
} rb_candidates;

/* Chain the hypothesis's positions of the same word, and of the same stem. Chains of words not in
 * the reference are never used, so they may begin anywhere. */
static inline void rb_chain_places(rb_candidates *c) {
    rb_word *words = c->words->words;
    int64_t i;
    for (i = 0; i < c->ref.n; i++) {
        words[c->ref.numbers[i]].place = -1;
        if (c->ref.stems[i] != RB_NO_STEM) words[c->ref.stems[i]].stem_place = -1;
    }
    for (i = c->hyp.n - 1; i >= 0; i--) {
        rb_word *word = &words[c->hyp.numbers[i]];
        c->next_place[i] = word->place;
        word->place = (int32_t)i;
        if (c->hyp.stems[i] == RB_NO_STEM) continue;
        word = &words[c->hyp.stems[i]];
        c->next_stem[i] = word->stem_place;
        word->stem_place = (int32_t)i;
    }
}

/* Write the positions of hypothesis words that match word j, ascending, and return their number. */
static inline int64_t rb_list_words(const rb_candidates *c, int module, int64_t j, int32_t *places) {
    const rb_word *words = c->words->words;
    const int32_t number = c->ref.numbers[j], stem = c->ref.stems[j];
    int64_t n = 0;
    int32_t i;
    if (module == RB_EXACT) {
        for (i = words[number].place; i >= 0; i = c->next_place[i]) places[n++] = i;
    } else if (module == RB_STEM) {
        for (i = stem == RB_NO_STEM ? -1 : words[stem].stem_place; i >= 0; i = c->next_stem[i])
            if (c->hyp.numbers[i] != number) places[n++] = i;
    } else {
        for (i = 0; i < c->hyp.n; i++) {
            const int32_t other = c->hyp.numbers[i];
            if (other != number && rb_are_synonyms(c->words, &words[other], &words[number]))
                places[n++] = i;
        }
    }
    return n;
}

/* Maximum of candidates that start at one word of the reference. */
static inline int64_t rb_most_candidates(const rb_candidates *c) {
    int64_t most = 0, j;
    for (j = 0; c->first_phrase != NULL && j < c->ref.n; j++) {
        const int64_t n = c->first_phrase[j + 1] - c->first_phrase[j];
        most = n > most ? n : most;
    }
    return most + c->n_modules * c->hyp.n;
}

/* Write the candidates that start at word j in order: by module, then by position. */
static inline int64_t rb_list_candidates(const rb_candidates *c, int64_t j, int32_t *places,
                                         rb_match *list) {
    int64_t n = 0, i, n_places;
    int k;
    for (k = 0; k < c->n_modules; k++) {
        if (c->modules[k] == RB_PARAPHRASE) {
            for (i = c->first_phrase[j]; i < c->first_phrase[j + 1]; i++) list[n++] = c->phrases[i];
            continue;
        }
        n_places = rb_list_words(c, c->modules[k], j, places);
        for (i = 0; i < n_places; i++) {
            const rb_match match = {(int32_t)j, 1, places[i], 1, k};
            list[n++] = match;
        }
    }
    return n;
}

static inline void rb_cover(rb_candidates *c, const rb_match *match) {
    int32_t k;
    for (k = 0; k < match->ref_len; k++) c->ref_cover[match->ref_start + k]++;
    for (k = 0; k < match->hyp_len; k++) c->hyp_cover[match->hyp_start + k]++;
}

/* Is a candidate the only one that covers any of its words? */
static inline int rb_is_definite(const rb_candidates *c, const rb_match *match) {
    int32_t k;
    for (k = 0; k < match->ref_len; k++)
        if (c->ref_cover[match->ref_start + k] != 1) return 0;
    for (k = 0; k < match->hyp_len; k++)
        if (c->hyp_cover[match->hyp_start + k] != 1) return 0;
    return 1;
}

/* Count the candidates that cover each word, and find definite matches. `places` needs hyp.n. */
static inline int rb_find_definite(rb_candidates *c, int32_t *places, rb_scratch *s) {
    const int64_t n = c->hyp.n, m = c->ref.n;
    int64_t i, j;
    const int64_t longest = n > m ? n : m;
    int k, has_synonyms = 0;
    for (k = 0; k < c->n_modules; k++) has_synonyms |= c->modules[k] == RB_SYNONYM;
    rb_chain_places(c);
    memset(c->ref_cover, 0, (size_t)m * sizeof *c->ref_cover);
    memset(c->hyp_cover, 0, (size_t)n * sizeof *c->hyp_cover);
    for (j = 0; j < m; j++) {
        const rb_match none = {(int32_t)j, 0, 0, 0, 0};
        c->definite[j] = none;
        c->ref_is_definite[j] = 0;
        for (k = 0; k < c->n_modules; k++) {
            if (c->modules[k] == RB_PARAPHRASE) {
                for (i = c->first_phrase[j]; i < c->first_phrase[j + 1]; i++)
                    rb_cover(c, &c->phrases[i]);
                continue;
            }
            const int64_t found = rb_list_words(c, c->modules[k], j, places);
            for (i = 0; i < found; i++) c->hyp_cover[places[i]]++;
            c->ref_cover[j] += (int32_t)found;
            if (found == 1) {
                const rb_match only = {(int32_t)j, 1, places[0], 1, k};
                c->definite[j] = only; /* tentatively */
            }
        }
        c->distances += longest * c->ref_cover[j];
        if (rb_scratch_worked(s, (has_synonyms ? n : 1) + c->ref_cover[j]) < 0) return -1;
    }
    for (j = 0; j < m; j++) {
        rb_match *own = &c->definite[j];
        if (own->hyp_len > 0 && !rb_is_definite(c, own)) own->hyp_len = own->ref_len = 0;
        for (i = 0; c->first_phrase != NULL && i < c->first_phrase[j + 1] - c->first_phrase[j]; i++) {
            const rb_match *phrase = &c->phrases[c->first_phrase[j] + i];
            if (rb_is_definite(c, phrase)) *own = *phrase;
        }
        for (k = 0; k < own->ref_len; k++) c->ref_is_definite[j + k] = 1;
    }
    return 0;
}

#endif
