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
 * steps of earlier candidates. Ties prefer the better path, then the earlier candidate.
 *
 * The rank of a step is one integer: missing credit, then chunks. Its tie is another: the distance,
 * then the index of the path. If their bits fit into 64, and the hypothesis has no more than 64
 * words, the text is small: the rank contains the tie, and one comparison suffices. */
#define RB_BEAM 40
#define RB_PATH_BITS 6
#define RB_PATHS ((UINT64_C(1) << RB_PATH_BITS) - 1)
#define RB_NO_CHUNK (-1)
#define RB_NO_STEP (UINT64_MAX - 1) /* rank of a sentinel */

typedef struct {
    uint64_t rank, tie; /* lower is better; without the index of a path */
    uint64_t used;      /* words of the hypothesis, in small texts */
    int64_t choice;     /* the last one, or -1 */
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
    uint64_t *used; /* [RB_BEAM, n_words] in large texts */
} rb_beam;

/* A path after taking one of the options at a word. Distances are below 2**58, because texts fit
 * into memory. */
typedef struct {
    uint64_t rank, tie; /* the tie is 0 in small texts */
} rb_step;

/* The best steps and their options, the steps by one more option, and room to merge both, with
 * sentinels at the end. */
typedef struct {
    rb_step steps[3][RB_BEAM + 1];
    rb_step *best, *own, *room;
    int64_t options[2][RB_BEAM];
    int64_t *best_options, *options_room;
    int n;
} rb_steps;

/* Is a step by a later option better than another? Large ones compare as numbers of 128 bits. */
RB_INLINE int rb_is_better(rb_step a, rb_step b, int is_small) {
    return is_small ? a.rank < b.rank : a.rank < b.rank + (a.tie < b.tie);
}

/* Merge n steps by one more option into the best 40. */
RB_INLINE void rb_merge_steps(rb_steps *s, int n, int64_t option, int is_small) {
    const rb_step *best = s->best, *own = s->own;
    const int64_t *best_option = s->best_options;
    int64_t *const options = s->options_room;
    rb_step *const merged = s->room;
    const int n_merged = s->n + n < RB_BEAM ? s->n + n : RB_BEAM;
    int i;
    for (i = 0; i < n_merged; i++) { /* without a branch, because it would be unpredictable */
        const int is_own = rb_is_better(*own, *best, is_small);
        merged[i] = *(is_own ? own : best);
        options[i] = is_own ? option : *best_option;
        own += is_own;
        best += !is_own;
        best_option += !is_own;
    }
    merged[n_merged].rank = RB_NO_STEP;
    s->n = n_merged;
    s->room = s->best;
    s->best = merged;
    s->options_room = s->best_options;
    s->best_options = options;
}

static inline uint64_t rb_distance_of(const rb_match *match) {
    const int64_t distance = (int64_t)match->ref_start - match->hyp_start;
    return (uint64_t)(distance < 0 ? -distance : distance) << RB_PATH_BITS;
}

static inline uint64_t rb_credit_of(const rb_candidates *c, const rb_match *match) {
    if (c->modules[match->module] == RB_EXACT) return (uint64_t)match->hyp_len + match->ref_len;
    return (uint64_t)(match->hyp_len / 2) + match->ref_len / 2;
}

/* What is added to the rank of a path if a match closes its open chunk; without a branch. */
static inline uint64_t rb_closed_chunk(const rb_path *path, const rb_match *match,
                                       uint64_t one_chunk) {
    const int closes = (path->hyp_end != RB_NO_CHUNK) & (path->hyp_end != match->hyp_start);
    return (0 - (uint64_t)closes) & one_chunk;
}

static inline void rb_path_go(rb_path *path, const rb_match *match) {
    path->hyp_end = match->hyp_start + match->hyp_len;
    path->next_word += match->ref_len;
}

/* Bits of the hypothesis words of a match in a small text; hyp_len may be 0. */
static inline uint64_t rb_words_of(const rb_match *match) {
    const uint64_t longest = match->hyp_len < 64 ? (UINT64_C(1) << match->hyp_len) - 1 : UINT64_MAX;
    return longest << (match->hyp_start & 63);
}

RB_INLINE int rb_is_used(const uint64_t *used, const rb_match *match, int is_small) {
    int32_t i;
    if (is_small) return (*used & rb_words_of(match)) != 0;
    for (i = match->hyp_start; i < match->hyp_start + match->hyp_len; i++)
        if (used[i >> 6] >> (i & 63) & 1) return 1;
    return 0;
}

RB_INLINE void rb_use(uint64_t *used, const rb_match *match, int is_small) {
    int32_t i;
    if (is_small)
        *used |= rb_words_of(match);
    else
        for (i = match->hyp_start; i < match->hyp_start + match->hyp_len; i++)
            used[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Write the step of path i with a rank and the distances that it passed. */
RB_INLINE void rb_make_step(rb_step *step, const rb_path *path, uint64_t rank, uint64_t passed,
                            int i, int is_small) {
    const uint64_t tie = passed | (uint64_t)i;
    step->rank = is_small ? rank + tie : rank;
    step->tie = is_small ? 0 : path->tie + tie;
}

/* Sort n steps by one more option, drop hopeless ones, and merge the rest. */
RB_INLINE void rb_add_steps(rb_steps *s, int n, int64_t option, int is_small) {
    const rb_step worst = s->best[s->n < RB_BEAM ? s->n : RB_BEAM - 1]; /* may be a sentinel */
    rb_step *const own = s->own, *end = own;
    int n_sorted, i;
    for (i = 0; i < n; i++) {
        const rb_step step = own[i];
        rb_step *place = end;
        if (!rb_is_better(step, worst, is_small)) continue;
        for (; place > own && rb_is_better(step, place[-1], is_small); place--) *place = place[-1];
        *place = step;
        end++;
    }
    end->rank = RB_NO_STEP;
    n_sorted = (int)(end - own);
    if (s->n > 0) {
        if (n_sorted > 0) rb_merge_steps(s, n_sorted, option, is_small);
        return;
    }
    for (i = 0; i < n_sorted; i++) s->best_options[i] = option;
    s->own = s->best;
    s->best = own;
    s->n = n_sorted;
}

/* Add the steps by a candidate for the paths that may take it. `passed` sums the distances of the
 * earlier candidates that each path could have taken. */
RB_INLINE void rb_add_taking(rb_steps *s, const rb_candidates *c, const rb_beam *beam, int32_t word,
                             const rb_match *match, int64_t option, uint64_t *passed,
                             int is_small) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    const uint64_t distance = rb_distance_of(match), one_chunk = c->one_chunk;
    const uint64_t credit = rb_credit_of(c, match) * c->one_credit;
    int n = 0, i;
    for (i = 0; i < beam->n; i++) {
        const rb_path *path = &beam->paths[i];
        const int can = (path->next_word == word)
                      & !rb_is_used(is_small ? &path->used : beam->used + i * n_words, match,
                                    is_small);
        const uint64_t rank = path->rank - credit + rb_closed_chunk(path, match, one_chunk);
        rb_make_step(&s->own[n], path, rank, passed[i], i, is_small);
        passed[i] += can ? distance : 0;
        n += can; /* without a branch */
    }
    rb_add_steps(s, n, option, is_small);
}

/* Add the steps of all paths without a candidate: a definite match, or none. All paths contain the
 * definite matches, so their credit and distance need not be counted. */
RB_INLINE void rb_add_passing(rb_steps *s, const rb_candidates *c, const rb_beam *beam,
                              int32_t word, const rb_match *match, int64_t option,
                              const uint64_t *passed, int is_small) {
    const uint64_t one_chunk = c->one_chunk;
    int i;
    if (s->n == RB_BEAM && s->best[RB_BEAM - 1].rank < beam->paths[0].rank) return; /* none fits */
    for (i = 0; i < beam->n; i++) {
        const rb_path *path = &beam->paths[i];
        const uint64_t chunk = path->next_word == word ? rb_closed_chunk(path, match, one_chunk) : 0;
        rb_make_step(&s->own[i], path, path->rank + chunk, passed[i], i, is_small);
    }
    rb_add_steps(s, beam->n, option, is_small);
}

static inline int64_t rb_search_words(int64_t n, int64_t m) {
    const int64_t choices = m * RB_BEAM * (int64_t)sizeof(rb_choice);
    return (2 * (int64_t)sizeof(rb_beam) + choices) / 8 + 2 * RB_BEAM * ((n + 63) / 64);
}

/* Continue all paths at a word by one of n candidates or, last in the list, without one; `choices`
 * receives the choices of the new paths. */
RB_INLINE void rb_beam_continue(const rb_candidates *c, const rb_match *list, int64_t n,
                                int32_t word, const rb_beam *old, rb_beam *beam,
                                rb_choice *choices, int64_t first_choice, int is_small) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    uint64_t passed[RB_BEAM] = {0};
    int64_t option;
    rb_steps steps;
    int i;
    steps.n = 0;
    steps.best = steps.steps[0];
    steps.own = steps.steps[1];
    steps.room = steps.steps[2];
    steps.best[0].rank = RB_NO_STEP;
    steps.best[0].tie = 0;
    steps.best_options = steps.options[0];
    steps.options_room = steps.options[1];
    for (option = 0; option < n; option++)
        rb_add_taking(&steps, c, old, word, &list[option], option, passed, is_small);
    rb_add_passing(&steps, c, old, word, &list[n], n, passed, is_small);
    beam->n = steps.n;
    for (i = 0; i < steps.n; i++) {
        const rb_step step = steps.best[i];
        const int64_t from = (int64_t)((is_small ? step.rank : step.tie) & RB_PATHS);
        const rb_match *match = &list[steps.best_options[i]];
        rb_path *path = &beam->paths[i];
        uint64_t *used = is_small ? &path->used : beam->used + i * n_words;
        *path = old->paths[from];
        path->rank = is_small ? step.rank & ~RB_PATHS : step.rank;
        path->tie = step.tie & ~RB_PATHS;
        if (!is_small) memcpy(used, old->used + from * n_words, (size_t)n_words * sizeof *used);
        if (path->next_word == word) rb_path_go(path, match);
        if (steps.best_options[i] == n) continue;
        rb_use(used, match, is_small);
        choices[i].match = *match;
        choices[i].before = path->choice;
        path->choice = first_choice + i;
    }
}

/* Continue all paths of a small text at a word without candidates, in place. */
static inline void rb_pass_small(const rb_candidates *c, const rb_match *match, int32_t word,
                                 rb_beam *beam) {
    const uint64_t one_chunk = c->one_chunk;
    int i;
    for (i = 0; i < beam->n; i++) {
        rb_path path = beam->paths[i], *place = &beam->paths[i];
        if (path.next_word == word) {
            path.rank += rb_closed_chunk(&path, match, one_chunk);
            rb_path_go(&path, match);
        }
        for (; place > beam->paths && path.rank < place[-1].rank; place--) *place = place[-1];
        *place = path;
    }
}

static inline int rb_n_bits(uint64_t x) { return x == 0 ? 0 : rb_ctz(rb_highest_bit(x)) + 1; }

/* Choose the bits of ranks: is the text small? */
static inline int rb_choose_bits(rb_candidates *c) {
    const int distances = RB_PATH_BITS + rb_n_bits((uint64_t)c->distances);
    const int credits = distances + rb_n_bits((uint64_t)c->ref.n);
    const int is_small = c->hyp.n <= 64 && credits + rb_n_bits((uint64_t)(c->hyp.n + c->ref.n)) < 64;
    c->one_chunk = is_small ? UINT64_C(1) << distances : 1;
    c->one_credit = UINT64_C(1) << (is_small ? credits : 32);
    return is_small;
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
static inline const rb_path *rb_best_path(const rb_candidates *c, rb_beam *beam) {
    const rb_path *best = beam->paths;
    int i;
    for (i = 0; i < beam->n; i++) {
        rb_path *path = &beam->paths[i];
        path->rank += path->hyp_end == RB_NO_CHUNK ? 0 : c->one_chunk;
        if (path->rank < best->rank
            || (path->rank == best->rank && path->tie < best->tie))
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
    rb_beam *beam = (rb_beam *)memory, *other = beam + 1, *swap;
    uint64_t *used = (uint64_t *)(beam + 2);
    rb_choice *choices = (rb_choice *)(used + 2 * RB_BEAM * n_words);
    rb_path common = {0, 0, 0, -1, 0, RB_NO_CHUNK}; /* of an even beam, except for its rank */
    int64_t first_choice = 0, choice, n;
    int32_t word;
    int i, is_even = 1, is_small;
    if (rb_find_definite(c, places, s) < 0) return -1;
    is_small = rb_choose_bits(c);
    common.rank = (uint64_t)(c->hyp.n + c->ref.n) * c->one_credit; /* all is missing */
    beam->used = used;
    other->used = used + RB_BEAM * n_words;
    memset(used, 0, (size_t)n_words * sizeof *used);
    memcpy(matches, c->definite, (size_t)c->ref.n * sizeof *matches);
    for (word = 0; word < c->ref.n; word++) rb_use(used, &matches[word], is_small);
    beam->n = 1;
    common.used = used[0];
    beam->paths[0] = common;
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
        if (n == 0 && is_small) {
            rb_pass_small(c, list, word, beam);
        } else {
            rb_choice *const own = choices + first_choice;
            if (is_small)
                rb_beam_continue(c, list, n, word, beam, other, own, first_choice, 1);
            else
                rb_beam_continue(c, list, n, word, beam, other, own, first_choice, 0);
            if (n > 0) first_choice += RB_BEAM;
            swap = beam;
            beam = other;
            other = swap;
        }
        is_even = rb_is_even(beam);
        common = beam->paths[0];
        if (rb_scratch_worked(s, beam->n * (n_words + n + 8)) < 0) return -1;
    }
    choice = is_even ? beam->paths[0].choice : rb_best_path(c, beam)->choice;
    for (; choice >= 0; choice = choices[choice].before)
        matches[choices[choice].match.ref_start] = choices[choice].match;
    return 0;
}

#endif
