"""C contract of input columns."""

from libc.stdint cimport int64_t

from rapidbleu._core.arrow cimport ArrowColumn


cdef enum Kind:
    TEXT     # segments are strings
    TOKENS   # segments are sequences of strings
    IDS      # segments are sequences of integers
    EMPTY    # all segments are empty sequences, of whichever kind


cdef class Column:
    cdef Py_ssize_t length
    cdef Kind kind
    cdef bint any_missing
    cdef tuple items        # None if the column is Arrow's
    cdef ArrowColumn arrow  # None otherwise
    cdef object place       # int -> str: an element's name in errors

    cdef int set_arrow(self, ArrowColumn arrow, Py_ssize_t length) except -1
    cdef int check_items(self, bint optional) except -1
    cdef bint is_missing(self, Py_ssize_t i)


cdef class ReferenceColumns:
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t num_refs   # references of every segment; -1: it varies
    cdef Kind kind
    cdef list columns                   # streams, or one column with all references
    cdef int64_t* first                 # [length + 1] into the one column; NULL otherwise
    cdef ArrowColumn lists              # None unless the references are an Arrow list column

    cdef int take_streams(self, source, str where) except -1
    cdef int take_segments(self, source, str where) except -1
    cdef int take_arrow_lists(self, ArrowColumn lists, str where) except -1
    cdef Py_ssize_t count(self, Py_ssize_t segment) except -1
    cdef int count_all(self, str where) except -1


cdef bint same_kind(Kind a, Kind b) noexcept
cdef str kind_name(Kind kind)
cdef plain_ids(item, str where)
cdef id_of(number, str where)
