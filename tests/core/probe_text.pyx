"""The headers of `_core/text`, called directly."""

from array import array

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from rapidbleu._core.common cimport (
    EncodersC, encoders_select, rb_decode, rb_lower_ascii, rb_utf8_check,
)
from rapidbleu._core.text cimport (
    LongTokenC, TokensC, class_table_add, class_table_free, class_table_init, rb_class_table,
    replace_escapes, segment_length, text_reserve, tokens_append, tokens_clear,
    tokens_close_segment, tokens_free, tokens_init, tokens_push, tokens_push_id,
)


cdef extern from "text/classify.h" nogil:
    enum:
        RB_PLANES
    ctypedef void (*rb_classify_fn)(const rb_class_table*, const uint8_t*, uint64_t*) noexcept
    rb_classify_fn rb_classify_select() noexcept


cdef extern from "text/token_table.h" nogil:
    bint same_long "rb_same_long" (
        const TokensC* a, const LongTokenC* x, const TokensC* b, const LongTokenC* y
    ) noexcept


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
        """Return index and bytes of the long tokens of a segment."""
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


cdef bytes padded(bytes text, int64_t n=72):
    return text + b" " * n


def decode(bytes text):
    cdef bytes own = padded(text)
    cdef const uint8_t* p = own
    cdef const uint8_t* end = p + len(text)
    cdef uint32_t code_point
    found = []
    while p < end:
        p += rb_decode(p, &code_point)
        found.append(code_point)
    return found


def encode(str text, int width, bint lower=False):
    """Encode text stored in 1, 2 or 4 bytes per character; for 1 optionally in lower case."""
    return encode_points(list(map(ord, text)), width, lower)


def encode_points(list points, int width, bint lower=False):
    cdef bytes stored = array({1: "B", 2: "H", 4: "I"}[width], points).tobytes()
    cdef const char* p = stored
    cdef Py_ssize_t n = len(points)
    cdef bytearray out = bytearray(4 * n + 130)
    cdef uint8_t* begin = out
    cdef uint8_t* end
    cdef EncodersC encoders = encoders_select()
    if width == 1:
        end = encoders.latin1(<const uint8_t*> p, n, begin, lower)
    elif width == 2:
        end = encoders.ucs2(<const uint16_t*> p, n, begin)
    else:
        end = encoders.ucs4(<const uint32_t*> p, n, begin)
    return bytes(out[:end - begin])


def lower(bytes text):
    cdef bytearray own = bytearray(text)
    rb_lower_ascii(own, len(own))
    return bytes(own)


def first_malformed(bytes text):
    cdef const uint8_t* p = text
    return rb_utf8_check(p, p + len(text)) - p


def unescape(bytes text):
    """Return the result of 13a's replacements, and the bytes after it."""
    cdef bytearray own = bytearray(b"&" + text)  # nothing before the text is touched
    cdef int64_t end = replace_escapes(own, 1, len(own))
    assert own[0] == b"&"[0]
    return bytes(own[1:end]), bytes(own[end:])


cdef class Classes:
    """Classes of characters."""

    cdef rb_class_table table

    def __cinit__(self, bytes ascii_classes, wide_classes):
        class_table_init(&self.table, ascii_classes)
        for first, last, kind in wide_classes:
            class_table_add(&self.table, first, last, kind)

    def __dealloc__(self):
        class_table_free(&self.table)

    def planes(self, bytes block):
        cdef uint64_t[RB_PLANES] planes
        rb_classify_select()(&self.table, block, planes)
        return [planes[k] for k in range(RB_PLANES)]
