"""C contract of the chrF kernel."""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport BestReferenceKernel
from rapidbleu._core.text cimport TokensC


cdef class ChrfKernel(BestReferenceKernel):
    cdef int char_order
    cdef int word_order
    cdef int n_orders
    cdef double factor
    cdef double one_more
    cdef bint eps_smoothing


cdef inline double epsilon() noexcept nogil:
    """Return sacrebleu's value for missing n-grams with eps_smoothing."""
    return 1e-16


cdef inline double f_score(ChrfKernel kernel, double precision, double recall) noexcept nogil:
    """Return F of averages, in percent."""
    cdef double score
    if precision + recall == 0.0:
        return 0.0
    score = kernel.one_more * precision * recall
    score /= kernel.factor * precision + recall
    return 100.0 * score


cdef inline double smoothed_f_score(
    ChrfKernel kernel, double precision, double recall
) noexcept nogil:
    """Return F of one order, as a fraction."""
    cdef double below = kernel.factor * precision + recall
    return kernel.one_more * precision * recall / below if below > 0.0 else epsilon()
