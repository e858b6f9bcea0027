"""Edit distances of words and characters: rows of segments and scores of rows.

Error rates are edits divided by the length of the reference. With several references each segment
uses the one with the fewest edits, among equals the longest, then the first: the lowest rate.
"""

from libc.stdint cimport int32_t, int64_t

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_OBJECTS, allocate, poll_due, poll_signals
from rapidbleu._core.metrics cimport scratch_free, scratch_init
from rapidbleu._core.metrics.kernel cimport BestReferenceKernel, SegmentMeanKernel
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport segment_length


cdef enum:
    MOST_TOKENS = 1 << 27  # of a text, so that numbers of tokens are 32 bits


cdef int check_lengths(const TokensC* texts, int64_t begin, int64_t end) except -1 nogil:
    cdef int64_t text, n
    for text in range(begin, end):
        n = segment_length(texts, text)
        if n > MOST_TOKENS:
            with gil:
                raise ValueError(f"a segment has {n} tokens, more than {MOST_TOKENS}")
    return 0


# Word and character error rate: Levenshtein's distance. A row contains the four counts of its
# alignment, whose sums are the edits and both lengths.
cdef class EditKernel(BestReferenceKernel):
    """Compiled WER; with `text_only` CER, whose tokens are characters, which lists lack."""

    def __cinit__(self, bint text_only, /):
        self.state(("matches", "substitutions", "deletions", "insertions"))
        self.lower_is_better = True
        self.text_only = text_only

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref, ref + 1)
        return edit_counts(hyps, hyp, refs, ref, scratch, row)

    cdef double rank(self, const int64_t* row) noexcept nogil:
        return <double> -edits_of(row)

    cdef int64_t length(self, const int64_t* row) noexcept nogil:
        return ref_length(row)

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return rate(edits_of(row), ref_length(row))


cdef inline int64_t edits_of(const int64_t* row) noexcept nogil:
    return row[SUBSTITUTIONS] + row[DELETIONS] + row[INSERTIONS]


cdef inline int64_t ref_length(const int64_t* row) noexcept nogil:
    return row[HITS] + row[SUBSTITUTIONS] + row[DELETIONS]


def trace_edits(hyp, ref, int64_t large=LARGE_TABLE, /):
    """Return the edits of one segment step by step, as bytes.

    `hyp` and `ref` are int32 arrays of tokens. The reference's tokens are numbered from 1 to its
    length, equal tokens alike; 0 is a token that only the hypothesis has. b"=" and b"S" consume an
    equal or different token of both, b"I" one of the hypothesis, b"D" one of the reference. Texts
    are split where a table would have `large` bytes.
    """
    cdef Buffer hyp_array = Buffer(hyp, "hyp")
    cdef Buffer ref_array = Buffer(ref, "ref")
    cdef int64_t n = hyp_array.n_items, m = ref_array.n_items, n_steps = 0
    cdef const int32_t* hyp_numbers = <const int32_t*> hyp_array.data
    cdef const int32_t* ref_numbers = <const int32_t*> ref_array.data
    cdef ScratchC scratch
    cdef char* steps
    check_numbers(hyp_array, 0, m, "hyp")
    check_numbers(ref_array, 1, m, "ref")
    steps = <char*> allocate(n + m + 1, 1)
    scratch_init(&scratch, 0)
    try:
        with nogil:
            n_steps = edit_steps(
                hyp_numbers, n, ref_numbers, m, large, steps + n + m, &scratch
            )
        return PyBytes_FromStringAndSize(steps + n + m - n_steps, n_steps)
    finally:
        scratch_free(&scratch)
        PyMem_RawFree(steps)


def has_only_blanks(texts, /):
    """Return whether a list or tuple is of str whose white space is spaces."""
    cdef Py_ssize_t i
    for i, text in enumerate(texts):
        if type(text) is not str or has_odd_space(text):
            return False
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
    return True


cdef int check_numbers(Buffer array, int64_t least, int64_t most, str where) except -1:
    """Raise ValueError unless the array is int32 numbers in a range, and not too many."""
    cdef const int32_t* numbers = <const int32_t*> array.data
    cdef int64_t i
    array.require(c"i", sizeof(int32_t), array.n_items, where)
    if array.n_items > MOST_TOKENS:
        raise ValueError(f"a segment has {array.n_items} tokens, more than {MOST_TOKENS}")
    for i in range(array.n_items):
        if not least <= numbers[i] <= most:
            raise ValueError(f"{where}[{i}]: expected {least} to {most}; got {numbers[i]}")
    return 0


# Position-independent error rate: tokens without a partner in any order. Surplus or missing tokens
# of a segment count as edits; Moses counts them over the corpus.
cdef enum:
    MATCHES, HYP, REF, LONGER


cdef class PositionKernel(BestReferenceKernel):
    """Compiled PER; `of_corpus` uses the greater length of all hypotheses or all references."""

    cdef bint of_corpus

    def __cinit__(self, bint of_corpus, /):
        self.state(("matches", "hyp_len", "ref_len", "longer_len"))
        self.limit(MATCHES, HYP, REF)
        self.lower_is_better = True
        self.of_corpus = of_corpus

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        row[HYP], row[REF] = segment_length(hyps, hyp), segment_length(refs, ref)
        row[LONGER] = max(row[HYP], row[REF])
        return clipped_counts(
            hyps, hyp, refs, ref, ref + 1, 1, &row[MATCHES], &scratch.clipping, scratch.stop
        )

    cdef double rank(self, const int64_t* row) noexcept nogil:
        return <double> (row[MATCHES] - row[LONGER])

    cdef int64_t length(self, const int64_t* row) noexcept nogil:
        return row[REF]

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef int64_t longer = row[LONGER]
        if self.of_corpus:
            longer = max(row[HYP], row[REF])
        return rate(longer - row[MATCHES], row[REF])


# CDER: edits, and jumps within the hypothesis (edits/long_jumps.h).
cdef enum:
    EDITS, LENGTH


cdef class JumpKernel(BestReferenceKernel):
    def __cinit__(self):
        self.state(("edits", "ref_len"))
        self.lower_is_better = True

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref, ref + 1)
        row[EDITS] = jumps(hyps, hyp, refs, ref, scratch)
        row[LENGTH] = segment_length(refs, ref)
        return 0

    cdef double rank(self, const int64_t* row) noexcept nogil:
        return <double> -row[EDITS]

    cdef int64_t length(self, const int64_t* row) noexcept nogil:
        return row[LENGTH]

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return rate(row[EDITS], row[LENGTH])


# CharacTER and EED: edits of characters where words may move. The corpus score is the mean over
# segments; with several references a segment uses the lowest score.


cdef class CharacterKernel(SegmentMeanKernel):
    def __cinit__(self):
        self.lower_is_better = True
        self.no_ids = True

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil:
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref, ref + 1)
        values[0] = min(1.0, character_score(hyps, hyp, refs, ref, scratch))
        return 0


cdef class ExtendedKernel(SegmentMeanKernel):
    """Compiled EED; the costs are at least 0."""

    cdef ExtendedCostsC costs

    def __cinit__(self, double jump, double coverage, double deletion, double insertion, /):
        self.lower_is_better = True
        self.text_only = True
        self.costs = ExtendedCostsC(jump, coverage, deletion, insertion)

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil:
        values[0] = min(1.0, extended_edit(hyps, hyp, refs, ref, &self.costs, scratch))
        return 0
