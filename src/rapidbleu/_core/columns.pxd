"""C contract of input columns."""

from rapidbleu._core.arrow cimport ArrowColumn


cdef enum Kind:  # from what says most of the segments to what says least
    TEXT     # segments are strings: each element is a str, or None if segments may be missing
    TOKENS   # segments are sequences of strings
    IDS      # segments are sequences of integers
    EMPTY    # all segments are empty sequences, of whichever kind
    ABSENT   # all segments are missing


cdef class Places:
    cdef str where
    cdef list offsets
    cdef dict kept


cdef class Column:
    cdef Py_ssize_t length
    cdef Kind kind
    cdef bint any_missing
    cdef bint all_str       # every item is a str and of no subclass
    cdef tuple items        # None if the column is Arrow's
    cdef ArrowColumn arrow  # None otherwise
    cdef object place       # int -> str: an element's name in errors

    cdef int set_arrow(self, ArrowColumn arrow, Py_ssize_t length) except -1
    cdef int check_items(self, bint optional) except -1
    cdef Kind find_kind(self, bint optional) except *
    cdef bint is_missing(self, Py_ssize_t i)


cdef bint same_kind(Kind a, Kind b) noexcept
cdef str kind_name(Kind kind)
cdef plain_ids(item, str where)
cdef id_of(number, str where)
cdef bint is_arrow(source)
cdef bint is_sequence(source)
cdef tuple snapshot(source, str where, str expected)
