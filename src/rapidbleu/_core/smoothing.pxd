"""Scores smoothed over neighbouring intervals: linear in their number, however wide the window.

The mean comes from a sliding sum of integers, which does not drift.  A score is an integer and a
fraction of the unit that the highest possible sum has 53 bits of; both are added up exactly, and
the sum is rounded once.  Only what lies 70 bits and more below the highest score is cut off.

Of the worst scores those that a later one is no better than never count again, so the others form
a queue from worse to better.
"""

from libc.math cimport NAN, fabs, frexp, isfinite, ldexp
from libc.stdint cimport int64_t

from cpython.object cimport PyObject

from rapidbleu._core.common cimport POLL_TOKENS, poll_without_gil


cdef enum:
    SUM_BITS = 53            # of the whole units of the highest sum: a double holds them
    COUNT_BITS = 62


ctypedef struct SlidingSumC:
    int exponent         # a unit is 2**-exponent
    int fraction_bits
    int64_t units
    int64_t fractions
    int64_t n_unbounded  # scores in the sum that are infinite, or no numbers


cdef inline void add_score(SlidingSumC* s, double score, int sign) noexcept nogil:
    cdef double scaled
    cdef int64_t units
    if not isfinite(score):
        s.n_unbounded += sign
        return
    scaled = ldexp(score, s.exponent)
    units = <int64_t> scaled
    s.units += sign * units
    s.fractions += sign * <int64_t> ldexp(scaled - <double> units, s.fraction_bits)


cdef inline double mean_of(const SlidingSumC* s, int64_t n) noexcept nogil:
    cdef int64_t carry = s.fractions // (<int64_t> 1 << s.fraction_bits)
    cdef double rest = <double> (s.fractions - carry * (<int64_t> 1 << s.fraction_bits))
    if s.n_unbounded:
        return NAN
    rest = <double> (s.units + carry) + ldexp(rest, -s.fraction_bits)
    return ldexp(rest / <double> n, -s.exponent)


cdef inline int smooth_by_mean(
    const double* scores, int64_t n, int64_t window, double* smoothed, PyObject* stop
) except -1 nogil:
    """Write the mean of n scores and their neighbours, `window` < n on either side."""
    cdef SlidingSumC s
    cdef double highest = 0.0
    cdef int64_t i, begin, end = 0, most = min(n, 2 * window + 1)
    cdef int exponent, bits = 0
    for i in range(n):
        if isfinite(scores[i]):
            highest = max(highest, fabs(scores[i]))
    while most >> bits:
        bits += 1
    frexp(highest, &exponent)
    s.exponent = SUM_BITS - bits - exponent
    s.fraction_bits = min(<int> SUM_BITS, COUNT_BITS - bits)
    s.units = s.fractions = s.n_unbounded = 0
    for i in range(n):
        if i % POLL_TOKENS == 0:
            poll_without_gil(stop)
        begin = max(0, i - window)
        while end < min(n, i + window + 1):
            add_score(&s, scores[end], 1)
            end += 1
        if i > window:
            add_score(&s, scores[begin - 1], -1)
        smoothed[i] = mean_of(&s, end - begin)
    return 0


cdef inline int smooth_by_worst(
    const double* scores, int64_t n, int64_t window, bint lower_is_better, double* smoothed,
    int64_t* queue, PyObject* stop,
) except -1 nogil:
    """Write the worst of n scores and their neighbours; there is room for n in the queue."""
    cdef int64_t i, end = 0, first = 0, last = 0
    for i in range(n):
        if i % POLL_TOKENS == 0:
            poll_without_gil(stop)
        while end < min(n, i + window + 1):
            while last > first and (
                scores[queue[last - 1]] <= scores[end] if lower_is_better
                else scores[queue[last - 1]] >= scores[end]
            ):
                last -= 1
            queue[last] = end
            last += 1
            end += 1
        while queue[first] < i - window:
            first += 1
        smoothed[i] = scores[queue[first]]
    return 0
