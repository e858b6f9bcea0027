"""chrF as NLTK averages it: an F-score for every order of every segment.

A character is its own identity, so a segment's text goes into a token table as it is read, from a
str or from the tokens of a list, with white space left out on the way: no joined or stripped
string is ever made.  Matches come from clipped counting with one reference.  Scores are added up
as the running interpreter's `sum` adds them, so that they have the same bits.

White space is what Unicode calls White_Space, which lacks the four separators of ASCII that
`str.isspace` has.  Linear in the number of characters; memory for one batch of segments.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact

from rapidbleu._core.common.python_sum cimport add, sum_compensates
from rapidbleu._core.common cimport POLL_OBJECTS, poll_signals
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport TokensC, segment_length, tokens_close_segment, tokens_reserve
from rapidbleu._core.token_lists cimport LIST_BATCH, ListTables, elements


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
    bint ignore_space,
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
