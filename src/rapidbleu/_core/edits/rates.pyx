"""Edit distances of words and characters: rows of segments and scores of rows.

Error rates are edits divided by the length of the reference. With several references each segment
uses the one with the fewest edits, among equals the longest, then the first: the lowest rate.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_OBJECTS, allocate, poll_due, poll_signals
from rapidbleu._core.metrics cimport excess_of_matches, scratch_free, scratch_init
from rapidbleu._core.metrics.kernel cimport SegmentMeanKernel
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


cdef inline bint is_better(
    int64_t edits, int64_t length, int64_t best_edits, int64_t best_length
) noexcept nogil:
    return edits < best_edits or (edits == best_edits and length > best_length)


# Word and character error rate: Levenshtein's distance. A row contains the four counts of its
# alignment, whose sums are the edits and both lengths.
cdef class EditKernel(Kernel):
    """Compiled WER; with `text_only` CER, whose tokens are characters, which lists lack."""

    def __cinit__(self, bint text_only, /):
        self.n_stats = EDIT_COUNTS
        self.lower_is_better = True
        self.text_only = text_only

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t other[EDIT_COUNTS]
        cdef int64_t ref
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref_begin, ref_end)
        edit_counts(hyps, hyp, refs, ref_begin, scratch, row)
        for ref in range(ref_begin + 1, ref_end):
            edit_counts(hyps, hyp, refs, ref, scratch, other)
            if is_better(edits_of(other), ref_length(other), edits_of(row), ref_length(row)):
                memcpy(row, other, sizeof(other))
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return rate(edits_of(row), ref_length(row))

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[HITS], row[SUBSTITUTIONS], row[DELETIONS], row[INSERTIONS]


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
    MATCHES, HYP, REF, LONGER, POSITION_STATS


cdef class PositionKernel(Kernel):
    """Compiled PER; `of_corpus` uses the greater length of all hypotheses or all references."""

    cdef bint of_corpus

    def __cinit__(self, bint of_corpus, /):
        self.n_stats = POSITION_STATS
        self.lower_is_better = True
        self.of_corpus = of_corpus

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t n_hyp = segment_length(hyps, hyp), n_ref, longer, matches, ref
        for ref in range(ref_begin, ref_end):
            n_ref = segment_length(refs, ref)
            longer = n_hyp if n_hyp > n_ref else n_ref
            clipped_counts(
                hyps, hyp, refs, ref, ref + 1, 1, &matches, &scratch.clipping, scratch.stop
            )
            if ref == ref_begin or is_better(
                longer - matches, n_ref, row[LONGER] - row[MATCHES], row[REF]
            ):
                row[MATCHES], row[HYP], row[REF], row[LONGER] = matches, n_hyp, n_ref, longer
        return 0

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        return excess_of_matches(rows, n, POSITION_STATS, most)

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef int64_t longer = row[LONGER]
        if self.of_corpus:
            longer = max(row[HYP], row[REF])
        return rate(longer - row[MATCHES], row[REF])

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[MATCHES], row[HYP], row[REF], row[LONGER]


# CDER: edits, and jumps within the hypothesis (edits/long_jumps.h).
cdef enum:
    EDITS, LENGTH, JUMP_STATS


cdef class JumpKernel(Kernel):
    def __cinit__(self):
        self.n_stats = JUMP_STATS
        self.lower_is_better = True

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t ref, edits, length
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref_begin, ref_end)
        for ref in range(ref_begin, ref_end):
            edits, length = jumps(hyps, hyp, refs, ref, scratch), segment_length(refs, ref)
            if ref == ref_begin or is_better(edits, length, row[EDITS], row[LENGTH]):
                row[EDITS], row[LENGTH] = edits, length
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return rate(row[EDITS], row[LENGTH])

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[EDITS], row[LENGTH]


# CharacTER and EED: edits of characters where words may move. The corpus score is the mean over
# segments; with several references a segment uses the lowest score.


cdef class CharacterKernel(SegmentMeanKernel):
    def __cinit__(self):
        self.set_values(1, 0, 100.0)
        self.lower_is_better = True
        self.no_ids = True

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t ref
        check_lengths(hyps, hyp, hyp + 1)
        check_lengths(refs, ref_begin, ref_end)
        values[0] = 1.0
        for ref in range(ref_begin, ref_end):
            values[0] = min(values[0], character_score(hyps, hyp, refs, ref, scratch))
        return 0


cdef class ExtendedKernel(SegmentMeanKernel):
    """Compiled EED; the costs are at least 0."""

    cdef ExtendedCostsC costs

    def __cinit__(self, double jump, double coverage, double deletion, double insertion, /):
        self.set_values(1, 0, 100.0)
        self.lower_is_better = True
        self.text_only = True
        self.costs = ExtendedCostsC(jump, coverage, deletion, insertion)

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t ref
        values[0] = 1.0
        for ref in range(ref_begin, ref_end):
            values[0] = min(
                values[0], extended_edit(hyps, hyp, refs, ref, &self.costs, scratch)
            )
        return 0
