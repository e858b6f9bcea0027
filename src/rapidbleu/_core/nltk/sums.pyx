"""Sums for NLTK's metrics, whose tokens may be any hashable objects."""

from libc.float cimport DBL_MIN
from libc.math cimport exp, fabs, ldexp, log
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.method cimport PyMethod_Check, PyMethod_Function, PyMethod_Self
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from cpython.unicode cimport PyUnicode_CheckExact

from rapidbleu._core.common cimport (
    EXACT_TERMS, POLL_OBJECTS, exact_sum, hash_key, idle_free, idle_put, idle_take, poll_due,
    poll_signals,
)
from rapidbleu._core.common.py_lists cimport list_integers, unshared
from rapidbleu._core.common.python_sum cimport add, sum_compensates
from rapidbleu._core.matching cimport word_order
from rapidbleu._core.metrics cimport ScratchC, scratch_free, scratch_init
from rapidbleu._core.ngrams cimport (
    CLOSEST, clipped_counts, clipping_free, clipping_init, clipping_memory, reference_length,
)
from rapidbleu._core.text cimport (
    TokensC, segment_length, tokens_clear, tokens_close_segment, tokens_free, tokens_memory,
    tokens_push_id, tokens_reserve,
)
from rapidbleu._core.text.tokenize cimport push_strings, tokens_open


# --------------------------------------------------------------------------------------------------
# Token lists: segments given as sequences of any hashable objects, into token tables.
#
# Counting asks only which tokens of one segment are equal, and a table holds 64 bits a token.  So
# there are three ways in, chosen for each segment with all its references, cheapest first:
#
# * every token is exactly a str: the bytes are the identity, as in scanned text, and no hash of the
#   string is ever asked for;
# * every token is exactly an int of 64 bits: the number is the identity;
# * anything else is numbered by a dictionary of the segment, in which 1, 1.0 and True are one key,
#   as they are one n-gram in a Counter of tuples.
#
# The first two run none of the caller's code, so lists can be read in place.  The third calls
# `__hash__` and `__eq__`, which may do anything: it works on snapshots.  What has no length, can be
# iterated only once or holds an unhashable token is left unread, and the caller falls back to doing
# literally what Python would do, errors included.  Reading stops at the first token of another
# kind, so trying the ways in turn costs at most four passes over a segment.
#
# Memory: the tables of one batch.

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1


cdef enum Form:
    STRINGS
    INTEGERS
    OBJECTS

cdef uint64_t KEY = hash_key()


cdef frozen(source):
    """A list or tuple of the elements of anything that can be iterated again; otherwise None."""
    if is_list(source):
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
    """The elements of a sequence in a tuple of its own; None where `frozen` has none."""
    source = frozen(source)
    return None if source is None else tuple(source)


cdef Py_ssize_t push_integers(items, TokensC* t) except -1:
    """Tokens of a list or tuple up to the first that is not exactly an int of 64 bits."""
    cdef Py_ssize_t i = 0
    cdef PyObject* item
    cdef int overflow = 0
    cdef long long number
    while i < PySequence_Fast_GET_SIZE(items):  # which a handler of signals may change
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
    """Tokens as the numbers that a dictionary has for them, up to the first without a hash."""
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


cdef void roll_back(TokensC* t, int64_t n_segments) noexcept:
    """Forget what came after the first segments."""
    t.n_segments = n_segments
    t.n_tokens = t.first_token[n_segments]
    t.n_longs = t.first_long[n_segments]


cdef class ListTables:
    """The tokens of a batch of segments and what counting them takes."""

    def __cinit__(self):
        clipping_init(&self.clipping, KEY)
        tokens_open(&self.hyps)
        tokens_open(&self.refs)
        self.first_ref = <int64_t*> PyMem_RawMalloc((LIST_BATCH + 1) * sizeof(int64_t))
        if self.first_ref == NULL:
            raise MemoryError
        self.numbers = {}
        self.clear()

    def __dealloc__(self):
        clipping_free(&self.clipping)
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        PyMem_RawFree(self.first_ref)

    cdef int clear(self) except -1:
        tokens_clear(&self.hyps)
        tokens_clear(&self.refs)
        self.first_ref[0] = 0
        return 0

    cdef int64_t memory(self) noexcept:
        """Bytes held."""
        return (
            tokens_memory(&self.hyps) + tokens_memory(&self.refs) + clipping_memory(&self.clipping)
        )

    cdef bint read_segment(self, hypothesis, references, int64_t k) except -1:
        """Read segment k of the batch; False: it cannot be read here, and the batch is spoilt."""
        cdef tuple several
        cdef list lists
        if self.read_strings(hypothesis, references, k):
            return True
        self.roll_back(k)
        several = elements(references)
        hypothesis = frozen(hypothesis)
        if not several or hypothesis is None:
            return False
        lists = [hypothesis]
        for reference in several:
            reference = frozen(reference)
            if reference is None:
                return False
            lists.append(reference)
        self.first_ref[k + 1] = self.first_ref[k] + len(several)
        for form in (Form.STRINGS, Form.INTEGERS):
            if push_segment(self, lists, form):
                return True
            self.roll_back(k)
        try:
            return push_segment(self, list(map(tuple, lists)), Form.OBJECTS)
        finally:
            self.numbers.clear()

    cdef bint read_strings(self, hypothesis, references, int64_t k) except -1:
        """Read segment k if it is made of lists or tuples of nothing but str, without a copy.

        False: it is not, and has to be rolled back.
        """
        cdef Py_ssize_t i = 0
        if not is_list(references) or not push_list(hypothesis, &self.hyps):
            return False
        references = unshared(references)
        while i < PySequence_Fast_GET_SIZE(references):  # which a handler of signals may change
            reference = <object> PySequence_Fast_ITEMS(references)[i]
            if not push_list(reference, &self.refs):
                return False
            i += 1
            if i % POLL_OBJECTS == 0:
                poll_signals()
        self.first_ref[k + 1] = self.first_ref[k] + i
        return i > 0

    cdef int roll_back(self, int64_t k) except -1:
        """Forget what was read of segment k."""
        roll_back(&self.hyps, k)
        roll_back(&self.refs, self.first_ref[k])
        return 0


cdef bint is_list(source):
    return type(source) is list or type(source) is tuple


cdef bint push_list(tokens, TokensC* t) except -1:
    """Append a segment; False: it is no list or tuple of nothing but str."""
    if not is_list(tokens):
        return False
    tokens = unshared(tokens)
    if push_strings(tokens, t) < PySequence_Fast_GET_SIZE(tokens):
        return False
    tokens_close_segment(t)
    return True


cdef bint push_segment(ListTables tables, list lists, Form form) except -1:
    """Append a hypothesis and its references; False: a token has another form."""
    cdef TokensC* t = &tables.hyps
    cdef Py_ssize_t n
    for tokens in lists:
        if form == Form.STRINGS:
            n = push_strings(tokens, t)
        elif form == Form.INTEGERS:
            n = push_integers(tokens, t)
        else:
            n = push_objects(tokens, tables.numbers, t)
        if n < PySequence_Fast_GET_SIZE(tokens):
            return False
        tokens_close_segment(t)
        t = &tables.refs
    return True


# --------------------------------------------------------------------------------------------------
# Sums of n-gram counts over a corpus of token lists: what NLTK's BLEU and GLEU are made of.
#
# A batch of segments is read into token tables with the GIL held, as tokens are Python objects, and
# matched without it.  64 segments a batch keep what was read in the first-level cache until it is
# matched; a batch of many tokens has fewer segments.  Signals are polled for between batches.
#
# Nothing here judges what it is given: where a segment cannot be read the answer is None, and the
# caller does it in Python, step by step as NLTK would, with the errors that come of it.
#
# BLEU counts at least one n-gram of every order in every segment, GLEU the orders of a range
# together, each segment against the reference that gives the best ratio.
#
# A counter keeps the tables that are idle, so a call for one sentence allocates nothing.

cdef enum:
    BATCH_TOKENS = 1 << 14
    KEPT_BYTES = 1 << 20    # memory that idle tables may hold
    MOST_ORDERS = 16        # of a segment that is scored by itself


cdef class ListCounter:
    """Counts n-grams of token lists.

    Notes
    -----
    Any number of threads may use the same counter.
    """

    def __dealloc__(self):
        idle_free(&self.idle)

    cdef ListTables take_tables(self):
        cdef ListTables tables
        cdef PyObject* idle = idle_take(&self.idle)
        if idle == NULL:
            return ListTables()
        tables = <ListTables> idle
        Py_DECREF(tables)  # the reference of its place
        return tables

    cdef int return_tables(self, ListTables tables) except -1:
        if tables.memory() <= KEPT_BYTES:
            idle_put(&self.idle, <PyObject*> tables)
        return 0

    def bleu(self, list_of_references, hypotheses, int max_order, /):
        """Clipped and total n-gram counts as NLTK's `corpus_bleu` adds them up.

        Parameters
        ----------
        list_of_references : sequence of sequences of sequences of hashable tokens
        hypotheses : sequence of sequences of hashable tokens
            As many as `list_of_references`.
        max_order : int
            At least 1.

        Returns
        -------
        tuple or None
            Length of the hypotheses, sum of the closest reference lengths, clipped counts and
            totals of the orders 1 to `max_order`; None if a segment cannot be read.

        Notes
        -----
        Linear in the number of tokens; matches without the GIL.
        """
        cdef list sums = self.add_all(
            list_of_references, hypotheses, add_bleu, 1, max_order, 2 + 2 * max_order
        )
        if sums is None:
            return None
        return sums[0], sums[1], sums[2 : 2 + max_order], sums[2 + max_order :]

    def gleu(self, list_of_references, hypotheses, int min_order, int max_order, /):
        """Matches and n-grams as NLTK's `corpus_gleu` adds them up.

        Parameters
        ----------
        list_of_references : sequence of sequences of sequences of hashable tokens
        hypotheses : sequence of sequences of hashable tokens
            As many as `list_of_references`.
        min_order, max_order : int
            At least 1.

        Returns
        -------
        tuple of int or None
            None if a segment cannot be read.

        Notes
        -----
        Linear in the number of tokens; matches without the GIL.
        """
        cdef list sums = self.add_all(
            list_of_references, hypotheses, add_gleu, min_order, max_order, 2
        )
        return None if sums is None else tuple(sums)

    def sentence_gleu(self, references, hypothesis, min_order, max_order, /):
        """The same of one segment, made of lists or tuples of str; otherwise None."""
        cdef int64_t[MOST_ORDERS] counts
        cdef int64_t[2] sums
        if not is_order(min_order) or not is_order(max_order) or not self.add_one(
            references, hypothesis, add_gleu, min_order, max_order, counts, sums, 2
        ):
            return None
        return sums[0], sums[1]

    cdef bint add_one(
        self, references, hypothesis, AddC add_batch, int min_order, int max_order,
        int64_t* counts, int64_t* sums, int n_sums,
    ) except -1:
        """The sums of one segment; False: it is not made of lists of str, or is a long one."""
        cdef ListTables tables = self.take_tables()
        cdef bint done
        tables.clear()
        done = tables.read_strings(hypothesis, references, 0) and (
            tables.hyps.n_tokens + tables.refs.n_tokens < BATCH_TOKENS  # more without the GIL
        )
        if done:
            memset(sums, 0, n_sums * sizeof(int64_t))
            add_batch(tables, 1, min_order, max_order, counts, sums)
        self.return_tables(tables)
        return done

    cdef list add_all(
        self, list_of_references, hypotheses, AddC add_batch, int min_order, int max_order,
        int n_sums
    ):
        """Sums of what `add_batch` adds for all segments; None if one of them cannot be read."""
        cdef tuple references = elements(list_of_references), hyps = elements(hypotheses)
        cdef ListTables tables
        cdef int64_t* sums
        cdef int64_t* counts
        cdef Py_ssize_t begin = 0, n
        if references is None or hyps is None:
            return None
        tables = self.take_tables()
        sums = <int64_t*> PyMem_RawMalloc((n_sums + max_order) * sizeof(int64_t))
        if sums == NULL:
            raise MemoryError
        counts = sums + n_sums
        try:
            memset(sums, 0, n_sums * sizeof(int64_t))
            while begin < len(hyps):
                n = read_batch(tables, references, hyps, begin)
                if n == 0:
                    return None
                with nogil:
                    add_batch(tables, n, min_order, max_order, counts, sums)
                begin += n
                poll_signals()
            return list_integers(sums, n_sums)
        finally:
            PyMem_RawFree(sums)
            self.return_tables(tables)


cdef bint is_order(n) except -1:
    """Is it the number of an order that a segment is scored with by itself?"""
    return type(n) is int and 1 <= n <= MOST_ORDERS


cdef Py_ssize_t read_batch(
    ListTables tables, tuple references, tuple hyps, Py_ssize_t begin
) except -1:
    """Read segments from `begin` on; returns how many, 0 if one of them cannot be read."""
    cdef Py_ssize_t end = min(len(hyps), len(references), begin + LIST_BATCH), i = begin
    tables.clear()
    while i < end and tables.hyps.n_tokens + tables.refs.n_tokens < BATCH_TOKENS:
        if not tables.read_segment(hyps[i], references[i], i - begin):
            return 0
        i += 1
    return i - begin


cdef int add_bleu(
    ListTables tables, Py_ssize_t n, int min_order, int max_order, int64_t* counts, int64_t* sums
) except -1 nogil:
    """Add a batch to the two lengths, and to the clipped counts and the totals behind them."""
    cdef int64_t k, hyp_len, total, ref, ref_end
    cdef int order
    for k in range(n):
        ref, ref_end = tables.first_ref[k], tables.first_ref[k + 1]
        hyp_len = segment_length(&tables.hyps, k)
        sums[0] += hyp_len
        sums[1] += reference_length(&tables.refs, ref, ref_end, hyp_len, CLOSEST)
        clipped_counts(
            &tables.hyps, k, &tables.refs, ref, ref_end, max_order, counts,
            &tables.clipping, NULL,
        )
        for order in range(max_order):
            total = hyp_len - order
            sums[2 + order] += counts[order]
            sums[2 + max_order + order] += total if total > 1 else 1
    return 0


cdef int64_t n_grams(int64_t length, int min_order, int max_order) noexcept nogil:
    """How many n-grams of a range of orders so many tokens have."""
    cdef int64_t orders, least
    if max_order > length:
        max_order = <int> length
    orders = max_order - min_order + 1
    if orders <= 0:
        return 0
    least = length - max_order + 1
    return orders * (2 * least + orders - 1) // 2


cdef int add_gleu(
    ListTables tables, Py_ssize_t n, int min_order, int max_order, int64_t* counts, int64_t* sums
) except -1 nogil:
    """Add the matches and n-grams of each segment with its best reference, the first of equals."""
    cdef int64_t k, ref, of_hyp, n_all, matches, best_matches, best_all
    cdef double ratio, best
    cdef int order
    for k in range(n):
        of_hyp = n_grams(segment_length(&tables.hyps, k), min_order, max_order)
        best, best_matches, best_all = -1.0, 0, 0
        for ref in range(tables.first_ref[k], tables.first_ref[k + 1]):
            n_all = n_grams(segment_length(&tables.refs, ref), min_order, max_order)
            n_all = of_hyp if of_hyp > n_all else n_all
            if n_all == 0:
                continue
            clipped_counts(
                &tables.hyps, k, &tables.refs, ref, ref + 1, max_order, counts,
                &tables.clipping, NULL,
            )
            matches = 0
            for order in range(min_order - 1, max_order):
                matches += counts[order]
            ratio = <double> matches / <double> n_all
            if ratio > best:
                best, best_matches, best_all = ratio, matches, n_all
        sums[0] += best_matches
        sums[1] += best_all
    return 0


# --------------------------------------------------------------------------------------------------
# BLEU of one segment, in one call.
#
# What takes longest in a loop over sentences is the way through NLTK's functions, so the plain ways
# are gone here: token lists of str, weights that are floats, no smoothing or one of the first four
# methods, whose precisions are floats.  The steps are those of NLTK: fractions become floats,
# logarithms are weighted and added up exactly.  For anything else the answer is None, before a
# warning is given.

cdef enum:
    N_METHODS = 5
    MOST_EXACT = 1 << 30  # an int, whose products with powers of two are floats

cdef double LARGEST_TERM = 1e300
cdef double LARGEST_EXPONENT = 700.0  # the exponential of a float ends a little later


cdef class SentenceBleu:
    """NLTK's BLEU of segments, where that is a plain matter.

    Parameters
    ----------
    counter : ListCounter
    smoothing : type
        Has the methods that are known, and options ``epsilon`` and ``k`` in its instances.
    smallest : callable
        Gets the number of an order without matches that is not smoothed; gives the warning.
    """

    cdef ListCounter counter
    cdef object smoothing
    cdef object smallest
    cdef tuple methods

    def __cinit__(self, ListCounter counter not None, smoothing, smallest, /):
        self.counter, self.smoothing, self.smallest = counter, smoothing, smallest
        self.methods = (
            smoothing.method0, smoothing.method1, smoothing.method2, smoothing.method3,
            smoothing.method4,
        )

    def score(self, references, hypothesis, weights, smoothing, /):
        """BLEU of one segment.

        Parameters
        ----------
        references : list of lists of str
        hypothesis : list of str
        weights : tuple of float
        smoothing : method of the smoothing class, or None

        Returns
        -------
        float, int or None
            From 0 to 1, 0 as an int if no token matches; None if an argument is anything else, or a
            number is too large.

        Notes
        -----
        Linear in the number of tokens.
        """
        cdef double[EXACT_TERMS] terms
        cdef int64_t[2 + 2 * EXACT_TERMS] sums
        cdef int64_t[EXACT_TERMS] counts
        cdef double option = 0.0, precision, log_sum
        cdef int order, n_zeros = 0, n_terms = 0
        cdef int method = self.method_of(smoothing), n_orders = read_weights(weights, terms)
        if method < 0 or n_orders == 0 or not self.counter.add_one(
            references, hypothesis, add_bleu, 1, n_orders, counts, sums, 2 + 2 * n_orders
        ):
            return None
        if counts[0] == 0:
            return 0
        if method == 1 and not read_number(smoothing.__self__.epsilon, &option):
            return None
        if method == 4 and not read_number(smoothing.__self__.k, &option):
            return None
        for order in range(n_orders):
            n_zeros += counts[order] == 0
            precision = smoothed(
                method, option, order, counts[order], sums[2 + n_orders + order], n_zeros, sums[0]
            )
            if precision > 0.0:
                terms[n_terms] = terms[order] * log(precision)
                if not fabs(terms[n_terms]) < LARGEST_TERM:
                    return None
                n_terms += 1
        log_sum = exact_sum(terms, n_terms)
        if not log_sum < LARGEST_EXPONENT:
            return None
        if method == 0 and n_zeros > 0:
            for order in range(n_orders):
                if counts[order] == 0:
                    self.smallest(order + 1)
        if sums[0] > sums[1]:
            return exp(log_sum)
        return exp(1.0 - <double> sums[1] / <double> sums[0]) * exp(log_sum)

    cdef int method_of(self, smoothing) except -2:
        """Number of a smoothing method; -1: it is none of those known."""
        cdef int k
        if smoothing is None:
            return 0
        if PyMethod_Check(smoothing) and (
            type(<object> PyMethod_Self(smoothing)) is self.smoothing
        ):
            for k in range(N_METHODS):
                if PyMethod_Function(smoothing) == <PyObject*> self.methods[k]:
                    return k
        return -1


cdef int read_weights(weights, double* numbers) except -1:
    """Read up to EXACT_TERMS floats; returns how many, 0 if there is anything else."""
    cdef Py_ssize_t order, n
    if type(weights) is not tuple:
        return 0
    n = len(<tuple> weights)
    if n > EXACT_TERMS:
        return 0
    for order in range(n):
        weight = (<tuple> weights)[order]
        if type(weight) is not float:
            return 0
        numbers[order] = weight
    return <int> n


cdef bint read_number(source, double* number) except -1:
    """Read a float, or an int that is one; False: it is neither."""
    if type(source) is int and -MOST_EXACT <= source <= MOST_EXACT or type(source) is float:
        number[0] = source
        return True
    return False


cdef double smoothed(
    int method, double option, int order, int64_t matches, int64_t total, int n_zeros,
    int64_t hyp_len,
) noexcept nogil:
    """Precision of an order, as a method of NLTK has it.

    n_zeros: how many orders up to this one have no match.
    """
    if method == 2 and order > 0:
        return <double> (matches + 1) / <double> (total + 1)
    if matches > 0:
        return <double> matches / <double> total
    if method == 0:
        return DBL_MIN
    if method == 1:
        return option / <double> total
    if method == 3:
        return 1.0 / (ldexp(1.0, n_zeros) * <double> total)
    if hyp_len == 1:
        return 0.0
    return 1.0 / (ldexp(1.0, n_zeros) * option / log(<double> hyp_len)) / <double> total


# --------------------------------------------------------------------------------------------------
# chrF as NLTK averages it: an F-score for every order of every segment.
#
# A character is its own identity, so a segment's text goes into a token table as it is read, from a
# str or from the tokens of a list, with white space left out on the way: no joined or stripped
# string is ever made.  Matches come from clipped counting with one reference.  Scores are added up
# as the running interpreter's `sum` adds them, so that they have the same bits.
#
# White space is what Unicode calls White_Space, which lacks the four separators of ASCII that
# `str.isspace` has.  Linear in the number of characters; memory for one batch of segments.

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t i)
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)


cdef enum:
    BATCH_CHARACTERS = 1 << 16

cdef double EPSILON = 1e-16


def chrf_sums(
    references, hypotheses, int min_order, int max_order, double factor, double one_more,
    bint ignore_space, /,
):
    """Sums over segments of the F-scores of each order.

    Parameters
    ----------
    references, hypotheses : sequence of str or of lists or tuples of str
        As many of each; tokens are joined by spaces.
    min_order, max_order : int
        At least 1.
    factor, one_more : float
        beta squared, and one more.
    ignore_space : bool

    Returns
    -------
    list of float or None
        A sum for each order, none if there are no segments; None if a segment cannot be read.

    Notes
    -----
    Linear in the number of characters; matches without the GIL.
    """
    cdef ListTables tables = ListTables()
    cdef tuple refs = elements(references), hyps = elements(hypotheses)
    cdef bint compensated = sum_compensates()
    cdef Py_ssize_t i = 0, n, end
    cdef int order, n_orders = max_order - min_order + 1
    cdef double* sums
    if refs is None or hyps is None:
        return None
    if not hyps or n_orders < 1:
        n_orders = 0
    sums = <double*> PyMem_RawMalloc((2 * n_orders + max_order) * sizeof(double))
    if sums == NULL:
        raise MemoryError
    try:
        memset(sums, 0, 2 * n_orders * sizeof(double))
        end = min(len(hyps), len(refs))
        while i < end:
            tables.clear()
            n = 0
            while i < end and n < LIST_BATCH and (
                tables.hyps.n_tokens + tables.refs.n_tokens < BATCH_CHARACTERS
            ):
                if not (
                    read_text(refs[i], ignore_space, &tables.refs)
                    and read_text(hyps[i], ignore_space, &tables.hyps)
                ):
                    return None
                i += 1
                n += 1
            if n_orders:
                with nogil:
                    add_scores(
                        tables, n, min_order, max_order, factor, one_more, compensated, sums,
                        <int64_t*> (sums + 2 * n_orders),
                    )
            poll_signals()
        result = []
        for order in range(n_orders):
            result.append(sums[2 * order] + sums[2 * order + 1])
        return result
    finally:
        PyMem_RawFree(sums)


cdef bint read_text(item, bint ignore_space, TokensC* t) except -1:
    """Read a str, or a list or tuple of str, as characters."""
    cdef Py_ssize_t k = 0
    cdef PyObject* token
    if PyUnicode_CheckExact(item):
        push_characters(item, ignore_space, t)
    elif type(item) is list or type(item) is tuple:
        item = unshared(item)
        while k < PySequence_Fast_GET_SIZE(item):  # which a handler of signals may change
            token = PySequence_Fast_ITEMS(item)[k]
            if not PyUnicode_CheckExact(<object> token):
                return False
            if k and not ignore_space:
                push_characters(" ", False, t)
            push_characters(<object> token, ignore_space, t)
            k += 1
            if k % POLL_OBJECTS == 0:
                poll_signals()
    else:
        return False
    tokens_close_segment(t)
    return True


cdef int push_characters(text, bint ignore_space, TokensC* t) except -1:
    cdef Py_ssize_t i, n = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef int64_t end = t.n_tokens
    cdef uint32_t c
    tokens_reserve(t, n)
    memset(t.hi + end, 0, <size_t> n * sizeof(uint32_t))
    for i in range(n):
        c = PyUnicode_READ(kind, data, i)
        t.lo[end] = c
        end += not (ignore_space and is_space(c))
    t.n_tokens = end
    return 0


cdef inline bint is_space(uint32_t c) noexcept nogil:
    if c < 0x1680:
        return c == 0x20 or (c >= 9 and c <= 13) or c == 0x85 or c == 0xA0
    return (
        c == 0x1680 or (c >= 0x2000 and c <= 0x200A) or c == 0x2028 or c == 0x2029
        or c == 0x202F or c == 0x205F or c == 0x3000
    )


cdef int add_scores(
    ListTables tables, Py_ssize_t n, int min_order, int max_order, double factor, double one_more,
    bint compensated, double* sums, int64_t* counts,
) except -1 nogil:
    """Add the F-scores of a batch; `sums` holds total and lost digits of each order."""
    cdef int64_t k, hyp_len, ref_len
    cdef double precision, recall, below, score
    cdef double* total
    cdef int order
    for k in range(n):
        hyp_len, ref_len = segment_length(&tables.hyps, k), segment_length(&tables.refs, k)
        clipped_counts(
            &tables.hyps, k, &tables.refs, k, k + 1, max_order, counts, &tables.clipping, NULL
        )
        for order in range(min_order, max_order + 1):
            score = EPSILON
            if hyp_len >= order and ref_len >= order:
                precision = <double> counts[order - 1] / <double> (hyp_len - order + 1)
                recall = <double> counts[order - 1] / <double> (ref_len - order + 1)
                below = factor * precision + recall
                if below != 0.0:
                    score = one_more * (precision * recall) / below
            total = sums + 2 * (order - min_order)
            total[0] = add(compensated, total[0], score, total + 1)
    return 0


# --------------------------------------------------------------------------------------------------
# The counts behind NLTK's RIBES: aligned words, and pairs of them in the same order.

def count_orders(list pairs not None, /):
    """Align the words of hypotheses and references as NLTK does it.

    Parameters
    ----------
    pairs : list of (hypothesis, reference)
        Lists or tuples of str.

    Returns
    -------
    list of (int, int) or None
        Of each pair how many words are aligned, and how many pairs of these come in the same order;
        None if a text is anything else.

    Examples
    --------
    >>> count_orders([(["b", "a", "c"], ["a", "b", "c"])])
    [(3, 2)]
    """
    cdef TokensC hyps, refs
    cdef ScratchC scratch
    cdef int64_t aligned, ascending
    counts = []
    memset(&refs, 0, sizeof(TokensC))
    scratch_init(&scratch, KEY)
    try:
        tokens_open(&hyps)
        tokens_open(&refs)
        for hyp, ref in pairs:
            tokens_clear(&hyps)
            tokens_clear(&refs)
            if not push_list(hyp, &hyps) or not push_list(ref, &refs):
                return None
            word_order(&hyps, 0, &refs, 0, True, &aligned, &ascending, &scratch)
            counts.append((aligned, ascending))
        return counts
    finally:
        tokens_free(&hyps)
        tokens_free(&refs)
        scratch_free(&scratch)
