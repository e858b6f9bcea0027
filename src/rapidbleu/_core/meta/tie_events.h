/* The best threshold of ties: the difference up to which a metric's scores should count as equal.
 * As the threshold rises, pairs become ties, the closest first. A pair of equal human scores
 * becomes right, a pair that the metric ordered like the human scores becomes wrong, and nothing
 * changes for the rest. So the accuracy of a group is a count that changes by one at known
 * differences, the events, and the best threshold is the lowest with the maximum mean over groups.
 *
 * A difference is a positive double, whose bits order like integers. Groups of one size weigh the
 * same and are counted together, as a class, in integers: the mean is a sum over classes, without
 * the drift of a running sum. All pairs of 15,000 scores would take gigabytes as events, so a
 * histogram of differences divides them into ranges, each of which is filled, sorted and processed
 * in turn. Reference: Deutsch et al. 2023, Ties Matter: Meta-Evaluating Modern Metrics with
 * Pairwise Accuracy and Tie Calibration, section 6. */
#ifndef RAPIDBLEU_META_TIE_EVENTS_H
#define RAPIDBLEU_META_TIE_EVENTS_H

#include "meta/gold.h"

#define RB_BUCKET_SHIFT 46      /* of a difference's bits: 64 buckets per power of two */
#define RB_BUCKETS (1 << 17)    /* differences are positive: their highest bit is 0 */
#define RB_EVENTS (INT64_C(1) << 24) /* in a range, unless one bucket has more */

typedef struct {
    double accuracy;
    double epsilon;
    double widest; /* maximum difference of a pair */
} rb_best_ties;

typedef struct {
    const rb_gold *gold;
    const double *metric;     /* [n] */
    double *scores;           /* [longest] of a group in human order; followed by other arrays */
    uint64_t lowest, highest; /* range of bits of differences, without the highest */
    rb_keyed *events; /* of the range: place is twice the class, plus 1 if a pair becomes right;
                         NULL: only count them */
    int64_t n_events;
    int64_t *histogram; /* [RB_BUCKETS] if they are counted */
    int64_t *pairs;     /* [n_classes] of a group of the class */
    int64_t *right;     /* [n_classes] right pairs: without a threshold, then up to the sweep */
    double *parts;      /* [n_classes] of the mean accuracy */
    int32_t *class_of;  /* [longest + 1] by group size; -1 if the size does not occur */
    int32_t n_classes;
    int64_t n_groups; /* with pairs */
    double widest;
} rb_tie_walk;

/* Find the classes of groups, by first appearance. 0 or -1; must be freed in any case. */
static inline int rb_tie_walk_make(rb_tie_walk *walk, const rb_gold *gold, const double *metric) {
    const int64_t n_sizes = gold->longest + 1;
    int64_t g, n;
    memset(walk, 0, sizeof *walk);
    walk->gold = gold;
    walk->metric = metric;
    walk->scores = (double *)rb_allocate_zeros(5 * n_sizes + RB_BUCKETS, 8);
    if (walk->scores == NULL) return -1;
    walk->histogram = (int64_t *)(walk->scores + n_sizes);
    walk->pairs = walk->histogram + RB_BUCKETS;
    walk->right = walk->pairs + n_sizes;
    walk->parts = (double *)(walk->right + n_sizes);
    walk->class_of = (int32_t *)(walk->parts + n_sizes);
    for (n = 0; n < n_sizes; n++) walk->class_of[n] = -1;
    for (g = 0; g < gold->n_groups; g++) {
        n = gold->offsets[g + 1] - gold->offsets[g];
        if (n < 2) continue;
        walk->n_groups++;
        if (walk->class_of[n] < 0) {
            walk->pairs[walk->n_classes] = n * (n - 1) / 2;
            walk->class_of[n] = walk->n_classes++;
        }
    }
    return 0;
}

static inline uint64_t rb_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline void rb_meet_event(rb_tie_walk *walk, double difference, int32_t class_, int right) {
    const uint64_t bits = rb_bits_of(difference);
    if (walk->events == NULL) {
        walk->histogram[bits >> RB_BUCKET_SHIFT]++;
    } else if (bits >= walk->lowest && bits < walk->highest) {
        rb_keyed *event = &walk->events[walk->n_events++];
        event->key = bits;
        event->place = 2 * (int64_t)class_ + right;
    }
}

static inline int rb_walk_pairs(rb_tie_walk *walk, PyObject *stop) {
    const rb_gold *gold = walk->gold;
    int64_t g, i, j, worked = 0;
    walk->n_events = 0;
    for (g = 0; g < gold->n_groups; g++) {
        const int64_t begin = gold->offsets[g], n = gold->offsets[g + 1] - begin;
        const int32_t class_ = walk->class_of[n], *run = gold->run + begin;
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
                    rb_meet_event(walk, distance, class_, tied);
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

static inline double rb_mean_accuracy(const rb_tie_walk *walk) {
    double sum = 0.0;
    int32_t k;
    for (k = 0; k < walk->n_classes; k++) sum += walk->parts[k];
    return sum / (double)walk->n_groups;
}

/* Apply sorted events, tracking the best threshold. 0 or -1. */
static inline int rb_sweep_events(rb_tie_walk *walk, const rb_keyed *events, int64_t n,
                                  rb_best_ties *best, PyObject *stop) {
    int64_t i = 0;
    double value;
    while (i < n) {
        const uint64_t bits = events[i].key;
        for (; i < n && events[i].key == bits; i++) {
            const int64_t k = events[i].place / 2;
            walk->right[k] += events[i].place % 2 ? 1 : -1;
            walk->parts[k] = (double)walk->right[k] / (double)walk->pairs[k];
            if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(stop) < 0) return -1;
        }
        value = rb_mean_accuracy(walk);
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

/* Find the best threshold; nan without pairs. 0 or -1. */
static inline int rb_find_best_ties(const rb_gold *gold, const double *metric, rb_best_ties *best,
                                    PyObject *stop) {
    int64_t bucket, end, n_events, capacity = 0;
    rb_keyed *events = NULL, *sorted;
    rb_tie_walk walk;
    int32_t k;
    int status = -1;
    best->accuracy = NAN;
    best->epsilon = best->widest = 0.0;
    if (rb_tie_walk_make(&walk, gold, metric) < 0 || rb_walk_pairs(&walk, stop) < 0) goto done;
    for (k = 0; k < walk.n_classes; k++)
        walk.parts[k] = (double)walk.right[k] / (double)walk.pairs[k];
    if (walk.n_groups > 0) best->accuracy = rb_mean_accuracy(&walk);
    best->widest = walk.widest;
    for (bucket = 0; bucket < RB_BUCKETS; bucket = end) {
        end = rb_range_end(walk.histogram, bucket, &n_events);
        if (n_events == 0) continue;
        if (rb_room((void **)&events, &capacity, 2 * n_events, sizeof *events) < 0) goto done;
        walk.lowest = (uint64_t)bucket << RB_BUCKET_SHIFT;
        walk.highest = (uint64_t)end << RB_BUCKET_SHIFT;
        walk.events = events;
        if (rb_walk_pairs(&walk, stop) < 0) goto done;
        sorted = rb_sort_keyed(events, events + n_events, n_events, stop);
        if (sorted == NULL || rb_sweep_events(&walk, sorted, n_events, best, stop) < 0) goto done;
    }
    status = 0;
done:
    PyMem_RawFree(events);
    PyMem_RawFree(walk.scores);
    return status;
}

#endif
