"""The interface of metrics, and metrics composed of numbers or of other metrics."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_OBJECTS, allocate, allocate_zeros, poll_signals
from rapidbleu._core.input.columns cimport (
    Buffer, close_counts, count_at, open_counts, refuse, too_high,
)
from rapidbleu._core.metrics cimport (
    CACHE_SLOTS, ONE_IN_UNITS, REAL, UNIT_IN_PARTS, real_of, real_store, real_value, row_settle,
    row_weigh,
)


# A metric maps a segment to a row of integers and a sum of rows to a score. A subclass implements
# two C methods: `segment`, which writes the row of sufficient statistics of one hypothesis against
# its references, and `score_row`, a pure function of a row. Generic code calls them through the
# method table, one indirect call a row. Optional are `find_excess`, which knows the counts that are
# part of another count, for rows from callers; `score_block`, for metrics that score many similar
# rows faster; and `swap`, for metrics that replace a row faster. Rows are int64, so sums are exact
# for any order and number of threads.
#
# A text is one token sequence, or several if a metric views it in several ways: text k, the index
# passed to `segment`, has the segments [k * n_sequences, (k + 1) * n_sequences) of its token table.
cdef enum:
    WORTH_A_CACHE = 256     # rows
    MOST_VALUES = 8         # of a segment, in a mean


cdef class ScoreCache:
    """Tables of logarithms and exponentials by integers, 16 kB each; not thread-safe."""

    def __cinit__(self, int n_tables, /):
        self.entries = <CacheEntryC*> allocate_zeros(
            n_tables * CACHE_SLOTS + 1, sizeof(CacheEntryC)
        )

    def __dealloc__(self):
        PyMem_RawFree(self.entries)


cdef class Kernel:
    """Base of the compiled metrics with rows of `n_stats` columns; immutable, hence thread-safe."""

    def __cinit__(self, *_):
        self.n_sequences = 1

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        with gil:
            raise TypeError(f"{type(self).__name__} does not define segment statistics")

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return 0.0

    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil:
        """Score n rows, faster with a cache of n_cache_tables tables; it may be NULL."""
        cdef int64_t i
        for i in range(n):
            scores[i] = self.score_row(rows + i * self.n_stats)

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        """Find a count that exceeds its whole, such as more matches than n-grams. Counts are from 0
        to 2**60. Returns its position or -1; `most` becomes its maximum."""
        return -1

    cdef bint swap(
        self, int64_t* totals, int64_t* row, const int64_t* fresh, int64_t* sums, double* score,
        CacheEntryC* cache,
    ) noexcept nogil:
        """Replace a row by fresh counts, and score the new totals of all rows. Returns False, with
        row and totals unchanged, if a count may have to be refused. `sums` is scratch of a row."""
        cdef int64_t most
        if (
            too_high(row_weigh(totals, row, fresh, sums, self.n_stats))
            or self.find_excess(fresh, 1, &most) >= 0
        ):
            return False
        row_settle(totals, row, sums, self.n_stats)
        self.score_block(totals, 1, score, cache)
        return True

    cdef describe_row(self, const int64_t* row):
        return (self.score_row(row),)

    cdef make_score(self, const int64_t* row, type cls, str label):
        score = cls(*self.describe_row(row))
        score._label = label
        return score

    def describe(self, list stats not None, /):
        """Return the parts of a row's score object, the score first."""
        cdef int64_t* row
        cdef int j
        if len(stats) != self.n_stats:
            raise ValueError(f"stats: expected {self.n_stats} integers; got {len(stats)}")
        row = <int64_t*> allocate(self.n_stats, sizeof(int64_t))
        try:
            for j in range(self.n_stats):
                row[j] = stats[j]
            return self.describe_row(row)
        finally:
            PyMem_RawFree(row)

    def check_rows(self, rows, str where not None, /):
        """Refuse impossible rows, and return an upper bound of all counts.

        `rows` is an int64 or int32 array of shape (n, n_stats) in C order; the bound is at most
        twice the highest count. ValueError, naming row and column, if a count is negative, over
        2**60, or exceeds its whole. Linear in n; runs without the GIL.
        """
        cdef CountsC counts
        cdef int64_t* scratch = NULL
        cdef int64_t i = 0, end, place = -1
        cdef uint64_t bits = 0
        counts.held = False
        try:
            if not open_counts(&counts, rows, 2, self.n_stats):
                raise TypeError(f"{where}: expected integers in C order, rows of {self.n_stats}")
            scratch = <int64_t*> allocate(self.n_stats, sizeof(int64_t))
            while i < counts.n and place < 0:
                end = min(counts.n, i + POLL_OBJECTS)
                with nogil:
                    place = find_wrong(self, &counts, i, end, scratch, &bits)
                i = end
                poll_signals()
            if place >= 0:
                refuse_in_row(
                    self, &counts, place,
                    f"{where}[{place // self.n_stats}][{place % self.n_stats}]",
                )
            return bits
        finally:
            PyMem_RawFree(scratch)
            close_counts(&counts)

    def sum_rows(self, rows, str where not None, /):
        """Sum rows that `check_rows` accepted, an int64 array in C order; return a list of int.

        ValueError, naming row and column, without rows, or if a sum exceeds 2**60.
        """
        cdef CountsC counts
        cdef int64_t* sums = NULL
        cdef int64_t i = 0, end, place = -1
        cdef int j
        counts.held = False
        try:
            if not open_counts(&counts, rows, 2, self.n_stats) or counts.wide == NULL:
                raise TypeError(f"{where}: expected integers in C order, rows of {self.n_stats}")
            if counts.n == 0:
                raise ValueError(f"{where}: expected at least one row; got none")
            sums = <int64_t*> allocate(self.n_stats, sizeof(int64_t))
            memset(sums, 0, <size_t> self.n_stats * sizeof(int64_t))
            while i < counts.n and place < 0:
                end = min(counts.n, i + POLL_OBJECTS)
                with nogil:
                    place = add_up(sums, counts.wide, i, end, self.n_stats)
                i = end
                poll_signals()
            if place >= 0:
                refuse(&counts, place, f"{where}[{place // self.n_stats}][{place % self.n_stats}]")
            totals = []
            for j in range(self.n_stats):
                totals.append(sums[j])
            return totals
        finally:
            PyMem_RawFree(sums)
            close_counts(&counts)

    def score_rows(self, rows, scores, /):
        """Write the score of each row as a corpus of its own to a float64 array.

        `rows` is an int64 array in C order. Linear in their number; runs without the GIL.
        """
        cdef Buffer stats = Buffer(rows, "stats")
        cdef Buffer out = Buffer(scores, "scores", writable=True)
        cdef int64_t n = out.n_items, i = 0, end
        cdef const int64_t* row = <const int64_t*> stats.data
        cdef double* score = <double*> out.data
        cdef ScoreCache cache = ScoreCache(self.n_cache_tables) if n >= WORTH_A_CACHE else None
        cdef CacheEntryC* entries = NULL if cache is None else cache.entries
        stats.require(c"i", sizeof(int64_t), n * self.n_stats, "stats")
        out.require(c"f", sizeof(double), n, "scores")
        while i < n:
            end = n if n - i < 65536 else i + 65536
            with nogil:
                self.score_block(row + i * self.n_stats, end - i, score + i, entries)
            i = end
            poll_signals()


cdef int64_t add_up(
    int64_t* sums, const int64_t* rows, int64_t begin, int64_t end, int n_stats
) noexcept nogil:
    """Add rows [begin, end); return the position of the first count that overflows a sum, or -1."""
    cdef int64_t i
    cdef int j
    for i in range(begin, end):
        for j in range(n_stats):
            sums[j] = <int64_t> (<uint64_t> sums[j] + <uint64_t> rows[i * n_stats + j])
            if too_high(<uint64_t> sums[j]):
                return i * n_stats + j
    return -1


cdef int64_t find_wrong(
    Kernel kernel, const CountsC* rows, int64_t begin, int64_t end, int64_t* scratch,
    uint64_t* bits,
) noexcept nogil:
    """Return the position of the first wrong count in rows [begin, end), or -1; collect the bits of
    all."""
    cdef int n_stats = kernel.n_stats
    cdef int64_t place, most
    cdef uint64_t count
    for place in range(begin * n_stats, end * n_stats):
        count = <uint64_t> count_at(rows, place)
        if too_high(count):
            return place
        bits[0] |= count
    return find_excess_in(kernel, rows, begin, end - begin, scratch, &most)


cdef int refuse_in_row(Kernel kernel, const CountsC* rows, int64_t place, str where) except -1:
    """Raise the error for a count: wrong in itself, within its row, or in a total."""
    cdef int64_t count = count_at(rows, place), most = 0, found = -1
    cdef int64_t* scratch = <int64_t*> allocate(kernel.n_stats, sizeof(int64_t))
    if not too_high(<uint64_t> count):
        found = find_excess_in(kernel, rows, place // kernel.n_stats, 1, scratch, &most)
    PyMem_RawFree(scratch)
    if found == place:
        raise ValueError(f"{where}: expected at most {most} matches; got {count}")
    return refuse(rows, place, where)


# Means of numbers of segments, as metrics of integer rows: the numbers in fixed point
# (metrics/rows.h), and the number of segments. Negative numbers use separate columns.
UNITS, RESTS = ONE_IN_UNITS, UNIT_IN_PARTS

cdef enum:
    POSITIVE = 0
    NEGATIVE = POSITIVE + REAL
    GIVEN = NEGATIVE + REAL     # number of segments


cdef class MeanKernel(Kernel):
    def __cinit__(self):
        self.n_stats = GIVEN + 1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        if row[GIVEN] == 0:
            return 0.0
        return real_of(
            row[POSITIVE] - row[NEGATIVE], row[POSITIVE + 1] - row[NEGATIVE + 1]
        ) / <double> row[GIVEN]

    cdef describe_row(self, const int64_t* row):
        return (self.score_row(row), row[GIVEN])


cdef class SegmentMeanKernel(Kernel):
    """Base of metrics whose score is a mean over segments; a row is fixed-point numbers and a 1."""

    def __cinit__(self, *_):
        self.set_values(1, 0, 1.0)

    cdef void set_values(self, int n_values, int which, double scale) noexcept:
        """Set the numbers per segment; value `which`, times `scale`, is the score."""
        self.n_values, self.which, self.scale = n_values, which, scale
        self.n_stats = REAL * n_values + 1

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        with gil:
            raise TypeError(f"{type(self).__name__} does not define scores of segments")

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef double values[MOST_VALUES]
        cdef int k
        self.measure(hyps, hyp, refs, ref_begin, ref_end, values, scratch)
        for k in range(self.n_values):
            real_store(row + REAL * k, values[k])
        row[REAL * self.n_values] = 1
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return self.mean(row, self.which)

    cdef double mean(self, const int64_t* row, int value) noexcept nogil:
        cdef int64_t n = row[REAL * self.n_values]
        return self.scale * (real_value(row + REAL * value) / <double> n) if n > 0 else 0.0

    cdef describe_row(self, const int64_t* row):
        cdef int k
        values = []
        for k in range(self.n_values):
            values.append(self.mean(row, k))
        return self.score_row(row), values, row[REAL * self.n_values]


# A weighted sum of metrics as one metric: their rows concatenated, their scores added. A block of
# rows is split into the columns of each part, which scores them with its own cache tables.
cdef enum:
    BLOCK = 1024  # numbers of the rows that a part scores at a time


cdef class MixtureKernel(Kernel):
    """Compiled weighted sum of kernels of at most 1,024 columns each."""

    cdef readonly tuple parts
    cdef int n_parts
    cdef double* weights
    cdef void** kernels  # borrowed from parts

    def __cinit__(self, list parts not None, list weights not None, /):
        cdef Kernel part
        self.parts = tuple(parts)
        self.n_parts = len(parts)
        self.weights = <double*> allocate(self.n_parts, sizeof(double))
        self.kernels = <void**> allocate(self.n_parts, sizeof(void*))
        for i in range(self.n_parts):
            part = self.parts[i]
            if part.n_stats > BLOCK:
                raise ValueError(
                    f"parts[{i}]: expected at most {BLOCK} columns; got {part.n_stats}"
                )
            self.kernels[i] = <void*> part
            self.weights[i] = weights[i]
            self.n_stats += part.n_stats
            self.n_cache_tables += part.n_cache_tables

    def __dealloc__(self):
        PyMem_RawFree(self.weights)
        PyMem_RawFree(self.kernels)

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef int64_t first = 0, _, place
        cdef int i
        for _ in range(n):
            for i in range(self.n_parts):
                place = (<Kernel> self.kernels[i]).find_excess(rows + first, 1, most)
                if place >= 0:
                    return first + place
                first += (<Kernel> self.kernels[i]).n_stats
        return -1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double score = 0.0
        cdef int i
        for i in range(self.n_parts):
            score += self.weights[i] * (<Kernel> self.kernels[i]).score_row(row)
            row += (<Kernel> self.kernels[i]).n_stats
        return score

    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil:
        cdef int64_t[BLOCK] own
        cdef double[BLOCK] own_scores
        cdef int64_t begin, m, k
        cdef int i, j, n_own, first = 0
        for k in range(n):
            scores[k] = 0.0
        for i in range(self.n_parts):
            n_own = (<Kernel> self.kernels[i]).n_stats
            begin = 0
            while begin < n:
                m = min(BLOCK // n_own, n - begin)
                for k in range(m):
                    for j in range(n_own):
                        own[k * n_own + j] = rows[(begin + k) * self.n_stats + first + j]
                (<Kernel> self.kernels[i]).score_block(own, m, own_scores, cache)
                for k in range(m):
                    scores[begin + k] += self.weights[i] * own_scores[k]
                begin += m
            first += n_own
            if cache != NULL:
                cache += (<Kernel> self.kernels[i]).n_cache_tables * CACHE_SLOTS

    cdef describe_row(self, const int64_t* row):
        described = []
        first = row
        for i in range(self.n_parts):
            described.append((<Kernel> self.kernels[i]).describe_row(row))
            row += (<Kernel> self.kernels[i]).n_stats
        return (self.score_row(first), described)
