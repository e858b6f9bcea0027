"""Python lists in the core: made of the numbers in C arrays, and read.

Cython 3.3 errs in two places where there is no memory.  A list comprehension gives an item back
twice if the list cannot grow; so lists are filled in loops.  An `except` that does more than raise,
return a constant or pass reads a traceback that may not be there; so none does.
"""

from libc.stdint cimport int64_t

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF

from rapidbleu._core.common cimport FREE_THREADED


cdef inline list list_integers(const int64_t* values, Py_ssize_t n):
    cdef list result = PyList_New(n)
    cdef Py_ssize_t i
    cdef object number
    for i in range(n):
        number = values[i]
        Py_INCREF(number)
        PyList_SET_ITEM(result, i, number)
    return result


cdef inline list list_floats(const double* values, Py_ssize_t n):
    cdef list result = PyList_New(n)
    cdef Py_ssize_t i
    cdef object number
    for i in range(n):
        number = values[i]
        Py_INCREF(number)
        PyList_SET_ITEM(result, i, number)
    return result


cdef inline object unshared(items):
    """A list or tuple whose items no other thread changes while they are read.

    Under the global lock that is any, until Python code runs.
    """
    return tuple(items) if FREE_THREADED and type(items) is list else items
