"""C contract of `edits.rates`."""

from rapidbleu._core.metrics.kernel cimport Kernel


cdef class EditKernel(Kernel):
    pass


cdef class PositionKernel(Kernel):
    cdef readonly bint of_corpus  # are surplus tokens counted over the corpus?


cdef class JumpKernel(Kernel):
    pass
