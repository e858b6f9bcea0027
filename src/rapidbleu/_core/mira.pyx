"""Batch MIRA on n-best lists (Cherry & Foster 2012, algorithm 1): one epoch of updates.

For each segment two hypotheses are found: hope, with the highest model score + cost, and fear, with
the highest model score - cost.  If hope does not beat fear by as much as their costs differ, the
weights take the smallest step, at most C, that makes it so.  The cost is what the corpus would
score with this hypothesis beside a decaying pseudo-corpus of earlier choices, times the length of
both (Chiang et al. 2008), so that one segment counts for what it does to a corpus.

The pseudo-corpus is real-valued, since it decays, and a kernel takes rows of integers.  Corpus
scores are ratios of sums, the same for a row and for its multiples, so the pseudo-corpus is kept in
integers in a small unit, 1/8191 of a count where that does not overflow, and rows are multiplied by
as much; the rounding, half a unit a step, is below a part in ten million of what a hypothesis
changes.  What is not a ratio is meant for single segments: an added constant fades as it does in a
corpus 8,191 times as large.  The unit is no power of two, because a cache finds values by low bits.

The mean of the weights after all steps so far is w - (sum of steps done before each change x that
change) / steps: no pass over all weights in a step, so sparse features cost what they hold.
"""

from libc.math cimport fabs, floor
from libc.stdint cimport int32_t, int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_TOKENS, bytes_of, poll_signals
from rapidbleu._core.kernel cimport Kernel, ScoreCache
from rapidbleu._core.learner_rows cimport LearnerRows


cdef enum:
    BLOCK = 128             # hypotheses scored at a time, which stay in the cache

cdef double SAFE_RATIO = 5.0  # of model score to cost of a hope that is left as it is


cdef class Mira:
    """Weights that learn from a list.

    Parameters
    ----------
    kernel : Kernel
    rows : LearnerRows
    weights : float64 array of shape (n_features,)
        The start; changed by each step.
    background : int64 array of shape (n_stats,)
        The pseudo-corpus at the start, in units; changed by each step.
    unit : int
        How many units a count has; ``unit`` times a sum of counts stays below 2**62.
    length_column : int
        Column of a row that holds its length; -1: a row is as long as `one`.
    factor : float
        A cost is score x length x factor.
    step_limit : float
        C.
    decay : float
        Of the pseudo-corpus in each step.
    safe_hope : bool
        Scale the model score down where it drowns the cost of the hope.
    model_background : bool
        The hypothesis with the best model score joins the pseudo-corpus instead of the hope.

    Attributes
    ----------
    n_steps : int
        Segments looked at so far.
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
        bint safe_hope, bint model_background,
    ):
        cdef int64_t i
        if rows.n_stats != kernel.n_stats:
            raise ValueError(f"stats: expected {kernel.n_stats} columns, got {rows.n_stats}")
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
        self.products = <double*> scratch(rows.longest, sizeof(double))
        self.costs = <double*> scratch(rows.longest, sizeof(double))
        self.late = <double*> scratch(rows.n_features, sizeof(double))
        self.values = <double*> scratch(2 * rows.widest, sizeof(double))
        self.columns = <int32_t*> scratch(2 * rows.widest, sizeof(int32_t))
        self.sums = <int64_t*> scratch(BLOCK * kernel.n_stats, sizeof(int64_t))
        for i in range(rows.n_features):
            self.late[i] = 0.0

    def __dealloc__(self):
        PyMem_RawFree(self.products)
        PyMem_RawFree(self.costs)
        PyMem_RawFree(self.late)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.columns)
        PyMem_RawFree(self.sums)

    def epoch(self, order):
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
        cdef int64_t n = given.n_items, i, work
        given.require(c"i", 8, n, "order")
        for i in range(n):
            if segments[i] < 0 or segments[i] >= self.rows.n_segments:
                raise ValueError(
                    f"order[{i}]: expected 0 to {self.rows.n_segments - 1}, got {segments[i]}"
                )
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

    def average(self, out):
        """Write the mean of the weights after all steps so far.

        Parameters
        ----------
        out : float64 array of shape (n_features,)
        """
        cdef Buffer mean = Buffer(out, "out", writable=True)
        cdef int64_t i
        mean.require(c"f", 8, self.rows.n_features, "out")
        for i in range(self.rows.n_features):
            (<double*> mean.data)[i] = self.weights[i]
            if self.n_steps > 0:
                (<double*> mean.data)[i] -= self.late[i] / <double> self.n_steps

    cdef void step(self, int64_t segment) noexcept nogil:
        """Learn from one segment."""
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
        """Write what n hypotheses from `begin` on would add up to with the pseudo-corpus."""
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t done = 0, end, k, _, place
        cdef int64_t* sums
        cdef double length = self.n_background + 1.0
        while done < n:
            end = min(<int64_t> BLOCK, n - done)
            sums, place = self.sums, (begin + done) * n_stats
            for _ in range(end):
                if self.rows.stats != NULL:
                    for j in range(n_stats):
                        sums[j] = self.background[j] + self.unit * self.rows.stats[place + j]
                else:
                    for j in range(n_stats):
                        sums[j] = (
                            self.background[j] + self.unit * self.rows.narrow_stats[place + j]
                        )
                sums += n_stats
                place += n_stats
            self.kernel.score_block(self.sums, end, self.costs + done, self.cache.entries)
            for k in range(end):
                if self.length_column >= 0:
                    length = <double> self.sums[k * n_stats + self.length_column]
                self.costs[done + k] *= length * self.factor
            done += end

    cdef void update(self, int64_t begin, int64_t hope, int64_t fear) noexcept nogil:
        """Move the weights so far that hope beats fear by the difference of their costs."""
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
        """Let the pseudo-corpus decay and take a row in."""
        cdef int64_t count
        cdef int j, n_stats = self.kernel.n_stats
        for j in range(n_stats):
            if self.rows.stats != NULL:
                count = self.rows.stats[row * n_stats + j]
            else:
                count = self.rows.narrow_stats[row * n_stats + j]
            self.background[j] = (
                <int64_t> floor(self.decay * <double> self.background[j] + 0.5)
                + self.unit * count
            )
        self.n_background = self.decay * self.n_background + 1.0


cdef int64_t first_highest(
    const double* products, const double* costs, int64_t n, double of_products, double of_costs
) noexcept nogil:
    """Where a weighted sum is highest; of equal ones the first."""
    cdef double best = of_products * products[0] + of_costs * costs[0], value
    cdef int64_t chosen = 0, k
    for k in range(1, n):
        value = of_products * products[k] + of_costs * costs[k]
        if value > best:
            best, chosen = value, k
    return chosen


cdef void* scratch(int64_t n, size_t item_size) except NULL:
    """Memory for n items."""
    cdef void* memory = PyMem_RawMalloc(bytes_of(n + 1, item_size))
    if memory == NULL:
        raise MemoryError
    return memory
