"""C contract of `counting.information`."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel, SegmentMeanKernel
from rapidbleu._core.ngrams cimport NgramWeightsC, TokenTableC
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.tokenize cimport PreparedReferences


cdef class NgramCounts:
    cdef NgramWeightsC weights
    cdef PreparedReferences texts  # whose long tokens the table of tokens points to
    cdef double unknown            # weight of n-grams without one of their own
    cdef readonly bint weightless


cdef class NistKernel(Kernel):
    cdef readonly int max_order
    cdef readonly NgramCounts information

    cdef int add_information(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* sums, ScratchC* scratch,
    ) except -1 nogil


cdef class CiderKernel(SegmentMeanKernel):
    cdef readonly int max_order
    cdef readonly double sigma
    cdef readonly NgramCounts rarity


cdef class TokenWeights:
    cdef TokenTableC table
    cdef PreparedReferences tokens  # whose long tokens the table points to
    cdef double* weights            # by number; 0: of all other tokens

    cdef int look_up(self, const TokensC* texts, int64_t text, int32_t* numbers) except -1 nogil


cdef class WeightedKernel(Kernel):
    cdef readonly int max_order
    cdef readonly TokenWeights weights


cdef class MatchKernel(Kernel):
    cdef readonly TokenWeights weights
