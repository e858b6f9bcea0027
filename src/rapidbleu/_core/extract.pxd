"""C contract of extraction: segments to rows of statistics."""

from libc.stdint cimport int64_t

from rapidbleu._core.columns cimport Column
from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.reader cimport Reader
from rapidbleu._core.reference_columns cimport ReferenceColumns
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.workspace cimport Workspace


cdef class Extractor:
    cdef readonly Kernel kernel
    cdef readonly Reader reader
    cdef Reader ref_reader
    cdef list idle               # workspaces that no call is using

    cdef Workspace take_workspace(self)
    cdef int return_workspace(self, Workspace w) except -1
    cdef Py_ssize_t read_batch(
        self, Workspace w, Column hyps, ReferenceColumns columns, TokensC* refs, Py_ssize_t begin,
        Py_ssize_t end,
    ) except -1
    cdef int score_batch(
        self, Workspace w, const TokensC* refs, const int64_t* first, Py_ssize_t n, int64_t* rows,
        double* scores, int64_t* sums, bint scans, bint has_columns,
    ) except -1 nogil
