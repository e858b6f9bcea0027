"""C contract of `nltk.nist`."""

from libc.stdint cimport int64_t

from rapidbleu._core.text cimport TokensC


cdef class Corpus:
    cdef TokensC hyps
    cdef TokensC refs
    cdef int64_t* first_ref      # [n_lists + 1] first reference of each segment
    cdef int64_t n_lists
    cdef int64_t first_capacity

    cdef bint read(self, tuple references, tuple hypotheses) except -1
    cdef bint read_strings(self, tuple references, tuple hypotheses) except -1
    cdef bint read_objects(self, tuple references, tuple hypotheses, dict numbers) except -1
    cdef int clear(self) except -1
    cdef bint close_references(self) except -1
