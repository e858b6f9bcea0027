"""The one place where segments of every form enter token tables.

A string is brought to the table's text as UTF-8, ASCII copied and the wider forms encoded on the
way, lowercased if asked, and left for the scanner, which needs no GIL.  Tokens made elsewhere (by a
user's tokenizer or in lists) and integer ids become identities at once.

Lower case is `str.lower`: inside Latin-1 it is done on the bytes, where it changes no length;
otherwise the interpreter does it (a final sigma, a dotted capital I).
"""

from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)
from libc.string cimport memcpy, memset

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.columns cimport Column, Kind, id_of, plain_ids
from rapidbleu._core.native cimport (
    rb_encode_latin1, rb_encode_ucs2, rb_encode_ucs4, rb_lower_ascii, rb_lower_latin1,
)
from rapidbleu._core.scanner cimport Scanner
from rapidbleu._core.tokens cimport (
    PADDING, TokensC, text_reserve, tokens_close_segment, tokens_push, tokens_push_id,
)


cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    bint PyUnicode_CheckExact(object text)
    bint PyUnicode_IS_ASCII(object text)
    str PyUnicode_FromObject(object text)
    void* PyUnicode_DATA(object text)


cdef enum:
    LONGEST_TEXT = 0x7FFFFC00  # bytes of one segment, so that offsets within it are 32 bits


cdef class Reader:
    """How a metric reads its segments.

    Parameters
    ----------
    scanner : Scanner or None
        The compiled tokenizer; None: `rule` is called.
    rule : callable str -> list of str or str
        A tokenizer in Python; a str it returns is split on white space.
    lowercase : bool

    Notes
    -----
    Immutable once made; safe to share between threads if `rule` is.
    """

    def __cinit__(self, Scanner scanner, rule, bint lowercase):
        self.scanner = scanner
        self.rule = rule
        self.lowercase = lowercase

    cdef bint read(
        self, Column column, Py_ssize_t i, TokensC* t, int64_t* begin, int64_t* end
    ) except -1:
        """Read segment i; True: its text lies at [begin, end) of t.text and awaits the scanner."""
        cdef const uint8_t* data
        cdef int64_t size
        if column.kind == Kind.TEXT:
            if column.arrow is None:
                return self.read_text(column.items[i], t, begin, end)
            column.arrow.get(i, &data, &size)
            if self.scanner is None or self.lowercase:
                return self.read_text(data[:size].decode("utf-8"), t, begin, end)
            append_bytes(t, data, size, begin, end)
            return True
        if column.kind == Kind.IDS:
            push_ids(column.items[i], t)
        else:
            for token in column.items[i]:
                if self.lowercase:
                    token = exact_str(token, "token").lower()
                push_token(token, "token", t)
        tokens_close_segment(t)
        return False

    cdef bint read_text(self, segment, TokensC* t, int64_t* begin, int64_t* end) except -1:
        """Read a string; True: its text awaits the scanner."""
        cdef str text = exact_str(segment, "segment")
        if self.lowercase and (self.scanner is None or PyUnicode_KIND(text) != 1):
            text = exact_str(text.lower(), "segment")
        if self.scanner is not None:
            append_text(t, text, begin, end)
            if self.lowercase and PyUnicode_KIND(text) == 1:
                if PyUnicode_IS_ASCII(text):
                    rb_lower_ascii(t.text + begin[0], end[0] - begin[0])
                else:
                    rb_lower_latin1(t.text + begin[0], end[0] - begin[0])
            return True
        tokens = self.rule(text.rstrip())
        if isinstance(tokens, str):
            tokens = (<str> tokens).split()
        elif not isinstance(tokens, (list, tuple)):
            raise TypeError(
                f"tokenizer {self.rule!r}: expected a list of str, got {type(tokens).__name__}"
            )
        for token in tokens:
            push_token(token, self.rule, t)
        tokens_close_segment(t)
        return False


cdef str exact_str(text, where):
    """A str that is neither None nor a subclass; checked again here, as lists may have changed."""
    if PyUnicode_CheckExact(text):
        return <str> text
    if isinstance(text, str):
        return PyUnicode_FromObject(text)
    raise TypeError(f"{where}: expected str, got {type(text).__name__}")


cdef int push_token(token, where, TokensC* t) except -1:
    """A token given as a string; the text keeps its bytes only if it is long."""
    cdef int64_t begin, end, n_longs = t.n_longs
    append_text(t, exact_str(token, where), &begin, &end)
    tokens_push(t, begin, end - begin)
    t.text_length = begin if t.n_longs == n_longs else end
    return 0


cdef int check_size(int64_t size) except -1:
    if size > LONGEST_TEXT:
        raise ValueError(f"a segment has {size} bytes, more than {LONGEST_TEXT}")
    return 0


cdef int append_bytes(
    TokensC* t, const uint8_t* data, int64_t size, int64_t* begin, int64_t* end
) except -1:
    """Append UTF-8 and its padding."""
    check_size(size)
    text_reserve(t, size)
    begin[0] = t.text_length
    end[0] = begin[0] + size
    memcpy(t.text + begin[0], data, <size_t> size)
    memset(t.text + end[0], 0x20, PADDING)
    t.text_length = end[0] + PADDING
    return 0


cdef int append_text(TokensC* t, str text, int64_t* begin, int64_t* end) except -1:
    """Append a string as UTF-8, and its padding; lone surrogates pass."""
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef uint8_t* out
    if PyUnicode_IS_ASCII(text):
        return append_bytes(t, <const uint8_t*> data, n, begin, end)
    check_size(n)
    text_reserve(t, (2 if kind == 1 else 3 if kind == 2 else 4) * <int64_t> n + 130)
    begin[0] = t.text_length
    out = t.text + begin[0]
    if kind == 1:
        out = rb_encode_latin1(<const uint8_t*> data, n, out)
    elif kind == 2:
        out = rb_encode_ucs2(<const uint16_t*> data, n, out)
    else:
        out = rb_encode_ucs4(<const uint32_t*> data, n, out)
    end[0] = out - t.text
    check_size(end[0] - begin[0])
    memset(out, 0x20, PADDING)
    t.text_length = end[0] + PADDING
    return 0


cdef int push_ids(ids, TokensC* t) except -1:
    """Integers are identities as they are."""
    cdef Buffer array
    cdef Py_ssize_t i
    ids = plain_ids(ids, "ids")
    if isinstance(ids, Buffer):
        array = ids
        for i in range(array.n_items):
            tokens_push_id(t, integer_at(array, i))
        return 0
    for number in ids:
        number = id_of(number, "ids")
        tokens_push_id(t, <uint64_t> (number if number >= 0 else number + (1 << 64)))
    return 0


cdef uint64_t integer_at(Buffer array, Py_ssize_t i) except? 0:
    """Item i of an integer array, sign-extended."""
    cdef bint signed = array.kind == c"i"
    if array.item_size == 8:
        return (<uint64_t*> array.data)[i]
    if array.item_size == 4:
        return <uint64_t> <int64_t> (<int32_t*> array.data)[i] if signed else (
            (<uint32_t*> array.data)[i])
    if array.item_size == 2:
        return <uint64_t> <int64_t> (<int16_t*> array.data)[i] if signed else (
            (<uint16_t*> array.data)[i])
    return <uint64_t> <int64_t> (<int8_t*> array.data)[i] if signed else (<uint8_t*> array.data)[i]
