"""The token table, called directly."""


from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from rapidbleu._core.text cimport (
    TokensC, same_long, segment_length, text_reserve, tokens_append, tokens_clear,
    tokens_close_segment, tokens_free, tokens_init, tokens_push, tokens_push_id,
)


cdef class Tokens:
    """A token table."""

    cdef TokensC tokens
    cdef uint64_t[4] keys

    def __cinit__(self, keys):
        for i in range(4):
            self.keys[i] = keys[i]
        tokens_init(&self.tokens, self.keys)

    def __dealloc__(self):
        tokens_free(&self.tokens)

    def clear(self):
        tokens_clear(&self.tokens)

    def add(self, list segment):
        """Append a segment of bytes and of ids."""
        cdef bytes token
        for item in segment:
            if isinstance(item, int):
                tokens_push_id(&self.tokens, item)
                continue
            token = item
            text_reserve(&self.tokens, len(token))
            memcpy(self.tokens.text + self.tokens.text_length, <const char*> token, len(token))
            tokens_push(&self.tokens, self.tokens.text_length, len(token))
            self.tokens.text_length += len(token)
        tokens_close_segment(&self.tokens)

    def append(self, Tokens other, int64_t segment):
        tokens_append(&self.tokens, &other.tokens, segment)

    def identities(self, int64_t segment):
        cdef int64_t first = self.tokens.first_token[segment], k
        return [
            <uint64_t> self.tokens.hi[k] << 32 | self.tokens.lo[k]
            for k in range(first, first + segment_length(&self.tokens, segment))
        ]

    def longs(self, int64_t segment):
        """Index and bytes of the long tokens of a segment."""
        cdef int64_t k
        return [
            (
                self.tokens.longs[k].index,
                (<char*> self.tokens.text + self.tokens.longs[k].position)[
                    :self.tokens.longs[k].length
                ],
            )
            for k in range(self.tokens.first_long[segment], self.tokens.first_long[segment + 1])
        ]

    def same(self, int64_t i, Tokens other, int64_t j):
        return bool(
            same_long(&self.tokens, self.tokens.longs + i, &other.tokens, other.tokens.longs + j)
        )
