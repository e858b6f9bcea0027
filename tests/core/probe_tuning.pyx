"""The headers of `_core/tuning`, called directly."""

from libc.float cimport FLT_MAX
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from cpython.object cimport PyObject

from rapidbleu._core.tuning cimport (
    BestIntervalC, EventC, LinesC, RulesC, SweeperC, VertexC, choose_interval, event_key,
    event_place, smooth_by_mean, smooth_by_worst, sort_events, sweeper_select, upper_envelope,
)


cdef extern from "tuning/envelope_prefilter.h" nogil:
    ctypedef struct ExtremesC "rb_extremes":
        float low, high, left, right, middle
    ctypedef struct SieveC "rb_sieve":
        pass
    ctypedef struct OpenSweeperC "rb_sweeper":
        void (*extremes)(const float*, const float*, Py_ssize_t, ExtremesC*) noexcept nogil
        Py_ssize_t (*sift)(
            const float*, const float*, Py_ssize_t, const SieveC*, uint32_t*
        ) noexcept nogil
    void rb_sieve_make(const ExtremesC*, float depth, bint rounded, SieveC*) noexcept


cdef class Doubles:
    """A C array of the numbers of a list."""

    cdef double* data

    def __cinit__(self, values):
        cdef Py_ssize_t i
        self.data = <double*> malloc(len(values) * sizeof(double) + 1)
        for i in range(len(values)):
            self.data[i] = values[i]

    def __dealloc__(self):
        free(self.data)


cdef class Floats:
    """The same in single precision."""

    cdef float* data

    def __cinit__(self, values):
        cdef Py_ssize_t i
        self.data = <float*> malloc(len(values) * sizeof(float) + 1)
        for i in range(len(values)):
            self.data[i] = <float> <double> values[i]

    def __dealloc__(self):
        free(self.data)


def sift(intercepts, slopes, bint use_simd, bint rounded=False):
    """The extremes of padded lines, and the numbers of those that the prefilter keeps."""
    cdef Floats a = Floats(intercepts), b = Floats(slopes)
    cdef SweeperC sweeper = sweeper_select(use_simd)
    cdef OpenSweeperC* functions = <OpenSweeperC*> &sweeper
    cdef ExtremesC e
    cdef SieveC sieve
    cdef uint32_t* kept = <uint32_t*> malloc(len(intercepts) * sizeof(uint32_t))
    functions.extremes(a.data, b.data, len(intercepts), &e)
    rb_sieve_make(&e, <float> <double> min(intercepts), rounded, &sieve)
    cdef Py_ssize_t n = functions.sift(a.data, b.data, len(intercepts), &sieve, kept)
    result = (e.low, e.high, e.left, e.right, e.middle), [kept[i] for i in range(n)]
    free(kept)
    return result


def envelope(intercepts, slopes, bint use_simd, bint moses=False, stop=None):
    """Lines of the envelope and where each begins; slopes are exact in double precision."""
    cdef int64_t n = len(intercepts), n_padded = (n + 7) // 8 * 8, m
    top = max(intercepts)
    padding = [0] * (n_padded - n)
    intercepts = intercepts + [intercepts[i] for i in padding]
    slopes = slopes + [slopes[i] for i in padding]
    cdef Doubles exact_intercepts = Doubles(intercepts), exact_slopes = Doubles(slopes)
    cdef Floats rounded = Floats([y - top for y in intercepts]), rounded_slopes = Floats(slopes)
    cdef SweeperC sweeper = sweeper_select(use_simd)
    cdef LinesC lines
    cdef uint32_t* kept = <uint32_t*> malloc(n_padded * sizeof(uint32_t))
    cdef VertexC* vertices = <VertexC*> malloc(2 * n_padded * sizeof(VertexC))
    lines.n, lines.n_padded = n, n_padded
    lines.intercepts, lines.slopes = rounded.data, rounded_slopes.data
    lines.depth = <float> <double> (min(intercepts) - top)
    lines.exact_intercepts, lines.exact_slopes = exact_intercepts.data, exact_slopes.data
    try:
        m = upper_envelope(&lines, &sweeper, kept, vertices, moses, <PyObject*> stop)
        return [(vertices[i].line, vertices[i].begin) for i in range(m)]
    finally:
        free(kept)
        free(vertices)


def key(double x):
    return event_key(x)


def place(uint64_t key):
    return event_place(key)


def sort_places(places, stop=None):
    """Places in order, with the number that each had."""
    cdef int64_t n = len(places), i
    cdef EventC* events = <EventC*> malloc(2 * n * sizeof(EventC) + 1)
    cdef EventC* result
    for i in range(n):
        events[i].key, events[i].change = event_key(places[i]), i
    try:
        result = sort_events(events, events + n, n, <PyObject*> stop)
        return [(event_place(result[i].key), result[i].change) for i in range(n)]
    finally:
        free(events)


def smooth(scores, int64_t window, bint by_mean, bint lower_is_better=False, stop=None):
    cdef Doubles given = Doubles(scores), smoothed = Doubles(scores)
    cdef int64_t n = len(scores)
    cdef int64_t* queue = <int64_t*> malloc(n * sizeof(int64_t) + 1)
    try:
        if by_mean:
            smooth_by_mean(given.data, n, window, smoothed.data, <PyObject*> stop)
        else:
            smooth_by_worst(
                given.data, n, window, lower_is_better, smoothed.data, queue, <PyObject*> stop
            )
        return [smoothed.data[i] for i in range(n)]
    finally:
        free(queue)


def best_interval(
    boundaries, scores, double low=-INFINITY, double high=INFINITY, bint lower_is_better=False,
    bint moses=False, double slope=0.0, double curvature=0.0, stop=None,
):
    cdef Doubles places = Doubles(boundaries), values = Doubles(scores)
    cdef RulesC rules
    cdef BestIntervalC best
    rules.low, rules.high, rules.lower_is_better, rules.moses = low, high, lower_is_better, moses
    rules.slope, rules.curvature = slope, curvature
    choose_interval(
        places.data, values.data, values.data, len(boundaries), &rules, &best, <PyObject*> stop
    )
    return {
        "x": best.x, "score": best.score, "objective": best.objective, "here": best.here,
        "ends": (best.low, best.high),
    }
