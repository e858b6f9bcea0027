"""Metrics of what two texts share, without order or by short n-grams: rows and scores.

Matches are clipped by one reference at a time, and of several references the first with the
greatest score counts alone, as for chrF.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.string cimport memset

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport TokensC, segment_length


# --------------------------------------------------------------------------------------------------
# F of single words: precision, recall, and what is between.

cdef enum:
    MATCHES, HYP, REF, WORD_STATS


cdef double f_measure(double precision, double recall, double beta) noexcept nogil:
    """F, which is precision for beta 0 and recall for an infinite one; 0 if both are 0."""
    cdef double square = beta * beta
    if square == 0.0 or precision + recall == 0.0:
        return precision
    if square == INFINITY:
        return recall
    return (1.0 + square) * precision * recall / (square * precision + recall)


cdef class WordFKernel(Kernel):
    """Compiled F of words.

    Parameters
    ----------
    beta : float
        How many times more recall counts than precision; from 0 to infinity.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, double beta, /):
        self.n_stats = WORD_STATS
        self.beta = beta

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t other[WORD_STATS]
        cdef int64_t ref
        cdef double score, best = -1.0
        other[HYP] = segment_length(hyps, hyp)
        for ref in range(ref_begin, ref_end):
            other[REF] = segment_length(refs, ref)
            clipped_counts(
                hyps, hyp, refs, ref, ref + 1, 1, &other[MATCHES], &scratch.clipping, scratch.stop
            )
            score = self.score_row(other)
            if score > best:
                best = score
                row[MATCHES], row[HYP], row[REF] = other[MATCHES], other[HYP], other[REF]
        return 0

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef const int64_t* row = rows
        cdef int64_t k
        for k in range(n):
            most[0] = min(row[HYP], row[REF])
            if row[MATCHES] > most[0]:
                return k * WORD_STATS + MATCHES
            row += WORD_STATS
        return -1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        # One quotient, so that equal fractions are equal doubles.
        cdef double square = self.beta * self.beta, whole = square * row[REF] + row[HYP]
        if square == INFINITY:
            return 100.0 * share(row[MATCHES], row[REF])
        return 100.0 * ((1.0 + square) * row[MATCHES] / whole) if row[MATCHES] > 0 else 0.0

    cdef describe_row(self, const int64_t* row):
        return (
            self.score_row(row), 100.0 * share(row[MATCHES], row[HYP]),
            100.0 * share(row[MATCHES], row[REF]), row[MATCHES], row[HYP], row[REF],
        )


cdef inline double share(int64_t part, int64_t whole) noexcept nogil:
    return <double> part / <double> whole if whole > 0 else 0.0


# --------------------------------------------------------------------------------------------------
# GLEU (Wu et al. 2016): n-grams of all orders together, the lesser of precision and recall.  The
# greater of both numbers of n-grams is one column, so a corpus adds that of its segments.

cdef enum:
    GLEU_MATCHES, GLEU_ALL, GLEU_STATS
    MOST_GLEU_ORDERS = 64


cdef class GleuKernel(Kernel):
    """Compiled GLEU.

    Parameters
    ----------
    min_order, max_order : int
        From 1 to 64.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, int min_order, int max_order, /):
        if not 1 <= min_order <= max_order <= MOST_GLEU_ORDERS:
            raise ValueError(
                f"min_order, max_order: expected 1 to {MOST_GLEU_ORDERS} in order, got {min_order} "
                f"and {max_order}"
            )
        self.n_stats = GLEU_STATS
        self.min_order, self.max_order = min_order, max_order

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[MOST_GLEU_ORDERS]
        cdef int64_t other[GLEU_STATS]
        cdef int64_t ref, n_hyp = self.total(segment_length(hyps, hyp)), n_ref
        cdef double best = -1.0, score
        cdef int order
        memset(row, 0, GLEU_STATS * sizeof(int64_t))
        for ref in range(ref_begin, ref_end):
            n_ref = self.total(segment_length(refs, ref))
            clipped_counts(
                hyps, hyp, refs, ref, ref + 1, self.max_order, counts, &scratch.clipping,
                scratch.stop,
            )
            other[GLEU_MATCHES] = 0
            for order in range(self.min_order, self.max_order + 1):
                other[GLEU_MATCHES] += counts[order - 1]
            other[GLEU_ALL] = n_hyp if n_hyp > n_ref else n_ref
            score = share(other[GLEU_MATCHES], other[GLEU_ALL])
            if other[GLEU_ALL] > 0 and score > best:
                best = score
                row[GLEU_MATCHES], row[GLEU_ALL] = other[GLEU_MATCHES], other[GLEU_ALL]
        return 0

    cdef int64_t total(self, int64_t n) noexcept nogil:
        """N-grams of all orders in a text of n tokens."""
        cdef int64_t n_grams = 0
        cdef int order
        for order in range(self.min_order, self.max_order + 1):
            if n >= order:
                n_grams += n - order + 1
        return n_grams

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef const int64_t* row = rows
        cdef int64_t k
        for k in range(n):
            most[0] = row[GLEU_ALL]
            if row[GLEU_MATCHES] > most[0]:
                return k * GLEU_STATS + GLEU_MATCHES
            row += GLEU_STATS
        return -1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return 100.0 * share(row[GLEU_MATCHES], row[GLEU_ALL])

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[GLEU_MATCHES], row[GLEU_ALL]
