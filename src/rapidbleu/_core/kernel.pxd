"""The contract of a metric, callable from C without the GIL."""

from libc.stdint cimport int64_t

from rapidbleu._core.clipping cimport ClippingC
from rapidbleu._core.memo cimport MemoEntryC
from rapidbleu._core.tokens cimport TokensC


cdef class Kernel:
    cdef readonly int n_stats
    cdef readonly bint lower_is_better  # is the best score the least one?
    cdef int n_memo_tables
    cdef int n_sequences    # of tokens, which a text has in its table, one after the other
    cdef bint text_only     # does it need characters, which lists of tokens have not?

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ClippingC* scratch,
    ) except -1 nogil
    cdef double score_row(self, const int64_t* row) noexcept nogil
    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, MemoEntryC* memo
    ) noexcept nogil
    cdef describe_row(self, const int64_t* row)
