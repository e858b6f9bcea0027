"""C contract of the names of features."""

from libc.stdint cimport int64_t, uint8_t


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
