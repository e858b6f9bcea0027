"""C contract of `moses.nbest_files`."""

from libc.stdint cimport int64_t, uint8_t

from rapidbleu._core.input.lines cimport LineReader


# Names of features

ctypedef struct LabelC:
    const uint8_t* text   # with its sign of a label, = or :
    int64_t length
    int64_t at            # values in front of it


cdef class FeatureNames:
    cdef readonly tuple names       # of the dense features
    cdef readonly list sparse_names
    cdef dict sparse                # bytes -> place in sparse_names
    cdef bytes text                 # the labels, one behind the other
    cdef LabelC* labels
    cdef int64_t n_labels
    cdef int64_t n_features

    cdef int64_t intern(self, bytes name, str where) except -1


# A line of features

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
