/* CDER (Leusch et al. 2006): edits of the hypothesis, and jumps within it for one edit each. Every
 * token of the reference must be covered once, in order; in the hypothesis the path may jump
 * anywhere. Leusch's table has a row for each token of the reference and a cell for each position
 * between tokens of the hypothesis. After the jumps, no cell of a row exceeds the minimum by more
 * than one, so a row is the minimum and the set S of positions that attain it. With S' the set
 * moved by one, and E the positions after a token equal to the reference's, the next set is
 *
 *     S' & E              unless empty: at no extra cost;
 *     S' | S | E          otherwise, at a cost of one: substitution, deletion of the
 *                         reference's token, and a jump to the front of an equal token.
 *
 * So a row takes a few operations per 64 positions. The sets E of tokens that occur more often than
 * a row has words, at most 64 of them, are words; all other sets are lists, so memory is linear. */
#ifndef RAPIDBLEU_EDITS_LONG_JUMPS_H
#define RAPIDBLEU_EDITS_LONG_JUMPS_H

#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include "ngrams/token_masks.h"

#define RB_FEW_PLACES 64

/* Cost of a reference whose tokens have the positions `masks` in a hypothesis of less than 64. */
static inline int64_t rb_jumps_short(const uint64_t *masks, int64_t n_ref, int64_t n_hyp) {
    uint64_t set = 1;
    int64_t cost = 0, i;
    for (i = 0; i < n_ref; i++) {
        const uint64_t equal = masks[i] << 1, moved = set << 1, matched = moved & equal;
        set = matched != 0 ? matched : moved | set | equal;
        cost += matched == 0;
    }
    return cost + (int64_t)(~set >> n_hyp & 1);
}

/* The positions of a longer hypothesis, by the number of the token before them. */
typedef struct {
    int64_t n_hyp, n_words;
    int32_t *ref;    /* [n_ref] numbers; 0: a token not in the hypothesis */
    int32_t *next;   /* [n_hyp + 1] previous position of the same token, or 0 */
    int32_t *last;   /* [n_hyp + 1] by number: last position */
    int32_t *dense;  /* [n_hyp + 1] by number: index of its words; -1: positions are listed */
    int32_t *found;  /* [n_words] positions of a list */
    uint64_t *set;   /* [n_words] positions of minimum cost */
    uint64_t *words; /* [64, n_words] */
} rb_places;

static inline int64_t rb_places_words(int64_t n_hyp, int64_t n_ref) {
    const int64_t n_words = n_hyp / 64 + 1;
    return n_words * (1 + RB_FEW_PLACES) + (n_words + n_ref + 4 * (n_hyp + 1)) / 2;
}

static inline int rb_places_open(rb_places *p, uint64_t *memory, rb_scratch *scratch,
                                 const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                 int64_t ref) {
    const int64_t n_ref = rb_segment_length(refs, ref);
    int32_t *hyp_numbers, n_dense = 0;
    int64_t i;
    p->n_hyp = rb_segment_length(hyps, hyp);
    p->n_words = p->n_hyp / 64 + 1;
    p->set = memory;
    p->words = p->set + p->n_words;
    p->found = (int32_t *)(p->words + RB_FEW_PLACES * p->n_words);
    p->ref = p->found + p->n_words;
    p->next = p->ref + n_ref;
    p->last = p->next + p->n_hyp + 1;
    p->dense = p->last + p->n_hyp + 1;
    hyp_numbers = p->dense + p->n_hyp + 1;
    if (rb_number_both(&scratch->tokens, refs, ref, p->ref, hyps, hyp, hyp_numbers) < 0) return -1;
    memset(p->last, 0, (size_t)(2 * (p->n_hyp + 1)) * sizeof(int32_t));
    for (i = 1; i <= p->n_hyp; i++) { /* `dense` counts first */
        const int32_t number = hyp_numbers[i - 1];
        p->next[i] = p->last[number];
        p->last[number] = (int32_t)i;
        p->dense[number]++;
    }
    for (i = 0; i <= p->n_hyp; i++) {
        uint64_t *own = p->words + n_dense * p->n_words;
        int32_t place;
        if (p->dense[i] <= p->n_words) {
            p->dense[i] = -1;
            continue;
        }
        p->dense[i] = n_dense++;
        memset(own, 0, (size_t)p->n_words * sizeof *own);
        for (place = p->last[i]; place != 0; place = p->next[place])
            own[place / 64] |= UINT64_C(1) << place % 64;
    }
    return 0;
}

/* Intersect the moved set with `equal`; 0, with the set unchanged, if that is empty. */
static inline int rb_places_match_words(rb_places *p, const uint64_t *equal) {
    uint64_t any = 0, carry = 0;
    int64_t w;
    for (w = 0; w < p->n_words; w++) {
        any |= (p->set[w] << 1 | carry) & equal[w];
        carry = p->set[w] >> 63;
    }
    if (any == 0) return 0;
    for (w = 0, carry = 0; w < p->n_words; w++) {
        const uint64_t own = p->set[w];
        p->set[w] = (own << 1 | carry) & equal[w];
        carry = own >> 63;
    }
    return 1;
}

/* The same with a list that begins at its last position. */
static inline int rb_places_match_list(rb_places *p, int32_t place) {
    int64_t n_found = 0, i;
    for (; place != 0; place = p->next[place])
        if (p->set[(place - 1) / 64] >> (place - 1) % 64 & 1) p->found[n_found++] = place;
    if (n_found == 0) return 0;
    memset(p->set, 0, (size_t)p->n_words * sizeof *p->set);
    for (i = 0; i < n_found; i++) p->set[p->found[i] / 64] |= UINT64_C(1) << p->found[i] % 64;
    return 1;
}

/* Add the moved set and the positions of a token, as words or as a list, to the set. */
static inline void rb_places_spread(rb_places *p, const uint64_t *equal, int32_t place) {
    uint64_t carry = 0;
    int64_t w;
    for (w = 0; w < p->n_words; w++) {
        const uint64_t own = p->set[w];
        p->set[w] = own | own << 1 | carry | (equal != NULL ? equal[w] : 0);
        carry = own >> 63;
    }
    for (; place != 0; place = p->next[place]) p->set[place / 64] |= UINT64_C(1) << place % 64;
}

/* Cost of a reference; -1 if a signal handler raised. */
static inline int64_t rb_jumps_long(rb_places *p, int64_t n_ref, rb_scratch *scratch) {
    int64_t cost = 0, i;
    memset(p->set, 0, (size_t)p->n_words * sizeof *p->set);
    p->set[0] = 1;
    for (i = 0; i < n_ref; i++) {
        const int32_t number = p->ref[i];
        const int is_dense = number != 0 && p->dense[number] >= 0;
        const uint64_t *equal = is_dense ? p->words + p->dense[number] * p->n_words : NULL;
        const int32_t place = number == 0 || is_dense ? 0 : p->last[number];
        if (!(is_dense ? rb_places_match_words(p, equal) : rb_places_match_list(p, place))) {
            rb_places_spread(p, equal, place);
            cost++;
        }
        if (rb_scratch_worked(scratch, p->n_words) < 0) return -1;
    }
    return cost + (int64_t)(~p->set[p->n_hyp / 64] >> p->n_hyp % 64 & 1);
}

/* Cost of a hypothesis against one reference; -1 after an error. */
static inline int64_t rb_jumps(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                               rb_scratch *scratch) {
    const int64_t n_hyp = rb_segment_length(hyps, hyp), n_ref = rb_segment_length(refs, ref);
    const int is_short = n_hyp < 64;
    uint64_t *memory = rb_scratch_words(scratch, is_short ? 2 * n_ref : rb_places_words(n_hyp, n_ref));
    rb_places places;
    if (memory == NULL) return -1;
    if (is_short) {
        rb_token_masks(scratch->clipping.matcher.masks, refs, ref, hyps, hyp, memory, memory + n_ref);
        return rb_jumps_short(memory, n_ref, n_hyp);
    }
    if (rb_places_open(&places, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    return rb_jumps_long(&places, n_ref, scratch);
}

#endif
