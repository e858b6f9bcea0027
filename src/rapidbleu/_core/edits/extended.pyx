"""Edits of characters where words may move: rows and scores.

The score of a corpus is the mean of its segments.  Of several references a segment takes the lowest
score.
"""

from libc.stdint cimport int64_t

from rapidbleu._core.edits cimport ExtendedCostsC, character_score, extended_edit
from rapidbleu._core.edits.rates cimport check_lengths
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport SegmentMeanKernel
from rapidbleu._core.text cimport TokensC


cdef class CharacterKernel(SegmentMeanKernel):
    """Compiled CharacTER.

    Notes
    -----
    Immutable; safe to share between threads.
    """

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
    """Compiled EED.

    Parameters
    ----------
    jump, coverage, deletion, insertion : float
        What each of them costs, at least 0.

    Notes
    -----
    Immutable; safe to share between threads.
    """

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
