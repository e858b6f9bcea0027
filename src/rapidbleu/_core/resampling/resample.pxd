"""C contract of `resampling.resample`."""

from rapidbleu._core.resampling cimport PackedRowsC, PcgC


# Random streams

cdef class Stream:
    cdef PcgC pcg


# Packed rows

cdef class PackedRows:
    cdef PackedRowsC rows
    cdef bint weighted
