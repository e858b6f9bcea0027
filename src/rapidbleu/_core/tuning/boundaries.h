/* What happens along a line: boundaries in the order of their places, by sorting the bits of
 * these.
 *
 * A line search has about seven events a segment, each a boundary between two of its hypotheses.
 * Eight bits of all places at a time are sorted in a tenth of the time that the envelopes take,
 * four times as fast as comparing places.  Bits that are the same in all places are passed over. */
#ifndef RAPIDBLEU_TUNING_BOUNDARIES_H
#define RAPIDBLEU_TUNING_BOUNDARIES_H

#include "common/signals.h"
#include <string.h>

#define RB_KEY_DIGITS 8
#define RB_KEY_RADIX 256

typedef struct {
    uint64_t key;   /* orders like the place on the line */
    int64_t change; /* which of the changes of the sums it makes */
} rb_event;

/* An integer that orders like x. */
static inline uint64_t rb_event_key(double x) {
    uint64_t bits;
    x += 0.0; /* zeros of either sign are the same place */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The x that has a key. */
static inline double rb_event_place(uint64_t key) {
    const uint64_t bits = key >> 63 ? key ^ UINT64_C(1) << 63 : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One of the eight digits of a key, the lowest first. */
static inline int rb_key_digit(uint64_t key, int digit) {
    return (int)(key >> (8 * digit) & (RB_KEY_RADIX - 1));
}

/* Sort n events by place, equal ones in the order they had; the result is in one array or the
 * other.  NULL if an exception is set. */
static inline rb_event *rb_events_sort(rb_event *events, rb_event *spare, int64_t n,
                                       PyObject *stop) {
    int64_t counts[RB_KEY_DIGITS][RB_KEY_RADIX];
    rb_event *source = events, *target = spare;
    int64_t i, before, n_here;
    int digit, value;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++) {
        if (i % RB_POLL_TOKENS == 0 && rb_poll_without_gil(stop) < 0) return NULL;
        for (digit = 0; digit < RB_KEY_DIGITS; digit++)
            counts[digit][rb_key_digit(events[i].key, digit)]++;
    }
    for (digit = 0; digit < RB_KEY_DIGITS; digit++) {
        if (n == 0 || counts[digit][rb_key_digit(events[0].key, digit)] == n) continue;
        before = 0;
        for (value = 0; value < RB_KEY_RADIX; value++) {
            n_here = counts[digit][value];
            counts[digit][value] = before;
            before += n_here;
        }
        for (i = 0; i < n; i++) {
            if (i % RB_POLL_TOKENS == 0 && rb_poll_without_gil(stop) < 0) return NULL;
            value = rb_key_digit(source[i].key, digit);
            target[counts[digit][value]++] = source[i];
        }
        source = target;
        target = source == events ? spare : events;
    }
    return source;
}

#endif
