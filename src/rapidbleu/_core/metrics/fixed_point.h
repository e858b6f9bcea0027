/* Real numbers in rows of integers, so that their sums are exact in any order.
 *
 * A number takes two columns: whole units of 2**-20, and the rest in units of 2**-50.  Both count
 * upwards like those of every other metric and stay below 2**31 for numbers below 2,048, so rows
 * also fit into 32-bit integers.  A number is kept to 2**-51 and sums are exact; sums of doubles
 * would be rounded, in another way in another order. */
#ifndef RAPIDBLEU_METRICS_FIXED_POINT_H
#define RAPIDBLEU_METRICS_FIXED_POINT_H

#include <stdint.h>

#define RB_UNITS 1048576.0    /* of 1: a unit is 2**-20 */
#define RB_PARTS 1073741824.0 /* of a unit, 2**30 */
#define RB_REAL 2             /* columns */

/* Write a number from 0 to 2**40. */
static inline void rb_real_store(int64_t *columns, double number) {
    const double units = number * RB_UNITS;
    columns[0] = (int64_t)units;
    columns[1] = (int64_t)((units - (double)columns[0]) * RB_PARTS + 0.5);
}

/* The number of so many units and parts of them, below 2**53 of each, rounded once. */
static inline double rb_real_of(int64_t units, int64_t rest) {
    return ((double)units + (double)rest / RB_PARTS) / RB_UNITS;
}

/* The number, or a sum of numbers. */
static inline double rb_real_value(const int64_t *columns) {
    return rb_real_of(columns[0], columns[1]);
}

#endif
