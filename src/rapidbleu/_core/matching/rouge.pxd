"""C contract of `matching.rouge`."""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel, SegmentMeanKernel
from rapidbleu._core.text cimport TokensC


# What a hypothesis and a reference have in common, and what each of them has.
ctypedef struct OverlapC:
    double hits
    double hyp
    double ref


cdef class RougeKernel(SegmentMeanKernel):
    cdef readonly double beta
    cdef readonly bint pooled

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil
    cdef int choose(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, OverlapC* chosen, double* values, ScratchC* scratch,
    ) except -1 nogil
    cdef void rate(self, const OverlapC* found, double* values) noexcept nogil
    cdef double score_overlap(self, double hits, double n_hyp, double n_ref) noexcept nogil


cdef class RougeNKernel(RougeKernel):
    cdef readonly int order


cdef class RougeLKernel(RougeKernel):
    cdef readonly bint by_sentence

    # Scores of a text with n others.
    cdef void score_lengths(
        self, const int64_t* lengths, int64_t n_hyp, const int* n_refs, int64_t n, double* scores
    ) noexcept nogil


cdef class RougeWKernel(RougeKernel):
    cdef readonly double weight
    cdef readonly bint by_perl


cdef class RougeSKernel(RougeKernel):
    cdef readonly int64_t gap
    cdef readonly bint unigrams
    cdef readonly bint by_perl

    cdef int64_t total(self, int64_t n) noexcept nogil


cdef class OverlapKernel(Kernel):
    cdef readonly RougeKernel rouge
