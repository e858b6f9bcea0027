"""How long work is interrupted: by a signal in the main thread, by a list in the others.

Only the main thread gets Ctrl-C.  It leaves the exception in a list that all threads of a job look
at when they look at signals; they end with the same exception.
"""

from cpython.object cimport PyObject


cdef int look_at_signals(stop) except -1:
    """Raise what a signal calls for, or what another thread left in `stop`."""
    check_signals()
    if stop:
        raise stop[0]
    return 0


cdef int look_from_kernel(PyObject* stop) except -1 nogil:
    """The same without the GIL, for a `stop` that may be NULL."""
    with gil:
        return look_at_signals(None if stop == NULL else <object> stop)
