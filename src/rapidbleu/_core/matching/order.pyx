"""Metrics of runs, of the order of words, and of words with gaps: rows and scores."""

from libc.math cimport exp, pow
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rapidbleu._core.matching cimport MOST_SKIP_ORDERS, greedy_runs, skip_ngrams, word_order
from rapidbleu._core.metrics cimport REAL, ScratchC, real_store, real_value
from rapidbleu._core.text cimport TokensC, segment_length


# --------------------------------------------------------------------------------------------------
# The General Text Matcher: runs of words, each of which counts more than its words apart.
#
# The size of a matching is a root, so it is a real number of the row, and sizes of segments add up.
# Of several references a segment takes the one with the greatest F, of equals the longest.

cdef enum:
    SIZE = 0
    HYP = SIZE + REAL
    REF = HYP + 1
    GTM_STATS = REF + 1


cdef class GtmKernel(Kernel):
    """Compiled GTM.

    Parameters
    ----------
    exponent : float
        At least 1: a run of k words counts k to the power of it, and the size of a matching is the
        sum to the power of its inverse.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, double exponent, /):
        self.n_stats = GTM_STATS
        self.exponent = exponent

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t other[GTM_STATS]
        cdef double best = -1.0, score
        cdef int64_t ref
        other[HYP] = segment_length(hyps, hyp)
        for ref in range(ref_begin, ref_end):
            other[REF] = segment_length(refs, ref)
            score = greedy_runs(hyps, hyp, refs, ref, self.exponent, scratch)
            real_store(other + SIZE, pow(score, 1.0 / self.exponent))
            score = self.score_row(other)
            if score > best or (score == best and other[REF] > row[REF]):
                best = score
                memcpy(row, other, sizeof(other))
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef int64_t length = row[HYP] + row[REF]
        return 100.0 * (2.0 * real_value(row + SIZE) / <double> length) if length > 0 else 0.0

    cdef describe_row(self, const int64_t* row):
        cdef double size = real_value(row + SIZE)
        return (
            self.score_row(row), 100.0 * size / row[HYP] if row[HYP] > 0 else 0.0,
            100.0 * size / row[REF] if row[REF] > 0 else 0.0, size, row[HYP], row[REF],
        )


# --------------------------------------------------------------------------------------------------
# RIBES: how many pairs of aligned words come in the same order, times powers of precision and of a
# brevity penalty.  Of several references a segment takes the greatest score.

cdef class RibesKernel(SegmentMeanKernel):
    """Compiled RIBES.

    Parameters
    ----------
    alpha, beta : float
        Exponents of the precision of words and of the brevity penalty.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, double alpha, double beta, /):
        self.set_values(1, 0, 100.0)
        self.alpha, self.beta = alpha, beta

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t ref, aligned, ascending, n_hyp = segment_length(hyps, hyp), n_ref
        cdef double score, penalty
        values[0] = 0.0
        if n_hyp == 0:
            return 0
        for ref in range(ref_begin, ref_end):
            n_ref = segment_length(refs, ref)
            word_order(hyps, hyp, refs, ref, False, &aligned, &ascending, scratch)
            if aligned >= 2:
                score = <double> ascending / (<double> aligned * <double> (aligned - 1) / 2.0)
            else:
                score = 1.0 if aligned == 1 and n_ref == 1 else 0.0
            penalty = exp(1.0 - <double> n_ref / <double> n_hyp)
            score = score * pow(<double> aligned / <double> n_hyp, self.alpha) * pow(
                penalty if penalty < 1.0 else 1.0, self.beta
            )
            if score > values[0]:
                values[0] = score
        return 0


# --------------------------------------------------------------------------------------------------
# Common skip n-grams: for each order F of what both texts have, by what each has in common with
# itself.  Nothing is clipped, so precision and recall may pass 1 where F cannot.  Of several
# references a segment takes the greatest F.

cdef enum:
    F, PRECISION, RECALL, SKIP_VALUES


cdef class SkipKernel(SegmentMeanKernel):
    """Compiled skip n-grams.

    Parameters
    ----------
    max_order : int
        From 1 to 16.
    decay : float
        From 0 to 1: what each left out token multiplies an n-gram by.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, int max_order, double decay, /):
        if not 1 <= max_order <= MOST_SKIP_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_SKIP_ORDERS}, got {max_order}")
        self.set_values(SKIP_VALUES, F, 100.0)
        self.max_order, self.decay = max_order, decay

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef double both[MOST_SKIP_ORDERS]
        cdef double of_hyp[MOST_SKIP_ORDERS]
        cdef double of_ref[MOST_SKIP_ORDERS]
        cdef double own[SKIP_VALUES]
        cdef int64_t ref
        cdef int k, n_orders
        for k in range(SKIP_VALUES):
            values[k] = 0.0
        skip_ngrams(hyps, hyp, hyps, hyp, self.decay, self.max_order, of_hyp, scratch)
        for ref in range(ref_begin, ref_end):
            skip_ngrams(hyps, hyp, refs, ref, self.decay, self.max_order, both, scratch)
            skip_ngrams(refs, ref, refs, ref, self.decay, self.max_order, of_ref, scratch)
            n_orders = 0
            for k in range(SKIP_VALUES):
                own[k] = 0.0
            for k in range(self.max_order):
                if of_hyp[k] + of_ref[k] == 0.0:
                    break
                n_orders += 1
                own[F] += 2.0 * both[k] / (of_hyp[k] + of_ref[k])
                own[PRECISION] += both[k] / of_hyp[k] if of_hyp[k] > 0.0 else 0.0
                own[RECALL] += both[k] / of_ref[k] if of_ref[k] > 0.0 else 0.0
            if n_orders > 0 and own[F] / n_orders > values[F]:
                for k in range(SKIP_VALUES):
                    values[k] = own[k] / n_orders
        return 0
