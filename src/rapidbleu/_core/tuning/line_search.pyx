# cython: binding=True
"""Line search: features in columns, points in weight space, scores along a line."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport (
    KeyedC, POLL_OBJECTS, POLL_SUMS, POLL_TOKENS, allocate, grow, key_of, poll, poll_signals,
    poll_without_gil, room, sort_keyed, value_of_key,
)
from rapidbleu._core.input.columns cimport (
    Buffer, CountsC, add_difference, close_counts, count_at, open_counts,
)
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache
from rapidbleu._core.tuning cimport (
    ArgmaxC, BestIntervalC, FeatureColumnsC, LinesC, RulesC, SweeperC, VECTORS, VertexC,
    WeigherC, argmax_free, argmax_init, argmax_rows, choose_interval, columns_weigh,
    columns_weigh_single, largest_features, sweeper_select, upper_envelope,
    weigher_select,
)


ctypedef struct DirectionC:
    const double* weights   # [n_features]
    int64_t axis            # the only feature whose weight changes, by 1 a step; or -1


# Features of n-best lists in columns: weights to scores, directions to lines. Moving the weights
# along a direction moves the score of each hypothesis along a line, whose slope is the weighted sum
# of features with the direction as weights; for the direction of one feature that is the feature's
# column. So features are transposed to columns once (feature_columns.h): in single precision, for
# sweeps that only rule lines out. Double precision settles the rest, from the same columns if the
# features are float32, otherwise from a second copy. 4 bytes a feature, or 12.


cdef class FeatureColumns:
    """Features by column.

    `offsets`, int64, contains the first hypothesis of each segment, none of which is empty.
    `rounded`, float32, has a row for each feature with an item for each hypothesis, and segments
    are padded to multiples of LANES; for float64 features `exact` is the same unrounded. Immutable.
    """

    def __cinit__(self, offsets, rounded, exact):
        cdef FeatureColumnsC* columns = &self.data
        cdef Buffer ends = Buffer(offsets, "offsets")
        cdef Buffer values = Buffer(rounded, "rounded")
        cdef Buffer exact_values = None
        cdef int64_t i, n
        cdef bint rises = True
        ends.require(c"i", sizeof(int64_t), ends.n_items, "offsets")
        columns.n_segments = ends.n_items - 1
        columns.offsets = <int64_t*> allocate(2 * ends.n_items + 1, sizeof(int64_t))
        columns.begins = columns.offsets + ends.n_items
        columns.begins[0] = 0
        memcpy(columns.offsets, ends.data, <size_t> ends.n_items * sizeof(int64_t))
        for i in range(columns.n_segments):
            n = round_up(columns.offsets[i + 1] - columns.offsets[i])
            rises = rises and columns.offsets[i] < columns.offsets[i + 1]
            columns.begins[i + 1] = columns.begins[i] + n
            columns.longest = max(columns.longest, n)
        if columns.n_segments < 1 or columns.offsets[0] != 0 or not rises:
            raise ValueError("offsets: expected to rise from 0, a hypothesis at least each time")
        columns.n_padded = columns.begins[columns.n_segments]
        columns.n_features = values.n_items // columns.n_padded
        values.require(c"f", sizeof(float), columns.n_features * columns.n_padded, "rounded")
        columns.rounded = <const float*> values.data
        self.owners = [values]
        if exact is not None:
            exact_values = Buffer(exact, "exact")
            exact_values.require(
                c"f", sizeof(double), columns.n_features * columns.n_padded, "exact"
            )
            columns.exact = <const double*> exact_values.data
            self.owners.append(exact_values)

    def __dealloc__(self):
        PyMem_RawFree(self.data.offsets)

    @property
    def n_segments(self):
        """Number of segments."""
        return self.data.n_segments

    @property
    def n_features(self):
        """Number of features per hypothesis."""
        return self.data.n_features


# A point in weight space, the origin of lines: the scores of all hypotheses there. Scores are
# stored in double precision and moved along with each step, so a search never multiplies all
# features by the weights again. Sweeps use a copy in single precision, minus the maximum of the
# segment, which loses little to rounding near the top, where it matters. 12 bytes a hypothesis. The
# point also stores a count for each segment unless all are 1. Lists in which segments count any
# number of times, such as bags, need no copy.


cdef const int64_t* read_counts(Buffer counts, const FeatureColumnsC* columns) except? NULL:
    """Return the counts of segments; NULL for None: all 1."""
    if counts is None:
        return NULL
    counts.require(c"i", sizeof(int64_t), columns.n_segments, "counts")
    return <const int64_t*> counts.data


cdef int read_direction(DirectionC* direction, const double* weights, int64_t n) noexcept:
    """Fill in a direction; return 0 if all its weights are 0."""
    cdef int64_t j, used = 0
    direction.weights = weights
    direction.axis = -1
    for j in range(n):
        if weights[j] != 0.0:
            used += 1
            direction.axis = j
    if used != 1 or weights[direction.axis] != 1.0:
        direction.axis = -1
    return used != 0


cdef class WeightPoint:
    """Scores of hypotheses under weights that move.

    `counts`, int64, are the weights of segments, at least 0; by default 1. Segments that count 0
    times have no scores and are not searched. Searches that move it must not share it.
    """

    cdef readonly FeatureColumns columns
    cdef Buffer held_counts
    cdef const int64_t* counts  # [n_segments] or NULL
    cdef double* exact      # [n_padded] intercepts
    cdef float* rounded     # [n_padded] minus the maximum of the segment
    cdef float* depths      # [n_segments] minimum of `rounded`

    def __cinit__(self, FeatureColumns columns not None, counts=None):
        self.columns = columns
        self.held_counts = None if counts is None else Buffer(counts, "counts")
        self.counts = read_counts(self.held_counts, &columns.data)
        self.exact = <double*> allocate(columns.data.n_padded, sizeof(double))
        self.rounded = <float*> allocate(columns.data.n_padded, sizeof(float))
        self.depths = <float*> allocate(columns.data.n_segments, sizeof(float))

    def __dealloc__(self):
        PyMem_RawFree(self.exact)
        PyMem_RawFree(self.rounded)
        PyMem_RawFree(self.depths)

    def place(self, weights, stop=None, bint single=False):
        """Compute the scores under float64 weights, with `single` in float32 like Moses.

        ValueError if a score is not finite. Stops once `stop` is not empty.
        """
        self.change(weights, 0.0, False, stop, single)

    def move(self, direction, double x, stop=None):
        """Move by x times a direction; see `place`."""
        self.change(direction, x, True, stop, False)

    cdef int change(self, weights, double x, bint move, stop, bint single) except -1:
        cdef Buffer vector = Buffer(weights, "weights")
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef const double* weight = <const double*> vector.data
        cdef double* scores
        cdef double* slopes = <double*> allocate(columns.longest, sizeof(double))
        cdef int64_t segment = 0, worked, i, n
        cdef bint finite = True
        try:
            vector.require(c"f", sizeof(double), columns.n_features, "weights")
            while segment < columns.n_segments and finite:
                poll(stop)
                with nogil:
                    worked = 0
                    while segment < columns.n_segments and worked < POLL_TOKENS and finite:
                        if count_of(self.counts, segment) == 0:
                            segment += 1
                            continue
                        scores = self.exact + columns.begins[segment]
                        n = columns.begins[segment + 1] - columns.begins[segment]
                        if move:
                            columns_weigh(columns, segment, weight, slopes)
                            for i in range(n):
                                scores[i] += x * slopes[i]
                        elif single:
                            columns_weigh_single(columns, segment, weight, scores)
                        else:
                            columns_weigh(columns, segment, weight, scores)
                        finite = self.shift(segment)
                        worked += n * columns.n_features
                        segment += 1
        finally:
            PyMem_RawFree(slopes)
        if not finite:
            raise ValueError(
                f"weights: expected finite sums of weighted features; got others in segment "
                f"{segment - 1}"
            )
        return 0

    cdef int shift(self, int64_t segment) noexcept nogil:
        """Round the scores of a segment; return 0 if one is not finite."""
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t i, begin = columns.begins[segment]
        cdef int64_t n = columns.begins[segment + 1] - begin
        cdef const double* scores = self.exact + begin
        cdef float* rounded = self.rounded + begin
        cdef double top = scores[0], bottom = scores[0], sum = 0.0
        for i in range(n):
            top = scores[i] if scores[i] > top else top
            bottom = scores[i] if scores[i] < bottom else bottom
            sum += 0.0 * scores[i]
        for i in range(n):
            rounded[i] = <float> (scores[i] - top)
        self.depths[segment] = <float> (bottom - top)
        return sum == 0.0 and top - bottom < INFINITY

    cdef void lines(
        self, int64_t segment, const DirectionC* direction, double* slopes, float* rounded,
        LinesC* lines,
    ) noexcept nogil:
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t i, begin = columns.begins[segment]
        lines.n = columns.offsets[segment + 1] - columns.offsets[segment]
        lines.n_padded = columns.begins[segment + 1] - begin
        lines.intercepts = self.rounded + begin
        lines.exact_intercepts = self.exact + begin
        lines.depth = self.depths[segment]
        lines.exact_slopes = NULL
        if direction.axis >= 0:
            begin += direction.axis * columns.n_padded
            lines.slopes = columns.rounded + begin
            if columns.exact != NULL:
                lines.exact_slopes = columns.exact + begin
            return
        columns_weigh(columns, segment, direction.weights, slopes)
        for i in range(lines.n_padded):
            rounded[i] = <float> slopes[i]
        lines.slopes = rounded
        lines.exact_slopes = slopes


# The hypothesis that each vector of weights chooses: the one with the highest sum of features (see
# weighted_argmax.h). `Chooser` stores the largest magnitude of each feature in each segment, and
# returns choices as row numbers or as sums of their statistics.


cdef WeigherC weigher = weigher_select()


cdef class Chooser:
    """Choice of hypotheses of n-best lists by weights, without the GIL. Immutable, thread-safe."""

    cdef readonly FeatureColumns columns
    cdef float* largest     # [n_segments, n_features] magnitudes

    def __cinit__(self, FeatureColumns columns not None):
        self.columns = columns
        self.largest = <float*> allocate(
            columns.data.n_segments * columns.data.n_features, sizeof(float)
        )
        self.measure()

    def __dealloc__(self):
        PyMem_RawFree(self.largest)

    cdef int measure(self) except -1:
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t segment = 0, worked
        while segment < columns.n_segments:
            poll_signals()
            with nogil:
                worked = 0
                while segment < columns.n_segments and worked < POLL_SUMS:
                    largest_features(columns, segment, self.largest + segment * columns.n_features)
                    worked += columns.n_features * (
                        columns.begins[segment + 1] - columns.begins[segment]
                    )
                    segment += 1
        return 0

    def choose(self, weights, chosen, int64_t begin, int64_t end, list stop=None):
        """Choose a hypothesis in each of segments [begin, end) for each vector of weights.

        `weights` is float64 of shape (m, n_features). Writes row numbers to `chosen`, int64 of
        shape (m, n_segments). Stops once `stop` is not empty.
        """
        self.run(
            Buffer(weights, "weights"), Buffer(chosen, "chosen", writable=True), "chosen",
            self.columns.data.n_segments, begin, end, stop, NULL, NULL,
        )

    def add_up(
        self, weights, stats, totals, int64_t begin, int64_t end, list stop=None, counts=None,
    ):
        """Add the statistics of the hypotheses that each vector of weights chooses to `totals`.

        `totals` is int64 of shape (m, n_stats); counts as in `WeightPoint`, the rest as in
        `choose`.
        """
        cdef Buffer held_counts = None if counts is None else Buffer(counts, "counts")
        cdef int64_t n = self.columns.data.offsets[self.columns.data.n_segments]
        cdef const int64_t* count = read_counts(held_counts, &self.columns.data)
        cdef CountsC rows
        if not open_counts(&rows, stats, 2, -1):
            raise TypeError("stats: expected integers in C order")
        try:
            if rows.n != n:
                raise ValueError(f"stats: expected {n} rows, as many as features; got {rows.n}")
            self.run(
                Buffer(weights, "weights"), Buffer(totals, "totals", writable=True), "totals",
                rows.view.shape[1], begin, end, stop, &rows, count,
            )
        finally:
            close_counts(&rows)

    cdef int run(
        self, Buffer weights, Buffer out, str name, int64_t width, int64_t begin, int64_t end,
        list stop, const CountsC* stats, const int64_t* counts,
    ) except -1:
        """Write rows of `width` items for each vector: chosen rows or, with `stats`, totals."""
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t m = out.n_items // max(1, width), n_blocks = (m + VECTORS - 1) // VECTORS
        cdef int64_t* results = <int64_t*> out.data
        cdef int64_t job, n_jobs, worked, segment, first, v, j, count
        cdef int64_t[VECTORS] rows
        cdef ArgmaxC argmax
        if not 0 <= begin <= end <= columns.n_segments:
            raise IndexError(
                f"begin, end: expected a part of {columns.n_segments} segments; "
                f"got {begin} and {end}"
            )
        weights.require(c"f", sizeof(double), m * columns.n_features, "weights")
        out.require(c"i", sizeof(int64_t), m * width, name)
        memset(&argmax, 0, sizeof(argmax))
        try:
            argmax_init(
                &argmax, columns, &weigher, self.largest, <const double*> weights.data, m
            )
            job = begin * n_blocks
            n_jobs = end * n_blocks
            while job < n_jobs:
                poll(stop)
                with nogil:
                    worked = 0
                    while job < n_jobs and worked < POLL_SUMS:
                        segment = job // n_blocks
                        first = job % n_blocks * VECTORS
                        job += 1
                        count = count_of(counts, segment)
                        if count == 0:
                            continue
                        argmax_rows(&argmax, segment, first, rows)
                        for v in range(first, min(first + VECTORS, m)):
                            if stats == NULL:
                                results[v * width + segment] = rows[v - first]
                                continue
                            for j in range(width):
                                results[v * width + j] += count * count_at(
                                    stats, rows[v - first] * width + j
                                )
                        worked += columns.n_features * VECTORS * (
                            columns.begins[segment + 1] - columns.begins[segment]
                        )
        finally:
            argmax_free(&argmax)
        return 0


# The exact score of the corpus along a line through weight space (Och 2003). Along the line a
# segment changes its hypothesis wherever two lines of its upper envelope cross. Each such boundary
# is an event: a position, and the change of the sums of statistics. The events of all segments are
# sorted by position and processed in order; between two positions the sums, and hence the score,
# are constant. Equal positions are one boundary.
#
# Changes are copied while the rows of their segment are in the cache, because in order of position
# they are anywhere in memory. Sums are integers, so they equal fresh sums after any number of
# changes; the kernel scores a block at a time. A segment that counts several times multiplies its
# changes at the same positions, like copies of it.
cdef enum:
    BLOCK = 256             # sums scored together


cdef inline double single_cross(const VertexC* a, const VertexC* b) noexcept nogil:
    """Return where two lines cross, with each step rounded to single precision."""
    cdef float rise = <float> (b.intercept - a.intercept)
    cdef float run = <float> (a.slope - b.slope)
    return <float> (<double> rise / <double> run) if run != 0.0 else b.begin


cdef class Landscape:
    """Boundaries and scores along a line; reused by successive searches.

    The sums of `rows`, the statistics of all hypotheses, int64 or int32, must fit int64, including
    counts. Without `use_simd` sweeps are portable. Not thread-safe; runs without the GIL.
    """

    cdef readonly Kernel kernel
    cdef ScoreCache cache
    cdef CountsC rows
    cdef SweeperC sweeper
    cdef int64_t longest      # capacity in hypotheses of a segment
    cdef VertexC* vertices    # [2 * longest], followed by the next arrays
    cdef double* slopes       # [longest], as are the next two
    cdef uint32_t* kept
    cdef float* rounded
    cdef int64_t* totals      # [n_stats] sums of the current interval
    cdef int64_t* block       # [BLOCK, n_stats] sums to be scored
    cdef KeyedC* events       # [capacity] and as many again, for sorting
    cdef int64_t* changes     # [capacity, n_stats]
    cdef double* boundaries   # [capacity]
    cdef double* scores       # [capacity + 1]
    cdef int64_t capacity
    cdef int64_t n_events
    cdef readonly int64_t n_boundaries

    def __cinit__(self, Kernel kernel not None, rows, bint use_simd=True):
        cdef int64_t n_stats = kernel.n_stats
        self.kernel, self.cache = kernel, ScoreCache(kernel.n_cache_tables)
        self.sweeper = sweeper_select(use_simd)
        self.totals = <int64_t*> allocate((BLOCK + 1) * n_stats, sizeof(int64_t))
        self.block = self.totals + n_stats
        self.reserve(1024)
        if not open_counts(&self.rows, rows, 2, n_stats):
            raise TypeError(f"rows: expected integers in C order, rows of {n_stats}")

    def __dealloc__(self):
        close_counts(&self.rows)
        PyMem_RawFree(self.totals)
        PyMem_RawFree(self.events)
        PyMem_RawFree(self.changes)
        PyMem_RawFree(self.boundaries)
        PyMem_RawFree(self.scores)
        PyMem_RawFree(self.vertices)

    cdef int reserve(self, int64_t n) except -1:
        cdef int64_t events = self.capacity, changes = self.capacity, scores = self.capacity + 1
        if n > self.capacity:
            grow(<void**> &self.events, &events, n, 2 * sizeof(KeyedC))
            grow(<void**> &self.changes, &changes, n, self.kernel.n_stats * sizeof(int64_t))
            grow(<void**> &self.scores, &scores, n + 1, sizeof(double))
            grow(<void**> &self.boundaries, &self.capacity, n, sizeof(double))
        return 0

    cdef int make_room(self, int64_t longest) except -1:
        cdef size_t size = 2 * sizeof(VertexC) + sizeof(double) + sizeof(uint32_t) + sizeof(float)
        if self.longest < longest:
            room(<void**> &self.vertices, &self.longest, longest, size)
            self.slopes = <double*> (self.vertices + 2 * self.longest)
            self.kept = <uint32_t*> (self.slopes + self.longest)
            self.rounded = <float*> (self.kept + self.longest)
        return self.reserve(self.longest)

    def survey(
        self, WeightPoint point not None, direction, double low=-INFINITY, double high=INFINITY,
        double closest=0.0, stop=None,
    ):
        """Find all boundaries along a direction and the scores between them; return their number.

        x is 0 at `point`, which searches may share. Values below `low` or above `high` are ignored.
        If two boundaries of one segment are closer than `closest` the first is dropped; above 0,
        boundaries are in single precision. Stops once `stop` is not empty.
        """
        cdef Buffer vector = Buffer(direction, "direction")
        cdef const FeatureColumnsC* columns = &point.columns.data
        cdef DirectionC along
        cdef int64_t segment = 0, end
        cdef PyObject* own_stop = <PyObject*> stop
        vector.require(c"f", sizeof(double), columns.n_features, "direction")
        end = columns.offsets[columns.n_segments]
        if self.rows.n != end:
            raise ValueError(f"rows: expected {end}, as many as features; got {self.rows.n}")
        read_direction(&along, <const double*> vector.data, columns.n_features)
        self.make_room(columns.longest)
        self.n_events = self.n_boundaries = 0
        memset(self.totals, 0, self.kernel.n_stats * sizeof(int64_t))
        while segment < columns.n_segments:
            poll(stop)
            self.reserve(self.n_events + self.longest)
            end = segment + 1
            while end < columns.n_segments and (
                columns.begins[end] - columns.begins[segment] < POLL_TOKENS
            ):
                end += 1
            with nogil:
                segment = self.gather_segments(
                    point, &along, segment, end, low, high, closest, own_stop
                )
        with nogil:
            self.walk(
                sort_keyed(self.events, self.events + self.capacity, self.n_events, own_stop),
                own_stop,
            )
        return self.n_boundaries

    cdef int64_t gather_segments(
        self, WeightPoint point, const DirectionC* direction, int64_t segment, int64_t end,
        double low, double high, double closest, PyObject* stop,
    ) except -1 nogil:
        """Collect the events of segments up to `end`, or while there is room."""
        cdef LinesC lines
        cdef int64_t n, count
        while segment < end and self.n_events + self.longest <= self.capacity:
            count = count_of(point.counts, segment)
            if count == 0:
                segment += 1
                continue
            point.lines(segment, direction, self.slopes, self.rounded, &lines)
            n = upper_envelope(
                &lines, &self.sweeper, self.kept, self.vertices, closest > 0.0, stop
            )
            self.add_segment(
                self.vertices, n, point.columns.data.offsets[segment], count, low, high, closest,
                stop,
            )
            segment += 1
        return segment

    cdef int add_segment(
        self, const VertexC* vertices, int64_t n, int64_t first, int64_t count, double low,
        double high, double closest, PyObject* stop,
    ) except -1 nogil:
        """Add the first hypothesis to the sums, and an event for each subsequent one."""
        cdef int64_t n_stats = self.kernel.n_stats
        cdef int64_t i, j, before, after, last = self.n_events
        cdef int64_t* change
        cdef double place = -INFINITY, begin
        i = 0
        while i + 1 < n and vertices[i + 1].begin <= low:
            i += 1
        before = after = (first + vertices[i].line) * n_stats
        for j in range(n_stats):
            self.totals[j] += count * count_at(&self.rows, before + j)
        for i in range(i + 1, n):
            begin = vertices[i].begin
            if begin >= high:
                break
            if i % POLL_OBJECTS == 0:
                poll_without_gil(stop)
            if closest > 0.0:
                begin = single_cross(vertices + i - 1, vertices + i)
            if self.n_events == last or begin - place >= closest:
                before = after
                self.n_events += 1
            place = begin
            after = (first + vertices[i].line) * n_stats
            change = self.changes + (self.n_events - 1) * n_stats
            memset(change, 0, n_stats * sizeof(int64_t))
            add_difference(change, &self.rows, after, before, n_stats)
            self.events[self.n_events - 1].key = key_of(place)
            self.events[self.n_events - 1].place = self.n_events - 1
        if count != 1:
            for j in range(last * n_stats, self.n_events * n_stats):
                self.changes[j] *= count
        return 0

    cdef int walk(self, const KeyedC* events, PyObject* stop) except -1 nogil:
        """Score the sums of each interval between sorted events."""
        cdef int64_t n_stats = self.kernel.n_stats
        cdef int64_t i = 0, j, n = 0, n_block = 0, n_scored = 0
        cdef uint64_t key
        cdef const int64_t* change
        while True:
            memcpy(self.block + n_block * n_stats, self.totals, n_stats * sizeof(int64_t))
            n_block += 1
            if n_block == BLOCK or i == self.n_events:
                self.kernel.score_block(
                    self.block, n_block, self.scores + n_scored, self.cache.entries
                )
                n_scored += n_block
                n_block = 0
                if n_scored % POLL_OBJECTS == 0:
                    poll_without_gil(stop)
            if i == self.n_events:
                break
            key = events[i].key
            self.boundaries[n] = value_of_key(key)
            n += 1
            while i < self.n_events and events[i].key == key:
                change = self.changes + events[i].place * n_stats
                for j in range(n_stats):
                    self.totals[j] += change[j]
                i += 1
        self.n_boundaries = n
        return 0

    def copy_to(self, boundaries, scores):
        """Copy boundaries, and the scores between them, to float64 arrays."""
        cdef Buffer places = Buffer(boundaries, "boundaries", writable=True)
        cdef Buffer values = Buffer(scores, "scores", writable=True)
        places.require(c"f", sizeof(double), self.n_boundaries, "boundaries")
        values.require(c"f", sizeof(double), self.n_boundaries + 1, "scores")
        memcpy(places.data, self.boundaries, self.n_boundaries * sizeof(double))
        memcpy(values.data, self.scores, (self.n_boundaries + 1) * sizeof(double))

    def best_interval(
        self, double low=-INFINITY, double high=INFINITY, smoothed=None, double slope=0.0,
        double curvature=0.0, bint moses=False, stop=None,
    ):
        """Choose an interval and a point in it.

        `smoothed`, float64, replaces the scores of the intervals in the choice. A penalty of
        slope * x + curvature * x**2 is subtracted. With `moses`, choose and step like Moses.
        Returns the point, its score, its objective (higher is better), the objective at 0, and the
        two ends of the interval.
        """
        cdef RulesC rules
        cdef BestIntervalC best
        cdef int64_t n = self.n_boundaries
        cdef Buffer values
        cdef const double* scores = self.scores
        rules.low, rules.high, rules.moses = low, high, moses
        rules.lower_is_better = self.kernel.lower_is_better
        rules.slope, rules.curvature = slope, curvature
        if smoothed is not None:
            values = Buffer(smoothed, "smoothed")
            values.require(c"f", sizeof(double), n + 1, "smoothed")
            scores = <const double*> values.data
        with nogil:
            choose_interval(
                self.boundaries, self.scores, scores, n, &rules, &best, <PyObject*> stop
            )
        return best.x, best.score, best.objective, best.here, best.low, best.high
