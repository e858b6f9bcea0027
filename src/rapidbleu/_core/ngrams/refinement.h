/* Clipped n-gram counts in linear time, for segments of any length and n-grams of any order.
 *
 * All tokens, the hypothesis first and then each reference, are laid out in one sequence of positions
 * with a gap behind each text.  Positions are grouped by the n-gram that starts there; order 1 groups
 * by token.  From order n to n + 1 each group is split by the token that follows: walk the positions
 * p in order of their token and drop p - n into the bucket of its group.  Every bucket is then sorted
 * by the following token, and equal neighbours are one group of order n + 1.  That is a single
 * counting sort an order, with no n-gram hashed or stored.  A group found only in the hypothesis or
 * only in references can match at no higher order either, so its positions are dropped: real text
 * shrinks to a few per cent within two orders, and one word repeated a million times stays linear.
 *
 * The sort is stable, so within a group positions ascend: first the hypothesis's, then each
 * reference's in turn, and its clipped count is min(run of the hypothesis, longest run of a
 * reference).
 *
 * Only order 1 needs a hash table, from token identities to numbers: open addressing, a keyed hash,
 * long tokens compared byte by byte.  It is gone before the lists are filled and shares their memory.
 * A position takes 20 to 32 bytes, a slot 12. */
#ifndef RAPIDBLEU_NGRAMS_REFINEMENT_H
#define RAPIDBLEU_NGRAMS_REFINEMENT_H

#include "common/probing_table.h"
#include "text/token_table.h"

#define RB_DROPPED (-1)

/* Memory that is kept from one segment to the next. */
typedef struct {
    void *memory;
    int64_t capacity; /* in bytes */
    uint64_t key;     /* secret, of the hash table */
} rb_refinement;

/* The sequence of one segment. */
typedef struct {
    int64_t length;  /* of the sequence, gaps included */
    int32_t hyp_end; /* positions before it belong to the hypothesis */
    int32_t n_refs;
    int64_t n_by_token, n_listed;
    int32_t n_groups;
    int32_t *token;      /* [length] number of the token at each position */
    int32_t *group;      /* [length] number of the n-gram that starts there, or RB_DROPPED */
    int32_t *start;      /* [groups] where each group's positions begin in `listed` */
    int32_t *next_start; /* the same for the next order */
    int32_t *cursor;     /* [groups] where the next position of each goes */
    int32_t *ref_end;    /* [n_refs] position of the gap behind each reference */
    int32_t *by_token;   /* [n_by_token] live positions in order of their token */
    int32_t *listed;     /* [n_listed] live positions in order of their n-gram */
    int32_t *spare;      /* the list being made for the next order */
    uint64_t *slot_identity;
    int32_t *slot_number;
    uint64_t n_slots; /* a power of two */
    uint64_t key;
    PyObject *stop;
    int64_t work; /* positions grouped since the last poll */
} rb_grouping;

static inline void rb_refinement_init(rb_refinement *c, uint64_t key) {
    c->memory = NULL;
    c->capacity = 0;
    c->key = key;
}

static inline void rb_refinement_free(rb_refinement *c) {
    PyMem_RawFree(c->memory);
    rb_refinement_init(c, c->key);
}

/* Poll when a loop of single steps has done so many. */
static inline int rb_grouping_poll(const rb_grouping *s, int64_t i) {
    return rb_poll_due(i, RB_POLL_TOKENS) ? rb_poll_without_gil(s->stop) : 0;
}

static inline int rb_refuse_sequence(int64_t length) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Format(PyExc_ValueError, "a segment and its references have %lld tokens, more than %d",
                 (long long)length, (int)INT32_MAX);
    PyGILState_Release(state);
    return -1;
}

/* Divide one block of memory; the hash table is where the lists will be. */
static inline int rb_grouping_lay_out(rb_grouping *s, const rb_tokens *hyps, int64_t hyp,
                                      const rb_tokens *refs, int64_t ref_begin, int64_t ref_end,
                                      rb_refinement *c) {
    const int64_t n_ref_tokens = refs->first_token[ref_end] - refs->first_token[ref_begin];
    int64_t arrays, lists, table, needed;
    uint8_t *memory;
    s->length = rb_segment_length(hyps, hyp) + 1 + n_ref_tokens + (ref_end - ref_begin);
    if (s->length > INT32_MAX) return rb_refuse_sequence(s->length);
    s->hyp_end = (int32_t)rb_segment_length(hyps, hyp);
    s->n_refs = (int32_t)(ref_end - ref_begin);
    s->n_slots = 16;
    while ((int64_t)s->n_slots < n_ref_tokens + n_ref_tokens / 2) s->n_slots *= 2;
    arrays = (5 * s->length + s->n_refs) * (int64_t)sizeof(int32_t);
    lists = 3 * s->length * (int64_t)sizeof(int32_t);
    table = (int64_t)s->n_slots * (int64_t)(sizeof(uint64_t) + sizeof(int32_t));
    needed = 8 + arrays + (lists > table ? lists : table);
    if (needed > c->capacity) {
        rb_refinement_free(c);
        c->memory = PyMem_RawMalloc(rb_bytes_of(needed, 1));
        if (c->memory == NULL) return rb_no_memory();
        c->capacity = needed;
    }
    memory = (uint8_t *)c->memory;
    s->token = (int32_t *)memory;
    s->group = s->token + s->length;
    s->start = s->group + s->length;
    s->next_start = s->start + s->length;
    s->cursor = s->next_start + s->length;
    s->ref_end = s->cursor + s->length;
    s->by_token = s->ref_end + s->n_refs;
    s->listed = s->by_token + s->length;
    s->spare = s->listed + s->length;
    s->slot_identity = (uint64_t *)(memory + (arrays + 7) / 8 * 8);
    s->slot_number = (int32_t *)(s->slot_identity + s->n_slots);
    s->key = c->key;
    return 0;
}

/* Is the token of a slot that of this identity and, if `record` is not -1, of this long record? */
static inline int rb_numbered_is(const rb_grouping *s, uint64_t slot, uint64_t identity,
                                 const rb_tokens *texts, int64_t record, const rb_tokens *refs,
                                 const int32_t *first_record, int64_t first_long) {
    return s->slot_identity[slot] == identity
        && (record < 0 || rb_same_long(texts, &texts->longs[record], refs,
                &refs->longs[first_long + first_record[s->slot_number[slot]]]));
}

/* Number the tokens of a text at its positions; unknown ones only if `insert`.  Long tokens of the
 * references are counted from `first_long` on; first_record has one for each number. */
static inline int rb_number_text(rb_grouping *s, const rb_tokens *texts, int64_t text,
                                 const rb_tokens *refs, int64_t first_long, int64_t position,
                                 int insert, int32_t *first_record) {
    const int64_t token = texts->first_token[text], n = rb_segment_length(texts, text);
    const int64_t end_long = texts->first_long[text + 1];
    int64_t record = texts->first_long[text], i;
    for (i = 0; i < n; i++) {
        const uint64_t identity = rb_token_identity(texts, token + i);
        const int is_long = record < end_long && texts->longs[record].index == i;
        uint64_t slot = rb_fold(identity ^ s->key, UINT64_C(0x9E3779B97F4A7C15));
        if (rb_grouping_poll(s, i) < 0) return -1;
        RB_PROBE(slot, s->n_slots,
                 s->slot_number[slot] == RB_DROPPED
                     || rb_numbered_is(s, slot, identity, texts, is_long ? record : -1, refs,
                                       first_record, first_long));
        if (s->slot_number[slot] == RB_DROPPED && insert) {
            if (is_long) first_record[s->n_groups] = (int32_t)(record - first_long);
            s->slot_identity[slot] = identity;
            s->slot_number[slot] = s->n_groups++;
        }
        s->token[position + i] = s->slot_number[slot];
        record += is_long;
    }
    s->token[position + n] = RB_DROPPED;
    return 0;
}

/* Number the references' tokens; the hypothesis's get the same numbers or RB_DROPPED. */
static inline int rb_number_tokens(rb_grouping *s, const rb_tokens *hyps, int64_t hyp,
                                   const rb_tokens *refs, int64_t ref_begin, int64_t ref_end) {
    const int64_t first_long = refs->first_long[ref_begin];
    int32_t *first_record = s->start; /* free until positions are grouped */
    int64_t position = (int64_t)s->hyp_end + 1, ref;
    memset(s->slot_number, 0xFF, (size_t)s->n_slots * sizeof(int32_t));
    s->n_groups = 0;
    for (ref = ref_begin; ref < ref_end; ref++) {
        if (rb_number_text(s, refs, ref, refs, first_long, position, 1, first_record) < 0) return -1;
        position += rb_segment_length(refs, ref) + 1;
        s->ref_end[ref - ref_begin] = (int32_t)(position - 1);
    }
    return rb_number_text(s, hyps, hyp, refs, first_long, 0, 0, first_record);
}

/* Order 1: a counting sort of the positions by token, into `spare`. */
static inline int rb_group_by_token(rb_grouping *s) {
    int64_t p, total = 0;
    int32_t number;
    memset(s->cursor, 0, (size_t)s->n_groups * sizeof(int32_t));
    for (p = 0; p < s->length; p++) {
        if (rb_grouping_poll(s, p) < 0) return -1;
        s->group[p] = RB_DROPPED;
        if (s->token[p] != RB_DROPPED) s->cursor[s->token[p]]++;
    }
    for (number = 0; number < s->n_groups; number++) {
        s->start[number] = (int32_t)total;
        total += s->cursor[number];
        s->cursor[number] = s->start[number];
    }
    for (p = 0; p < s->length; p++) {
        if (rb_grouping_poll(s, p) < 0) return -1;
        number = s->token[p];
        if (number != RB_DROPPED) s->spare[s->cursor[number]++] = (int32_t)p;
    }
    s->n_listed = 0;
    return 0;
}

/* Put the live positions into `spare` by group, in order of the token `order` places on. */
static inline int rb_group_by_next(rb_grouping *s, int order) {
    int64_t k;
    int32_t number;
    for (number = 0; number < s->n_groups; number++) s->cursor[number] = s->start[number];
    for (k = 0; k < s->n_by_token; k++) {
        const int32_t p = s->by_token[k] - order;
        if (rb_grouping_poll(s, k) < 0) return -1;
        if (p >= 0 && s->group[p] != RB_DROPPED) s->spare[s->cursor[s->group[p]]++] = p;
    }
    for (k = 0; k < s->n_listed; k++) {
        if (rb_grouping_poll(s, k) < 0) return -1;
        s->group[s->listed[k]] = RB_DROPPED;
    }
    return 0;
}

/* The gap behind the reference that holds a position. */
static inline int32_t rb_end_of_ref(const rb_grouping *s, int32_t position) {
    int32_t low = 0, high = s->n_refs - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (s->ref_end[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return s->ref_end[low];
}

/* Split the buckets in `spare` into groups; number and list those found on both sides.  Returns the
 * sum of their clipped counts, or -1 with an exception. */
static inline int64_t rb_keep_matched(rb_grouping *s, int order) {
    const int64_t n_buckets = s->n_groups;
    int64_t clipped = 0, n_listed = 0, bucket, k;
    int32_t n_groups = 0, *swap;
    for (bucket = 0; bucket < n_buckets; bucket++) {
        const int32_t last = s->cursor[bucket];
        int32_t begin = s->start[bucket], end;
        s->work += 1 + last - begin;
        if (s->work > RB_POLL_TOKENS) {
            s->work = 0;
            if (rb_poll_without_gil(s->stop) < 0) return -1;
        }
        for (; begin < last; begin = end) {
            const int32_t token = s->token[s->spare[begin] + order];
            int32_t count = 0, in_refs = 0, in_ref = 0, text_end = s->hyp_end;
            for (end = begin; end < last && s->token[s->spare[end] + order] == token; end++) {
                const int32_t p = s->spare[end];
                if (p < s->hyp_end) {
                    count++;
                    continue;
                }
                if (p > text_end) {
                    in_ref = 0;
                    text_end = rb_end_of_ref(s, p);
                }
                in_ref++;
                if (in_ref > in_refs) in_refs = in_ref;
            }
            if (count == 0 || in_refs == 0) continue;
            clipped += count < in_refs ? count : in_refs;
            s->next_start[n_groups] = (int32_t)n_listed;
            for (k = begin; k < end; k++) {
                const int32_t p = s->spare[k];
                s->group[p] = n_groups;
                s->listed[n_listed++] = p;
            }
            n_groups++;
        }
    }
    swap = s->start;
    s->start = s->next_start;
    s->next_start = swap;
    s->n_listed = n_listed;
    s->n_groups = n_groups;
    return clipped;
}

/* Fill correct[0 .. max_order), which are 0, for hypothesis `hyp` against references
 * [ref_begin, ref_end). */
static inline int rb_refined_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                    int64_t ref_begin, int64_t ref_end, int max_order,
                                    int64_t *correct, rb_refinement *c, PyObject *stop) {
    rb_grouping s;
    int order;
    s.stop = stop;
    s.work = 0;
    if (rb_grouping_lay_out(&s, hyps, hyp, refs, ref_begin, ref_end, c) < 0
        || rb_number_tokens(&s, hyps, hyp, refs, ref_begin, ref_end) < 0 || rb_group_by_token(&s) < 0)
        return -1;
    if ((correct[0] = rb_keep_matched(&s, 0)) < 0) return -1;
    s.n_by_token = s.n_listed;
    memcpy(s.by_token, s.listed, (size_t)s.n_listed * sizeof(int32_t));
    for (order = 1; order < max_order && s.n_groups > 0; order++) {
        if (rb_group_by_next(&s, order) < 0) return -1;
        if ((correct[order] = rb_keep_matched(&s, order)) < 0) return -1;
    }
    return 0;
}

#endif
