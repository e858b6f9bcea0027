"""C contract of clipped counting for long segments and unusual orders."""

from libc.stdint cimport int64_t

from cpython.object cimport PyObject

from rapidbleu._core.text cimport TokensC


ctypedef struct RefinementC:
    void* memory
    int64_t capacity      # in bytes


cdef void refinement_init(RefinementC* c) noexcept nogil
cdef void refinement_free(RefinementC* c) noexcept nogil
cdef int64_t refinement_memory(const RefinementC* c) noexcept nogil
cdef int refined_counts(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int max_order, int64_t* correct, RefinementC* c, PyObject* stop,
) except -1 nogil
