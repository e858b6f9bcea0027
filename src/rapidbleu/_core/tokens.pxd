"""C contract of the token table: segments as rows of 64-bit token identities."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from rapidbleu._core.native cimport rb_same_bytes


cdef extern from "emit.h" nogil:
    enum:
        RB_SHORT_TOKEN
    ctypedef struct LongTokenC "rb_long_token":
        int64_t position
        int32_t length
        int32_t index
    uint64_t rb_short_identity(const uint8_t* text, int64_t length) noexcept


cdef enum:
    PADDING = 72       # readable bytes behind every text: one block of the scanner and one word
    SPARE_TOKENS = 64  # readable identities behind the last token: one mask of the matcher


ctypedef struct TokensC:
    uint32_t* lo            # identity of each token, lower and upper half
    uint32_t* hi
    int64_t n_tokens
    int64_t token_capacity
    int64_t* first_token    # [n_segments + 1]
    int64_t* first_long     # [n_segments + 1], into longs
    int64_t n_segments
    int64_t segment_capacity
    LongTokenC* longs       # tokens whose identity is a hash, in order
    int64_t n_longs
    int64_t long_capacity
    uint8_t* text           # where the longs' bytes are
    int64_t text_length
    int64_t text_capacity


cdef int grow(void** array, int64_t* capacity, int64_t needed, size_t size) except -1 nogil
cdef int tokens_init(TokensC* t) except -1 nogil
cdef void tokens_free(TokensC* t) noexcept nogil
cdef void tokens_clear(TokensC* t) noexcept nogil
cdef int64_t tokens_memory(const TokensC* t) noexcept nogil
cdef int tokens_grow(TokensC* t, int64_t n) except -1 nogil
cdef int longs_grow(TokensC* t, int64_t n) except -1 nogil
cdef int text_grow(TokensC* t, int64_t n) except -1 nogil
cdef int tokens_push(TokensC* t, int64_t position, int64_t length) except -1 nogil
cdef int tokens_push_id(TokensC* t, uint64_t identity) except -1 nogil
cdef int tokens_append(TokensC* t, const TokensC* source, int64_t segment) except -1 nogil
cdef int tokens_close_segment(TokensC* t) except -1 nogil
cdef void hash_longs(TokensC* t) noexcept nogil
cdef void drop_short_text(TokensC* t, int64_t segment) noexcept nogil
cdef void long_identity(
    const uint8_t* text, int64_t length, uint32_t* lo, uint32_t* hi
) noexcept nogil


cdef inline int tokens_reserve(TokensC* t, int64_t n) except -1 nogil:
    """Room for n more tokens, any of which may be long."""
    if t.n_tokens + n > t.token_capacity:
        tokens_grow(t, n)
    if t.n_longs + n > t.long_capacity:
        longs_grow(t, n)
    return 0


cdef inline int text_reserve(TokensC* t, int64_t n) except -1 nogil:
    """Room for n more bytes of text and their padding."""
    if t.text_length + n + PADDING > t.text_capacity:
        text_grow(t, n)
    return 0


cdef inline bint same_long(
    const TokensC* a, const LongTokenC* x, const TokensC* b, const LongTokenC* y
) noexcept nogil:
    """Have a long token x of table a and one of table b the same bytes?"""
    return x.length == y.length and rb_same_bytes(
        a.text + x.position, b.text + y.position, x.length
    )


cdef inline int64_t segment_length(const TokensC* t, int64_t segment) noexcept nogil:
    """Number of tokens of a segment."""
    return t.first_token[segment + 1] - t.first_token[segment]


cdef inline int64_t text_tokens(const TokensC* t, int64_t text, int n_sequences) noexcept nogil:
    """Number of tokens of a text, in all its sequences."""
    return t.first_token[n_sequences * (text + 1)] - t.first_token[n_sequences * text]
