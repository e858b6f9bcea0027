"""C contract of random streams."""

from rapidbleu._core.resampling cimport PcgC


cdef class Stream:
    cdef PcgC pcg
