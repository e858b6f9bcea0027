/* The 23 statistics of METEOR's program, release 1.5, of one hypothesis and one reference, in its
 * order: lengths and function words of both sides; for each of four modules the words of both sides
 * that it matched, first content words, then function words; chunks; matched words. */
#ifndef RAPIDBLEU_METEOR_STATISTICS_H
#define RAPIDBLEU_METEOR_STATISTICS_H

#include "meteor/beam.h"
#include "meteor/phrases.h"

enum {
    RB_HYP_WORDS,
    RB_REF_WORDS,
    RB_HYP_FUNCTION,
    RB_REF_FUNCTION,
    RB_BY_MODULE,
    RB_CHUNKS = RB_BY_MODULE + 4 * RB_MOST_MODULES,
    RB_HYP_MATCHED,
    RB_REF_MATCHED,
    RB_METEOR_STATS
};

/* Data reused across segments. */
typedef struct {
    rb_kept kept;
    rb_vocabulary words;
    rb_phrase_matches phrases;
    rb_match *list; /* candidates that start at one word */
    int64_t list_capacity;
} rb_aligner;

/* A hypothesis and a reference in scratch memory, with everything needed for alignment. */
typedef struct {
    rb_candidates candidates;
    uint64_t *search;
    rb_match *matches; /* [ref.n], by start */
    int32_t *places;
} rb_pair;

static inline void rb_aligner_free(rb_kept *kept) {
    rb_aligner *a = (rb_aligner *)kept;
    rb_vocabulary_free(&a->words);
    rb_phrase_matches_free(&a->phrases);
    PyMem_RawFree(a->list);
    PyMem_RawFree(a);
}

/* Bytes added by long segments, without the words, which are bounded and worth keeping. */
static inline int64_t rb_aligner_memory(const rb_kept *kept) {
    const rb_aligner *a = (const rb_aligner *)kept;
    return (a->phrases.capacity + a->phrases.sorted_capacity + a->list_capacity)
             * (int64_t)sizeof(rb_match)
         + 4 * a->phrases.memory_capacity + 8 * a->phrases.first_capacity;
}

/* The aligner of a scratch, created on demand; NULL with an exception set. */
static inline rb_aligner *rb_aligner_of(rb_scratch *s, const rb_tokens *texts) {
    rb_aligner *a = (rb_aligner *)s->kept;
    if (a == NULL) {
        a = (rb_aligner *)rb_allocate_zeros(1, sizeof *a);
        if (a == NULL) return NULL;
        a->kept.free = rb_aligner_free;
        a->kept.memory = rb_aligner_memory;
        s->kept = &a->kept;
        if (rb_vocabulary_init(&a->words, texts->keys, s->tokens.key) < 0) {
            rb_aligner_free(&a->kept);
            s->kept = NULL;
            return NULL;
        }
    }
    if ((a->words.table.n_slots == 0 || rb_vocabulary_size(&a->words) > RB_MOST_WORDS_KEPT)
        && rb_vocabulary_clear(&a->words) < 0) {
        a->words.table.n_slots = 0;
        return NULL;
    }
    return a;
}

/* Place a pair in scratch memory and number its words: the number of unknown ones, or -1. */
static inline int64_t rb_pair_open(rb_pair *pair, rb_aligner *a, const rb_tokens *hyps, int64_t hyp,
                                   const rb_tokens *refs, int64_t ref, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t search = rb_search_words(n, m), numbers = (6 * n + 3 * m + 2) / 2;
    const int64_t match_words = (2 * m * (int64_t)sizeof(rb_match) + m + 7) / 8;
    uint64_t *memory = rb_scratch_words(s, search + numbers + match_words);
    rb_candidates *c = &pair->candidates;
    int32_t *next;
    int64_t of_hyp, of_ref;
    if (memory == NULL) return -1;
    memset(c, 0, sizeof *c);
    c->words = &a->words;
    c->hyp.n = n;
    c->ref.n = m;
    pair->search = memory;
    next = (int32_t *)(memory + search);
    c->hyp.numbers = next;
    c->hyp.stems = next + n;
    c->hyp_cover = next + 2 * n;
    c->next_place = next + 3 * n;
    c->next_stem = next + 4 * n;
    pair->places = next + 5 * n;
    next += 6 * n;
    c->ref.numbers = next;
    c->ref.stems = next + m;
    c->ref_cover = next + 2 * m;
    c->definite = (rb_match *)(memory + search + numbers);
    pair->matches = c->definite + m;
    c->ref_is_definite = (uint8_t *)(pair->matches + m);
    of_hyp = rb_vocabulary_numbers(&a->words, hyps, hyp, c->hyp.numbers);
    if (of_hyp < 0) return -1;
    of_ref = rb_vocabulary_numbers(&a->words, refs, ref, c->ref.numbers);
    return of_ref < 0 ? -1 : of_hyp + of_ref;
}

/* Look up the stems of a side, and return the number of its function words. */
static inline int64_t rb_side_stems(const rb_vocabulary *v, rb_side *side) {
    int64_t n_function = 0, i;
    for (i = 0; i < side->n; i++) {
        side->stems[i] = v->words[side->numbers[i]].stem;
        n_function += v->words[side->numbers[i]].is_function;
    }
    return n_function;
}

/* Count content words of a range of a side in counts[0] and function words in counts[2]. */
static inline void rb_count_words(const rb_vocabulary *v, const rb_side *side, int32_t begin,
                                  int32_t n, int64_t *counts) {
    int32_t i;
    for (i = begin; i < begin + n; i++) counts[2 * v->words[side->numbers[i]].is_function]++;
}

static inline void rb_count_matches(const rb_pair *pair, int64_t *row) {
    const rb_candidates *c = &pair->candidates;
    int64_t j;
    int32_t ref_end = -1, hyp_end = -1;
    for (j = 0; j < c->ref.n; j++) {
        const rb_match *match = &pair->matches[j];
        int64_t *own = row + RB_BY_MODULE + 4 * match->module;
        if (match->hyp_len == 0) continue;
        rb_count_words(c->words, &c->hyp, match->hyp_start, match->hyp_len, own);
        rb_count_words(c->words, &c->ref, match->ref_start, match->ref_len, own + 1);
        row[RB_HYP_MATCHED] += match->hyp_len;
        row[RB_REF_MATCHED] += match->ref_len;
        row[RB_CHUNKS] += match->ref_start != ref_end || match->hyp_start != hyp_end;
        ref_end = match->ref_start + match->ref_len;
        hyp_end = match->hyp_start + match->hyp_len;
    }
}

static inline int rb_pair_row(rb_pair *pair, rb_aligner *a, const int *modules, int n_modules,
                              const rb_phrases *phrases, int64_t *row, rb_scratch *s) {
    rb_candidates *c = &pair->candidates;
    int k;
    const int are_equal = c->hyp.n == c->ref.n
        && (c->hyp.n == 0
            || memcmp(c->hyp.numbers, c->ref.numbers, (size_t)c->hyp.n * sizeof(int32_t)) == 0);
    c->n_modules = are_equal ? 1 : n_modules;
    memset(row, 0, RB_METEOR_STATS * sizeof *row);
    row[RB_HYP_WORDS] = c->hyp.n;
    row[RB_REF_WORDS] = c->ref.n;
    row[RB_HYP_FUNCTION] = rb_side_stems(&a->words, &c->hyp);
    row[RB_REF_FUNCTION] = rb_side_stems(&a->words, &c->ref);
    for (k = 0; k < c->n_modules; k++) {
        c->modules[k] = modules[k];
        if (modules[k] == RB_PARAPHRASE && rb_phrases_find(phrases, c, k, &a->phrases, s) < 0)
            return -1;
    }
    if (rb_room((void **)&a->list, &a->list_capacity, rb_most_candidates(c) + 1,
                sizeof(rb_match)) < 0)
        return -1;
    if (rb_align(c, pair->search, a->list, pair->places, pair->matches, s) < 0) return -1;
    rb_count_matches(pair, row);
    return 0;
}

#endif
