"""C contract of `metrics.kernel`."""

from libc.stdint cimport int64_t, uint64_t

from rapidbleu._core.input.columns cimport CountsC, count_at
from rapidbleu._core.metrics cimport CacheEntryC, ScratchC
from rapidbleu._core.text cimport TokensC


cdef class ScoreCache:
    cdef CacheEntryC* entries


# Column `part` is a part of column `whole`, or of the lesser of two. The same holds for n columns
# that are `step` apart.
ctypedef struct LimitC:
    int part
    int whole
    int second
    int step
    int n


cdef class Kernel:
    cdef readonly int n_stats
    cdef readonly bint lower_is_better
    cdef int n_cache_tables
    cdef int n_sequences    # token sequences of a text, consecutive segments of its table
    cdef bint text_only     # needs characters, so refuses lists of tokens
    cdef bint no_ids        # needs the characters of tokens, so refuses integers
    cdef tuple names        # of the first columns, unless they depend on options
    cdef LimitC* limits
    cdef int64_t n_limits
    cdef int64_t most_limits

    cdef int state(self, tuple names) except -1
    cdef int limit(self, int part, int whole, int second=*, int step=*, int n=*) except -1
    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil
    cdef double score_row(self, const int64_t* row) noexcept nogil
    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil
    cdef bint swap(
        self, int64_t* totals, int64_t* row, const int64_t* fresh, int64_t* sums, double* score,
        CacheEntryC* cache,
    ) noexcept nogil
    cdef int64_t pass_over(self, rows, str where, uint64_t* bits, int64_t* sums) except -1
    cdef describe_row(self, const int64_t* row)
    cdef make_score(self, const int64_t* row, type cls, str label)


cdef int refuse_in_row(Kernel kernel, const CountsC* rows, int64_t place, str where) except -1


cdef inline int64_t find_excess(
    Kernel kernel, const CountsC* rows, int64_t begin, int64_t end, int64_t* most
) noexcept nogil:
    """Find a count in rows [begin, end) that exceeds its whole, such as more matches than n-grams.
    Counts are from 0 to 2**60. Returns its position or -1; `most` becomes its maximum."""
    cdef const LimitC* limit
    cdef int64_t row, column
    cdef int i, _
    for row in range(begin, end):
        for i in range(<int> kernel.n_limits):
            limit = &kernel.limits[i]
            column = row * kernel.n_stats
            for _ in range(limit.n):
                most[0] = min(
                    count_at(rows, column + limit.whole), count_at(rows, column + limit.second)
                )
                if count_at(rows, column + limit.part) > most[0]:
                    return column + limit.part
                column += limit.step
    return -1


# Base of metrics that use one reference of a segment: the first with the highest rank or, in a tie,
# with the greatest length.
cdef class BestReferenceKernel(Kernel):
    # Writes the row of a hypothesis and one reference.
    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil
    cdef double rank(self, const int64_t* row) noexcept nogil      # by default the score
    cdef int64_t length(self, const int64_t* row) noexcept nogil   # by default the same for all


cdef class SegmentMeanKernel(Kernel):
    cdef int n_values       # of a segment. The first chooses the reference
    cdef int which          # value that is the score
    cdef double scale       # of scores: 100 for percent

    cdef int set_values(self, tuple names, int which, double scale) except -1
    cdef double mean(self, const int64_t* row, int value) noexcept nogil
    # Writes the numbers of a hypothesis and one reference, at least 0.
    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil
    cdef int measure_all(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil
