"""C contract of `scoring.extraction`."""

from libc.stdint cimport int64_t, uint16_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.common cimport IdleC
from rapidbleu._core.input.columns cimport Column, ReferenceColumns
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.tokenize cimport Reader, SourceC


# Last calls: extraction of a sentence remembers its own

cdef class LastCall:
    cdef int64_t num_refs        # or UNKNOWN
    cdef object n_bootstrap
    cdef object seed


cdef class LastCalls:
    cdef uint64_t newest         # the thread that called last
    cdef LastCall newest_call
    cdef dict of_threads         # calls of the other threads; None until there is one
    cdef bint keeps_resamples

    cdef LastCall own_call(self)
    cpdef int remember_number(self, int64_t num_refs) except -1


# Repeats: the texts of one list that were met already, and where their rows are

cdef class Repeats:
    cdef SourceC* sources     # [capacity] texts met, in order
    cdef int64_t** rows       # [capacity] where their statistics are
    cdef int64_t* copies      # [capacity, n_stats] rows kept here; NULL: they stay where they are
    cdef uint16_t* slots      # by hash: number of a text, from 1; 0: free
    cdef uint16_t* taken      # [capacity] the slot of each text
    cdef int n_texts
    cdef int capacity
    cdef int n_stats
    cdef int64_t segment      # whose list it is; -1: of none yet

    # Forgets all texts, which must happen before any of them is freed.
    cdef void clear(self) noexcept nogil
    # Number of a text of this segment's list; if it was not met before, `keep` must follow.
    cdef int find(self, const SourceC* source, int64_t segment, bint* met) noexcept nogil
    cdef void keep(self, int i, int64_t* row) noexcept nogil


# Workspace: what one call reads into and computes in

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
    cdef PyObject*** strings     # the streams of references that are strings
    cdef int64_t string_capacity
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


# Extraction: segments to rows of statistics

cdef struct SidesC:             # where the segments of a batch are
    const TokensC* hyps
    const TokensC* refs
    int64_t first_hyp           # of the batch, unless hypotheses are scanned
    const int64_t* first_ref    # [segments of the batch + 1], unless references are strings
    bint scans_hyps             # they await the scanner
    bint scans_refs
    PyObject** hyp_strings      # of all segments, looked up as they are scanned; or NULL
    PyObject*** ref_strings     # [n_streams] the same, of each stream; or NULL
    int64_t n_streams


cdef class Extractor:
    cdef readonly Kernel kernel
    cdef readonly Reader reader
    cdef Reader ref_reader
    cdef IdleC idle              # workspaces that no call is using

    cdef Workspace take_workspace(self)
    cdef int return_workspace(self, Workspace w) except -1
    cdef int find_strings(
        self, Workspace w, SidesC* sides, Column hyps, ReferenceColumns refs
    ) except -1
    cdef Py_ssize_t read_batch(
        self, Workspace w, Column hyps, ReferenceColumns columns, TokensC* refs, Py_ssize_t begin,
        Py_ssize_t end,
    ) except -1
    cdef int score_batch(
        self, Workspace w, const SidesC* sides, Py_ssize_t begin, Py_ssize_t n, int64_t* rows,
        double* scores, int64_t* sums,
    ) except -1 nogil
