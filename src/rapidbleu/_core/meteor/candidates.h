/* Which words and phrases of a hypothesis and a reference may be matched (METEOR).
 *
 * A module is a way to match: equal words; different words with equal stems; different words with a
 * synonym set in common; phrases of which one is listed as a paraphrase of the other.  Modules have an
 * order, each looks at all words, and whatever one finds is a candidate: a pair of words that two
 * modules find is two candidates.
 *
 * Candidates of words are not stored, as a word that both texts repeat has as many as the product
 * says: they are listed for one place of the reference at a time, when they are asked for.  To find
 * them, each word and each stem (vocabulary.h) leads to the first place where the hypothesis has it,
 * and each place to the next with the same word and the next with the same stem.  For synonyms all
 * words of the hypothesis are looked at.  Candidates of phrases are looked for once and stored, sorted
 * by their start in the reference (phrases.h).
 *
 * A candidate none of whose words is part of another candidate is definite: the search (beam.h) has
 * no choice there.  Counting how many candidates cover each word takes one pass over all of them.
 *
 * Time is the number of candidates, and for synonyms the product of both lengths; memory is linear,
 * besides that of the stored candidates. */
#ifndef RAPIDBLEU_METEOR_CANDIDATES_H
#define RAPIDBLEU_METEOR_CANDIDATES_H

#include "meteor/vocabulary.h"

#define RB_MOST_MODULES 4

enum { RB_EXACT, RB_STEM, RB_SYNONYM, RB_PARAPHRASE };

/* A pair of phrases: where they start, how long they are, the place of the module in its list. */
typedef struct {
    int32_t ref_start, ref_len, hyp_start, hyp_len, module;
} rb_match;

/* The words of one text, by place: their numbers, stems and what else is known of them. */
typedef struct {
    int32_t *numbers, *stems;
    int64_t n;
} rb_side;

typedef struct {
    const rb_vocabulary *words;
    int modules[RB_MOST_MODULES]; /* in their order */
    int n_modules;
    rb_side hyp, ref;
    int32_t *next_place, *next_stem; /* [hyp.n]: the next with the same word, or stem; -1: none */
    const rb_match *phrases;     /* candidates of phrases, by start in the reference */
    const int64_t *first_phrase; /* [ref.n + 1]; NULL: there are none */
    int32_t *ref_cover, *hyp_cover; /* how many candidates each word is part of */
    rb_match *definite;             /* [ref.n], by start; hyp_len 0: none */
    uint8_t *ref_is_definite;       /* [ref.n]: is a word part of a definite match? */
} rb_candidates;

/* Chain the places of the hypothesis that have the same word, and those that have the same stem.
 * Chains of words that the reference has not are never asked for, so they may begin anywhere. */
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

/* Write the places of the hypothesis whose words match word j, ascending; returns how many. */
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

/* Most candidates that start at any one word of the reference. */
static inline int64_t rb_most_candidates(const rb_candidates *c) {
    int64_t most = 0, j;
    for (j = 0; c->first_phrase != NULL && j < c->ref.n; j++) {
        const int64_t n = c->first_phrase[j + 1] - c->first_phrase[j];
        most = n > most ? n : most;
    }
    return most + c->n_modules * c->hyp.n;
}

/* Write the candidates that start at word j in their order: by module, then by place. */
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

/* Add to the candidates that cover the words of a match. */
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

/* Count what covers each word, and find the definite matches.  `places` has room for hyp.n. */
static inline int rb_find_definite(rb_candidates *c, int32_t *places, rb_scratch *s) {
    const int64_t n = c->hyp.n, m = c->ref.n;
    int64_t i, j;
    int k, has_synonyms = 0;
    for (k = 0; k < c->n_modules; k++) has_synonyms |= c->modules[k] == RB_SYNONYM;
    rb_chain_places(c);
    memset(c->ref_cover, 0, (size_t)m * sizeof *c->ref_cover);
    memset(c->hyp_cover, 0, (size_t)n * sizeof *c->hyp_cover);
    memset(c->ref_is_definite, 0, (size_t)m);
    for (j = 0; j < m; j++) {
        const rb_match none = {(int32_t)j, 0, 0, 0, 0};
        c->definite[j] = none;
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
                c->definite[j] = only; /* perhaps */
            }
        }
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
