"""C contract of prepared references."""

from libc.stdint cimport int64_t

from rapidbleu._core.columns cimport Kind
from rapidbleu._core.text cimport TokensC


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
