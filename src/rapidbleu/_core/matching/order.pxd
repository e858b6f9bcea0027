"""C contract of `matching.order`."""

from rapidbleu._core.metrics.kernel cimport Kernel, SegmentMeanKernel


cdef class GtmKernel(Kernel):
    cdef readonly double exponent


cdef class RibesKernel(SegmentMeanKernel):
    cdef readonly double alpha
    cdef readonly double beta


cdef class SkipKernel(SegmentMeanKernel):
    cdef readonly int max_order
    cdef readonly double decay
