from rapidbleu._core.kernel cimport Kernel


cdef class MixtureKernel(Kernel):
    cdef readonly tuple parts
    cdef int n_parts
    cdef double* weights
    cdef void** kernels  # borrowed from parts
