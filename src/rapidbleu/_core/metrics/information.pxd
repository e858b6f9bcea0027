"""C contract of `metrics.information`."""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.ngrams cimport NgramWeightsC
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.tokenize cimport PreparedReferences


cdef class NgramCounts:
    cdef NgramWeightsC weights
    cdef PreparedReferences texts  # whose long tokens the table of tokens points to


cdef class NistKernel(Kernel):
    cdef readonly int max_order
    cdef readonly NgramCounts information

    cdef int add_information(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* sums, ScratchC* scratch,
    ) except -1 nogil
