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
 * A path is a few integers, a bit for each word of the hypothesis, and the last of its choices, which
 * names the one before it.  Where there is nothing to choose, paths change in place and are sorted
 * again by insertion, as they nearly are.  At a choice a new path is written only if it is among the
 * best 40 so far.  Credit and chunks share one integer, so that a comparison is one of two numbers.
 *
 * Time is about 40 paths times the words of the reference; memory is linear in both lengths. */
#ifndef RAPIDBLEU_ALIGNMENT_BEAM_H
#define RAPIDBLEU_ALIGNMENT_BEAM_H

#include "alignment/candidates.h"

#define RB_BEAM 40
#define RB_NO_CHUNK (-1)

typedef struct {
    uint64_t rank;    /* the less the better: credit missing, then complete chunks */
    int64_t distance; /* then this */
    int64_t choice;   /* the last one, or -1 */
    int32_t next_word, hyp_end; /* next to decide; end of the open chunk, or RB_NO_CHUNK */
} rb_path;

typedef struct {
    rb_match match;
    int64_t before; /* the choice before it, or -1 */
} rb_choice;

/* The best paths, by rank. */
typedef struct {
    rb_path paths[RB_BEAM];
    uint8_t order[RB_BEAM]; /* places of paths, the best first */
    int n;
    uint64_t *used; /* [RB_BEAM, n_words] words of the hypothesis */
} rb_beam;

#define RB_NO_CREDIT ((uint64_t)UINT32_MAX << 32)
#define RB_ONE_CREDIT (UINT64_C(1) << 32)
#define RB_ONE_CHUNK UINT64_C(1)

static inline int rb_is_better(const rb_path *a, const rb_path *b) {
    return a->rank < b->rank || (a->rank == b->rank && a->distance < b->distance);
}

/* Put the paths in order again, equal ones as they were. */
static inline void rb_beam_sort(rb_beam *beam) {
    int i, k;
    for (i = 1; i < beam->n; i++) {
        const uint8_t own = beam->order[i];
        for (k = i; k > 0 && rb_is_better(&beam->paths[own], &beam->paths[beam->order[k - 1]]); k--)
            beam->order[k] = beam->order[k - 1];
        beam->order[k] = own;
    }
}

/* Put a path behind all that are as good; its place, or -1 if 40 are. */
static inline int rb_beam_insert(rb_beam *beam, const rb_path *path) {
    int place = beam->n, low = 0, high = beam->n;
    if (beam->n == RB_BEAM) {
        place = beam->order[--high];
        if (!rb_is_better(path, &beam->paths[place])) return -1;
    } else
        beam->n++;
    while (low < high) { /* those before `low` are as good, those from `high` on are not */
        const int middle = (low + high) / 2;
        if (rb_is_better(path, &beam->paths[beam->order[middle]]))
            high = middle;
        else
            low = middle + 1;
    }
    memmove(beam->order + low + 1, beam->order + low, (size_t)(beam->n - 1 - low));
    beam->order[low] = (uint8_t)place;
    beam->paths[place] = *path;
    return place;
}

static inline int64_t rb_distance_of(const rb_match *match) {
    const int64_t distance = (int64_t)match->ref_start - match->hyp_start;
    return distance < 0 ? -distance : distance;
}

static inline void rb_path_take(rb_path *path, const rb_match *match, int is_exact) {
    const int64_t words = is_exact ? (int64_t)match->hyp_len + match->ref_len
                                   : (int64_t)(match->hyp_len / 2) + match->ref_len / 2;
    path->rank -= (uint64_t)words * RB_ONE_CREDIT;
    if (path->hyp_end != RB_NO_CHUNK && path->hyp_end != match->hyp_start)
        path->rank += RB_ONE_CHUNK;
    path->hyp_end = match->hyp_start + match->hyp_len;
    path->next_word = match->ref_start + match->ref_len;
}

static inline void rb_path_close(rb_path *path) {
    if (path->hyp_end != RB_NO_CHUNK) path->rank += RB_ONE_CHUNK;
    path->hyp_end = RB_NO_CHUNK;
}

static inline void rb_path_skip(rb_path *path) {
    rb_path_close(path);
    path->next_word++;
}

static inline int rb_is_used(const uint64_t *used, int32_t begin, int32_t n) {
    int32_t i;
    for (i = begin; i < begin + n; i++)
        if (used[i >> 6] >> (i & 63) & 1) return 1;
    return 0;
}

static inline void rb_use(uint64_t *used, int32_t begin, int32_t n) {
    int32_t i;
    for (i = begin; i < begin + n; i++) used[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Words of memory for a search. */
static inline int64_t rb_search_words(int64_t n, int64_t m) {
    const int64_t choices = m * RB_BEAM * (int64_t)sizeof(rb_choice);
    return (2 * (int64_t)sizeof(rb_beam) + choices) / 8 + 2 * RB_BEAM * ((n + 63) / 64);
}

/* Continue all paths at a word where some may choose; new choices begin at `first_choice`. */
static inline void rb_beam_choose(const rb_candidates *c, const rb_match *list, int64_t n_list,
                                  int32_t word, const rb_beam *old, rb_beam *beam,
                                  rb_choice *choices, int64_t first_choice) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    const size_t n_bytes = (size_t)n_words * sizeof(uint64_t);
    int64_t k;
    int i, place;
    beam->n = 0;
    for (i = 0; i < old->n; i++) {
        const int from = old->order[i];
        const rb_path *path = &old->paths[from];
        const uint64_t *used = old->used + from * n_words;
        int64_t distance = 0;
        rb_path next = *path;
        for (k = 0; path->next_word == word && k < n_list; k++) {
            const rb_match *match = &list[k];
            if (rb_is_used(used, match->hyp_start, match->hyp_len)) continue;
            next = *path;
            next.distance += distance;
            rb_path_take(&next, match, c->modules[match->module] == RB_EXACT);
            distance += rb_distance_of(match);
            place = rb_beam_insert(beam, &next);
            if (place < 0) continue;
            beam->paths[place].choice = first_choice + place;
            choices[first_choice + place].match = *match;
            choices[first_choice + place].before = path->choice;
            memcpy(beam->used + place * n_words, used, n_bytes);
            rb_use(beam->used + place * n_words, match->hyp_start, match->hyp_len);
        }
        next = *path;
        next.distance += distance;
        if (next.next_word == word) rb_path_skip(&next);
        place = rb_beam_insert(beam, &next);
        if (place >= 0) memcpy(beam->used + place * n_words, used, n_bytes);
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

/* Align: `matches` gets the match that starts at each word of the reference; hyp_len 0: none.
 *
 * `memory` has rb_search_words, `list` and `places` have room for what a word has. */
static inline int rb_align(rb_candidates *c, uint64_t *memory, rb_match *list, int32_t *places,
                           rb_match *matches, rb_scratch *s) {
    const int64_t n_words = (c->hyp.n + 63) / 64;
    rb_beam *beam = (rb_beam *)memory, *other = beam + 1, *swap;
    uint64_t *used = (uint64_t *)(beam + 2);
    rb_choice *choices = (rb_choice *)(used + 2 * RB_BEAM * n_words);
    int64_t n_list, first_choice = 0, choice;
    int32_t word;
    int i, best;
    if (rb_find_definite(c, places, s) < 0) return -1;
    beam->used = used;
    other->used = used + RB_BEAM * n_words;
    memset(used, 0, (size_t)n_words * sizeof *used);
    memcpy(matches, c->definite, (size_t)c->ref.n * sizeof *matches);
    for (word = 0; word < c->ref.n; word++)
        rb_use(used, matches[word].hyp_start, matches[word].hyp_len);
    beam->n = 1;
    beam->order[0] = 0;
    beam->paths[0].rank = RB_NO_CREDIT;
    beam->paths[0].distance = 0;
    beam->paths[0].choice = -1;
    beam->paths[0].next_word = 0;
    beam->paths[0].hyp_end = RB_NO_CHUNK;
    for (word = 0; word < c->ref.n; word++) {
        const rb_match *definite = &c->definite[word];
        n_list = 0;
        if (c->ref_cover[word] > 0 && !c->ref_is_definite[word])
            n_list = rb_drop_definite(c, list, rb_list_candidates(c, word, places, list));
        if (n_list > 0) {
            rb_beam_choose(c, list, n_list, word, beam, other, choices, first_choice);
            first_choice += RB_BEAM;
            swap = beam;
            beam = other;
            other = swap;
        } else {
            for (i = 0; i < beam->n; i++) {
                rb_path *path = &beam->paths[i];
                if (path->next_word > word) continue;
                if (definite->hyp_len > 0) {
                    path->distance += rb_distance_of(definite);
                    rb_path_take(path, definite, c->modules[definite->module] == RB_EXACT);
                } else
                    rb_path_skip(path);
            }
            rb_beam_sort(beam);
        }
        if (rb_scratch_worked(s, beam->n * (n_words + n_list + 8)) < 0) return -1;
    }
    for (i = 0; i < beam->n; i++) rb_path_close(&beam->paths[i]);
    rb_beam_sort(beam);
    best = beam->order[0];
    for (choice = beam->paths[best].choice; choice >= 0; choice = choices[choice].before)
        matches[choices[choice].match.ref_start] = choices[choice].match;
    return 0;
}

#endif
