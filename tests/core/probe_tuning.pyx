"""The headers of `_core/tuning`, called directly."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cpython.object cimport PyObject

from rapidbleu._core.tuning cimport (
    VECTORS, ArgmaxC, BestIntervalC, EventC, FeatureColumnsC, LinesC, RulesC, SweeperC, VertexC,
    WeigherC, argmax_free, argmax_init, argmax_rows, choose_interval, columns_weigh,
    columns_weigh_single, event_key, event_place, largest_features, smooth_by_mean,
    smooth_by_worst, sort_events, sweeper_select, upper_envelope, weigher_select,
)


cdef extern from "tuning/envelope.h" nogil:
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


cdef extern from "tuning/weighted_argmax.h" nogil:
    ctypedef struct OpenWeigherC "rb_weigher":
        void (*weigh)(
            const float*, Py_ssize_t, Py_ssize_t, const float*, Py_ssize_t, int, float*, float*
        ) noexcept nogil
        Py_ssize_t (*next)(const float*, Py_ssize_t, Py_ssize_t, float) noexcept nogil


cdef extern from "tuning/feature_columns.h" nogil:
    double rb_columns_weigh_one(const FeatureColumnsC*, int64_t, const double*, int64_t) noexcept


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


cdef class Columns:
    """Features in columns, from rows by segment; with `exact` in double precision as well."""

    cdef FeatureColumnsC data
    cdef list owners

    def __cinit__(self, segments, bint exact):
        cdef int64_t i, n_segments = len(segments)
        padded = [rows + [rows[0]] * (-len(rows) % 8) for rows in segments]
        places = [row for rows in padded for row in rows]
        columns = [value for column in zip(*places) for value in column]
        cdef Floats rounded = Floats(columns)
        cdef Doubles wide = Doubles(columns)
        self.owners = [rounded, wide]
        self.data.n_segments, self.data.n_features = n_segments, len(places[0])
        self.data.n_padded, self.data.longest = len(places), max(map(len, padded))
        self.data.rounded = rounded.data
        self.data.exact = wide.data if exact else NULL
        self.data.offsets = <int64_t*> malloc((n_segments + 1) * sizeof(int64_t))
        self.data.begins = <int64_t*> malloc((n_segments + 1) * sizeof(int64_t))
        self.data.offsets[0] = self.data.begins[0] = 0
        for i in range(n_segments):
            self.data.offsets[i + 1] = self.data.offsets[i] + len(segments[i])
            self.data.begins[i + 1] = self.data.begins[i] + len(padded[i])

    def __dealloc__(self):
        free(self.data.offsets)
        free(self.data.begins)

    def sums(self, int64_t segment, weights, bint single=False):
        """The weighted sums of the places of a segment, and the same one by one."""
        cdef int64_t n = self.data.begins[segment + 1] - self.data.begins[segment]
        cdef Doubles given = Doubles(weights), out = Doubles([0.0] * n)
        if single:
            columns_weigh_single(&self.data, segment, given.data, out.data)
        else:
            columns_weigh(&self.data, segment, given.data, out.data)
        return (
            [out.data[i] for i in range(n)],
            [rb_columns_weigh_one(&self.data, segment, given.data, i) for i in range(n)],
        )

    def largest(self, int64_t segment):
        cdef Floats out = Floats([0.0] * self.data.n_features)
        largest_features(&self.data, segment, out.data)
        return [out.data[i] for i in range(self.data.n_features)]

    def choose(self, vectors):
        """The row of each segment that each vector of weights chooses."""
        cdef WeigherC weigher = weigher_select()
        cdef Floats largest = Floats([0.0] * (self.data.n_segments * self.data.n_features))
        cdef Doubles weights = Doubles([weight for vector in vectors for weight in vector])
        cdef ArgmaxC argmax
        cdef int64_t segment, first, n = len(vectors)
        cdef int64_t[VECTORS] rows
        result = [[] for _ in vectors]
        memset(&argmax, 0, sizeof(argmax))
        try:
            argmax_init(&argmax, &self.data, &weigher, largest.data, weights.data, n)
            for segment in range(self.data.n_segments):
                largest_features(
                    &self.data, segment, largest.data + segment * self.data.n_features
                )
                for first in range(0, n, VECTORS):
                    argmax_rows(&argmax, segment, first, rows)
                    for v in range(first, min(n, first + VECTORS)):
                        result[v].append(rows[v - first])
        finally:
            argmax_free(&argmax)
        return result


def weigh(columns, vectors):
    """Sums in single precision of columns by up to four vectors, and the highest of each."""
    cdef WeigherC weigher = weigher_select()
    cdef OpenWeigherC* functions = <OpenWeigherC*> &weigher
    cdef Py_ssize_t n = len(columns[0]), d = len(columns), v, i, n_vectors = len(vectors)
    cdef Floats given = Floats([value for column in columns for value in column])
    cdef Floats weights = Floats([
        vectors[v][j] if v < n_vectors else 0.0 for j in range(d) for v in range(VECTORS)
    ])
    cdef Floats scores = Floats([0.0] * (n * VECTORS)), tops = Floats([0.0] * VECTORS)
    functions.weigh(given.data, n, n, weights.data, d, n_vectors, scores.data, tops.data)
    return (
        [[scores.data[v * n + i] for i in range(n)] for v in range(n_vectors)],
        [tops.data[v] for v in range(n_vectors)],
    )


def next_high(scores, Py_ssize_t place, float threshold):
    cdef WeigherC weigher = weigher_select()
    cdef OpenWeigherC* functions = <OpenWeigherC*> &weigher
    cdef Floats given = Floats(scores)
    return functions.next(given.data, place, len(scores), threshold)
