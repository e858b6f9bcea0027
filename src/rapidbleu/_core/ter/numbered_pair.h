/* Two texts of numbered tokens, and their alignment. The tokens of the reference are numbered from
 * 1 to its length, equal ones alike if the hypothesis has them; 0: other tokens of it. */
#ifndef RAPIDBLEU_TER_NUMBERED_PAIR_H
#define RAPIDBLEU_TER_NUMBERED_PAIR_H

#include "common/bits.h"
#include "common/signals.h"
#include <string.h>

#define RB_PAIR_BEYOND 7 /* unused cells that are read after ref */

typedef struct {
    int64_t n_hyp;
    int64_t n_ref;
    int32_t *hyp;        /* [n_hyp] */
    int32_t *ref;        /* [n_ref] */
    int32_t *align;      /* [n_ref] aligned token of hyp, or the one before it */
    int32_t *hyp_errors; /* [n_hyp + 1] edited tokens among the first i */
    int32_t *ref_errors; /* [n_ref + 1] */
    PyObject *stop;      /* see common/signals.h */
    int64_t *work;       /* cells since the last poll */
} rb_pair;

static inline int64_t rb_pair_words(int64_t n_hyp, int64_t n_ref) {
    return (2 * n_hyp + 3 * n_ref + 2 + RB_PAIR_BEYOND + 1) / 2;
}

static inline void rb_pair_init(rb_pair *p, uint64_t *memory, int64_t n_hyp, int64_t n_ref,
                                PyObject *stop, int64_t *work) {
    p->n_hyp = n_hyp;
    p->n_ref = n_ref;
    p->hyp = (int32_t *)memory;
    p->ref = p->hyp + n_hyp;
    p->align = p->ref + n_ref + RB_PAIR_BEYOND;
    p->hyp_errors = p->align + n_ref;
    p->ref_errors = p->hyp_errors + n_hyp + 1;
    p->stop = stop;
    p->work = work;
}

/* Count work and poll for signals now and then; -1 to stop. */
static inline int rb_pair_worked(const rb_pair *p, int64_t cells) {
    *p->work += cells;
    if (*p->work < RB_POLL_CELLS) return 0;
    *p->work = 0;
    return rb_poll_without_gil(p->stop);
}

/* The last step of the best path through the first i tokens of the hypothesis and j of the
 * reference: '=' or 'S' for a token of both, 'I' for one of the hypothesis, 'D' for one of the
 * reference. */
typedef char rb_pair_step(const void *table, const rb_pair *p, int64_t i, int64_t j);

/* Align the pair by the best path; write its steps before `end` unless NULL: how many, or -1. */
RB_INLINE int64_t rb_pair_walk(rb_pair *p, rb_pair_step *last_step, const void *table, char *end) {
    int64_t i = p->n_hyp, j = p->n_ref, n_steps = 0;
    while (i > 0 || j > 0) {
        const char step = last_step(table, p, i, j);
        n_steps++;
        if (end != NULL) *--end = step;
        if (step == 'I') {
            p->hyp_errors[i--] = 1;
        } else if (step == 'D') {
            p->align[j - 1] = (int32_t)(i - 1);
            p->ref_errors[j--] = 1;
        } else {
            p->align[j - 1] = (int32_t)(i - 1);
            p->hyp_errors[i--] = p->ref_errors[j--] = step == 'S';
        }
    }
    p->hyp_errors[0] = p->ref_errors[0] = 0;
    for (i = 0; i < p->n_hyp; i++) p->hyp_errors[i + 1] += p->hyp_errors[i];
    for (j = 0; j < p->n_ref; j++) p->ref_errors[j + 1] += p->ref_errors[j];
    return rb_pair_worked(p, p->n_hyp + p->n_ref) < 0 ? -1 : n_steps;
}

/* Edit distance of two short texts by bit-parallel rows (Myers 1999, Hyyro 2003), and of variants
 * of the hypothesis. Row i contains the distances of the hypothesis's first i tokens to the first j
 * of the reference. Neighbors differ by at most one, so a row of up to 64 cells is two words, and
 * follows from the row above in some fifteen operations. A variant is computed from its first
 * different token to its end: skipping the rest, as in beam_distance.h, would save less than it
 * costs. The distance is Levenshtein's, without the beam of beam_distance.h. Distance and alignment
 * equal the beam's if no best path leaves it:
 *
 * - with a reference of up to 24 tokens, every cell is within the beam;
 * - a path that leaves the beam has inserted or skipped at least 24 more tokens than the reverse,
 *   so it has at least 24 edits. A best path of up to 23 edits stays inside, as does one of a
 *   variant no worse than the hypothesis. */
enum {
    RB_BITS_LENGTH = 64,       /* tokens of a text */
    RB_BITS_NARROW = 24,       /* of a reference that fits any beam */
    RB_BITS_MOST_EDITS = 23    /* of a path that cannot leave a beam */
};

typedef struct {
    uint64_t more;     /* bit j: cell j + 1 is one more than cell j */
    uint64_t less;     /* one less */
    uint64_t diagonal; /* bit j: a best path to cell j + 1 comes from the cell above cell j */
    uint64_t above;    /* from the cell above, which is one less */
} rb_bit_row;

typedef struct {
    rb_pair *pair;
    uint64_t *places; /* [n_ref + 1] positions of a number in the reference */
    rb_bit_row *rows; /* [n_hyp + 1] */
} rb_bits;

static inline int rb_bits_serve(int64_t n_hyp, int64_t n_ref) {
    return n_hyp <= RB_BITS_LENGTH && n_ref <= RB_BITS_LENGTH;
}

static inline int rb_bits_in_beam(const rb_bits *b, int64_t distance) {
    return b->pair->n_ref <= RB_BITS_NARROW || distance <= RB_BITS_MOST_EDITS;
}

static inline int64_t rb_bits_words(int64_t n_hyp, int64_t n_ref) {
    return n_ref + 1 + (n_hyp + 1) * (int64_t)(sizeof(rb_bit_row) / sizeof(uint64_t));
}

/* Lay out the tables in `memory` for a pair of nonempty texts with tokens filled in. */
static inline void rb_bits_init(rb_bits *b, uint64_t *memory, rb_pair *pair) {
    int64_t j;
    b->pair = pair;
    b->places = memory;
    b->rows = (rb_bit_row *)(memory + pair->n_ref + 1);
    memset(b->places, 0, (size_t)(pair->n_ref + 1) * sizeof *b->places);
    for (j = 0; j < pair->n_ref; j++) b->places[pair->ref[j]] |= UINT64_C(1) << j;
    b->rows[0].more = UINT64_MAX;
    b->rows[0].less = 0;
}

/* The row below, for a token at `places` of the reference. */
static inline rb_bit_row rb_bits_next(const rb_bit_row *row, uint64_t places) {
    const uint64_t more = row->more, less = row->less;
    const uint64_t same = (((places & more) + more) ^ more) | places | less; /* as on the diagonal */
    const uint64_t above = less | ~(same | more), below = more & same;
    const uint64_t from_left = above << 1 | 1; /* including column 0 */
    rb_bit_row next;
    next.more = below << 1 | ~(same | from_left);
    next.less = from_left & same;
    next.diagonal = places | ~same;
    next.above = above;
    return next;
}

static inline int64_t rb_bits_last(const rb_bits *b, const rb_bit_row *row) {
    const uint64_t cells = UINT64_MAX >> (RB_BITS_LENGTH - b->pair->n_ref);
    return b->pair->n_hyp + rb_popcount(row->more & cells) - rb_popcount(row->less & cells);
}

/* Fill in the rows: the distance, or -1. */
static inline int64_t rb_bits_forward(rb_bits *b) {
    const rb_pair *p = b->pair;
    int64_t i;
    for (i = 0; i < p->n_hyp; i++)
        b->rows[i + 1] = rb_bits_next(&b->rows[i], b->places[p->hyp[i]]);
    if (rb_pair_worked(p, RB_BITS_LENGTH * p->n_hyp) < 0) return -1;
    return rb_bits_last(b, &b->rows[p->n_hyp]);
}

/* Distance of the hypothesis with its tokens [begin, end) replaced by `words`; or -1. */
static inline int64_t rb_bits_replaced(const rb_bits *b, const int32_t *words, int64_t begin,
                                       int64_t end) {
    const rb_pair *p = b->pair;
    rb_bit_row row = b->rows[begin];
    int64_t i;
    for (i = begin; i < end; i++) row = rb_bits_next(&row, b->places[words[i - begin]]);
    for (; i < p->n_hyp; i++) row = rb_bits_next(&row, b->places[p->hyp[i]]);
    if (rb_pair_worked(p, RB_BITS_LENGTH * (p->n_hyp - begin)) < 0) return -1;
    return rb_bits_last(b, &row);
}

RB_INLINE char rb_bits_last_step(const void *table, const rb_pair *p, int64_t i, int64_t j) {
    const rb_bits *b = (const rb_bits *)table;
    if (i > 0 && j > 0 && b->rows[i].diagonal >> (j - 1) & 1)
        return b->places[p->hyp[i - 1]] >> (j - 1) & 1 ? '=' : 'S';
    return i > 0 && (j == 0 || b->rows[i].above >> (j - 1) & 1) ? 'I' : 'D';
}

RB_INLINE int64_t rb_bits_walk(const rb_bits *b, char *end) {
    return rb_pair_walk(b->pair, rb_bits_last_step, b, end);
}

#endif
