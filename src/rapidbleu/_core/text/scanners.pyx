"""Scanners: from the bytes of a text to tokens, by classes of characters."""

from libc.stdint cimport int64_t, uint32_t, uint8_t
from libc.string cimport memset

from rapidbleu._core.common cimport (
    POLL_CELLS, poll_without_gil, rb_decode, rb_eight_characters, rb_lower_ascii,
    simd_level_in_use,
)
from rapidbleu._core.text cimport (
    DASH, DIGIT, ESCAPED, POINT, RARE, SPACE, SYMBOL, TokensC, WALK, class_at, class_table_add,
    class_table_free, class_table_init, rb_scan_select, rb_scan_words_select, replace_escapes,
    strip_begin, strip_end, tokens_close_segment, tokens_grow, tokens_push, wide_class,
)


# --------------------------------------------------------------------------------------------------
# The class of every character: the owner of a table that `text/classify.h` makes and reads.


cdef class CharacterClasses:
    """Classes of ASCII characters and of ranges beyond.

    Parameters
    ----------
    ascii_classes : bytes
        The class byte of each of the 128 ASCII characters.
    wide_classes : sequence of (first, last, class)
        Ranges of code points from 0x80 up, ascending and disjoint.
    rare : bytes
        ASCII characters which are RARE besides what they are.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(self, bytes ascii_classes not None, wide_classes, bytes rare not None, /):
        cdef uint8_t[128] classes
        cdef uint32_t first, last
        cdef uint8_t kind
        cdef int character
        if len(ascii_classes) != 128:
            raise ValueError(f"ascii_classes: expected 128 bytes, got {len(ascii_classes)}")
        for character in range(128):
            classes[character] = ascii_classes[character]
        for character in rare:
            classes[character] |= RARE
        class_table_init(&self.table, classes)
        for first, last, kind in wide_classes:
            class_table_add(&self.table, first, last, kind)

    def __dealloc__(self):
        class_table_free(&self.table)


# --------------------------------------------------------------------------------------------------
# The compiled tokenizers: one machine (text/scan.h) with a table for each rule.  13a's replacements
# (text/unescape.h) are made in place before a second scan of the segment; a character that the
# machine does not understand sends the segment to `walk`, the same rule one decoded character at a
# time.


cdef class TextScanner:
    """Base of what makes tokens of text."""

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Append the tokens of t.text[begin:end] and close a segment for each sequence of them.

        The text must be followed by PADDING spaces; it is changed in place.
        """
        with gil:
            raise TypeError(f"{type(self).__name__} does not define a scan")


cdef class Scanner(TextScanner):
    """Compiled twin of a tokenizer's readable rule.

    Parameters
    ----------
    ascii_classes : bytes
        The class byte of each of the 128 ASCII characters.
    wide_classes : sequence of (first, last, class)
        Ranges of code points from 0x80 up, ascending and disjoint.
    pad : bool
        The rule sees the text between two spaces.
    unescape : bool
        13a's replacements (``<skipped>``, line feeds, four entities) come first.
    strip : bool
        White space in front of the text is stripped first.
    lowercase : bool
        ASCII letters are lowercased first, and no others.

    Notes
    -----
    Immutable once made; safe to share between threads.
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
        """The rule one character at a time: any class, anywhere."""
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


# --------------------------------------------------------------------------------------------------
# What chrF sees of a text: the sequence of its characters, and that of its words (Popovic 2017).
#
# Characters are code points, and a code point is its own identity: none is ever long, so the table
# keeps no bytes for them.  ASCII goes eight bytes at a time, each byte stored and the place of the
# next moved on if it is no white space, which takes a cycle and no branch.
#
# Words are what white space separates, and of a word of two characters or more one ASCII
# punctuation mark is split off: the last character if it is one, else the first if it is one.  They
# are found as in `Scanner`, by bit algebra (text/words_body.h), or in text with NUL by a walk.
#
# Classes: SPACE is white space, SYMBOL is ASCII punctuation.


cdef class ChrfScanner(TextScanner):
    """Compiled twin of the rules of chrF.

    Parameters
    ----------
    ascii_classes : bytes
        The class byte of each of the 128 ASCII characters.
    wide_classes : sequence of (first, last, class)
        Ranges of code points from 0x80 up, ascending and disjoint.
    whitespace : bool
        Is white space among the characters?
    words : bool
        Is there a second sequence, of words?
    strip : bool
        White space at both ends is stripped first.

    Notes
    -----
    Immutable once made; safe to share between threads.
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
        """Append the code points of the characters."""
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
        """Append the words, found one character at a time; any of them may be NUL."""
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
        """Append the word at [start, end), its last or first punctuation mark split off."""
        if end - start > 1 and self.is_mark(t.text[end - 1]):
            tokens_push(t, start, end - 1 - start)
            start = end - 1
        elif end - start > 1 and self.is_mark(t.text[start]):
            tokens_push(t, start, 1)
            start += 1
        return tokens_push(t, start, end - start)

    cdef inline bint is_mark(self, uint8_t byte) noexcept nogil:
        """Is this byte an ASCII punctuation mark?  No byte of another character is below 0x80."""
        return self.classes.table.of_byte[byte] & SYMBOL != 0


# --------------------------------------------------------------------------------------------------
# Levels of vector code (common/cpu.h).

cdef tuple LEVELS = ("portable", "avx2", "avx512", "neon")


def simd_level():
    """The level of vector code in use: "portable", "avx2", "avx512" or "neon"."""
    return LEVELS[simd_level_in_use()]


cdef check_level():
    """Refuse a value of RAPIDBLEU_SIMD that names no level."""
    import os
    level = os.environ.get("RAPIDBLEU_SIMD", LEVELS[0])
    if level not in LEVELS:
        raise ValueError(f"RAPIDBLEU_SIMD: expected one of {', '.join(LEVELS)}, got {level!r}")


check_level()
