/* The tokens of a hypothesis and its references as one sequence of numbers: input of refinement.h,
 * and of sorted_ngrams.h for long tokens. The hypothesis comes first, then each reference, each
 * followed by a gap. Equal tokens have equal numbers, assigned by an open-addressing table of keys
 * that refinement.h reuses. Whether a token is long would be an unpredictable branch, so all are
 * looked up by their identity first; then the bytes of long ones are compared.
 *
 * A large table begins with a quarter of the slots it may need, because texts repeat their tokens
 * and little memory is fast memory. A position takes 9 to 10 bytes, and a reference token 4 more, 8
 * with several references, and 27 to 54 of slots; up to 86 in a small table, which is sparser. */
#ifndef RAPIDBLEU_NGRAMS_SEQUENCE_H
#define RAPIDBLEU_NGRAMS_SEQUENCE_H

#include "common/probing_table.h"
#include "text/token_table.h"

#define RB_NEAR_SLOTS 65536 /* a megabyte, which fits a cache near the processor */

typedef struct {
    void *memory;
    int64_t capacity; /* in bytes */
    uint64_t key;     /* secret, for the hash tables */
} rb_refinement;

typedef struct {
    uint64_t key;   /* identity of a token, or numbers of two n-grams */
    int64_t number; /* 0 if the slot is free */
} rb_key_slot;

typedef struct {
    uint64_t *bits;
    int shift; /* from a hash to its highest bits, the index of a bit */
} rb_filter;

/* The sequence of one segment: text 0 is the hypothesis, the rest are the references. */
typedef struct {
    const rb_tokens *hyps, *refs;
    int64_t hyp, first_ref, n_texts;
    int64_t length; /* including gaps */
    int64_t n_ref_tokens;
    int64_t n_numbers; /* of this order; also the highest */
    int64_t n_kept;    /* live positions so far in a pass that drops some */
    int64_t n_taken;   /* hypothesis n-grams so far that took one */
    int32_t *number;   /* [length] of the n-gram at each position; 0: not in the references */
    int32_t *live;     /* [length] from the start of each text, its positions that may match */
    int32_t *begin;    /* [n_texts] of each text */
    int32_t *n_live;   /* [n_texts] */
    int32_t *left;     /* [n_ref_tokens + 1] n-grams of each number that can still be taken */
    int32_t *in_ref;   /* the same for one of several references; equals `left` for a single one */
    int32_t *record;   /* [n_ref_tokens + 1] first long token of each number, or -1; in `left` */
    rb_filter in_hyp, in_refs; /* pairs of the hypothesis and of all references */
    rb_key_slot *slots;
    uint64_t n_slots; /* in use, a power of two */
    uint64_t most_slots;
    uint64_t key;
    PyObject *stop;
    int64_t work; /* positions since the last poll */
} rb_sequence;

static inline void rb_refinement_init(rb_refinement *c, uint64_t key) {
    c->memory = NULL;
    c->capacity = 0;
    c->key = key;
}

static inline void rb_refinement_free(rb_refinement *c) {
    PyMem_RawFree(c->memory);
    rb_refinement_init(c, c->key);
}

/* A pass processes items [begin, end) of a text; -1 with an exception set. */
typedef int (*rb_pass_fn)(rb_sequence *s, int64_t text, int64_t begin, int64_t end);

/* Run a pass over n items of a text, polling for signals now and then. */
RB_INLINE int rb_go_through(rb_sequence *s, int64_t text, int64_t n, rb_pass_fn pass) {
    int64_t begin, end;
    for (begin = 0; begin < n; begin = end) {
        end = n - begin < RB_POLL_TOKENS ? n : begin + RB_POLL_TOKENS;
        if (pass(s, text, begin, end) < 0) return -1;
        s->work += end - begin;
        if (s->work < RB_POLL_TOKENS) continue;
        s->work = 0;
        if (rb_poll_without_gil(s->stop) < 0) return -1;
    }
    return 0;
}

static inline int rb_refuse_sequence(int64_t length) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Format(PyExc_ValueError, "a segment and its references have %lld tokens, more than %d",
                 (long long)length, (int)INT32_MAX);
    PyGILState_Release(state);
    return -1;
}

/* The least power-of-two multiple of `least` that is at least n. */
static inline uint64_t rb_power_of_two(int64_t n, uint64_t least) {
    while ((int64_t)least < n) least *= 2;
    return least;
}

/* Bits of the filter for n pairs, of which at most one in eight is set. */
static inline int64_t rb_filter_bits(int64_t n) { return (int64_t)rb_power_of_two(8 * n, 64); }

static inline int rb_sequence_lay_out(rb_sequence *s, rb_refinement *c) {
    const int64_t n = rb_segment_length(s->hyps, s->hyp), end_ref = s->first_ref + s->n_texts - 1;
    int64_t numbers, slots, in_hyp, in_refs, needed, position = 0, text;
    s->n_ref_tokens = s->refs->first_token[end_ref] - s->refs->first_token[s->first_ref];
    s->length = n + s->n_ref_tokens + s->n_texts;
    if (s->length > INT32_MAX) return rb_refuse_sequence(s->length);
    numbers = s->n_ref_tokens + 1;
    s->most_slots = rb_power_of_two(numbers + numbers / 3, 16);
    if (s->most_slots < RB_NEAR_SLOTS) s->most_slots *= 2;
    s->n_slots = s->most_slots > RB_NEAR_SLOTS ? s->most_slots / 4 : s->most_slots;
    slots = (int64_t)(s->n_slots < s->most_slots ? s->most_slots + s->n_slots : s->n_slots);
    in_hyp = rb_filter_bits(n) / 64;
    in_refs = rb_filter_bits(s->n_ref_tokens) / 64;
    needed = slots * (int64_t)sizeof(rb_key_slot) + (in_hyp + in_refs) * (int64_t)sizeof(uint64_t)
           + (2 * s->length + 2 * s->n_texts + (s->n_texts > 2 ? 2 : 1) * numbers)
                 * (int64_t)sizeof(int32_t);
    if (needed > c->capacity) {
        rb_refinement_free(c);
        c->memory = rb_allocate(needed, 1);
        if (c->memory == NULL) return -1;
        c->capacity = needed;
    }
    s->slots = (rb_key_slot *)c->memory;
    s->in_hyp.bits = (uint64_t *)(s->slots + slots);
    s->in_refs.bits = s->in_hyp.bits + in_hyp;
    s->number = (int32_t *)(s->in_refs.bits + in_refs);
    s->live = s->number + s->length;
    s->begin = s->live + s->length;
    s->n_live = s->begin + s->n_texts;
    s->left = s->record = s->n_live + s->n_texts;
    s->in_ref = s->n_texts > 2 ? s->left + numbers : s->left;
    s->key = c->key;
    for (text = 0; text < s->n_texts; text++) {
        s->begin[text] = (int32_t)position;
        s->n_live[text] =
            (int32_t)(text == 0 ? n : rb_segment_length(s->refs, s->first_ref + text - 1));
        position += s->n_live[text] + 1;
        s->number[position - 1] = 0;
    }
    return 0;
}

RB_INLINE rb_key_slot *rb_slot_of(const rb_sequence *s, uint64_t key) {
    uint64_t place = rb_hash_word(key, s->key);
    RB_PROBE(place, s->n_slots, s->slots[place].number == 0 || s->slots[place].key == key);
    return &s->slots[place];
}

RB_INLINE int32_t rb_number_of(const rb_sequence *s, uint64_t key) {
    return (int32_t)rb_slot_of(s, key)->number;
}

/* The number of a key, added if new. */
RB_INLINE int32_t rb_number_added(const rb_sequence *s, uint64_t key, int64_t *n_numbers) {
    rb_key_slot *slot = rb_slot_of(s, key);
    const int64_t is_new = slot->number == 0;
    *n_numbers += is_new;
    slot->key = key;
    slot->number = is_new ? *n_numbers : slot->number;
    return (int32_t)slot->number;
}

static inline int rb_clear_slots(rb_sequence *s) {
    return rb_slots_fill(s->slots, (int64_t)s->n_slots * (int64_t)sizeof(rb_key_slot), 0);
}

/* Move the table from its temporary position after all slots. */
static inline int rb_use_all_slots(rb_sequence *s) {
    const rb_key_slot *old = s->slots;
    const uint64_t n_old = s->n_slots;
    uint64_t i;
    s->slots -= s->most_slots;
    s->n_slots = s->most_slots;
    if (rb_clear_slots(s) < 0) return -1;
    for (i = 0; i < n_old; i++)
        if (old[i].number != 0) *rb_slot_of(s, old[i].key) = old[i];
    return 0;
}

/* The same once a small table is half full. */
RB_INLINE int rb_keep_sparse(rb_sequence *s, int64_t n_numbers) {
    if (2 * n_numbers <= (int64_t)s->n_slots || s->n_slots == s->most_slots) return 0;
    return rb_use_all_slots(s);
}

static inline int rb_number_ref(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const int64_t token = s->refs->first_token[s->first_ref + text - 1];
    const uint32_t *lo = s->refs->lo + token, *hi = s->refs->hi + token;
    int64_t n_numbers = s->n_numbers, i;
    for (i = begin; i < end; i++) {
        const int32_t p = s->begin[text] + (int32_t)i;
        s->number[p] = rb_number_added(s, lo[i] | (uint64_t)hi[i] << 32, &n_numbers);
        s->live[p] = p;
        if (rb_keep_sparse(s, n_numbers) < 0) return -1;
    }
    s->n_numbers = n_numbers;
    return 0;
}

static inline int rb_number_hyp(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const int64_t token = s->hyps->first_token[s->hyp];
    const uint32_t *lo = s->hyps->lo + token, *hi = s->hyps->hi + token;
    int64_t i;
    (void)text;
    for (i = begin; i < end; i++) {
        s->number[i] = rb_number_of(s, lo[i] | (uint64_t)hi[i] << 32);
        s->live[i] = (int32_t)i;
    }
    return 0;
}

/* Does a long token have the bytes of this number? The first one of a reference claims a number. */
static inline int rb_number_is_its(rb_sequence *s, int64_t text, int64_t long_token, int32_t number) {
    const rb_tokens *texts = text == 0 ? s->hyps : s->refs;
    const int64_t first = s->refs->first_long[s->first_ref];
    if (s->record[number] < 0 && text > 0) s->record[number] = (int32_t)(long_token - first);
    return s->record[number] >= 0
        && rb_same_long(texts, &texts->longs[long_token], s->refs,
                        &s->refs->longs[first + s->record[number]]);
}

/* The number of a colliding long token: of the next identity that is free or has its bytes. */
static inline int32_t rb_number_collided(rb_sequence *s, int64_t text, int64_t long_token,
                                         uint64_t identity) {
    int32_t number;
    do {
        identity += 0x100; /* stays long, because the lowest byte remains 0 */
        number = text > 0 ? rb_number_added(s, identity, &s->n_numbers) : rb_number_of(s, identity);
    } while (number != 0 && !rb_number_is_its(s, text, long_token, number));
    return number;
}

/* Compare the bytes of long tokens, which were numbered by hash. */
static inline int rb_compare_longs(rb_sequence *s, int64_t text, int64_t begin, int64_t end) {
    const rb_tokens *texts = text == 0 ? s->hyps : s->refs;
    const int64_t segment = text == 0 ? s->hyp : s->first_ref + text - 1;
    const int64_t first = texts->first_long[segment];
    int64_t k;
    for (k = first + begin; k < first + end; k++) {
        const int32_t i = texts->longs[k].index;
        int32_t *number = &s->number[s->begin[text] + i];
        if (*number != 0 && !rb_number_is_its(s, text, k, *number))
            *number = rb_number_collided(
                s, text, k, rb_token_identity(texts, texts->first_token[segment] + i));
        if (rb_keep_sparse(s, s->n_numbers) < 0) return -1;
    }
    return 0;
}

static inline int rb_compare_bytes(rb_sequence *s, int64_t text) {
    const rb_tokens *texts = text == 0 ? s->hyps : s->refs;
    const int64_t segment = text == 0 ? s->hyp : s->first_ref + text - 1;
    return rb_go_through(s, text, texts->first_long[segment + 1] - texts->first_long[segment],
                         rb_compare_longs);
}

static inline int rb_number_tokens(rb_sequence *s) {
    int64_t text;
    if (s->n_slots < s->most_slots) s->slots += s->most_slots; /* after all */
    s->n_numbers = 0;
    memset(s->record, 0xFF, (size_t)(s->n_ref_tokens + 1) * sizeof *s->record);
    if (rb_clear_slots(s) < 0) return -1;
    for (text = 1; text < s->n_texts; text++)
        if (rb_go_through(s, text, s->n_live[text], rb_number_ref) < 0
            || rb_compare_bytes(s, text) < 0)
            return -1;
    if (rb_go_through(s, 0, s->n_live[0], rb_number_hyp) < 0 || rb_compare_bytes(s, 0) < 0)
        return -1;
    if (s->n_slots < s->most_slots) s->slots -= s->most_slots;
    return 0;
}

#endif
