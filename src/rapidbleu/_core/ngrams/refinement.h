/* Clipped n-gram counts in linear time, for segments of any length and n-grams of any order. Each
 * position of a sequence (sequence.h) gets the number of the n-gram that starts there. An n-gram of
 * order n + 1 is the two of order n at its position and the next, so their numbers are an exact key
 * of it, and a table of such pairs numbers it; no n-gram is ever stored. Clipped counts are then
 * array operations: count each number in the references; each hypothesis n-gram consumes one.
 *
 * An n-gram found only in the hypothesis or only in references cannot match at a higher order
 * either, so its position is dropped: half of all bigrams of real text, and most trigrams. They are
 * dropped before entering or querying the table: each pair of one side sets the bit of its hash in
 * a filter, and pairs of the other side whose bit is clear are dropped. False positives are
 * harmless and are dropped later. Hits and misses alternate without a pattern, so the code avoids
 * branches: a position is always written to the list of live ones, whose length grows by one or
 * zero. Every step is linear and hashes are keyed, so no input makes it slow. */
#ifndef RAPIDBLEU_NGRAMS_REFINEMENT_H
#define RAPIDBLEU_NGRAMS_REFINEMENT_H

#include "ngrams/sequence.h"

/* The numbers at a position and the next as one word, in either order. */
RB_INLINE uint64_t rb_pair_at(const rb_sequence *s, int32_t position) {
    uint64_t pair;
    memcpy(&pair, s->number + position, sizeof pair);
    return pair;
}

RB_INLINE uint64_t rb_pair_hash(const rb_sequence *s, int32_t position) {
    return rb_hash_word(rb_pair_at(s, position), s->key);
}

static inline int rb_filter_clear(rb_filter *filter, int64_t n) {
    const int64_t n_bits = rb_filter_bits(n);
    filter->shift = 64 - rb_ctz((uint64_t)n_bits);
    return rb_slots_fill(filter->bits, n_bits / 8, 0);
}

RB_INLINE void rb_filter_add(const rb_filter *filter, uint64_t hash, int yes) {
    const uint64_t place = hash >> filter->shift;
    filter->bits[place / 64] |= (uint64_t)yes << place % 64;
}

RB_INLINE int rb_filter_has(const rb_filter *filter, uint64_t hash) {
    const uint64_t place = hash >> filter->shift;
    return (int)(filter->bits[place / 64] >> place % 64 & 1);
}

/* Keep the positions of a reference whose successor is live as well, and set their bits. */
static inline int rb_mark_ref(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    int32_t *live = s->live + s->begin[text];
    int64_t n_kept = s->n_kept, k;
    for (k = begin; k < end; k++) {
        const int32_t p = live[k];
        const int kept = live[k + 1] == p + 1;
        rb_filter_add(&s->in_refs, rb_pair_hash(s, p), kept);
        live[n_kept] = p;
        n_kept += kept;
    }
    s->n_kept = n_kept;
    return 0;
}

/* Keep the positions of the hypothesis whose pairs may occur in the references. */
static inline int rb_filter_hyp(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    int32_t *live = s->live;
    int64_t n_kept = s->n_kept, k;
    (void)text;
    for (k = begin; k < end; k++) {
        const int32_t p = live[k];
        const uint64_t hash = rb_pair_hash(s, p);
        const int kept = (live[k + 1] == p + 1) & rb_filter_has(&s->in_refs, hash);
        rb_filter_add(&s->in_hyp, hash, kept);
        live[n_kept] = p;
        n_kept += kept;
    }
    s->n_kept = n_kept;
    return 0;
}

/* Keep the positions of a reference whose pairs may occur in the hypothesis. */
static inline int rb_filter_ref(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    int32_t *live = s->live + s->begin[text];
    int64_t n_kept = s->n_kept, k;
    for (k = begin; k < end; k++) {
        const int32_t p = live[k];
        live[n_kept] = p;
        n_kept += rb_filter_has(&s->in_hyp, rb_pair_hash(s, p));
    }
    s->n_kept = n_kept;
    return 0;
}

/* Number the pairs of a reference in place; each pair is read before its numbers are replaced. */
static inline int rb_number_ref_pairs(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const int32_t *live = s->live + s->begin[text];
    int64_t n_numbers = s->n_numbers, k;
    for (k = begin; k < end; k++)
        s->number[live[k]] = rb_number_added(s, rb_pair_at(s, live[k]), &n_numbers);
    s->n_numbers = n_numbers;
    return 0;
}

static inline int rb_number_hyp_pairs(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    int64_t k;
    (void)text;
    for (k = begin; k < end; k++) s->number[s->live[k]] = rb_number_of(s, rb_pair_at(s, s->live[k]));
    return 0;
}

RB_INLINE int rb_drop(rb_sequence *s, int64_t text, rb_pass_fn pass) {
    s->live[s->begin[text] + s->n_live[text]] = -1; /* not the successor of any position */
    s->n_kept = 0;
    if (rb_go_through(s, text, s->n_live[text], pass) < 0) return -1;
    s->n_live[text] = (int32_t)s->n_kept;
    return 0;
}

static inline int64_t rb_live_in_refs(const rb_sequence *s) {
    int64_t n = 0, text;
    for (text = 1; text < s->n_texts; text++) n += s->n_live[text];
    return n;
}

static inline int rb_filter_pairs(rb_sequence *s) {
    int64_t text;
    if (rb_filter_clear(&s->in_refs, rb_live_in_refs(s)) < 0) return -1;
    if (rb_filter_clear(&s->in_hyp, s->n_live[0]) < 0) return -1;
    for (text = 1; text < s->n_texts; text++)
        if (rb_drop(s, text, rb_mark_ref) < 0) return -1;
    if (rb_drop(s, 0, rb_filter_hyp) < 0) return -1;
    for (text = 1; text < s->n_texts; text++)
        if (rb_drop(s, text, rb_filter_ref) < 0) return -1;
    return 0;
}

static inline int rb_number_pairs(rb_sequence *s) {
    int64_t n_live, text;
    if (rb_filter_pairs(s) < 0) return -1;
    n_live = rb_live_in_refs(s);
    s->n_slots = rb_power_of_two(2 * n_live, 16);
    if (s->n_slots < RB_NEAR_SLOTS) s->n_slots *= 2;
    if (s->n_slots > s->most_slots) s->n_slots = s->most_slots;
    s->n_numbers = 0;
    if (rb_clear_slots(s) < 0) return -1;
    for (text = 1; text < s->n_texts; text++)
        if (rb_go_through(s, text, s->n_live[text], rb_number_ref_pairs) < 0) return -1;
    return rb_go_through(s, 0, s->n_live[0], rb_number_hyp_pairs);
}

static inline int rb_count_ref(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const int32_t *live = s->live + s->begin[text];
    int64_t k;
    for (k = begin; k < end; k++) s->in_ref[s->number[live[k]]]++;
    return 0;
}

/* As many can be taken as the maximum over the references. */
static inline int rb_settle_ref(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const int32_t *live = s->live + s->begin[text];
    int64_t k;
    for (k = begin; k < end; k++) {
        const int32_t number = s->number[live[k]], count = s->in_ref[number];
        s->left[number] = count > s->left[number] ? count : s->left[number];
        s->in_ref[number] = 0;
    }
    return 0;
}

/* Let each n-gram of the hypothesis take one, and keep those that the references have. */
static inline int rb_take_left(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    int32_t *live = s->live, *left = s->left;
    int64_t n_kept = s->n_kept, n_taken = s->n_taken, k;
    (void)text;
    for (k = begin; k < end; k++) {
        const int32_t p = live[k], number = s->number[p], taken = left[number] > 0;
        left[number] -= taken;
        n_taken += taken;
        live[n_kept] = p;
        n_kept += number != 0;
    }
    s->n_kept = n_kept;
    s->n_taken = n_taken;
    return 0;
}

/* The sum of the clipped counts of the current order, or -1. */
static inline int64_t rb_count_numbers(rb_sequence *s) {
    const int64_t n_bytes = (s->n_numbers + 1) * (int64_t)sizeof(int32_t);
    int64_t text;
    if (rb_slots_fill(s->left, n_bytes, 0) < 0) return -1;
    if (s->in_ref != s->left && rb_slots_fill(s->in_ref, n_bytes, 0) < 0) return -1;
    for (text = 1; text < s->n_texts; text++)
        if (rb_go_through(s, text, s->n_live[text], rb_count_ref) < 0
            || (s->in_ref != s->left
                && rb_go_through(s, text, s->n_live[text], rb_settle_ref) < 0))
            return -1;
    s->n_taken = 0;
    return rb_drop(s, 0, rb_take_left) < 0 ? -1 : s->n_taken;
}

static inline int rb_sequence_open(rb_sequence *s, const rb_tokens *hyps, int64_t hyp,
                                   const rb_tokens *refs, int64_t ref_begin, int64_t ref_end,
                                   rb_refinement *c, PyObject *stop) {
    s->hyps = hyps;
    s->hyp = hyp;
    s->refs = refs;
    s->first_ref = ref_begin;
    s->n_texts = 1 + ref_end - ref_begin;
    s->stop = stop;
    s->work = 0;
    return rb_sequence_lay_out(s, c) < 0 ? -1 : rb_number_tokens(s);
}

/* Fill correct[0 .. max_order), which are 0, from the numbers of tokens. */
static inline int rb_refine(rb_sequence *s, int max_order, int64_t *correct) {
    int order;
    if ((correct[0] = rb_count_numbers(s)) < 0) return -1;
    for (order = 1; order < max_order && s->n_live[0] > 0; order++)
        if (rb_number_pairs(s) < 0 || (correct[order] = rb_count_numbers(s)) < 0) return -1;
    return 0;
}

#endif
