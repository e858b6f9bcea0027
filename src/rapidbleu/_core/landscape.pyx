"""The score of the corpus along a line through the space of weights (Och 2003): exact, all of it.

On the way along the line a segment changes its hypothesis wherever two lines of its upper envelope
cross.  Each such boundary is an event: a place, and what the sums of statistics change by there.
The events of all segments are sorted by place and walked through in order; between two places the
sums are constant, and so is the score.  Places that are equal are one boundary.

What an event changes is copied while the rows of its segment are near; looked up in the order of
the places they would be anywhere in memory.  Sums are integers, so they are those of a fresh sum
however many changes there were; scores come from the kernel a block at a time.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.object cimport PyObject

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_OBJECTS, POLL_TOKENS, poll, poll_without_gil
from rapidbleu._core.counts cimport add_difference, close_counts, open_counts
from rapidbleu._core.tuning cimport (
    BestIntervalC, FeatureColumnsC, RulesC, choose_interval, event_key, event_place,
    smooth_by_mean, smooth_by_worst, sort_events, sweeper_select, upper_envelope,
)
from rapidbleu._core.weight_point cimport read_direction


cdef enum:
    BLOCK = 256             # sums that are scored together


cdef inline double single_cross(const VertexC* a, const VertexC* b) noexcept nogil:
    """Where two lines cross, every step of it rounded to single precision."""
    cdef float rise = <float> (b.intercept - a.intercept)
    cdef float run = <float> (a.slope - b.slope)
    return <float> (<double> rise / <double> run) if run != 0.0 else b.begin


cdef class Landscape:
    """Boundaries and scores along a line; filled by one search after the other.

    Parameters
    ----------
    kernel : Kernel
    rows : int64 or int32 array of shape (n, n_stats)
        The statistics of all hypotheses, whose sums fit into int64.
    use_simd : bool
        False takes the portable sweeps.

    Notes
    -----
    Of one thread at a time.
    """

    def __cinit__(self, Kernel kernel not None, rows, bint use_simd=True):
        cdef int64_t n_stats = kernel.n_stats
        self.kernel, self.cache = kernel, ScoreCache(kernel.n_cache_tables)
        self.sweeper = sweeper_select(use_simd)
        self.totals = <int64_t*> PyMem_RawMalloc((BLOCK + 1) * n_stats * sizeof(int64_t))
        if self.totals == NULL:
            raise MemoryError
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
        PyMem_RawFree(self.smoothed)
        PyMem_RawFree(self.kept)
        PyMem_RawFree(self.vertices)
        PyMem_RawFree(self.slopes)
        PyMem_RawFree(self.rounded)

    cdef int reserve(self, int64_t n) except -1:
        """Make room for n events."""
        cdef void* new
        if n <= self.capacity:
            return 0
        n = max(n, 2 * self.capacity)
        new = PyMem_RawRealloc(self.events, 2 * n * sizeof(EventC))
        if new != NULL:
            self.events = <EventC*> new
            new = PyMem_RawRealloc(self.changes, n * self.kernel.n_stats * sizeof(int64_t))
        if new != NULL:
            self.changes = <int64_t*> new
            new = PyMem_RawRealloc(self.boundaries, n * sizeof(double))
        if new != NULL:
            self.boundaries = <double*> new
            new = PyMem_RawRealloc(self.scores, (n + 1) * sizeof(double))
        if new == NULL:
            raise MemoryError
        self.scores, self.capacity = <double*> new, n
        return 0

    cdef int allocate(self, WeightPoint point, DirectionC* direction) except -1:
        """Make room for the longest segment."""
        cdef int64_t longest = point.columns.data.longest
        if self.longest < longest:
            PyMem_RawFree(self.kept)
            PyMem_RawFree(self.vertices)
            PyMem_RawFree(self.slopes)
            PyMem_RawFree(self.rounded)
            self.slopes, self.rounded, self.vertices, self.longest = NULL, NULL, NULL, 0
            self.kept = <uint32_t*> PyMem_RawMalloc(longest * sizeof(uint32_t))
            self.vertices = <VertexC*> PyMem_RawMalloc(2 * longest * sizeof(VertexC))
            if self.kept == NULL or self.vertices == NULL:
                raise MemoryError
            self.longest = longest
        if direction.axis < 0 and self.slopes == NULL:
            self.slopes = <double*> PyMem_RawMalloc(self.longest * sizeof(double))
            self.rounded = <float*> PyMem_RawMalloc(self.longest * sizeof(float))
            if self.slopes == NULL or self.rounded == NULL:
                raise MemoryError
        return self.reserve(self.longest)

    def survey(
        self, WeightPoint point not None, direction, double low=-INFINITY, double high=INFINITY,
        double closest=0.0, stop=None,
    ):
        """Find all boundaries along a direction, and the scores between them.

        Parameters
        ----------
        point : WeightPoint
            Where x is 0; any number of searches may share it.
        direction : float64 array of shape (n_features,)
        low, high : float
            What is beyond is left out; low < high.
        closest : float
            Of two boundaries of one segment that lie closer together the first is left out. Above
            0, boundaries are in single precision.
        stop : list, optional
            No longer empty once the work is to end.

        Returns
        -------
        int
            Number of boundaries.

        Notes
        -----
        Runs without the GIL.
        """
        cdef Buffer vector = Buffer(direction, "direction")
        cdef const FeatureColumnsC* columns = &point.columns.data
        cdef DirectionC along
        cdef int64_t segment = 0, end
        cdef PyObject* own_stop = <PyObject*> stop
        vector.require(c"f", sizeof(double), columns.n_features, "direction")
        if self.rows.n != columns.offsets[columns.n_segments]:
            raise ValueError(
                f"rows: expected {columns.offsets[columns.n_segments]}, as many as features, "
                f"got {self.rows.n}"
            )
        read_direction(&along, <const double*> vector.data, columns.n_features)
        self.allocate(point, &along)
        self.n_events = self.n_boundaries = 0
        memset(self.totals, 0, self.kernel.n_stats * sizeof(int64_t))
        while segment < columns.n_segments:
            poll(stop)
            self.reserve(self.n_events + columns.longest)
            end = segment + 1
            while end < columns.n_segments and (
                columns.begins[end] - columns.begins[segment] < POLL_TOKENS
            ):
                end += 1
            with nogil:
                segment = self.collect(
                    point, &along, segment, end, low, high, closest, own_stop
                )
        with nogil:
            self.sweep(
                sort_events(self.events, self.events + self.capacity, self.n_events, own_stop),
                own_stop,
            )
        return self.n_boundaries

    cdef int64_t collect(
        self, WeightPoint point, const DirectionC* direction, int64_t segment, int64_t end,
        double low, double high, double closest, PyObject* stop,
    ) except -1 nogil:
        """Collect the events of segments up to `end`, or while there is room."""
        cdef LinesC lines
        cdef int64_t n
        while segment < end and self.n_events + self.longest <= self.capacity:
            point.lines(segment, direction, self.slopes, self.rounded, &lines)
            n = upper_envelope(
                &lines, &self.sweeper, self.kept, self.vertices, closest > 0.0, stop
            )
            self.add_segment(
                self.vertices, n, point.columns.data.offsets[segment], low, high, closest, stop
            )
            segment += 1
        return segment

    cdef int add_segment(
        self, const VertexC* vertices, int64_t n, int64_t first, double low, double high,
        double closest, PyObject* stop,
    ) except -1 nogil:
        """Add the first hypothesis to the sums, and an event for each one that follows."""
        cdef int64_t n_stats = self.kernel.n_stats
        cdef int64_t i, before, after, last = self.n_events
        cdef int64_t* change
        cdef double place = -INFINITY, begin
        i = 0
        while i + 1 < n and vertices[i + 1].begin <= low:
            i += 1
        before = after = (first + vertices[i].line) * n_stats
        add_difference(self.totals, &self.rows, before, -1, n_stats)
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
            self.events[self.n_events - 1].key = event_key(place)
            self.events[self.n_events - 1].change = self.n_events - 1
        return 0

    cdef int sweep(self, const EventC* events, PyObject* stop) except -1 nogil:
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
            self.boundaries[n] = event_place(key)
            n += 1
            while i < self.n_events and events[i].key == key:
                change = self.changes + events[i].change * n_stats
                for j in range(n_stats):
                    self.totals[j] += change[j]
                i += 1
        self.n_boundaries = n
        return 0

    def copy_to(self, boundaries, scores):
        """Copy what was found.

        Parameters
        ----------
        boundaries : float64 array of shape (n_boundaries,)
            Written.
        scores : float64 array of shape (n_boundaries + 1,)
            Written.
        """
        cdef Buffer places = Buffer(boundaries, "boundaries", writable=True)
        cdef Buffer values = Buffer(scores, "scores", writable=True)
        places.require(c"f", sizeof(double), self.n_boundaries, "boundaries")
        values.require(c"f", sizeof(double), self.n_boundaries + 1, "scores")
        memcpy(places.data, self.boundaries, self.n_boundaries * sizeof(double))
        memcpy(values.data, self.scores, (self.n_boundaries + 1) * sizeof(double))

    def best_interval(
        self, double low=-INFINITY, double high=INFINITY, str smoothing="none", window=0,
        double slope=0.0, double curvature=0.0, bint moses=False, stop=None,
    ):
        """Choose an interval and a point in it.

        Parameters
        ----------
        low, high : float
            As in `survey`.
        smoothing : {"none", "mean", "min"}
        window : int
            Intervals on either side that scores are smoothed over.
        slope, curvature : float
            Of a penalty of slope * x + curvature * x**2.
        moses : bool
            Choose and step as Moses does.
        stop : list, optional
            As in `survey`.

        Returns
        -------
        tuple of float
            The point, the score there, the objective there (more is better), the objective at 0,
            and the two ends of the interval.
        """
        cdef RulesC rules
        cdef BestIntervalC best
        cdef int64_t n = self.n_boundaries, width = min(window, n)
        cdef const double* smoothed = self.scores
        rules.low, rules.high, rules.moses = low, high, moses
        rules.lower_is_better = self.kernel.lower_is_better
        rules.slope, rules.curvature = slope, curvature
        if smoothing != "none":
            smoothed = self.smooth(smoothing == "mean", width, <PyObject*> stop)
        with nogil:
            choose_interval(
                self.boundaries, self.scores, smoothed, n, &rules, &best, <PyObject*> stop
            )
        return best.x, best.score, best.objective, best.here, best.low, best.high

    cdef const double* smooth(self, bint by_mean, int64_t window, PyObject* stop) except NULL:
        """Return the mean or the worst score of each interval and its neighbours."""
        cdef int64_t n = self.n_boundaries + 1
        cdef double* smoothed
        cdef int64_t* queue
        if self.smoothed_capacity < n:
            PyMem_RawFree(self.smoothed)
            self.smoothed_capacity = 0
            self.smoothed = PyMem_RawMalloc(n * (sizeof(double) + sizeof(int64_t)))
            if self.smoothed == NULL:
                raise MemoryError
            self.smoothed_capacity = n
        smoothed = <double*> self.smoothed
        queue = <int64_t*> (smoothed + n)
        with nogil:
            if by_mean:
                smooth_by_mean(self.scores, n, window, smoothed, stop)
            else:
                smooth_by_worst(
                    self.scores, n, window, self.kernel.lower_is_better, smoothed, queue, stop
                )
        return smoothed
