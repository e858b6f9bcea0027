"""C contract of `nltk.sums`."""

from libc.stdint cimport int64_t

from rapidbleu._core.common cimport IdleC
from rapidbleu._core.ngrams cimport ClippingC
from rapidbleu._core.text cimport TokensC


# Token lists: sequences of hashable tokens into token tables

cdef class ListTables:
    cdef TokensC hyps
    cdef TokensC refs
    cdef ClippingC clipping
    cdef int64_t* first_ref      # [segments of the batch + 1]
    cdef dict numbers            # of the tokens of one segment that are neither str nor int

    cdef int clear(self) except -1
    cdef int64_t memory(self) noexcept
    cdef bint read_segment(self, hypothesis, references, int64_t k) except -1
    cdef bint read_strings(self, hypothesis, references, int64_t k) except -1
    cdef int roll_back(self, int64_t k) except -1


cdef enum:
    LIST_BATCH = 64              # segments: their tokens stay in the first-level cache


cdef tuple elements(source)
cdef frozen(source)
cdef bint is_list(source)
cdef bint push_list(tokens, TokensC* t) except -1
cdef Py_ssize_t push_objects(tuple items, dict numbers, TokensC* t) except -1


# Counters: n-grams of token lists

# Adds n segments of a batch to sums; `counts` has room for a count of each order.
ctypedef int (*AddC)(
    ListTables tables, Py_ssize_t n, int min_order, int max_order, int64_t* counts, int64_t* sums
) except -1 nogil


cdef class ListCounter:
    cdef IdleC idle              # tables that no call is using

    cdef ListTables take_tables(self)
    cdef int return_tables(self, ListTables tables) except -1
    cdef bint add_one(
        self, references, hypothesis, AddC add_batch, int min_order, int max_order,
        int64_t* counts, int64_t* sums, int n_sums,
    ) except -1
    cdef list add_all(
        self, list_of_references, hypotheses, AddC add_batch, int min_order, int max_order,
        int n_sums
    )
