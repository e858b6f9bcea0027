/* The best threshold of ties: below which difference of a metric's scores should two be called equal?
 *
 * As the threshold rises, pairs become ties, the closest first.  A pair that people call equal is
 * then counted right, one that the metric had ordered as people do is no longer, and for all others
 * nothing changes.  So the accuracy of a group is a count that goes up and down by one at differences
 * that are known, the events, and the best threshold is where the mean over groups is highest; of
 * several such, the lowest.
 *
 * A difference is a positive double, whose bits, read as an integer, have the order of the numbers.
 * Groups with the same number of pairs weigh the same
 * and are counted together, as a class, in integers: the mean is a sum over classes, without the
 * drift of a running sum.  All pairs of 15,000 scores would take gigabytes as events; so a histogram
 * of differences cuts them into ranges, each of which is filled, sorted and gone through in turn.
 *
 * Reference: Deutsch et al. 2023, Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy
 * and Tie Calibration, section 6. */
#ifndef RAPIDBLEU_META_TIE_EVENTS_H
#define RAPIDBLEU_META_TIE_EVENTS_H

#include "meta/gold.h"

#define RB_BUCKET_SHIFT 46      /* of a difference's bits: 64 buckets for each power of two */
#define RB_BUCKETS (1 << 17)    /* differences are positive: their highest bit is 0 */
#define RB_EVENTS (INT64_C(1) << 24) /* of a range, unless one bucket has more */

typedef struct {
    double accuracy;
    double epsilon;
    double widest; /* the greatest difference of a pair */
} rb_best_ties;

typedef struct {
    const rb_gold *gold;
    const double *metric;     /* [n] */
    const int32_t *class_of;  /* [n_groups]; -1: a group without pairs */
    double *scores;           /* [longest] of a group in human order */
    uint64_t lowest, highest; /* the range: bits of differences, the highest left out */
    rb_keyed *events; /* of the range: place has the class, note 1 or -1; NULL: count them only */
    int64_t n_events;
    int64_t *histogram; /* [RB_BUCKETS] if they are counted */
    int64_t *right;     /* [n_classes] pairs right without a threshold, if they are counted */
    double widest;
} rb_tie_walk;

static inline uint64_t rb_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Count an event, or keep it if it is in the range. */
static inline void rb_meet_event(rb_tie_walk *walk, double difference, int32_t class_, int effect) {
    const uint64_t bits = rb_bits_of(difference);
    if (walk->events == NULL) {
        walk->histogram[bits >> RB_BUCKET_SHIFT]++;
    } else if (bits >= walk->lowest && bits < walk->highest) {
        rb_keyed *event = &walk->events[walk->n_events++];
        event->key = bits;
        event->place = class_;
        event->note = effect;
    }
}

/* Go through all pairs of all groups.  0 or -1. */
static inline int rb_walk_pairs(rb_tie_walk *walk, PyObject *stop) {
    const rb_gold *gold = walk->gold;
    int64_t g, i, j, worked = 0;
    walk->n_events = 0;
    for (g = 0; g < gold->n_groups; g++) {
        const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
        const int32_t class_ = walk->class_of[g], *run = gold->run + begin;
        double *y = walk->scores;
        int64_t right = 0;
        for (i = 0; i < n; i++) y[i] = walk->metric[begin + gold->order[begin + i]];
        for (i = 0; i < n; i++) {
            for (j = 0; j < i; j++) {
                const double difference = y[i] - y[j], distance = fabs(difference);
                const int tied = j >= run[i];
                if (distance > walk->widest) walk->widest = distance;
                right += tied ? difference == 0.0 : difference > 0.0;
                if (tied ? difference != 0.0 : difference > 0.0)
                    rb_meet_event(walk, distance, class_, tied ? 1 : -1);
            }
            worked += i + 1;
            if (worked >= RB_POLL_CELLS) {
                worked = 0;
                if (rb_poll_without_gil(stop) < 0) return -1;
            }
        }
        if (walk->events == NULL && n > 1) walk->right[class_] += right;
    }
    return 0;
}

/* The mean over groups, of which n_groups have pairs. */
static inline double rb_mean_accuracy(const double *parts, int32_t n_classes, int64_t n_groups) {
    double sum = 0.0;
    int32_t k;
    for (k = 0; k < n_classes; k++) sum += parts[k];
    return sum / (double)n_groups;
}

/* Let sorted events happen; keep the best threshold.  `right` and `parts` go on.  0 or -1. */
static inline int rb_sweep_events(const rb_keyed *events, int64_t n, int64_t *right,
                                  const int64_t *pairs, double *parts, int32_t n_classes,
                                  int64_t n_groups, rb_best_ties *best, PyObject *stop) {
    int64_t i = 0;
    double value;
    while (i < n) {
        const uint64_t bits = events[i].key;
        for (; i < n && events[i].key == bits; i++) {
            const int32_t k = events[i].place;
            right[k] += events[i].note;
            parts[k] = (double)right[k] / (double)pairs[k];
            if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(stop) < 0) return -1;
        }
        value = rb_mean_accuracy(parts, n_classes, n_groups);
        if (value > best->accuracy) {
            best->accuracy = value;
            memcpy(&best->epsilon, &bits, sizeof bits);
        }
    }
    return 0;
}

/* The end of a range of buckets from `bucket` on with at most RB_EVENTS events, or one bucket. */
static inline int64_t rb_range_end(const int64_t *histogram, int64_t bucket, int64_t *n_events) {
    *n_events = histogram[bucket++];
    while (bucket < RB_BUCKETS && *n_events + histogram[bucket] <= RB_EVENTS)
        *n_events += histogram[bucket++];
    return bucket;
}

/* Find the best threshold.  `pairs`: [n_classes] of a group of the class; `right`, `parts`:
 * [n_classes] for use; n_groups is how many have pairs.  0 or -1. */
static inline int rb_find_best_ties(rb_tie_walk *walk, const int64_t *pairs, double *parts,
                                    int32_t n_classes, int64_t n_groups, rb_best_ties *best,
                                    PyObject *stop) {
    int64_t bucket, end, n_events, capacity = 0;
    rb_keyed *events = NULL, *sorted;
    int32_t k;
    int status = -1;
    if (rb_walk_pairs(walk, stop) < 0) return -1;
    for (k = 0; k < n_classes; k++) parts[k] = (double)walk->right[k] / (double)pairs[k];
    best->accuracy = rb_mean_accuracy(parts, n_classes, n_groups);
    best->epsilon = 0.0;
    best->widest = walk->widest;
    for (bucket = 0; bucket < RB_BUCKETS; bucket = end) {
        end = rb_range_end(walk->histogram, bucket, &n_events);
        if (n_events == 0) continue;
        if (rb_room((void **)&events, &capacity, 2 * n_events, sizeof *events) < 0) goto done;
        walk->lowest = (uint64_t)bucket << RB_BUCKET_SHIFT;
        walk->highest = (uint64_t)end << RB_BUCKET_SHIFT;
        walk->events = events;
        if (rb_walk_pairs(walk, stop) < 0) goto done;
        sorted = rb_sort_keyed(events, events + n_events, n_events, stop);
        if (sorted == NULL) goto done;
        if (rb_sweep_events(sorted, n_events, walk->right, pairs, parts, n_classes, n_groups, best,
                            stop) < 0)
            goto done;
    }
    status = 0;
done:
    PyMem_RawFree(events);
    return status;
}

#endif
