from rapidbleu._core.kernel cimport Kernel


cdef class MeanKernel(Kernel):
    pass
