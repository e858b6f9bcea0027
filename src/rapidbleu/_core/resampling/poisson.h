/* How often a row is drawn in each resample of a Poisson bootstrap.
 *
 * The idea: a bootstrap draws each of n rows about Poisson(1) times.  If it is drawn exactly so, rows
 * have nothing to do with one another: the weight of a row in resample r is a function of the seed, the
 * row's key and r, and any part of the rows can be added up anywhere.
 *
 * Word r % 4 of counter r / 4 (see resampling/threefry.h) is a number of 32 bits, and the weight is how
 * many of 12 thresholds it reaches.  Threshold k is 2**32 P(X <= k), X of Poisson(1), rounded, so each
 * probability is right to its last bit; 13 is likely 0.3 times in 2**32, and never drawn.
 *
 * Weights are kept as bits, four planes of them: bit b of the weights of 32 rows in a resample is one
 * word, which says which rows to add up 2**b times.  So rows are added by tables of sums, as for coins.
 *
 * References: Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson
 * frequencies; Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data
 * streams. */
#ifndef RAPIDBLEU_RESAMPLING_POISSON_H
#define RAPIDBLEU_RESAMPLING_POISSON_H

#include "common/cpu.h"
#include "common/signals.h"
#include "resampling/threefry.h"
#include <stdint.h>

#define RB_MOST_WEIGHT 12
#define RB_WEIGHT_BITS 4
#define RB_MOST_RESAMPLES 256 /* that are weighed together, a multiple of 4 */
#define RB_MOST_SUM (INT64_C(1) << 60) /* of counts: times RB_MOST_WEIGHT it is below 2**64 */

static const uint32_t rb_poisson_thresholds[RB_MOST_WEIGHT] = {
    UINT32_C(0x5e2d58d9), UINT32_C(0xbc5ab1b1), UINT32_C(0xeb715e1e), UINT32_C(0xfb239797),
    UINT32_C(0xff1025f6), UINT32_C(0xffd90f3c), UINT32_C(0xfffa8b72), UINT32_C(0xffff540c),
    UINT32_C(0xffffed1f), UINT32_C(0xfffffe21), UINT32_C(0xffffffd5), UINT32_C(0xfffffffc),
};

/* The weight that a random word stands for. */
static inline uint32_t rb_poisson_weight(uint32_t word) {
    uint32_t weight = 0;
    while (weight < RB_MOST_WEIGHT && word >= rb_poisson_thresholds[weight]) weight++;
    return weight;
}

/* All bits or none: does a word reach threshold k? */
#define RB_REACHES(word, k) (0u - (uint32_t)((word) >= rb_poisson_thresholds[(k) - 1]))

/* Set the bits of row `row`, 0 to 31, in n resamples.  planes[b * n + i] has bits b for word i. */
RB_INLINE void rb_poisson_set(const uint32_t *words, int64_t n, int row, uint32_t *planes) {
    const uint32_t bit = UINT32_C(1) << row;
    uint32_t large = 0;
    int64_t i, b;
    for (i = 0; i < n; i++) { /* weights up to 5, and 5 for larger ones */
        const uint32_t word = words[i];
        const uint32_t two = RB_REACHES(word, 2), four = RB_REACHES(word, 4);
        const uint32_t odd = RB_REACHES(word, 1) ^ two ^ RB_REACHES(word, 3) ^ four
                           ^ RB_REACHES(word, 5);
        planes[i] |= bit & odd;
        planes[n + i] |= bit & (two ^ four);
        planes[2 * n + i] |= bit & four;
        large |= RB_REACHES(word, 6);
    }
    if (!large) return;
    for (i = 0; i < n; i++) { /* one in 1,700 */
        uint32_t changed;
        if (words[i] < rb_poisson_thresholds[5]) continue;
        changed = rb_poisson_weight(words[i]) ^ 5;
        for (b = 0; b < RB_WEIGHT_BITS; b++) planes[b * n + i] ^= (changed >> b & 1) << row;
    }
}

/* Set the bits of a row in the resamples of n counters, 4 each, at most RB_MOST_RESAMPLES. */
typedef void (*rb_weigher)(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                           uint32_t *planes);

RB_INLINE void rb_weigh(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                        uint32_t *planes) {
    uint32_t words[RB_MOST_RESAMPLES];
    rb_threefry(seed, key, number, n, words);
    rb_poisson_set(words, 4 * n, row, planes);
}

static void rb_weigh_portable(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                              uint32_t *planes) {
    rb_weigh(seed, key, number, n, row, planes);
}

#if RB_HAVE_V3
RB_V3 static void rb_weigh_v3(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row,
                              uint32_t *planes) {
    rb_weigh(seed, key, number, n, row, planes);
}
#endif

static inline rb_weigher rb_weigher_select(void) {
#if RB_HAVE_V3
    if (rb_use_v3()) return rb_weigh_v3;
#endif
    return rb_weigh_portable;
}

/* Refuse counts that are negative, or with a sum beyond RB_MOST_SUM: -1. */
static inline int rb_check_counts(const int64_t *rows, int64_t n, int64_t width) {
    int64_t column, i;
    for (column = 0; column < width; column++) {
        int64_t left = RB_MOST_SUM;
        if (rb_poll_without_gil(NULL) < 0) return -1;
        for (i = 0; i < n; i++) {
            const int64_t count = rows[i * width + column];
            if (count < 0 || count > left) {
                const PyGILState_STATE state = PyGILState_Ensure();
                PyErr_Format(PyExc_ValueError,
                             "rows[%lld][%lld]: expected counts from 0 on whose sum is at most "
                             "2**60, got %lld",
                             (long long)i, (long long)column, (long long)count);
                PyGILState_Release(state);
                return -1;
            }
            left -= count;
        }
    }
    return 0;
}

#endif
