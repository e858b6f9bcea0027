"""C contract of clipped n-gram counting."""

from libc.stdint cimport int64_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.refinement cimport RefinementC
from rapidbleu._core.text cimport TokensC


ctypedef struct ClippingC:
    uint64_t* words       # masks, running matches and taken positions, hits
    int64_t capacity
    RefinementC refinement
    PyObject* stop        # work ends when this is no longer empty, unless NULL; see signals.pyx
    int64_t work          # since signals were looked at, in what a metric counts


cdef void clipping_init(ClippingC* c) noexcept nogil
cdef void clipping_free(ClippingC* c) noexcept nogil
cdef int64_t clipping_memory(const ClippingC* c) noexcept nogil
cdef int words_reserve(ClippingC* c, int64_t n) except -1 nogil
cdef int clipped_counts(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int max_order, int64_t* correct, ClippingC* c,
) except -1 nogil
