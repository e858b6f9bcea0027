"""Extraction of statistics and scores from columns of segments."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint16_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport (
    IdleC, POLL_OBJECTS, allocate, allocate_zeros, grow, hash_key, idle_any, idle_free, idle_put,
    idle_take, list_numbers, poll_due, poll_signals, poll_without_gil, rb_fold, rb_load64,
)
from rapidbleu._core.input.columns cimport (
    Buffer, Column, Kind, Places, ReferenceColumns, is_arrow, kind_name, same_kind, snapshot,
)
from rapidbleu._core.metrics cimport ScratchC, scratch_free, scratch_init, scratch_memory
from rapidbleu._core.metrics.kernel cimport Kernel, ScoreCache
from rapidbleu._core.text cimport (
    TokensC, drop_short_text, tokens_clear, tokens_close_segment, tokens_free, tokens_memory,
    tokens_reserve,
)
from rapidbleu._core.text.tokenize cimport PreparedReferences, Reader, SourceC, tokens_open


# The last call of each thread, for signatures. Kept cheap for loops over single sentences.

cdef extern from "pythread.h":
    uint64_t PyThread_get_thread_ident() noexcept


cdef tuple NOTHING = (None, None, None)


@cython.final
cdef class LastCalls:
    """The last call of each thread.

    With `keeps_resamples`, signatures show the resamples of a call until the next resampling, as in
    sacrebleu. A thread that reuses the identifier of an ended one starts with its last call.

    Examples
    --------
    >>> calls = LastCalls()
    >>> calls.remember(2, 100, "12345")
    >>> calls.own()
    (2, 100, '12345')
    >>> _ = calls.remember_number(3)
    >>> calls.own()
    (3, None, None)
    """

    cdef bint keeps_resamples
    cdef dict by_thread
    cdef tuple newest            # of any thread
    cdef uint64_t thread         # of `newest`
    cdef int64_t number          # of references in `newest`; 0 if it must be replaced

    def __cinit__(self, bint keeps_resamples=False):
        self.keeps_resamples = keeps_resamples
        self.by_thread, self.newest = {}, NOTHING

    def remember(self, num_refs, n_bootstrap=None, seed=None, /):
        """Remember a call of this thread.

        `num_refs` is -1 if the number of references varied, None if nothing was scored.
        `n_bootstrap` and `seed` are None without a confidence interval.
        """
        cdef tuple call = (num_refs, n_bootstrap, seed)
        cdef uint64_t me = PyThread_get_thread_ident()
        with cython.critical_section(self):
            self.by_thread[me] = self.newest = call
            known = num_refs is not None and n_bootstrap is None
            self.thread, self.number = me, num_refs if known else 0

    cpdef int remember_number(self, int64_t num_refs) except -1:
        """Remember the number of references of a call without resamples."""
        cdef uint64_t me = PyThread_get_thread_ident()
        cdef tuple old = NOTHING
        with cython.critical_section(self):
            if me != self.thread or num_refs != self.number:
                if self.keeps_resamples:
                    old = self.by_thread.get(me, NOTHING)
                self.by_thread[me] = self.newest = (num_refs, old[1], old[2])
                self.thread, self.number = me, num_refs
        return 0

    def own(self):
        """Return this thread's last `remember` arguments, or any thread's if it made no call."""
        cdef tuple call = self.by_thread.get(PyThread_get_thread_ident(), NOTHING)
        return self.newest if call[0] is None else call


# Repeats: a hypothesis that a list contains more than once is scanned and matched once. An n-best
# list repeats a string for each derivation, and trained models sample the same answer again and
# again. Each hypothesis is hashed in place and looked up among the texts already met in its list; a
# new one is entered with the index of its row. The hash only selects a slot: a text is known if its
# length, form and bytes equal the stored text, so a collision costs a comparison and cannot change
# a result. The hash is keyed like the hash of long tokens, and never reads past the text because
# neither strings nor Arrow columns are padded.
#
# Memory is bounded by 1,024 texts, in four times as many slots of two bytes, or by a megabyte of
# rows; at the limit all texts are forgotten and the list starts anew. Only used slots are cleared,
# so a list of one hypothesis pays for one. A list without repeats takes 4% longer, half of it for
# the hash. A dict of strings would need the GIL.
cdef enum:
    MOST_TEXTS = 1024
    N_SLOTS = 4096        # a power of two
    ROW_BYTES = 1 << 20   # of all rows, unless a single row is larger
    UTF8 = 0              # the reader's form with one byte per character

cdef uint64_t KEYS[2]
for _place in range(2):
    KEYS[_place] = hash_key()


cdef class Repeats:
    """Texts of one list and their rows of `n_stats` columns, at most `n_texts`."""

    cdef SourceC* sources     # [capacity] texts in order of appearance
    cdef int64_t* rows        # [capacity, n_stats] their statistics
    cdef uint16_t* slots      # by hash: index of a text plus 1; 0 if free
    cdef uint16_t* taken      # [capacity] slot of each text
    cdef int n_texts
    cdef int capacity
    cdef int n_stats
    cdef int64_t segment      # of the current list; -1 before the first

    def __cinit__(self, Py_ssize_t n_texts, int n_stats, /):
        cdef Py_ssize_t row_bytes = n_stats * <Py_ssize_t> sizeof(int64_t)
        self.capacity = <int> max(1, min(n_texts, MOST_TEXTS, ROW_BYTES // row_bytes))
        self.n_stats = n_stats
        self.segment = -1
        self.sources = <SourceC*> allocate(self.capacity, sizeof(SourceC))
        self.rows = <int64_t*> allocate(self.capacity * row_bytes, 1)
        self.taken = <uint16_t*> allocate(self.capacity, sizeof(uint16_t))
        self.slots = <uint16_t*> allocate_zeros(N_SLOTS, sizeof(uint16_t))

    def __dealloc__(self):
        PyMem_RawFree(self.sources)
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.taken)
        PyMem_RawFree(self.slots)

    cdef void clear(self) noexcept nogil:
        cdef int i
        for i in range(self.n_texts):
            self.slots[self.taken[i]] = 0
        self.n_texts = 0

    cdef int64_t* find(self, const SourceC* source, int64_t segment, bint* met) noexcept nogil:
        """Return the row of a text of this segment's list, to be filled unless it was met."""
        cdef uint64_t slot
        cdef int i
        if segment != self.segment or self.n_texts == self.capacity:
            self.clear()
            self.segment = segment
        slot = hash_text(<const uint8_t*> source.data, n_bytes(source)) % N_SLOTS
        while self.slots[slot] != 0:
            i = self.slots[slot] - 1
            if same_text(&self.sources[i], source):
                met[0] = True
                return self.rows + <int64_t> i * self.n_stats
            slot = (slot + 1) % N_SLOTS
        met[0] = False
        i = self.n_texts
        self.n_texts += 1
        self.sources[i] = source[0]
        self.taken[i] = <uint16_t> slot
        self.slots[slot] = <uint16_t> (i + 1)
        return self.rows + <int64_t> i * self.n_stats


cdef inline int64_t n_bytes(const SourceC* source) noexcept nogil:
    return source.length if source.form == UTF8 else source.length * source.form


cdef inline bint same_text(const SourceC* a, const SourceC* b) noexcept nogil:
    return (
        a.length == b.length and a.form == b.form and a.lower == b.lower
        and memcmp(a.data, b.data, <size_t> n_bytes(a)) == 0
    )


cdef uint64_t hash_text(const uint8_t* text, int64_t length) noexcept nogil:
    """Return a keyed hash of a text without reading past its end."""
    cdef uint64_t a = KEYS[0], b = KEYS[1]
    cdef uint64_t[2] rest
    cdef int64_t i = 0
    if length >= 16:
        while length - i > 16:
            a = rb_fold(rb_load64(text + i) ^ KEYS[0], rb_load64(text + i + 8) ^ a)
            i += 16
        i = length - 16  # the last 16 bytes, which may overlap bytes already hashed
        rest[0], rest[1] = rb_load64(text + i), rb_load64(text + i + 8)
    else:
        rest[0] = rest[1] = 0
        memcpy(rest, text, <size_t> length)
    return rb_fold(rb_fold(rest[0] ^ a, rest[1] ^ b) ^ <uint64_t> length, b)


# Scratch memory of one extractor call, reused by later calls. A batch is read segment by segment
# into two token tables, one for hypotheses and one for references. Text is not copied yet: a source
# stores the address of each segment's characters, and the scanner reads the sources in order
# (hypothesis 0, its references, hypothesis 1, ...). `first_ref` maps segments to their references.
# Arrays double when full and never shrink; `memory` shows whether reuse is worthwhile.
cdef enum:  # limits of the rows that await their scores
    MOST_ROWS = 64
    MOST_COUNTS = 4096

cdef uint64_t KEY = hash_key()


cdef class Workspace:
    """Scratch memory of one call: the tokens of a batch, and memory for matching."""

    cdef TokensC hyps
    cdef TokensC refs
    cdef ScratchC scratch
    cdef SourceC* sources        # texts of the batch to be scanned, in order
    cdef int64_t n_sources
    cdef int64_t source_capacity
    cdef int64_t* first_ref      # [segments of the batch + 1]
    cdef int64_t first_capacity
    cdef int64_t n_characters    # in the batch
    cdef list kept               # strings created for the batch
    cdef PyObject*** strings     # streams of references that are strings
    cdef int64_t string_capacity
    cdef int64_t* rows           # [n_rows, n_stats] statistics that await their scores
    cdef int64_t n_rows
    cdef ScoreCache cache

    def __cinit__(self, Kernel kernel not None, /):
        scratch_init(&self.scratch, KEY)
        tokens_open(&self.hyps)
        tokens_open(&self.refs)
        self.kept = []
        self.cache = ScoreCache(kernel.n_cache_tables)
        grow(<void**> &self.sources, &self.source_capacity, 64, sizeof(SourceC))
        grow(<void**> &self.first_ref, &self.first_capacity, 32, sizeof(int64_t))
        self.n_rows = min(MOST_ROWS, max(1, MOST_COUNTS // kernel.n_stats))
        self.rows = <int64_t*> allocate(self.n_rows * kernel.n_stats, sizeof(int64_t))

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        scratch_free(&self.scratch)
        PyMem_RawFree(self.sources)
        PyMem_RawFree(self.first_ref)
        PyMem_RawFree(self.strings)
        PyMem_RawFree(self.rows)

    cdef int64_t memory(self) noexcept:
        return (
            tokens_memory(&self.hyps) + tokens_memory(&self.refs) + scratch_memory(&self.scratch)
            + <int64_t> sizeof(SourceC) * self.source_capacity
            + 8 * (self.first_capacity + self.string_capacity)
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
        """Read a segment, or note its address if it is to be scanned."""
        if self.n_sources == self.source_capacity:
            grow(
                <void**> &self.sources, &self.source_capacity, self.n_sources + 1, sizeof(SourceC)
            )
        if reader.read(column, i, t, &self.sources[self.n_sources], self.kept):
            self.n_characters += self.sources[self.n_sources].length
            self.n_sources += 1
        return 0

    cdef int64_t read_references(
        self, Reader reader, ReferenceColumns columns, Py_ssize_t segment, TokensC* t
    ) except -1:
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
        """Record that segment k of the batch has n_refs references after those before."""
        if k + 2 > self.first_capacity:
            grow(<void**> &self.first_ref, &self.first_capacity, k + 2, sizeof(int64_t))
        self.first_ref[k + 1] = self.first_ref[k] + n_refs
        return 0


# Extraction: columns of segments to rows of statistics, in batches. With the GIL held, a batch is
# only located; plain strings, which the columns keep alive, need not even that. Without the GIL its
# texts are encoded, scanned and matched segment by segment, so that text and tokens of a segment
# stay in the first-level cache throughout. Signals are polled between batches. A call allocates
# only a workspace. Extractors reuse idle workspaces, so scoring one sentence allocates nothing, and
# drop those that a giant segment has enlarged.

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object items)


cdef struct SidesC:             # where the segments of a batch are stored
    const TokensC* hyps
    const TokensC* refs
    int64_t first_hyp           # of the batch, unless hypotheses are scanned
    const int64_t* first_ref    # [segments of the batch + 1], unless references are strings
    const int64_t* segments     # [hypotheses of the batch] whose references; NULL: one to one
    int64_t n_segments          # that have references
    bint scans_hyps             # hypotheses are to be scanned
    bint scans_refs
    PyObject** hyp_strings      # of all segments, looked up during the scan; or NULL
    PyObject*** ref_strings     # [n_streams] the same for each stream; or NULL
    int64_t n_streams


cdef enum:
    BATCH_SEGMENTS = 256         # so that looked-up texts are still cached when scanned
    STRETCH_SEGMENTS = 4096      # if nothing is looked up
    BATCH_CHARACTERS = 1 << 20   # for long texts: some milliseconds of work
    BATCH_TOKENS = 1 << 16       # already read, which takes memory
    BATCH_TEXTS = 1 << 16        # looked up; even an empty one takes memory
    KEPT_BYTES = 1 << 20    # limit of an idle workspace
    KEPT_ALONE = 1 << 24    # limit of the only idle one, because documents need it again


cdef Kind kind_of(source) except *:
    if isinstance(source, Column):
        return (<Column> source).kind
    if isinstance(source, ReferenceColumns):
        return (<ReferenceColumns> source).kind
    return (<PreparedReferences?> source).kind


cdef class Extractor:
    """A kernel and a reader applied to columns; safe to use from any number of threads.

    `ref_reader` reads references differently, and has no scanner if `reader` has none.
    """

    cdef readonly Kernel kernel
    cdef readonly Reader reader
    cdef Reader ref_reader
    cdef IdleC idle              # workspaces not in use

    def __cinit__(self, Kernel kernel not None, Reader reader not None, Reader ref_reader=None, /):
        self.kernel = kernel
        self.reader = reader
        self.ref_reader = reader if ref_reader is None else ref_reader

    def __dealloc__(self):
        idle_free(&self.idle)

    def of_hypotheses(self):
        """Return the extractor that reads references as this one reads hypotheses."""
        return self if self.ref_reader is self.reader else Extractor(self.kernel, self.reader)

    def with_kernel(self, Kernel kernel not None, /):
        return Extractor(kernel, self.reader, self.ref_reader)

    cdef Workspace take_workspace(self):
        cdef Workspace w = <Workspace> idle_take(&self.idle)
        return Workspace(self.kernel) if w is None else w

    cdef int return_workspace(self, Workspace w) except -1:
        cdef int64_t memory = w.memory()
        w.scratch.stop = NULL
        if memory <= KEPT_BYTES or memory <= KEPT_ALONE and not idle_any(&self.idle):
            idle_put(&self.idle, w)
        return 0

    def check(self, hyps, refs not None, /):
        cdef Kind kind = kind_of(refs), hyp_kind = kind if hyps is None else kind_of(hyps)
        for texts in (hyps, refs):
            if isinstance(texts, PreparedReferences):
                (<PreparedReferences> texts).require(self.kernel.n_sequences)
        if self.kernel.text_only:
            if hyp_kind != Kind.TEXT:
                kind = hyp_kind
            if kind != Kind.TEXT:
                raise TypeError(f"segments: expected str; got {kind_name(kind)}")
        if self.kernel.no_ids and (kind == Kind.IDS or hyp_kind == Kind.IDS):
            raise TypeError("segments: expected str or lists of str; got integer ids")
        if hyps is not None and len(hyps) != len(refs):
            raise ValueError(
                f"references: expected {len(hyps)} segments, as many as hypotheses; got "
                f"{len(refs)}; references are [stream][segment] unless layout='segment'"
            )
        if not same_kind(hyp_kind, kind):
            raise TypeError(
                f"references: expected segments of {kind_name(hyp_kind)} as in hypotheses; "
                f"got {kind_name(kind)}"
            )
        if self.reader.lowercase and kind == Kind.IDS:
            raise ValueError("lowercase: integer ids have no case")
        if self.reader.leaves_out and min(kind, hyp_kind) < Kind.IDS:
            got = kind_name(min(kind, hyp_kind))
            raise TypeError(f"segments: expected integer ids, as there is pad or end; got {got}")

    def extract(
        self, hyps not None, refs not None, Py_ssize_t begin, Py_ssize_t end, rows=None,
        scores=None, stop=(), /,
    ):
        """Return the sum of the rows of segments [begin, end), as a list of int.

        Prepared hypotheses have one text per segment. Items [begin, end) of `rows`, an int64 array
        of shape (n, n_stats) in C order, and of `scores`, a float64 array of the score of each
        segment as a corpus of its own, are written. Stops early once `stop` is not empty.
        """
        cdef Workspace w = self.take_workspace()
        cdef Column column = hyps if isinstance(hyps, Column) else None
        cdef PreparedReferences texts = hyps if column is None else None
        cdef ReferenceColumns columns = refs if isinstance(refs, ReferenceColumns) else None
        cdef PreparedReferences prepared = refs if columns is None else None
        cdef Buffer out = None if rows is None else Buffer(rows, "rows", writable=True)
        cdef Buffer marks = None if scores is None else Buffer(scores, "scores", writable=True)
        cdef int n_stats = self.kernel.n_stats
        cdef int64_t* sums = <int64_t*> allocate(n_stats, sizeof(int64_t))
        cdef int64_t* target = NULL
        cdef double* score = NULL
        cdef Py_ssize_t length = len(hyps)
        cdef bint scans = self.reader.scanner is not None and kind_of(hyps) == Kind.TEXT
        cdef SidesC sides
        try:
            self.check(hyps, refs)
            if texts is not None and texts.num_refs != 1:
                raise ValueError("hypotheses: expected one text for each segment")
            if out is not None:
                out.require(c"i", sizeof(int64_t), length * n_stats, "rows")
                target = <int64_t*> out.data + begin * n_stats
            if marks is not None:
                marks.require(c"f", sizeof(double), length, "scores")
                score = <double*> marks.data + begin
            memset(sums, 0, n_stats * sizeof(int64_t))
            sides.hyps = &w.hyps if texts is None else &texts.tokens
            sides.refs = &w.refs if prepared is None else &prepared.tokens
            sides.scans_hyps, sides.scans_refs = scans and texts is None, scans and prepared is None
            sides.first_hyp = 0 if texts is None else begin
            sides.first_ref = NULL if prepared is None else prepared.first + begin
            sides.segments = NULL
            self.find_strings(w, &sides, column, columns)
            self.run(
                w, &sides, None if sides.hyp_strings != NULL else column,
                None if sides.ref_strings != NULL else columns, None, begin, end, target, score,
                sums, stop,
            )
            return list_numbers(sums, n_stats)
        finally:
            PyMem_RawFree(sums)
            self.return_workspace(w)

    cdef int run(
        self, Workspace w, SidesC* sides, Column column, ReferenceColumns columns,
        Repeats repeats, Py_ssize_t begin, Py_ssize_t end, int64_t* rows, double* scores,
        int64_t* sums, stop,
    ) except -1:
        cdef Py_ssize_t n
        cdef bint prepared = sides.first_ref != NULL
        w.scratch.stop = <PyObject*> stop
        while begin < end:
            n = self.read_batch(w, column, columns, &w.refs, begin, end)
            if not prepared:
                sides.first_ref = w.first_ref
            with nogil:
                self.score_batch(w, sides, repeats, begin, n, rows, scores, sums)
            poll_signals()
            if repeats is not None and w.kept:
                repeats.clear()
            begin += n
            if rows != NULL:
                rows += n * self.kernel.n_stats
            if scores != NULL:
                scores += n
            if sides.hyps != &w.hyps:
                sides.first_hyp += n
            if sides.segments != NULL:
                sides.segments += n
            elif prepared:
                sides.first_ref += n
            if stop:
                break
        return 0

    cdef int find_strings(
        self, Workspace w, SidesC* sides, Column hyps, ReferenceColumns refs
    ) except -1:
        """Locate the strings of sides that consist of strings only."""
        cdef Column column
        cdef int64_t n
        sides.hyp_strings, sides.ref_strings, sides.n_streams = NULL, NULL, 0
        if hyps is not None and self.reader.scans(hyps):
            sides.hyp_strings = PySequence_Fast_ITEMS(hyps.items)
        if refs is None or refs.first != NULL or refs.lists is not None:
            return 0
        for column in refs.columns:
            if not self.ref_reader.scans(column):
                return 0
        n = len(refs.columns)
        if n > w.string_capacity:
            grow(<void**> &w.strings, &w.string_capacity, n, sizeof(PyObject**))
        for column in refs.columns:
            w.strings[sides.n_streams] = PySequence_Fast_ITEMS(column.items)
            sides.n_streams += 1
        sides.ref_strings = w.strings
        return 0

    cdef Py_ssize_t read_batch(
        self, Workspace w, Column hyps, ReferenceColumns columns, TokensC* refs, Py_ssize_t begin,
        Py_ssize_t end,
    ) except -1:
        cdef Py_ssize_t i = begin
        w.clear()
        if hyps is None and columns is None:
            return min(end - begin, STRETCH_SEGMENTS)
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
        self, Workspace w, const SidesC* sides, Repeats repeats, Py_ssize_t begin, Py_ssize_t n,
        int64_t* rows, double* scores, int64_t* sums,
    ) except -1 nogil:
        """Scan and match segments [begin, begin + n); `rows`, `scores` and `sums` may be NULL.
        Segments to be scanned share the workspace's tables, one after the other; segments already
        read, and prepared ones, are at their own index."""
        cdef int64_t* row
        cdef int64_t* known = NULL
        cdef int64_t* block = w.rows   # rows that await their scores
        cdef const SourceC* source = w.sources
        cdef int n_stats = self.kernel.n_stats, j
        cdef int64_t k, hyp, ref, ref_end, segment, n_rows, i, n_characters = 0
        cdef bint met = False
        for k in range(n):
            hyp, segment = sides.first_hyp + k, k
            if sides.segments != NULL:
                segment = sides.segments[k]
                if not 0 <= segment < sides.n_segments:
                    refuse_segment(segment, sides.n_segments)
            if sides.hyp_strings != NULL:
                tokens_clear(&w.hyps)
                n_characters += self.reader.scan_string(sides.hyp_strings[begin + k], &w.hyps)
                hyp = 0
            elif sides.scans_hyps:
                if repeats is not None:
                    known = repeats.find(source, segment, &met)
                if not met:
                    tokens_clear(&w.hyps)
                    self.reader.scan(source, &w.hyps)
                source += 1
                hyp = 0
            if sides.ref_strings == NULL:
                ref, ref_end = sides.first_ref[segment], sides.first_ref[segment + 1]
            else:
                ref, ref_end = 0, sides.n_streams
                tokens_clear(&w.refs)
                for i in range(ref_end):
                    n_characters += self.ref_reader.scan_string(
                        sides.ref_strings[i][begin + k], &w.refs
                    )
            if n_characters > BATCH_CHARACTERS:
                poll_without_gil(w.scratch.stop)
                n_characters = 0
            if sides.ref_strings == NULL and sides.scans_refs:
                tokens_clear(&w.refs)
                for i in range(ref_end - ref):
                    self.ref_reader.scan(source, &w.refs)
                    source += 1
                    if poll_due(i, POLL_OBJECTS):
                        poll_without_gil(w.scratch.stop)
                ref, ref_end = 0, ref_end - ref
            if k % w.n_rows == 0 and rows != NULL:
                block = rows + k * n_stats
            row = block + k % w.n_rows * n_stats
            if met:
                memcpy(row, known, n_stats * sizeof(int64_t))
            else:
                self.kernel.segment(sides.hyps, hyp, sides.refs, ref, ref_end, row, &w.scratch)
                if known != NULL:
                    memcpy(known, row, n_stats * sizeof(int64_t))
            if scores != NULL and (k + 1 == n or (k + 1) % w.n_rows == 0):
                n_rows = k % w.n_rows + 1
                self.kernel.score_block(block, n_rows, scores + k + 1 - n_rows, w.cache.entries)
            if sums != NULL:
                for j in range(n_stats):
                    sums[j] += row[j]
        return 0

    def extract_one(
        self, hypothesis, references, LastCalls calls not None, type cls=None, str label=None, /
    ):
        """Return the score of a single segment with its parts.

        `references` is a list or tuple of str, or of lists or tuples of str like the hypothesis.
        `calls` remembers their number. Returns a `cls` with a label, or without one the result of
        the kernel's `describe`; None for any other arguments, which columns report better.
        """
        cdef Workspace w
        cdef tuple texts
        cdef Py_ssize_t i
        cdef bint is_text = type(hypothesis) is str, done
        if type(references) is not list and type(references) is not tuple:
            return None
        if not is_text and (self.kernel.text_only or self.reader.lowercase):
            return None
        if self.reader.leaves_out:
            return None
        texts = tuple(references)
        for reference in texts:
            if (type(reference) is str) != is_text:
                return None
        if not texts:
            return None
        w = self.take_workspace()
        w.clear()
        done = read_one(self.reader, hypothesis, is_text, &w.hyps, w.kept)
        for i, reference in enumerate(texts):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            done = done and read_one(self.ref_reader, reference, is_text, &w.refs, w.kept)
        parts = None
        if done:
            self.kernel.segment(&w.hyps, 0, &w.refs, 0, len(texts), w.rows, &w.scratch)
            if cls is None:
                parts = self.kernel.describe_row(w.rows)
            else:
                parts = self.kernel.make_score(w.rows, cls, label)
            calls.remember_number(len(texts))
        self.return_workspace(w)
        return parts

    def prepare(self, ReferenceColumns columns not None, /):
        """Tokenize references once for any number of hypotheses."""
        cdef PreparedReferences prepared = PreparedReferences()
        cdef Workspace w = self.take_workspace()
        cdef TokensC* tokens = &prepared.tokens
        cdef Py_ssize_t begin = 0, n
        cdef int64_t k
        self.check(None, columns)
        prepared.make_room(columns.length)
        prepared.num_refs = columns.num_refs
        prepared.kind = columns.kind
        while begin < columns.length:
            n = self.read_batch(w, None, columns, tokens, begin, columns.length)
            for k in range(n):
                prepared.first[begin + k + 1] = prepared.first[begin] + w.first_ref[k + 1]
            with nogil:
                # Reserve once per batch: repeated growth would copy and fault in new pages.
                tokens_reserve(tokens, w.n_characters // 4)
                for k in range(w.n_sources):
                    self.ref_reader.scan(&w.sources[k], tokens)
                    drop_short_text(tokens, tokens.n_segments - 1)
            poll_signals()
            begin += n
        self.return_workspace(w)
        return prepared


cdef int refuse_segment(int64_t segment, int64_t n) except -1 nogil:
    with gil:
        raise ValueError(f"segments: expected 0 to {n - 1}; got {segment}")


cdef bint read_one(Reader reader, segment, bint is_text, TokensC* t, list kept) except -1:
    """Read text, or else a list or tuple of at least one str; return False for anything else."""
    cdef SourceC source
    if is_text:
        if reader.read_text(segment, t, &source, kept):
            reader.scan(&source, t)
        return True
    if not reader.read_strings(segment, t) or segment_is_empty(t):
        return False
    tokens_close_segment(t)
    return True


cdef inline bint segment_is_empty(const TokensC* t) noexcept:
    return t.n_tokens == t.first_token[t.n_segments]


# N-best extraction: many hypotheses for each prepared segment, to rows or scores. As in `extract`,
# with one more array: the segment of each hypothesis. Consecutive hypotheses of a segment find its
# references in the first-level cache, and a repeated hypothesis is not matched again (`Repeats`).
# The result does not depend on the order. Threads take ranges of hypotheses and share only data
# that none of them writes; each uses one workspace and one `Repeats`.


def flatten(source, str where not None, str items="hypotheses", /):
    """Join lists of segments, one list per group, into one column.

    Returns the column and offsets: group i is [offsets[i], offsets[i + 1]). Errors call the
    argument `where` and the segments `items`.
    """
    cdef list flat = [], offsets = [0]
    if is_arrow(source):
        raise TypeError(f"{where}: expected a sequence of lists of {items}; got one Arrow column")
    for i, group in enumerate(snapshot(source, where, f"lists of {items}")):
        if isinstance(group, str):
            raise TypeError(f"{where}[{i}]: expected a list of {items}; got a single str")
        flat.extend(snapshot(group, f"{where}[{i}]", items))
        offsets.append(len(flat))
        poll_signals()
    return Column(tuple(flat), where, place=Places(where, offsets)), offsets


def check_nbest(Extractor extractor not None, Column hyps not None, refs not None, /):
    cdef Kind kind = kind_of(refs)
    extractor.check(None, refs)
    if hyps.length and len(refs) and not same_kind(hyps.kind, kind):
        raise TypeError(
            f"references: expected segments of {kind_name(hyps.kind)} as in hypotheses; "
            f"got {kind_name(kind)}"
        )


def extract_nbest(
    Extractor extractor not None, Column hyps not None, PreparedReferences refs not None, segments,
    Py_ssize_t begin, Py_ssize_t end, rows=None, scores=None, stop=(), /,
):
    """Write statistics or scores of hypotheses [begin, end).

    `segments`, int64, contains the segment of each hypothesis. `rows`, an int64 array of shape (end
    - begin, n_stats) in C order, and `scores`, a float64 array of the score of each hypothesis as a
    corpus of its own, may be None. Stops early once `stop` is not empty.
    """
    cdef Workspace w
    cdef Repeats repeats = None
    cdef Buffer numbers = Buffer(segments, "segments")
    cdef Buffer out = None if rows is None else Buffer(rows, "rows", writable=True)
    cdef Buffer marks = None if scores is None else Buffer(scores, "scores", writable=True)
    cdef int n_stats = extractor.kernel.n_stats
    cdef SidesC sides
    if not 0 <= begin <= end <= hyps.length:
        raise ValueError(f"begin, end: expected a range of {hyps.length}; got {begin}, {end}")
    numbers.require(c"i", sizeof(int64_t), hyps.length, "segments")
    if out is not None:
        out.require(c"i", sizeof(int64_t), (end - begin) * n_stats, "rows")
    if marks is not None:
        marks.require(c"f", sizeof(double), end - begin, "scores")
    check_nbest(extractor, hyps, refs)
    memset(&sides, 0, sizeof(SidesC))
    sides.scans_hyps = extractor.reader.scanner is not None and hyps.kind == Kind.TEXT
    if sides.scans_hyps:
        repeats = Repeats(end - begin, n_stats)
    w = extractor.take_workspace()
    sides.hyps, sides.refs, sides.first_ref = &w.hyps, &refs.tokens, refs.first
    sides.segments, sides.n_segments = <const int64_t*> numbers.data + begin, refs.length
    try:
        extractor.run(
            w, &sides, hyps, None, repeats, begin, end,
            NULL if out is None else <int64_t*> out.data,
            NULL if marks is None else <double*> marks.data, NULL, stop,
        )
    finally:
        extractor.return_workspace(w)
