/* Edits of a hypothesis when blocks of its tokens may move at the cost of one edit each. The best
 * sequence of moves is hard to find, so Snover et al. (2006) repeat the best move while it lowers
 * the edit distance. Which blocks may move, and where to, follows tercom as implemented in
 * sacrebleu:
 *
 * - a block is up to 10 tokens that also occur in the reference, at most 50 positions away;
 * - some token of it must be edited now, and some token of the reference's block;
 * - the reference's block must not be aligned into the block itself;
 * - it goes after the token aligned to the one before the reference's block, or to one in it.
 *
 * The move that lowers the distance most wins, among equals the longest block, then the first
 * block, then the first target. After 1,000 candidates in all the search ends without the move of
 * the current round. The distance is the one within a beam (beam_distance.h). For short texts, bits
 * (numbered_pair.h) compute it several times as fast, unless the texts differ so much that the beam
 * may matter. A candidate takes the rows of the tokens that it moves across, a few hundred cells,
 * or a row of bits for each token from the first that moves on. A round whose distance reaches the
 * minimum for any order of the tokens is the last and searches nothing. Memory is linear. */
#ifndef RAPIDBLEU_TER_SHIFTS_H
#define RAPIDBLEU_TER_SHIFTS_H

#include "ter/beam_distance.h"
#include "ter/numbered_pair.h"
#include "metrics/rows.h"

#define RB_NOWHERE INT32_MAX

enum {
    RB_MOVE_MAX_LENGTH = 10,
    RB_MOVE_MAX_WAY = 50,
    RB_MOVE_MAX_CANDIDATES = 1000
};

typedef struct {
    int64_t distance; /* of the hypothesis after it */
    int64_t length;   /* of the block; 0: no move */
    int64_t start;
    int64_t target;
} rb_move;

typedef struct {
    rb_pair pair;
    rb_bits bits;
    rb_beam beam;
    int by_bits;       /* is the distance from bits, not from the beam? */
    rb_beam_row_fn fill; /* computes a row of the beam */
    uint64_t *tables;  /* memory for either */
    int32_t *spare;    /* [n_hyp] tokens of the stretch that a move changes */
    int32_t *first;    /* [n_ref + 1] first position of a number in the reference, */
    int32_t *next;     /* [n_ref] and next position of the same token, or RB_NOWHERE */
    rb_move best;
    int64_t n_candidates;
} rb_shifts;

static inline int64_t rb_shifts_tables(int64_t n_hyp, int64_t n_ref) {
    const int64_t beam = rb_beam_words(n_hyp, n_ref), bits = rb_bits_words(n_hyp, n_ref);
    return rb_bits_serve(n_hyp, n_ref) && bits > beam ? bits : beam;
}

static inline int64_t rb_shifts_words(int64_t n_hyp, int64_t n_ref) {
    return rb_pair_words(n_hyp, n_ref) + rb_shifts_tables(n_hyp, n_ref) + (n_hyp + 2 * n_ref + 2) / 2;
}

static inline void rb_shifts_init(rb_shifts *s, uint64_t *memory, int64_t n_hyp, int64_t n_ref,
                                  PyObject *stop, int64_t *work, rb_beam_row_fn fill) {
    rb_pair_init(&s->pair, memory, n_hyp, n_ref, stop, work);
    s->tables = memory + rb_pair_words(n_hyp, n_ref);
    s->spare = (int32_t *)(s->tables + rb_shifts_tables(n_hyp, n_ref));
    s->first = s->spare + n_hyp;
    s->next = s->first + n_ref + 1;
    s->fill = fill;
}

/* Fill in a nonempty hypothesis and reference. 0 or -1. In short pairs, comparing all tokens with
 * each other costs a third of a table. */
static inline int rb_shifts_number(rb_shifts *s, rb_scratch *scratch, const rb_tokens *hyps,
                                   int64_t hyp, const rb_tokens *refs, int64_t ref) {
    rb_pair *p = &s->pair;
    uint64_t *masks = s->tables;
    int64_t k;
    if (!rb_bits_serve(p->n_hyp, p->n_ref))
        return rb_number_both(&scratch->tokens, hyps, hyp, p->hyp, refs, ref, p->ref);
    rb_token_masks(scratch->clipping.matcher.masks, hyps, hyp, refs, ref, masks, masks + p->n_hyp);
    for (k = 0; k < p->n_ref; k++) p->ref[k] = (int32_t)(k + 1);
    for (k = 0; k < p->n_hyp; k++) {
        const uint64_t places = masks[k];
        const int32_t number = places ? rb_ctz(places) + 1 : 0;
        uint64_t others;
        for (others = places & (places - 1); others; others &= others - 1)
            p->ref[rb_ctz(others)] = number;
        p->hyp[k] = number;
    }
    return 0;
}

/* Minimum edits for any order of the hypothesis's tokens. */
static inline int64_t rb_shifts_least(rb_shifts *s) {
    const rb_pair *p = &s->pair;
    int32_t *counts = s->first;
    int64_t i, n_common = 0;
    memset(counts, 0, (size_t)(p->n_ref + 1) * sizeof *counts);
    for (i = 0; i < p->n_ref; i++) counts[p->ref[i]]++;
    for (i = 0; i < p->n_hyp; i++) n_common += p->hyp[i] > 0 && counts[p->hyp[i]]-- > 0;
    return (p->n_hyp > p->n_ref ? p->n_hyp : p->n_ref) - n_common;
}

/* Write to `spare` the tokens [begin, end) that a move changes. A target in the block, or just
 * after it, is an offset from its start. */
static inline void rb_move_apply(const rb_shifts *s, const rb_move *m, int64_t *begin,
                                 int64_t *end) {
    const int32_t *hyp = s->pair.hyp;
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
    if (*end > s->pair.n_hyp) *end = s->pair.n_hyp;
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

/* Begin: the distance of the hypothesis as it is, or -1. */
static inline int64_t rb_shifts_open(rb_shifts *s) {
    rb_pair *p = &s->pair;
    s->by_bits = rb_bits_serve(p->n_hyp, p->n_ref);
    if (s->by_bits) {
        int64_t distance;
        rb_bits_init(&s->bits, s->tables, p);
        distance = rb_bits_forward(&s->bits);
        if (distance < 0 || rb_bits_in_beam(&s->bits, distance)) return distance;
        s->by_bits = 0;
    }
    rb_beam_init(&s->beam, s->tables, p, s->fill);
    return rb_beam_forward(&s->beam);
}

static inline int64_t rb_shifts_forward(rb_shifts *s) {
    return s->by_bits ? rb_bits_forward(&s->bits) : rb_beam_forward(&s->beam);
}

/* Align the pair and, unless `end` is NULL, write the steps before it: their number, or -1. */
RB_INLINE int64_t rb_shifts_walk(rb_shifts *s, char *end) {
    return s->by_bits ? rb_bits_walk(&s->bits, end) : rb_beam_walk(&s->beam, end);
}

/* Store a move if it is the best so far. 0 or -1. */
static inline int rb_move_try(rb_shifts *s, int64_t start, int64_t length, int64_t target) {
    rb_move candidate;
    int64_t begin, end;
    if (target == start) return 0;
    candidate.length = length;
    candidate.start = start;
    candidate.target = target;
    rb_move_apply(s, &candidate, &begin, &end);
    candidate.distance = s->by_bits ? rb_bits_replaced(&s->bits, s->spare, begin, end)
                                    : rb_beam_replaced(&s->beam, s->spare, begin, end);
    if (candidate.distance < 0) return -1;
    if (rb_move_is_better(&candidate, &s->best)) s->best = candidate;
    return 0;
}

/* Try to move a block to each position suggested by the reference. 0 or -1. */
static inline int rb_move_try_targets(rb_shifts *s, int64_t start, int64_t ref, int64_t length) {
    int64_t k, last = -1;
    for (k = ref - 1; k < ref + length; k++) {
        const int64_t target = k < 0 ? 0 : (int64_t)s->pair.align[k] + 1;
        if (target != last) {
            if (rb_move_try(s, start, length, target) < 0) return -1;
            s->n_candidates += 1;
        }
        last = target;
    }
    return 0;
}

static inline int rb_move_allowed(const rb_pair *p, int64_t start, int64_t ref, int64_t length) {
    return p->hyp_errors[start + length] != p->hyp_errors[start]
        && p->ref_errors[ref + length] != p->ref_errors[ref]
        && !(start <= p->align[ref] && p->align[ref] < start + length);
}

static inline void rb_shifts_places(rb_shifts *s) {
    const rb_pair *p = &s->pair;
    int64_t k;
    for (k = 0; k <= p->n_ref; k++) s->first[k] = RB_NOWHERE;
    for (k = p->n_ref - 1; k >= 0; k--) {
        s->next[k] = s->first[p->ref[k]];
        s->first[p->ref[k]] = (int32_t)k;
    }
}

/* Find the best move among all blocks common to hypothesis and reference. 0 or -1. */
static inline int rb_move_find(rb_shifts *s) {
    const rb_pair *p = &s->pair;
    const int64_t n_before = s->n_candidates;
    int64_t start, ref, length;
    if (rb_shifts_walk(s, NULL) < 0) return -1;
    rb_shifts_places(s);
    for (start = 0; start < p->n_hyp; start++) {
        int32_t *first = &s->first[p->hyp[start]];
        while (*first < start - RB_MOVE_MAX_WAY) *first = s->next[*first];
        for (ref = *first; ref <= start + RB_MOVE_MAX_WAY; ref = s->next[ref]) {
            for (length = 1; length <= RB_MOVE_MAX_LENGTH && start + length <= p->n_hyp
                             && ref + length <= p->n_ref
                             && p->hyp[start + length - 1] == p->ref[ref + length - 1];
                 length++) {
                if (!rb_move_allowed(p, start, ref, length)) continue;
                if (s->n_candidates == n_before && !s->by_bits && rb_beam_backward(&s->beam) < 0)
                    return -1;
                if (rb_move_try_targets(s, start, ref, length) < 0) return -1;
                if (s->n_candidates >= RB_MOVE_MAX_CANDIDATES) return 0;
            }
        }
        if (rb_pair_worked(p, 4 * RB_MOVE_MAX_WAY) < 0) return -1;
    }
    return 0;
}

/* Make moves while they lower the distance: their number, or -1. The hypothesis is modified, and
 * `distance` becomes its new distance, with matching rows. No order of its tokens has a distance
 * below `least`. `moves` is NULL or has room for RB_MOVE_MAX_CANDIDATES; targets become final. */
RB_INLINE int64_t rb_move_blocks(rb_shifts *s, int64_t least, int64_t *distance, rb_move *moves) {
    const rb_move none = {0, 0, 0, 0};
    int64_t n_moves = 0, begin, end;
    s->n_candidates = 0;
    for (*distance = rb_shifts_open(s); *distance > least; *distance = rb_shifts_forward(s)) {
        s->best = none;
        s->best.distance = *distance;
        if (rb_move_find(s) < 0) return -1;
        if (s->best.length == 0 || s->n_candidates >= RB_MOVE_MAX_CANDIDATES) break;
        rb_move_apply(s, &s->best, &begin, &end);
        memcpy(s->pair.hyp + begin, s->spare, (size_t)(end - begin) * sizeof(int32_t));
        if (moves != NULL) {
            moves[n_moves] = s->best;
            moves[n_moves].target = s->best.target < s->best.start ? begin : end - s->best.length;
        }
        n_moves++;
    }
    return *distance < 0 ? -1 : n_moves;
}

/* Edits and moves from the hypothesis, which is modified, to the reference; or -1. */
static inline int64_t rb_shifted_distance(rb_shifts *s, int64_t least) {
    int64_t distance;
    const int64_t n_moves = rb_move_blocks(s, least, &distance, NULL);
    return n_moves < 0 ? -1 : n_moves + distance;
}

/* The same step by step: the moves, with room for RB_MOVE_MAX_CANDIDATES, and before `end` the
 * steps of the final alignment; the number of steps, or -1. */
static inline int64_t rb_shifted_steps(rb_shifts *s, int64_t least, rb_move *moves, int64_t *n_moves,
                                       char *end) {
    int64_t distance;
    *n_moves = rb_move_blocks(s, least, &distance, moves);
    return *n_moves < 0 ? -1 : rb_shifts_walk(s, end);
}

#endif
