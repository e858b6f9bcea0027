"""C contract of a corpus's references."""

from libc.stdint cimport int64_t

from rapidbleu._core.arrow cimport ArrowColumn
from rapidbleu._core.columns cimport Column, Kind


cdef class ReferenceColumns:
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t num_refs   # references of every segment; -1: it varies
    cdef Kind kind
    cdef list columns                   # streams, or one column with all references
    cdef int64_t* first                 # [length + 1] into the one column; NULL otherwise
    cdef ArrowColumn lists              # None unless the references are an Arrow list column
    cdef int64_t* n_present             # [n_strings + 1] of `lists`, not null; NULL: all of them

    cdef int take_streams(self, source, str where) except -1
    cdef int take_segments(self, source, str where) except -1
    cdef int take_arrow_lists(self, ArrowColumn lists, str where) except -1
    cdef int count_present(self, Column column) except -1
    cdef Py_ssize_t count(self, Py_ssize_t segment) except -1
    cdef int count_all(self, str where) except -1
