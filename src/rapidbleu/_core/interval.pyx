"""Where to go on a line: the best interval between boundaries, and a point in it.

The objective is constant between two boundaries: the score, or its mean or minimum over
neighbouring intervals (Cer et al. 2008; smoothing.pxd), less a penalty at the interval's middle.
Error rates count as negative scores, and the minimum of these is minus the highest rate.
Neighbours with the same objective count as one interval.  The best objective wins, and of equal
ones the widest interval: it changes least when features do.  The point is its middle.

An interval that has no end has no middle.  There the point lies beyond the outermost boundary by a
tenth of its distance from here, which does not depend on the scale of the features.  A line without
boundaries is no reason to move.

Moses takes the first of the best intervals, goes back by 1000 from the first boundary or on by 0.1
from the last, and does not move at all by less than 0.00015.
"""

from libc.math cimport INFINITY, fabs

from rapidbleu._core.common cimport POLL_TOKENS, poll_without_gil
from rapidbleu._core.smoothing cimport POLL_TOKENS


cdef enum:
    STEPS_BACK = 1000

cdef double BEYOND = 0.1
cdef double NO_STEP = 0.00015


cdef inline double end_of(
    const double* boundaries, int64_t n, int64_t i, const RulesC* rules
) noexcept nogil:
    """Boundary i, or an end of the line."""
    if i < 0:
        return rules.low
    return boundaries[i] if i < n else rules.high


cdef inline double middle(double low, double high) noexcept nogil:
    """A point between two ends, of which one may be missing."""
    if low > -INFINITY and high < INFINITY:
        return 0.5 * low + 0.5 * high
    if low > -INFINITY:
        return low + BEYOND * (fabs(low) if low != 0.0 else 1.0)
    if high < INFINITY:
        return high - BEYOND * (fabs(high) if high != 0.0 else 1.0)
    return 0.0


cdef inline double moses_point(double low, double high) noexcept nogil:
    """As `middle`, by the rules of Moses and in single precision."""
    cdef float x
    if low > -INFINITY and high < INFINITY:
        x = <float> (0.5 * <float> (low + high))
    elif low > -INFINITY:
        x = <float> (low + BEYOND)
    else:
        x = <float> (high - STEPS_BACK if high < INFINITY else 0.0)
    return x if fabs(x) >= NO_STEP else 0.0


cdef inline double objective_of(double score, const RulesC* rules, double x) noexcept nogil:
    """The objective at x of an interval that has a score after smoothing."""
    cdef double value = -score if rules.lower_is_better else score
    if rules.slope != 0.0 or rules.curvature != 0.0:
        value -= (rules.slope + rules.curvature * x) * x
    return value


cdef inline int64_t interval_at(const double* boundaries, int64_t n, double x) noexcept nogil:
    """The interval that begins at x or has it inside."""
    cdef int64_t low = 0, high = n, i
    while low < high:
        i = (low + high) // 2
        if boundaries[i] <= x:
            low = i + 1
        else:
            high = i
    return low


cdef int choose_interval(
    const double* boundaries, const double* scores, const double* smoothed, int64_t n,
    const RulesC* rules, ChoiceC* choice, PyObject* stop,
) except -1 nogil:
    """Choose among the n + 1 intervals between n boundaries."""
    cdef int64_t i = 0, last, polled = 0
    cdef double objective, next_one, low, high
    cdef bint better
    choice.objective = -INFINITY
    choice.low = choice.high = 0.0
    next_one = objective_at_middle(boundaries, smoothed, n, 0, rules)
    while i <= n:
        if i >= polled + POLL_TOKENS:
            polled = i
            poll_without_gil(stop)
        objective, last = next_one, i
        while last < n:
            next_one = objective_at_middle(boundaries, smoothed, n, last + 1, rules)
            if rules.moses or next_one != objective:
                break
            last += 1
        low = end_of(boundaries, n, i - 1, rules)
        high = end_of(boundaries, n, last, rules)
        better = objective > choice.objective
        if objective == choice.objective and not rules.moses:
            better = high - low > choice.high - choice.low
        if better:
            choice.objective, choice.low, choice.high = objective, low, high
        i = last + 1
    low, high = choice.low, choice.high
    choice.x = moses_point(low, high) if rules.moses else middle(low, high)
    choice.score = scores[interval_at(boundaries, n, choice.x)]
    choice.here = objective_of(smoothed[interval_at(boundaries, n, 0.0)], rules, 0.0)
    return 0


cdef inline double objective_at_middle(
    const double* boundaries, const double* smoothed, int64_t n, int64_t i, const RulesC* rules
) noexcept nogil:
    cdef double low = end_of(boundaries, n, i - 1, rules), high = end_of(boundaries, n, i, rules)
    return objective_of(smoothed[i], rules, middle(low, high))
