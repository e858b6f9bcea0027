"""Hypotheses as learners see them: their features and statistics, row by row, dense or sparse.

The searches along lines want features by column; learners that go from segment to segment want the
rows of one segment, which are together in an n-best list, so nothing is copied: this object borrows
the arrays.  A dot product adds from the first feature to the last one in double precision, the rule
by which hypotheses are chosen everywhere.  Such a chain of additions is as slow as its latency, so
four rows go side by side: 7 ns a row of 15 features.

A sparse row holds its values in ascending order of columns.  What it leaves out would add zeros,
which change no sum, so sparse and dense rows of the same features give the same bits.
"""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_CELLS, poll_signals


ctypedef fused feature_t:
    float
    double


cdef class LearnerRows:
    """The arrays of an n-best list, borrowed.

    Parameters
    ----------
    features : float32 or float64 array, C-contiguous
        ``[n, n_features]``, or the values of a sparse matrix.
    columns, starts : int32 array, int64 array of shape (n + 1,), or None
        Of a sparse matrix in rows: the column of each value, and where each row begins.
    stats : int64 or int32 array, C-contiguous, of shape (n, n_stats)
    offsets : int64 array of shape (n_segments + 1,)
        Where the hypotheses of each segment begin; each has one or more.
    n_features, n_stats : int

    Attributes
    ----------
    n, n_segments, n_features, n_stats : int
        How many.
    """

    def __cinit__(
        self, features, columns, starts, stats, offsets, int64_t n_features, int n_stats
    ):
        self.held_features = Buffer(features, "features")
        self.held_stats = Buffer(stats, "stats")
        self.held_offsets = Buffer(offsets, "offsets")
        self.n_features, self.n_stats = n_features, n_stats
        self.n_segments = self.held_offsets.n_items - 1
        self.held_offsets.require(c"i", 8, max(1, self.n_segments + 1), "offsets")
        self.offsets = <const int64_t*> self.held_offsets.data
        self.n = self.offsets[self.n_segments]
        self.check_segments()
        self.held_stats.require(c"i", self.held_stats.item_size, self.n * n_stats, "stats")
        if self.held_stats.item_size == 4:
            self.narrow_stats = <const int32_t*> self.held_stats.data
        else:
            self.held_stats.require(c"i", 8, self.n * n_stats, "stats")
            self.stats = <const int64_t*> self.held_stats.data
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

    cdef int check_segments(self) except -1:
        """Refuse offsets that do not ascend."""
        cdef int64_t i
        if self.offsets[0] != 0:
            raise ValueError(f"offsets[0]: expected 0, got {self.offsets[0]}")
        for i in range(self.n_segments):
            if self.offsets[i + 1] <= self.offsets[i]:
                raise ValueError(
                    f"offsets[{i + 1}]: expected more than {self.offsets[i]}, "
                    f"got {self.offsets[i + 1]}"
                )
            self.longest = max(self.longest, self.offsets[i + 1] - self.offsets[i])
        return 0

    cdef int check_sparse(self) except -1:
        """Refuse rows of a sparse matrix whose columns do not ascend or do not exist."""
        cdef int64_t n_values = self.held_features.n_items
        cdef int64_t i, k, last
        self.held_starts.require(c"i", 8, self.n + 1, "starts")
        self.held_columns.require(c"i", 4, n_values, "columns")
        self.held_features.require(c"f", self.held_features.item_size, n_values, "features")
        self.columns = <const int32_t*> self.held_columns.data
        self.starts = <const int64_t*> self.held_starts.data
        if self.starts[0] != 0 or self.starts[self.n] != n_values:
            raise ValueError(
                f"starts: expected 0 to {n_values}, got {self.starts[0]} to {self.starts[self.n]}"
            )
        for i in range(self.n):
            if self.starts[i + 1] < self.starts[i] or self.starts[i + 1] > n_values:
                raise ValueError(f"starts[{i + 1}]: expected at least {self.starts[i]}, "
                                 f"got {self.starts[i + 1]}")
            last = -1
            for k in range(self.starts[i], self.starts[i + 1]):
                if self.columns[k] <= last or self.columns[k] >= self.n_features:
                    raise ValueError(
                        f"columns[{k}]: expected {last + 1} to {self.n_features - 1}, "
                        f"got {self.columns[k]}"
                    )
                last = self.columns[k]
            self.widest = max(self.widest, self.starts[i + 1] - self.starts[i])
        return 0

    def choose(self, weights, chosen):
        """Write which hypothesis of each segment has the highest score, the first of equal ones.

        Parameters
        ----------
        weights : float64 array of shape (n_features,)
        chosen : int64 array of shape (n_segments,)
            Written: row numbers.

        Notes
        -----
        Linear in the values of the features; runs without the GIL.
        """
        cdef Buffer given = Buffer(weights, "weights")
        cdef Buffer out = Buffer(chosen, "chosen", writable=True)
        cdef int64_t segment = 0, work
        given.require(c"f", 8, self.n_features, "weights")
        out.require(c"i", 8, self.n_segments, "chosen")
        while segment < self.n_segments:
            work = 0
            with nogil:
                while segment < self.n_segments and work < POLL_CELLS:
                    (<int64_t*> out.data)[segment] = best_row(
                        self, self.offsets[segment], self.offsets[segment + 1],
                        <const double*> given.data,
                    )
                    work += self.work(segment)
                    segment += 1
            poll_signals()

    cdef int64_t work(self, int64_t segment) noexcept nogil:
        """How many numbers belong to a segment, roughly the nanoseconds to look at them."""
        cdef int64_t begin = self.offsets[segment], end = self.offsets[segment + 1]
        cdef int64_t values = (end - begin) * self.n_features
        if self.columns != NULL:
            values = self.starts[end] - self.starts[begin]
        return values + (end - begin) * self.n_stats

    cdef void dots(
        self, int64_t begin, int64_t end, const double* weights, double* out
    ) noexcept nogil:
        """Write the products of rows [begin, end) and the weights."""
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
        """Write row a less row b where they differ; returns in how many columns they do."""
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
    """Row with the highest product, the first of equal ones."""
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
