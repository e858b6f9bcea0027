"""C contract of `metrics.kernel`."""

from libc.stdint cimport int64_t

from rapidbleu._core.input.columns cimport CountsC
from rapidbleu._core.metrics cimport CacheEntryC, ScratchC
from rapidbleu._core.text cimport TokensC


cdef class ScoreCache:
    cdef CacheEntryC* entries


cdef class Kernel:
    cdef readonly int n_stats
    cdef readonly bint lower_is_better
    cdef int n_cache_tables
    cdef int n_sequences    # token sequences of a text, consecutive segments of its table
    cdef bint text_only     # needs characters, so refuses lists of tokens
    cdef bint no_ids        # needs the characters of tokens, so refuses integers

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil
    cdef double score_row(self, const int64_t* row) noexcept nogil
    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil
    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil
    cdef bint swap(
        self, int64_t* totals, int64_t* row, const int64_t* fresh, int64_t* sums, double* score,
        CacheEntryC* cache,
    ) noexcept nogil
    cdef describe_row(self, const int64_t* row)
    cdef make_score(self, const int64_t* row, type cls, str label)


cdef int refuse_in_row(Kernel kernel, const CountsC* rows, int64_t place, str where) except -1


cdef inline int64_t find_excess_in(
    Kernel kernel, const CountsC* rows, int64_t k, int64_t n, int64_t* scratch, int64_t* most
) noexcept nogil:
    """Call `find_excess` for rows [k, k + n) of either width; the position is among all rows."""
    cdef int n_stats = kernel.n_stats, j
    cdef int64_t place, end = k + n
    if rows.wide != NULL:
        place = kernel.find_excess(rows.wide + k * n_stats, n, most)
        return place if place < 0 else k * n_stats + place
    while k < end:
        for j in range(n_stats):
            scratch[j] = rows.narrow[k * n_stats + j]
        place = kernel.find_excess(scratch, 1, most)
        if place >= 0:
            return k * n_stats + place
        k += 1
    return -1


cdef class SegmentMeanKernel(Kernel):
    cdef int n_values
    cdef int which          # value that is the score
    cdef double scale       # of scores: 100 for percent

    cdef void set_values(self, int n_values, int which, double scale) noexcept
    cdef double mean(self, const int64_t* row, int value) noexcept nogil
    # Writes the numbers of a segment, at least 0.
    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil
