"""C contract of all pairs: scores of many hypotheses against each of many references."""

from libc.stdint cimport int64_t

from rapidbleu._core.edits cimport LanesC
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.ngrams cimport BLOCK_HYP_TOKENS, InvertedIndexC
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.tokenize cimport PreparedReferences


ctypedef struct GroupC:
    int64_t hyp_begin
    int64_t hyp_end
    int64_t ref_begin
    int64_t ref_end
    int64_t out          # where its results begin
    int64_t stride       # from one row of the matrix to the next


cdef class PairWork:
    cdef ScratchC scratch
    cdef InvertedIndexC index
    cdef InvertedIndexC second   # of the second sequence of tokens, for metrics that have one
    cdef TokensC others      # the segments of a group, twice
    cdef int64_t* row        # of statistics
    cdef double* scores      # of one hypothesis with the references of a block
    cdef double* tables      # of a metric, which are made when they are asked for
    cdef int64_t table_capacity
    cdef int n_tables
    cdef int table_of[BLOCK_HYP_TOKENS + 1]  # of a length, plus 1; 0: there is none yet
    cdef int64_t* lengths
    cdef int64_t length_capacity
    cdef LanesC lanes
    cdef int64_t work        # since signals were looked at, in pairs and tokens
    cdef list stop           # work ends when this is no longer empty; see signals.h
    cdef object tell         # None, or called with pairs done
    cdef int64_t told        # of the pairs that are counted
    cdef bint indexed        # does the index have the block?

    cdef int pause(self, int64_t done) except -1


cdef class Pairs:
    cdef readonly Kernel kernel
    cdef PreparedReferences hyps
    cdef PreparedReferences refs
    cdef Py_ssize_t least

    cdef int64_t end_of_block(self, int64_t ref, int64_t end) noexcept nogil
    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil
    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil
    cdef int score_block(
        self, PairWork w, int64_t* hyp, const GroupC* group, int64_t ref_begin, int64_t ref_end,
        double* out, const double* weights,
    ) except -1 nogil
    cdef int check_groups(
        self, Buffer groups, Py_ssize_t begin, Py_ssize_t end, Buffer out, bint matrix
    ) except -1
    cdef int score_others(self, PairWork w, const GroupC* group, double* scores) except -1 nogil
