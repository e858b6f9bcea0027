"""What chrF sees of a text: the sequence of its characters, and that of its words (Popovic 2017).

Characters are code points, and a code point is its own identity: none is ever long, so the table
keeps no bytes for them.  ASCII goes eight bytes at a time, each byte stored and the place of the
next moved on if it is no white space, which takes a cycle and no branch.

Words are what white space separates, and of a word of two characters or more one ASCII punctuation
mark is split off: the last character if it is one, else the first if it is one.  They are found as
in scanner.pyx, by the bits of a block of 64 bytes that differ from their neighbour.

Classes: SPACE is white space, SYMBOL is ASCII punctuation.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from rapidbleu._core.classes cimport CharacterClasses
from rapidbleu._core.common cimport POLL_CELLS, poll_due, poll_without_gil, rb_ctz
from rapidbleu._core.text cimport (
    P_SPACE, RB_PLANES, RB_WIDE, SPACE, SYMBOL, TokensC, rb_classify_select, rb_decode,
    rb_eight_characters, tokens_close_segment, tokens_grow, tokens_push, wide_class,
)


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

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(
        self, bytes ascii_classes not None, wide_classes, *, bint whitespace, bint words
    ):
        cdef int character
        self.classes = CharacterClasses(ascii_classes, wide_classes, b"")
        self.classify = rb_classify_select()
        self.whitespace, self.words = whitespace, words
        for character in range(128):
            self.kept[character] = whitespace or not ascii_classes[character] & SPACE

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        self.scan_characters(t, begin, end)
        if self.words:
            self.scan_words(t, begin, end)
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
                        self.classes.table.wide_lead[text[0]]
                        and wide_class(&self.classes.table, code_point) & SPACE
                    )
                    text += n
            if text < stop:
                poll_without_gil(NULL)
        n = out - (t.lo + t.n_tokens)
        memset(t.hi + t.n_tokens, 0, <size_t> n * sizeof(uint32_t))
        t.n_tokens += n
        return tokens_close_segment(t)

    cdef int scan_words(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Append the words; white space beyond ASCII is blanked in place."""
        cdef uint64_t planes[RB_PLANES]
        cdef uint64_t token, after_token, was_token = 0, starts, ends
        cdef int64_t base = begin, start = -1, at
        while base < end or was_token:  # there are spaces behind the end
            self.classify(&self.classes.table, t.text + base, planes)
            if planes[RB_WIDE]:
                self.blank_spaces(t.text + base, planes)
            token = ~planes[P_SPACE]
            after_token = token << 1 | was_token
            starts = token & ~after_token
            ends = after_token & ~token
            was_token = token >> 63
            while ends:
                if start < 0:
                    start = base + rb_ctz(starts)
                    starts &= starts - 1
                at = base + rb_ctz(ends)
                ends &= ends - 1
                self.push_word(t, start, at)
                start = -1
            if starts:
                start = base + rb_ctz(starts)
            base += 64
            if poll_due(base + 63 - begin, POLL_CELLS):
                poll_without_gil(NULL)
        return tokens_close_segment(t)

    cdef void blank_spaces(self, uint8_t* block, uint64_t* planes) noexcept nogil:
        """Make white space beyond ASCII spaces."""
        cdef uint64_t wide = planes[RB_WIDE]
        cdef uint32_t code_point
        cdef int i, length
        while wide:
            i = rb_ctz(wide)
            wide &= wide - 1
            if not self.classes.table.wide_lead[block[i]]:
                continue
            length = rb_decode(block + i, &code_point)
            if wide_class(&self.classes.table, code_point) & SPACE:
                memset(block + i, 0x20, length)
                planes[P_SPACE] |= ((<uint64_t> 1 << length) - 1) << i

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
        return byte < 0x80 and self.classes.table.ascii[byte] & SYMBOL != 0
