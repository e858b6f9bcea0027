"""The interface of metrics, and metrics composed of numbers or of other metrics."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport (
    POLL_OBJECTS, POLL_TOKENS, allocate, allocate_zeros, grow, list_numbers, poll_signals,
    poll_without_gil,
)
from rapidbleu._core.input.columns cimport (
    Buffer, close_counts, count_at, open_counts, refuse, too_high,
)
from rapidbleu._core.metrics cimport (
    CACHE_SLOTS, ONE_IN_UNITS, REAL, UNIT_IN_PARTS, real_of, real_store, real_value, row_settle,
    row_weigh,
)
from rapidbleu._core.text cimport text_tokens


# A metric maps a segment to a row of integers and a sum of rows to a score. A subclass implements
# two C methods: `segment`, which writes the row of sufficient statistics of one hypothesis against
# its references, and `score_row`, a pure function of a row. Generic code calls them through the
# method table, one indirect call a row. A constructor states the names of the columns (`state`) and
# which columns limit which (`limit`), for rows from callers. Optional are `score_block`, for
# metrics that score many similar rows faster, and `swap`, for metrics that replace a row faster.
# Rows are int64, so sums are exact for any order and number of threads.
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

    def __dealloc__(self):
        PyMem_RawFree(self.limits)

    cdef int state(self, tuple names) except -1:
        """State the names of all columns, which are the parts of a score if they are counts."""
        self.names, self.n_stats = names, len(names)
        return 0

    cdef int limit(
        self, int part, int whole, int second=-1, int step=1, int n=1
    ) except -1:
        """State that n columns, `step` apart, are at most other columns, or the lesser of two."""
        grow(<void**> &self.limits, &self.most_limits, self.n_limits + 1, sizeof(LimitC))
        self.limits[self.n_limits] = LimitC(part, whole, whole if second < 0 else second, step, n)
        self.n_limits += 1
        return 0

    def columns(self):
        """Return the names of the columns."""
        if self.names is not None:
            return list(self.names)
        return list(map("column {}".format, range(self.n_stats)))

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

    cdef bint swap(
        self, int64_t* totals, int64_t* row, const int64_t* fresh, int64_t* sums, double* score,
        CacheEntryC* cache,
    ) noexcept nogil:
        """Replace a row by fresh counts, and score the new totals of all rows. Returns False, with
        row and totals unchanged, if a count may have to be refused. `sums` is scratch of a row."""
        cdef CountsC counts
        cdef int64_t most
        counts.wide, counts.narrow = fresh, NULL
        if (
            too_high(row_weigh(totals, row, fresh, sums, self.n_stats))
            or find_excess(self, &counts, 0, 1, &most) >= 0
        ):
            return False
        row_settle(totals, row, sums, self.n_stats)
        self.score_block(totals, 1, score, cache)
        return True

    cdef describe_row(self, const int64_t* row):
        cdef list parts = list_numbers(row, 0 if self.names is None else len(self.names))
        parts.insert(0, self.score_row(row))
        return tuple(parts)

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
        cdef uint64_t bits = 0
        self.pass_over(rows, where, &bits, NULL)
        return bits

    def sum_rows(self, rows, str where not None, /):
        """Sum rows that `check_rows` accepted, an int64 array in C order; return a list of int.

        ValueError, naming row and column, without rows, or if a sum exceeds 2**60.
        """
        cdef int64_t* sums = <int64_t*> allocate_zeros(self.n_stats, sizeof(int64_t))
        try:
            if self.pass_over(rows, where, NULL, sums) == 0:
                raise ValueError(f"{where}: expected at least one row; got none")
            return list_numbers(sums, self.n_stats)
        finally:
            PyMem_RawFree(sums)

    cdef int64_t pass_over(self, rows, str where, uint64_t* bits, int64_t* sums) except -1:
        """Add up rows or, if `sums` is NULL, check them; return their number."""
        cdef CountsC counts
        cdef int64_t i = 0, end, place = -1
        counts.held = False
        try:
            if not open_counts(&counts, rows, 2, self.n_stats) or (sums and not counts.wide):
                raise TypeError(f"{where}: expected integers in C order, rows of {self.n_stats}")
            while i < counts.n and place < 0:
                end = min(counts.n, i + POLL_OBJECTS)
                with nogil:
                    if sums:
                        place = add_up(sums, counts.wide, i, end, self.n_stats)
                    else:
                        place = find_wrong(self, &counts, i, end, bits)
                i = end
                poll_signals()
            if place >= 0:
                where = f"{where}[{place // self.n_stats}][{place % self.n_stats}]"
                if sums:
                    refuse(&counts, place, where)
                refuse_in_row(self, &counts, place, where)
            return counts.n
        finally:
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
    Kernel kernel, const CountsC* rows, int64_t begin, int64_t end, uint64_t* bits
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
    return find_excess(kernel, rows, begin, end, &most)


cdef int refuse_in_row(Kernel kernel, const CountsC* rows, int64_t place, str where) except -1:
    """Raise the error for a count: wrong in itself, within its row, or in a total."""
    cdef int64_t count = count_at(rows, place), row = place // kernel.n_stats, most = 0
    if not too_high(<uint64_t> count) and find_excess(kernel, rows, row, row + 1, &most) == place:
        raise ValueError(f"{where}: expected at most {most} matches; got {count}")
    return refuse(rows, place, where)


cdef enum:
    FEW = 96  # integers of a row that fit on the stack


cdef class BestReferenceKernel(Kernel):
    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        with gil:
            raise TypeError(f"{type(self).__name__} does not define counts of a reference")

    cdef double rank(self, const int64_t* row) noexcept nogil:
        return self.score_row(row)

    cdef int64_t length(self, const int64_t* row) noexcept nogil:
        return 0

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t few[FEW]
        cdef int64_t* rival = few
        cdef int64_t ref, work = 0
        cdef double best, rank
        self.count(hyps, hyp, refs, ref_begin, row, scratch)
        if ref_end - ref_begin == 1:
            return 0
        if self.n_stats > FEW:
            rival = <int64_t*> allocate(self.n_stats, sizeof(int64_t))
        try:
            best = self.rank(row)
            for ref in range(ref_begin + 1, ref_end):
                self.count(hyps, hyp, refs, ref, rival, scratch)
                work += text_tokens(hyps, hyp, self.n_sequences) + text_tokens(
                    refs, ref, self.n_sequences
                )
                if work >= POLL_TOKENS:
                    work = 0
                    poll_without_gil(scratch.stop)
                rank = self.rank(rival)
                if rank > best or (rank == best and self.length(rival) > self.length(row)):
                    best = rank
                    memcpy(row, rival, self.n_stats * sizeof(int64_t))
        finally:
            if rival != few:
                PyMem_RawFree(rival)
        return 0


def in_fixed_point(*names):
    """Return the names of columns of numbers that rows store in two columns each.

    >>> in_fixed_point("f")
    ['f_units', 'f_rest']
    """
    columns = []
    for name in names:
        columns += [f"{name}_units", f"{name}_rest"]
    return columns


def by_order(int max_order, *names):
    """Return the names of columns of each order of n-grams.

    >>> by_order(2, "matches", "total")
    ['matches_1', 'total_1', 'matches_2', 'total_2']
    """
    columns = []
    for n in range(1, max_order + 1):
        for name in names:
            columns.append(f"{name}_{n}")
    return columns


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
    """Base of metrics whose score is a mean over segments; a row is fixed-point numbers and a 1.

    A segment has the numbers of its first reference with the best first number.
    """

    def __cinit__(self, *_):
        self.set_values(("score",), 0, 100.0)

    cdef int set_values(self, tuple names, int which, double scale) except -1:
        """Set the numbers per segment; number `which`, times `scale`, is the score."""
        self.n_values, self.which, self.scale = len(names), which, scale
        return self.state((*in_fixed_point(*names), "segments"))

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil:
        with gil:
            raise TypeError(f"{type(self).__name__} does not define scores of segments")

    cdef int measure_all(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef double rival[MOST_VALUES]
        cdef int64_t ref
        self.measure(hyps, hyp, refs, ref_begin, values, scratch)
        for ref in range(ref_begin + 1, ref_end):
            self.measure(hyps, hyp, refs, ref, rival, scratch)
            if rival[0] < values[0] if self.lower_is_better else rival[0] > values[0]:
                memcpy(values, rival, self.n_values * sizeof(double))
        return 0

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef double values[MOST_VALUES]
        cdef int k
        self.measure_all(hyps, hyp, refs, ref_begin, ref_end, values, scratch)
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
        parts = [self.score_row(row)]
        if self.n_values > 1:
            for k in range(self.n_values):
                parts.append(self.mean(row, k))
        parts.append(row[REAL * self.n_values])
        return tuple(parts)


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
        cdef LimitC limit
        cdef int first, k
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
            first = self.n_stats
            for k in range(part.n_limits):
                limit = part.limits[k]
                self.limit(
                    first + limit.part, first + limit.whole, first + limit.second, limit.step,
                    limit.n,
                )
            self.n_stats += part.n_stats
            self.n_cache_tables += part.n_cache_tables

    def __dealloc__(self):
        PyMem_RawFree(self.weights)
        PyMem_RawFree(self.kernels)

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
