"""Token lists: segments given as sequences of any hashable objects, into token tables.

Counting asks only which tokens of one segment are equal, and a table holds 64 bits a token.  So
there are three ways in, chosen for each segment with all its references, cheapest first:

* every token is exactly a str: the bytes are the identity, as in scanned text, and no hash of the
  string is ever asked for;
* every token is exactly an int of 64 bits: the number is the identity;
* anything else is numbered by a dictionary of the segment, in which 1, 1.0 and True are one key,
  as they are one n-gram in a Counter of tuples.

The first two run none of the caller's code, so lists can be read where they lie.  The third calls
`__hash__` and `__eq__`, which may do anything: it works on snapshots.  What has no length, can be
iterated only once or holds an unhashable token is left unread, and the caller falls back to doing
literally what Python would do, errors included.  Reading stops at the first token of another
kind, so trying the ways in turn costs at most three passes over a segment.

Memory: the tables of one batch.
"""

from libc.stdint cimport int64_t, uint64_t

from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.common cimport POLL_OBJECTS, hash_key, poll_due, poll_signals, use_v3
from rapidbleu._core.ngrams cimport clipping_free, clipping_init, clipping_memory
from rapidbleu._core.prepared cimport tokens_open
from rapidbleu._core.reader cimport push_strings
from rapidbleu._core.text cimport (
    tokens_clear, tokens_close_segment, tokens_free, tokens_memory, tokens_push_id,
)


cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1


cdef enum Form:
    STRINGS
    INTEGERS
    OBJECTS

cdef uint64_t KEY = hash_key()
cdef bint VECTORS = use_v3()


cdef frozen(source):
    """A list or tuple of the elements of anything that can be iterated again; otherwise None."""
    if type(source) is list or type(source) is tuple:
        return source
    try:
        length = len(source)
        if iter(source) is source:
            return None
        result = tuple(source)
    except Exception:
        return None
    return result if len(result) == length else None


cdef tuple elements(source):
    """The elements of a sequence, which nobody can change; None where `frozen` has none."""
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
        clipping_init(&self.clipping, KEY, VECTORS)
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
        cdef tuple several = elements(references)
        cdef list lists
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
            roll_back(&self.hyps, k)
            roll_back(&self.refs, self.first_ref[k])
        try:
            return push_segment(self, list(map(tuple, lists)), Form.OBJECTS)
        finally:
            self.numbers.clear()


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
