"""What-if scores: what a corpus would score if one segment had another row.

The totals without the segment's row are its base; base + alternative is the row to be scored.  Sums
are made in blocks that stay in the first-level cache, across segments where these have few
alternatives each, and scored a block at a time, for the kernel is fastest when it sees many rows,
with a cache, for sums that differ in one segment share most of their counts.  A quarter of the time
goes into the sums, the rest into the kernel.

Whether a count is negative or a total too high shows in the bits of all counts of a block; only
where these leave a doubt are its counts looked at one by one.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_TOKENS, poll_signals
from rapidbleu._core.counts cimport (
    CountsC, add_rows, allocate, close_counts, count_at, too_high,
)
from rapidbleu._core.kernel cimport Kernel, find_excess_in, refuse_in_row
from rapidbleu._core.running cimport RunningTotals
from rapidbleu._core.totals cimport Scratch


cdef enum:
    COUNTS_WITH_GIL = 40_960   # of alternatives: some 40 microseconds of work


ctypedef struct QuestionC:
    const int64_t* totals      # [n_stats] of all segments
    const int64_t* rows        # [n_segments, n_stats] of those that have alternatives
    const int64_t* first       # [n_segments + 1] first alternative of each
    int64_t segment            # whose base the scratch holds; -1: of none
    const CountsC* alternatives


cdef class WhatIf(RunningTotals):
    """Running totals, with the methods of `RunningScore` that change nothing."""

    def score_if(self, i, rows):
        """Score the corpus with each of several alternatives in the place of one segment.

        Parameters
        ----------
        i : int
            Which segment; -1 is the last.
        rows : int array of shape (m, n_stats), or list of m hypotheses

        Returns
        -------
        float64 array of shape (m,)
            What `replace` would return for each.

        Notes
        -----
        Linear in m. Many alternatives are scored without the GIL.
        """
        cdef CountsC given
        cdef QuestionC question
        cdef int64_t first[2]
        cdef int64_t k
        cdef int n_stats = self.state.n_stats
        cdef Scratch s = self.pool.take()
        given.held = False
        try:
            self.open_rows(&given, rows, i)
            scores = self.empty(given.n)
            k = self.place(i)
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
        """Find the alternative with which the corpus would score best.

        Parameters
        ----------
        i, rows
            As in `score_if`; at least one alternative.

        Returns
        -------
        index : int
            Of equally good ones the first.
        score : float
        """
        cdef Py_buffer view
        cdef const double* score
        cdef int64_t k, best = 0
        scores = self.score_if(i, rows)
        if not len(scores):
            raise ValueError("rows: expected at least one alternative, got none")
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
            An n-best list: the alternatives of segment 0, those of segment 1, and so on.
        offsets : int array of shape (n + 1,)
            Those of segment i are ``rows[offsets[i]:offsets[i + 1]]``.

        Returns
        -------
        float64 array of shape (m,)
            What `score_if` gives for each segment.

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
            self.open_rows(&given, rows, None)
            self.open_integers(&bounds, offsets, "offsets")
            scores = self.empty(given.n)
            n = self.state.n
            if bounds.n != n + 1:
                raise ValueError(
                    f"offsets: expected {n + 1}, one more than segments, got {bounds.n}"
                )
            kept = allocate((n + 1) * (n_stats + 1))  # bounds, totals, rows
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
        """Score all alternatives."""
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
    """Refuse offsets that do not cut n_rows rows into n parts."""
    cdef int64_t i
    if offsets[0] != 0:
        raise ValueError(f"offsets[0]: expected 0, got {offsets[0]}")
    for i in range(n):
        if offsets[i + 1] < offsets[i]:
            raise ValueError(
                f"offsets[{i + 1}]: expected at least {offsets[i]}, got {offsets[i + 1]}"
            )
    if offsets[n] != n_rows:
        raise ValueError(f"offsets[{n}]: expected {n_rows}, as many as rows, got {offsets[n]}")
    return 0


cdef int64_t score_alternatives(
    Kernel kernel, QuestionC* question, int64_t begin, int64_t end, double* scores, Scratch s
) noexcept nogil:
    """Score alternatives [begin, end), which follow those of the call before.

    Returns the place of the first count that is refused among those of all alternatives, or -1.
    """
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
        refused = find_excess_in(kernel, question.alternatives, begin, n, s.excess, &most)
        if refused >= 0:
            return refused
        kernel.score_block(s.sums, n, scores + begin, s.cache.entries)
        begin += n
    return -1


cdef int64_t first_refused(
    const QuestionC* question, int64_t segment, int64_t begin, int64_t end, int n_stats
) noexcept nogil:
    """Place of the first count in some alternatives that is refused; -1 if none is."""
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
