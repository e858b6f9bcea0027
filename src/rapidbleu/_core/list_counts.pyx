"""Sums of n-gram counts over a corpus of token lists: what NLTK's BLEU and GLEU are made of.

A batch of segments is read into token tables with the GIL held, as tokens are Python objects, and
matched without it.  64 segments a batch keep what was read in the first-level cache until it is
matched; a batch ends sooner when its tokens are many.  Signals are looked at between batches.

Nothing here judges what it is given: where a segment cannot be read the answer is None, and the
caller does it in Python, step by step as NLTK would, with the errors that come of it.

BLEU counts at least one n-gram of every order in every segment, GLEU the orders of a range
together, each segment against the reference that gives the best ratio.

A counter keeps the tables that are idle, so a call for one sentence allocates nothing.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common.py_lists cimport list_integers, take_last
from rapidbleu._core.common cimport poll_signals
from rapidbleu._core.ngrams cimport CLOSEST, clipped_counts, reference_length
from rapidbleu._core.text cimport segment_length
from rapidbleu._core.token_lists cimport LIST_BATCH, ListTables, elements


cdef enum:
    BATCH_TOKENS = 1 << 14
    KEPT_BYTES = 1 << 20    # memory that idle tables may hold
    KEPT_TABLES = 8


# Adds n segments of a batch to sums; `counts` has room for a count of each order.
ctypedef int (*AddC)(
    ListTables tables, Py_ssize_t n, int min_order, int max_order, int64_t* counts, int64_t* sums
) except -1 nogil


cdef class ListCounter:
    """Counts n-grams of token lists.

    Notes
    -----
    Any number of threads may use the same counter.
    """

    cdef list idle

    def __cinit__(self):
        self.idle = []

    cdef ListTables take_tables(self):
        idle = take_last(self.idle)
        return ListTables() if idle is None else idle

    cdef int return_tables(self, ListTables tables) except -1:
        if len(self.idle) < KEPT_TABLES and tables.memory() <= KEPT_BYTES:
            self.idle.append(tables)
        return 0

    def bleu(self, list_of_references, hypotheses, int max_order):
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

    def gleu(self, list_of_references, hypotheses, int min_order, int max_order):
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

    cdef list add_all(
        self, list_of_references, hypotheses, AddC add, int min_order, int max_order, int n_sums
    ):
        """The sums over all segments of what `add` adds; None if one of them cannot be read."""
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
                    add(tables, n, min_order, max_order, counts, sums)
                begin += n
                poll_signals()
            return list_integers(sums, n_sums)
        finally:
            PyMem_RawFree(sums)
            self.return_tables(tables)


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
