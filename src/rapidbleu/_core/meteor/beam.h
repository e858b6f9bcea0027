/* METEOR's alignment: the beam search of its program, release 1.5 (Denkowski and Lavie 2014). Words
 * of the reference are decided from left to right. A path is a set of decisions; at a word it takes
 * one of the candidates (vocabulary.h) whose hypothesis words are unused, or none, and the best 40
 * paths survive. Better is more credit, then fewer chunks, then less distance, then the earlier
 * path. Credit is one for each word of an exact match and half for other matches, rounded down on
 * each side: single words that are not equal count nothing. A match whose words are in no other
 * candidate is definite, and part of all paths.
 *
 * Paths follow the program to the last tie: a path that takes a candidate is charged the distances
 * of the candidates before it, not its own; equal paths are not merged; and their order is
 * preserved. Where no path has a choice, all change alike once they have decided the same word, so
 * nothing is done until the next choice, where the best 40 steps become paths. Time is about 40
 * paths times the candidates of words with a choice; memory is linear in both lengths. */
#ifndef RAPIDBLEU_METEOR_BEAM_H
#define RAPIDBLEU_METEOR_BEAM_H

#include "meteor/vocabulary.h"

/* Paths of METEOR's search, and the best of their possible steps at a word. A path is a few
 * integers, a bit for each word of the hypothesis, and its last choice, which links to the previous
 * one. At a word each candidate in turn is taken by the paths that may, from the best path to the
 * worst, which yields nearly sorted steps: they are sorted by insertion and merged with the best
 * steps of earlier candidates. Credit and chunks share one integer, so one comparison suffices;
 * ties prefer the better path, then the earlier candidate. */
#define RB_BEAM 40
#define RB_NO_CHUNK (-1)

typedef struct {
    uint64_t rank;    /* lower is better: missing credit, then complete chunks */
    int64_t distance; /* then this */
    int64_t choice;   /* the last one, or -1 */
    int32_t next_word, hyp_end; /* next to decide; end of the open chunk, or RB_NO_CHUNK */
} rb_path;

typedef struct {
    rb_match match;
    int64_t before; /* the previous choice, or -1 */
} rb_choice;

/* The best paths, best first. */
typedef struct {
    rb_path paths[RB_BEAM];
    int n;
    uint64_t *used; /* [RB_BEAM, n_words] words of the hypothesis */
} rb_beam;

/* A path after taking one of the options at a word. */
typedef struct {
    uint64_t rank;
    int64_t distance, option;
    int path;
} rb_step;

/* The best steps, those by one more option, and room to merge both, with sentinels at the end. */
typedef struct {
    rb_step steps[3][RB_BEAM + 1];
    rb_step *best, *own, *room;
    int n;
} rb_steps;

#define RB_NO_CREDIT ((uint64_t)UINT32_MAX << 32)
#define RB_ONE_CREDIT (UINT64_C(1) << 32)
#define RB_ONE_CHUNK UINT64_C(1)

/* Is a step by a later option better than another? Ties prefer the better path. */
static inline int rb_is_better(const rb_step *a, const rb_step *b) {
    return (a->rank < b->rank)
         | ((a->rank == b->rank)
            & ((a->distance < b->distance)
               | ((a->distance == b->distance) & (a->path < b->path))));
}

/* Merge n steps by one more option into the best 40. */
static inline void rb_merge_steps(rb_steps *s, int n) {
    const rb_step *best = s->best, *own = s->own;
    rb_step *merged = s->room;
    int i;
    s->n = s->n + n < RB_BEAM ? s->n + n : RB_BEAM;
    for (i = 0; i < s->n; i++) { /* without a branch, because it would be unpredictable */
        const int is_own = rb_is_better(own, best);
        merged[i] = *(is_own ? own : best);
        own += is_own;
        best += !is_own;
    }
    merged[s->n].rank = UINT64_MAX;
    s->room = s->best;
    s->best = merged;
}

static inline int64_t rb_distance_of(const rb_match *match) {
    const int64_t distance = (int64_t)match->ref_start - match->hyp_start;
    return distance < 0 ? -distance : distance;
}

static inline uint64_t rb_credit_of(const rb_candidates *c, const rb_match *match) {
    if (c->modules[match->module] == RB_EXACT) return (uint64_t)match->hyp_len + match->ref_len;
    return (uint64_t)(match->hyp_len / 2) + match->ref_len / 2;
}

/* The rank of a path after a match with some credit, or without a match. */
static inline uint64_t rb_rank_after(const rb_path *path, const rb_match *match, uint64_t credit) {
    const uint64_t rank = path->rank - credit * RB_ONE_CREDIT;
    const int goes_on = path->hyp_end == RB_NO_CHUNK || path->hyp_end == match->hyp_start;
    return goes_on ? rank : rank + RB_ONE_CHUNK;
}

static inline void rb_path_go(rb_path *path, const rb_match *match) {
    path->hyp_end = match->hyp_start + match->hyp_len;
    path->next_word += match->ref_len;
}

static inline int rb_is_used(const uint64_t *used, const rb_match *match) {
    int32_t i;
    for (i = match->hyp_start + 1; i < match->hyp_start + match->hyp_len; i++)
        if (used[i >> 6] >> (i & 63) & 1) return 1;
    return (int)(used[match->hyp_start >> 6] >> (match->hyp_start & 63) & 1);
}

static inline void rb_use(uint64_t *used, const rb_match *match) {
    int32_t i;
    for (i = match->hyp_start; i < match->hyp_start + match->hyp_len; i++)
        used[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Sort n steps by one more option, drop hopeless ones, and merge the rest. */
static inline void rb_add_steps(rb_steps *s, int n) {
    rb_step *own = s->own;
    int n_sorted = 0, i, k;
    for (i = 0; i < n; i++) {
        const rb_step step = own[i];
        if (s->n == RB_BEAM && !rb_is_better(&step, &s->best[RB_BEAM - 1])) continue;
        for (k = n_sorted++; k > 0 && rb_is_better(&step, &own[k - 1]); k--) own[k] = own[k - 1];
        own[k] = step;
    }
    own[n_sorted].rank = UINT64_MAX;
    if (s->n == 0) {
        s->own = s->best;
        s->best = own;
        s->n = n_sorted;
    } else if (n_sorted > 0)
        rb_merge_steps(s, n_sorted);
}

/* Add the steps by a candidate for the paths that may take it. `passed` sums the distances of the
 * earlier candidates that each path could have taken. */
static inline void rb_add_taking(rb_steps *s, const rb_candidates *c, const rb_beam *beam,
                                 int32_t word, const rb_match *match, int64_t option,
                                 int64_t *passed) {
    const int64_t n_words = (c->hyp.n + 63) / 64, distance = rb_distance_of(match);
    const uint64_t credit = rb_credit_of(c, match);
    int n = 0, i;
    for (i = 0; i < beam->n; i++) {
        const rb_path *path = &beam->paths[i];
        const int can =
            (path->next_word == word) & !rb_is_used(beam->used + i * n_words, match);
        rb_step *step = &s->own[n];
        step->rank = rb_rank_after(path, match, credit);
        step->distance = path->distance + passed[i];
        step->option = option;
        step->path = i;
        passed[i] += can ? distance : 0;
        n += can; /* without a branch */
    }
    rb_add_steps(s, n);
}

/* Add the steps of all paths without a candidate: a definite match, or none. All paths contain the
 * definite matches, so their credit and distance need not be counted. */
static inline void rb_add_passing(rb_steps *s, const rb_beam *beam, int32_t word,
                                  const rb_match *match, int64_t option, const int64_t *passed) {
    int i;
    if (s->n == RB_BEAM && s->best[RB_BEAM - 1].rank < beam->paths[0].rank) return; /* none fits */
    for (i = 0; i < beam->n; i++) {
        const rb_path *path = &beam->paths[i];
        rb_step *step = &s->own[i];
        step->rank = path->next_word == word ? rb_rank_after(path, match, 0) : path->rank;
        step->distance = path->distance + passed[i];
        step->option = option;
        step->path = i;
    }
    rb_add_steps(s, beam->n);
}

static inline int64_t rb_search_words(int64_t n, int64_t m) {
    const int64_t choices = m * RB_BEAM * (int64_t)sizeof(rb_choice);
    return (2 * (int64_t)sizeof(rb_beam) + choices) / 8 + 2 * RB_BEAM * ((n + 63) / 64);
}

/* Continue all paths at a word by one of n candidates or, last in the list, without one; `choices`
 * receives the choices of the new paths. */
static inline void rb_beam_continue(const rb_candidates *c, const rb_match *list, int64_t n,
                                    int32_t word, const rb_beam *old, rb_beam *beam,
                                    rb_choice *choices, int64_t first_choice) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    int64_t passed[RB_BEAM] = {0}, option;
    rb_steps steps;
    int i;
    steps.n = 0;
    steps.best = steps.steps[0];
    steps.own = steps.steps[1];
    steps.room = steps.steps[2];
    for (option = 0; option < n; option++)
        rb_add_taking(&steps, c, old, word, &list[option], option, passed);
    rb_add_passing(&steps, old, word, &list[n], n, passed);
    beam->n = steps.n;
    for (i = 0; i < steps.n; i++) {
        const rb_step *step = &steps.best[i];
        const rb_match *match = &list[step->option];
        const uint64_t *used = old->used + step->path * n_words;
        rb_path *path = &beam->paths[i];
        *path = old->paths[step->path];
        if (n_words == 1)
            beam->used[i] = *used;
        else
            memcpy(beam->used + i * n_words, used, (size_t)n_words * sizeof *used);
        if (path->next_word == word) rb_path_go(path, match);
        path->rank = step->rank;
        path->distance = step->distance;
        if (step->option == n) continue;
        rb_use(beam->used + i * n_words, match);
        choices[i].match = *match;
        choices[i].before = path->choice;
        path->choice = first_choice + i;
    }
}

/* Drop the candidates at a word that overlap definite matches. */
static inline int64_t rb_drop_definite(const rb_candidates *c, rb_match *list, int64_t n) {
    int64_t k, kept = 0;
    int32_t i;
    for (k = 0; k < n; k++) {
        int is_free = 1;
        for (i = 0; i < list[k].ref_len; i++)
            is_free &= !c->ref_is_definite[list[k].ref_start + i];
        if (is_free) list[kept++] = list[k];
    }
    return kept;
}

/* Have all paths decided the same words, with the same end of the open chunk? */
static inline int rb_is_even(const rb_beam *beam) {
    int i;
    for (i = 1; i < beam->n; i++)
        if (beam->paths[i].next_word != beam->paths[0].next_word
            || beam->paths[i].hyp_end != beam->paths[0].hyp_end)
            return 0;
    return 1;
}

/* The best path once all chunks are closed. */
static inline const rb_path *rb_best_path(rb_beam *beam) {
    const rb_path *best = beam->paths;
    int i;
    for (i = 0; i < beam->n; i++) {
        rb_path *path = &beam->paths[i];
        path->rank += path->hyp_end == RB_NO_CHUNK ? 0 : RB_ONE_CHUNK;
        if (path->rank < best->rank
            || (path->rank == best->rank && path->distance < best->distance))
            best = path;
    }
    return best;
}

/* Align: `matches` receives the match that starts at each reference word; hyp_len 0 if none.
 * `memory` has rb_search_words, `places` as many as candidates of a word, `list` one more. */
static inline int rb_align(rb_candidates *c, uint64_t *memory, rb_match *list, int32_t *places,
                           rb_match *matches, rb_scratch *s) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    const rb_match none = {0, 1, RB_NO_CHUNK, 0, 0};
    const rb_path start = {RB_NO_CREDIT, 0, -1, 0, RB_NO_CHUNK};
    rb_beam *beam = (rb_beam *)memory, *other = beam + 1, *swap;
    uint64_t *used = (uint64_t *)(beam + 2);
    rb_choice *choices = (rb_choice *)(used + 2 * RB_BEAM * n_words);
    rb_path common = start; /* of an even beam, except for its rank */
    int64_t first_choice = 0, choice, n;
    int32_t word;
    int i, is_even = 1;
    if (rb_find_definite(c, places, s) < 0) return -1;
    beam->used = used;
    other->used = used + RB_BEAM * n_words;
    memset(used, 0, (size_t)n_words * sizeof *used);
    memcpy(matches, c->definite, (size_t)c->ref.n * sizeof *matches);
    for (word = 0; word < c->ref.n; word++) rb_use(used, &matches[word]);
    beam->n = 1;
    beam->paths[0] = start;
    for (word = 0; word < c->ref.n; word++) {
        n = 0;
        if (c->ref_cover[word] > 0 && !c->ref_is_definite[word])
            n = rb_drop_definite(c, list, rb_list_candidates(c, word, places, list));
        list[n] = c->definite[word].hyp_len > 0 ? c->definite[word] : none;
        if (n == 0 && is_even) {
            if (common.next_word == word) rb_path_go(&common, list);
            continue;
        }
        for (i = 0; is_even && i < beam->n; i++) {
            beam->paths[i].next_word = common.next_word;
            beam->paths[i].hyp_end = common.hyp_end;
        }
        rb_beam_continue(c, list, n, word, beam, other, choices + first_choice, first_choice);
        if (n > 0) first_choice += RB_BEAM;
        swap = beam;
        beam = other;
        other = swap;
        is_even = rb_is_even(beam);
        common = beam->paths[0];
        if (rb_scratch_worked(s, beam->n * (n_words + n + 8)) < 0) return -1;
    }
    choice = is_even ? beam->paths[0].choice : rb_best_path(beam)->choice;
    for (; choice >= 0; choice = choices[choice].before)
        matches[choices[choice].match.ref_start] = choices[choice].match;
    return 0;
}

#endif
