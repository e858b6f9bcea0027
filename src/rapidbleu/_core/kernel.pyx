"""A metric is (segment -> row of integers) and (sum of rows -> score); this is that contract.

A subclass fills in two C methods: `segment`, which writes the row of sufficient statistics of one
hypothesis against its references, and `score_row`, a pure function of a row.  Everything generic is
written once against them and reaches them through the class's method table, which costs one
indirect call a row.  A metric that can score many similar rows sooner than one after the other says
so in `score_block`.  Rows are int64, so sums are exact whatever their order and the number of
threads.

A text is one sequence of tokens, or several if a metric looks at it in several ways: text k has the
segments [k * n_sequences, (k + 1) * n_sequences) of its token table.  `segment` is told of texts.
"""

from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.memo cimport Memo, MemoEntryC
from rapidbleu._core.signals cimport check_signals


cdef enum:
    WORTH_A_MEMO = 256  # rows


cdef class Kernel:
    """Base of the compiled metrics.

    Attributes
    ----------
    n_stats : int
        Columns of a row of statistics.
    lower_is_better : bool
        Whether searches look for the least score, as of an error rate.
    """

    def __cinit__(self, *_):
        self.n_sequences = 1

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ClippingC* scratch,
    ) except -1 nogil:
        with gil:
            raise TypeError(f"{type(self).__name__} does not define segment statistics")

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return 0.0

    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, MemoEntryC* memo
    ) noexcept nogil:
        """Score n rows; `memo` (n_memo_tables tables, or NULL) may make it sooner, never other."""
        cdef int64_t i
        for i in range(n):
            scores[i] = self.score_row(rows + i * self.n_stats)

    cdef describe_row(self, const int64_t* row):
        return (self.score_row(row),)

    def describe(self, list stats not None):
        """Score of one row with its parts.

        Parameters
        ----------
        stats : list of int
            n_stats of them.

        Returns
        -------
        tuple
            What the metric makes its score object of; the score is the first item.
        """
        cdef int64_t* row
        cdef int j
        if len(stats) != self.n_stats:
            raise ValueError(f"stats: expected {self.n_stats} integers, got {len(stats)}")
        row = <int64_t*> PyMem_RawMalloc(self.n_stats * sizeof(int64_t))
        if row == NULL:
            raise MemoryError
        try:
            for j in range(self.n_stats):
                row[j] = stats[j]
            return self.describe_row(row)
        finally:
            PyMem_RawFree(row)

    def score_rows(self, rows, scores):
        """Score each row as if it were a corpus of its own.

        Parameters
        ----------
        rows : int64 array, C-contiguous, of shape (n, n_stats)
        scores : float64 array of shape (n,)
            Written.

        Notes
        -----
        Linear in n; runs without the GIL.
        """
        cdef Buffer stats = Buffer(rows, "stats")
        cdef Buffer out = Buffer(scores, "scores", writable=True)
        cdef int64_t n = out.n_items, i = 0, end
        cdef const int64_t* row = <const int64_t*> stats.data
        cdef double* score = <double*> out.data
        cdef Memo memo = Memo(self.n_memo_tables) if n >= WORTH_A_MEMO else None
        cdef MemoEntryC* entries = NULL if memo is None else memo.entries
        stats.require(c"i", sizeof(int64_t), n * self.n_stats, "stats")
        out.require(c"f", sizeof(double), n, "scores")
        while i < n:
            end = n if n - i < 65536 else i + 65536
            with nogil:
                self.score_block(row + i * self.n_stats, end - i, score + i, entries)
            i = end
            check_signals()
