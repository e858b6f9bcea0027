/* A table of paraphrases, and the paraphrases common to two texts. A phrase is a sequence of words,
 * numbered by a table of n-grams: the number of its prefix and its last word are its key
 * (ngrams/hash_tables.h), so identity is exact, and one walk finds all phrases that begin at a word
 * of a text. The paraphrases of a phrase are a range of an array, in the order of the file. To
 * match two texts, the phrases of both are looked up once, the phrases of each text enter a small
 * hash table with their positions, and the paraphrases of each phrase of either text are looked up
 * in the table of the other.
 *
 * METEOR's English table has 5.3 million pairs of 2.6 million phrases, and takes some 220 MB. Time
 * is linear in the paraphrases of both texts, memory in the matches. */
#ifndef RAPIDBLEU_METEOR_PHRASES_H
#define RAPIDBLEU_METEOR_PHRASES_H

#include "meteor/vocabulary.h"
#include "ngrams/hash_tables.h"

#define RB_LONGEST_PHRASE 32

typedef struct {
    rb_vocabulary words; /* of all phrases */
    rb_gram_table grams; /* numbers of phrases, and of their prefixes, from 1 */
    int64_t longest;  /* words of the longest phrase */
    int32_t *pairs;   /* phrase and paraphrase, in file order */
    int64_t n_pairs, pair_capacity;
    int32_t *first;   /* [n_grams + 1] into the paraphrases; NULL until sorted */
    int32_t *others;  /* [n_pairs] */
} rb_phrases;

static inline int rb_phrases_init(rb_phrases *p, const uint64_t *keys, uint64_t secret) {
    memset(p, 0, sizeof *p);
    if (rb_vocabulary_init(&p->words, keys, secret) < 0) return -1;
    rb_gram_table_init(&p->grams, secret);
    return rb_gram_table_clear(&p->grams, 0);
}

static inline void rb_phrases_free(rb_phrases *p) {
    rb_vocabulary_free(&p->words);
    rb_gram_table_free(&p->grams);
    PyMem_RawFree(p->pairs);
    PyMem_RawFree(p->first);
    PyMem_RawFree(p->others);
    memset(p, 0, sizeof *p);
}

static inline int64_t rb_phrases_memory(const rb_phrases *p) {
    return rb_vocabulary_memory(&p->words)
         + p->grams.table.capacity * (int64_t)sizeof(rb_gram_slot) + 8 * p->pair_capacity
         + 4 * (p->grams.table.n_items + p->n_pairs);
}

/* The number of a phrase from the numbers of its prefix and last word; -1 with an exception set. */
static inline int64_t rb_phrases_number(rb_phrases *p, int64_t beginning, int64_t word) {
    const uint64_t gram = rb_gram_of((uint32_t)beginning, (uint32_t)word);
    rb_gram_slot *slot = rb_gram_table_find(&p->grams, gram);
    const int64_t number = p->grams.table.n_items + 1;
    if (slot->node != RB_NO_NODE) return slot->node;
    if (number > INT32_MAX) return rb_no_memory();
    return rb_gram_table_add(&p->grams, slot, gram, (uint32_t)number) < 0 ? -1 : number;
}

/* Number of a phrase, words between spaces, added if new; 0: empty, -1: error, -2: too many. */
static inline int64_t rb_phrases_add(rb_phrases *p, const char *line, int64_t length) {
    int64_t phrase = 0, n = 0, begin = 0, end;
    while (begin < length) {
        for (end = begin; end < length && line[end] != ' '; end++) {}
        if (end > begin) {
            const int64_t word = rb_vocabulary_string(&p->words, line + begin, end - begin);
            if (word < 0) return -1;
            if (++n > RB_LONGEST_PHRASE) return -2;
            phrase = rb_phrases_number(p, phrase, word + 1);
            if (phrase < 0) return -1;
        }
        begin = end + 1;
    }
    p->longest = n > p->longest ? n : p->longest;
    return phrase;
}

static inline int rb_phrases_pair(rb_phrases *p, int64_t phrase, int64_t other) {
    if (phrase == 0 || other == 0) return 0;
    if (p->n_pairs == p->pair_capacity
        && rb_grow((void **)&p->pairs, &p->pair_capacity, p->n_pairs + 1024, 8) < 0)
        return -1;
    p->pairs[2 * p->n_pairs] = (int32_t)phrase;
    p->pairs[2 * p->n_pairs + 1] = (int32_t)other;
    p->n_pairs++;
    return 0;
}

/* Sort the pairs by phrase, stably; from now on the table is read-only. */
static inline int rb_phrases_sort(rb_phrases *p) {
    const int64_t n = p->grams.table.n_items + 1;
    int64_t i;
    int32_t begin = 0;
    p->first = (int32_t *)PyMem_RawCalloc((size_t)n + 1, sizeof(int32_t));
    p->others = (int32_t *)PyMem_RawMalloc(rb_bytes_of(p->n_pairs + 1, sizeof(int32_t)));
    if (p->first == NULL || p->others == NULL) return rb_no_memory();
    for (i = 0; i < p->n_pairs; i++) p->first[p->pairs[2 * i]]++;
    for (i = 0; i <= n; i++) {
        const int32_t own = p->first[i];
        p->first[i] = begin;
        begin += own;
    }
    for (i = 0; i < p->n_pairs; i++) p->others[p->first[p->pairs[2 * i]]++] = p->pairs[2 * i + 1];
    for (i = n; i > 0; i--) p->first[i] = p->first[i - 1];
    p->first[0] = 0;
    PyMem_RawFree(p->pairs);
    p->pairs = NULL;
    p->pair_capacity = 0;
    return 0;
}

/* The phrases of a text and their positions: entry `place * longest + length - 1`. */
typedef struct {
    int32_t *nodes; /* [n * longest] phrase, or 0 */
    int32_t *next;  /* next entry with the same phrase, or -1 */
    int32_t *slots; /* first entry of each phrase, by hash; -1 if free */
    int64_t n, longest, n_slots;
} rb_text_phrases;

static inline int64_t rb_text_phrases_size(int64_t n, int64_t longest) {
    return 2 * n * longest + rb_slots_for(2 * n * longest);
}

static inline int32_t *rb_text_phrases_slot(const rb_text_phrases *t, int32_t node) {
    uint64_t place = (uint32_t)node * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    RB_PROBE(place, t->n_slots, t->slots[place] < 0 || t->nodes[t->slots[place]] == node);
    return &t->slots[place];
}

static inline void rb_text_phrases_fill(rb_text_phrases *t, int32_t *memory, const rb_phrases *p,
                                        const rb_vocabulary *words, const rb_side *side) {
    const int64_t longest = p->longest;
    int64_t i, k;
    t->n = side->n;
    t->longest = longest;
    t->n_slots = rb_slots_for(2 * t->n * longest);
    t->nodes = memory;
    t->next = memory + t->n * longest;
    t->slots = t->next + t->n * longest;
    memset(t->slots, 0xff, (size_t)t->n_slots * sizeof *t->slots);
    memset(t->nodes, 0, (size_t)(t->n * longest) * sizeof *t->nodes);
    for (i = t->n - 1; i >= 0; i--) {
        int64_t node = 0;
        for (k = 0; k < longest && i + k < t->n; k++) {
            const int32_t word = words->words[side->numbers[i + k]].phrase;
            const int64_t entry = i * longest + k;
            int32_t *slot;
            if (word == 0) break;
            const rb_gram_slot *gram = rb_gram_table_find(
                &p->grams, rb_gram_of((uint32_t)node, (uint32_t)word));
            if (gram->node == RB_NO_NODE) break;
            node = gram->node;
            t->nodes[entry] = (int32_t)node;
            slot = rb_text_phrases_slot(t, (int32_t)node);
            t->next[entry] = *slot;
            *slot = (int32_t)entry;
        }
    }
}

typedef struct {
    rb_match *found, *sorted;
    int64_t capacity, sorted_capacity;
    int32_t *memory; /* for the phrases of both texts */
    int64_t memory_capacity;
    int64_t *first; /* [ref.n + 1] */
    int64_t first_capacity;
} rb_phrase_matches;

static inline void rb_phrase_matches_free(rb_phrase_matches *m) {
    PyMem_RawFree(m->found);
    PyMem_RawFree(m->sorted);
    PyMem_RawFree(m->memory);
    PyMem_RawFree(m->first);
    memset(m, 0, sizeof *m);
}

/* Find the phrases of a text with a paraphrase in the other, increasing `n_found`. */
static inline int rb_phrases_match(const rb_phrases *p, const rb_text_phrases *text,
                                   const rb_text_phrases *other, int is_ref, int module,
                                   rb_phrase_matches *m, int64_t *n_found, rb_scratch *s) {
    const int64_t longest = p->longest;
    int64_t entry;
    int32_t k, found;
    for (entry = 0; entry < text->n * longest; entry++) {
        const int32_t node = text->nodes[entry];
        if (node == 0) continue;
        for (k = p->first[node]; k < p->first[node + 1]; k++) {
            found = *rb_text_phrases_slot(other, p->others[k]);
            for (; found >= 0; found = other->next[found]) {
                const int32_t own_start = (int32_t)(entry / longest), own = (int32_t)(entry % longest);
                const int32_t start = (int32_t)(found / longest), len = (int32_t)(found % longest);
                const rb_match forward = {own_start, own + 1, start, len + 1, module};
                const rb_match backward = {start, len + 1, own_start, own + 1, module};
                if (*n_found == m->capacity
                    && rb_grow((void **)&m->found, &m->capacity, *n_found + 64, sizeof(rb_match)) < 0)
                    return -1;
                m->found[(*n_found)++] = is_ref ? forward : backward;
            }
        }
        if (rb_scratch_worked(s, 8 * (1 + p->first[node + 1] - p->first[node])) < 0) return -1;
    }
    return 0;
}

/* Find the candidates of phrases and sort them by their start in the reference: candidates found
 * from the reference precede those found from the hypothesis. */
static inline int rb_phrases_find(const rb_phrases *p, rb_candidates *c, int module,
                                  rb_phrase_matches *m, rb_scratch *s) {
    const int64_t hyp_size = rb_text_phrases_size(c->hyp.n, p->longest);
    const int64_t ref_size = rb_text_phrases_size(c->ref.n, p->longest);
    rb_text_phrases hyp, ref;
    int64_t n_found = 0, begin = 0, i;
    if (rb_room((void **)&m->memory, &m->memory_capacity, hyp_size + ref_size, sizeof(int32_t)) < 0
        || rb_room((void **)&m->first, &m->first_capacity, c->ref.n + 2, sizeof(int64_t)) < 0)
        return -1;
    rb_text_phrases_fill(&hyp, m->memory, p, c->words, &c->hyp);
    rb_text_phrases_fill(&ref, m->memory + hyp_size, p, c->words, &c->ref);
    if (rb_phrases_match(p, &ref, &hyp, 1, module, m, &n_found, s) < 0
        || rb_phrases_match(p, &hyp, &ref, 0, module, m, &n_found, s) < 0
        || rb_room((void **)&m->sorted, &m->sorted_capacity, n_found, sizeof(rb_match)) < 0)
        return -1;
    memset(m->first, 0, (size_t)(c->ref.n + 2) * sizeof *m->first);
    for (i = 0; i < n_found; i++) m->first[m->found[i].ref_start + 2]++;
    for (i = 2; i <= c->ref.n + 1; i++) {
        begin += m->first[i];
        m->first[i] = begin;
    }
    for (i = 0; i < n_found; i++) m->sorted[m->first[m->found[i].ref_start + 1]++] = m->found[i];
    c->phrases = m->sorted;
    c->first_phrase = m->first;
    return 0;
}

#endif
