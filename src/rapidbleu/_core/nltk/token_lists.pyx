"""NLTK's metrics on token lists.

NLTK accepts any hashable objects as tokens. They are read into token tables, the input of every
kernel, and NLTK's rules are variants of existing kernels.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, fabs, log
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from cpython.dict cimport PyDict_GetItemWithError
from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_RawFree
from cpython.method cimport PyMethod_Check, PyMethod_Function, PyMethod_Self
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact

from rapidbleu._core.common cimport (
    EXACT_TERMS, IdleC, POLL_OBJECTS, add, allocate, exact_sum, grow, hash_key, idle_any,
    idle_free, idle_put, idle_take, list_numbers, poll_due, poll_signals, poll_without_gil, room,
    sum_compensates, unshared,
)
from rapidbleu._core.counting.kernels cimport (
    NgramWeightsC, WeightedNgramC, ngram_hits, ngram_weights_build, ngram_weights_free,
    ngram_weights_information, ngram_weights_init, ngram_weights_memory, ngram_weights_next,
    placed_nodes, weights_have_places,
)
from rapidbleu._core.metrics cimport (
    ScratchC, brevity_penalty, scratch_free, scratch_init, scratch_memory,
)
from rapidbleu._core.metrics.bleu cimport (
    BleuKernel, NLTK_1, NLTK_2, NLTK_3, NLTK_4, NO_SMOOTHING, chen_cherry,
)
from rapidbleu._core.metrics.kernel cimport Kernel, SegmentMeanKernel
from rapidbleu._core.ngrams cimport MOST_ORDERS, longest, token_numbers
from rapidbleu._core.text cimport (
    TokensC, segment_length, tokens_clear, tokens_close_segment, tokens_free, tokens_memory,
    tokens_push_id,
)
from rapidbleu._core.text.tokenize cimport Reader, push_strings, tokens_open


# Token lists: segments given as sequences of hashable objects, converted to token tables. Counting
# only requires knowing which tokens are equal, and a table stores 64 bits a token. So there are
# three forms, chosen for a batch of segments together, cheapest first:
#
# * every token is exactly a str: the bytes are the identity, as in scanned text, without hashing
#   the string;
# * every token is exactly an int of 64 bits: the number is the identity;
# * anything else is numbered by a dictionary of the batch, in which 1, 1.0 and True are one key, as
#   they are one n-gram in a Counter of tuples.
#
# The first two run none of the caller's code, so lists are read in place. The third calls
# `__hash__` and `__eq__`, which may do anything, so it works on snapshots. Objects without a
# length, single-use iterators and unhashable tokens are not read, and the caller falls back to
# literal Python, errors included. A form ends at the first token of another kind. Texts, of which
# chrF counts the characters, are scanned by a reader instead.

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(PyObject* text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1


cdef enum Form:
    STRINGS
    INTEGERS
    OBJECTS
    N_FORMS

cdef enum:
    BATCH = 64              # segments, so that tokens stay in the first-level cache
    BATCH_TOKENS = 1 << 14
    KEPT_BYTES = 1 << 20    # limit of idle tables
    KEPT_ALONE = 1 << 24    # and of a whole corpus

cdef uint64_t KEY = hash_key()


cdef inline frozen(source):
    """Return a list or tuple of the elements of a repeatable iterable, otherwise None."""
    if type(source) is list or type(source) is tuple:
        return unshared(source)
    try:
        length = len(source)
        if iter(source) is source:
            return None
        result = tuple(source)
    except Exception:
        return None
    return result if len(result) == length else None


cdef tuple elements(source):
    """Return the elements of a sequence in a new tuple; None if `frozen` does."""
    source = frozen(source)
    return None if source is None else tuple(source)


cdef Py_ssize_t push_integers(items, TokensC* t) except -1:
    """Append tokens up to the first that is not exactly an int of 64 bits; return their number."""
    cdef Py_ssize_t i = 0
    cdef PyObject* item
    cdef int overflow = 0
    cdef long long number
    while i < PySequence_Fast_GET_SIZE(items):  # a signal handler may change the list
        item = PySequence_Fast_ITEMS(items)[i]
        if not PyLong_CheckExact(<object> item):
            break
        number = PyLong_AsLongLongAndOverflow(<object> item, &overflow)
        if overflow:
            break
        tokens_push_id(t, <uint64_t> number)
        i += 1
        if i % POLL_OBJECTS == 0:
            poll_signals()
    return i


cdef Py_ssize_t push_objects(tuple items, dict numbers, TokensC* t) except -1:
    """Append tokens as numbers from a dictionary, up to the first unhashable one."""
    cdef Py_ssize_t i, number
    for i, token in enumerate(items):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        try:
            number = numbers.setdefault(token, len(numbers))
        except Exception:
            return i
        tokens_push_id(t, <uint64_t> number)
    return len(items)


cdef class TokenLists:
    """Hypotheses and references of a batch of segments, and scratch for counting them."""

    cdef TokensC hyps
    cdef TokensC refs
    cdef int64_t* first_ref      # [segments + 1] first reference of each segment
    cdef int64_t capacity
    cdef ScratchC scratch
    cdef dict numbers            # of tokens in a batch that are neither all str nor all int

    def __cinit__(self):
        scratch_init(&self.scratch, KEY)
        tokens_open(&self.hyps)
        tokens_open(&self.refs)
        grow(<void**> &self.first_ref, &self.capacity, BATCH + 1, sizeof(int64_t))
        self.numbers = {}

    def __dealloc__(self):
        scratch_free(&self.scratch)
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        PyMem_RawFree(self.first_ref)

    cdef int64_t memory(self) noexcept:
        return (
            tokens_memory(&self.hyps) + tokens_memory(&self.refs) + scratch_memory(&self.scratch)
        )

    cdef int clear(self) except -1:
        tokens_clear(&self.hyps)
        tokens_clear(&self.refs)
        self.first_ref[0] = 0
        return 0

    cdef Py_ssize_t read(
        self, tuple references, tuple hyps, Py_ssize_t begin, Py_ssize_t end, int64_t most_tokens,
        Reader reader,
    ) except -1:
        """Read segments from `begin` on; return their number, 0 if one cannot be read."""
        cdef Py_ssize_t i
        cdef int form
        try:
            for form in range(<int> N_FORMS):
                self.clear()
                i = begin
                while i < end and self.hyps.n_tokens + self.refs.n_tokens < most_tokens:
                    if not self.read_segment(references[i], hyps[i], <Form> form, reader):
                        break
                    i += 1
                else:
                    return i - begin
            return 0
        finally:
            self.numbers.clear()

    cdef bint read_segment(self, references, hypothesis, Form form, Reader reader) except -1:
        """Append a segment; False if a token has another form or cannot be read."""
        cdef int64_t k = self.hyps.n_segments
        cdef Py_ssize_t i = 0
        references = frozen(references)
        if references is None or not self.push(hypothesis, form, reader, &self.hyps):
            return False
        while i < PySequence_Fast_GET_SIZE(references):  # other code may change the list
            reference = <object> PySequence_Fast_ITEMS(references)[i]
            if not self.push(reference, form, reader, &self.refs):
                return False
            i += 1
            if i % POLL_OBJECTS == 0:
                poll_signals()
        if k + 2 > self.capacity:
            grow(<void**> &self.first_ref, &self.capacity, k + 2, sizeof(int64_t))
        self.first_ref[k + 1] = self.refs.n_segments
        return i > 0

    cdef bint push(self, tokens, Form form, Reader reader, TokensC* t) except -1:
        """Append the tokens of a text; False as in `read_segment`."""
        cdef Py_ssize_t n
        if reader is not None:
            if not PyUnicode_CheckExact(tokens):
                return False
            reader.scan_string(<PyObject*> tokens, t)
            return True
        tokens = frozen(tokens)
        if tokens is None:
            return False
        if form == Form.STRINGS:
            n = push_strings(tokens, t)
        elif form == Form.INTEGERS:
            n = push_integers(tokens, t)
        else:
            tokens = tuple(tokens)
            n = push_objects(tokens, self.numbers, t)
        if n < PySequence_Fast_GET_SIZE(tokens):
            return False
        tokens_close_segment(t)
        return True

    cdef int fill_row(self, Kernel kernel, int64_t k, int64_t* row) except -1 nogil:
        return kernel.segment(
            &self.hyps, k, &self.refs, self.first_ref[k], self.first_ref[k + 1], row,
            &self.scratch,
        )


# Rows of statistics of token lists, by any kernel. A batch is read with the GIL held, because
# tokens are Python objects, and matched without it. Signals are polled between batches. Nothing is
# validated: if a segment cannot be read, the result is None, and the caller follows NLTK step by
# step in Python, including its errors. Idle tables are reused.
cdef class ListCounter:
    """Counts of token lists by kernels, for any number of threads."""

    cdef IdleC idle       # tables not in use
    cdef IdleC idle_sums  # sums of NIST not in use

    def __dealloc__(self):
        idle_free(&self.idle)
        idle_free(&self.idle_sums)

    cdef TokenLists take_lists(self):
        cdef TokenLists lists = <TokenLists> idle_take(&self.idle)
        return TokenLists() if lists is None else lists

    cdef int return_lists(self, TokenLists lists) except -1:
        if lists.memory() <= KEPT_BYTES:
            idle_put(&self.idle, lists)
        return 0

    def sums(self, Kernel kernel not None, list_of_references, hypotheses, /):
        """Return the sum of the rows of segments of hashable tokens; None if one is unreadable."""
        return self.count(kernel, list_of_references, hypotheses, False)

    def rows(
        self, Kernel kernel not None, list_of_references, hypotheses, Reader reader=None, /
    ):
        """Return the row of each segment; with a reader, texts of type str. See `sums`."""
        return self.count(kernel, list_of_references, hypotheses, True, reader)

    def measures(
        self, SegmentMeanKernel kernel not None, list_of_references, hypotheses, most, /
    ):
        """Return the first number of each segment, as measured; None as in `sums`, or if a text
        has more than `most` tokens."""
        return self.count(kernel, list_of_references, hypotheses, True, None, kernel, most)

    cdef list count(
        self, Kernel kernel, list_of_references, hypotheses, bint each, Reader reader=None,
        SegmentMeanKernel measured=None, most=INT64_MAX,
    ):
        cdef tuple references = elements(list_of_references), hyps = elements(hypotheses)
        cdef TokenLists lists
        cdef Py_ssize_t begin = 0, n, k
        cdef int i, n_stats = kernel.n_stats
        cdef int64_t* sums
        cdef int64_t* rows
        cdef list result = []
        if references is None or hyps is None or len(references) != len(hyps):
            return None
        sums = <int64_t*> allocate((BATCH + 1) * n_stats, sizeof(int64_t))
        rows = sums + n_stats
        lists = self.take_lists()
        try:
            memset(sums, 0, n_stats * sizeof(int64_t))
            while begin < len(hyps):
                n = lists.read(
                    references, hyps, begin, min(begin + BATCH, len(hyps)), BATCH_TOKENS, reader
                )
                if n == 0 or most < max(
                    longest(&lists.hyps, 0, n), longest(&lists.refs, 0, lists.refs.n_segments)
                ):
                    return None
                with nogil:
                    for k in range(n):
                        if measured is not None:
                            measured.measure_all(
                                &lists.hyps, k, &lists.refs, lists.first_ref[k],
                                lists.first_ref[k + 1], <double*> rows + k, &lists.scratch,
                            )
                            continue
                        lists.fill_row(kernel, k, rows + k * n_stats)
                        for i in range(n_stats):
                            sums[i] += rows[k * n_stats + i]
                if measured is not None:
                    result += list_numbers(<double*> rows, n)
                elif each:
                    for k in range(n):
                        result.append(list_numbers(rows + k * n_stats, n_stats))
                begin += n
                poll_signals()
            return result if each else list_numbers(sums, n_stats)
        finally:
            PyMem_RawFree(sums)
            self.return_lists(lists)

    def nist(self, list_of_references, hypotheses, int n, /):
        """Return information and n-grams of each order, from 1 to 16, as in NLTK's `corpus_nist`.

        Returns the information of the matches and the number of hypothesis n-grams for each order,
        then the lengths of references and hypotheses, also summed over orders; None without
        segments, or if one cannot be read. Linear in the tokens; runs without the GIL.
        """
        cdef tuple references = elements(list_of_references), hyps = elements(hypotheses)
        cdef NistSums sums = <NistSums> idle_take(&self.idle_sums)
        if sums is None:
            sums = NistSums()
        result = sums.add_up(references, hyps, n)
        if sums.memory() <= KEPT_ALONE and not idle_any(&self.idle_sums):
            idle_put(&self.idle_sums, sums)
        return result


cdef class NltkCountsKernel(BleuKernel):
    """Rows of BLEU in which every segment has at least one n-gram of each order."""

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int k
        BleuKernel.segment(self, hyps, hyp, refs, ref_begin, ref_end, row, scratch)
        for k in range(2 + self.max_order, self.n_stats):
            row[k] = max(row[k], 1)
        return 0


def nltk_counts(int max_order, /):
    """Return a kernel of NLTK's BLEU: lengths, matches and n-grams in 2 + 2 * max_order columns."""
    return NltkCountsKernel(max_order, "closest", "none", 0.0, False, None)


# BLEU of one segment in one call. In a loop over sentences NLTK's Python functions take most of the
# time, so this covers the plain cases: float weights, and no smoothing or one of the first four
# methods, whose precisions are floats. The steps are NLTK's: fractions become floats, weighted
# logarithms are added exactly. For anything else it returns None, before giving a warning.
cdef enum:
    MOST_EXACT = 1 << 30  # an int whose products with powers of two are floats

cdef double LARGEST_TERM = 1e300
cdef double LARGEST_EXPONENT = 700.0  # just below the overflow of exp


cdef class SentenceBleu:
    """NLTK's BLEU of segments in plain cases.

    `smoothing` is a class with the known methods, whose instances have options ``epsilon`` and
    ``k``. `smallest` is called with an order that has no matches and is not smoothed, to warn.
    """

    cdef ListCounter counter
    cdef object smoothing
    cdef object smallest
    cdef dict methods
    cdef list kernels

    def __cinit__(self, ListCounter counter not None, smoothing, smallest, /):
        self.counter, self.smoothing, self.smallest = counter, smoothing, smallest
        self.methods = {
            smoothing.method0: NO_SMOOTHING, smoothing.method1: NLTK_1, smoothing.method2: NLTK_2,
            smoothing.method3: NLTK_3, smoothing.method4: NLTK_4,
        }
        self.kernels = list(map(nltk_counts, range(1, EXACT_TERMS + 1)))

    def score(self, references, hypothesis, weights, smoothing, /):
        """Return BLEU of one segment of hashable tokens, from 0 to 1; 0 as an int without a match.

        `weights` is a tuple of float, `smoothing` a method of the smoothing class or None. Returns
        None for any other argument, or if a number is too large. Linear in the tokens.
        """
        cdef double[EXACT_TERMS] terms
        cdef int64_t[2 + 2 * EXACT_TERMS] row
        cdef int64_t* counts = row + 2
        cdef double option = 0.0, precision, log_sum
        cdef int order, method = NO_SMOOTHING, n_orders = 0, n_zeros = 0, n_terms = 0
        if type(weights) is not tuple or not 0 < len(<tuple> weights) <= EXACT_TERMS:
            return None
        for weight in <tuple> weights:
            if type(weight) is not float:
                return None
            terms[n_orders] = weight
            n_orders += 1
        if smoothing is not None:
            method = self.method_of(smoothing)
        if method < 0 or not self.fill_row(
            references, hypothesis, <Kernel> self.kernels[n_orders - 1], row
        ):
            return None
        if counts[0] == 0:
            return 0
        if method == NLTK_1 or method == NLTK_4:
            number = smoothing.__self__.epsilon if method == NLTK_1 else smoothing.__self__.k
            if type(number) is not float and not (
                type(number) is int and -MOST_EXACT <= number <= MOST_EXACT
            ):
                return None
            option = number
        for order in range(n_orders):
            precision = chen_cherry(
                method, option, order, counts[order], counts[n_orders + order], &n_zeros, row[0]
            )
            if method == NO_SMOOTHING and counts[order] == 0:
                precision = DBL_MIN
            if precision > 0.0:
                terms[n_terms] = terms[order] * log(precision)
                if not fabs(terms[n_terms]) < LARGEST_TERM:
                    return None
                n_terms += 1
        log_sum = exact_sum(terms, n_terms)
        if not log_sum < LARGEST_EXPONENT:
            return None
        if method == NO_SMOOTHING and n_zeros > 0:
            for order in range(n_orders):
                if counts[order] == 0:
                    self.smallest(order + 1)
        return brevity_penalty(row[0], row[1]) * exp(log_sum)

    cdef bint fill_row(self, references, hypothesis, Kernel kernel, int64_t* row) except -1:
        """Compute the row of a segment; False if it is long or cannot be read here."""
        cdef TokenLists lists = self.counter.take_lists()
        cdef bint done
        lists.clear()
        done = lists.read_segment(references, hypothesis, Form.STRINGS, None) and (
            lists.hyps.n_tokens + lists.refs.n_tokens < BATCH_TOKENS  # longer ones without the GIL
        )
        if done:
            lists.fill_row(kernel, 0, row)
        self.counter.return_lists(lists)
        return done

    cdef int method_of(self, smoothing) except -2:
        """Return the number of a smoothing method, or -1 if unknown."""
        if PyMethod_Check(smoothing) and (
            type(<object> PyMethod_Self(smoothing)) is self.smoothing
        ):
            return self.methods.get(<object> PyMethod_Function(smoothing), -1)
        return -1


cdef class Ratio:
    """An unreduced fraction for smoothing methods.

    Its values equal `fractions.Fraction`, whose sums take ten times as long: ints and ratios yield
    ratios, floats floats.

    Examples
    --------
    >>> ratio = Ratio(1, 3) + 1
    >>> ratio.numerator, ratio.denominator, float(ratio / 2)
    (4, 3, 0.6666666666666666)
    """

    cdef readonly object numerator
    cdef readonly object denominator

    def __cinit__(self, numerator, denominator, /):
        self.numerator, self.denominator = numerator, denominator

    def __float__(self):
        return self.numerator / self.denominator

    def __bool__(self):
        return self.numerator != 0

    def __add__(self, other):
        if type(other) is float:
            return float(self) + other
        return Ratio(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        if type(other) is float:
            return other * float(self)
        return Ratio(other * self.numerator, self.denominator)

    def __truediv__(self, other):
        if type(other) is float:
            return float(self) / other
        return Ratio(self.numerator * other.denominator, self.denominator * other.numerator)

    def __rtruediv__(self, other):
        return other / float(self)

    def __pow__(self, exponent, _):
        return Ratio(self.numerator ** exponent, self.denominator ** exponent)


# NIST (Doddington 2002): n-grams weighted by information, the log of the count of an n-gram's
# prefix in all references divided by its own count, so everything is read before weighting
# (ngrams/ngram_weights.h). The best reference is chosen for each order separately, whereas
# `counting/information.pyx` matches all references together.
#
# Floats are added in NLTK's order: within a segment the n-grams as they first occur in the
# hypothesis, each by its matches at once, by the running interpreter's `sum`; n-grams without
# information add nothing; then over segments. Among equal n-grams the first ones count as matched
# (counting/ngram_hits.h), so matches are in the order of the n-grams.
cdef class NistSums:
    """The weighted n-grams of a corpus, memory for a segment, and the sums."""

    cdef TokenLists corpus
    cdef NgramWeightsC grams     # `segment` counts matches of an n-gram, zero between orders
    cdef uint32_t* matches       # [longest, orders] nodes of matches with a reference, by end
    cdef int32_t* numbers        # [longest] of the tokens of a hypothesis
    cdef int64_t matches_capacity  # of both
    cdef double[MOST_ORDERS] weights
    cdef int64_t[MOST_ORDERS] n_grams
    cdef int64_t ref_len         # of the chosen references, summed over orders
    cdef bint compensated

    def __cinit__(self):
        ngram_weights_init(&self.grams, KEY)
        self.corpus = TokenLists()
        self.compensated = sum_compensates()

    def __dealloc__(self):
        ngram_weights_free(&self.grams)
        PyMem_RawFree(self.matches)

    cdef int64_t memory(self) noexcept:
        return (
            self.corpus.memory() + ngram_weights_memory(&self.grams)
            + 4 * self.matches_capacity
        )

    cdef int weigh(self, int n) except -1:
        cdef TokenLists c = self.corpus
        cdef int n_orders = <int> max(1, min(n, longest(&c.refs, 0, c.refs.n_segments)))
        cdef int64_t n_tokens = longest(&c.hyps, 0, c.hyps.n_segments) + 1, node
        with nogil:
            ngram_weights_build(
                &self.grams, &c.refs, c.first_ref, c.hyps.n_segments, n_orders, 0, NULL
            )
            ngram_weights_information(&self.grams, True)
            for node in range(1 + self.grams.n_nodes):
                self.grams.nodes[node].segment = 0
        room(
            <void**> &self.matches, &self.matches_capacity, (n_orders + 1) * n_tokens,
            sizeof(uint32_t),
        )
        self.numbers = <int32_t*> self.matches + n_orders * n_tokens
        memset(self.weights, 0, sizeof(self.weights))
        memset(self.n_grams, 0, sizeof(self.n_grams))
        self.ref_len = 0
        return 0

    cdef tuple add_up(self, tuple references, tuple hyps, int n):
        cdef TokenLists corpus = self.corpus
        cdef int64_t k = 0, begin
        cdef int i
        if references is None or hyps is None or len(references) != len(hyps) or not corpus.read(
            references, hyps, 0, len(hyps), INT64_MAX, None
        ):
            return None
        self.weigh(n)
        while k < corpus.hyps.n_segments:
            begin = corpus.hyps.first_token[k]
            with nogil:
                while k < corpus.hyps.n_segments and (
                    corpus.hyps.first_token[k] - begin < POLL_OBJECTS // 8
                ):
                    self.add_segment(corpus, k, n)
                    k += 1
            poll_signals()
        weights = list_numbers(self.weights, n)
        for i in range(n):
            if self.n_grams[i] == 0:
                weights[i] = 0  # an int, because NLTK divides it by zero
        return weights, list_numbers(self.n_grams, n), self.ref_len, n * corpus.hyps.n_tokens

    cdef int add_segment(self, TokenLists c, int64_t k, int n) except -1 nogil:
        """Add a segment to the sums. NLTK's best reference has the maximum precision, then weight,
        then length; precisions share their divisor, so the weight decides."""
        cdef int64_t hyp_len = segment_length(&c.hyps, k), ref, ref_len
        cdef int64_t[MOST_ORDERS] ref_lens
        cdef double[MOST_ORDERS] best
        cdef double weight
        cdef int order
        for order in range(n):
            best[order], ref_lens[order] = -1.0, 0
        for ref in range(c.first_ref[k], c.first_ref[k + 1]):
            ref_len = segment_length(&c.refs, ref)
            memset(self.matches, 0, <size_t> (hyp_len * self.grams.max_order) * sizeof(uint32_t))
            if weights_have_places(&self.grams, hyp_len, &c.refs, ref, ref + 1):
                placed_nodes(
                    &self.grams, &c.hyps, k, ref, self.grams.max_order, self.matches, NULL,
                    &c.scratch,
                )
            else:
                self.find_matches(c, k, ref)
            for order in range(n):
                weight = self.matched(hyp_len, order)
                if weight > best[order] or (weight == best[order] and ref_len > ref_lens[order]):
                    best[order], ref_lens[order] = weight, ref_len
        for order in range(n):
            self.weights[order] += best[order]
            self.n_grams[order] += max(hyp_len - order, 0)
            self.ref_len += ref_lens[order]
        return 0

    cdef int find_matches(self, TokenLists c, int64_t k, int64_t ref) except -1 nogil:
        """Find the nodes of the n-grams that a long reference matches, by hashing."""
        cdef int64_t length = segment_length(&c.hyps, k), i
        cdef int order, n = self.grams.max_order
        cdef const uint64_t* hits = ngram_hits(&c.hyps, k, &c.refs, ref, ref + 1, n, &c.scratch)
        cdef uint32_t node
        token_numbers(&self.grams.tokens, &c.hyps, k, False, self.numbers)
        for i in range(length):
            if poll_due(i, POLL_OBJECTS):
                poll_without_gil(NULL)
            node = self.numbers[i]
            for order in range(<int> min(n, length - i)):
                if order > 0:
                    node = ngram_weights_next(&self.grams, node, self.numbers[i + order])
                if node == 0:
                    break
                if hits[i + order] >> order & 1:
                    self.matches[(i + order) * n + order] = node
        return 0

    cdef double matched(self, int64_t hyp_len, int order) except? -1.0 nogil:
        """Return the information of the n-grams of one order, from 0, that a reference matches."""
        cdef double total = 0.0, lost = 0.0
        cdef int64_t i
        cdef WeightedNgramC* ngram
        if order >= self.grams.max_order:
            return 0.0
        for i in range(order, hyp_len):
            self.grams.nodes[self.matches[i * self.grams.max_order + order]].segment += 1
        self.grams.nodes[0].segment = 0
        for i in range(order, hyp_len):
            if poll_due(i, POLL_OBJECTS):
                poll_without_gil(NULL)
            ngram = &self.grams.nodes[self.matches[i * self.grams.max_order + order]]
            if ngram.segment > 0:
                total = add(self.compensated, total, ngram.weight * ngram.segment, &lost)
                ngram.segment = 0
        return total + lost


# METEOR: words are paired from the last to the first, with the last free position of an equal word.
# A word's number is its first free position in the reference.
cdef enum:
    FREE = -2
    TAKEN = -1  # a position in a pair


cdef list preprocessed(str name, text, preprocess):
    """Return a list of preprocessed tokens; lowercase ASCII is not lowercased again."""
    cdef list result
    cdef Py_ssize_t i
    if isinstance(text, str):
        raise TypeError(f'"{name}" expects pre-tokenized {name} (Iterable[str]): {text}')
    if preprocess is not str.lower or type(text) not in (list, tuple):
        return list(map(preprocess, text))
    result = list(text)
    for i in range(len(result)):
        if not is_lower_ascii(result[i]):
            result[i] = preprocess(result[i])
    return result


cdef inline bint is_lower_ascii(token):
    cdef const uint8_t* text
    cdef Py_ssize_t i
    if not PyUnicode_CheckExact(token) or not PyUnicode_IS_COMPACT_ASCII(<PyObject*> token):
        return False
    text = <const uint8_t*> PyUnicode_DATA(<PyObject*> token)
    for i in range(PyUnicode_GET_LENGTH(<PyObject*> token)):
        if c"A" <= text[i] <= c"Z":
            return False
    return True


def count_pairs(hypothesis, reference, preprocess, find_words, stemmer, wordnet, /):
    """Pair equal words, then words with equal stems, then synonyms, all preprocessed.

    If hypothesis words remain after pairing equal words, `find_words` is called with a stemmer and
    a word net: it returns two dicts, of words to stems and of stems to sets of synonyms. Returns
    the lengths of both, the number of pairs, and of runs of pairs adjacent in both texts. Linear in
    words and synonyms.
    """
    cdef list hyp = preprocessed("hypothesis", hypothesis, preprocess)
    cdef list ref = preprocessed("reference", reference, preprocess)
    cdef Py_ssize_t n = len(hyp), n_ref = len(ref), n_pairs = 0, chunks = 0, expected = -1, i
    cdef Py_ssize_t* pairs  # position in the reference of each word, or FREE
    cdef Py_ssize_t* before  # previous free position of an equal word, or FREE; TAKEN
    cdef Py_ssize_t* last  # free position of the word of each number, or FREE
    pairs = <Py_ssize_t*> allocate(n + 2 * n_ref + 1, sizeof(Py_ssize_t))
    before, last = pairs + n, pairs + n + n_ref
    try:
        for i in range(n + n_ref):
            pairs[i] = FREE
        pair_equal(hyp, ref, pairs, before, last)
        if any(pairs[i] == FREE for i in range(n)):
            stems, synonyms = find_words(stemmer, wordnet)
            hyp, ref = list(hyp), list(ref)
            for i in range(n):
                hyp[i] = find(stems, hyp[i]) if pairs[i] == FREE else None
            for i in range(n_ref):
                ref[i] = find(stems, ref[i]) if before[i] != TAKEN else None
            numbers = pair_equal(hyp, ref, pairs, before, last)
            pair_synonyms(hyp, pairs, before, last, numbers, synonyms)
        for i in range(n):
            n_pairs += pairs[i] != FREE
            chunks += pairs[i] != FREE and pairs[i] != expected
            expected = pairs[i] + 1
        return n, n_ref, n_pairs, chunks
    finally:
        PyMem_RawFree(pairs)


cdef find(answers, word):
    """Return ``answers[word]``, without calling a method of a known word."""
    cdef PyObject* answer = PyDict_GetItemWithError(answers, word)
    return answers[word] if answer == NULL else <object> answer


cdef dict pair_equal(
    list hyp, list ref, Py_ssize_t* pairs, Py_ssize_t* before, Py_ssize_t* last
):
    """Pair free equal words, and return the numbers of the reference's free words."""
    cdef dict numbers = {}
    cdef Py_ssize_t i, number, place
    cdef PyObject* found
    for i in range(len(ref)):
        if before[i] != TAKEN:
            number = numbers.setdefault(ref[i], i)
            before[i] = last[number] if number < i else FREE
            last[number] = i
    for i in range(len(hyp) - 1, -1, -1):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        found = PyDict_GetItemWithError(numbers, hyp[i]) if pairs[i] == FREE else NULL
        if found != NULL:
            number = <object> found
            place = last[number]
            if place != FREE:
                pairs[i], last[number], before[place] = place, before[place], TAKEN
    return numbers


cdef int pair_synonyms(
    list hyp, Py_ssize_t* pairs, Py_ssize_t* before, Py_ssize_t* last, dict numbers, synonyms
) except -1:
    """Pair free stems with the last free position of a synonym."""
    cdef Py_ssize_t i, number, place, best
    for i in range(len(hyp) - 1, -1, -1):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        if pairs[i] != FREE:
            continue
        best, place = FREE, FREE
        for stem in <frozenset> find(synonyms, hyp[i]):
            number = numbers.get(stem, FREE)
            if number != FREE and last[number] > place:
                best, place = number, last[number]
        if best != FREE:
            pairs[i], last[best], before[place] = place, before[place], TAKEN
    return 0
