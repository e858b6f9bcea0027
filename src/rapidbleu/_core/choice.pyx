"""Which hypothesis each vector of weights chooses: the one with the highest sum of features.

The sum that counts is that in double precision, added from the first feature on, and of equal ones
the first hypothesis is chosen.  Few hypotheses need it.  Sums in single precision are made for a
segment and four vectors at a time, while the segment's columns stay in the cache for all vectors;
whatever is below the highest of them by more than twice the error that a sum may have is ruled
out, and if one hypothesis is left nothing is added in double precision at all.

The error.  Let u = 2**-24, D features, and A the sum of |weight| times the largest magnitude that
the feature has in this segment.  Weight, feature, product and at most D additions are each
rounded, so a sum is wrong by (D + 3) u A and terms of order u**2, and the sum in double precision
by next to nothing; the bound taken, 1.25 (D + 8) u A for D < 2**20, leaves room for the rounding
of the threshold.  Numbers below the normal ones lose 2**-126 at most, even where the processor is
told to make zeros of them, in a weight, a feature or a product.  Where A or a magnitude is beyond
1e38, single precision may overflow, and the segment is summed in double precision.

0.6 ns a hypothesis and vector for 15 features, 1.3 without AVX2; all sums in double precision take
4.  One float is kept for each segment and feature.
"""

from libc.math cimport fabs, ldexp
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_SUMS, poll
from rapidbleu._core.lines cimport best_of

cdef extern from "choice.h" nogil:
    ctypedef struct rb_chooser:
        void (*weigh)(
            const float*, ptrdiff_t, ptrdiff_t, const float*, ptrdiff_t, int, float*, float*,
        ) noexcept nogil
        ptrdiff_t (*next)(const float*, ptrdiff_t, ptrdiff_t, float) noexcept nogil
    float rb_largest(const float*, ptrdiff_t)
    rb_chooser rb_chooser_select()


cdef rb_chooser chooser = rb_chooser_select()

cdef double LARGE = 1e38            # a third of the largest number in single precision
cdef double UNIT = ldexp(1.0, -24)  # relative error of rounding to single precision
cdef double LOST = ldexp(1.0, -126)  # most that a number near zero loses

cdef enum:
    FEW = 4             # vectors weighed together, RB_VECTORS of choice.h
    MANY = 1 << 20      # features whose sums have too large an error


cdef int vectors_init(VectorsC* vectors, const double* weights, int64_t n, int64_t d) except -1:
    """Arrange the weights for sums of several vectors at once."""
    cdef int64_t n_blocks = (n + FEW - 1) // FEW, v, j, place
    cdef int64_t size = n_blocks * FEW * d
    vectors.n = n
    vectors.weights = weights
    vectors.rounded = <float*> PyMem_RawMalloc(size * sizeof(float) + 1)
    vectors.magnitudes = <double*> PyMem_RawMalloc(size * sizeof(double) + 1)
    vectors.sums = <double*> PyMem_RawMalloc(n * sizeof(double) + 1)
    if vectors.rounded == NULL or vectors.magnitudes == NULL or vectors.sums == NULL:
        raise MemoryError
    memset(vectors.rounded, 0, size * sizeof(float))
    memset(vectors.magnitudes, 0, size * sizeof(double))
    memset(vectors.sums, 0, n * sizeof(double))
    for v in range(n):
        for j in range(d):
            place = (v // FEW * d + j) * FEW + v % FEW
            vectors.magnitudes[place] = fabs(weights[v * d + j])
            vectors.sums[v] += vectors.magnitudes[place]
            if vectors.magnitudes[place] < LARGE:
                vectors.rounded[place] = <float> weights[v * d + j]
    return 0


cdef void vectors_free(VectorsC* vectors) noexcept:
    PyMem_RawFree(vectors.rounded)
    PyMem_RawFree(vectors.magnitudes)
    PyMem_RawFree(vectors.sums)


cdef inline void add_row(
    const StatsC* stats, int64_t row, int64_t* total
) noexcept nogil:
    """Add a row of statistics to a total."""
    cdef int64_t i, n = stats.n_stats
    if stats.narrow:
        for i in range(n):
            total[i] += (<const int32_t*> stats.rows)[row * n + i]
    else:
        for i in range(n):
            total[i] += (<const int64_t*> stats.rows)[row * n + i]


cdef class Choice:
    """The choice between the hypotheses of n-best lists by weights.

    Parameters
    ----------
    columns : FeatureColumns

    Notes
    -----
    Immutable; safe to share between threads. All calls run without the GIL.
    """

    def __cinit__(self, FeatureColumns columns not None):
        self.columns = columns
        self.largest = <float*> PyMem_RawMalloc(
            columns.n_segments * columns.n_features * sizeof(float) + 1
        )
        if self.largest == NULL:
            raise MemoryError
        self.measure()

    def __dealloc__(self):
        PyMem_RawFree(self.largest)

    cdef int measure(self) except -1:
        """Find the largest magnitude of each feature in each segment."""
        cdef FeatureColumns columns = self.columns
        cdef int64_t segment = 0, worked, n, j
        while segment < columns.n_segments:
            poll(None)
            with nogil:
                worked = 0
                while segment < columns.n_segments and worked < POLL_SUMS:
                    n = columns.begins[segment + 1] - columns.begins[segment]
                    for j in range(columns.n_features):
                        self.largest[segment * columns.n_features + j] = rb_largest(
                            columns.rounded + j * columns.n_padded + columns.begins[segment], n
                        )
                    worked += n * columns.n_features
                    segment += 1
        return 0

    def choose(self, weights, chosen, int64_t begin, int64_t end, list stop=None):
        """Choose a hypothesis in each of some segments for each vector of weights.

        Parameters
        ----------
        weights : float64 array of shape (m, n_features)
        chosen : int64 array of shape (m, n_segments)
            Numbers of rows of the features; written for segments ``[begin, end)``.
        begin, end : int
        stop : list of BaseException, optional
            No longer empty when another thread wants this one to end.
        """
        cdef Buffer vectors = Buffer(weights, "weights")
        cdef Buffer out = Buffer(chosen, "chosen", writable=True)
        cdef int64_t m = out.n_items // self.columns.n_segments
        vectors.require(c"f", sizeof(double), m * self.columns.n_features, "weights")
        out.require(c"i", sizeof(int64_t), m * self.columns.n_segments, "chosen")
        self.run(vectors, m, begin, end, stop, <int64_t*> out.data, NULL, NULL)

    def add_up(self, weights, stats, totals, int64_t begin, int64_t end, list stop=None):
        """Add the statistics of the hypotheses that each vector of weights chooses.

        Parameters
        ----------
        weights : float64 array of shape (m, n_features)
        stats : int64 or int32 array of shape (n, n_stats)
        totals : int64 array of shape (m, n_stats)
            Those of segments ``[begin, end)`` are added to what is there.
        begin, end, stop
            As in `choose`.
        """
        cdef Buffer vectors = Buffer(weights, "weights")
        cdef Buffer rows = Buffer(stats, "stats")
        cdef Buffer out = Buffer(totals, "totals", writable=True)
        cdef int64_t n = self.columns.offsets[self.columns.n_segments]
        cdef int64_t n_stats = max(rows.n_items // n, 1), m = out.n_items // n_stats
        cdef StatsC table
        vectors.require(c"f", sizeof(double), m * self.columns.n_features, "weights")
        rows.require(
            c"i", sizeof(int32_t) if rows.item_size == sizeof(int32_t) else sizeof(int64_t),
            n * n_stats, "stats",
        )
        out.require(c"i", sizeof(int64_t), m * n_stats, "totals")
        table.rows = rows.data
        table.n_stats = n_stats
        table.narrow = rows.item_size == sizeof(int32_t)
        self.run(vectors, m, begin, end, stop, NULL, &table, <int64_t*> out.data)

    cdef int run(
        self, Buffer weights, int64_t m, int64_t begin, int64_t end, list stop, int64_t* chosen,
        const StatsC* stats, int64_t* totals,
    ) except -1:
        """Choose in some segments; write the choices, or add up their statistics."""
        cdef FeatureColumns columns = self.columns
        cdef int64_t n_blocks = (m + FEW - 1) // FEW
        cdef int64_t job, n_jobs, worked, segment, first, v
        cdef int64_t[FEW] rows
        cdef float* scores = NULL
        cdef double* exact_scores = NULL
        cdef VectorsC vectors
        if not 0 <= begin <= end <= columns.n_segments:
            raise IndexError(
                f"begin, end: expected a part of {columns.n_segments} segments, "
                f"got {begin} and {end}"
            )
        memset(&vectors, 0, sizeof(vectors))
        try:
            vectors_init(&vectors, <const double*> weights.data, m, columns.n_features)
            scores = <float*> PyMem_RawMalloc(FEW * columns.longest * sizeof(float))
            exact_scores = <double*> PyMem_RawMalloc(columns.longest * sizeof(double))
            if scores == NULL or exact_scores == NULL:
                raise MemoryError
            job = begin * n_blocks
            n_jobs = end * n_blocks
            while job < n_jobs:
                poll(stop)
                with nogil:
                    worked = 0
                    while job < n_jobs and worked < POLL_SUMS:
                        segment = job // n_blocks
                        first = job % n_blocks * FEW
                        self.choose_few(segment, first, &vectors, scores, exact_scores, rows)
                        for v in range(first, min(first + FEW, m)):
                            if chosen != NULL:
                                chosen[v * columns.n_segments + segment] = rows[v - first]
                            else:
                                add_row(stats, rows[v - first], totals + v * stats.n_stats)
                        worked += columns.n_features * FEW * (
                            columns.begins[segment + 1] - columns.begins[segment]
                        )
                        job += 1
        finally:
            PyMem_RawFree(scores)
            PyMem_RawFree(exact_scores)
            vectors_free(&vectors)
        return 0

    cdef void choose_few(
        self, int64_t segment, int64_t first, const VectorsC* vectors, float* scores,
        double* exact_scores, int64_t* rows,
    ) noexcept nogil:
        """Choose a segment's hypotheses for up to FEW vectors from the given one on."""
        cdef int64_t d = self.columns.n_features, begin = self.columns.begins[segment], j
        cdef int64_t n = self.columns.begins[segment + 1] - begin
        cdef const double* magnitudes = vectors.magnitudes + first * d
        cdef const float* largest = self.largest + segment * d
        cdef const double* weights
        cdef double[FEW] sizes
        cdef float[FEW] tops
        cdef double margin, total = 0.0
        cdef int v, k = <int> min(vectors.n - first, <int64_t> FEW)
        chooser.weigh(
            self.columns.rounded + begin, self.columns.n_padded, n, vectors.rounded + first * d, d,
            k, scores, tops,
        )
        for v in range(FEW):
            sizes[v] = 0.0
        for j in range(d):
            total += largest[j]
            for v in range(FEW):
                sizes[v] += magnitudes[FEW * j + v] * largest[j]
        for v in range(k):
            weights = vectors.weights + (first + v) * d
            margin = total + vectors.sums[first + v]
            if sizes[v] < LARGE and margin < LARGE and d < MANY:
                # twice the bound of the essay
                margin = 2.5 * (d + 8) * UNIT * sizes[v] + 4.0 * (margin + d) * LOST
                rows[v] = self.settle(segment, weights, scores + v * n, <float> (tops[v] - margin))
            else:
                self.columns.weigh(segment, weights, exact_scores)
                rows[v] = best_of(
                    exact_scores, self.columns.offsets[segment + 1] - self.columns.offsets[segment]
                )
            rows[v] += self.columns.offsets[segment]

    cdef int64_t settle(
        self, int64_t segment, const double* weights, const float* scores, float threshold
    ) noexcept nogil:
        """The first of the hypotheses with the highest sum, among those not below a threshold."""
        cdef int64_t n_places = self.columns.begins[segment + 1] - self.columns.begins[segment]
        cdef int64_t n = self.columns.offsets[segment + 1] - self.columns.offsets[segment]
        cdef int64_t best = chooser.next(scores, 0, n_places, threshold)
        cdef int64_t place = chooser.next(scores, best + 1, n_places, threshold)
        cdef double highest, score
        if place < n:  # what is behind n is the first hypothesis again
            highest = self.columns.weigh_one(segment, weights, best)
            while place < n:
                score = self.columns.weigh_one(segment, weights, place)
                if score > highest:
                    best = place
                    highest = score
                place = chooser.next(scores, place + 1, n_places, threshold)
        return best
