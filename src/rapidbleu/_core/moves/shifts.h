/* Edits of a hypothesis when blocks of its tokens may move at the cost of one edit each.
 *
 * The idea: the best sequence of moves is hard to find, so Snover et al. (2006) take the best move
 * again and again while it lowers the edit distance.  What may move, and where to, follows tercom as
 * sacrebleu has it:
 *
 * - a block is up to 10 tokens that the reference has too, at most 50 positions away;
 * - something in it must be edited now, and something in the reference's block as well;
 * - the reference's block must not be aligned into the block itself;
 * - it goes behind the token aligned to the one before the reference's block, or to one in it.
 *
 * The move that lowers the distance most wins; of equal ones the longest block, then the first block,
 * then the first target.  After 1,000 candidates in all the search ends, without the move of the
 * round in which that happens.
 *
 * Cost: a candidate takes the rows of the tokens that it moves across, a few hundred cells.  A round
 * whose distance is as small as any order of these tokens allows is the last, and searches nothing.
 * Memory is that of the edit distance and one copy of the hypothesis. */
#ifndef RAPIDBLEU_MOVES_SHIFTS_H
#define RAPIDBLEU_MOVES_SHIFTS_H

#include "moves/beam_distance.h"
#include <string.h>

enum {
    RB_MOVE_MAX_LENGTH = 10,
    RB_MOVE_MAX_WAY = 50,
    RB_MOVE_MAX_CANDIDATES = 1000
};

typedef struct {
    int64_t distance; /* of the hypothesis after it */
    int64_t length;   /* of the block; 0: no move at all */
    int64_t start;
    int64_t target;
} rb_move;

typedef struct {
    rb_beam *beam;
    int32_t *spare; /* [n_hyp] tokens of the stretch that a move changes */
    rb_move best;
    int64_t n_candidates;
} rb_move_search;

/* Write what a move makes of the tokens [begin, end) to `spare`; no others change.
 *
 * A target within the block, or just behind it, is as many tokens further on from the start. */
static inline void rb_move_apply(const rb_move_search *s, const rb_move *m, int64_t *begin,
                                 int64_t *end) {
    const int32_t *hyp = s->beam->hyp;
    const int64_t behind = m->start + m->length;
    int64_t n_passed;
    if (m->target < m->start) {
        *begin = m->target;
        *end = behind;
        n_passed = m->start - m->target;
        memcpy(s->spare, hyp + m->start, (size_t)m->length * sizeof(int32_t));
        memcpy(s->spare + m->length, hyp + m->target, (size_t)n_passed * sizeof(int32_t));
        return;
    }
    *begin = m->start;
    *end = m->target > behind ? m->target : m->target + m->length;
    if (*end > s->beam->n_hyp) *end = s->beam->n_hyp;
    n_passed = *end - behind;
    memcpy(s->spare, hyp + behind, (size_t)n_passed * sizeof(int32_t));
    memcpy(s->spare + n_passed, hyp + m->start, (size_t)m->length * sizeof(int32_t));
}

static inline int rb_move_is_better(const rb_move *a, const rb_move *b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    if (b->length == 0) return 0;
    if (a->length != b->length) return a->length > b->length;
    if (a->start != b->start) return a->start < b->start;
    return a->target < b->target;
}

/* Keep the move if it is the best so far.  0 or -1. */
static inline int rb_move_try(rb_move_search *s, int64_t start, int64_t length, int64_t target) {
    rb_move candidate;
    int64_t begin, end;
    if (target == start) return 0;
    candidate.length = length;
    candidate.start = start;
    candidate.target = target;
    rb_move_apply(s, &candidate, &begin, &end);
    candidate.distance = rb_beam_replaced(s->beam, s->spare, begin, end);
    if (candidate.distance < 0) return -1;
    if (rb_move_is_better(&candidate, &s->best)) s->best = candidate;
    return 0;
}

/* Try to move a block to each place where the reference might want it.  0 or -1. */
static inline int rb_move_try_targets(rb_move_search *s, int64_t start, int64_t ref,
                                      int64_t length) {
    int64_t k, last = -1;
    for (k = ref - 1; k < ref + length; k++) {
        const int64_t target = k < 0 ? 0 : (int64_t)s->beam->align[k] + 1;
        if (target != last) {
            if (rb_move_try(s, start, length, target) < 0) return -1;
            s->n_candidates += 1;
        }
        last = target;
    }
    return 0;
}

/* Is a block, which is at `ref` in the reference, in the wrong place? */
static inline int rb_move_allowed(const rb_beam *b, int64_t start, int64_t ref, int64_t length) {
    return b->hyp_errors[start + length] != b->hyp_errors[start]
        && b->ref_errors[ref + length] != b->ref_errors[ref]
        && !(start <= b->align[ref] && b->align[ref] < start + length);
}

/* Find the best move among all blocks that hypothesis and reference share.  0 or -1. */
static inline int rb_move_find(rb_move_search *s) {
    rb_beam *b = s->beam;
    const int64_t n_before = s->n_candidates;
    int64_t start, ref, ref_end, length;
    if (rb_beam_align(b) < 0) return -1;
    for (start = 0; start < b->n_hyp; start++) {
        ref = start > RB_MOVE_MAX_WAY ? start - RB_MOVE_MAX_WAY : 0;
        ref_end = start + RB_MOVE_MAX_WAY < b->n_ref ? start + RB_MOVE_MAX_WAY + 1 : b->n_ref;
        if (b->hyp[start] == 0 || ref >= ref_end) continue;
        if (rb_beam_worked(b, 4 * (ref_end - ref)) < 0) return -1;
        for (; ref < ref_end; ref++) {
            for (length = 1; length <= RB_MOVE_MAX_LENGTH && start + length <= b->n_hyp
                             && ref + length <= b->n_ref
                             && b->hyp[start + length - 1] == b->ref[ref + length - 1];
                 length++) {
                if (!rb_move_allowed(b, start, ref, length)) continue;
                if (s->n_candidates == n_before && rb_beam_backward(b) < 0) return -1;
                if (rb_move_try_targets(s, start, ref, length) < 0) return -1;
                if (s->n_candidates >= RB_MOVE_MAX_CANDIDATES) return 0;
            }
        }
    }
    return 0;
}

/* Make moves as long as one lowers the distance: how many, or -1.
 *
 * The hypothesis is changed, and `distance` becomes its distance then; the forward table is filled.
 * `spare` has room for the hypothesis; no order of its tokens has a distance below `least`.  `moves`
 * is NULL or has room for RB_MOVE_MAX_CANDIDATES; the target becomes where the block is after it. */
RB_INLINE int64_t rb_move_blocks(rb_beam *beam, int32_t *spare, int64_t least, int64_t *distance,
                                 rb_move *moves) {
    const rb_move none = {0, 0, 0, 0};
    rb_move_search s;
    int64_t n_moves, begin, end;
    s.beam = beam;
    s.spare = spare;
    s.n_candidates = 0;
    for (n_moves = 0;; n_moves++) {
        *distance = rb_beam_forward(beam);
        if (*distance < 0) return -1;
        if (*distance <= least) break;
        s.best = none;
        s.best.distance = *distance;
        if (rb_move_find(&s) < 0) return -1;
        if (s.best.length == 0 || s.n_candidates >= RB_MOVE_MAX_CANDIDATES) break;
        rb_move_apply(&s, &s.best, &begin, &end);
        memcpy(beam->hyp + begin, spare, (size_t)(end - begin) * sizeof(int32_t));
        if (moves != NULL) {
            moves[n_moves] = s.best;
            moves[n_moves].target = s.best.target < s.best.start ? begin : end - s.best.length;
        }
    }
    return n_moves;
}

/* Edits and moves that make the hypothesis, which is changed, the reference; or -1. */
static inline int64_t rb_shifted_distance(rb_beam *beam, int32_t *spare, int64_t least) {
    int64_t distance;
    const int64_t n_moves = rb_move_blocks(beam, spare, least, &distance, NULL);
    return n_moves < 0 ? -1 : n_moves + distance;
}

/* The same step by step: the moves, of which there is room for RB_MOVE_MAX_CANDIDATES, and before
 * `end` the steps of rb_beam_walk; how many steps, or -1. */
static inline int64_t rb_shifted_steps(rb_beam *beam, int32_t *spare, int64_t least, rb_move *moves,
                                       int64_t *n_moves, char *end) {
    int64_t distance;
    *n_moves = rb_move_blocks(beam, spare, least, &distance, moves);
    return *n_moves < 0 ? -1 : rb_beam_walk(beam, end);
}

#endif
