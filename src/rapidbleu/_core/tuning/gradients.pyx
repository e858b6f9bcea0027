"""Losses and expected scores with gradients: PRO's ranking, and minimum risk."""

from libc.math cimport INFINITY, exp, fabs, log1p, nextafter, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_OBJECTS, POLL_SUMS, POLL_TOKENS, allocate, poll_signals
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.tuning cimport DOUBLES, ExpecterC, FLOATS, SHORTS, expecter_select
from rapidbleu._core.tuning.line_search cimport FeatureColumns, count_of, round_up
from rapidbleu._core.tuning.mira cimport LearnerRows, value_at


# Pairwise ranking (Hopkins & May 2011): pairs of hypotheses to learn from, and the learner's loss.
# Of thousands of random pairs of a segment the few with the largest difference of scores are kept,
# in a short sorted array. A pair must beat its last item to enter, which few do (50 of 5,000: about
# 280), so a draw takes two multiplications and a comparison, 4 ns, compared with 35 for sorting all
# of them with NumPy. The caller supplies 64 random bits for a pair: the upper half selects one
# hypothesis, the lower half the other, each as bits * n >> 32 (Lemire), uniform up to n / 2**32.
#
# The classifier is a logistic regression without a constant. A pair and its mirror image have the
# same loss, so only one is stored, always as a sparse row, and the loss of both is summed over it.
# One pass computes loss and gradient in order, without a library's thread-dependent sums.


def draw_pairs(scores, int64_t begin, int64_t end, bits, double least, pairs, differences, /):
    """Draw pairs of one segment and keep those with the largest difference of scores.

    `scores`, float64, is for all hypotheses; the segment is [begin, end), at most 2**32. `bits`,
    uint64, has a random number per draw. Pairs with a difference of 0 or below `least` are dropped.
    Writes the better and the worse hypothesis to `pairs`, int64 of shape (most, 2), with equal
    differences in the order drawn, and their `differences`, float64. Returns the number of pairs
    kept. Linear in the draws if `most` is small; runs without the GIL.
    """
    cdef Buffer buffer = Buffer(scores, "scores")
    cdef Buffer drawn = Buffer(bits, "bits")
    cdef Buffer out = Buffer(pairs, "pairs", writable=True)
    cdef Buffer kept = Buffer(differences, "differences", writable=True)
    cdef int64_t n = 0, done = 0, stop
    buffer.require(c"f", 8, buffer.n_items, "scores")
    drawn.require(c"u", 8, drawn.n_items, "bits")
    kept.require(c"f", 8, kept.n_items, "differences")
    out.require(c"i", 8, 2 * kept.n_items, "pairs")
    if begin < 0 or begin >= end or end > buffer.n_items or end - begin > <int64_t> 1 << 32:
        raise ValueError(f"begin, end: expected a part of {buffer.n_items}; got {begin}, {end}")
    while done < drawn.n_items:
        stop = min(done + POLL_OBJECTS, drawn.n_items)
        with nogil:
            n = keep_largest(
                <const double*> buffer.data, begin, <uint64_t> (end - begin),
                (<const uint64_t*> drawn.data) + done, stop - done, least,
                <int64_t*> out.data, <double*> kept.data, n, kept.n_items,
            )
        poll_signals()
        done = stop
    return n


cdef int64_t keep_largest(
    const double* scores, int64_t begin, uint64_t n_hyps, const uint64_t* bits, int64_t n_bits,
    double least, int64_t* pairs, double* differences, int64_t n, int64_t most,
) noexcept nogil:
    """Insert pairs into a sorted array of n, at most `most`; return its new length."""
    cdef int64_t i, a, b, rank
    cdef double difference, size, beaten  # the largest insufficient difference
    if most == 0:
        return 0
    beaten = nextafter(least, -INFINITY) if least > 0.0 else 0.0
    if n == most:
        beaten = differences[most - 1]
    for i in range(n_bits):
        a = begin + <int64_t> ((bits[i] >> 32) * n_hyps >> 32)
        b = begin + <int64_t> (<uint64_t> <uint32_t> bits[i] * n_hyps >> 32)
        difference = scores[a] - scores[b]
        size = fabs(difference)
        if size <= beaten:
            continue
        if difference < 0.0:
            a, b = b, a
        rank = n if n < most else most - 1
        n = rank + 1
        while rank > 0 and differences[rank - 1] < size:
            differences[rank] = differences[rank - 1]
            pairs[2 * rank] = pairs[2 * rank - 2]
            pairs[2 * rank + 1] = pairs[2 * rank - 1]
            rank -= 1
        differences[rank], pairs[2 * rank], pairs[2 * rank + 1] = size, a, b
        if n == most:
            beaten = differences[most - 1]
    return n


def subtract(LearnerRows rows not None, pairs, values, columns, starts, /):
    """Write the differences of pairs of hypotheses as rows of a sparse matrix.

    A pair, int64, is the index of a row and of the row to subtract. Writes values, float64, and
    columns, int32, with room for two rows' values per pair, and starts, int64. Returns the count.
    """
    cdef Buffer buffer = Buffer(pairs, "pairs")
    cdef Buffer out = Buffer(values, "values", writable=True)
    cdef Buffer places = Buffer(columns, "columns", writable=True)
    cdef Buffer ends = Buffer(starts, "starts", writable=True)
    cdef const int64_t* pair = <const int64_t*> buffer.data
    cdef int64_t* start = <int64_t*> ends.data
    cdef int64_t n = ends.n_items - 1, i, k = 0, most = 0, size
    cdef int32_t* column = <int32_t*> places.data
    cdef double* value = <double*> out.data
    buffer.require(c"i", 8, 2 * n, "pairs")
    ends.require(c"i", 8, n + 1, "starts")
    out.require(c"f", 8, out.n_items, "values")
    places.require(c"i", 4, out.n_items, "columns")
    for i in range(2 * n):
        if pair[i] < 0 or pair[i] >= rows.n:
            raise ValueError(f"pairs[{i // 2}]: expected 0 to {rows.n - 1}; got {pair[i]}")
    start[0] = 0
    for i in range(n):
        most = size_of(rows, pair[2 * i]) + size_of(rows, pair[2 * i + 1])
        if k + most > out.n_items:
            raise ValueError(f"values: expected at least {k + most}; got {out.n_items}")
        size = rows.difference(pair[2 * i], pair[2 * i + 1], column + k, value + k, -1)
        k += size
        start[i + 1] = k
        if i % POLL_OBJECTS == 0:
            poll_signals()
    return k


cdef int64_t size_of(LearnerRows rows, int64_t row) noexcept nogil:
    if rows.columns == NULL:
        return rows.n_features
    return rows.starts[row + 1] - rows.starts[row]


cdef class LogisticLoss:
    """Loss of weights on pairs and their mirror images, plus `penalty` / 2 times the squared norm.

    Values, columns and starts are as written by `subtract`.
    """

    cdef Buffer held_values, held_columns, held_starts
    cdef int64_t n, n_features
    cdef double penalty

    def __cinit__(self, values, columns, starts, int64_t n_features, double penalty, /):
        cdef int64_t i
        self.held_values = Buffer(values, "values")
        self.held_columns = Buffer(columns, "columns")
        self.held_starts = Buffer(starts, "starts")
        self.n, self.n_features = self.held_starts.n_items - 1, n_features
        self.penalty = penalty
        self.held_starts.require(c"i", 8, self.n + 1, "starts")
        self.held_values.require(c"f", 8, self.held_values.n_items, "values")
        self.held_columns.require(c"i", 4, self.held_values.n_items, "columns")
        for i in range(self.n):
            if not 0 <= (<int64_t*> self.held_starts.data)[i] <= (
                (<int64_t*> self.held_starts.data)[i + 1]
            ) <= self.held_values.n_items:
                raise ValueError(f"starts[{i}]: expected ascending numbers of values")
        for i in range(self.held_columns.n_items):
            if not 0 <= (<int32_t*> self.held_columns.data)[i] < n_features:
                raise ValueError(f"columns[{i}]: expected less than {n_features}")

    def __call__(self, weights, gradient):
        """Return the loss of float64 weights, and write its gradient."""
        cdef Buffer buffer = Buffer(weights, "weights")
        cdef Buffer out = Buffer(gradient, "gradient", writable=True)
        cdef const double* weight = <const double*> buffer.data
        cdef const int64_t* starts = <const int64_t*> self.held_starts.data
        cdef double* slope = <double*> out.data
        cdef int64_t i = 0, j, end
        cdef double loss = 0.0
        buffer.require(c"f", 8, self.n_features, "weights")
        out.require(c"f", 8, self.n_features, "gradient")
        for j in range(self.n_features):
            slope[j] = 0.0
        while i < self.n:
            end = i + 1
            while end < self.n and starts[end + 1] - starts[i] + 8 * (end - i) <= POLL_TOKENS:
                end += 1
            with nogil:
                loss += self.add_losses(i, end, weight, slope)
            poll_signals()
            i = end
        for j in range(self.n_features):
            loss += 0.5 * self.penalty * weight[j] * weight[j]
            slope[j] += self.penalty * weight[j]
        return loss

    cdef double add_losses(
        self, int64_t begin, int64_t end, const double* weights, double* gradient
    ) noexcept nogil:
        cdef const double* values = <const double*> self.held_values.data
        cdef const int32_t* columns = <const int32_t*> self.held_columns.data
        cdef const int64_t* starts = <const int64_t*> self.held_starts.data
        cdef double loss = 0.0, margin, small, rate
        cdef int64_t i, k
        for i in range(begin, end):
            margin = 0.0
            for k in range(starts[i], starts[i + 1]):
                margin += values[k] * weights[columns[k]]
            small = exp(-fabs(margin))
            loss += 2.0 * (log1p(small) + (0.0 if margin > 0.0 else -margin))
            rate = -2.0 * (small if margin > 0.0 else 1.0) / (1.0 + small)
            for k in range(starts[i], starts[i + 1]):
                gradient[columns[k]] += rate * values[k]
        return loss


# Smooth corpus scores of weights (Smith & Eisner 2006): instead of the best hypothesis of each
# segment all are used, with probabilities exponential in their weighted features. The expected
# statistics of the corpus, and the score computed from them, are smooth functions of the weights.
# The score's derivatives by the statistics are prices, the worth of a hypothesis is the sum of its
# statistics at these prices, and the gradient is the covariance of worth and features, summed over
# segments. So one pass computes probabilities and sums, and another, with the prices, the gradient:
# features and statistics are each read twice, in columns (expected_rows.h). Counts of a hypothesis
# mostly fit into 16 bits, a quarter of the list's size. Sparse features stay in rows.
cdef const ExpecterC* expecter = expecter_select()

# Relative to the mean square; below it, only rounding varies.
cdef double LEAST_VARIANCE = 1e-12


cdef class Expectation:
    """Expected statistics of an n-best list, and gradients.

    Dense features are in `columns`, sparse ones in `rows`, which contains the same hypotheses.
    `stats`, uint16 or float64, contains the statistics by column, as `columns` contains features.
    `counts`, int64, is the weight of each segment, 0 or more; 1 by default. Memory: 8 bytes per
    hypothesis. Not thread-safe.
    """

    cdef FeatureColumns columns
    cdef LearnerRows rows
    cdef Buffer held_counts, held_stats
    cdef const int64_t* counts   # [n_segments] or NULL
    cdef int64_t* begins         # [n_segments + 1] index of each in columns
    cdef int64_t longest         # maximum items of a segment
    cdef const void* stats       # [n_stats, n_places]
    cdef int kind                # of stats: SHORTS or DOUBLES
    cdef const void* features    # [n_features, n_places] if dense
    cdef int feature_kind        # FLOATS or DOUBLES
    cdef double* shares          # [n_places] counts times probabilities
    cdef double* worths          # [longest]

    def __cinit__(self, columns, LearnerRows rows not None, stats, counts, /):
        cdef int64_t i, n
        self.rows, self.columns = rows, columns
        if (columns is None) != (rows.columns != NULL):
            raise TypeError("columns: expected those of dense features, None for sparse ones")
        if counts is not None:
            self.held_counts = Buffer(counts, "counts")
            self.held_counts.require(c"i", 8, rows.n_segments, "counts")
            self.counts = <const int64_t*> self.held_counts.data
        self.begins = <int64_t*> allocate(rows.n_segments + 1, sizeof(int64_t))
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
            raise ValueError("columns: expected those of the rows; got others")
        if columns is not None:
            self.features, self.feature_kind = self.columns.data.rounded, FLOATS
            if self.columns.data.exact != NULL:
                self.features, self.feature_kind = self.columns.data.exact, DOUBLES
        n = self.begins[rows.n_segments]
        self.held_stats = Buffer(stats, "stats")
        if self.held_stats.kind == c"u":
            self.held_stats.require(c"u", 2, n * rows.n_stats, "stats")
            self.kind = SHORTS
        else:
            self.held_stats.require(c"f", 8, n * rows.n_stats, "stats")
            self.kind = DOUBLES
        self.stats = self.held_stats.data
        self.shares = <double*> allocate(n, sizeof(double))
        self.worths = <double*> allocate(self.longest, sizeof(double))

    def __dealloc__(self):
        PyMem_RawFree(self.begins)
        PyMem_RawFree(self.shares)
        PyMem_RawFree(self.worths)

    def expect(self, weights, totals, /):
        """Write the expected statistics of the corpus, float64, for float64 weights.

        ValueError if a weighted sum of features is not finite. Linear in the values; without the
        GIL.
        """
        cdef int64_t segment = self.sweep(
            Buffer(weights, "weights"), self.rows.n_features, "weights",
            Buffer(totals, "totals", writable=True), self.rows.n_stats, "totals", NULL,
        )
        if segment < self.rows.n_segments:
            raise ValueError(
                f"weights: expected finite sums of weighted features; got others in segment "
                f"{segment}"
            )

    cdef int64_t sweep(
        self, Buffer factors, int64_t n_factors, str of_factors, Buffer out, int64_t n_sums,
        str of_sums, double* variance,
    ) except -1:
        """Add up the statistics of all segments or, with `variance`, the gradient and variances.

        Returns the number of segments, or the first whose sums of features are not finite.
        """
        cdef double* sums = <double*> out.data
        cdef int64_t segment = 0, work, i
        cdef bint finite = True
        factors.require(c"f", 8, n_factors, of_factors)
        out.require(c"f", 8, n_sums, of_sums)
        for i in range(n_sums):
            sums[i] = 0.0
        while segment < self.rows.n_segments and finite:
            work = 0
            with nogil:
                while segment < self.rows.n_segments and work < POLL_SUMS and finite:
                    if count_of(self.counts, segment) == 0:
                        segment += 1
                        continue
                    if variance != NULL:
                        variance[0] += self.add_gradient(
                            segment, <const double*> factors.data, sums
                        )
                    else:
                        finite = self.expect_segment(
                            segment, <const double*> factors.data, sums
                        )
                    work += self.rows.work(segment)
                    segment += finite
            poll_signals()
        return segment

    cdef bint expect_segment(
        self, int64_t segment, const double* weights, double* totals
    ) noexcept nogil:
        """Set the shares of a segment's hypotheses and add their statistics; 0 if not finite."""
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
        if not expecter.share(shares, <double> count_of(self.counts, segment), n_hyps, n):
            return False
        expecter.gather[self.kind](
            self.stats, begin, self.begins[self.rows.n_segments], self.rows.n_stats, shares,
            totals, n,
        )
        return True

    def gradient(self, prices, gradient, /):
        """Compute the gradient of the worth of the expected statistics by the weights.

        `prices`, float64, are derivatives by each statistic. The gradient, float64, is at the
        weights of the last call of `expect`, which must come first. Returns the variance of the
        worth within segments, summed over segments.
        """
        cdef double variance = 0.0
        self.sweep(
            Buffer(prices, "prices"), self.rows.n_stats, "prices",
            Buffer(gradient, "gradient", writable=True), self.rows.n_features, "gradient",
            &variance,
        )
        return variance

    cdef double add_gradient(
        self, int64_t segment, const double* prices, double* gradient
    ) noexcept nogil:
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
        mean /= <double> count_of(self.counts, segment)
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
        """Write the standard deviation of each feature within segments, float64.

        That is the root of the mean variance over the segments in which the feature varies,
        regardless of counts; 0 if it never varies. Linear in the values of the list.
        """
        cdef Buffer buffer = Buffer(out, "out", writable=True)
        cdef double* spread = <double*> buffer.data
        cdef int64_t n_features = self.rows.n_features, segment, j, work = 0
        cdef double* sums = NULL
        buffer.require(c"f", 8, n_features, "out")
        try:
            sums = <double*> allocate(3 * n_features, sizeof(double))
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


cdef void add_variances(
    LearnerRows rows, int64_t segment, double* sums, double* variances
) noexcept nogil:
    """Add the variances of a segment's features. `sums` has a sum and a sum of squares per feature,
    zero before and after, and counts the nonzero variances. Dense features are shifted by the first
    hypothesis, since they may be far from 0."""
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
