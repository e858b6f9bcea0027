"""C contract of the TER kernel."""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics.kernel cimport Kernel


cdef class TerKernel(Kernel):
    pass


cdef double mean_length(const int64_t* row) noexcept nogil
