"""C contract of the choice of an interval."""

from libc.stdint cimport int64_t

from cpython.object cimport PyObject


ctypedef struct RulesC:
    double low           # where the line begins, or -inf
    double high          # where it ends, or inf
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


cdef int choose_interval(
    const double* boundaries, const double* scores, const double* smoothed, int64_t n,
    const RulesC* rules, ChoiceC* choice, PyObject* stop,
) except -1 nogil
