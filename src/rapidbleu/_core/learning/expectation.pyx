"""Expected statistics of n-best lists under a log-linear model, and gradients."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint16_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_SUMS, POLL_TOKENS, poll_signals
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.learning cimport DOUBLES, ExpecterC, FLOATS, SHORTS, expecter_select
from rapidbleu._core.tuning.learners cimport LearnerRows, scratch, value_at
from rapidbleu._core.tuning.line_search cimport FeatureColumns, round_up


# The smooth side of a corpus that weights choose (Smith & Eisner 2006): instead of the best
# hypothesis of each segment all count, with probabilities exponential in their weighted features.
# The expected statistics of the corpus are a smooth function of the weights, and the score computed
# from them is, too.  Its derivatives by the statistics are prices; a hypothesis is worth the sum of
# its statistics at these prices, and the gradient is the covariance of worth and features, summed
# over segments.  So one pass makes probabilities and sums, and once the prices are known another
# makes the gradient: features and statistics are each read twice, in columns (expected_rows.h).
# Counts of a hypothesis mostly fit into 16 bits, a quarter of what the list has.  Sparse features
# stay in rows.

cdef const ExpecterC* expecter = expecter_select()

# Of the mean square: below it, rounding is all that varies.
cdef double LEAST_VARIANCE = 1e-12


cdef class Expectation:
    """Expected statistics of an n-best list, and gradients.

    Parameters
    ----------
    columns : FeatureColumns or None
        Dense features.
    rows : LearnerRows
        The same hypotheses; of sparse features it has them.
    counts : int64 array of shape (n_segments,), or None
        How often each segment counts, 0 or more; once by default.

    Notes
    -----
    Memory: 8 bytes for a hypothesis, and 2 for each of its statistics, 8 if one is above 65,535. Of
    one thread at a time.
    """

    cdef FeatureColumns columns
    cdef LearnerRows rows
    cdef Buffer held_counts
    cdef const int64_t* counts   # [n_segments] or NULL
    cdef int64_t* begins         # [n_segments + 1] places of each in columns
    cdef int64_t longest         # places of one segment, at most
    cdef void* stats             # [n_stats, n_places]
    cdef int kind                # SHORTS or DOUBLES: what they are
    cdef const void* features    # [n_features, n_places] of dense ones
    cdef int feature_kind        # FLOATS or DOUBLES
    cdef double* shares          # [n_places] counts times probabilities
    cdef double* worths          # [longest]

    def __cinit__(self, columns, LearnerRows rows not None, counts, /):
        cdef int64_t i, n
        self.rows, self.columns = rows, columns
        if (columns is None) != (rows.columns != NULL):
            raise TypeError("columns: expected those of dense features, None for sparse ones")
        if counts is not None:
            self.held_counts = Buffer(counts, "counts")
            self.held_counts.require(c"i", 8, rows.n_segments, "counts")
            self.counts = <const int64_t*> self.held_counts.data
        self.begins = <int64_t*> scratch(rows.n_segments + 1, sizeof(int64_t))
        self.begins[0] = 0
        for i in range(rows.n_segments):
            n = round_up(rows.offsets[i + 1] - rows.offsets[i])
            self.begins[i + 1] = self.begins[i] + n
            self.longest = max(self.longest, n)
        if columns is not None and (
            self.columns.data.n_segments != rows.n_segments
            or self.columns.data.n_padded != self.begins[rows.n_segments]
            or self.columns.data.n_features != rows.n_features
        ):
            raise ValueError("columns: expected those of the rows, got others")
        if columns is not None:
            self.features, self.feature_kind = self.columns.data.rounded, FLOATS
            if self.columns.data.exact != NULL:
                self.features, self.feature_kind = self.columns.data.exact, DOUBLES
        self.kind = SHORTS if self.stats_are_short() else DOUBLES
        n = self.begins[rows.n_segments]
        self.shares = <double*> scratch(n, sizeof(double))
        self.worths = <double*> scratch(self.longest, sizeof(double))
        self.stats = scratch(n * rows.n_stats, sizeof(uint16_t) if self.kind == SHORTS else 8)
        self.turn_stats()

    def __dealloc__(self):
        PyMem_RawFree(self.begins)
        PyMem_RawFree(self.shares)
        PyMem_RawFree(self.worths)
        PyMem_RawFree(self.stats)

    cdef bint stats_are_short(self) except -1:
        """Do all statistics fit into 16 bits?"""
        cdef int64_t i
        for i in range(self.rows.n * self.rows.n_stats):
            if not 0 <= stat_at(self.rows, i) < 65536:
                return False
        return True

    cdef int turn_stats(self) except -1:
        """Copy the statistics into columns, with zeros behind each segment."""
        cdef LearnerRows rows = self.rows
        cdef int64_t n = self.begins[rows.n_segments], segment, i, k, row, place, n_hyps
        cdef int64_t value, work = 0
        for segment in range(rows.n_segments):
            row, place = rows.offsets[segment], self.begins[segment]
            n_hyps = rows.offsets[segment + 1] - row
            for k in range(rows.n_stats):
                for i in range(self.begins[segment + 1] - place):
                    value = stat_at(rows, (row + i) * rows.n_stats + k) if i < n_hyps else 0
                    if self.kind == SHORTS:
                        (<uint16_t*> self.stats)[k * n + place + i] = <uint16_t> value
                    else:
                        (<double*> self.stats)[k * n + place + i] = <double> value
            work += n_hyps * rows.n_stats
            if work >= POLL_TOKENS:
                work = 0
                poll_signals()
        return 0

    def expect(self, weights, totals, /):
        """Compute the expected statistics of the corpus.

        Parameters
        ----------
        weights : float64 array of shape (n_features,)
        totals : float64 array of shape (n_stats,)
            Written.

        Raises
        ------
        ValueError
            If a weighted sum of features is not finite.

        Notes
        -----
        Linear in the values of the list; runs without the GIL.
        """
        cdef Buffer given = Buffer(weights, "weights")
        cdef Buffer out = Buffer(totals, "totals", writable=True)
        cdef double* sums = <double*> out.data
        cdef int64_t segment = 0, work, i
        cdef bint finite = True
        given.require(c"f", 8, self.rows.n_features, "weights")
        out.require(c"f", 8, self.rows.n_stats, "totals")
        for i in range(self.rows.n_stats):
            sums[i] = 0.0
        while segment < self.rows.n_segments and finite:
            work = 0
            with nogil:
                while segment < self.rows.n_segments and work < POLL_SUMS and finite:
                    if self.count_of(segment) > 0:
                        finite = self.expect_segment(segment, <const double*> given.data, sums)
                        work += self.rows.work(segment)
                    segment += 1
            poll_signals()
        if not finite:
            raise ValueError(
                f"weights: expected finite sums of weighted features, got others in segment "
                f"{segment - 1}"
            )

    cdef bint expect_segment(
        self, int64_t segment, const double* weights, double* totals
    ) noexcept nogil:
        """Set the shares of a segment's hypotheses, add their statistics; 0 if not finite."""
        cdef int64_t begin = self.begins[segment], n = self.begins[segment + 1] - begin, i
        cdef int64_t n_hyps = self.rows.offsets[segment + 1] - self.rows.offsets[segment]
        cdef double* shares = self.shares + begin
        if self.rows.columns == NULL:
            expecter.weigh[self.feature_kind](
                self.features, begin, self.columns.data.n_padded, self.rows.n_features, weights,
                shares, n,
            )
        else:
            self.rows.dots(
                self.rows.offsets[segment], self.rows.offsets[segment + 1], weights, shares
            )
            for i in range(n_hyps, n):
                shares[i] = shares[0]
        if not expecter.share(shares, <double> self.count_of(segment), n_hyps, n):
            return False
        expecter.gather[self.kind](
            self.stats, begin, self.begins[self.rows.n_segments], self.rows.n_stats, shares,
            totals, n,
        )
        return True

    def gradient(self, prices, gradient, /):
        """Compute how the worth of the expected statistics changes with the weights.

        Parameters
        ----------
        prices : float64 array of shape (n_stats,)
            What one more of each statistic is worth.
        gradient : float64 array of shape (n_features,)
            Written: at the weights of the last call of `expect`, which comes first.

        Returns
        -------
        float
            The variance of the worth of a segment's hypotheses, summed over segments.

        Notes
        -----
        As of `expect`.
        """
        cdef Buffer given = Buffer(prices, "prices")
        cdef Buffer out = Buffer(gradient, "gradient", writable=True)
        cdef double* slopes = <double*> out.data
        cdef double variance = 0.0
        cdef int64_t segment = 0, work, i
        given.require(c"f", 8, self.rows.n_stats, "prices")
        out.require(c"f", 8, self.rows.n_features, "gradient")
        for i in range(self.rows.n_features):
            slopes[i] = 0.0
        while segment < self.rows.n_segments:
            work = 0
            with nogil:
                while segment < self.rows.n_segments and work < POLL_SUMS:
                    if self.count_of(segment) > 0:
                        variance += self.add_gradient(
                            segment, <const double*> given.data, slopes
                        )
                        work += self.rows.work(segment)
                    segment += 1
            poll_signals()
        return variance

    cdef double add_gradient(
        self, int64_t segment, const double* prices, double* gradient
    ) noexcept nogil:
        """Add the gradient of a segment; returns the variance of its worths."""
        cdef int64_t begin = self.begins[segment], n = self.begins[segment + 1] - begin
        cdef int64_t i, k, row
        cdef const double* shares = self.shares + begin
        cdef double* worths = self.worths
        cdef double mean = 0.0, variance
        expecter.weigh[self.kind](
            self.stats, begin, self.begins[self.rows.n_segments], self.rows.n_stats, prices,
            worths, n,
        )
        expecter.gather[DOUBLES](worths, 0, 0, 1, shares, &mean, n)
        mean /= <double> self.count_of(segment)
        variance = expecter.center(worths, shares, mean, n)
        if self.rows.columns == NULL:
            expecter.gather[self.feature_kind](
                self.features, begin, self.columns.data.n_padded, self.rows.n_features, worths,
                gradient, n,
            )
        else:
            row = self.rows.offsets[segment]
            for i in range(self.rows.offsets[segment + 1] - row):
                for k in range(row_begin(self.rows, row + i), row_begin(self.rows, row + i + 1)):
                    gradient[self.rows.columns[k]] += worths[i] * value_at(self.rows, k)
        return variance

    def spreads(self, out, /):
        """Compute how far a feature's values are from their mean within a segment.

        Parameters
        ----------
        out : float64 array of shape (n_features,)
            Written: the root of the mean variance over the segments in which the feature varies,
            however often they count; 0 for a feature that varies in none.

        Notes
        -----
        Linear in the values of the list.
        """
        cdef Buffer given = Buffer(out, "out", writable=True)
        cdef double* spread = <double*> given.data
        cdef int64_t n_features = self.rows.n_features, segment, j, work = 0
        cdef double* sums = NULL
        given.require(c"f", 8, n_features, "out")
        try:
            sums = <double*> scratch(3 * n_features, sizeof(double))
            for j in range(n_features):
                spread[j] = sums[j] = sums[n_features + j] = sums[2 * n_features + j] = 0.0
            for segment in range(self.rows.n_segments):
                with nogil:
                    add_variances(self.rows, segment, sums, spread)
                work += self.rows.work(segment)
                if work >= POLL_TOKENS:
                    work = 0
                    poll_signals()
            for j in range(n_features):
                spread[j] = sqrt(spread[j] / max(sums[2 * n_features + j], 1.0))
        finally:
            PyMem_RawFree(sums)

    cdef int64_t count_of(self, int64_t segment) noexcept nogil:
        """How often a segment counts."""
        return 1 if self.counts == NULL else self.counts[segment]


cdef void add_variances(
    LearnerRows rows, int64_t segment, double* sums, double* variances
) noexcept nogil:
    """Add the variances of a segment's features.

    `sums` has a sum and a sum of squares for each feature, zeros which are left as zeros, and
    counts the variances that are not 0. A dense feature is taken less that of the first
    hypothesis, so that it may be far from 0.
    """
    cdef int64_t n = rows.n_features, first = rows.offsets[segment], i, j, k, begin
    cdef int64_t end = rows.offsets[segment + 1]
    cdef bint dense = rows.columns == NULL
    cdef double size = <double> (end - first), value, mean, variance
    for i in range(first, end):
        begin = row_begin(rows, i)
        for k in range(row_begin(rows, i + 1) - begin):
            j, value = k if dense else rows.columns[begin + k], value_at(rows, begin + k)
            if dense:
                value -= value_at(rows, first * n + j)
            sums[j] += value
            sums[n + j] += value * value
    begin = row_begin(rows, first)
    for k in range(row_begin(rows, first + 1 if dense else end) - begin):
        j = k if dense else rows.columns[begin + k]
        if sums[n + j] > 0.0:
            mean = sums[j] / size
            variance = sums[n + j] / size - mean * mean
            if variance > LEAST_VARIANCE * sums[n + j] / size:
                variances[j] += variance
                sums[2 * n + j] += 1.0
            sums[j] = sums[n + j] = 0.0


cdef inline int64_t row_begin(LearnerRows rows, int64_t row) noexcept nogil:
    return row * rows.n_features if rows.columns == NULL else rows.starts[row]


cdef inline int64_t stat_at(LearnerRows rows, int64_t place) noexcept nogil:
    return rows.stats[place] if rows.narrow_stats == NULL else rows.narrow_stats[place]
