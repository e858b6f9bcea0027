"""BLEU (Papineni et al. 2002): rows of segments and scores of rows.

A row is [hyp_len, ref_len, correct 1..N, total 1..N], as in sacrebleu. The score follows
sacrebleu's order of operations with the C library's `log` and `exp`, so it is equal to the last
bit; the sum of logarithms imitates the running interpreter, whose `sum` is compensated (Neumaier)
from CPython 3.12 on. A product and two square roots would suffice for N = 4 but differ in the last
digit; instead, searches look the logarithms up (metrics/bleu.h).
"""

from libc.math cimport exp, ldexp, log
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport add, allocate, list_numbers, sum_compensates
from rapidbleu._core.input.columns cimport too_high
from rapidbleu._core.metrics cimport (
    AVERAGE, CACHE_MAX, CACHE_ZEROS, CLOSEST, LONGEST, SHORTEST, ScratchC, brevity_penalty,
    cache_find_four, cache_key, cache_slot, reference_length, row_settle, row_weigh,
)
from rapidbleu._core.metrics.kernel import by_order
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport TokensC, segment_length


cdef enum:
    BLOCK = 128

cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION)
    #define RB_LATE_ATTRIBUTES 0 /* two threads may look; or objects begin with a call */
    #else
    #define RB_LATE_ATTRIBUTES 1
    #endif
    """
    const int HAVE_LATE_ATTRIBUTES "RB_LATE_ATTRIBUTES"

cdef extern from "Python.h":
    object PyObject_GenericGetAttr(object, object)
    int PyObject_GenericSetAttr(object, object, PyObject* value) except -1  # NULL: delete
    ctypedef struct PyTypeObject:
        object (*tp_new)(type, object, PyObject*)

cdef double LOG_OF_ZERO = -9999999999.0  # sacrebleu's

REF_LEN_POLICIES = {
    "closest": CLOSEST, "shortest": SHORTEST, "longest": LONGEST, "average": AVERAGE,
}
SMOOTH_METHODS = {
    "none": NO_SMOOTHING, "floor": FLOOR, "add-k": ADD_K, "exp": EXP, "nltk1": NLTK_1,
    "nltk2": NLTK_2, "nltk3": NLTK_3, "nltk4": NLTK_4, "nltk5": NLTK_5, "nltk6": NLTK_6,
    "nltk7": NLTK_7,
}


cdef class BleuKernel(Kernel):
    """Compiled BLEU with fixed options, validated by the caller.

    `ref_len` is "closest", "shortest", "longest" or "average"; `smooth_method` is "none", "floor",
    "add-k" or "exp". `effective_order` skips orders that exceed the hypothesis. `weights` default
    to 1.
    """

    def __cinit__(
        self, int max_order, str ref_len, str smooth_method, double smooth_value,
        bint effective_order, weights, /,
    ):
        cdef int order
        self.set_orders(max_order)
        self.n_scored = max_order
        self.ref_len_policy = REF_LEN_POLICIES[ref_len]
        self.smoothing = SMOOTH_METHODS[smooth_method]
        self.smooth_value = smooth_value
        self.effective_order = effective_order
        # Does this interpreter's sum() preserve the digits that plain addition loses?
        self.compensated = sum_compensates()
        self.caches = (
            weights is None and max_order <= CACHED_ORDERS
            and (self.smoothing != ADD_K or smooth_value > 0.0)
        )
        self.n_cache_tables = 1 + max_order if self.caches else 0
        if weights is not None:
            self.weights = <double*> allocate(max_order, sizeof(double))
            for order in range(max_order):
                self.weights[order] = weights[order]

    def __dealloc__(self):
        PyMem_RawFree(self.weights)

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
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
            hyps, hyp, refs, ref_begin, ref_end, self.max_order, correct, &scratch.clipping,
            scratch.stop,
        )

    cdef int set_orders(self, int max_order) except -1:
        self.max_order = max_order
        self.n_stats = 2 + 2 * max_order
        self.n_limits = 0
        return self.limit(2, 2 + max_order, -1, 1, max_order)

    def columns(self):
        matches, totals = by_order(self.max_order, "matches"), by_order(self.max_order, "total")
        return ["hyp_len", "ref_len", *matches, *totals]

    cdef bint swap(
        self, int64_t* totals, int64_t* row, const int64_t* fresh, int64_t* sums, double* score,
        CacheEntryC* cache,
    ) noexcept nogil:
        cdef double bp, mean
        if self.n_stats != 10 or not self.caches:
            return Kernel.swap(self, totals, row, fresh, sums, score, cache)
        # Specialized: without calls, and with numbers of columns known to the compiler.
        if too_high(
            row_weigh(totals, row, fresh, sums, 10)
            | missing(fresh + 2, 4) | missing(fresh + 3, 4)
            | missing(fresh + 4, 4) | missing(fresh + 5, 4)
        ):
            return False
        row_settle(totals, row, sums, 10)
        mean = self.mean_log(totals, 4, cache, &bp)
        score[0] = bp * exp(mean)
        return True

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double bp
        return self.score_precisions(row, &bp, NULL)

    cdef double score_precisions(
        self, const int64_t* row, double* bp, double* precisions
    ) noexcept nogil:
        """Score a row in percent; also write the precisions of all orders unless NULL."""
        cdef int64_t any_match = 0
        cdef int order
        bp[0] = brevity_penalty(row[0], row[1])
        if precisions != NULL:
            memset(precisions, 0, self.n_scored * sizeof(double))
        for order in range(self.max_order):
            any_match |= row[2 + order]
        return self.score_matches(row, bp[0], precisions) if any_match else 0.0

    cdef double score_matches(
        self, const int64_t* row, double bp, double* precisions
    ) noexcept nogil:
        """Score a row with matches; write precisions above 0 unless NULL."""
        cdef const int64_t* correct = row + 2
        cdef const int64_t* total = correct + self.max_order
        cdef double term, log_sum = 0.0, lost = 0.0, weight_sum = 0.0
        cdef int order, n_orders = 0, n_zeros = 0
        for order in range(self.max_order):
            if self.possible(order, total[order]) == 0.0:
                if not self.effective_order:
                    return 0.0  # the result of sacrebleu's logarithm of zero
                break
            n_zeros += correct[order] == 0
            n_orders += 1
            term = self.log_precision(
                order, correct[order], total[order], n_zeros,
                precisions if precisions == NULL else precisions + order,
            )
            if self.weights != NULL:
                weight_sum += self.weights[order]
                term *= self.weights[order]
            log_sum = add(self.compensated, log_sum, term, &lost)
        log_sum += lost
        if n_orders == 0:  # never for rows of real segments: matches without unigrams
            return 0.0
        if self.weights == NULL:
            return bp * exp(log_sum / n_orders)
        return bp * exp(log_sum / weight_sum) if weight_sum > 0.0 else 0.0

    cdef double possible(self, int order, int64_t total) noexcept nogil:
        if self.smoothing == ADD_K and order > 0:
            return <double> total + self.smooth_value
        return <double> total

    cdef double log_precision(
        self, int order, int64_t correct, int64_t total, int n_zeros, double* where
    ) noexcept nogil:
        """Return the log of the smoothed precision of an order, which `where` receives unless NULL.
        `n_zeros` counts orders without a match, up to this one."""
        cdef double matched = <double> correct, possible = self.possible(order, total)
        cdef double precision = 0.0
        if self.smoothing == ADD_K and order > 0:
            matched += self.smooth_value
        if matched != 0.0:
            precision = 100.0 * matched / possible
        elif self.smoothing == EXP:
            precision = 100.0 / (ldexp(1.0, n_zeros) * possible)
        elif self.smoothing == FLOOR:
            precision = 100.0 * self.smooth_value / possible
        if where != NULL:
            where[0] = precision
        return log(precision) if precision != 0.0 else LOG_OF_ZERO

    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil:
        cdef double bp[BLOCK]
        cdef int64_t i, k, end
        if cache == NULL or not self.caches:
            for i in range(n):
                scores[i] = self.score_row(rows + i * self.n_stats)
            return
        i = 0
        while i < n:  # a separate loop for exp takes half the time
            end = n - i if n - i < BLOCK else BLOCK
            if self.max_order == 4:  # a constant for the optimizer
                for k in range(end):
                    scores[i + k] = self.mean_log(rows + (i + k) * 10, 4, cache, &bp[k])
            else:
                for k in range(end):
                    scores[i + k] = self.mean_log(
                        rows + (i + k) * self.n_stats, self.max_order, cache, &bp[k]
                    )
            for k in range(end):
                scores[i + k] = bp[k] * exp(scores[i + k])
            i += end

    cdef inline double mean_log(
        self, const int64_t* row, int max_order, CacheEntryC* cache, double* bp
    ) noexcept nogil:
        """Return the mean log precision, looked up by counts; `bp` becomes 0 if the score is 0."""
        cdef const int64_t* correct = row + 2
        cdef const int64_t* total = correct + max_order
        cdef double logs[4]
        cdef double log_sum = 0.0, lost = 0.0
        cdef int order, n_orders = max_order
        cdef int64_t n_zeros = 0, any_match = 0
        if max_order == 4 and cache_find_four(cache, 1, correct, total, logs):
            for order in range(4):
                log_sum = add(self.compensated, log_sum, logs[order], &lost)
            bp[0] = cached_penalty(row[0], row[1], cache)
            return (log_sum + lost) / 4
        bp[0] = 0.0
        for order in range(max_order):
            any_match |= correct[order]
        if any_match == 0:
            return 0.0
        for order in range(max_order):
            if total[order] == 0 and (order == 0 or self.smoothing != ADD_K):
                if not self.effective_order:
                    return 0.0
                n_orders = order
                break
            n_zeros += correct[order] == 0
            log_sum = add(
                self.compensated, log_sum,
                self.cached_log(order, correct[order], total[order], n_zeros, cache), &lost,
            )
        if n_orders == 0:
            return 0.0
        bp[0] = cached_penalty(row[0], row[1], cache)
        return (log_sum + lost) / n_orders

    cdef inline double cached_log(
        self, int order, int64_t correct, int64_t total, int64_t n_zeros, CacheEntryC* cache
    ) noexcept nogil:
        """Return a cached `log_precision`; without matches, the key is a count no order has."""
        cdef uint64_t first = <uint64_t> correct if correct else CACHE_ZEROS - <uint64_t> n_zeros
        cdef CacheEntryC* entry = cache_slot(cache, order + 1, first, <uint64_t> total)
        cdef uint64_t key = cache_key(first, <uint64_t> total)
        if (correct | total) > CACHE_MAX:
            return self.log_precision(order, correct, total, <int> n_zeros, NULL)
        if entry.key != key:
            entry.key = key
            entry.value = self.log_precision(order, correct, total, <int> n_zeros, NULL)
        return entry.value

    cdef describe_row(self, const int64_t* row):
        """Return score and precisions in percent, counts, totals, brevity penalty and lengths."""
        cdef double few[8]
        cdef double* precisions = few
        cdef double bp, score
        if self.n_scored > 8:
            precisions = <double*> allocate(self.n_scored, sizeof(double))
        try:
            score = self.score_precisions(row, &bp, precisions)
            return (
                score,
                list_numbers(row + 2, self.n_scored),
                list_numbers(row + 2 + self.max_order, self.n_scored),
                list_numbers(precisions, self.n_scored),
                bp,
                row[0],
                row[1],
            )
        finally:
            if precisions != few:
                PyMem_RawFree(precisions)

    cdef make_score(self, const int64_t* row, type cls, str label):
        cdef LateAttributes score
        cdef size_t counts_size = self.n_scored * sizeof(int64_t)
        if (
            not HAVE_LATE_ATTRIBUTES or self.n_scored > LATE_ORDERS
            or not issubclass(cls, LateAttributes)
        ):
            return Kernel.make_score(self, row, cls, label)
        score = (<PyTypeObject*> cls).tp_new(cls, (), NULL)
        score.score = self.score_precisions(row, &score.bp, score.precisions)
        score.lengths[0], score.lengths[1] = row[0], row[1]
        memcpy(score.counts, row + 2, counts_size)
        memcpy(score.totals, row + 2 + self.max_order, counts_size)
        score.n_orders, score.label = self.n_scored, label
        return score


# Score objects with attributes created on first use. Most callers that score a segment only read
# the score. Lists of counts, totals and precisions, their items and a dict for them take as long to
# create and destroy as the score takes to compute. So an object begins with its numbers in C and
# converts them on demand. When it is modified, or its `__dict__` is read, it gets the one that
# `__init__` would have created, and from then on is an ordinary object.
#
# Python sees no difference, because every access goes through `__getattribute__`: `vars`, `dir`,
# pickle and copy look up `__dict__` or `__getstate__`. Properties would appear twice in `vars`.
# PyPy, and free-threaded Python, where threads may race, create the `__dict__` at once.
cdef frozenset OF_THE_DICT = frozenset(
    ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "_label", "__dict__")
)


cdef class LateAttributes:
    def __getattribute__(self, name):
        if self.n_orders > 0:
            if name is "score":  # literal names in programs are interned
                return self.score
            if name is "counts":
                return self.all_lists()[0]
            if name is "totals":
                return self.all_lists()[1]
            if name is "precisions":
                return self.all_lists()[2]
            if name is "bp":
                return self.bp
            if name is "sys_len":
                return self.lengths[0]
            if name is "ref_len":
                return self.lengths[1]
            if name in OF_THE_DICT:  # `__dict__`, or a name that was not interned
                self.settle()
        return PyObject_GenericGetAttr(self, name)

    def __setattr__(self, name, value):
        self.settle()
        PyObject_GenericSetAttr(self, name, <PyObject*> value)

    def __delattr__(self, name):
        self.settle()
        PyObject_GenericSetAttr(self, name, NULL)

    def __getstate__(self):
        self.settle()
        return object.__getstate__(self)

    def __reduce_ex__(self, protocol):
        return object.__reduce_ex__(self, max(protocol, 2))  # lower ones lack compiled bases

    cdef tuple all_lists(self):
        """Return the lists of counts, totals and precisions, the same ones on every call."""
        cdef tuple lists
        if self.lists is None:
            lists = (
                list_numbers(self.counts, self.n_orders),
                list_numbers(self.totals, self.n_orders),
                list_numbers(self.precisions, self.n_orders),
            )
            if self.lists is None:  # unless code run by the collector created them
                self.lists = lists
        return self.lists

    cdef int settle(self) except -1:
        """Become an ordinary object."""
        cdef tuple lists
        cdef dict attributes
        if self.n_orders == 0:
            return 0
        lists = self.all_lists()
        attributes = {
            "score": self.score,
            "counts": lists[0],
            "totals": lists[1],
            "precisions": lists[2],
            "bp": self.bp,
            "sys_len": self.lengths[0],
            "ref_len": self.lengths[1],
        }
        if self.label is not None:
            attributes["_label"] = self.label
        if self.n_orders > 0:
            PyObject_GenericSetAttr(self, "__dict__", <PyObject*> attributes)
            self.n_orders = 0
        return 0


# BLEU with an arithmetic mean of the precisions (Doddington 2002; Lavie and Agarwal 2007).
cdef class ArithmeticBleuKernel(BleuKernel):
    """Compiled BLEU with an arithmetic mean; parameters as in `BleuKernel`."""

    def __cinit__(self, *_):
        self.caches = False
        self.n_cache_tables = 0

    cdef double score_matches(
        self, const int64_t* row, double bp, double* precisions
    ) noexcept nogil:
        cdef const int64_t* correct = row + 2
        cdef const int64_t* total = correct + self.max_order
        cdef double weight, precision, weighted = 0.0, weights = 0.0
        cdef int order, n_zeros = 0
        for order in range(self.max_order):
            weight = 1.0 if self.weights == NULL else self.weights[order]
            if self.possible(order, total[order]) == 0.0:
                if self.effective_order:
                    break
                weights += weight
                continue
            n_zeros += correct[order] == 0
            precision = 0.0
            self.log_precision(order, correct[order], total[order], n_zeros, &precision)
            if precisions != NULL:
                precisions[order] = precision
            weighted += weight * precision
            weights += weight
        return bp * (weighted / weights) if weights > 0.0 else 0.0


# BLEU with NLTK's smoothing (Chen and Cherry 2014; the seven methods as implemented by the
# package). Two methods look one order beyond the last one, so rows include it. An order that
# exceeds the text has one n-gram, which is not matched.
cdef class NltkBleuKernel(BleuKernel):
    """Compiled BLEU with a smoothing of NLTK; rows have one order more than the score uses.

    `smooth_method` is one of nltk1 to nltk7, and `smooth_value` NLTK's epsilon (1), k (4 and 7) or
    alpha (6). `effective_order` has no effect.
    """

    def __cinit__(self, int max_order, *_):
        self.set_orders(max_order + 1)
        self.caches = False
        self.n_cache_tables = 0

    cdef double score_matches(
        self, const int64_t* row, double bp, double* precisions
    ) noexcept nogil:
        cdef const int64_t* correct = row + 2
        cdef const int64_t* total = correct + self.max_order
        cdef double precision, own, following, before = 0.0, before_that, log_sum = 0.0, lost = 0.0
        cdef int order, n_zeros = 0
        if correct[0] == 0:
            return 0.0
        following = self.smoothed(row, 0, &n_zeros)
        precision = following + 1.0  # before the first order, in methods 5 and 7
        for order in range(self.n_scored):
            before_that, before, own = before, precision, following
            if order + 1 < self.n_scored:
                following = self.smoothed(row, order + 1, &n_zeros)
            else:
                following = <double> correct[order + 1] / <double> max(total[order + 1], 1)
            precision = own
            if self.smoothing == NLTK_5 or self.smoothing == NLTK_7:
                precision = (before + own + following) / 3.0
            elif self.smoothing == NLTK_6 and order >= 2:
                precision = before * before / before_that if before_that > 0.0 else 0.0
                precision = <double> correct[order] + self.smooth_value * precision
                if precision > 0.0:
                    precision /= <double> total[order] + self.smooth_value
            if precisions != NULL:
                precisions[order] = 100.0 * precision
            if precision > 0.0:
                own = 1.0 / self.n_scored if self.weights == NULL else self.weights[order]
                log_sum = add(True, log_sum, own * log(precision), &lost)
        return 100.0 * (bp * exp(log_sum + lost))

    cdef double smoothed(self, const int64_t* row, int order, int* n_zeros) noexcept nogil:
        return chen_cherry(
            self.smoothing, self.smooth_value, order, row[2 + order],
            row[2 + self.max_order + order], n_zeros, row[0],
        )


cdef inline double cached_penalty(
    int64_t hyp_len, int64_t ref_len, CacheEntryC* cache
) noexcept nogil:
    """Return a cached `brevity_penalty`, from the first table."""
    cdef uint64_t a = <uint64_t> hyp_len, b = <uint64_t> ref_len
    cdef CacheEntryC* entry = cache_slot(cache, 0, a, b)
    if hyp_len >= ref_len or (hyp_len | ref_len) > CACHE_MAX:
        return brevity_penalty(hyp_len, ref_len)
    if entry.key != cache_key(a, b):
        entry.key, entry.value = cache_key(a, b), brevity_penalty(hyp_len, ref_len)
    return entry.value


cdef inline uint64_t missing(const int64_t* matches, int64_t max_order) noexcept nogil:
    """Return the number of unmatched n-grams of an order; the highest bit is the sign."""
    return <uint64_t> matches[max_order] - <uint64_t> matches[0]
