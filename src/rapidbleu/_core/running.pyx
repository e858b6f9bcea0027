"""Running totals: the statistics of a corpus while its segments change.

A search swaps the row of one segment at a time and asks for the score of the whole.  The totals
make that independent of the number of segments: take the old row off, add the new one, score.
Integers do not drift, so after any number of swaps the totals are those of a rebuild, and swapping
back restores every bit; no count and no total may pass 2**60, so nothing overflows.

Memory is 8 bytes a count, in arrays that grow by doubling.  A swap costs three passes over a row,
and its score no logarithm that a cache knows from the sums before.

Methods first turn their arguments into numbers, which may run any Python code, and then change or
copy the state in one go under the GIL, so that threads see each change whole.  Millions of rows are
copied, or replaced in a copy that then becomes the state, in blocks between which signals are
polled for; if a signal handler or another thread has changed the state meanwhile, it is done again
in one go.  The memory of a call is a scratch that it takes from a pool and puts back; a lock would
cost as much and, held while the scores of many alternatives are computed, would make everybody
wait.
"""

from libc.stdint cimport INT64_MAX, int64_t
from libc.string cimport memcpy, memset

from cpython.buffer cimport PyBUF_WRITABLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_RawFree
from cpython.number cimport PyNumber_AsSsize_t

from rapidbleu._core.common cimport POLL_TOKENS, poll_signals
from rapidbleu._core.counts cimport (
    CountsC, allocate, close_counts, count_at, open_counts, open_list,
)
from rapidbleu._core.kernel cimport Kernel, refuse_in_row
from rapidbleu._core.totals cimport (
    Scratch, ScratchPool, TotalsC, totals_append, totals_free, totals_init, totals_place,
    totals_remove, totals_replace, totals_reserve, totals_settle, totals_weigh,
)


cdef enum:
    COUNTS_IN_PLACE = 1 << 22  # that are replaced without a copy: some 30 milliseconds
    COPIED_PER_ROW = 4         # rows that are copied at most for each that is replaced


cdef object NO_ROWS = object()  # what a copy is made of first


cdef class RunningTotals:
    """Rows and their totals, with the methods of `RunningScore` that change them."""

    def __cinit__(self, metric, rows, references=None, segments=None):
        cdef CountsC given, sources
        cdef Scratch s
        cdef int64_t i, j
        from numpy import empty

        given.held = sources.held = False
        kernel = getattr(metric, "_kernel", None)
        if not isinstance(kernel, Kernel):
            raise TypeError(f"metric: expected a metric, got {type(metric).__name__}")
        self.kernel, self.metric, self.references = kernel, metric, references
        self.empty, self.pool = empty, ScratchPool(self.kernel)
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

    def __len__(self):
        return self.state.n

    @property
    def score(self):
        """Score of all segments together, as the metric has it: in percent for BLEU."""
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
        """Which segment of the references each one is, -1: none; a new int64 array."""
        return self.copy_of(&self.state.sources, 1)

    def replace(self, i, new):
        """Give a segment another row.

        Parameters
        ----------
        i : int
            Which segment; -1 is the last.
        new : int array of shape (n_stats,), str or list of str
            Its row, or a hypothesis for it, as text or as tokens.

        Returns
        -------
        float
            The new `score`.

        Raises
        ------
        IndexError
            If there is no such segment.
        TypeError, ValueError
            If `new` is neither, or a count is negative, or it or a total is over 2**60, or there
            are more matches than n-grams.

        Notes
        -----
        Takes the same time whatever the number of segments.
        """
        cdef Scratch s = self.pool.take()
        cdef CountsC row
        cdef int64_t j, k
        row.held = False
        try:
            self.open_row(&row, new, s, i)
            k = self.place(i)
            j = totals_weigh(&self.state, k, &row, 0, s)
            if j >= 0:
                refuse_in_row(self.kernel, &row, j, f"new[{j}]")
            totals_settle(&self.state, k, s)
            return self.score_sums(s)
        finally:
            close_counts(&row)
            self.pool.put_back(s)

    def replace_many(self, indices, rows):
        """Replace one after the other; none of them if one is refused.

        Parameters
        ----------
        indices : int array of shape (m,)
            Which segments; of one that is there twice, the last row stays.
        rows : int array of shape (m, n_stats), or list of m hypotheses

        Returns
        -------
        float
            The new `score`.

        Raises
        ------
        IndexError, TypeError, ValueError
            As `replace` does.
        RuntimeError
            If segments are added or removed during the call.

        Notes
        -----
        Linear in m. Millions of rows are replaced without the GIL, in a copy of all of them.
        """
        cdef CountsC places, given
        cdef int64_t* undo = NULL
        cdef int64_t k, j, n_moves
        cdef bint done = False
        cdef Scratch s = self.pool.take()
        places.held = given.held = False
        try:
            self.open_integers(&places, indices, "indices")
            self.open_rows(&given, rows, indices)
            if given.n != places.n:
                raise ValueError(f"rows: expected {places.n}, one an index, got {given.n}")
            if (
                given.n > COUNTS_IN_PLACE // self.state.n_stats
                and self.state.n // COPIED_PER_ROW <= given.n
            ):
                n_moves = self.n_moves
                done = self.replace_apart(&places, &given, &k, &j, s)
                if self.n_moves != n_moves:
                    raise RuntimeError("segments were added or removed during this call")
            if not done:
                undo = allocate(given.n * (self.state.n_stats + 1))
                k = totals_replace(&self.state, &places, &given, 0, given.n, undo, &j, s)
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

    def append(self, new):
        """Add a segment, which has no references.

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

    def remove(self, i):
        """Take a segment out; those behind it move up, as in a list.

        Parameters
        ----------
        i : int

        Returns
        -------
        float
            The new `score`.
        """
        totals_remove(&self.state, self.place(i))
        self.n_moves += 1
        return self.kernel.score_row(self.state.totals)

    def copy(self):
        """Return an independent running score of the same segments."""
        cdef RunningTotals twin = type(self).__new__(type(self), self.metric, NO_ROWS)
        twin.references, twin.pool = self.references, self.pool
        self.copy_state(&twin.state)
        return twin

    def _source(self, i):
        """Which segment of the references a segment is, or -1."""
        return self.state.sources[self.place(i)]

    cdef int64_t place(self, i, str where="i") except -1:
        """Number of a segment."""
        cdef int64_t given = PyNumber_AsSsize_t(i, IndexError)
        cdef int64_t k = totals_place(&self.state, given)
        if k < 0:
            raise IndexError(f"{where}: expected one of {self.state.n} segments, got {given}")
        return k

    cdef int open_row(self, CountsC* row, source, Scratch s, i) except -1:
        """Open the new row of segment i, or of one that is to be added."""
        cdef int64_t n_moves = self.n_moves
        cdef int n_stats = self.state.n_stats
        if open_counts(row, source, 1, n_stats) or open_list(row, s.row, source, n_stats):
            return 0
        return self.open_converted(row, self._row(source, i), 1, n_stats, n_moves)

    cdef int open_rows(self, CountsC* rows, source, indices) except -1:
        """Open rows of some segments, of one, or for the constructor."""
        cdef int64_t n_moves = self.n_moves
        if open_counts(rows, source, 2, self.state.n_stats):
            return 0
        converted = self._rows(source, indices)
        return self.open_converted(rows, converted, 2, self.state.n_stats, n_moves)

    cdef int open_integers(self, CountsC* integers, source, str where) except -1:
        if open_counts(integers, source, 1, -1):
            return 0
        return self.open_converted(integers, self._integers(source, where), 1, -1, self.n_moves)

    cdef int open_converted(
        self, CountsC* counts, converted, int ndim, int64_t row_length, int64_t n_moves
    ) except -1:
        if self.n_moves != n_moves:  # hypotheses may have become rows of other segments
            raise RuntimeError("segments were added or removed while this call read its arguments")
        if not open_counts(counts, converted, ndim, row_length):
            raise TypeError(f"expected an array of integers, got {type(converted).__name__}")
        return 0

    cdef double score_sums(self, Scratch s) noexcept:
        cdef double score
        self.kernel.score_block(s.sums, 1, &score, s.cache.entries)
        return score

    cdef bint replace_apart(
        self, const CountsC* places, const CountsC* rows, int64_t* k, int64_t* column, Scratch s
    ) except -1:
        """Replace rows in a copy of the state, polling for signals, and make that the state.

        `k` and `column` become what `totals_replace` says; if a row is refused the state stays.
        Returns False, with the state as it is, if that changed meanwhile.
        """
        cdef int64_t n_at_once = max(1, POLL_TOKENS // self.state.n_stats), end
        cdef int64_t n_changes = self.state.n_changes
        cdef TotalsC copy, old
        memset(&copy, 0, sizeof(TotalsC))
        try:
            totals_init(&copy, self.state.n_stats)
            self.copy_state(&copy)
            k[0] = 0
            while k[0] < rows.n:
                end = min(rows.n, k[0] + n_at_once)
                with nogil:
                    k[0] = totals_replace(&copy, places, rows, k[0], end, NULL, column, s)
                poll_signals()
                if self.state.n_changes != n_changes:
                    return False
                if k[0] < end:
                    return True
            old = self.state
            self.state = copy
            copy = old
            return True
        finally:
            totals_free(&copy)

    cdef int copy_state(self, TotalsC* copy) except -1:
        """Make the state that of `copy` too, which has been begun."""
        cdef int64_t n_stats = self.state.n_stats, n_at_once = POLL_TOKENS
        totals_reserve(copy, self.state.n)
        while not self.copy_array(
            copy.rows, &self.state.rows, self.state.n * n_stats, n_at_once
        ):
            totals_reserve(copy, self.state.n)
            n_at_once = INT64_MAX
        memcpy(copy.totals, self.state.totals, n_stats * sizeof(int64_t))
        memcpy(copy.sources, self.state.sources, self.state.n * sizeof(int64_t))
        copy.n, copy.n_changes = self.state.n, self.state.n_changes
        return 0

    cdef bint copy_array(
        self, int64_t* target, int64_t** source, int64_t n, int64_t n_at_once
    ) except -1:
        """Copy n integers of the state, polling for signals; False if that changed meanwhile."""
        cdef int64_t n_changes = self.state.n_changes, done = 0, size
        while True:
            size = min(n - done, n_at_once)
            memcpy(target + done, source[0] + done, size * sizeof(int64_t))
            done += size
            if done == n:
                return True
            with nogil:  # other threads take their turn
                pass
            poll_signals()
            if self.state.n_changes != n_changes:
                return False

    cdef copy_of(self, int64_t** array, int64_t row_length):
        """New array of the totals (row_length 0), or of n rows."""
        cdef Py_buffer view
        cdef int64_t n, n_at_once = POLL_TOKENS
        cdef bint done = False
        while not done:
            n = -1
            while n != self.state.n:  # an allocation may collect garbage, and that run Python code
                n = self.state.n
                result = self.empty(n * row_length if row_length else self.state.n_stats, "int64")
            PyObject_GetBuffer(result, &view, PyBUF_WRITABLE)
            try:
                done = self.copy_array(
                    <int64_t*> view.buf, array, view.len // <Py_ssize_t> sizeof(int64_t), n_at_once
                )
            finally:
                PyBuffer_Release(&view)
            n_at_once = INT64_MAX
        return result
