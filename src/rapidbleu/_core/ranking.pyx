"""Pairwise ranking (Hopkins & May 2011): pairs of hypotheses to learn from, and the learner's loss.

Of thousands of pairs drawn at random for a segment the few with the largest difference of scores
are kept, in the order of that difference.  They lie in a sorted array as short as the few: a pair
drawn has to beat its last item to get in, which few do (50 of 5,000: about 280), so a draw costs
two multiplications and a comparison, 4 ns, where sorting all of them with NumPy takes 35.

Random bits come from the caller, 64 for a pair: the upper half chooses one hypothesis, the lower
half the other one, each as bits * n >> 32 (Lemire), off by less than n / 2**32 from uniform.

The classifier is a logistic regression without a constant.  A pair and its mirror image have the
same loss, so only one of them is stored, as a sparse row whatever the features are, and the loss
of both is summed over it.  One pass makes loss and gradient, in the order of the pairs: no library
of linear algebra takes part whose sums depend on its threads.
"""

from libc.math cimport INFINITY, exp, fabs, log1p, nextafter
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_OBJECTS, POLL_TOKENS, poll_signals
from rapidbleu._core.learner_rows cimport LearnerRows


def draw_pairs(scores, int64_t begin, int64_t end, bits, double least, pairs, differences):
    """Draw pairs of one segment and keep those with the largest difference of scores.

    Parameters
    ----------
    scores : float64 array
        Of all hypotheses.
    begin, end : int
        Those of the segment, at most 2**32.
    bits : uint64 array
        A random number for each draw.
    least : float
        Pairs with a smaller difference, or with none, are dropped.
    pairs : int64 array of shape (most, 2)
        Written: the better hypothesis and the worse one; of equal differences those drawn first.
    differences : float64 array of shape (most,)
        Written.

    Returns
    -------
    int
        How many pairs were kept.

    Notes
    -----
    Linear in the draws where `most` is small; runs without the GIL.
    """
    cdef Buffer given = Buffer(scores, "scores")
    cdef Buffer drawn = Buffer(bits, "bits")
    cdef Buffer out = Buffer(pairs, "pairs", writable=True)
    cdef Buffer kept = Buffer(differences, "differences", writable=True)
    cdef int64_t n = 0, done = 0, stop
    given.require(c"f", 8, given.n_items, "scores")
    drawn.require(c"u", 8, drawn.n_items, "bits")
    kept.require(c"f", 8, kept.n_items, "differences")
    out.require(c"i", 8, 2 * kept.n_items, "pairs")
    if begin < 0 or begin >= end or end > given.n_items or end - begin > <int64_t> 1 << 32:
        raise ValueError(f"begin, end: expected a part of {given.n_items}, got {begin}, {end}")
    while done < drawn.n_items:
        stop = min(done + POLL_OBJECTS, drawn.n_items)
        with nogil:
            n = keep_largest(
                <const double*> given.data, begin, <uint64_t> (end - begin),
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
    """Put pairs into a sorted array that has n of at most `most`; returns how many it has then."""
    cdef int64_t i, a, b, place
    cdef double difference, size, beaten  # the largest difference that is not enough
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
        place = n if n < most else most - 1
        n = place + 1
        while place > 0 and differences[place - 1] < size:
            differences[place] = differences[place - 1]
            pairs[2 * place] = pairs[2 * place - 2]
            pairs[2 * place + 1] = pairs[2 * place - 1]
            place -= 1
        differences[place], pairs[2 * place], pairs[2 * place + 1] = size, a, b
        if n == most:
            beaten = differences[most - 1]
    return n


def subtract(LearnerRows rows not None, pairs, values, columns, starts):
    """Write the differences of pairs of hypotheses as rows of a sparse matrix.

    Parameters
    ----------
    rows : LearnerRows
    pairs : int64 array of shape (n, 2)
        Row numbers: the first less the second.
    values : float64 array
    columns : int32 array
    starts : int64 array of shape (n + 1,)
        Written. The first two are long enough if they have two rows' values for each pair.

    Returns
    -------
    int
        How many values were written.
    """
    cdef Buffer given = Buffer(pairs, "pairs")
    cdef Buffer out = Buffer(values, "values", writable=True)
    cdef Buffer places = Buffer(columns, "columns", writable=True)
    cdef Buffer ends = Buffer(starts, "starts", writable=True)
    cdef const int64_t* pair = <const int64_t*> given.data
    cdef int64_t* start = <int64_t*> ends.data
    cdef int64_t n = ends.n_items - 1, i, k = 0, most = 0, size
    cdef int32_t* column = <int32_t*> places.data
    cdef double* value = <double*> out.data
    given.require(c"i", 8, 2 * n, "pairs")
    ends.require(c"i", 8, n + 1, "starts")
    out.require(c"f", 8, out.n_items, "values")
    places.require(c"i", 4, out.n_items, "columns")
    for i in range(2 * n):
        if pair[i] < 0 or pair[i] >= rows.n:
            raise ValueError(f"pairs[{i // 2}]: expected 0 to {rows.n - 1}, got {pair[i]}")
    start[0] = 0
    for i in range(n):
        most = size_of(rows, pair[2 * i]) + size_of(rows, pair[2 * i + 1])
        if k + most > out.n_items:
            raise ValueError(f"values: expected at least {k + most}, got {out.n_items}")
        size = rows.difference(pair[2 * i], pair[2 * i + 1], column + k, value + k)
        k += size
        start[i + 1] = k
        if i % POLL_OBJECTS == 0:
            poll_signals()
    return k


cdef int64_t size_of(LearnerRows rows, int64_t row) noexcept nogil:
    """How many values a row has at most."""
    if rows.columns == NULL:
        return rows.n_features
    return rows.starts[row + 1] - rows.starts[row]


cdef class LogisticLoss:
    """Loss of weights on pairs, both ways round, with their squared length.

    Parameters
    ----------
    values, columns, starts
        As `subtract` writes them.
    n_features : int
    penalty : float
        Half of it times the sum of squared weights is added.
    """

    cdef Buffer held_values, held_columns, held_starts
    cdef int64_t n, n_features
    cdef double penalty

    def __cinit__(self, values, columns, starts, int64_t n_features, double penalty):
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
        """Return the loss; write its gradient.

        Parameters
        ----------
        weights, gradient : float64 array of shape (n_features,)
        """
        cdef Buffer given = Buffer(weights, "weights")
        cdef Buffer out = Buffer(gradient, "gradient", writable=True)
        cdef const double* weight = <const double*> given.data
        cdef const int64_t* starts = <const int64_t*> self.held_starts.data
        cdef double* slope = <double*> out.data
        cdef int64_t i = 0, j, end
        cdef double loss = 0.0
        given.require(c"f", 8, self.n_features, "weights")
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
        """Return the loss of pairs [begin, end); add its gradient."""
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
