"""Which hypothesis each vector of weights chooses: the one with the highest sum of features.

The method is in weighted_argmax.h.  Here is the object that keeps the largest magnitude of each
feature in each segment, and what becomes of choices: numbers of rows, or sums of their statistics.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_SUMS, poll, poll_signals
from rapidbleu._core.tuning cimport (
    VECTORS, ArgmaxC, FeatureColumnsC, WeigherC, argmax_free, argmax_init, argmax_rows,
    largest_features, weigher_select,
)


cdef WeigherC weigher = weigher_select()


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


cdef class Chooser:
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
            columns.data.n_segments * columns.data.n_features * sizeof(float) + 1
        )
        if self.largest == NULL:
            raise MemoryError
        self.measure()

    def __dealloc__(self):
        PyMem_RawFree(self.largest)

    cdef int measure(self) except -1:
        """Find the largest magnitude of each feature in each segment."""
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t segment = 0, worked
        while segment < columns.n_segments:
            poll_signals()
            with nogil:
                worked = 0
                while segment < columns.n_segments and worked < POLL_SUMS:
                    largest_features(
                        columns, segment, self.largest + segment * columns.n_features
                    )
                    worked += columns.n_features * (
                        columns.begins[segment + 1] - columns.begins[segment]
                    )
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
        cdef int64_t m = out.n_items // self.columns.data.n_segments
        vectors.require(c"f", sizeof(double), m * self.columns.data.n_features, "weights")
        out.require(c"i", sizeof(int64_t), m * self.columns.data.n_segments, "chosen")
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
        cdef int64_t n = self.columns.data.offsets[self.columns.data.n_segments]
        cdef int64_t n_stats = max(rows.n_items // n, 1), m = out.n_items // n_stats
        cdef StatsC table
        vectors.require(c"f", sizeof(double), m * self.columns.data.n_features, "weights")
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
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t n_blocks = (m + VECTORS - 1) // VECTORS
        cdef int64_t job, n_jobs, worked, segment, first, v
        cdef int64_t[VECTORS] rows
        cdef ArgmaxC argmax
        if not 0 <= begin <= end <= columns.n_segments:
            raise IndexError(
                f"begin, end: expected a part of {columns.n_segments} segments, "
                f"got {begin} and {end}"
            )
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
                        argmax_rows(&argmax, segment, first, rows)
                        for v in range(first, min(first + VECTORS, m)):
                            if chosen != NULL:
                                chosen[v * columns.n_segments + segment] = rows[v - first]
                            else:
                                add_row(stats, rows[v - first], totals + v * stats.n_stats)
                        worked += columns.n_features * VECTORS * (
                            columns.begins[segment + 1] - columns.begins[segment]
                        )
                        job += 1
        finally:
            argmax_free(&argmax)
        return 0
