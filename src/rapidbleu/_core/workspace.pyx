"""Scratch memory of one call of the extractor, kept between calls.

A batch is read segment by segment into two token tables, one for hypotheses and one for references.
Segments of text are not there yet: for each one a source says where its characters lie, and the
scanner goes through the sources in the order in which they were read, hypothesis 0, its references,
hypothesis 1, and so on.  `first_ref` says which references belong to which segment.

Arrays grow by doubling and never shrink; `memory` tells the owner whether a workspace is worth
keeping.
"""

from libc.stdint cimport int64_t, uint64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc

from rapidbleu._core.common cimport (
    POLL_OBJECTS, bytes_of, hash_key, poll_due, poll_signals, use_v3,
)
from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.metrics cimport scratch_free, scratch_init, scratch_memory
from rapidbleu._core.prepared cimport tokens_open
from rapidbleu._core.text cimport TokensC, tokens_clear, tokens_free, tokens_memory


cdef enum:  # of the rows that await their scores
    MOST_ROWS = 64
    MOST_COUNTS = 4096

cdef uint64_t KEY = hash_key()
cdef bint VECTORS = use_v3()


cdef void* grown(void* array, int64_t* capacity, int64_t needed, size_t size) except NULL:
    """The array with room for `needed` items."""
    cdef void* larger
    if needed <= capacity[0]:
        return array
    larger = PyMem_RawRealloc(array, bytes_of(2 * needed, size))
    if larger == NULL:
        raise MemoryError
    capacity[0] = 2 * needed
    return larger


cdef class Workspace:
    """Scratch memory of one call: the tokens of a batch and what matching needs."""

    def __cinit__(self, Kernel kernel not None):
        scratch_init(&self.scratch, KEY, VECTORS)
        tokens_open(&self.hyps)
        tokens_open(&self.refs)
        self.kept = []
        self.cache = ScoreCache(kernel.n_cache_tables)
        self.sources = <SourceC*> grown(NULL, &self.source_capacity, 32, sizeof(SourceC))
        self.first_ref = <int64_t*> grown(NULL, &self.first_capacity, 16, sizeof(int64_t))
        self.n_rows = min(MOST_ROWS, max(1, MOST_COUNTS // kernel.n_stats))
        self.rows = <int64_t*> PyMem_RawMalloc(self.n_rows * kernel.n_stats * sizeof(int64_t))
        if self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        scratch_free(&self.scratch)
        PyMem_RawFree(self.sources)
        PyMem_RawFree(self.first_ref)
        PyMem_RawFree(self.rows)

    cdef int64_t memory(self) noexcept:
        return (
            tokens_memory(&self.hyps) + tokens_memory(&self.refs) + scratch_memory(&self.scratch)
            + <int64_t> sizeof(SourceC) * self.source_capacity + 8 * self.first_capacity
        )

    cdef int clear(self) except -1:
        tokens_clear(&self.hyps)
        tokens_clear(&self.refs)
        self.n_sources = self.n_characters = 0
        self.first_ref[0] = 0
        if self.kept:
            self.kept.clear()
        return 0

    cdef int read(self, Reader reader, Column column, Py_ssize_t i, TokensC* t) except -1:
        """Read a segment; if it awaits the scanner, note where it lies."""
        if self.n_sources == self.source_capacity:
            self.sources = <SourceC*> grown(
                self.sources, &self.source_capacity, self.n_sources + 1, sizeof(SourceC)
            )
        if reader.read(column, i, t, &self.sources[self.n_sources], self.kept):
            self.n_characters += self.sources[self.n_sources].length
            self.n_sources += 1
        return 0

    cdef int64_t read_references(
        self, Reader reader, ReferenceColumns columns, Py_ssize_t segment, TokensC* t
    ) except -1:
        """Read the references that a segment has; returns how many."""
        cdef Column column = <Column> columns.columns[0]
        cdef int64_t i, begin, end, n = 0
        if columns.first == NULL and columns.lists is None:
            for column in columns.columns:
                if not (column.any_missing and column.is_missing(segment)):
                    self.read(reader, column, segment, t)
                    n += 1
            return n
        if columns.first != NULL:
            begin, end = columns.first[segment], columns.first[segment + 1]
        else:
            columns.lists.bounds(segment, &begin, &end)
        for i in range(begin, end):
            if poll_due(i - begin, POLL_OBJECTS):
                poll_signals()
            if not (column.any_missing and column.is_missing(i)):
                self.read(reader, column, i, t)
                n += 1
        return n

    cdef int close_references(self, Py_ssize_t k, int64_t n_refs) except -1:
        """Segment k of the batch has n_refs references, following those of segment k - 1."""
        if k + 2 > self.first_capacity:
            self.first_ref = <int64_t*> grown(
                self.first_ref, &self.first_capacity, k + 2, sizeof(int64_t)
            )
        self.first_ref[k + 1] = self.first_ref[k] + n_refs
        return 0
