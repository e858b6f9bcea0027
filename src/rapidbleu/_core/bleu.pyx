"""BLEU (Papineni et al. 2002): the row of a segment and the score of a row.

A row is [hyp_len, ref_len, correct 1..N, total 1..N], the layout of sacrebleu.  The score follows
sacrebleu's order of operations with the C library's `log` and `exp`, so it has the same bits; even
the sum of logarithms imitates the running interpreter, whose `sum` is compensated (Neumaier) from
CPython 3.12 on.  One product and two square roots would be five times faster for N = 4 and differ
in the last digit: good inside a search, not for a score that is reported.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.clipping cimport ClippingC, clipped_counts
from rapidbleu._core.tokens cimport TokensC, segment_length


cdef enum:
    CLOSEST
    SHORTEST
    LONGEST
    AVERAGE

cdef enum:
    NO_SMOOTHING
    FLOOR
    ADD_K
    EXP

cdef double LOG_OF_ZERO = -9999999999.0  # sacrebleu's

# Does this interpreter's sum() keep the digits that plain addition loses?
cdef bint COMPENSATED = sum([1.0, 1e100, 1.0, -1e100]) == 2.0

REF_LEN_POLICIES = {
    "closest": CLOSEST, "shortest": SHORTEST, "longest": LONGEST, "average": AVERAGE,
}
SMOOTH_METHODS = {"none": NO_SMOOTHING, "floor": FLOOR, "add-k": ADD_K, "exp": EXP}


cdef class BleuKernel(Kernel):
    """Compiled BLEU with fixed options, which the caller has checked.

    Parameters
    ----------
    max_order : int
        Highest order of n-grams, at least 1.
    ref_len : {"closest", "shortest", "longest", "average"}
        Which length of a segment's references counts as its reference length.
    smooth_method : {"none", "floor", "add-k", "exp"}
    smooth_value : float
    effective_order : bool
        Leave out the orders that the hypothesis is too short for.
    weights : sequence of float or None
        One weight for each order; None weighs all alike.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(
        self, int max_order, str ref_len, str smooth_method, double smooth_value,
        bint effective_order, weights,
    ):
        cdef int order
        self.max_order = max_order
        self.n_stats = 2 + 2 * max_order
        self.ref_len_policy = REF_LEN_POLICIES[ref_len]
        self.smoothing = SMOOTH_METHODS[smooth_method]
        self.smooth_value = smooth_value
        self.effective_order = effective_order
        if weights is not None:
            self.weights = <double*> PyMem_RawMalloc(max_order * sizeof(double))
            if self.weights == NULL:
                raise MemoryError
            for order in range(max_order):
                self.weights[order] = weights[order]

    def __dealloc__(self):
        PyMem_RawFree(self.weights)

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ClippingC* scratch,
    ) except -1 nogil:
        cdef int64_t n = segment_length(hyps, hyp)
        cdef int64_t* correct = row + 2
        cdef int64_t* total = correct + self.max_order
        cdef int order
        row[0] = n
        row[1] = reference_length(refs, ref_begin, ref_end, n, self.ref_len_policy)
        for order in range(self.max_order):
            total[order] = n - order if n > order else 0
        return clipped_counts(
            hyps, hyp, refs, ref_begin, ref_end, self.max_order, correct, scratch
        )

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double bp
        return self.score_precisions(row, &bp, NULL)

    cdef double score_precisions(
        self, const int64_t* row, double* bp, double* precisions
    ) noexcept nogil:
        """Score of a row in percent; the precisions of all orders too unless NULL."""
        cdef const int64_t* correct = row + 2
        cdef const int64_t* total = correct + self.max_order
        cdef double smooth = 1.0, matched, possible, precision, term
        cdef double log_sum = 0.0, lost = 0.0, weight_sum = 0.0
        cdef int order, n_orders = 0
        cdef bint any_match = False
        bp[0] = 1.0
        if row[0] < row[1]:
            bp[0] = exp(1.0 - <double> row[1] / <double> row[0]) if row[0] > 0 else 0.0
        if precisions != NULL:
            memset(precisions, 0, self.max_order * sizeof(double))
        for order in range(self.max_order):
            any_match |= correct[order] != 0
        if not any_match:
            return 0.0
        for order in range(self.max_order):
            matched, possible = <double> correct[order], <double> total[order]
            if self.smoothing == ADD_K and order > 0:
                matched += self.smooth_value
                possible += self.smooth_value
            if possible == 0.0:
                if not self.effective_order:
                    return 0.0  # what sacrebleu's logarithm of zero comes to
                break
            precision = 0.0
            if matched != 0.0:
                precision = 100.0 * matched / possible
            elif self.smoothing == EXP:
                smooth *= 2.0
                precision = 100.0 / (smooth * possible)
            elif self.smoothing == FLOOR:
                precision = 100.0 * self.smooth_value / possible
            if precisions != NULL:
                precisions[order] = precision
            n_orders += 1
            term = log(precision) if precision != 0.0 else LOG_OF_ZERO
            if self.weights != NULL:
                weight_sum += self.weights[order]
                term *= self.weights[order]
            log_sum = add(log_sum, term, &lost)
        log_sum += lost
        if self.weights == NULL:
            return bp[0] * exp(log_sum / n_orders)
        return bp[0] * exp(log_sum / weight_sum) if weight_sum > 0.0 else 0.0

    cdef describe_row(self, const int64_t* row):
        """Score in percent, counts, totals, precisions in percent, brevity penalty, lengths."""
        cdef double few[8]
        cdef double* precisions = few
        cdef double bp, score
        cdef int order
        if self.max_order > 8:
            precisions = <double*> PyMem_RawMalloc(self.max_order * sizeof(double))
            if precisions == NULL:
                raise MemoryError
        try:
            score = self.score_precisions(row, &bp, precisions)
            return (
                score,
                [row[2 + order] for order in range(self.max_order)],
                [row[2 + self.max_order + order] for order in range(self.max_order)],
                [precisions[order] for order in range(self.max_order)],
                bp,
                row[0],
                row[1],
            )
        finally:
            if precisions != few:
                PyMem_RawFree(precisions)


cdef inline double add(double total, double term, double* lost) noexcept nogil:
    """Add as the interpreter's sum() does; what the sum could not hold goes to `lost`."""
    cdef double result = total + term
    if COMPENSATED:
        if fabs(total) >= fabs(term):
            lost[0] += (total - result) + term
        else:
            lost[0] += (term - result) + total
    return result


cdef int64_t reference_length(
    const TokensC* refs, int64_t ref_begin, int64_t ref_end, int64_t hyp_len, int policy
) noexcept nogil:
    """Effective reference length of a segment in tokens (Papineni et al. 2002, 2.2.2)."""
    cdef int64_t best = segment_length(refs, ref_begin), total = 0, length, ref
    for ref in range(ref_begin, ref_end):
        length = segment_length(refs, ref)
        total += length
        if policy == SHORTEST and length < best or policy == LONGEST and length > best:
            best = length
        elif policy == CLOSEST and (
            distance(length, hyp_len) < distance(best, hyp_len)
            or distance(length, hyp_len) == distance(best, hyp_len) and length < best
        ):
            best = length
    return total // (ref_end - ref_begin) if policy == AVERAGE else best


cdef inline int64_t distance(int64_t a, int64_t b) noexcept nogil:
    return a - b if a > b else b - a
