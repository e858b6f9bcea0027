"""C contract of a line of features."""

from libc.stdint cimport int64_t, uint8_t

from rapidbleu._core.feature_names cimport FeatureNames
from rapidbleu._core.line_reader cimport LineReader


cdef class FeatureValues:
    cdef readonly LineReader reader
    cdef readonly FeatureNames names
    cdef readonly int64_t n_rows   # read so far
    cdef object rows               # of the sparse values: array.array
    cdef object columns
    cdef object values

    cdef int read(self, const uint8_t* p, const uint8_t* end, float* out) except -1 nogil
    cdef int read_rarely(
        self, const uint8_t* p, const uint8_t** end, int64_t n, int64_t n_labels, float* out
    ) except -1
    cdef float number(self, bytes text, str what) except? -1.0
