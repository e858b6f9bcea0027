"""IBM Model 1: validation of its arrays, and calls of its kernels (see model1.h)."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport POLL_TOKENS, allocate_zeros, poll, poll_due, poll_signals
from rapidbleu._core.ibm1 cimport (
    BitextC, QuestionC, SpreadC, TableC, UNITS, bitext_free, bitext_sort, cells_find, model1_ask,
    model1_step, work,
)
from rapidbleu._core.input.columns cimport Buffer

N_PARTS = <int> UNITS


cdef class Bitext:
    """Sentence pairs as numbers of words, with target tokens sorted by word.

    `source` and `target`, int32, contain the words of all sentences, each below its number of
    words, and `source_starts` and `target_starts`, int64, the start of each sentence; all are
    borrowed. Source word 0 is NULL, which no sentence contains, and which target words may
    translate if `null` is true. ValueError if a start is out of range. Immutable, hence
    thread-safe. The work is divided into `N_PARTS` parts.
    """

    cdef BitextC bitext
    cdef tuple held

    def __cinit__(
        self, source, source_starts, target, target_starts, int64_t n_source, int64_t n_target,
        bint null, /,
    ):
        cdef Buffer words, starts
        cdef int64_t n_pairs
        if not (1 <= n_source < 1 << 31 and 0 <= n_target < (1 << 31) - 1):
            raise ValueError(
                f"words: expected fewer than 2**31 - 1; got {n_source} and {n_target}"
            )
        words, starts = Buffer(source, "source"), Buffer(source_starts, "source_starts")
        n_pairs = starts.n_items - 1
        check_sentences(words, starts, n_pairs, "source")
        self.bitext.source = <const int32_t*> words.data
        self.bitext.source_starts = <const int64_t*> starts.data
        self.held = words, starts
        words, starts = Buffer(target, "target"), Buffer(target_starts, "target_starts")
        check_sentences(words, starts, n_pairs, "target")
        self.bitext.target = <const int32_t*> words.data
        self.bitext.target_starts = <const int64_t*> starts.data
        self.held += words, starts
        self.bitext.n_pairs, self.bitext.null = n_pairs, null
        self.bitext.n_source, self.bitext.n_target = n_source, n_target
        with nogil:
            bitext_sort(&self.bitext)

    def __dealloc__(self):
        bitext_free(&self.bitext)

    def count_cells(self, int64_t begin, int64_t end, sizes, list stop=None, /):
        """Write the cells of column w, in parts `begin` to `end`, to int64 sizes[w + 1]."""
        cdef Buffer out = Buffer(sizes, "sizes", writable=True)
        out.require(c"i", sizeof(int64_t), self.bitext.n_target + 1, "sizes")
        with nogil:
            cells_find(
                &self.bitext, begin, end, <int64_t*> out.data, NULL, <PyObject*> stop
            )

    def list_cells(self, int64_t begin, int64_t end, starts, words, list stop=None, /):
        """Write the source words of each column, int32, to ``words[starts[w]:starts[w + 1]]``."""
        cdef Buffer places = Buffer(starts, "starts")
        cdef Buffer out = Buffer(words, "words", writable=True)
        check_starts(places, self.bitext.n_target, out.n_items, "starts")
        out.require(c"i", sizeof(int32_t), out.n_items, "words")
        with nogil:
            cells_find(
                &self.bitext, begin, end, <int64_t*> places.data, <int32_t*> out.data,
                <PyObject*> stop,
            )

    def step(
        self, Table table not None, int64_t begin, int64_t end, totals, sums, likelihoods,
        list stop=None, /,
    ):
        """Perform a step of EM in the columns of parts `begin` to `end`.

        The counts of `table`, which must be writable, are replaced. `totals` contains the sums of
        the counts of each source word. `sums`, of shape (N_PARTS, n_source), receives the sums of
        the new counts in each of these parts, and `likelihoods`, of shape (N_PARTS,), the natural
        log of the probability of each part's tokens before the step. Linear in the products of
        sentence lengths; runs without the GIL. After an exception in `stop` counts are invalid.
        """
        cdef Buffer old = Buffer(totals, "totals"), new = Buffer(sums, "sums", writable=True)
        cdef Buffer logs = Buffer(likelihoods, "likelihoods", writable=True)
        cdef int64_t n_source = self.bitext.n_source, unit, worked = 0
        cdef double* own
        cdef SpreadC* spread
        old.require(c"f", sizeof(double), n_source, "totals")
        new.require(c"f", sizeof(double), UNITS * n_source, "sums")
        logs.require(c"f", sizeof(double), UNITS, "likelihoods")
        spread = <SpreadC*> allocate_zeros(n_source, sizeof(SpreadC))
        try:
            with nogil:
                for unit in range(begin, end):
                    own = <double*> new.data + unit * n_source
                    memset(own, 0, n_source * sizeof(double))
                    model1_step(
                        &self.bitext, &table.table, unit, <const double*> old.data, own,
                        <double*> logs.data + unit, spread, &worked, <PyObject*> stop,
                    )
        finally:
            PyMem_RawFree(spread)

    def ask(
        self, Table table not None, columns, int64_t begin, int64_t end, double floor, sums, best,
        list stop=None, /,
    ):
        """Find the probabilities of target tokens, or their links, in parts `begin` to `end`.

        `table` has probabilities; it may lack the last source words of the bitext. `columns`,
        int32, contains the table's word for each target word of the bitext. Probabilities of pairs
        of words are at least `floor`. For each target token, `sums`, float64, receives the
        probability given its source sentence, and `best`, int32, the position of its most probable
        source word, the first of equal ones, or -1; either may be None. Linear in the products of
        sentence lengths; runs without the GIL.
        """
        cdef int64_t n_tokens = self.bitext.target_starts[self.bitext.n_pairs]
        cdef QuestionC question
        cdef Buffer buffer = Buffer(columns, "columns")
        cdef list held = [buffer]
        buffer.require(c"i", sizeof(int32_t), self.bitext.n_target, "columns")
        question.columns = <const int32_t*> buffer.data
        question.floor, question.sums, question.best = floor, NULL, NULL
        if sums is not None:
            buffer = Buffer(sums, "sums", writable=True)
            buffer.require(c"f", sizeof(double), n_tokens, "sums")
            question.sums = <double*> buffer.data
            held.append(buffer)
        if best is not None:
            buffer = Buffer(best, "best", writable=True)
            buffer.require(c"i", sizeof(int32_t), n_tokens, "best")
            question.best = <int32_t*> buffer.data
            held.append(buffer)
        with nogil:
            model1_ask(&self.bitext, &table.table, begin, end, &question, <PyObject*> stop)

    def add_logs(self, int64_t begin, int64_t end, sums, scores, list stop=None, /):
        """Write the sum of the logs of each pair's `sums` to `scores`, float64."""
        cdef Buffer given = Buffer(sums, "sums"), out = Buffer(scores, "scores", writable=True)
        cdef const int64_t* starts = self.bitext.target_starts
        cdef const double* p
        cdef double total
        cdef int64_t pair, k, worked = 0
        given.require(c"f", sizeof(double), starts[self.bitext.n_pairs], "sums")
        out.require(c"f", sizeof(double), self.bitext.n_pairs, "scores")
        if not 0 <= begin <= end <= self.bitext.n_pairs:
            raise ValueError(f"pairs: expected 0 to {self.bitext.n_pairs}; got {begin} to {end}")
        p = <const double*> given.data
        poll(stop)
        with nogil:
            for pair in range(begin, end):
                total = 0.0
                for k in range(starts[pair], starts[pair + 1]):
                    total += log(p[k])
                    work(&worked, 0, <PyObject*> stop)
                (<double*> out.data)[pair] = total


cdef class Table:
    """Values of pairs of words, by target word: counts or probabilities.

    Target word i has the cells [starts[i], starts[i + 1]); `words`, int32, are their source words,
    ascending, and `values`, float64, their values. A table is writable if its values are.
    ValueError if the arrays are inconsistent. They are borrowed: do not modify them.
    """

    cdef TableC table
    cdef Buffer starts, words, values
    cdef int64_t n_source, n_target

    def __cinit__(self, starts, words, values, int64_t n_source, /):
        cdef bint writable = getattr(getattr(values, "flags", None), "writeable", False)
        self.starts, self.words = Buffer(starts, "starts"), Buffer(words, "words")
        self.values = Buffer(values, "probabilities", writable=writable)
        self.n_source, self.n_target = n_source, self.starts.n_items - 1
        check_starts(self.starts, self.n_target, self.words.n_items, "starts")
        self.words.require(c"i", sizeof(int32_t), self.words.n_items, "words")
        self.values.require(c"f", sizeof(double), self.words.n_items, "probabilities")
        self.table.starts = <const int64_t*> self.starts.data
        self.table.words = <const int32_t*> self.words.data
        self.table.values = <double*> self.values.data
        self.check_words()

    cdef int check_words(self) except -1:
        cdef int64_t w, c, last
        for w in range(self.n_target):
            last = -1
            for c in range(self.table.starts[w], self.table.starts[w + 1]):
                if not last < self.table.words[c] < self.n_source:
                    raise ValueError(
                        f"words[{c}]: expected {last + 1} to {self.n_source - 1}; "
                        f"got {self.table.words[c]}"
                    )
                last = self.table.words[c]
                if poll_due(c, POLL_TOKENS):
                    poll_signals()
        return 0


cdef int check_starts(Buffer starts, int64_t n, int64_t n_items, str where) except -1:
    """Raise ValueError unless the starts ascend from 0 to the number of items."""
    cdef const int64_t* start
    cdef int64_t i
    if n < 0:
        raise ValueError(f"{where}: expected at least one start; got none")
    starts.require(c"i", sizeof(int64_t), n + 1, where)
    start = <const int64_t*> starts.data
    if start[0] != 0 or start[n] != n_items:
        raise ValueError(f"{where}: expected 0 to {n_items}; got {start[0]} to {start[n]}")
    for i in range(n):
        if start[i + 1] < start[i]:
            raise ValueError(
                f"{where}[{i + 1}]: expected at least {start[i]}; got {start[i + 1]}"
            )
        if poll_due(i, POLL_TOKENS):
            poll_signals()
    return 0


cdef int check_sentences(Buffer words, Buffer starts, int64_t n_pairs, str where) except -1:
    """Raise ValueError for inconsistent starts, and for too many or too long sentences."""
    cdef const int64_t* start = <const int64_t*> starts.data
    cdef int64_t i
    if n_pairs >= (1 << 31) - 1 or words.n_items >= 1 << 62:
        raise ValueError(f"{where}: expected fewer than 2**31 - 1 sentences; got {n_pairs}")
    check_starts(starts, n_pairs, words.n_items, f"{where}_starts")
    words.require(c"i", sizeof(int32_t), words.n_items, where)
    for i in range(n_pairs):
        if start[i + 1] - start[i] > 1 << 30:
            raise ValueError(f"{where}: expected sentences of at most 2**30 words; got more")
    return 0
