"""C contract of the choice of an interval."""

from libc.stdint cimport int64_t


cdef enum:
    NO_SMOOTHING
    MEAN
    MINIMUM


ctypedef struct RulesC:
    double low           # where the line begins, or -inf
    double high          # where it ends, or inf
    int smoothing        # of scores, over `window` intervals on either side
    int64_t window
    double slope         # of a penalty slope * x + curvature * x**2
    double curvature
    bint lower_is_better  # is the objective made of negative scores?
    bint moses           # take the first of equal intervals, step as Moses does


ctypedef struct ChoiceC:
    double x
    double score         # there
    double objective     # there: the score after smoothing, less the penalty
    double here          # the objective where x is 0
    double low           # the interval, or several with equal objectives
    double high


cdef void choose_interval(
    const double* boundaries, const double* scores, int64_t n, const RulesC* rules,
    ChoiceC* choice
) noexcept nogil
