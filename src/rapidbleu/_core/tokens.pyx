"""Token tables: many segments as rows of 64-bit token identities.

The idea: counting n-grams needs to know which tokens are equal and nothing else, so a token becomes
64 bits as soon as it is found and no Python object is ever made of it.  A token of up to eight
bytes without NUL *is* its bytes, zero-padded.  Any other token is *long*: its identity is a hash of
its bytes with a zero in the lowest byte, where short tokens have their first character, so the two
kinds never meet.  A hash may collide; therefore the bytes of long tokens are kept beside the table
and whoever finds two long identities equal compares the bytes before believing it.  On real text a
fifth of the tokens is long; hashing and comparing those costs three nanoseconds for each token of a
text, less than a look-up of every token in one dictionary, which leaves the caches.

The hash is keyed (secret.pxd), so nobody can prepare text whose tokens collide.  No result depends
on the keys.

Memory: two arrays of 32-bit halves (eight are compared at a time), the offset of each segment, and
(position, length, index) of each long token.  Everything grows by doubling and is owned by whoever
called `tokens_init`.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, memmove, memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc

from rapidbleu._core.native cimport rb_fold, rb_load64, rb_low_bytes
from rapidbleu._core.secret cimport secret_key
from rapidbleu._core.sizes cimport bytes_of


cdef uint64_t KEYS[4]
for _place in range(4):
    KEYS[_place] = secret_key()


cdef int grow(void** array, int64_t* capacity, int64_t needed, size_t size) except -1 nogil:
    """Make an array hold at least `needed` items, by doubling."""
    cdef int64_t wanted = 2 * capacity[0] if capacity[0] < INT64_MAX // 4 else needed
    cdef void* larger
    if wanted < needed:
        wanted = needed
    larger = PyMem_RawRealloc(array[0], bytes_of(wanted, size))
    if larger == NULL:
        with gil:
            raise MemoryError
    array[0] = larger
    capacity[0] = wanted
    return 0


cdef int tokens_init(TokensC* t) except -1 nogil:
    memset(t, 0, sizeof(TokensC))
    tokens_grow(t, 256)
    longs_grow(t, 64)
    text_grow(t, 1024)
    segments_grow(t, 16)
    tokens_clear(t)
    return 0


cdef void tokens_free(TokensC* t) noexcept nogil:
    PyMem_RawFree(t.lo)
    PyMem_RawFree(t.hi)
    PyMem_RawFree(t.first_token)
    PyMem_RawFree(t.first_long)
    PyMem_RawFree(t.longs)
    PyMem_RawFree(t.text)
    memset(t, 0, sizeof(TokensC))


cdef void tokens_clear(TokensC* t) noexcept nogil:
    """Forget all segments and keep the memory."""
    t.n_tokens = t.n_longs = t.n_segments = t.text_length = 0
    t.first_token[0] = t.first_long[0] = 0


cdef int64_t tokens_memory(const TokensC* t) noexcept nogil:
    """Bytes held."""
    return (
        t.text_capacity + 8 * t.token_capacity + 16 * t.segment_capacity
        + <int64_t> sizeof(LongTokenC) * t.long_capacity
    )


cdef int tokens_grow(TokensC* t, int64_t n) except -1 nogil:
    # Both halves share one capacity: it is written back only when both have grown.
    cdef int64_t lo_capacity = t.token_capacity, hi_capacity = t.token_capacity
    cdef int64_t needed = t.n_tokens + n + SPARE_TOKENS
    grow(<void**> &t.lo, &lo_capacity, needed, sizeof(uint32_t))
    grow(<void**> &t.hi, &hi_capacity, needed, sizeof(uint32_t))
    t.token_capacity = lo_capacity - SPARE_TOKENS
    return 0


cdef int longs_grow(TokensC* t, int64_t n) except -1 nogil:
    grow(<void**> &t.longs, &t.long_capacity, t.n_longs + n, sizeof(LongTokenC))
    return 0


cdef int text_grow(TokensC* t, int64_t n) except -1 nogil:
    grow(<void**> &t.text, &t.text_capacity, t.text_length + n + PADDING, 1)
    return 0


cdef int segments_grow(TokensC* t, int64_t n) except -1 nogil:
    cdef int64_t token_capacity = t.segment_capacity, long_capacity = t.segment_capacity
    cdef int64_t needed = t.n_segments + n + 1
    grow(<void**> &t.first_token, &token_capacity, needed, sizeof(int64_t))
    grow(<void**> &t.first_long, &long_capacity, needed, sizeof(int64_t))
    t.segment_capacity = token_capacity
    return 0


cdef int tokens_close_segment(TokensC* t) except -1 nogil:
    """End a segment: the tokens since the last end are its tokens."""
    if t.n_segments + 2 > t.segment_capacity:
        segments_grow(t, 1)
    t.n_segments += 1
    t.first_token[t.n_segments] = t.n_tokens
    t.first_long[t.n_segments] = t.n_longs
    return 0


cdef int tokens_push(TokensC* t, int64_t position, int64_t length) except -1 nogil:
    """Append the token of `length` bytes at `position` of the text, which is padded."""
    cdef const uint8_t* text = t.text + position
    cdef uint64_t word
    cdef LongTokenC* record
    tokens_reserve(t, 1)
    if 0 < length <= RB_SHORT_TOKEN and memchr(text, 0, <size_t> length) == NULL:
        word = rb_short_identity(text, length)
        t.lo[t.n_tokens] = <uint32_t> word
        t.hi[t.n_tokens] = <uint32_t> (word >> 32)
    else:
        long_identity(text, length, &t.lo[t.n_tokens], &t.hi[t.n_tokens])
        record = &t.longs[t.n_longs]
        record.position = position
        record.length = <int32_t> length
        record.index = <int32_t> (t.n_tokens - t.first_token[t.n_segments])
        t.n_longs += 1
    t.n_tokens += 1
    return 0


cdef int tokens_push_id(TokensC* t, uint64_t identity) except -1 nogil:
    """Append a token that the caller has numbered."""
    tokens_reserve(t, 1)
    t.lo[t.n_tokens] = <uint32_t> identity
    t.hi[t.n_tokens] = <uint32_t> (identity >> 32)
    t.n_tokens += 1
    return 0


cdef int tokens_append(TokensC* t, const TokensC* source, int64_t segment) except -1 nogil:
    """Append a segment of another table."""
    cdef int64_t first = source.first_token[segment], n = source.first_token[segment + 1] - first
    cdef int64_t k
    cdef LongTokenC record
    tokens_reserve(t, n)
    memcpy(t.lo + t.n_tokens, source.lo + first, <size_t> n * sizeof(uint32_t))
    memcpy(t.hi + t.n_tokens, source.hi + first, <size_t> n * sizeof(uint32_t))
    for k in range(source.first_long[segment], source.first_long[segment + 1]):
        record = source.longs[k]
        text_reserve(t, record.length)
        memcpy(t.text + t.text_length, source.text + record.position, <size_t> record.length)
        record.position = t.text_length
        t.text_length += record.length
        t.longs[t.n_longs] = record
        t.n_longs += 1
    t.n_tokens += n
    return tokens_close_segment(t)


cdef void hash_longs(TokensC* t) noexcept nogil:
    """Give the long tokens of the segment that is being read their identities."""
    cdef int64_t k, token
    for k in range(t.first_long[t.n_segments], t.n_longs):
        token = t.first_token[t.n_segments] + t.longs[k].index
        long_identity(
            t.text + t.longs[k].position, t.longs[k].length, &t.lo[token], &t.hi[token]
        )


cdef void drop_short_text(TokensC* t, int64_t segment) noexcept nogil:
    """Of the text of the last segment, keep the bytes of its long tokens."""
    cdef int64_t k, kept
    cdef LongTokenC* record
    kept = 0
    if t.first_long[segment] > 0:
        record = &t.longs[t.first_long[segment] - 1]
        kept = record.position + record.length
    for k in range(t.first_long[segment], t.n_longs):
        record = &t.longs[k]
        memmove(t.text + kept, t.text + record.position, <size_t> record.length)
        record.position = kept
        kept += record.length
    t.text_length = kept


cdef void long_identity(
    const uint8_t* text, int64_t length, uint32_t* lo, uint32_t* hi
) noexcept nogil:
    """Keyed hash of any number of bytes; the lowest byte is zero.  Reads up to 8 bytes beyond."""
    cdef uint64_t h = KEYS[0] ^ <uint64_t> length
    cdef int64_t i = 0
    if length <= RB_SHORT_TOKEN:
        h = rb_fold(rb_low_bytes(rb_load64(text), <int> length) ^ KEYS[1], h)
    else:
        while length - i > 16:
            h = rb_fold(rb_load64(text + i) ^ KEYS[2], rb_load64(text + i + 8) ^ h)
            i += 16
        # the last sixteen bytes, some of which the loop may have seen
        i = length - 16 if length > 16 else 0
        h = rb_fold(rb_load64(text + i) ^ KEYS[3], rb_load64(text + length - 8) ^ h)
    lo[0] = <uint32_t> h & <uint32_t> 0xFFFFFF00
    hi[0] = <uint32_t> (h >> 32)
