"""Metrics that weigh n-grams by how frequent they are in a set of texts: rows and scores."""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t, uint64_t

from rapidbleu._core.common cimport hash_key
from rapidbleu._core.metrics cimport REAL, ngram_hits, real_store, real_value
from rapidbleu._core.ngrams cimport (
    MOST_ORDERS, ngram_weights_build, ngram_weights_free, ngram_weights_information,
    ngram_weights_init, ngram_weights_sum, token_numbers,
)
from rapidbleu._core.text cimport segment_length


cdef uint64_t KEY = hash_key()
cdef uint64_t ZERO = ord("0")  # the identity of the token: a short one is its bytes


# --------------------------------------------------------------------------------------------------
# The frequencies of n-grams in a set of references, and the weights made of them.

cdef class NgramCounts:
    """Counts of all n-grams of prepared references, and the information of each.

    Parameters
    ----------
    texts : PreparedReferences
    max_order : int
        Highest order.
    perl_zero : bool
        A token ``0`` that begins a pair counts for nothing, as in mteval.

    Notes
    -----
    Linear in the number of tokens; immutable once made, and safe to share between threads.
    """

    def __cinit__(self, PreparedReferences texts not None, int max_order, bint perl_zero, /):
        ngram_weights_init(&self.weights, KEY)
        self.texts = texts
        with nogil:
            ngram_weights_build(
                &self.weights, &texts.tokens, max_order, ZERO if perl_zero else 0, NULL
            )
            ngram_weights_information(&self.weights)

    def __dealloc__(self):
        ngram_weights_free(&self.weights)


# --------------------------------------------------------------------------------------------------
# NIST (Doddington 2002): matches weighted by information, per n-gram of the hypothesis.
#
# A row has the n-grams of each order, the mean length of the references, and the information
# matched in each order; the last two are fixed-point numbers.  Mean lengths and information of
# several segments add up.

cdef enum:
    MOST_NIST_ORDERS = 16


cdef double BETA = log(2.0) / (log(1.5) * log(1.5))  # a penalty of 1/2 at 2/3 of the length


cdef class NistKernel(Kernel):
    """Compiled NIST.

    Parameters
    ----------
    max_order : int
        Highest order of n-grams, up to 16.
    information : NgramCounts or None
        Of that order at least; None: only rows are scored.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, int max_order, NgramCounts information, /):
        if not 1 <= max_order <= min(MOST_NIST_ORDERS, MOST_ORDERS):
            raise ValueError(f"max_order: expected 1 to {MOST_NIST_ORDERS}, got {max_order}")
        self.max_order = max_order
        self.information = information
        self.n_stats = max_order + REAL * (1 + max_order)

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef double sums[MOST_NIST_ORDERS]
        cdef int64_t n = segment_length(hyps, hyp)
        cdef int64_t n_refs = refs.first_token[ref_end] - refs.first_token[ref_begin]
        cdef int order
        self.add_information(hyps, hyp, refs, ref_begin, ref_end, sums, scratch)
        for order in range(self.max_order):
            row[order] = n - order if n > order else 0
        row += self.max_order
        real_store(row, <double> n_refs / <double> (ref_end - ref_begin))
        for order in range(self.max_order):
            row += REAL
            real_store(row, sums[order])
        return 0

    cdef int add_information(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* sums, ScratchC* scratch,
    ) except -1 nogil:
        """The information of the matched n-grams of each order."""
        cdef int64_t n = segment_length(hyps, hyp)
        cdef uint64_t* hits
        cdef int32_t* numbers
        cdef int order
        for order in range(self.max_order):
            sums[order] = 0.0
        if self.information is None:
            with gil:
                raise ValueError("information: expected counts of n-grams, got None")
        hits = ngram_hits(hyps, hyp, refs, ref_begin, ref_end, self.max_order, scratch)
        numbers = <int32_t*> (hits + n)
        token_numbers(&self.information.weights.tokens, hyps, hyp, False, numbers)
        ngram_weights_sum(&self.information.weights, numbers, hits, n, self.max_order, sums)
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef const int64_t* information = row + self.max_order + REAL
        cdef double gained = 0.0, length = real_value(row + self.max_order), ratio
        cdef int order
        for order in range(self.max_order):
            if row[order] > 0:
                gained += real_value(information + REAL * order) / <double> row[order]
        if row[0] == 0 or length == 0.0:
            return 0.0
        ratio = <double> row[0] / length
        return gained if ratio >= 1.0 else gained * exp(-BETA * log(ratio) * log(ratio))

    cdef describe_row(self, const int64_t* row):
        cdef int order
        totals, information = [], []
        for order in range(self.max_order):
            totals.append(row[order])
            information.append(real_value(row + self.max_order + REAL * (1 + order)))
        return self.score_row(row), information, totals, real_value(row + self.max_order)
