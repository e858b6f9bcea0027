# cython: binding=True
"""Running scores: the score of a corpus whose segments change, and of hypothetical changes."""

cimport cython
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer, Py_buffer,
)
from cpython.mem cimport PyMem_RawFree
from cpython.number cimport PyNumber_AsSsize_t

from rapidbleu._core.common cimport FREE_THREADED, POLL_TOKENS, allocate, grow, poll_signals
from rapidbleu._core.input.columns cimport (
    ArrayKindC, CountsC, add_rows, close_counts, count_at, int64_arrays, open_counts, open_list,
    point_at_row, too_high,
)
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache, find_excess, refuse_in_row


# Rows of statistics and their totals, changed a row at a time. A change is computed before it is
# made: the base is the totals without the old row, the sums are the base with the new one. If no
# count and no sum is refused, the sums become the totals and sums minus base the row, so that each
# count is read only once, even from an array that another thread modifies. Rows are contiguous in
# an array that doubles when full. Nothing here runs Python code, so in a critical section each
# function is atomic for all threads.
cdef enum:
    SCRATCH_ROWS = 64
    SCRATCH_COUNTS = 4096
    KEPT_SCRATCH = 8


ctypedef struct TotalsC:
    int n_stats
    int64_t n                # segments
    int64_t capacity         # in segments
    int64_t* totals          # [n_stats]
    int64_t* rows            # [n, n_stats]
    int64_t* sources         # [n] segment of the references; -1: none


cdef class Scratch:
    """Reusable memory of one call: some rows and a cache."""

    cdef Scratch next        # in the pool
    cdef Kernel kernel
    cdef ScoreCache cache
    cdef int64_t n_rows      # capacity of `sums`
    cdef int64_t* totals     # [n_stats], as are the next two
    cdef int64_t* row
    cdef int64_t* base
    cdef int64_t* sums       # [n_rows, n_stats]

    def __cinit__(self, Kernel kernel not None):
        cdef int64_t n_stats = kernel.n_stats
        self.kernel, self.cache = kernel, ScoreCache(kernel.n_cache_tables)
        self.n_rows = min(SCRATCH_ROWS, max(1, SCRATCH_COUNTS // n_stats))
        self.totals = <int64_t*> allocate((3 + self.n_rows) * n_stats, sizeof(int64_t))
        self.row = self.totals + n_stats
        self.base = self.row + n_stats
        self.sums = self.base + n_stats

    def __dealloc__(self):
        PyMem_RawFree(self.totals)


@cython.final
cdef class ScratchPool:
    """Idle scratch; a call takes one and puts it back."""

    cdef Kernel kernel
    cdef Scratch top
    cdef int n

    def __cinit__(self, Kernel kernel not None):
        self.kernel = kernel

    cdef inline Scratch take(self):
        cdef Scratch s
        with cython.critical_section(self):
            s = self.top
            if s is not None:
                self.top, s.next = s.next, None
                self.n -= 1
        return Scratch(self.kernel) if s is None else s

    cdef inline int put_back(self, Scratch s) except -1:
        with cython.critical_section(self):
            if self.n < KEPT_SCRATCH:
                s.next, self.top = self.top, s
                self.n += 1
        return 0


cdef int totals_init(TotalsC* t, int n_stats) except -1:
    t.n_stats = n_stats
    t.totals = <int64_t*> allocate(n_stats, sizeof(int64_t))
    memset(t.totals, 0, n_stats * sizeof(int64_t))
    return totals_reserve(t, 1)


cdef inline int64_t totals_place(const TotalsC* t, int64_t i) noexcept nogil:
    """Return the index of a segment, which may count from the end; -1 if out of range."""
    if i < 0:
        i += t.n
    return i if 0 <= i < t.n else -1


cdef void totals_free(TotalsC* t) noexcept:
    PyMem_RawFree(t.totals)
    PyMem_RawFree(t.rows)
    PyMem_RawFree(t.sources)


cdef int totals_reserve(TotalsC* t, int64_t n) except -1:
    cdef int64_t capacity = t.capacity
    if n > capacity:
        grow(<void**> &t.sources, &capacity, n, sizeof(int64_t))
        grow(<void**> &t.rows, &t.capacity, n, t.n_stats * sizeof(int64_t))
    return 0


cdef int64_t totals_weigh(
    const TotalsC* t, int64_t i, const CountsC* rows, int64_t k, Scratch s
) noexcept nogil:
    """Compute the totals with row k in place of row i (-1: appended) in the scratch. Returns the
    first column whose count or sum is refused, or -1."""
    cdef int64_t column, most, place
    if t.n_stats == 10:  # a constant for the optimizer
        column = weigh(t, i, rows, k, s, 10)
    else:
        column = weigh(t, i, rows, k, s, t.n_stats)
    if column < 0:
        place = find_excess(s.kernel, rows, k, k + 1, &most)
        column = place - k * t.n_stats if place >= 0 else -1
    return column


cdef inline int64_t weigh(
    const TotalsC* t, int64_t i, const CountsC* rows, int64_t k, Scratch s, int n_stats
) noexcept nogil:
    cdef const int64_t* row = t.rows + max(i, 0) * n_stats
    cdef uint64_t bits, bits_of_totals = 0
    cdef int j
    for j in range(n_stats):
        bits_of_totals |= <uint64_t> t.totals[j]
        s.base[j] = t.totals[j] - (row[j] if i >= 0 else 0)
    bits = add_rows(s.sums, s.base, rows, k, 1, n_stats)
    if too_high(bits) or too_high(bits + bits_of_totals):
        for j in range(n_stats):
            if too_high(<uint64_t> s.sums[j] - <uint64_t> s.base[j]) or too_high(s.sums[j]):
                return j
    return -1


cdef void totals_settle(TotalsC* t, int64_t i, Scratch s) noexcept nogil:
    """Commit the computed row as row i, and the totals."""
    cdef int64_t* row = t.rows + i * t.n_stats
    cdef int j
    for j in range(t.n_stats):
        row[j] = s.sums[j] - s.base[j]
        t.totals[j] = s.sums[j]


cdef void totals_append(TotalsC* t, int64_t source, Scratch s) noexcept:
    """Commit the computed row as a new row, for which there is room, and the totals."""
    totals_settle(t, t.n, s)
    t.sources[t.n] = source
    t.n += 1


cdef void totals_remove(TotalsC* t, int64_t i) noexcept:
    """Remove row i and move up the rows after it."""
    cdef int64_t* row = t.rows + i * t.n_stats
    cdef size_t n_behind = t.n - i - 1
    cdef int j
    for j in range(t.n_stats):
        t.totals[j] -= row[j]
    memmove(row, row + t.n_stats, n_behind * t.n_stats * sizeof(int64_t))
    memmove(t.sources + i, t.sources + i + 1, n_behind * sizeof(int64_t))
    t.n -= 1


cdef int64_t totals_replace(
    TotalsC* t, const CountsC* places, const CountsC* rows, int64_t* undo, int64_t* column,
    Scratch s
) noexcept nogil:
    """Replace these rows one after the other, or none of them if one is refused. Returns the first
    refused position, or their number; `column` becomes the column of the refused count, or -1 if
    the index is out of range. `undo` has room for the index and row of each."""
    cdef size_t row_size = t.n_stats * sizeof(int64_t)
    cdef int64_t* old = undo
    cdef int64_t k = 0, i
    column[0] = -1
    memcpy(s.totals, t.totals, row_size)
    while k < rows.n:
        i = totals_place(t, count_at(places, k))
        if i >= 0:
            column[0] = totals_weigh(t, i, rows, k, s)
        if i < 0 or column[0] >= 0:
            break
        old[0] = i
        memcpy(old + 1, t.rows + i * t.n_stats, row_size)
        old += t.n_stats + 1
        totals_settle(t, i, s)
        k += 1
    if k < rows.n:
        while old > undo:
            old -= t.n_stats + 1
            memcpy(t.rows + old[0] * t.n_stats, old + 1, row_size)
        memcpy(t.totals, s.totals, row_size)
    return k


# Running totals: the statistics of a corpus while its segments change. A search swaps the row of
# one segment at a time and needs the corpus score. Totals make that independent of the number of
# segments: subtract the old row, add the new one, score. Integers do not drift, so after any number
# of swaps the totals equal a rebuild, and swapping back restores every bit; no count and no total
# may exceed 2**60, so nothing overflows. Memory is 8 bytes a count, in arrays that double when
# full. A swap costs three passes over a row, and its score computes no logarithm that the cache has
# from earlier sums.
#
# Methods are critical sections (common/threads.h). They first convert their arguments, which may
# run any Python code, and then change or copy the state at once, so that threads and signal
# handlers see each change whole: 30 milliseconds for a million rows. A call takes its scratch from
# a pool, so threads need not wait while the scores of many alternatives are computed.
#
# What-if scores: the totals without a segment's row are its base, and base + alternative is the row
# to be scored. Sums are computed in blocks that fit the first-level cache, across segments if these
# have few alternatives each, and scored a block at a time, because the kernel is fastest with many
# rows and a cache: sums that differ in one segment share most counts. A quarter of the time goes
# into the sums, the rest into the kernel. The combined bits of a block show whether some count may
# be negative or some total too high; only then are its counts checked one by one.
cdef enum:
    COUNTS_WITH_GIL = 40_960   # of alternatives: about 40 microseconds of work


ctypedef struct QuestionC:
    const int64_t* totals      # [n_stats] of all segments
    const int64_t* rows        # [n_segments, n_stats] of the segments with alternatives
    const int64_t* first       # [n_segments + 1] first alternative of each
    int64_t segment            # whose base is in the scratch; -1: none
    const CountsC* alternatives


cdef object NO_ROWS = object()  # marks the construction of a copy


cdef class RunningTotals:
    """Rows and their totals, with the compiled methods of `RunningScore`."""

    cdef TotalsC state
    cdef Kernel kernel
    cdef readonly object metric
    cdef readonly object references
    cdef ScratchPool pool       # shared with copies
    cdef object empty           # numpy.empty
    cdef ArrayKindC arrays      # whose rows are read in place
    cdef int64_t n_moves        # number of segments added or removed so far

    def __cinit__(self, metric, rows, references=None, segments=None):
        cdef CountsC given, sources
        cdef Scratch s
        cdef int64_t i, j
        from numpy import empty

        given.held = sources.held = False
        kernel = getattr(metric, "_kernel", None)
        if not isinstance(kernel, Kernel):
            raise TypeError(f"metric: expected a metric; got {type(metric).__name__}")
        self.kernel, self.metric, self.references = kernel, metric, references
        self.empty, self.pool, self.arrays = empty, ScratchPool(self.kernel), int64_arrays()
        totals_init(&self.state, self.kernel.n_stats)
        if rows is NO_ROWS:
            return
        s = self.pool.take()
        try:
            self.open_rows(&given, rows, None)
            self.open_integers(&sources, self._sources(segments, given.n), "segments")
            totals_reserve(&self.state, given.n)
            for i in range(given.n):
                j = totals_weigh(&self.state, -1, &given, i, s)
                if j >= 0:
                    j += i * self.state.n_stats
                    refuse_in_row(
                        self.kernel, &given, j, f"rows[{i}][{j % self.state.n_stats}]"
                    )
                totals_append(&self.state, count_at(&sources, i), s)
                if i % 4096 == 0:
                    poll_signals()
        finally:
            close_counts(&given)
            close_counts(&sources)
            self.pool.put_back(s)

    def __dealloc__(self):
        totals_free(&self.state)

    @cython.critical_section
    def __len__(self):
        return self.state.n

    @property
    @cython.critical_section
    def score(self):
        """Score of the corpus on the metric's scale: in percent for BLEU."""
        return self.kernel.score_row(self.state.totals)

    @property
    def stats(self):
        """Sum of the rows: a new int64 array of shape (n_stats,)."""
        return self.copy_of(&self.state.totals, 0)

    @property
    def rows(self):
        """Row of each segment: a new int64 array of shape (n, n_stats)."""
        return self.copy_of(&self.state.rows, self.state.n_stats).reshape(-1, self.state.n_stats)

    @property
    def segments(self):
        """Segment of the references for each segment, -1 if none; a new int64 array."""
        return self.copy_of(&self.state.sources, 1)

    @cython.critical_section
    def replace(self, i, new):
        """Replace the row of a segment, in constant time for any number of segments.

        Parameters
        ----------
        i : int
            Index of the segment; -1 is the last.
        new : int array of shape (n_stats,), str or list of str
            Row, or a hypothesis as text or as tokens.

        Returns
        -------
        float
            The new `score`.

        Raises
        ------
        IndexError
            If `i` is out of range.
        TypeError, ValueError
            If `new` is neither, a count is negative, it or a total exceeds 2**60, or there are more
            matches than n-grams.
        """
        cdef Scratch s
        cdef CountsC row
        cdef int64_t j, k
        cdef Py_ssize_t number = PyNumber_AsSsize_t(i, IndexError)  # may run code that resizes rows
        cdef double score
        if self.replace_in_place(number, new, &score):
            return score
        s = self.pool.take()
        row.held = False
        try:
            self.open_row(&row, new, s, number)
            k = self.place(number)
            j = totals_weigh(&self.state, k, &row, 0, s)
            if j >= 0:
                refuse_in_row(self.kernel, &row, j, f"new[{j}]")
            totals_settle(&self.state, k, s)
            return self.score_sums(s)
        finally:
            close_counts(&row)
            self.pool.put_back(s)

    @cython.critical_section
    def replace_many(self, indices, rows):
        """Replace m rows in linear time, or none of them if one is refused.

        Parameters
        ----------
        indices : int array of shape (m,)
            Indices of the segments; if one occurs twice, its last row is used.
        rows : int array of shape (m, n_stats), or list of m hypotheses

        Returns
        -------
        float
            The new `score`.

        Raises
        ------
        IndexError, TypeError, ValueError
            As in `replace`.
        RuntimeError
            If segments are added or removed during the call.
        """
        cdef CountsC places, given
        cdef int64_t* undo = NULL
        cdef int64_t k, j
        cdef Scratch s = self.pool.take()
        places.held = given.held = False
        try:
            self.open_both(&places, indices, "indices", &given, rows, indices)
            if given.n != places.n:
                raise ValueError(f"rows: expected {places.n}, one an index; got {given.n}")
            undo = <int64_t*> allocate(given.n * (self.state.n_stats + 1), sizeof(int64_t))
            k = totals_replace(&self.state, &places, &given, undo, &j, s)
            if j >= 0:
                refuse_in_row(
                    self.kernel, &given, k * self.state.n_stats + j, f"rows[{k}][{j}]"
                )
            if k < given.n:
                self.place(count_at(&places, k), f"indices[{k}]")
            return self.kernel.score_row(self.state.totals)
        finally:
            PyMem_RawFree(undo)
            close_counts(&places)
            close_counts(&given)
            self.pool.put_back(s)

    @cython.critical_section
    def append(self, new):
        """Append a segment without references.

        Parameters
        ----------
        new : int array of shape (n_stats,)

        Returns
        -------
        float
            The new `score`.
        """
        cdef Scratch s = self.pool.take()
        cdef CountsC row
        cdef int64_t j
        row.held = False
        try:
            self.open_row(&row, new, s, None)
            totals_reserve(&self.state, self.state.n + 1)
            j = totals_weigh(&self.state, -1, &row, 0, s)
            if j >= 0:
                refuse_in_row(self.kernel, &row, j, f"new[{j}]")
            totals_append(&self.state, -1, s)
            self.n_moves += 1
            return self.score_sums(s)
        finally:
            close_counts(&row)
            self.pool.put_back(s)

    @cython.critical_section
    def remove(self, i):
        """Remove a segment; the segments after it move up, as in a list.

        Parameters
        ----------
        i : int

        Returns
        -------
        float
            The new `score`.
        """
        totals_remove(&self.state, self.place(PyNumber_AsSsize_t(i, IndexError)))
        self.n_moves += 1
        return self.kernel.score_row(self.state.totals)

    def copy(self):
        """Return an independent copy."""
        cdef RunningTotals twin = type(self).__new__(type(self), self.metric, NO_ROWS)
        cdef TotalsC* copy = &twin.state
        twin.references, twin.pool = self.references, self.pool
        with cython.critical_section(self):
            totals_reserve(copy, self.state.n)
            copy.n = self.state.n
            memcpy(copy.totals, self.state.totals, copy.n_stats * sizeof(int64_t))
            memcpy(copy.rows, self.state.rows, copy.n * copy.n_stats * sizeof(int64_t))
            memcpy(copy.sources, self.state.sources, copy.n * sizeof(int64_t))
        return twin

    @cython.critical_section
    def _source(self, i):
        return self.state.sources[self.place(PyNumber_AsSsize_t(i, IndexError))]

    cdef int64_t place(self, Py_ssize_t given, str where="i") except -1:
        cdef int64_t k = totals_place(&self.state, given)
        if k < 0:
            raise IndexError(f"{where}: expected one of {self.state.n} segments; got {given}")
        return k

    cdef int open_row(self, CountsC* row, source, Scratch s, i) except -1:
        cdef int64_t n_moves = self.n_moves
        cdef int n_stats = self.state.n_stats
        if open_counts(row, source, 1, n_stats) or open_list(row, s.row, source, n_stats):
            return 0
        return self.open_converted(row, self._row(source, i), 1, n_stats, n_moves)

    cdef int open_rows(self, CountsC* rows, source, indices) except -1:
        """Open rows of several segments, of one, or for the constructor."""
        cdef int64_t n_moves = self.n_moves
        if open_counts(rows, source, 2, self.state.n_stats):
            return 0
        converted = self._rows(source, indices)
        return self.open_converted(rows, converted, 2, self.state.n_stats, n_moves)

    cdef int open_integers(self, CountsC* integers, source, str where) except -1:
        if open_counts(integers, source, 1, -1):
            return 0
        return self.open_converted(integers, self._integers(source, where), 1, -1, self.n_moves)

    cdef int open_both(
        self, CountsC* integers, source, str where, CountsC* rows, given, indices
    ) except -1:
        """Open integers and rows once no code can run that resizes their arrays."""
        self.open_integers(integers, source, where)
        self.open_rows(rows, given, indices)
        if not rows.held or <object> rows.view.obj is not given:  # converted
            close_counts(integers)
            self.open_integers(integers, source, where)
        return 0

    cdef int open_converted(
        self, CountsC* counts, converted, int ndim, int64_t row_length, int64_t n_moves
    ) except -1:
        if self.n_moves != n_moves:  # hypotheses may have become rows of other segments
            raise RuntimeError("segments were added or removed while this call read its arguments")
        if not open_counts(counts, converted, ndim, row_length):
            raise TypeError(f"expected an array of integers; got {type(converted).__name__}")
        return 0

    cdef bint replace_in_place(self, Py_ssize_t number, new, double* score) noexcept:
        """Replace a row by one in an array without running Python code, hence atomically. Returns
        False, with the state unchanged, if `new` is anything else or is refused."""
        cdef Scratch s
        cdef TotalsC* t = &self.state
        cdef int64_t* row
        cdef int64_t k = totals_place(t, number)
        cdef CountsC given
        if FREE_THREADED:
            return False
        s = self.pool.top  # need not be taken
        if s is None or k < 0 or not point_at_row(&given, new, &self.arrays, t.n_stats):
            return False
        row = t.rows + k * t.n_stats
        if not self.kernel.swap(t.totals, row, given.wide, s.sums, score, s.cache.entries):
            return False
        return True

    cdef double score_sums(self, Scratch s) noexcept:
        cdef double score
        self.kernel.score_block(s.sums, 1, &score, s.cache.entries)
        return score

    @cython.critical_section
    cdef copy_of(self, int64_t** array, int64_t row_length):
        """Return a new array of the totals (row_length 0), or of n rows."""
        cdef Py_buffer view
        cdef int64_t n = -1
        while n != self.state.n:  # an allocation may collect garbage and run Python code
            n = self.state.n
            result = self.empty(n * row_length if row_length else self.state.n_stats, "int64")
        PyObject_GetBuffer(result, &view, PyBUF_WRITABLE)
        memcpy(view.buf, array[0], view.len)
        PyBuffer_Release(&view)
        return result

    def score_if(self, i, rows):
        """Score the corpus with each alternative in place of one segment.

        Parameters
        ----------
        i : int
            Index of the segment; -1 is the last.
        rows : int array of shape (m, n_stats), or list of m hypotheses

        Returns
        -------
        float64 array of shape (m,)
            Result of `replace` for each alternative.

        Notes
        -----
        Linear in m. Many alternatives are scored without the GIL.
        """
        cdef CountsC given
        cdef QuestionC question
        cdef int64_t first[2]
        cdef int64_t k
        cdef Py_ssize_t number
        cdef int n_stats = self.state.n_stats
        cdef Scratch s = self.pool.take()
        given.held = False
        try:
            with cython.critical_section(self):
                number = PyNumber_AsSsize_t(i, IndexError)  # may run code that resizes rows
                self.open_rows(&given, rows, number)
                scores = self.empty(given.n)
                k = self.place(number)
                memcpy(s.totals, self.state.totals, n_stats * sizeof(int64_t))
                memcpy(s.row, self.state.rows + k * n_stats, n_stats * sizeof(int64_t))
            first[0], first[1] = 0, given.n
            question.totals, question.rows, question.first = s.totals, s.row, first
            self.answer(&question, &given, scores, s)
            return scores
        finally:
            close_counts(&given)
            self.pool.put_back(s)

    def best_of(self, i, rows):
        """Find the alternative with the best corpus score.

        Parameters
        ----------
        i, rows
            As in `score_if`; at least one alternative.

        Returns
        -------
        index : int
            The first of equally good ones.
        score : float
        """
        cdef Py_buffer view
        cdef const double* score
        cdef int64_t k, best = 0
        scores = self.score_if(i, rows)
        if not len(scores):
            raise ValueError("rows: expected at least one alternative; got none")
        PyObject_GetBuffer(scores, &view, PyBUF_SIMPLE)
        score = <const double*> view.buf
        for k in range(1, view.len // <Py_ssize_t> sizeof(double)):
            if score[k] < score[best] if self.kernel.lower_is_better else score[k] > score[best]:
                best = k
        PyBuffer_Release(&view)
        return best, score[best]

    def score_if_all(self, rows, offsets):
        """Score the corpus with each alternative of each segment, one at a time.

        Parameters
        ----------
        rows : int array of shape (m, n_stats)
            N-best list: the alternatives of segment 0, then of segment 1, and so on.
        offsets : int array of shape (n + 1,)
            Segment i has the alternatives ``rows[offsets[i]:offsets[i + 1]]``.

        Returns
        -------
        float64 array of shape (m,)
            Results of `score_if` for each segment.

        Notes
        -----
        Linear in m and in the number of segments. Many alternatives are scored without the GIL, on
        a copy of the rows.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> from rapidbleu.running import RunningScore
        >>> running = RunningScore(BLEU(max_ngram_order=1), [[4, 4, 2, 4], [4, 4, 3, 4]])
        >>> running.score_if_all([[4, 4, 1, 4], [4, 4, 2, 4], [4, 4, 4, 4]], [0, 2, 3])
        array([50. , 62.5, 75. ])
        """
        cdef CountsC given, bounds
        cdef QuestionC question
        cdef int64_t* kept = NULL
        cdef int64_t i, n = 0
        cdef int n_stats = self.state.n_stats
        cdef Scratch s = self.pool.take()
        given.held = bounds.held = False
        try:
            self.open_both(&bounds, offsets, "offsets", &given, rows, None)
            scores = self.empty(given.n)
            with cython.critical_section(self):
                n = self.state.n
                if bounds.n != n + 1:
                    raise ValueError(
                        f"offsets: expected {n + 1}, one more than segments; got {bounds.n}"
                    )
                kept = <int64_t*> allocate((n + 1) * (n_stats + 1), sizeof(int64_t))
                for i in range(n + 1):
                    kept[i] = count_at(&bounds, i)
                check_offsets(kept, n, given.n)
                memcpy(kept + n + 1, self.state.totals, n_stats * sizeof(int64_t))
                memcpy(kept + n + 1 + n_stats, self.state.rows, n * n_stats * sizeof(int64_t))
            question.first, question.totals = kept, kept + n + 1
            question.rows = question.totals + n_stats
            self.answer(&question, &given, scores, s)
            return scores
        finally:
            PyMem_RawFree(kept)
            close_counts(&given)
            close_counts(&bounds)
            self.pool.put_back(s)

    cdef int answer(
        self, QuestionC* question, const CountsC* rows, scores, Scratch s
    ) except -1:
        cdef Py_buffer out
        cdef int n_stats = self.state.n_stats
        cdef int64_t begin = 0, end, n_at_once = max(1, POLL_TOKENS // n_stats), refused = -1
        question.alternatives, question.segment = rows, -1
        PyObject_GetBuffer(scores, &out, PyBUF_WRITABLE)
        try:
            if rows.n * n_stats <= COUNTS_WITH_GIL:
                refused = score_alternatives(
                    self.kernel, question, 0, rows.n, <double*> out.buf, s
                )
                begin = rows.n
            while begin < rows.n and refused < 0:
                end = min(begin + n_at_once, rows.n)
                with nogil:
                    refused = score_alternatives(
                        self.kernel, question, begin, end, <double*> out.buf, s
                    )
                poll_signals()
                begin = end
        finally:
            PyBuffer_Release(&out)
        if refused >= 0:
            refuse_in_row(
                self.kernel, rows, refused, f"rows[{refused // n_stats}][{refused % n_stats}]"
            )
        return 0


cdef int check_offsets(const int64_t* offsets, int64_t n, int64_t n_rows) except -1:
    """Raise an error unless the offsets cut n_rows rows into n parts."""
    cdef int64_t i
    if offsets[0] != 0:
        raise ValueError(f"offsets[0]: expected 0; got {offsets[0]}")
    for i in range(n):
        if offsets[i + 1] < offsets[i]:
            raise ValueError(
                f"offsets[{i + 1}]: expected at least {offsets[i]}; got {offsets[i + 1]}"
            )
    if offsets[n] != n_rows:
        raise ValueError(f"offsets[{n}]: expected {n_rows}, as many as rows; got {offsets[n]}")
    return 0


cdef int64_t score_alternatives(
    Kernel kernel, QuestionC* question, int64_t begin, int64_t end, double* scores, Scratch s
) noexcept nogil:
    """Score alternatives [begin, end), which follow the previous call's. Returns the index of the
    first refused count among all alternatives, or -1."""
    cdef const int64_t* first = question.first
    cdef const int64_t* row
    cdef int n_stats = kernel.n_stats, j
    cdef uint64_t bits, bits_of_totals = 0
    cdef int64_t n, m, segment, refused, most
    for j in range(n_stats):
        bits_of_totals |= <uint64_t> question.totals[j]
    while begin < end:
        n, bits, segment = 0, 0, max(0, question.segment)
        while n < s.n_rows and begin + n < end:
            if question.segment < 0 or first[question.segment + 1] <= begin + n:
                question.segment += 1
                while first[question.segment + 1] <= begin + n:
                    question.segment += 1
                row = question.rows + question.segment * n_stats
                for j in range(n_stats):
                    s.base[j] = question.totals[j] - row[j]
            m = min(first[question.segment + 1] - begin - n, end - begin - n)
            m = min(m, s.n_rows - n)
            bits |= add_rows(
                s.sums + n * n_stats, s.base, question.alternatives, begin + n, m, n_stats
            )
            n += m
        if too_high(bits) or too_high(bits + bits_of_totals):
            refused = first_refused(question, segment, begin, begin + n, n_stats)
            if refused >= 0:
                return refused
        refused = find_excess(kernel, question.alternatives, begin, begin + n, &most)
        if refused >= 0:
            return refused
        kernel.score_block(s.sums, n, scores + begin, s.cache.entries)
        begin += n
    return -1


cdef int64_t first_refused(
    const QuestionC* question, int64_t segment, int64_t begin, int64_t end, int n_stats
) noexcept nogil:
    """Return the position of the first refused count of some alternatives, or -1."""
    cdef const int64_t* row
    cdef int64_t i
    cdef uint64_t count
    cdef int j
    for i in range(begin, end):
        while question.first[segment + 1] <= i:
            segment += 1
        row = question.rows + segment * n_stats
        for j in range(n_stats):
            count = <uint64_t> count_at(question.alternatives, i * n_stats + j)
            if too_high(count) or too_high(<uint64_t> (question.totals[j] - row[j]) + count):
                return i * n_stats + j
    return -1
