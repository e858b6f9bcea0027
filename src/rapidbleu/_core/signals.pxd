"""C contract of interruption."""


cdef int look_at_signals(stop) except -1
