"""C contract of interruption."""

from cpython.object cimport PyObject


cdef extern from "signals.h":
    int check_signals "rb_check_signals" () except -1

cdef int look_at_signals(stop) except -1
cdef int look_from_kernel(PyObject* stop) except -1 nogil
