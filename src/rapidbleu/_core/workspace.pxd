"""C contract of the workspace: what one call reads into and computes in."""

from libc.stdint cimport int64_t

from rapidbleu._core.columns cimport Column
from rapidbleu._core.kernel cimport ScoreCache
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.reader cimport Reader, SourceC
from rapidbleu._core.reference_columns cimport ReferenceColumns
from rapidbleu._core.text cimport TokensC


cdef class Workspace:
    cdef TokensC hyps
    cdef TokensC refs
    cdef ScratchC scratch
    cdef SourceC* sources        # texts of the batch that await the scanner, in order
    cdef int64_t n_sources
    cdef int64_t source_capacity
    cdef int64_t* first_ref      # [segments of the batch + 1]
    cdef int64_t first_capacity
    cdef int64_t n_characters    # of the batch's texts
    cdef list kept               # strings made for the batch
    cdef int64_t* rows           # [n_rows, n_stats] statistics that await their scores
    cdef int64_t n_rows
    cdef ScoreCache cache

    cdef int clear(self) except -1
    cdef int read(self, Reader reader, Column column, Py_ssize_t i, TokensC* t) except -1
    cdef int64_t read_references(
        self, Reader reader, ReferenceColumns columns, Py_ssize_t segment, TokensC* t
    ) except -1
    cdef int close_references(self, Py_ssize_t k, int64_t n_refs) except -1
    cdef int64_t memory(self) noexcept
