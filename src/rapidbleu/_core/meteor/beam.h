/* METEOR's alignment: the beam search of its program, release 1.5 (Denkowski and Lavie 2014).
 *
 * The words of the reference are decided from left to right.  A path is a set of decisions; at a word
 * it takes one of the candidates (candidates.h) whose words of the hypothesis it has not used, or
 * none, and the best 40 paths are kept.  Better is more credit, then fewer chunks, then less distance,
 * then the path that was first.  Credit is one for each word of an exact match and half for others,
 * rounded down for each side of a match: single words that are not equal count nothing.  A match whose
 * words are in no other candidate is definite, and part of all paths.
 *
 * Paths are those of the program to the last tie.  So a path that takes a candidate is charged the
 * distances of the candidates before it, not its own, as it is there; paths that are alike are not
 * merged; and the order of equal paths is kept.
 *
 * Where no path has a choice all of them change alike once they have decided the same word, so that
 * nothing is done until the next choice.  There the best 40 steps (steps.h) become paths.
 *
 * Time is about 40 paths times the candidates of words with a choice; memory is linear in both
 * lengths. */
#ifndef RAPIDBLEU_METEOR_BEAM_H
#define RAPIDBLEU_METEOR_BEAM_H

#include "meteor/steps.h"

/* Words of memory for a search. */
static inline int64_t rb_search_words(int64_t n, int64_t m) {
    const int64_t choices = m * RB_BEAM * (int64_t)sizeof(rb_choice);
    return (2 * (int64_t)sizeof(rb_beam) + choices) / 8 + 2 * RB_BEAM * ((n + 63) / 64);
}

/* Continue all paths at a word by one of n candidates or, last in the list, what is done without one;
 * `choices` gets those of the new paths. */
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

/* The candidates at a word that may be taken: not those with words of definite matches. */
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

/* Align: `matches` gets the match that starts at each word of the reference; hyp_len 0: none.
 *
 * `memory` has rb_search_words; `places` has room for the candidates of a word, `list` for one more. */
static inline int rb_align(rb_candidates *c, uint64_t *memory, rb_match *list, int32_t *places,
                           rb_match *matches, rb_scratch *s) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    const rb_match none = {0, 1, RB_NO_CHUNK, 0, 0};
    const rb_path start = {RB_NO_CREDIT, 0, -1, 0, RB_NO_CHUNK};
    rb_beam *beam = (rb_beam *)memory, *other = beam + 1, *swap;
    uint64_t *used = (uint64_t *)(beam + 2);
    rb_choice *choices = (rb_choice *)(used + 2 * RB_BEAM * n_words);
    rb_path common = start; /* of an even beam, its rank aside */
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
