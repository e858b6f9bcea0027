"""C contract of n-best features in columns."""

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.tuning cimport FeatureColumnsC


cdef class FeatureColumns:
    cdef FeatureColumnsC data
    cdef list owners            # of the arrays

    cdef int fill(self, Buffer rows) except -1
