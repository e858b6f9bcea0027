"""Extraction: columns of segments to rows of statistics, in batches.

With the GIL held a batch is only looked up: where its strings lie.  Without it they are encoded,
scanned and matched, one segment after the other, so that text and tokens of a segment stay in the
first-level cache from the first step to the last.  Signals are looked at between batches.

All memory a call needs is a workspace.  An extractor keeps those that are idle, so a call for one
sentence allocates nothing, and drops the ones that a giant segment has blown up.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.columns cimport Kind, kind_name, same_kind
from rapidbleu._core.common cimport POLL_OBJECTS, poll_due, poll_signals, poll_without_gil
from rapidbleu._core.last_calls cimport LastCalls
from rapidbleu._core.common.py_lists cimport list_integers, take_last
from rapidbleu._core.prepared cimport PreparedReferences
from rapidbleu._core.reader cimport SourceC
from rapidbleu._core.text cimport TokensC, drop_short_text, tokens_clear, tokens_reserve


cdef enum:
    BATCH_SEGMENTS = 256         # of a batch: what was looked up is still in the cache when scanned
    BATCH_CHARACTERS = 1 << 20   # or of fewer long ones: some milliseconds of work
    BATCH_TOKENS = 1 << 16       # read already, which take memory
    BATCH_TEXTS = 1 << 16        # looked up, each of which takes memory, even an empty one
    KEPT_BYTES = 1 << 20    # memory an idle workspace may hold
    KEPT_WORKSPACES = 8


cdef class Extractor:
    """A kernel and a reader at work on columns.

    Parameters
    ----------
    kernel : Kernel
    reader : Reader
    ref_reader : Reader, optional
        Reads references by another rule, and has no scanner if `reader` has none.

    Notes
    -----
    Any number of threads may call the same extractor.
    """

    def __cinit__(self, Kernel kernel not None, Reader reader not None, Reader ref_reader=None):
        self.kernel = kernel
        self.reader = reader
        self.ref_reader = reader if ref_reader is None else ref_reader
        self.idle = []

    def of_hypotheses(self):
        """The extractor that reads references as this one reads hypotheses: often itself."""
        return self if self.ref_reader is self.reader else Extractor(self.kernel, self.reader)

    cdef Workspace take_workspace(self):
        idle = take_last(self.idle)
        return Workspace(self.kernel) if idle is None else idle

    cdef int return_workspace(self, Workspace w) except -1:
        w.scratch.stop = NULL
        if len(self.idle) < KEPT_WORKSPACES and w.memory() <= KEPT_BYTES:
            self.idle.append(w)
        return 0

    def check(self, Column hyps, refs not None):
        """Refuse columns that do not belong together; `hyps` may be None."""
        cdef Kind kind
        if isinstance(refs, ReferenceColumns):
            kind = (<ReferenceColumns> refs).kind
        else:
            kind = (<PreparedReferences> refs).kind
            (<PreparedReferences> refs).require(self.kernel.n_sequences)
        if self.kernel.text_only:
            if hyps is not None and hyps.kind != Kind.TEXT:
                kind = hyps.kind
            if kind != Kind.TEXT:
                raise TypeError(f"segments: expected str, got {kind_name(kind)}")
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

    def extract(
        self, Column hyps not None, refs not None, Py_ssize_t begin, Py_ssize_t end, rows=None,
        scores=None, stop=(),
    ):
        """Statistics of segments [begin, end).

        Parameters
        ----------
        hyps : Column
        refs : ReferenceColumns or PreparedReferences
        begin, end : int
        rows : int64 array of shape (len(hyps), n_stats), C-contiguous, optional
            Rows [begin, end) are written.
        scores : float64 array of shape (len(hyps),), optional
            Items [begin, end) are written: each segment's score as a corpus of its own.
        stop : collection
            Work ends before its time when this is no longer empty.

        Returns
        -------
        list of int
            The sum of the rows.
        """
        cdef Workspace w = self.take_workspace()
        cdef ReferenceColumns columns = refs if isinstance(refs, ReferenceColumns) else None
        cdef PreparedReferences prepared = refs if columns is None else None
        cdef Buffer out = None if rows is None else Buffer(rows, "rows", writable=True)
        cdef Buffer marks = None if scores is None else Buffer(scores, "scores", writable=True)
        cdef int n_stats = self.kernel.n_stats
        cdef int64_t* sums = <int64_t*> PyMem_RawMalloc(n_stats * sizeof(int64_t))
        cdef int64_t* target = NULL
        cdef double* score = NULL
        cdef Py_ssize_t n
        cdef bint scans = self.reader.scanner is not None and hyps.kind == Kind.TEXT
        cdef const TokensC* tokens = &w.refs if columns is not None else &prepared.tokens
        cdef const int64_t* first
        if sums == NULL:
            raise MemoryError
        try:
            self.check(hyps, refs)
            if out is not None:
                out.require(c"i", sizeof(int64_t), hyps.length * n_stats, "rows")
            if marks is not None:
                marks.require(c"f", sizeof(double), hyps.length, "scores")
            memset(sums, 0, n_stats * sizeof(int64_t))
            w.scratch.stop = <PyObject*> stop
            while begin < end:
                n = self.read_batch(w, hyps, columns, &w.refs, begin, end)
                first = w.first_ref if columns is not None else prepared.first + begin
                if out is not None:
                    target = <int64_t*> out.data + begin * n_stats
                if marks is not None:
                    score = <double*> marks.data + begin
                with nogil:
                    self.score_batch(
                        w, tokens, first, n, target, score, sums, scans, prepared is None
                    )
                poll_signals()
                begin += n
                if stop:
                    break
            return list_integers(sums, n_stats)
        finally:
            PyMem_RawFree(sums)
            self.return_workspace(w)

    cdef Py_ssize_t read_batch(
        self, Workspace w, Column hyps, ReferenceColumns columns, TokensC* refs, Py_ssize_t begin,
        Py_ssize_t end,
    ) except -1:
        """Read segments from `begin` on until the batch is full; returns how many."""
        cdef Py_ssize_t i = begin
        w.clear()
        if end - begin > BATCH_SEGMENTS:
            end = begin + BATCH_SEGMENTS
        while i < end and (
            w.n_characters < BATCH_CHARACTERS and w.n_sources < BATCH_TEXTS
            and w.hyps.n_tokens + w.refs.n_tokens < BATCH_TOKENS
        ):
            if hyps is not None:
                w.read(self.reader, hyps, i, &w.hyps)
            if columns is not None:
                w.close_references(i - begin, w.read_references(self.ref_reader, columns, i, refs))
            i += 1
        return i - begin

    cdef int score_batch(
        self, Workspace w, const TokensC* refs, const int64_t* first, Py_ssize_t n, int64_t* rows,
        double* scores, int64_t* sums, bint scans, bint has_columns,
    ) except -1 nogil:
        """Scan and match a batch that has been read; `rows` and `scores` may be NULL.

        Segments that await the scanner take turns in the workspace's tables; those whose tokens
        were read already, and prepared references, are where their number says.
        """
        cdef int64_t* row
        cdef int64_t* block = w.rows   # the rows that await their scores
        cdef const SourceC* source = w.sources
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t k, hyp, ref, ref_end, n_rows, i
        for k in range(n):
            hyp, ref, ref_end = k, first[k], first[k + 1]
            if scans:
                tokens_clear(&w.hyps)
                self.reader.scan(source, &w.hyps)
                source += 1
                hyp = 0
                if has_columns:
                    tokens_clear(&w.refs)
                    for i in range(ref_end - ref):
                        self.ref_reader.scan(source, &w.refs)
                        source += 1
                        if poll_due(i, POLL_OBJECTS):
                            poll_without_gil(w.scratch.stop)
                    ref, ref_end = 0, ref_end - first[k]
            if k % w.n_rows == 0 and rows != NULL:
                block = rows + k * n_stats
            row = block + k % w.n_rows * n_stats
            self.kernel.segment(&w.hyps, hyp, refs, ref, ref_end, row, &w.scratch)
            if scores != NULL and (k + 1 == n or (k + 1) % w.n_rows == 0):
                n_rows = k % w.n_rows + 1
                self.kernel.score_block(block, n_rows, scores + k + 1 - n_rows, w.cache.entries)
            for j in range(n_stats):
                sums[j] += row[j]
        return 0

    def extract_one(self, hypothesis, references, LastCalls calls not None):
        """Score of a single segment with its parts.

        Parameters
        ----------
        hypothesis : str
        references : list or tuple of str
        calls : LastCalls
            Remembers how many references there were.

        Returns
        -------
        tuple or None
            What the kernel's ``describe`` returns; None if the arguments are anything else, which
            columns can tell more about.
        """
        cdef Workspace w
        cdef SourceC source
        cdef tuple several
        cdef Py_ssize_t i
        if type(hypothesis) is not str or (
            type(references) is not list and type(references) is not tuple
        ):
            return None
        several = tuple(references)
        for reference in several:
            if type(reference) is not str:
                return None
        if not several:
            return None
        w = self.take_workspace()
        w.clear()
        if self.reader.read_text(hypothesis, &w.hyps, &source, w.kept):
            self.reader.scan(&source, &w.hyps)
        for i, reference in enumerate(several):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            if self.ref_reader.read_text(reference, &w.refs, &source, w.kept):
                self.ref_reader.scan(&source, &w.refs)
        self.kernel.segment(&w.hyps, 0, &w.refs, 0, len(several), w.rows, &w.scratch)
        parts = self.kernel.describe_row(w.rows)
        self.return_workspace(w)
        calls.remember_number(len(several))
        return parts

    def prepare(self, ReferenceColumns columns not None):
        """Tokenize references once, for any number of hypotheses.

        Returns
        -------
        PreparedReferences
        """
        cdef PreparedReferences prepared = PreparedReferences()
        cdef Workspace w = self.take_workspace()
        cdef TokensC* tokens = &prepared.tokens
        cdef Py_ssize_t begin = 0, n
        cdef int64_t k
        self.check(None, columns)
        prepared.allocate(columns.length)
        prepared.num_refs = columns.num_refs
        prepared.kind = columns.kind
        while begin < columns.length:
            n = self.read_batch(w, None, columns, tokens, begin, columns.length)
            for k in range(n):
                prepared.first[begin + k + 1] = prepared.first[begin] + w.first_ref[k + 1]
            # One growth for the batch instead of many, which would copy and fault in new pages.
            tokens_reserve(tokens, w.n_characters // 4)
            with nogil:
                for k in range(w.n_sources):
                    self.ref_reader.scan(&w.sources[k], tokens)
                    drop_short_text(tokens, tokens.n_segments - 1)
            poll_signals()
            begin += n
        self.return_workspace(w)
        return prepared
