"""References tokenized once: flat arrays of token identities, read-only after they are made.

Eight bytes a token, two offsets a reference, and a record and the bytes of each long token.  No
table of n-grams is kept: matching needs none, and building one is what makes cached references
heavy elsewhere.

The identities of long tokens are hashes keyed for one process, so a pickle carries the bytes and
the receiving process hashes them again.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.columns cimport Kind
from rapidbleu._core.tokens cimport (
    LongTokenC, TokensC, long_identity, longs_grow, text_grow, tokens_close_segment, tokens_free,
    tokens_init, tokens_memory, tokens_reserve,
)


cdef class PreparedReferences:
    """Tokenized references of a corpus.

    Attributes
    ----------
    length : int
        Segments.
    num_refs : int
        References of every segment; -1 if it varies.
    """

    def __cinit__(self):
        tokens_init(&self.tokens)

    def __dealloc__(self):
        tokens_free(&self.tokens)
        PyMem_RawFree(self.first)

    def __len__(self):
        return self.length

    @property
    def is_text(self):
        """Were they strings, rather than lists of tokens or ids?"""
        return self.kind == Kind.TEXT

    @property
    def n_tokens(self):
        """Tokens of all references."""
        return self.tokens.n_tokens

    def __sizeof__(self):
        return tokens_memory(&self.tokens) + 8 * (self.length + 1)

    cdef int allocate(self, Py_ssize_t length) except -1:
        self.first = <int64_t*> PyMem_RawMalloc((length + 1) * sizeof(int64_t))
        if self.first == NULL:
            raise MemoryError
        self.first[0] = 0
        self.length = length
        return 0

    def __reduce__(self):
        cdef TokensC* t = &self.tokens
        return restore, (
            self.length,
            self.num_refs,
            <int> self.kind,
            copy_out(self.first, (self.length + 1) * sizeof(int64_t)),
            copy_out(t.first_token, (t.n_segments + 1) * sizeof(int64_t)),
            copy_out(t.first_long, (t.n_segments + 1) * sizeof(int64_t)),
            copy_out(t.lo, t.n_tokens * sizeof(uint32_t)),
            copy_out(t.hi, t.n_tokens * sizeof(uint32_t)),
            copy_out(t.longs, t.n_longs * sizeof(LongTokenC)),
            copy_out(t.text, t.text_length),
        )

    cdef restore_text_identities(self):
        """Hash every long token with this process's key."""
        cdef TokensC* t = &self.tokens
        cdef int64_t segment, k, token
        for segment in range(t.n_segments):
            for k in range(t.first_long[segment], t.first_long[segment + 1]):
                token = t.first_token[segment] + t.longs[k].index
                long_identity(
                    t.text + t.longs[k].position, t.longs[k].length, &t.lo[token], &t.hi[token]
                )


cdef bytes copy_out(const void* data, int64_t size):
    return PyBytes_FromStringAndSize(<const char*> data, size)


def restore(
    Py_ssize_t length, Py_ssize_t num_refs, int kind, bytes first, bytes first_token,
    bytes first_long, bytes lo, bytes hi, bytes longs, bytes text,
):
    """Rebuild pickled references; for pickle only."""
    cdef PreparedReferences p = PreparedReferences()
    cdef TokensC* t = &p.tokens
    cdef int64_t i, n_segments = len(first_token) // sizeof(int64_t) - 1
    cdef const int64_t* tokens_before = <const int64_t*> PyBytes_AS_STRING(first_token)
    cdef const int64_t* longs_before = <const int64_t*> PyBytes_AS_STRING(first_long)
    p.allocate(length)
    p.num_refs = num_refs
    p.kind = <Kind> kind
    memcpy(p.first, PyBytes_AS_STRING(first), len(first))
    tokens_reserve(t, len(lo) // sizeof(uint32_t))
    longs_grow(t, len(longs) // sizeof(LongTokenC))
    text_grow(t, len(text))
    memcpy(t.lo, PyBytes_AS_STRING(lo), len(lo))
    memcpy(t.hi, PyBytes_AS_STRING(hi), len(hi))
    memcpy(t.longs, PyBytes_AS_STRING(longs), len(longs))
    memcpy(t.text, PyBytes_AS_STRING(text), len(text))
    t.text_length = len(text)
    for i in range(n_segments):
        t.n_tokens, t.n_longs = tokens_before[i + 1], longs_before[i + 1]
        tokens_close_segment(t)
    p.restore_text_identities()
    return p
