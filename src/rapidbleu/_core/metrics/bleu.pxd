"""C contract of the BLEU kernel."""

from libc.math cimport ldexp, log
from libc.stdint cimport int64_t

from rapidbleu._core.metrics cimport CacheEntryC
from rapidbleu._core.metrics.kernel cimport Kernel


cdef enum:
    CACHED_ORDERS = 8  # with a table of logarithms
    LATE_ORDERS = 4    # of scores with late attributes

cdef enum:             # smoothing
    NO_SMOOTHING
    FLOOR
    ADD_K
    EXP
    NLTK_1
    NLTK_2
    NLTK_3
    NLTK_4
    NLTK_5
    NLTK_6
    NLTK_7


cdef class BleuKernel(Kernel):
    cdef readonly int max_order    # of rows
    cdef int n_scored              # orders used by the score
    cdef int ref_len_policy
    cdef int smoothing
    cdef double smooth_value
    cdef bint effective_order
    cdef bint caches               # are logarithms cached?
    cdef bint compensated
    cdef double* weights

    cdef int set_orders(self, int max_order) except -1
    cdef double score_precisions(
        self, const int64_t* row, double* bp, double* precisions
    ) noexcept nogil
    cdef double score_matches(
        self, const int64_t* row, double bp, double* precisions
    ) noexcept nogil
    cdef double possible(self, int order, int64_t total) noexcept nogil
    cdef double log_precision(
        self, int order, int64_t correct, int64_t total, int n_zeros, double* where
    ) noexcept nogil
    cdef double cached_log(
        self, int order, int64_t correct, int64_t total, int64_t n_zeros, CacheEntryC* cache
    ) noexcept nogil
    cdef double mean_log(
        self, const int64_t* row, int max_order, CacheEntryC* cache, double* bp
    ) noexcept nogil


cdef inline double chen_cherry(
    int method, double value, int order, int64_t correct, int64_t total, int* n_zeros,
    int64_t hyp_len,
) noexcept nogil:
    """Return the precision of one order, as far as a method of NLTK smooths it alone. `value` is
    NLTK's epsilon (1) or k (4 and 7); `n_zeros` counts orders without a match so far."""
    cdef double matched = <double> correct, possible = <double> max(total, 1)
    if method == NLTK_2:
        return (matched + 1.0) / (possible + 1.0) if order > 0 else matched / possible
    if correct > 0:
        return matched / possible
    n_zeros[0] += 1
    if method == NLTK_1:
        return value / possible
    if method == NLTK_3:
        return 1.0 / (ldexp(1.0, n_zeros[0]) * possible)
    if (method == NLTK_4 or method == NLTK_7) and hyp_len > 1:
        return 1.0 / (ldexp(1.0, n_zeros[0]) * value / log(<double> hyp_len)) / possible
    return 0.0


cdef class LateAttributes:
    cdef int n_orders                     # 0 once it is an ordinary object
    cdef double score
    cdef double bp
    cdef int64_t[2] lengths
    cdef int64_t[LATE_ORDERS] counts      # [n_orders], as are the next two
    cdef int64_t[LATE_ORDERS] totals
    cdef double[LATE_ORDERS] precisions
    cdef tuple lists                      # of these three; None until first use
    cdef str label                        # the metric's options; None if unknown

    cdef tuple all_lists(self)
    cdef int settle(self) except -1
