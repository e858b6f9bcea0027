"""C contract of `text.tokenize`."""

from libc.stdint cimport int64_t

from cpython.object cimport PyObject

from rapidbleu._core.input.columns cimport Column, Kind
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.scanners cimport TextScanner


# Prepared references

cdef int tokens_open(TokensC* t) except -1


cdef class PreparedReferences:
    cdef TokensC tokens
    cdef int64_t* first             # [length + 1] first reference of each segment, into tokens
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t num_refs
    cdef Kind kind

    cdef int require(self, int n_sequences) except -1
    cdef int allocate(self, Py_ssize_t length) except -1
    cdef restore_text_identities(self)


# Reader: segments of a column into token tables

ctypedef struct SourceC:
    const void* data     # the text; its owner keeps it alive
    int64_t length       # in characters
    int form             # bytes of a character, or UTF8
    bint lower           # to be lowercased on the way


cdef class Reader:
    cdef readonly TextScanner scanner
    cdef readonly object rule
    cdef readonly bint lowercase
    cdef bint lower_text  # not if the rule does it itself
    cdef object on_lost_text

    cdef bint read(
        self, Column column, Py_ssize_t i, TokensC* t, SourceC* source, list kept
    ) except -1
    cdef bint read_strings(self, segment, TokensC* t) except -1
    cdef bint read_text(self, segment, TokensC* t, SourceC* source, list kept) except -1
    cdef int scan(self, const SourceC* source, TokensC* t) except -1 nogil
    cdef bint scans(self, Column column)
    cdef int64_t scan_string(self, PyObject* text, TokensC* t) except -1 nogil


cdef Py_ssize_t push_strings(items, TokensC* t) except -1
cdef int append_source(TokensC* t, const SourceC* source) except -1 nogil
