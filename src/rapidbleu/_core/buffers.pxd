"""C contract of borrowed arrays."""

from cpython.buffer cimport Py_buffer


cdef class Buffer:
    cdef Py_buffer view
    cdef bint held
    cdef void* data
    cdef Py_ssize_t n_items
    cdef char kind        # 'i' signed, 'u' unsigned, 'f' floating
    cdef Py_ssize_t item_size

    cdef int require(self, char kind, Py_ssize_t item_size, Py_ssize_t n_items, where) except -1
