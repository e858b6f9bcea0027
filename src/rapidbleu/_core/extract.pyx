"""Extraction: columns of segments to rows of statistics, in batches.

A batch is as much text as fits the second-level cache.  It is read with the GIL held, which is a
copy of its bytes, and then scanned and matched without it, one segment after the other while its
tokens are in the first-level cache.  Signals are looked at between batches.  All memory a call needs
is a workspace; an extractor keeps those that are idle, so a call for one sentence allocates nothing,
and drops the ones that a giant segment has blown up.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.clipping cimport clipping_free, clipping_init, clipping_memory
from rapidbleu._core.columns cimport Kind, kind_name, same_kind
from rapidbleu._core.scanner cimport Scanner
from rapidbleu._core.tokens cimport (
    TokensC, tokens_clear, tokens_copy, tokens_free, tokens_init, tokens_memory,
)


cdef enum:
    BATCH_BYTES = 1 << 16   # text and identities of one batch
    KEPT_BYTES = 1 << 22    # memory an idle workspace may hold
    KEPT_WORKSPACES = 16


cdef int64_t* grown(int64_t* array, int64_t* capacity, int64_t needed) except NULL:
    """The array with room for `needed` integers."""
    cdef int64_t* larger
    if needed <= capacity[0] and array != NULL:
        return array
    larger = <int64_t*> PyMem_RawRealloc(array, <size_t> (2 * needed) * sizeof(int64_t))
    if larger == NULL:
        raise MemoryError
    capacity[0] = 2 * needed
    return larger


cdef class Workspace:
    """Scratch memory of one call: the tokens of a batch and what matching needs."""

    def __cinit__(self, int n_stats):
        clipping_init(&self.scratch)
        tokens_init(&self.hyps)
        tokens_init(&self.refs)
        self.spans = grown(self.spans, &self.span_capacity, 64)
        self.first_ref = grown(self.first_ref, &self.first_capacity, 16)
        self.row = <int64_t*> PyMem_RawMalloc(n_stats * sizeof(int64_t))
        if self.row == NULL:
            raise MemoryError

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        clipping_free(&self.scratch)
        PyMem_RawFree(self.spans)
        PyMem_RawFree(self.first_ref)
        PyMem_RawFree(self.row)

    cdef int64_t memory(self) noexcept:
        return (
            tokens_memory(&self.hyps) + tokens_memory(&self.refs) + clipping_memory(&self.scratch)
            + 8 * (self.span_capacity + self.first_capacity)
        )

    cdef int clear(self) except -1:
        tokens_clear(&self.hyps)
        tokens_clear(&self.refs)
        self.n_spans = 0
        self.first_ref[0] = 0
        return 0

    cdef int read(self, Reader reader, Column column, Py_ssize_t i, TokensC* t) except -1:
        """Read a segment; if its text awaits the scanner, note where it lies."""
        if self.n_spans + 2 > self.span_capacity:
            self.spans = grown(self.spans, &self.span_capacity, self.n_spans + 2)
        if reader.read(column, i, t, &self.spans[self.n_spans], &self.spans[self.n_spans + 1]):
            self.n_spans += 2
        return 0

    cdef int read_references(
        self, Reader reader, ReferenceColumns columns, Py_ssize_t segment
    ) except -1:
        """Read the references that a segment has; returns how many."""
        cdef Column column = <Column> columns.columns[0]
        cdef int64_t i, begin, end
        cdef int n = 0
        if columns.first == NULL and columns.lists is None:
            for column in columns.columns:
                if not (column.any_missing and column.is_missing(segment)):
                    self.read(reader, column, segment, &self.refs)
                    n += 1
            return n
        if columns.first != NULL:
            begin, end = columns.first[segment], columns.first[segment + 1]
        else:
            columns.lists.bounds(segment, &begin, &end)
        for i in range(begin, end):
            if not (column.any_missing and column.is_missing(i)):
                self.read(reader, column, i, &self.refs)
                n += 1
        return n

    cdef int close_references(self, Py_ssize_t k, int64_t n_refs) except -1:
        """Segment k of the batch has n_refs references, following those of segment k - 1."""
        if k + 2 > self.first_capacity:
            self.first_ref = grown(self.first_ref, &self.first_capacity, k + 2)
        self.first_ref[k + 1] = self.first_ref[k] + n_refs
        return 0


cdef class Extractor:
    """A kernel and a reader at work on columns.

    Parameters
    ----------
    kernel : Kernel
    reader : Reader

    Notes
    -----
    Any number of threads may call the same extractor.
    """

    def __cinit__(self, Kernel kernel not None, Reader reader not None):
        self.kernel = kernel
        self.reader = reader
        self.idle = []

    cdef Workspace take_workspace(self):
        try:
            return self.idle.pop()
        except IndexError:
            return Workspace(self.kernel.n_stats)

    cdef int return_workspace(self, Workspace w) except -1:
        if len(self.idle) < KEPT_WORKSPACES and w.memory() <= KEPT_BYTES:
            self.idle.append(w)
        return 0

    def check(self, Column hyps, refs):
        """Refuse columns that do not belong together; `hyps` may be None."""
        cdef Kind kind
        if isinstance(refs, ReferenceColumns):
            kind = (<ReferenceColumns> refs).kind
        else:
            kind = (<PreparedReferences> refs).kind
        if hyps is not None and hyps.length != len(refs):
            raise ValueError(
                f"references: expected {hyps.length} segments, as many as hypotheses, got "
                f"{len(refs)}; references are [stream][segment] unless layout='segment'"
            )
        if hyps is not None and not same_kind(hyps.kind, kind):
            raise TypeError(
                f"references: expected segments of {kind_name(hyps.kind)} as in hypotheses, "
                f"got {kind_name(kind)}"
            )
        if self.reader.lowercase and kind == Kind.IDS:
            raise ValueError("lowercase: integer ids have no case")

    def extract(self, Column hyps not None, refs, Py_ssize_t begin, Py_ssize_t end, rows=None):
        """Statistics of segments [begin, end).

        Parameters
        ----------
        hyps : Column
        refs : ReferenceColumns or PreparedReferences
        begin, end : int
        rows : int64 array of shape (len(hyps), n_stats), C-contiguous, optional
            Rows [begin, end) are written.

        Returns
        -------
        list of int
            The sum of the rows.
        """
        cdef Workspace w = self.take_workspace()
        cdef ReferenceColumns columns = refs if isinstance(refs, ReferenceColumns) else None
        cdef PreparedReferences prepared = refs if columns is None else None
        cdef Buffer out = None if rows is None else Buffer(rows, "rows", writable=True)
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t* sums = <int64_t*> PyMem_RawMalloc(n_stats * sizeof(int64_t))
        cdef int64_t* target = NULL
        cdef Py_ssize_t n
        cdef bint scans = self.reader.scanner is not None
        cdef bint scan_hyps = scans and hyps.kind == Kind.TEXT
        cdef const TokensC* tokens = &w.refs if columns is not None else &prepared.tokens
        cdef const int64_t* first
        if sums == NULL:
            raise MemoryError
        try:
            if out is not None:
                out.require(c"i", sizeof(int64_t), hyps.length * n_stats, "rows")
            memset(sums, 0, n_stats * sizeof(int64_t))
            while begin < end:
                n = self.read_batch(w, hyps, columns, begin, end)
                first = w.first_ref if columns is not None else prepared.first + begin
                if out is not None:
                    target = <int64_t*> out.data + begin * n_stats
                with nogil:
                    self.score_batch(
                        w, tokens, first, n, target, sums, scan_hyps, scan_hyps and columns is not None
                    )
                PyErr_CheckSignals()
                begin += n
            return [sums[j] for j in range(n_stats)]
        finally:
            PyMem_RawFree(sums)
            self.return_workspace(w)

    cdef Py_ssize_t read_batch(
        self, Workspace w, Column hyps, ReferenceColumns columns, Py_ssize_t begin, Py_ssize_t end
    ) except -1:
        """Read segments from `begin` on until the batch is full; returns how many."""
        cdef Py_ssize_t i = begin
        w.clear()
        while i < end and (
            w.hyps.text_length + w.refs.text_length + 8 * (w.hyps.n_tokens + w.refs.n_tokens)
            < BATCH_BYTES
        ):
            if hyps is not None:
                w.read(self.reader, hyps, i, &w.hyps)
            if columns is not None:
                w.close_references(i - begin, w.read_references(self.reader, columns, i))
            i += 1
        return i - begin

    cdef int score_batch(
        self, Workspace w, const TokensC* refs, const int64_t* first, Py_ssize_t n, int64_t* rows,
        int64_t* sums, bint scan_hyps, bint scan_refs,
    ) except -1 nogil:
        """Scan and match a batch that has been read."""
        cdef int64_t* row = w.row
        cdef const int64_t* span = w.spans
        cdef int n_stats = self.kernel.n_stats, j
        cdef Py_ssize_t k
        cdef int64_t ref
        for k in range(n):
            if scan_hyps:
                self.reader.scanner.scan(&w.hyps, span[0], span[1])
                span += 2
            if scan_refs:
                for ref in range(first[k], first[k + 1]):
                    self.reader.scanner.scan(&w.refs, span[0], span[1])
                    span += 2
            if rows != NULL:
                row = rows + k * n_stats
            self.kernel.segment(&w.hyps, k, refs, first[k], first[k + 1], row, &w.scratch)
            for j in range(n_stats):
                sums[j] += row[j]
        return 0

    def extract_one(self, hypothesis, references):
        """Score of a single segment with its parts.

        Parameters
        ----------
        hypothesis : str
        references : list or tuple of str

        Returns
        -------
        tuple
            What the kernel's ``describe`` returns.
        """
        cdef Workspace w = self.take_workspace()
        cdef int64_t begin, end
        cdef int n_refs = 0
        w.clear()
        if self.reader.read_text(hypothesis, &w.hyps, &begin, &end):
            self.reader.scanner.scan(&w.hyps, begin, end)
        for reference in references:
            if self.reader.read_text(reference, &w.refs, &begin, &end):
                self.reader.scanner.scan(&w.refs, begin, end)
            n_refs += 1
        self.kernel.segment(&w.hyps, 0, &w.refs, 0, n_refs, w.row, &w.scratch)
        parts = self.kernel.describe_row(w.row)
        self.return_workspace(w)
        return parts

    def prepare(self, ReferenceColumns columns not None):
        """Tokenize references once, for any number of hypotheses.

        Returns
        -------
        PreparedReferences
        """
        cdef PreparedReferences prepared = PreparedReferences()
        cdef Workspace w = self.take_workspace()
        cdef bint scans = self.reader.scanner is not None and columns.kind == Kind.TEXT
        cdef Py_ssize_t begin = 0, n, k
        cdef int64_t span
        self.check(None, columns)
        prepared.allocate(columns.length)
        prepared.num_refs = columns.num_refs
        prepared.kind = columns.kind
        while begin < columns.length:
            n = self.read_batch(w, None, columns, begin, columns.length)
            for k in range(n):
                prepared.first[begin + k + 1] = (
                    prepared.first[begin] + w.first_ref[k + 1]
                )
            with nogil:
                for span in range(0, w.n_spans, 2):
                    self.reader.scanner.scan(&w.refs, w.spans[span], w.spans[span + 1])
                tokens_copy(&prepared.tokens, &w.refs)
            PyErr_CheckSignals()
            begin += n
        self.return_workspace(w)
        return prepared
