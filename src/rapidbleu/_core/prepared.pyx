"""References tokenized once: flat arrays of token identities, read-only after they are made.

Eight bytes a token, two offsets a reference, and a record and the bytes of each long token.  No
table of n-grams is kept: matching needs none, and building one is what makes cached references
heavy elsewhere.

The identities of long tokens are hashes keyed for one process, so a pickle carries the bytes and
the receiving process hashes them again.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.columns cimport Kind
from rapidbleu._core.common cimport hash_key
from rapidbleu._core.text cimport (
    LongTokenC, TOKEN_KEYS, TokensC, long_identity, longs_grow, text_grow, tokens_close_segment,
    tokens_free, tokens_init, tokens_memory, tokens_reserve,
)


cdef uint64_t[TOKEN_KEYS] KEYS
for _place in range(TOKEN_KEYS):
    KEYS[_place] = hash_key()


cdef int tokens_open(TokensC* t) except -1:
    """An empty table; all tables that this makes share their keys."""
    return tokens_init(t, KEYS)


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
        tokens_open(&self.tokens)

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

    cdef int require(self, int n_sequences) except -1:
        """Refuse references whose texts have another number of sequences of tokens."""
        if self.tokens.n_segments != n_sequences * self.first[self.length]:
            raise ValueError(
                f"references: expected {n_sequences} for each text, got others, prepared for "
                "another metric"
            )
        return 0

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
                    t, t.text + t.longs[k].position, t.longs[k].length, &t.lo[token], &t.hi[token]
                )


cdef bytes copy_out(const void* data, int64_t size):
    return PyBytes_FromStringAndSize(<const char*> data, size)


cdef refuse(str what, str expected, got):
    raise ValueError(f"pickled references: {what}: expected {expected}, got {got}")


cdef int check_size(str name, bytes data, int64_t n_items, int64_t size) except -1:
    if len(data) % size or len(data) // size != n_items:
        refuse(name, f"{n_items} items of {size} bytes", f"{len(data)} bytes")
    return 0


cdef int64_t check_ends(str name, bytes data) except -1:
    """Refuse offsets that do not begin with 0, or fall; returns the last one."""
    cdef const int64_t* ends = <const int64_t*> PyBytes_AS_STRING(data)
    cdef int64_t i, n = len(data) // <int64_t> sizeof(int64_t)
    if n == 0 or ends[0] != 0:
        refuse(f"{name}[0]", "0", ends[0] if n else "nothing")
    for i in range(1, n):
        if ends[i] < ends[i - 1]:
            refuse(f"{name}[{i}]", f"at least {ends[i - 1]}", ends[i])
    return ends[n - 1]


cdef int check_num_refs(Py_ssize_t num_refs, const int64_t* first, int64_t length) except -1:
    cdef int64_t i
    if num_refs < -1:
        refuse("num_refs", "-1 or more", num_refs)
    for i in range(length if num_refs != -1 else 0):
        if first[i + 1] - first[i] != num_refs:
            refuse("num_refs", f"{first[i + 1] - first[i]}, as many as of segment {i}", num_refs)
    return 0


cdef int check_longs(
    const LongTokenC* longs, const int64_t* first_token, const int64_t* first_long,
    int64_t n_segments, int64_t text_length,
) except -1:
    """Refuse long tokens that are out of order, or beyond their segment or the text."""
    cdef int64_t i, k, next_index, n
    for i in range(n_segments):
        n, next_index = first_token[i + 1] - first_token[i], 0
        for k in range(first_long[i], first_long[i + 1]):
            if not next_index <= longs[k].index < n:
                refuse(f"longs[{k}].index", f"{next_index} to {n - 1}", longs[k].index)
            next_index = <int64_t> longs[k].index + 1
            if longs[k].length < 0 or not 0 <= longs[k].position <= text_length - longs[k].length:
                refuse(
                    f"longs[{k}]", f"a part of {text_length} bytes",
                    f"{longs[k].length} from {longs[k].position} on",
                )
    return 0


def restore(
    Py_ssize_t length, Py_ssize_t num_refs, int kind, bytes first, bytes first_token,
    bytes first_long, bytes lo, bytes hi, bytes longs, bytes text,
):
    """Rebuild pickled references; for pickle only.

    Raises
    ------
    ValueError
        If the parts do not fit together; whatever they are, nothing is read beyond their ends.
    """
    cdef PreparedReferences p = PreparedReferences()
    cdef TokensC* t = &p.tokens
    cdef int64_t i, n_segments
    cdef const int64_t* tokens_before
    cdef const int64_t* longs_before
    check_size("first", first, length + 1 if length >= 0 else 0, sizeof(int64_t))
    n_segments = check_ends("first", first)
    if n_segments and len(first_token) // <int64_t> sizeof(int64_t) - 1 == 2 * n_segments:
        n_segments *= 2  # of chrF with words
    check_size("first_token", first_token, n_segments + 1, sizeof(int64_t))
    check_size("first_long", first_long, n_segments + 1, sizeof(int64_t))
    check_size("lo", lo, check_ends("first_token", first_token), sizeof(uint32_t))
    check_size("hi", hi, len(lo) // <int64_t> sizeof(uint32_t), sizeof(uint32_t))
    check_size("longs", longs, check_ends("first_long", first_long), sizeof(LongTokenC))
    check_num_refs(num_refs, <const int64_t*> PyBytes_AS_STRING(first), length)
    if not 0 <= kind <= <int> Kind.ABSENT:
        refuse("kind", f"0 to {<int> Kind.ABSENT}", kind)
    tokens_before = <const int64_t*> PyBytes_AS_STRING(first_token)
    longs_before = <const int64_t*> PyBytes_AS_STRING(first_long)
    check_longs(
        <const LongTokenC*> PyBytes_AS_STRING(longs), tokens_before, longs_before, n_segments,
        len(text),
    )
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
