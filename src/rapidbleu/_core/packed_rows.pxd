"""C contract of packed rows."""

from rapidbleu._core.resampling cimport PackedRowsC


cdef class PackedRows:
    cdef PackedRowsC rows
