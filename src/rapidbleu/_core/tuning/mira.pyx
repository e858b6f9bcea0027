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

cdef float ALIKE = 1e-6     # maximum difference of equal sparse values in Moses

ctypedef fused real_t:      # precision of sums: single like Moses, or double
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
        cdef Buffer buffer = Buffer(weights, "weights")
        cdef Buffer out = Buffer(chosen, "chosen", writable=True)
        cdef Buffer held_counts = None if counts is None else Buffer(counts, "counts")
        cdef const int64_t* count = NULL
        cdef int64_t segment = 0, work
        buffer.require(c"f", 8, self.n_features, "weights")
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
                        <const double*> buffer.data,
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
                dense_dots(self.narrow, self.n_features, begin, end, weights, out, 0.0)
            else:
                dense_dots(self.wide, self.n_features, begin, end, weights, out, 0.0)
        elif self.narrow != NULL:
            sparse_dots(self.narrow, self.columns, self.starts, begin, end, weights, out, 0.0)
        else:
            sparse_dots(self.wide, self.columns, self.starts, begin, end, weights, out, 0.0)

    cdef int64_t difference(
        self, int64_t a, int64_t b, int32_t* columns, double* values, int64_t n_dense
    ) noexcept nogil:
        """Write row a minus row b where they differ; return the number of these columns.

        If `n_dense` is at least 0, the first so many columns are written even if equal, and the
        rest differ by Moses' rule: if one row has no value, or values differ by more than 1e-6.
        """
        cdef int64_t i, j, end_i, end_j, n = 0
        cdef int32_t column
        cdef double value
        cdef bint in_both
        if self.columns == NULL:
            for i in range(self.n_features):
                value = value_at(self, a * self.n_features + i)
                value -= value_at(self, b * self.n_features + i)
                if value != 0.0 or n_dense >= 0:
                    columns[n], values[n] = <int32_t> i, value
                    n += 1
            return n
        while n < n_dense:
            columns[n], values[n] = <int32_t> n, 0.0
            n += 1
        i, end_i = self.starts[a], self.starts[a + 1]
        j, end_j = self.starts[b], self.starts[b + 1]
        while i < end_i or j < end_j:
            value = 0.0
            in_both = False
            if j == end_j or (i < end_i and self.columns[i] <= self.columns[j]):
                column = self.columns[i]
                value = value_at(self, i)
                in_both = j < end_j and self.columns[j] == column
                i += 1
            else:
                column = self.columns[j]
            if j < end_j and self.columns[j] == column:
                value -= value_at(self, j)
                j += 1
            if column < n_dense:
                values[column] = value
            elif (
                value != 0.0 if n_dense < 0 else not in_both or fabs(<float> value) > ALIKE
            ):
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
    const double* weights, double* out, real_t zero,
) noexcept nogil:
    cdef const feature_t* row = features + begin * n_features
    cdef real_t a, b, c, d, weight
    cdef int64_t i = begin, j
    while i + 4 <= end:
        a = b = c = d = zero
        for j in range(n_features):
            weight = <real_t> weights[j]
            a += <real_t> row[j] * weight
            b += <real_t> row[j + n_features] * weight
            c += <real_t> row[j + 2 * n_features] * weight
            d += <real_t> row[j + 3 * n_features] * weight
        out[i - begin], out[i - begin + 1], out[i - begin + 2], out[i - begin + 3] = a, b, c, d
        row += 4 * n_features
        i += 4
    while i < end:
        a = zero
        for j in range(n_features):
            a += <real_t> row[j] * <real_t> weights[j]
        out[i - begin] = a
        row += n_features
        i += 1


cdef void sparse_dots(
    const feature_t* values, const int32_t* columns, const int64_t* starts, int64_t begin,
    int64_t end, const double* weights, double* out, real_t zero,
) noexcept nogil:
    cdef real_t total
    cdef int64_t i, k
    for i in range(begin, end):
        total = zero
        for k in range(starts[i], starts[i + 1]):
            total += <real_t> values[k] * <real_t> weights[columns[k]]
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
#
# Moses' kbmira computes the same in single precision, one operation after the other. An update
# moves the weights, which choose the next hope and fear, so one rounding may change all later
# steps. To yield its updates and losses, `step` and what it calls exist in both precisions, each
# sum is added in Moses' order, and four rules differ in single precision:
#
# - the pseudo-corpus is real-valued, begins with 1 in each column and only adds a hypothesis if
#   hope and fear differ and hope has the higher cost;
# - costs are BLEU times the length of the reference;
# - the mean is over updates, not segments, and counts the start once more than it was used;
# - sparse values of hope and fear that differ by 1e-6 or less are equal, and dense ones always
#   take part in an update.
#
# Arrays are in double precision, which contains every number in single precision. Logarithms and
# exponentials are the C library's in single precision, as in Moses. Another C library may round one
# of them differently.
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

    With `n_dense`, the number of dense features, it learns like Moses, from BLEU's rows and
    float32 features. The start is in single precision, and `background` is float64 ones.
    """

    cdef Kernel kernel
    cdef LearnerRows rows
    cdef ScoreCache cache
    cdef Buffer held_weights, held_background
    cdef double* weights
    cdef double* late            # [n_features] sum of steps before a change x change, for `average`
    cdef int64_t* updated        # [n_features] last update included in `late`, like Moses
    cdef double* products        # [longest]
    cdef double* costs           # [longest]
    cdef double* values          # [2 * widest + n_dense] of a difference
    cdef int32_t* columns        # [2 * widest + n_dense]
    cdef int64_t* background
    cdef int64_t* sums           # [BLOCK, n_stats]
    cdef int64_t unit
    cdef int length_column
    cdef double n_background     # rows in the pseudo-corpus
    cdef double factor, step_limit, decay
    cdef bint safe_hope, model_background, single
    cdef readonly int64_t n_steps
    cdef int64_t n_dense, n_updates

    def __cinit__(
        self, Kernel kernel not None, LearnerRows rows not None, weights, background,
        int64_t unit, int length_column, double factor, double step_limit, double decay,
        bint safe_hope, bint model_background, n_dense=None, /,
    ):
        cdef int64_t i, room
        if rows.n_stats != kernel.n_stats:
            raise ValueError(f"stats: expected {kernel.n_stats} columns; got {rows.n_stats}")
        self.kernel, self.rows, self.cache = kernel, rows, ScoreCache(kernel.n_cache_tables)
        self.single = n_dense is not None
        self.n_dense = n_dense if self.single else -1
        if self.single and rows.wide != NULL:
            raise ValueError("features: expected float32; got float64")
        if self.single and not 0 <= self.n_dense <= rows.n_features:
            raise ValueError(f"n_dense: expected 0 to {rows.n_features}; got {n_dense}")
        self.held_weights = Buffer(weights, "weights", writable=True)
        self.held_background = Buffer(background, "background", writable=True)
        self.held_weights.require(c"f", 8, rows.n_features, "weights")
        self.held_background.require(
            c"f" if self.single else c"i", 8, kernel.n_stats, "background"
        )
        self.weights = <double*> self.held_weights.data
        self.background = <int64_t*> self.held_background.data
        self.unit, self.length_column, self.factor = unit, length_column, factor
        self.step_limit, self.decay = step_limit, decay
        self.safe_hope, self.model_background = safe_hope, model_background
        self.n_background = 1.0
        room = 2 * rows.widest + max(self.n_dense, 0)
        self.products = <double*> allocate(rows.longest, sizeof(double))
        self.costs = <double*> allocate(rows.longest, sizeof(double))
        self.late = <double*> allocate(rows.n_features, sizeof(double))
        self.updated = <int64_t*> allocate(rows.n_features, sizeof(int64_t))
        self.values = <double*> allocate(room, sizeof(double))
        self.columns = <int32_t*> allocate(room, sizeof(int32_t))
        self.sums = <int64_t*> allocate(BLOCK * kernel.n_stats, sizeof(int64_t))
        for i in range(rows.n_features):
            self.late[i] = self.weights[i] if self.single else 0.0
            self.updated[i] = 0

    def __dealloc__(self):
        PyMem_RawFree(self.products)
        PyMem_RawFree(self.costs)
        PyMem_RawFree(self.late)
        PyMem_RawFree(self.updated)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.columns)
        PyMem_RawFree(self.sums)

    def epoch(self, order, /):
        """Learn once from each of some segments in order, int64.

        Returns the number of weight changes, and the mean loss of the hopes over the segments, each
        before its update. Linear in the values of the list; runs without the GIL.
        """
        cdef Buffer buffer = Buffer(order, "order")
        cdef const int64_t* segments = <const int64_t*> buffer.data
        cdef int64_t n = buffer.n_items, i = 0, work, n_before = self.n_updates
        cdef double loss = 0.0
        buffer.require(c"i", 8, n, "order")
        self.rows.check_order(segments, n)
        while i < n:
            work = 0
            with nogil:
                while i < n and work < POLL_TOKENS:
                    if self.single:
                        loss = <float> loss + step(self, segments[i], <float> 0)
                    else:
                        loss += step(self, segments[i], <double> 0)
                    work += self.rows.work(segments[i])
                    i += 1
            poll_signals()
        if n > 0:
            loss = <float> loss / <float> n if self.single else loss / <double> n
        return self.n_updates - n_before, loss

    def average(self, out, /):
        """Write the mean of the weights after all steps so far, like Moses all updates; float64."""
        cdef Buffer mean = Buffer(out, "out", writable=True)
        cdef double* means = <double*> mean.data
        cdef int64_t i
        mean.require(c"f", 8, self.rows.n_features, "out")
        for i in range(self.rows.n_features):
            means[i] = self.weights[i]
            if self.single:
                self.catch_up(i, 0.0)
                if self.n_updates > 0:
                    means[i] = <float> self.late[i] / <float> self.n_updates
            elif self.n_steps > 0:
                means[i] -= self.late[i] / <double> self.n_steps

    def score(self, weights, /):
        """Return Moses' BLEU, as a fraction, of the list with these weights, float64."""
        cdef Buffer buffer = Buffer(weights, "weights")
        cdef int64_t segment = 0, work, begin, n
        cdef int n_stats = self.rows.n_stats, j
        cdef double* sums = <double*> self.sums
        buffer.require(c"f", 8, self.rows.n_features, "weights")
        for j in range(n_stats):
            sums[j] = 0.0
        while segment < self.rows.n_segments:
            work = 0
            with nogil:
                while segment < self.rows.n_segments and work < POLL_TOKENS:
                    begin = self.rows.offsets[segment]
                    n = self.rows.offsets[segment + 1] - begin
                    weigh(
                        self.rows, begin, begin + n, <const double*> buffer.data, self.products,
                        <float> 0,
                    )
                    begin += first_highest[float](self.products, self.costs, n, 1.0, 0.0)
                    for j in range(n_stats):
                        sums[j] = <float> sums[j] + self.count(begin, j)
                    work += self.rows.work(segment)
                    segment += 1
            poll_signals()
        return bleu_single(sums, (n_stats - 2) // 2)

    cdef float count(self, int64_t row, int j) noexcept nogil:
        return <float> count_at(&self.rows.stats, row * self.rows.n_stats + j)

    cdef void catch_up(self, int64_t i, float change) noexcept nogil:
        """Add the weight since its last update, and the change of this one, like Moses."""
        cdef float since = <float> (self.n_updates - self.updated[i]) * <float> self.weights[i]
        self.late[i] = <float> self.late[i] + (since + change)
        self.updated[i] = self.n_updates

    cdef void find_costs(self, int64_t begin, int64_t n) noexcept nogil:
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t done = 0, end, k, _, first
        cdef int64_t* sums
        cdef double length = self.n_background + 1.0
        cdef CountsC stats = self.rows.stats
        while done < n:
            end = min(<int64_t> BLOCK, n - done)
            sums, first = self.sums, (begin + done) * n_stats
            for _ in range(end):
                for j in range(n_stats):
                    sums[j] = self.background[j] + self.unit * count_at(&stats, first + j)
                sums += n_stats
                first += n_stats
            self.kernel.score_block(self.sums, end, self.costs + done, self.cache.entries)
            for k in range(end):
                if self.length_column >= 0:
                    length = <double> self.sums[k * n_stats + self.length_column]
                self.costs[done + k] *= length * self.factor
            done += end

    cdef void find_moses_costs(self, int64_t begin, int64_t n) noexcept nogil:
        cdef const double* background = <const double*> self.background
        cdef double* sums = <double*> self.sums
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t k
        for k in range(n):
            for j in range(n_stats):
                sums[j] = self.count(begin + k, j) + <float> background[j]
            self.costs[k] = bleu_single(sums, (n_stats - 2) // 2) * <float> sums[1]

    cdef void extend_background(self, int64_t row) noexcept nogil:
        cdef int j, n_stats = self.kernel.n_stats
        for j in range(n_stats):
            self.background[j] = (
                <int64_t> floor(self.decay * <double> self.background[j] + 0.5)
                + self.unit * count_at(&self.rows.stats, row * n_stats + j)
            )
        self.n_background = self.decay * self.n_background + 1.0

    cdef void extend_moses_background(self, int64_t row) noexcept nogil:
        cdef double* background = <double*> self.background
        cdef float decayed
        cdef int j
        for j in range(self.kernel.n_stats):
            decayed = <float> background[j] * <float> self.decay
            background[j] = decayed + self.count(row, j)


# `zero` has the type of the precision.
cdef real_t step(Mira self, int64_t segment, real_t zero) noexcept nogil:
    """Learn from one segment; return the loss of the hope, or 0 without an update."""
    cdef int64_t begin = self.rows.offsets[segment]
    cdef int64_t n = self.rows.offsets[segment + 1] - begin
    cdef int64_t hope, fear, joins
    cdef real_t limit, product, loss = zero, missing
    weigh(self.rows, begin, begin + n, self.weights, self.products, zero)
    if real_t is float:
        self.find_moses_costs(begin, n)
    else:
        self.find_costs(begin, n)
    hope = first_highest[real_t](self.products, self.costs, n, 1.0, 1.0)
    fear = first_highest[real_t](self.products, self.costs, n, 1.0, -1.0)
    if self.safe_hope:
        limit = fabs(<real_t> (<real_t> self.costs[hope] * SAFE_RATIO))
        product = fabs(self.products[hope])
        if product > 1e-8 and limit / product < 1.0:
            hope = first_highest[real_t](self.products, self.costs, n, limit / product, 1.0)
    joins = hope
    if self.model_background:
        joins = first_highest[real_t](self.products, self.costs, n, 1.0, 0.0)
    missing = <real_t> self.costs[hope] - <real_t> self.costs[fear]
    if hope != fear and missing > 0.0:
        loss = update(self, begin + hope, begin + fear, missing)
    if real_t is double:
        self.extend_background(begin + joins)
    elif hope != fear and missing > 0.0:
        self.extend_moses_background(begin + joins)
    self.n_steps += 1
    return loss


cdef void weigh(
    LearnerRows rows, int64_t begin, int64_t end, const double* weights, double* products,
    real_t zero,
) noexcept nogil:
    if real_t is double:
        rows.dots(begin, end, weights, products)
    elif rows.columns == NULL:
        dense_dots(rows.narrow, rows.n_features, begin, end, weights, products, zero)
    else:
        sparse_dots(rows.narrow, rows.columns, rows.starts, begin, end, weights, products, zero)


cdef real_t update(Mira self, int64_t hope, int64_t fear, real_t missing) noexcept nogil:
    """Move the weights until hope is ahead of fear by the difference in cost. Return the loss."""
    cdef real_t product = 0.0, norm = 0.0, rate = <real_t> self.step_limit, change
    cdef int64_t n = self.rows.difference(hope, fear, self.columns, self.values, self.n_dense), k
    cdef int32_t column
    for k in range(n):
        change = <real_t> self.values[k]
        product += change * <real_t> self.weights[self.columns[k]]
        norm += change * change
    missing -= product
    if not missing > 0.0 or (real_t is double and norm == 0.0):
        return 0.0
    if norm > 0.0:
        rate = min(rate, missing / norm)
    self.n_updates += 1
    for k in range(n):
        column = self.columns[k]
        change = rate * <real_t> self.values[k]
        if real_t is float:
            self.catch_up(column, change)
        else:
            self.late[column] += <double> self.n_steps * change
        self.weights[column] = <real_t> self.weights[column] + change
    return missing


cdef int64_t first_highest(
    const double* products, const double* costs, int64_t n, real_t of_products, real_t of_costs
) noexcept nogil:
    """Return the index of the highest weighted sum, the first of equal ones."""
    cdef real_t best = of_products * <real_t> products[0] + of_costs * <real_t> costs[0], value
    cdef int64_t chosen = 0, k
    for k in range(1, n):
        value = of_products * <real_t> products[k] + of_costs * <real_t> costs[k]
        if value > best:
            best, chosen = value, k
    return chosen


cdef float bleu_single(const double* sums, int n) noexcept nogil:
    """Return BLEU like Moses; `sums` are in single precision."""
    cdef float logs = 0.0, brevity
    cdef int j
    for j in range(n):
        if sums[2 + j] == 0.0:
            return 0.0
        logs += logf(<float> sums[2 + j]) - logf(<float> sums[2 + n + j])
    logs /= <float> n
    brevity = <float> (1.0 - <double> (<float> sums[1] / <float> sums[2 + n]))
    if brevity < 0.0:
        logs += brevity
    return expf(logs)
