"""Batch MIRA as Moses' kbmira computes it: in single precision, one operation after the other.

An update moves the weights, the weights choose the next hope and fear, and so a rounding may change
all that follows.  To give the same updates and losses, every number here is a float, sums are added
in the order in which Moses adds them, and its rules hold where they differ from `Mira`:

- the pseudo-corpus begins with 1 in each column and takes a hypothesis in only where hope and fear
  are two hypotheses and hope has the higher cost;
- costs are BLEU times the length of the reference;
- the mean is taken over updates, not over segments, and counts the start once more than it was
  used;
- a sparse value that differs by 1e-6 or less between hope and fear counts as equal.

Logarithms and exponentials are the C library's in single precision, as Moses takes them; another C
library may round one of them the other way.
"""

from libc.math cimport expf, fabs, logf
from libc.stdint cimport int32_t, int64_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_TOKENS, poll_signals
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.tuning.learners cimport LearnerRows, scratch


cdef float SAFE_RATIO = 5.0   # of model score to cost of a hope that is left as it is
cdef float ALIKE = 1e-6       # sparse values that differ by no more are equal


cdef class MosesMira:
    """Weights that learn from a list as kbmira's do.

    Parameters
    ----------
    rows : LearnerRows
        Features in float32, rows of BLEU.
    weights : float64 array of shape (n_features,)
        The start; it is rounded to single precision.
    n_dense : int
        The first so many features are dense.
    step_limit, decay : float
    safe_hope, model_background : bool
        As in `Mira`.
    """

    cdef LearnerRows rows
    cdef float* weights
    cdef float* totals          # [n_features] sum of the weights after each update
    cdef float* means           # [n_features]
    cdef int64_t* updated       # [n_features] number of the update that `totals` is as of
    cdef int64_t* places        # [n_features] columns in which hope and fear may differ
    cdef float* change          # [n_features] by how much they do
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
            raise ValueError("features: expected float32, got float64")
        if rows.n_stats < 4 or rows.n_stats % 2:
            raise ValueError(f"stats: expected rows of BLEU, got {rows.n_stats} columns")
        if not 0 <= n_dense <= n:
            raise ValueError(f"n_dense: expected 0 to {n}, got {n_dense}")
        self.rows, self.n_dense = rows, n_dense
        self.step_limit, self.decay = <float> step_limit, <float> decay
        self.safe_hope, self.model_background = safe_hope, model_background
        self.weights = <float*> scratch(4 * n, sizeof(float))
        self.totals = self.weights + n
        self.means = self.totals + n
        self.change = self.means + n
        self.updated = <int64_t*> scratch(2 * n, sizeof(int64_t))
        self.places = self.updated + n
        self.background = <float*> scratch(2 * rows.n_stats, sizeof(float))
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
        """Learn from each of some segments once.

        Parameters
        ----------
        order : int64 array
            Segments.

        Returns
        -------
        n_updates : int
            How often the weights changed.
        loss : float
            Mean over the segments of what hopes lacked, each before its update.

        Notes
        -----
        Linear in the values of the list; runs without the GIL.
        """
        cdef Buffer given = Buffer(order, "order")
        cdef const int64_t* segments = <const int64_t*> given.data
        cdef int64_t n = given.n_items, i, work, before = self.n_updates
        cdef float loss = 0.0
        given.require(c"i", 8, n, "order")
        for i in range(n):
            if segments[i] < 0 or segments[i] >= self.rows.n_segments:
                raise ValueError(
                    f"order[{i}]: expected 0 to {self.rows.n_segments - 1}, got {segments[i]}"
                )
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
        """Write the mean of the weights after all updates so far.

        Parameters
        ----------
        out : float64 array of shape (n_features,)
        """
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
        """Return the BLEU, as a fraction, that the mean of the last call reaches."""
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
        """Add the row of the hypothesis that the mean chooses."""
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
        """Bring the sum of a weight up to the last update."""
        self.totals[i] += <float> (self.n_updates - self.updated[i]) * self.weights[i]
        self.updated[i] = self.n_updates

    cdef float dot(self, int64_t row, const float* weights) noexcept nogil:
        """The model score of a hypothesis."""
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
        """BLEU of a hypothesis with the pseudo-corpus, times the length of the references."""
        cdef int n_stats = self.rows.n_stats, j
        cdef float* sums = self.background + n_stats
        for j in range(n_stats):
            sums[j] = self.count(row, j) + self.background[j]
        return bleu(sums, (n_stats - 2) // 2) * sums[1]

    cdef float count(self, int64_t row, int j) noexcept nogil:
        cdef int64_t place = row * self.rows.n_stats + j
        if self.rows.stats != NULL:
            return <float> self.rows.stats[place]
        return <float> self.rows.narrow_stats[place]

    cdef float step(self, int64_t segment) noexcept nogil:
        """Learn from one segment; return what the hope lacked, or 0 without an update."""
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
        """Move the weights so far that hope beats fear by what is wanted, if it does not."""
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
        """Find hope less fear: all dense features, then the sparse ones that differ."""
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
    """BLEU of sums as a fraction."""
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
