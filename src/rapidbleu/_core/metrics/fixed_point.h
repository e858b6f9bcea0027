/* Real numbers in rows of integers, so that their sums are exact in any order.
 *
 * A number takes two columns: whole units of 2**-20, and the rest in units of 2**-50.  Both count
 * upwards like those of every other metric and stay below 2**31 for numbers below 2,048, so rows
 * also fit into 32-bit integers.  A number is kept to 2**-51 and sums are exact; sums of doubles
 * would be rounded, in another way in another order. */
#ifndef RAPIDBLEU_METRICS_FIXED_POINT_H
#define RAPIDBLEU_METRICS_FIXED_POINT_H

#include <math.h>
#include <stdint.h>

#define RB_UNIT_BITS 20 /* a unit is 2**-20 */
#define RB_REST_BITS 30 /* and has so many parts */
#define RB_REAL 2       /* columns */

/* Write a number from 0 to 2**40. */
static inline void rb_real_store(int64_t *columns, double number) {
    const double units = ldexp(number, RB_UNIT_BITS), whole = floor(units);
    columns[0] = (int64_t)whole;
    columns[1] = (int64_t)floor(ldexp(units - whole, RB_REST_BITS) + 0.5);
}

/* The number of so many units and parts of them, below 2**53 of each, rounded once. */
static inline double rb_real_of(int64_t units, int64_t rest) {
    return ldexp((double)units + ldexp((double)rest, -RB_REST_BITS), -RB_UNIT_BITS);
}

/* The number, or a sum of numbers. */
static inline double rb_real_value(const int64_t *columns) {
    return rb_real_of(columns[0], columns[1]);
}

#endif
