# cython: binding=True
"""Text to token tables: scanners, the reader of segments, and prepared references."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport (
    EncodersC, POLL_CELLS, POLL_OBJECTS, allocate, encoders_select, hash_key, poll_due,
    poll_signals, poll_without_gil, rb_decode, rb_load64, rb_lower_ascii, simd_level_in_use,
    unshared,
)
from rapidbleu._core.text cimport (
    DASH, DIGIT, ESCAPED, LongTokenC, PADDING, POINT, RARE, RB_SHORT_TOKEN, SPACE, SYMBOL,
    TOKEN_KEYS, WALK, class_at, class_table_add, class_table_free, class_table_init, long_identity,
    longs_grow, rb_eight_characters, rb_scan_select, rb_scan_words_select, replace_escapes,
    strip_begin, strip_end, text_grow, text_reserve, tokens_close_segment, tokens_free, tokens_grow,
    tokens_init, tokens_memory, tokens_push, tokens_reserve, wide_class,
)


# The owner of a table of character classes (text/classify.h).


cdef class CharacterClasses:
    """Classes of ASCII characters and of ranges beyond.

    `ascii_classes` has a class byte for each of the 128 ASCII characters; `wide_classes` are
    (first, last, class) of code points from 0x80 on, ascending and disjoint; `rare` are ASCII
    characters that are also RARE. Immutable, hence thread-safe.
    """

    def __cinit__(self, bytes ascii_classes not None, wide_classes, bytes rare not None, /):
        cdef uint8_t[128] classes
        cdef uint32_t first, last
        cdef uint8_t kind
        cdef int character
        if len(ascii_classes) != 128:
            raise ValueError(f"ascii_classes: expected 128 bytes; got {len(ascii_classes)}")
        for character in range(128):
            classes[character] = ascii_classes[character]
        for character in rare:
            classes[character] |= RARE
        class_table_init(&self.table, classes)
        for first, last, kind in wide_classes:
            class_table_add(&self.table, first, last, kind)

    def __dealloc__(self):
        class_table_free(&self.table)


# The compiled tokenizers: one machine (text/scan.h) with a table for each rule. 13a's replacements
# are made in place before a second scan of the segment; a character beyond the machine sends the
# segment to `walk`, the same rule one decoded character at a time.


cdef class TextScanner:
    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Append the tokens of t.text[begin:end], closing a segment after each token sequence. The
        text must be followed by PADDING spaces, and is changed in place."""
        with gil:
            raise TypeError(f"{type(self).__name__} does not define a scan")


cdef class Scanner(TextScanner):
    """Compiled equivalent of a tokenizer's Python rule.

    Classes are as in `CharacterClasses`. With `pad`, the rule sees the text between two spaces.
    Before it, `unescape` applies 13a's replacements (``<skipped>``, line feeds, four entities),
    `strip` removes leading white space, and `lowercase` lowercases ASCII letters only. Immutable.
    """

    def __cinit__(
        self, bytes ascii_classes not None, wide_classes, *, bint pad=False, bint unescape=False,
        bint strip=False, bint lowercase=False,
    ):
        # A token with NUL is long.
        self.classes = CharacterClasses(
            ascii_classes, wide_classes, b"\0&<\n" if unescape else b"\0"
        )
        self.rule.table = &self.classes.table
        self.rule.pad = pad
        self.rule.characters = all(kind in (SPACE, SYMBOL) for kind in ascii_classes)
        self.scan_planes = rb_scan_select()
        self.unescape, self.strip, self.lowercase = unescape, strip, lowercase

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        cdef int outcome
        if self.lowercase:
            rb_lower_ascii(t.text + begin, end - begin)
        end = strip_end(&self.classes.table, t.text, begin, end)
        if self.strip:
            begin = strip_begin(&self.classes.table, t.text, begin, end)
        outcome = self.scan_planes(&self.rule, t, begin, end, self.unescape)
        if outcome == ESCAPED:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            end = replace_escapes(t.text, begin, end)
            outcome = self.scan_planes(&self.rule, t, begin, end, False)
        if outcome == WALK:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            self.walk(t, begin, end)
        return tokens_close_segment(t)

    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Apply the rule one character at a time, for any classes."""
        cdef const uint8_t* text = t.text
        cdef bint after_digit = not self.rule.pad, after_taken = False, was_digit = False
        cdef bint taken, alone
        cdef uint8_t kind, next_kind
        cdef int length, next_length
        cdef int64_t p = begin, start = -1, patience = begin + POLL_CELLS
        kind = class_at(&self.classes.table, text + p, &length)
        while p < end:
            if p > patience:
                patience = p + POLL_CELLS
                poll_without_gil(NULL)
            if p + length < end:
                next_kind = class_at(&self.classes.table, text + p + length, &next_length)
            else:
                next_kind, next_length = (SPACE if self.rule.pad else DIGIT), 1
            taken = kind & POINT and not after_digit and not after_taken
            alone = (
                kind & SYMBOL or taken or (kind & POINT and not next_kind & DIGIT)
                or (kind & DASH and was_digit)
            )
            if start >= 0 and (alone or kind & SPACE):
                tokens_push(t, start, p - start)
                start = -1
            if alone:
                tokens_push(t, p, length)
            elif start < 0 and not kind & SPACE:
                start = p
            was_digit = after_digit = (kind & DIGIT) != 0
            after_taken = taken
            p += length
            kind, length = next_kind, next_length
        if start >= 0:
            tokens_push(t, start, end - start)
        return 0


# ChrF's view of a text: the sequence of its characters, and of its words (Popovic 2017). A
# character is a code point and its own identity, never long, so the table stores no bytes. ASCII is
# processed eight bytes at a time, storing each byte and advancing the output unless it is white
# space, which takes a cycle and no branch. Words are separated by white space, and words of two or
# more characters lose one ASCII punctuation mark: the last character if it is one, otherwise the
# first if it is one. They are found by bit algebra as in `Scanner` (text/scan_body.h), or by a walk
# if the text contains NUL. Classes: SPACE is white space, SYMBOL is ASCII punctuation.


cdef class ChrfScanner(TextScanner):
    """Compiled equivalent of chrF's rules.

    Classes are as in `CharacterClasses`. `whitespace` includes white space in the characters,
    `words` adds a second sequence of words, and `strip` first strips both ends. Immutable.
    """

    def __cinit__(
        self, bytes ascii_classes not None, wide_classes, *, bint whitespace, bint words,
        bint strip=False,
    ):
        cdef int character
        # A word with NUL is long.
        self.classes = CharacterClasses(ascii_classes, wide_classes, b"\0")
        self.scan_words = rb_scan_words_select()
        self.whitespace, self.words, self.strip = whitespace, words, strip
        for character in range(128):
            self.kept[character] = whitespace or not ascii_classes[character] & SPACE

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        if self.strip:
            end = strip_end(&self.classes.table, t.text, begin, end)
            begin = strip_begin(&self.classes.table, t.text, begin, end)
        self.scan_characters(t, begin, end)
        if self.words:
            if self.scan_words(&self.classes.table, t, begin, end) == WALK:
                t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
                self.walk_words(t, begin, end)
            tokens_close_segment(t)
        return 0

    cdef int scan_characters(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        cdef const uint8_t* text = t.text + begin
        cdef const uint8_t* stop = t.text + end
        cdef const uint8_t* patience
        cdef uint32_t* out
        cdef uint32_t* after
        cdef uint32_t code_point
        cdef int64_t n
        if t.n_tokens + end - begin + 8 > t.token_capacity:
            tokens_grow(t, end - begin + 8)
        out = t.lo + t.n_tokens
        while text < stop:
            patience = stop if stop - text < POLL_CELLS else text + POLL_CELLS
            while text < patience:
                after = rb_eight_characters(text, self.kept, out) if stop - text >= 8 else NULL
                if after != NULL:
                    out = after
                    text += 8
                elif text[0] < 0x80:
                    out[0] = text[0]
                    out += self.kept[text[0]]
                    text += 1
                else:
                    n = rb_decode(text, &code_point)
                    out[0] = code_point
                    out += self.whitespace or not (
                        self.classes.table.of_byte[text[0]]
                        and wide_class(&self.classes.table, code_point) & SPACE
                    )
                    text += n
            if text < stop:
                poll_without_gil(NULL)
        n = out - (t.lo + t.n_tokens)
        memset(t.hi + t.n_tokens, 0, <size_t> n * sizeof(uint32_t))
        t.n_tokens += n
        return tokens_close_segment(t)

    cdef int walk_words(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Append the words, found one character at a time; the text may contain NUL."""
        cdef int64_t p = begin, start = -1, patience = begin + POLL_CELLS
        cdef int length
        while p < end:
            if p > patience:
                patience = p + POLL_CELLS
                poll_without_gil(NULL)
            if not class_at(&self.classes.table, t.text + p, &length) & SPACE:
                start = p if start < 0 else start
            elif start >= 0:
                self.push_word(t, start, p)
                start = -1
            p += length
        if start >= 0:
            self.push_word(t, start, end)
        return 0

    cdef int push_word(self, TokensC* t, int64_t start, int64_t end) except -1 nogil:
        """Append word [start, end) with its last or first punctuation mark split off."""
        if end - start > 1 and self.is_mark(t.text[end - 1]):
            tokens_push(t, start, end - 1 - start)
            start = end - 1
        elif end - start > 1 and self.is_mark(t.text[start]):
            tokens_push(t, start, 1)
            start += 1
        return tokens_push(t, start, end - start)

    cdef inline bint is_mark(self, uint8_t byte) noexcept nogil:
        """Is it ASCII punctuation? Bytes of other characters are at least 0x80."""
        return self.classes.table.of_byte[byte] & SYMBOL != 0


cdef tuple LEVELS = ("portable", "avx2", "avx512", "neon")


def simd_level():
    """Return the level of vector code in use: "portable", "avx2", "avx512" or "neon"."""
    return LEVELS[simd_level_in_use()]


cdef check_level():
    import os
    level = os.environ.get("RAPIDBLEU_SIMD", LEVELS[0])
    if level not in LEVELS:
        raise ValueError(f"RAPIDBLEU_SIMD: expected one of {', '.join(LEVELS)}; got {level!r}")


check_level()


# References tokenized once: read-only arrays of token identities. They take eight bytes a token,
# two offsets a reference, and a record and the bytes of each long token. Matching needs no table of
# n-grams. Identities of long tokens are hashes keyed per process, so a pickle contains the bytes
# and the receiving process hashes them again.


cdef uint64_t[TOKEN_KEYS] KEYS
for _place in range(TOKEN_KEYS):
    KEYS[_place] = hash_key()


cdef int tokens_open(TokensC* t) except -1:
    """Initialize an empty table; all of these tables share their keys."""
    return tokens_init(t, KEYS)


cdef class PreparedReferences:
    """Tokenized references of `length` segments, `num_refs` for each, or -1 if that varies."""

    def __cinit__(self):
        tokens_open(&self.tokens)

    def __dealloc__(self):
        tokens_free(&self.tokens)
        PyMem_RawFree(self.first)

    def __len__(self):
        return self.length

    @property
    def is_text(self):
        """Were the references strings, rather than lists of tokens or ids?"""
        return self.kind == Kind.TEXT

    @property
    def n_tokens(self):
        """Number of tokens of all references."""
        return self.tokens.n_tokens

    def __sizeof__(self):
        return tokens_memory(&self.tokens) + 8 * (self.length + 1)

    cdef int require(self, int n_sequences) except -1:
        """Raise ValueError unless each text has this number of token sequences."""
        if self.tokens.n_segments != n_sequences * self.first[self.length]:
            raise ValueError(
                f"references: expected {n_sequences} for each text; got others, prepared for "
                "another metric"
            )
        return 0

    cdef int make_room(self, Py_ssize_t length) except -1:
        self.first = <int64_t*> allocate(length + 1, sizeof(int64_t))
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


cdef bint items_fit(bytes data, int64_t size, int64_t n):
    return len(data) % size == 0 and len(data) // size == n


cdef bint offsets_fit(bytes data, int64_t n_parts):
    """Are the data n_parts + 1 offsets that begin with 0 and never fall?"""
    cdef const int64_t* offsets = <const int64_t*> PyBytes_AS_STRING(data)
    cdef int64_t i
    if not 0 <= n_parts < len(data) or not items_fit(data, sizeof(int64_t), n_parts + 1):
        return False
    if offsets[0] != 0:
        return False
    for i in range(n_parts):
        if offsets[i + 1] < offsets[i]:
            return False
    return True


cdef bint counts_fit(const int64_t* offsets, int64_t n_parts, Py_ssize_t n_each):
    """Has each part this number of items? -1: numbers may vary."""
    cdef int64_t i
    for i in range(n_parts if n_each != -1 else 0):
        if offsets[i + 1] - offsets[i] != n_each:
            return False
    return n_each >= -1


cdef bint longs_fit(
    const LongTokenC* longs, const int64_t* first_token, const int64_t* first_long,
    int64_t n_segments, int64_t text_length,
):
    """Do long tokens ascend within their segments and lie within the text?"""
    cdef int64_t i, k, next_index
    for i in range(n_segments):
        next_index = 0
        for k in range(first_long[i], first_long[i + 1]):
            if not next_index <= longs[k].index < first_token[i + 1] - first_token[i]:
                return False
            next_index = <int64_t> longs[k].index + 1
            if longs[k].length < 0 or not 0 <= longs[k].position <= text_length - longs[k].length:
                return False
    return True


def restore(
    Py_ssize_t length, Py_ssize_t num_refs, int kind, bytes first, bytes first_token,
    bytes first_long, bytes lo, bytes hi, bytes longs, bytes text,
):
    """Rebuild pickled references; ValueError if the parts are inconsistent. For pickle only."""
    cdef PreparedReferences p = PreparedReferences()
    cdef TokensC* t = &p.tokens
    cdef const int64_t* texts_before = <const int64_t*> PyBytes_AS_STRING(first)
    cdef const int64_t* tokens_before = <const int64_t*> PyBytes_AS_STRING(first_token)
    cdef const int64_t* longs_before = <const int64_t*> PyBytes_AS_STRING(first_long)
    cdef int64_t i, n_segments = len(first_token) // <int64_t> sizeof(int64_t) - 1
    if not (
        offsets_fit(first, length)
        and n_segments in (texts_before[length], 2 * texts_before[length])  # chrF with words
        and offsets_fit(first_token, n_segments)
        and offsets_fit(first_long, n_segments)
        and items_fit(lo, sizeof(uint32_t), tokens_before[n_segments])
        and items_fit(hi, sizeof(uint32_t), tokens_before[n_segments])
        and items_fit(longs, sizeof(LongTokenC), longs_before[n_segments])
        and longs_fit(
            <const LongTokenC*> PyBytes_AS_STRING(longs), tokens_before, longs_before, n_segments,
            len(text),
        )
        and counts_fit(texts_before, length, num_refs)
        and 0 <= kind <= <int> Kind.ABSENT
    ):
        raise ValueError("pickled references: expected those of this version; got damaged ones")
    p.make_room(length)
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


# Reading of segments of every form into token tables. Strings never change and the column keeps
# them alive, so they are read without the GIL: UTF-8 is appended to the table's text, ASCII copied
# and wider forms encoded, lowercased on request, and scanned while in the first-level cache. Tokens
# from a user's tokenizer or from lists, and integer ids, become identities at once. Lower case is
# `str.lower`: Latin-1 is done on the bytes, because its length does not change; the interpreter
# does the rest (a final sigma, a dotted capital I), polling between pieces of long texts.

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text) noexcept nogil
    int PyUnicode_KIND(PyObject* text) noexcept nogil
    bint PyUnicode_CheckExact(object text)
    bint PyUnicode_IS_ASCII(PyObject* text) noexcept nogil
    bint PyUnicode_IS_COMPACT_ASCII(PyObject* text)
    PyObject** PySequence_Fast_ITEMS(object items)
    Py_ssize_t PySequence_Fast_GET_SIZE(object items)
    str PyUnicode_FromObject(object text)
    void* PyUnicode_DATA(PyObject* text) noexcept nogil
    PyObject* PyTuple_GET_ITEM(object items, Py_ssize_t i)


cdef extern from *:
    """
    #ifdef PYPY_VERSION /* which moves strings and makes copies of them for C */
    #define RB_STRINGS_STAY 0
    #else
    #define RB_STRINGS_STAY 1
    #endif
    """
    bint STRINGS_STAY "RB_STRINGS_STAY"

cdef enum:
    LONGEST_TEXT = 0x7FFFFC00  # bytes of one segment, so that offsets within it are 32 bits
    UTF8 = 0                   # the form of ASCII strings and of Arrow's
    PIECE = 1 << 22            # characters of a text between two polls for signals
    NEARBY = 1 << 12           # characters searched for a position to split a text

cdef str SIGMA = "\u03a3"
cdef str SMALL_SIGMA = "\u03c3"  # inside a word; at its end the letter differs

cdef EncodersC ENCODERS = encoders_select()

cdef uint64_t LOWEST_BITS = 0x0101010101010101
cdef uint64_t HIGHEST_BITS = 0x8080808080808080


cdef class Reader:
    """How a metric reads its segments.

    `scanner` is the compiled tokenizer; without one, `rule` is called, a function from str to a
    list of str, or to a str that is split at white space. `on_lost_text`, if any, is called with
    each non-ASCII text that has neither ASCII letters nor ASCII digits. For ids, each `pad` is
    skipped, and the first `end` with everything after it, unless None. Thread-safe if the functions
    are.
    """

    def __cinit__(
        self, TextScanner scanner, rule, bint lowercase, on_lost_text=None, pad=None, end=None
    ):
        self.scanner = scanner
        self.rule = rule
        self.lowercase = lowercase
        self.lower_text = lowercase and not getattr(rule, "lowercases", False)
        self.on_lost_text = on_lost_text
        self.has_pad, self.has_end = pad is not None, end is not None
        self.leaves_out = self.has_pad or self.has_end
        self.pad, self.end = (pad or 0) % (1 << 64), (end or 0) % (1 << 64)

    cdef bint read(
        self, Column column, Py_ssize_t i, TokensC* t, SourceC* source, list kept
    ) except -1:
        """Read segment i; True if it is text, described in `source`, that is to be scanned. Strings
        created for it are appended to `kept` to stay alive until then."""
        cdef const uint8_t* data
        cdef int64_t size
        cdef Py_ssize_t k
        if self.scans(column):
            describe_text(PyTuple_GET_ITEM(column.items, i), source)
            return True
        if column.kind == Kind.TEXT:
            if column.arrow is None:
                return self.read_text(column.items[i], t, source, kept)
            column.arrow.get(i, &data, &size)
            if self.scanner is None or self.lower_text or self.on_lost_text is not None:
                text = data[:size].decode("utf-8")
                kept.append(text)
                return self.read_text(text, t, source, kept)
            source.data, source.length, source.form, source.lower = data, size, UTF8, False
            return True
        if column.kind == Kind.IDS:
            self.read_ids(column.ids + column.ends[i], column.ends[i + 1] - column.ends[i], t)
        elif self.lowercase or not self.read_strings(column.items[i], t):
            for k, token in enumerate(column.items[i]):
                if poll_due(k, POLL_OBJECTS):
                    poll_signals()
                if self.lowercase:
                    token = lower_case(exact_str(token, "token"))
                push_token(token, "token", t)
        tokens_close_segment(t)
        return False

    cdef int read_ids(self, const uint64_t* ids, int64_t n, TokensC* t) except -1:
        cdef int64_t i
        tokens_reserve(t, n)
        for i in range(n):
            if poll_due(i, POLL_CELLS):
                poll_signals()
            if self.has_end and ids[i] == self.end:
                break
            t.lo[t.n_tokens], t.hi[t.n_tokens] = <uint32_t> ids[i], <uint32_t> (ids[i] >> 32)
            t.n_tokens += not (self.has_pad and ids[i] == self.pad)
        return 0

    cdef bint read_strings(self, segment, TokensC* t) except -1:
        """Read a list or tuple of exact strings; False, with nothing read, for any other."""
        cdef int64_t n_tokens = t.n_tokens, n_longs = t.n_longs, text_length = t.text_length
        if type(segment) is not list and type(segment) is not tuple:
            return False
        segment = unshared(segment)
        if push_strings(segment, t) == PySequence_Fast_GET_SIZE(segment):
            return True
        t.n_tokens, t.n_longs, t.text_length = n_tokens, n_longs, text_length
        return False

    cdef bint read_text(self, segment, TokensC* t, SourceC* source, list kept) except -1:
        """Read a string that the caller keeps alive; True if it is to be scanned."""
        cdef str text
        cdef bint lower = self.lower_text
        cdef Py_ssize_t k
        if not lower and self.scanner is not None and PyUnicode_CheckExact(segment) and (
            self.on_lost_text is None
        ):
            describe_text(<PyObject*> segment, source)
            return True
        text = exact_str(segment, "segment")
        if lower and (self.scanner is None or PyUnicode_KIND(<PyObject*> text) != 1) or (
            text is not segment
        ):
            text = lower_case(text) if lower else text
            kept.append(text)
            lower = False
        if self.on_lost_text is not None and is_beyond_ascii(text):
            self.on_lost_text(text)
        if self.scanner is not None:
            describe_text(<PyObject*> text, source)
            source.lower = lower
            return True
        tokens = self.rule(text.rstrip())
        if isinstance(tokens, str):
            tokens = (<str> tokens).split()
        elif not isinstance(tokens, (list, tuple)):
            raise TypeError(
                f"tokenizer {self.rule!r}: expected a list of str; got {type(tokens).__name__}"
            )
        for k, token in enumerate(tokens):
            if poll_due(k, POLL_OBJECTS):
                poll_signals()
            push_token(token, self.rule, t)
        tokens_close_segment(t)
        return False

    cdef int scan(self, const SourceC* source, TokensC* t) except -1 nogil:
        """Append the text of a source and its tokens, and close the segment."""
        cdef int64_t begin = t.text_length, end
        append_source(t, source)
        end = t.text_length
        memset(t.text + end, 0x20, PADDING)
        return self.scanner.scan(t, begin, end)

    cdef bint scans(self, Column column):
        """May `scan_string` read the strings of a column without the GIL?"""
        return (
            column.all_str and self.scanner is not None and not self.lower_text and STRINGS_STAY
            and self.on_lost_text is None
        )

    cdef int64_t scan_string(self, PyObject* text, TokensC* t) except -1 nogil:
        cdef SourceC source
        describe_text(text, &source)
        self.scan(&source, t)
        return source.length


cdef bint is_beyond_ascii(str text):
    """Is the text nonempty but without ASCII letters and digits?"""
    cdef Py_UCS4 c
    if PyUnicode_IS_ASCII(<PyObject*> text):
        return False
    for c in text:
        if c < 128 and c.isalnum():
            return False
    return True


cdef inline bint short_identity(PyObject* token, uint64_t* word) noexcept:
    """Is the str up to eight ASCII characters without NUL? Then `word` is its identity. Reads the
    eight bytes up to the end of the string, because the header of a str guarantees bytes before its
    characters, whereas nothing guarantees bytes after them."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(token)
    cdef int shift
    if not 0 < length <= RB_SHORT_TOKEN or not PyUnicode_IS_COMPACT_ASCII(token):
        return False
    shift = 64 - 8 * <int> length
    word[0] = rb_load64(<const uint8_t*> PyUnicode_DATA(token) + length - 8) >> shift
    # A borrow sets the highest bit of a zero byte; ASCII bytes never have it set.
    return not ((word[0] - (LOWEST_BITS >> shift)) & (HIGHEST_BITS >> shift))


cdef inline void describe_text(PyObject* text, SourceC* source) noexcept nogil:
    """Locate a string's characters without counting references, which slows threads down."""
    source.data = PyUnicode_DATA(text)
    source.length = PyUnicode_GET_LENGTH(text)
    source.form = UTF8 if PyUnicode_IS_ASCII(text) else PyUnicode_KIND(text)
    source.lower = False


cdef str exact_str(text, where):
    """Return a str that is exactly a str; checked again because lists may have changed."""
    if PyUnicode_CheckExact(text):
        return <str> text
    if isinstance(text, str):
        return PyUnicode_FromObject(text)
    raise TypeError(f"{where}: expected str; got {type(text).__name__}")


cdef Py_ssize_t find_barrier(str text, Py_ssize_t i):
    """Return a position from i on at which text with a sigma can be split for lowercasing. The form
    of a sigma depends on the letters around it, up to the next character that is neither cased nor
    case-ignorable (such as an apostrophe): a space or an ideograph, for example."""
    cdef Py_ssize_t n = len(text), k
    while i < n:
        for k in range(i, min(i + NEARBY, n)):
            if ("A" + text[k] + SIGMA).lower().endswith(SMALL_SIGMA):
                return k
        i += PIECE
    return n


cdef str lower_case(str text):
    """Return ``text.lower()``, polling for signals."""
    cdef Py_ssize_t begin = 0, end, n = len(text)
    cdef bint has_sigma
    cdef list pieces
    if n <= PIECE:
        return text.lower()
    has_sigma = SIGMA in text
    pieces = []
    while begin < n:
        end = min(begin + PIECE, n)
        if has_sigma:
            end = find_barrier(text, end)
        pieces.append(text[begin:end].lower())
        poll_signals()
        begin = end
    return "".join(pieces)


cdef Py_ssize_t push_strings(items, TokensC* t) except -1:
    """Append tokens up to the first item that is not exactly a str, and return their number. The
    items are `unshared`, and looked up again after polls, whose handlers may change the list."""
    cdef Py_ssize_t begin = 0, end, n = PySequence_Fast_GET_SIZE(items), done
    while True:
        end = n if n - begin <= POLL_OBJECTS else begin + POLL_OBJECTS
        done = push_some(PySequence_Fast_ITEMS(items) + begin, end - begin, t)
        if done < end - begin or end == n:
            return begin + done
        poll_signals()
        begin, n = end, PySequence_Fast_GET_SIZE(items)
        if n < begin:
            return n


cdef Py_ssize_t push_some(PyObject** item, Py_ssize_t n, TokensC* t) except -1:
    """Append up to n items likewise, without running Python code."""
    cdef Py_ssize_t i
    cdef uint64_t word
    tokens_reserve(t, n)
    for i in range(n):
        if not PyUnicode_CheckExact(<object> item[i]):
            return i
        if short_identity(item[i], &word):
            t.lo[t.n_tokens] = <uint32_t> word
            t.hi[t.n_tokens] = <uint32_t> (word >> 32)
            t.n_tokens += 1
        elif PyUnicode_IS_COMPACT_ASCII(item[i]) and PyUnicode_GET_LENGTH(item[i]) < PIECE:
            push_ascii(item[i], t)
        else:
            push_token(<object> item[i], "token", t)
    return n


cdef inline int push_ascii(PyObject* token, TokensC* t) except -1:
    """Append a token of ASCII characters whose identity is not its bytes."""
    cdef int64_t begin = t.text_length, n = PyUnicode_GET_LENGTH(token)
    text_reserve(t, n)
    memcpy(t.text + begin, PyUnicode_DATA(token), <size_t> n)
    t.text_length += n
    return tokens_push(t, begin, n)


cdef int push_token(token, where, TokensC* t) except -1:
    """Append a token given as a string; the text keeps its bytes only if it is long."""
    cdef str text
    cdef SourceC source
    cdef int64_t begin = t.text_length, n_longs = t.n_longs
    text = exact_str(token, where)
    describe_text(<PyObject*> text, &source)
    append_source(t, &source)
    tokens_push(t, begin, t.text_length - begin)
    if t.n_longs == n_longs:
        t.text_length = begin
    return 0


cdef int check_length(int64_t size) except -1 nogil:
    if size > LONGEST_TEXT:
        with gil:
            raise ValueError(f"a segment has {size} bytes, more than {LONGEST_TEXT}")
    return 0


cdef inline uint8_t* encode_piece(
    const SourceC* source, int64_t first, int64_t n, uint8_t* out
) noexcept nogil:
    """Write n characters of a text as UTF-8, and return the end of the output."""
    if source.form == UTF8:
        memcpy(out, <const uint8_t*> source.data + first, <size_t> n)
        if source.lower:
            rb_lower_ascii(out, n)
        return out + n
    if source.form == 1:
        return ENCODERS.latin1(<const uint8_t*> source.data + first, n, out, source.lower)
    if source.form == 2:
        return ENCODERS.ucs2(<const uint16_t*> source.data + first, n, out)
    return ENCODERS.ucs4(<const uint32_t*> source.data + first, n, out)


cdef int append_source(TokensC* t, const SourceC* source) except -1 nogil:
    """Append text as UTF-8, with room for padding after it; lone surrogates pass."""
    cdef int64_t n = source.length, widest, done = 0
    cdef uint8_t* begin
    cdef uint8_t* end
    check_length(n)
    # UTF-8 takes up to 2, 3 or 4 bytes a character, and the encoder writes up to 130 more
    widest = source.form if source.form == 4 else source.form + 1
    text_reserve(t, n if source.form == UTF8 else widest * n + 130)
    end = begin = t.text + t.text_length
    while n - done > PIECE:
        end = encode_piece(source, done, PIECE, end)
        done += PIECE
        poll_without_gil(NULL)
    end = encode_piece(source, done, n - done, end)
    check_length(end - begin)
    t.text_length += end - begin
    return 0
