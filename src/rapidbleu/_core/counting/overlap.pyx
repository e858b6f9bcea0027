"""Metrics of what two texts share, without order or by short n-grams: rows and scores.

Matches are clipped by one reference at a time, and of several references the first with the
greatest score counts alone, as for chrF.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from rapidbleu._core.counting cimport correction_counts
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport TokensC, segment_length


# --------------------------------------------------------------------------------------------------
# F of single words: precision, recall, and what is between.

cdef enum:
    MATCHES, HYP, REF, WORD_STATS


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


# --------------------------------------------------------------------------------------------------
# GLEU of grammatical error correction: n-grams of the reference, less those that were left as they
# are in the source where the reference has others.  The first text of a segment is its source.  Of
# several references the first with the greatest smoothed score counts.

cdef enum:
    C_HYP, C_REF, C_FIRST     # then [correct, total] of each order


cdef class CorrectionKernel(Kernel):
    """Compiled GLEU of corrections.

    Parameters
    ----------
    max_order : int
        Highest order of n-grams, up to 64.
    smooth : bool
        Take every 0 of a row for a 1, instead of scoring it 0.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, int max_order, bint smooth, /):
        if not 1 <= max_order <= MOST_GLEU_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_GLEU_ORDERS}, got {max_order}")
        self.n_stats = C_FIRST + 2 * max_order
        self.max_order, self.smooth = max_order, smooth

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t matches[MOST_GLEU_ORDERS]
        cdef int64_t kept[MOST_GLEU_ORDERS]
        cdef int64_t other[C_FIRST + 2 * MOST_GLEU_ORDERS]
        cdef double best = -1.0, score
        cdef int64_t ref, n = segment_length(hyps, hyp)
        cdef int k
        if ref_end - ref_begin < 2:
            with gil:
                raise ValueError(
                    "references: expected a source and at least one reference of each segment, "
                    f"got {ref_end - ref_begin} texts"
                )
        for ref in range(ref_begin + 1, ref_end):
            correction_counts(
                hyps, hyp, refs, ref_begin, ref, self.max_order, matches, kept, scratch
            )
            other[C_HYP], other[C_REF] = n, segment_length(refs, ref)
            for k in range(self.max_order):
                other[C_FIRST + 2 * k] = matches[k] - kept[k] if matches[k] > kept[k] else 0
                other[C_FIRST + 2 * k + 1] = n - k if n > k else 0
            score = self.score_smoothed(other, True)
            if score > best:
                best = score
                memcpy(row, other, self.n_stats * sizeof(int64_t))
        return 0

    cdef double score_smoothed(self, const int64_t* row, bint smooth) noexcept nogil:
        """The score of a row, in which zeros may be taken for ones."""
        cdef double logs = 0.0, penalty
        cdef int64_t least = 1 if smooth else 0
        cdef int k
        for k in range(self.n_stats):
            if row[k] == 0 and not smooth:
                return 0.0
        for k in range(C_FIRST, self.n_stats, 2):
            logs += log(<double> max(row[k], least) / <double> max(row[k + 1], least))
        penalty = 1.0 - <double> max(row[C_REF], least) / <double> max(row[C_HYP], least)
        return 100.0 * exp((penalty if penalty < 0.0 else 0.0) + logs / self.max_order)

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return self.score_smoothed(row, self.smooth)

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef const int64_t* row = rows
        cdef int64_t i
        cdef int k
        for i in range(n):
            for k in range(C_FIRST, self.n_stats, 2):
                most[0] = row[k + 1]
                if row[k] > most[0]:
                    return i * self.n_stats + k
            row += self.n_stats
        return -1

    cdef describe_row(self, const int64_t* row):
        cdef int k
        correct, totals = [], []
        for k in range(C_FIRST, self.n_stats, 2):
            correct.append(row[k])
            totals.append(row[k + 1])
        return self.score_row(row), correct, totals, row[C_HYP], row[C_REF]
