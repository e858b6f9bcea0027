/* Moves of words that CharacTER makes (Wang et al. 2016).
 *
 * A move takes a run of words that hypothesis and reference have in common to the place where the
 * reference has it.  From each pair of equal words in different places the run goes as far as it can.
 * The move that leaves the fewest edits of words is made, of equals the one whose words come last in
 * the order of code points, and so on while edits get fewer.
 *
 * Distances are those of Levenshtein, bit-parallel (distance_rows.h), one of words for each move that
 * is tried.  Bounds save most of them.  No order of the words needs fewer edits than there are words
 * without a partner: then the search ends.  A move of k words across l others gains at most twice the
 * lesser of both.  In longer texts, distances of their parts (part_distances.h) bound what a move can
 * save, once a round; and where it can save no more than the best so far, it is tried only if its
 * words come later.
 *
 * Memory is linear, and that of the tables of parts, which stay at 16 MB or less.  Time, in
 * each round, is one pass over two rows of the tables for each pair of equal words, and a distance of
 * words for each that the bounds do not rule out.  So texts with few different words still take more
 * than quadratic time, as the number of pairs is quadratic by itself. */
#ifndef RAPIDBLEU_EDITS_WORD_MOVES_H
#define RAPIDBLEU_EDITS_WORD_MOVES_H

#include "edits/distance_rows.h"
#include "edits/part_distances.h"
#include "ngrams/hash_tables.h"
#include "text/spelling.h"

typedef struct {
    int64_t n, m;
    int32_t *hyp;        /* [n] numbers of the words, in the order after the moves so far */
    int32_t *before;     /* [n] and before them */
    int32_t *ref;        /* [m] 0: a word that the hypothesis has not */
    int32_t *moved;      /* [n] the hypothesis after the move that is tried */
    int32_t *best;       /* [n] and after the best */
    int32_t *first;      /* [n + 1] by number: its first place in a text */
    int32_t *next;       /* [max(n, m)] the next place of the same word; -1: none */
    int32_t *word;       /* [n + 1] by number: a place where `before` has it */
    rb_spelling hyp_words, ref_words;
    int32_t *a, *b;      /* numbers of the characters of both texts */
    uint32_t *slots;     /* [n_slots] of the characters' hash table: code point + 1 */
    int32_t *numbers;    /* [n_slots] */
    int64_t n_slots;     /* a power of two */
    rb_distance_rows rows;
    rb_part_distances parts; /* of `hyp` and `ref`; without rows: there are none */
    rb_scratch *scratch;
} rb_character_ter;

/* Number the words of both texts, and link the places of the reference. */
static inline int rb_character_words(rb_character_ter *c, const rb_tokens *hyps, int64_t hyp,
                                     const rb_tokens *refs, int64_t ref) {
    int64_t i;
    if (rb_token_table_clear(&c->scratch->tokens, hyps, c->n) < 0
        || rb_token_numbers(&c->scratch->tokens, hyps, hyp, 1, c->hyp) < 0
        || rb_token_numbers(&c->scratch->tokens, refs, ref, 0, c->ref) < 0)
        return -1;
    memcpy(c->before, c->hyp, (size_t)c->n * sizeof *c->hyp);
    memset(c->first, 0xff, (size_t)(c->n + 1) * sizeof *c->first);
    for (i = c->m - 1; i >= 0; i--) {
        c->next[i] = c->first[c->ref[i]];
        c->first[c->ref[i]] = (int32_t)i;
    }
    for (i = 0; i < c->n; i++) c->word[c->hyp[i]] = (int32_t)i;
    return 0;
}

/* Edits of words that every order of the hypothesis needs. */
static inline int64_t rb_least_edits(const rb_character_ter *c) {
    uint64_t *counts = c->rows.of_number;
    int64_t common = 0, i;
    for (i = 0; i < c->m; i++) counts[c->ref[i]]++;
    counts[0] = 0;
    for (i = 0; i < c->n; i++)
        if (counts[c->hyp[i]] > 0) {
            counts[c->hyp[i]]--;
            common++;
        }
    for (i = 0; i < c->m; i++) counts[c->ref[i]] = 0;
    return (c->n > c->m ? c->n : c->m) - common;
}

/* Do the words `a` come behind the words `b`, which are as many? */
static inline int rb_words_behind(const rb_character_ter *c, const int32_t *a, const int32_t *b) {
    const rb_spelling *s = &c->hyp_words;
    int64_t i = 0, k, one, other, n_one, n_other;
    while (i < c->n && a[i] == b[i]) i++;
    if (i == c->n) return 0;
    one = s->begin[c->word[a[i]]];
    other = s->begin[c->word[b[i]]];
    n_one = s->begin[c->word[a[i]] + 1] - one;
    n_other = s->begin[c->word[b[i]] + 1] - other;
    for (k = 0; k < n_one && k < n_other; k++)
        if (s->chars[one + k] != s->chars[other + k])
            return s->chars[one + k] > s->chars[other + k];
    return n_one > n_other;
}

/* The hypothesis with a run of words taken out and put in again at a place. */
static inline void rb_move_run(const rb_character_ter *c, int64_t start, int64_t length,
                               int64_t place) {
    const size_t size = sizeof *c->hyp;
    const int64_t behind = c->n - start - length;
    if (place <= start) {
        memcpy(c->moved, c->hyp, (size_t)place * size);
        memcpy(c->moved + place + length, c->hyp + place, (size_t)(start - place) * size);
        memcpy(c->moved + start + length, c->hyp + start + length, (size_t)behind * size);
    } else {
        memcpy(c->moved, c->hyp, (size_t)start * size);
        memcpy(c->moved + start, c->hyp + start + length, (size_t)(place - start) * size);
        memcpy(c->moved + place + length, c->hyp + place + length,
               (size_t)(c->n - place - length) * size);
    }
    memcpy(c->moved + place, c->hyp + start, (size_t)length * size);
}

/* A move that saves edits. */
typedef struct {
    int64_t start, length, place;
} rb_run_move;

/* Can a move save so many edits?  No more than twice the words that change places. */
static inline int rb_may_differ(const rb_run_move *move, int64_t wanted) {
    const int64_t across = move->place > move->start ? move->place - move->start
                                                     : move->start - move->place;
    return 2 * (across < move->length ? across : move->length) >= wanted;
}

/* Can a move save so many of these edits?  Taking the words out saves at most their number more than
 * the move, putting them in likewise, and all between both places may be right then. */
static inline int rb_may_save(const rb_character_ter *c, int64_t edits, int64_t wanted,
                              const rb_run_move *move) {
    const int64_t start = move->start, length = move->length, place = move->place;
    const int64_t into = place < start ? place : place + length;
    const int64_t first = place < start ? place : start;
    const int64_t end = place < start ? start + length : place + length;
    const rb_part_distances *p = &c->parts;
    return p->width == 0
        || (edits - rb_part_bound(p, start, start + length, 0) + length >= wanted
            && edits - rb_part_bound(p, into, into, length) + length >= wanted
            && edits - rb_part_bound(p, first, end, end - first) >= wanted);
}

/* Make a move if it saves more of these edits than the best so far, or as many and has the later
 * words.  0 or -1. */
static inline int rb_try_move(rb_character_ter *c, int64_t edits, const rb_run_move *move,
                              int64_t *gain) {
    int32_t *moved = c->moved;
    int64_t found, wanted = *gain > 0 ? *gain : 1;
    if (!rb_may_differ(move, wanted)) return 0;
    rb_move_run(c, move->start, move->length, move->place);
    wanted += *gain > 0 && !rb_words_behind(c, moved, c->best);
    if (!rb_may_save(c, edits, wanted, move)) return 0;
    found = rb_distance(&c->rows, moved, c->n, c->ref, c->m, NULL, c->scratch);
    if (found < 0) return -1;
    if (edits - found < wanted) return 0;
    *gain = edits - found;
    c->moved = c->best;
    c->best = moved;
    return 0;
}

/* Make the best move: how many of these edits of words it saves; or -1. */
static inline int64_t rb_best_move(rb_character_ter *c, int64_t edits) {
    int64_t gain = 0, t;
    rb_run_move move;
    if (c->parts.width > 0
        && rb_part_fill(&c->parts, c->hyp, c->n, c->ref, c->m, c->scratch) < 0)
        return -1;
    for (move.start = 0; move.start < c->n; move.start++) {
        for (t = c->first[c->hyp[move.start]]; t >= 0; t = c->next[t]) {
            if (t == move.start) continue;
            move.length = 1;
            while (move.start + move.length < c->n && t + move.length < c->m
                   && c->hyp[move.start + move.length] == c->ref[t + move.length])
                move.length++;
            move.place = t + move.length < c->n ? t : c->n - move.length;
            if (rb_scratch_worked(c->scratch, move.length + c->parts.width / 8) < 0) return -1;
            if (rb_try_move(c, edits, &move, &gain) < 0) return -1;
        }
    }
    if (gain > 0) memcpy(c->hyp, c->best, (size_t)c->n * sizeof *c->hyp);
    return gain;
}

#endif
