"""Batch MIRA: rows of hypotheses for learners, and weights that learn from hope and fear."""

from libc.math cimport expf, fabs, floor, logf
from libc.stdint cimport int32_t, int64_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_CELLS, POLL_TOKENS, allocate, poll_signals
from rapidbleu._core.input.columns cimport Buffer, CountsC, close_counts, count_at, open_counts
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache


# Rows of hypotheses for learners: features and statistics, dense or sparse. Line searches need
# features by column; learners that go from segment to segment need the rows of one segment, which
# are contiguous in an n-best list, so the arrays are borrowed without a copy. A dot product adds
# from the first feature to the last in double precision, the rule by which hypotheses are chosen
# everywhere. Because such a chain of additions is bound by latency, four rows are computed
# together: 7 ns a row of 15 features. A sparse row contains its values in ascending order of
# columns; omitted values would add zeros, so sparse and dense rows yield the same bits.


ctypedef fused feature_t:
    float
    double


cdef class LearnerRows:
    """The arrays of an n-best list in C order, borrowed.

    `features`, float32 or float64, is a matrix, or the values of a sparse one in rows; then
    `columns`, int32, contains the column of each value, and `starts`, int64, the start of each row.
    `stats` is int64 or int32; `offsets`, int64, the first hypothesis of each segment.
    """

    def __cinit__(
        self, features, columns, starts, stats, offsets, int64_t n_features, int n_stats, /,
    ):
        self.held_features = Buffer(features, "features")
        self.held_offsets = Buffer(offsets, "offsets")
        self.n_features, self.n_stats = n_features, n_stats
        self.n_segments = self.held_offsets.n_items - 1
        self.held_offsets.require(c"i", 8, max(1, self.n_segments + 1), "offsets")
        self.offsets = <const int64_t*> self.held_offsets.data
        self.n = self.offsets[self.n_segments]
        self.check_segments()
        if not open_counts(&self.stats, stats, 2, n_stats) or self.stats.n != self.n:
            raise ValueError(f"stats: expected {self.n} rows of {n_stats} integers in C order")
        if columns is not None:
            self.held_columns = Buffer(columns, "columns")
            self.held_starts = Buffer(starts, "starts")
            self.check_sparse()
        else:
            self.widest = n_features
            self.held_features.require(
                c"f", self.held_features.item_size, self.n * n_features, "features"
            )
        if self.held_features.item_size == 4:
            self.narrow = <const float*> self.held_features.data
        else:
            self.held_features.require(c"f", 8, self.held_features.n_items, "features")
            self.wide = <const double*> self.held_features.data

    def __dealloc__(self):
        close_counts(&self.stats)

    cdef int check_segments(self) except -1:
        cdef int64_t i
        if self.offsets[0] != 0:
            raise ValueError(f"offsets[0]: expected 0; got {self.offsets[0]}")
        for i in range(self.n_segments):
            if self.offsets[i + 1] <= self.offsets[i]:
                raise ValueError(
                    f"offsets[{i + 1}]: expected more than {self.offsets[i]}; "
                    f"got {self.offsets[i + 1]}"
                )
            self.longest = max(self.longest, self.offsets[i + 1] - self.offsets[i])
        return 0

    cdef int check_order(self, const int64_t* segments, int64_t n) except -1:
        cdef int64_t i
        for i in range(n):
            if not 0 <= segments[i] < self.n_segments:
                raise ValueError(
                    f"order[{i}]: expected 0 to {self.n_segments - 1}; got {segments[i]}"
                )
        return 0

    cdef int check_sparse(self) except -1:
        """Raise ValueError if columns of a row do not ascend or are out of range."""
        cdef int64_t n_values = self.held_features.n_items
        cdef int64_t i, k, last
        self.held_starts.require(c"i", 8, self.n + 1, "starts")
        self.held_columns.require(c"i", 4, n_values, "columns")
        self.held_features.require(c"f", self.held_features.item_size, n_values, "features")
        self.columns = <const int32_t*> self.held_columns.data
        self.starts = <const int64_t*> self.held_starts.data
        if self.starts[0] != 0 or self.starts[self.n] != n_values:
            raise ValueError(
                f"starts: expected 0 to {n_values}; got {self.starts[0]} to {self.starts[self.n]}"
            )
        for i in range(self.n):
            if self.starts[i + 1] < self.starts[i] or self.starts[i + 1] > n_values:
                raise ValueError(f"starts[{i + 1}]: expected at least {self.starts[i]}; "
                                 f"got {self.starts[i + 1]}")
            last = -1
            for k in range(self.starts[i], self.starts[i + 1]):
                if self.columns[k] <= last or self.columns[k] >= self.n_features:
                    raise ValueError(
                        f"columns[{k}]: expected {last + 1} to {self.n_features - 1}; "
                        f"got {self.columns[k]}"
                    )
                last = self.columns[k]
            self.widest = max(self.widest, self.starts[i + 1] - self.starts[i])
        return 0

    def choose(self, weights, chosen, counts=None, /):
        """Write the hypothesis of each segment with the highest score, the first of equal ones.

        `weights` is float64. `chosen`, int64, receives row numbers; segments whose `counts`, int64,
        are 0 are skipped. Linear in the values of the features; runs without the GIL.
        """
        cdef Buffer given = Buffer(weights, "weights")
        cdef Buffer out = Buffer(chosen, "chosen", writable=True)
        cdef Buffer held_counts = None if counts is None else Buffer(counts, "counts")
        cdef const int64_t* count = NULL
        cdef int64_t segment = 0, work
        given.require(c"f", 8, self.n_features, "weights")
        out.require(c"i", 8, self.n_segments, "chosen")
        if held_counts is not None:
            held_counts.require(c"i", 8, self.n_segments, "counts")
            count = <const int64_t*> held_counts.data
        while segment < self.n_segments:
            work = 0
            with nogil:
                while segment < self.n_segments and work < POLL_CELLS:
                    if count != NULL and count[segment] == 0:
                        segment += 1
                        continue
                    (<int64_t*> out.data)[segment] = best_row(
                        self, self.offsets[segment], self.offsets[segment + 1],
                        <const double*> given.data,
                    )
                    work += self.work(segment)
                    segment += 1
            poll_signals()

    cdef int64_t work(self, int64_t segment) noexcept nogil:
        """Return the amount of numbers in a segment, about the nanoseconds to process them."""
        cdef int64_t begin = self.offsets[segment], end = self.offsets[segment + 1]
        cdef int64_t values = (end - begin) * self.n_features
        if self.columns != NULL:
            values = self.starts[end] - self.starts[begin]
        return values + (end - begin) * self.n_stats

    cdef void dots(
        self, int64_t begin, int64_t end, const double* weights, double* out
    ) noexcept nogil:
        if self.columns == NULL:
            if self.narrow != NULL:
                dense_dots(self.narrow, self.n_features, begin, end, weights, out)
            else:
                dense_dots(self.wide, self.n_features, begin, end, weights, out)
        elif self.narrow != NULL:
            sparse_dots(self.narrow, self.columns, self.starts, begin, end, weights, out)
        else:
            sparse_dots(self.wide, self.columns, self.starts, begin, end, weights, out)

    cdef int64_t difference(
        self, int64_t a, int64_t b, int32_t* columns, double* values
    ) noexcept nogil:
        """Write row a minus row b where they differ; return the number of these columns."""
        cdef int64_t i, j, end_i, end_j, n = 0
        cdef int32_t column
        cdef double value
        if self.columns == NULL:
            for i in range(self.n_features):
                value = value_at(self, a * self.n_features + i)
                value -= value_at(self, b * self.n_features + i)
                if value != 0.0:
                    columns[n], values[n] = <int32_t> i, value
                    n += 1
            return n
        i, end_i = self.starts[a], self.starts[a + 1]
        j, end_j = self.starts[b], self.starts[b + 1]
        while i < end_i or j < end_j:
            value = 0.0
            if j == end_j or (i < end_i and self.columns[i] <= self.columns[j]):
                column = self.columns[i]
                value = value_at(self, i)
                i += 1
            else:
                column = self.columns[j]
            if j < end_j and self.columns[j] == column:
                value -= value_at(self, j)
                j += 1
            if value != 0.0:
                columns[n], values[n] = column, value
                n += 1
        return n


cdef int64_t best_row(
    LearnerRows rows, int64_t begin, int64_t end, const double* weights
) noexcept nogil:
    """Return the row with the highest product, the first of equal ones."""
    cdef double products[256]
    cdef double best = 0.0
    cdef int64_t chosen = begin, k, n, i = begin
    while i < end:
        n = min(256, end - i)
        rows.dots(i, i + n, weights, products)
        for k in range(n):
            if products[k] > best or i + k == begin:
                best, chosen = products[k], i + k
        i += n
    return chosen


cdef void dense_dots(
    const feature_t* features, int64_t n_features, int64_t begin, int64_t end,
    const double* weights, double* out,
) noexcept nogil:
    cdef const feature_t* row = features + begin * n_features
    cdef double a, b, c, d
    cdef int64_t i = begin, j
    while i + 4 <= end:
        a = b = c = d = 0.0
        for j in range(n_features):
            a += <double> row[j] * weights[j]
            b += <double> row[j + n_features] * weights[j]
            c += <double> row[j + 2 * n_features] * weights[j]
            d += <double> row[j + 3 * n_features] * weights[j]
        out[i - begin], out[i - begin + 1], out[i - begin + 2], out[i - begin + 3] = a, b, c, d
        row += 4 * n_features
        i += 4
    while i < end:
        a = 0.0
        for j in range(n_features):
            a += <double> row[j] * weights[j]
        out[i - begin] = a
        row += n_features
        i += 1


cdef void sparse_dots(
    const feature_t* values, const int32_t* columns, const int64_t* starts, int64_t begin,
    int64_t end, const double* weights, double* out,
) noexcept nogil:
    cdef double total
    cdef int64_t i, k
    for i in range(begin, end):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += <double> values[k] * weights[columns[k]]
        out[i - begin] = total


# Batch MIRA on n-best lists (Cherry & Foster 2012, algorithm 1): one epoch of updates. Each segment
# has two special hypotheses: hope, with the highest model score + cost, and fear, with the highest
# model score - cost. If hope does not beat fear by the difference of their costs, the weights take
# the smallest step, at most C, that makes it so. The cost is the corpus score of this hypothesis
# together with a decaying pseudo-corpus of earlier choices, times the length of both (Chiang et al.
# 2008), so that one segment counts for its effect on a corpus.
#
# The pseudo-corpus is real-valued because it decays, whereas kernels accept rows of integers.
# Corpus scores are ratios of sums, equal for a row and its multiples, so the pseudo-corpus is
# stored in integers in a small unit, 1/8191 of a count unless that overflows, and rows are
# multiplied accordingly; rounding, half a unit a step, is below a part in ten million of a
# hypothesis's change. Terms that are not ratios are meant for single segments: an added constant
# fades as in a corpus 8,191 times as large. The unit is not a power of two because the cache
# selects slots by low bits.
#
# The mean of the weights after all steps is w - (sum of steps before each change x that change) /
# steps, so a step needs no pass over all weights, and sparse features only cost their values.
cdef enum:
    BLOCK = 128             # hypotheses scored at a time, which fit the cache
    SAFE_RATIO = 5          # largest ratio of model score to cost of a hope without scaling


cdef class Mira:
    """Weights that learn from a list.

    `weights`, float64, are the start; `background`, int64, is the initial pseudo-corpus in units,
    `unit` per count, such that ``unit`` times a sum of counts is below 2**62; each step changes
    both. `length_column` of a row is its length; if it is -1, a row is as long as `one`. A cost is
    score x length x `factor`; `step_limit` is C, and `decay` shrinks the pseudo-corpus in each
    step. With `safe_hope`, the model score is scaled down if it drowns the cost of the hope; with
    `model_background`, the hypothesis with the best model score joins the pseudo-corpus instead of
    the hope. `n_steps` counts processed segments.
    """

    cdef Kernel kernel
    cdef LearnerRows rows
    cdef ScoreCache cache
    cdef Buffer held_weights, held_background
    cdef double* weights
    cdef double* late            # [n_features] sum of steps before a change x change
    cdef double* products        # [longest]
    cdef double* costs           # [longest]
    cdef double* values          # [2 * widest] of a difference
    cdef int32_t* columns        # [2 * widest]
    cdef int64_t* background
    cdef int64_t* sums           # [BLOCK, n_stats]
    cdef int64_t unit
    cdef int length_column
    cdef double n_background     # rows in the pseudo-corpus
    cdef double factor, step_limit, decay
    cdef bint safe_hope, model_background
    cdef readonly int64_t n_steps
    cdef int64_t n_updates
    cdef double loss

    def __cinit__(
        self, Kernel kernel not None, LearnerRows rows not None, weights, background,
        int64_t unit, int length_column, double factor, double step_limit, double decay,
        bint safe_hope, bint model_background, /,
    ):
        cdef int64_t i
        if rows.n_stats != kernel.n_stats:
            raise ValueError(f"stats: expected {kernel.n_stats} columns; got {rows.n_stats}")
        self.kernel, self.rows, self.cache = kernel, rows, ScoreCache(kernel.n_cache_tables)
        self.held_weights = Buffer(weights, "weights", writable=True)
        self.held_background = Buffer(background, "background", writable=True)
        self.held_weights.require(c"f", 8, rows.n_features, "weights")
        self.held_background.require(c"i", 8, kernel.n_stats, "background")
        self.weights = <double*> self.held_weights.data
        self.background = <int64_t*> self.held_background.data
        self.unit, self.length_column, self.factor = unit, length_column, factor
        self.step_limit, self.decay = step_limit, decay
        self.safe_hope, self.model_background = safe_hope, model_background
        self.n_background = 1.0
        self.products = <double*> allocate(rows.longest, sizeof(double))
        self.costs = <double*> allocate(rows.longest, sizeof(double))
        self.late = <double*> allocate(rows.n_features, sizeof(double))
        self.values = <double*> allocate(2 * rows.widest, sizeof(double))
        self.columns = <int32_t*> allocate(2 * rows.widest, sizeof(int32_t))
        self.sums = <int64_t*> allocate(BLOCK * kernel.n_stats, sizeof(int64_t))
        for i in range(rows.n_features):
            self.late[i] = 0.0

    def __dealloc__(self):
        PyMem_RawFree(self.products)
        PyMem_RawFree(self.costs)
        PyMem_RawFree(self.late)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.columns)
        PyMem_RawFree(self.sums)

    def epoch(self, order, /):
        """Learn once from each of some segments in order, int64.

        Returns the number of weight changes, and the mean loss of the hopes over the segments, each
        before its update. Linear in the values of the list; runs without the GIL.
        """
        cdef Buffer given = Buffer(order, "order")
        cdef const int64_t* segments = <const int64_t*> given.data
        cdef int64_t n = given.n_items, i, work
        given.require(c"i", 8, n, "order")
        self.rows.check_order(segments, n)
        self.n_updates, self.loss, i = 0, 0.0, 0
        while i < n:
            work = 0
            with nogil:
                while i < n and work < POLL_TOKENS:
                    self.step(segments[i])
                    work += self.rows.work(segments[i])
                    i += 1
            poll_signals()
        return self.n_updates, self.loss / <double> n if n > 0 else 0.0

    def average(self, out, /):
        """Write the mean of the weights after all steps so far, float64."""
        cdef Buffer mean = Buffer(out, "out", writable=True)
        cdef int64_t i
        mean.require(c"f", 8, self.rows.n_features, "out")
        for i in range(self.rows.n_features):
            (<double*> mean.data)[i] = self.weights[i]
            if self.n_steps > 0:
                (<double*> mean.data)[i] -= self.late[i] / <double> self.n_steps

    cdef void step(self, int64_t segment) noexcept nogil:
        cdef int64_t begin = self.rows.offsets[segment]
        cdef int64_t n = self.rows.offsets[segment + 1] - begin
        cdef int64_t hope, fear, model, joins
        cdef double scale = 1.0, cost, product
        self.rows.dots(begin, begin + n, self.weights, self.products)
        self.find_costs(begin, n)
        hope = first_highest(self.products, self.costs, n, 1.0, 1.0)
        fear = first_highest(self.products, self.costs, n, 1.0, -1.0)
        if self.safe_hope:
            cost, product = fabs(self.costs[hope]) * SAFE_RATIO, fabs(self.products[hope])
            if product > 1e-8 and cost / product < 1.0:
                scale = cost / product
                hope = first_highest(self.products, self.costs, n, scale, 1.0)
        if hope != fear:
            self.update(begin, hope, fear)
        joins = hope
        if self.model_background:
            model = first_highest(self.products, self.costs, n, 1.0, 0.0)
            joins = model
        self.extend_background(begin + joins)
        self.n_steps += 1

    cdef void find_costs(self, int64_t begin, int64_t n) noexcept nogil:
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t done = 0, end, k, _, place
        cdef int64_t* sums
        cdef double length = self.n_background + 1.0
        cdef CountsC stats = self.rows.stats
        while done < n:
            end = min(<int64_t> BLOCK, n - done)
            sums, place = self.sums, (begin + done) * n_stats
            for _ in range(end):
                for j in range(n_stats):
                    sums[j] = self.background[j] + self.unit * count_at(&stats, place + j)
                sums += n_stats
                place += n_stats
            self.kernel.score_block(self.sums, end, self.costs + done, self.cache.entries)
            for k in range(end):
                if self.length_column >= 0:
                    length = <double> self.sums[k * n_stats + self.length_column]
                self.costs[done + k] *= length * self.factor
            done += end

    cdef void update(self, int64_t begin, int64_t hope, int64_t fear) noexcept nogil:
        """Move the weights so that hope beats fear by the difference of their costs."""
        cdef double missing = self.costs[hope] - self.costs[fear]
        cdef double product = 0.0, norm = 0.0, rate, change
        cdef int64_t n = self.rows.difference(
            begin + hope, begin + fear, self.columns, self.values
        )
        cdef int64_t k
        if missing <= 0.0:
            return
        for k in range(n):
            product += self.values[k] * self.weights[self.columns[k]]
            norm += self.values[k] * self.values[k]
        missing -= product
        if missing <= 0.0 or norm == 0.0:
            return
        rate = min(self.step_limit, missing / norm)
        for k in range(n):
            change = rate * self.values[k]
            self.weights[self.columns[k]] += change
            self.late[self.columns[k]] += <double> self.n_steps * change
        self.n_updates += 1
        self.loss += missing

    cdef void extend_background(self, int64_t row) noexcept nogil:
        cdef int j, n_stats = self.kernel.n_stats
        for j in range(n_stats):
            self.background[j] = (
                <int64_t> floor(self.decay * <double> self.background[j] + 0.5)
                + self.unit * count_at(&self.rows.stats, row * n_stats + j)
            )
        self.n_background = self.decay * self.n_background + 1.0


cdef int64_t first_highest(
    const double* products, const double* costs, int64_t n, double of_products, double of_costs
) noexcept nogil:
    """Return the index of the highest weighted sum, the first of equal ones."""
    cdef double best = of_products * products[0] + of_costs * costs[0], value
    cdef int64_t chosen = 0, k
    for k in range(1, n):
        value = of_products * products[k] + of_costs * costs[k]
        if value > best:
            best, chosen = value, k
    return chosen


# Batch MIRA as computed by Moses' kbmira: in single precision, one operation after the other. An
# update moves the weights, which choose the next hope and fear, so one rounding may change all
# later steps. To yield the same updates and losses, every number here is a float, sums are added in
# Moses' order, and its rules apply where they differ from `Mira`:
#
# - the pseudo-corpus begins with 1 in each column and only adds a hypothesis if hope and fear
#   differ and hope has the higher cost;
# - costs are BLEU times the length of the reference;
# - the mean is over updates, not segments, and counts the start once more than it was used;
# - sparse values of hope and fear that differ by 1e-6 or less are equal.
#
# Logarithms and exponentials are the C library's in single precision, as in Moses; another C
# library may round one of them differently.
cdef float ALIKE = 1e-6       # maximum difference of equal sparse values


cdef class MosesMira:
    """Weights that learn from a list like kbmira's; parameters as in `Mira`.

    Features are float32, the first `n_dense` of them dense; rows are BLEU's. The start is rounded.
    """

    cdef LearnerRows rows
    cdef float* weights
    cdef float* totals          # [n_features] sum of the weights after each update
    cdef float* means           # [n_features]
    cdef int64_t* updated       # [n_features] last update included in `totals`
    cdef int64_t* places        # [n_features] columns in which hope and fear may differ
    cdef float* change          # [n_features] their differences
    cdef float* background      # [n_stats] and scratch for as many
    cdef float step_limit, decay
    cdef bint safe_hope, model_background
    cdef int64_t n_dense, n_updates

    def __cinit__(
        self, LearnerRows rows not None, weights, int64_t n_dense, double step_limit,
        double decay, bint safe_hope, bint model_background, /,
    ):
        cdef Buffer start = Buffer(weights, "weights")
        cdef int64_t i, n = rows.n_features
        start.require(c"f", 8, n, "weights")
        if rows.wide != NULL:
            raise ValueError("features: expected float32; got float64")
        if rows.n_stats < 4 or rows.n_stats % 2:
            raise ValueError(f"stats: expected rows of BLEU; got {rows.n_stats} columns")
        if not 0 <= n_dense <= n:
            raise ValueError(f"n_dense: expected 0 to {n}; got {n_dense}")
        self.rows, self.n_dense = rows, n_dense
        self.step_limit, self.decay = <float> step_limit, <float> decay
        self.safe_hope, self.model_background = safe_hope, model_background
        self.weights = <float*> allocate(4 * n, sizeof(float))
        self.totals = self.weights + n
        self.means = self.totals + n
        self.change = self.means + n
        self.updated = <int64_t*> allocate(2 * n, sizeof(int64_t))
        self.places = self.updated + n
        self.background = <float*> allocate(2 * rows.n_stats, sizeof(float))
        for i in range(n):
            self.weights[i] = self.totals[i] = self.means[i] = <float> (<double*> start.data)[i]
            self.updated[i] = 0
        for i in range(rows.n_stats):
            self.background[i] = 1.0

    def __dealloc__(self):
        PyMem_RawFree(self.weights)
        PyMem_RawFree(self.updated)
        PyMem_RawFree(self.background)

    def epoch(self, order, /):
        """Learn once from each of some segments, as in `Mira.epoch`."""
        cdef Buffer given = Buffer(order, "order")
        cdef const int64_t* segments = <const int64_t*> given.data
        cdef int64_t n = given.n_items, i, work, before = self.n_updates
        cdef float loss = 0.0
        given.require(c"i", 8, n, "order")
        self.rows.check_order(segments, n)
        i = 0
        while i < n:
            work = 0
            with nogil:
                while i < n and work < POLL_TOKENS:
                    loss = <float> (loss + self.step(segments[i]))
                    work += self.rows.work(segments[i])
                    i += 1
            poll_signals()
        return self.n_updates - before, loss / <float> n if n > 0 else 0.0

    def average(self, out, /):
        """Write the mean of the weights after all updates so far, float64."""
        cdef Buffer mean = Buffer(out, "out", writable=True)
        cdef int64_t i
        mean.require(c"f", 8, self.rows.n_features, "out")
        for i in range(self.rows.n_features):
            self.catch_up(i)
            self.means[i] = self.weights[i]
            if self.n_updates > 0:
                self.means[i] = self.totals[i] / <float> self.n_updates
            (<double*> mean.data)[i] = self.means[i]

    def score(self):
        """Return the BLEU, as a fraction, of the last computed mean."""
        cdef int64_t segment = 0, work
        cdef int n_stats = self.rows.n_stats, j
        cdef float* sums = self.background + n_stats
        for j in range(n_stats):
            sums[j] = 0.0
        while segment < self.rows.n_segments:
            work = 0
            with nogil:
                while segment < self.rows.n_segments and work < POLL_TOKENS:
                    self.add_best(segment, sums)
                    work += self.rows.work(segment)
                    segment += 1
            poll_signals()
        return bleu(sums, (n_stats - 2) // 2)

    cdef void add_best(self, int64_t segment, float* sums) noexcept nogil:
        cdef int64_t first = self.rows.offsets[segment], best = first, i
        cdef float highest = self.dot(first, self.means), score
        cdef int j
        for i in range(first + 1, self.rows.offsets[segment + 1]):
            score = self.dot(i, self.means)
            if score > highest:
                best, highest = i, score
        for j in range(self.rows.n_stats):
            sums[j] += self.count(best, j)

    cdef void catch_up(self, int64_t i) noexcept nogil:
        self.totals[i] += <float> (self.n_updates - self.updated[i]) * self.weights[i]
        self.updated[i] = self.n_updates

    cdef float dot(self, int64_t row, const float* weights) noexcept nogil:
        cdef const float* values = self.rows.narrow
        cdef float total = 0.0
        cdef int64_t k, begin, end
        if self.rows.columns == NULL:
            values += row * self.rows.n_features
            for k in range(self.rows.n_features):
                total += weights[k] * values[k]
            return total
        begin, end = self.rows.starts[row], self.rows.starts[row + 1]
        for k in range(begin, end):
            total += weights[self.rows.columns[k]] * values[k]
        return total

    cdef float cost(self, int64_t row) noexcept nogil:
        """Return BLEU of a hypothesis with the pseudo-corpus, times the reference length."""
        cdef int n_stats = self.rows.n_stats, j
        cdef float* sums = self.background + n_stats
        for j in range(n_stats):
            sums[j] = self.count(row, j) + self.background[j]
        return bleu(sums, (n_stats - 2) // 2) * sums[1]

    cdef float count(self, int64_t row, int j) noexcept nogil:
        return <float> count_at(&self.rows.stats, row * self.rows.n_stats + j)

    cdef float step(self, int64_t segment) noexcept nogil:
        """Learn from one segment; return the loss of the hope, or 0 without an update."""
        cdef int64_t first = self.rows.offsets[segment], i, hope, fear, model
        cdef int64_t end = self.rows.offsets[segment + 1]
        cdef float scale = 1.0, best_hope, best_fear, best_model, hope_cost, fear_cost
        cdef float score, cost, hope_score, loss = 0.0, limit
        cdef int attempt, j
        hope = fear = model = first
        best_hope = best_fear = best_model = hope_cost = fear_cost = hope_score = 0.0
        for attempt in range(2):
            for i in range(first, end):
                score = self.dot(i, self.weights)
                cost = self.cost(i)
                if i == first or scale * score + cost > best_hope:
                    best_hope, hope = scale * score + cost, i
                    hope_score, hope_cost = score, cost
                if i == first or score - cost > best_fear:
                    best_fear, fear, fear_cost = score - cost, i, cost
                if i == first or score > best_model:
                    best_model, model = score, i
            limit = <float> fabs(<float> (hope_cost * SAFE_RATIO))
            if not self.safe_hope or attempt or fabs(hope_score) <= 1e-8:
                break
            if limit / <float> fabs(hope_score) >= scale:
                break
            scale = limit / <float> fabs(hope_score)
        if hope == fear or hope_cost <= fear_cost:
            return 0.0
        loss = self.update(hope, fear, hope_cost - fear_cost)
        for j in range(self.rows.n_stats):
            self.background[j] *= self.decay
            self.background[j] += self.count(model if self.model_background else hope, j)
        return loss

    cdef float update(self, int64_t hope, int64_t fear, float wanted) noexcept nogil:
        """Move the weights so that hope beats fear by `wanted`, unless it does."""
        cdef int64_t n = self.difference(hope, fear), k, place
        cdef float product = 0.0, norm = 0.0, loss, rate, step
        for k in range(n):
            product += self.weights[self.places[k]] * self.change[k]
            norm += self.change[k] * self.change[k]
        loss = wanted - product
        if not loss > 0.0:
            return 0.0
        rate = min(self.step_limit, loss / norm) if norm > 0.0 else self.step_limit
        self.n_updates += 1
        for k in range(n):
            place = self.places[k]
            step = self.change[k] * rate
            self.totals[place] += (
                <float> (self.n_updates - self.updated[place]) * self.weights[place] + step
            )
            self.weights[place] += step
            self.updated[place] = self.n_updates
        return loss

    cdef int64_t difference(self, int64_t hope, int64_t fear) noexcept nogil:
        """Compute hope minus fear: all dense features, then sparse ones that differ."""
        cdef const float* values = self.rows.narrow
        cdef const int32_t* columns = self.rows.columns
        cdef int64_t n = self.rows.n_features, m = self.n_dense, i, j, end_i, end_j
        cdef float value
        if columns == NULL:
            for i in range(n):
                self.places[i] = i
                self.change[i] = values[hope * n + i] - values[fear * n + i]
            return n
        i, end_i = self.rows.starts[hope], self.rows.starts[hope + 1]
        j, end_j = self.rows.starts[fear], self.rows.starts[fear + 1]
        for n in range(m):
            self.places[n] = n
            self.change[n] = 0.0
        while i < end_i and columns[i] < m:
            self.change[columns[i]] = values[i]
            i += 1
        n = m
        while j < end_j and columns[j] < m:
            self.change[columns[j]] -= values[j]
            j += 1
        while i < end_i or j < end_j:
            if j == end_j or (i < end_i and columns[i] < columns[j]):
                self.places[n], self.change[n] = columns[i], values[i]
                n, i = n + 1, i + 1
            elif i == end_i or columns[j] < columns[i]:
                self.places[n], self.change[n] = columns[j], -values[j]
                n, j = n + 1, j + 1
            else:
                value = values[i] - values[j]
                if fabs(value) > ALIKE:
                    self.places[n], self.change[n] = columns[i], value
                    n += 1
                i, j = i + 1, j + 1
        return n


cdef float bleu(const float* sums, int n) noexcept nogil:
    cdef float logs = 0.0, brevity
    cdef int j
    for j in range(n):
        if sums[2 + j] == 0.0:
            return 0.0
        logs += logf(sums[2 + j]) - logf(sums[2 + n + j])
    logs /= <float> n
    brevity = <float> (1.0 - <double> (sums[1] / sums[2 + n]))
    if brevity < 0.0:
        logs += brevity
    return expf(logs)
