"""C contract of last calls: extraction of a sentence remembers its own."""

from libc.stdint cimport int64_t, uint64_t


cdef class LastCall:
    cdef int64_t num_refs        # or UNKNOWN
    cdef object n_bootstrap
    cdef object seed


cdef class LastCalls:
    cdef uint64_t newest         # the thread that called last
    cdef LastCall newest_call
    cdef dict of_threads         # calls of the other threads; None until there is one

    cdef LastCall own_call(self)
    cpdef int remember_number(self, int64_t num_refs) except -1
