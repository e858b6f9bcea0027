"""Scanners: from the bytes of a text to tokens, by classes of characters."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memset

from rapidbleu._core.common cimport (
    POLL_CELLS, poll_due, poll_without_gil, rb_ctz, rb_decode, rb_eight_characters, rb_lower_ascii,
)
from rapidbleu._core.text cimport (
    DASH, DIGIT, OTHER, POINT, P_DASH, P_DIGIT, P_POINT, P_RARE, P_SPACE, P_SYMBOL, RARE, RB_PLANES,
    RB_WIDE, SPACE, SYMBOL, TokensC, class_at, class_table_add, class_table_free, class_table_init,
    hash_longs, rb_classify_select, rb_cursor, rb_emit_select, rb_emit_token, replace_escapes,
    strip_begin, strip_end, tokens_close_segment, tokens_grow, tokens_push, tokens_reserve,
    wide_class,
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
# The compiled tokenizers: text to token identities, 64 bytes at a time, without Python objects.
#
# The rules 13a, zh, intl, char and none are one machine with different tables.  Each gives every
# character a class (text/classify.h), and four substitutions of mteval do the rest, in this order:
#
#     SYMBOL            -> ' c '        always a token of its own
#     ([^DIGIT])(POINT) -> '\\1 \\2 '     a point that follows no digit,
#     (POINT)([^DIGIT]) -> ' \\1 \\2'     or that no digit follows, is a token of its own
#     (DIGIT)(DASH)     -> '\\1 \\2 '     and so is a dash after a digit
#
# What comes of them needs only the neighbours of each character, so the whole rule is bit algebra
# on planes (bit i of the plane DIGIT: character i is a digit).  One trap: a substitution consumes
# two characters, so in a run of points the first rule takes every second one; then, and only then,
# the bits are walked one by one.  A token starts at a non-space bit behind a space or a boundary.
# This takes about 50 instructions a token; a branching automaton, besides, guesses wrong at most
# tokens.
#
# Text is UTF-8.  A non-ASCII character is a letter unless the table says otherwise: white space is
# blanked out in place, around a symbol (the ideographs of zh) boundaries are set, and any other
# class (the quotation marks of intl) sends the segment to `walk`, the same rules one decoded
# character at a time.  13a's replacements (text/unescape.h) are made in place before a second scan
# of the segment.

cdef enum:
    BLOCK_TOKENS = 66  # a block has up to 64 tokens, one may be open before it and one after

cdef enum:  # how a scan by planes ended
    SCANNED
    WALK         # there is a character that only `walk` understands
    ESCAPED      # there may be something to replace first


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
        self.classify = rb_classify_select()
        self.emit = rb_emit_select(
            all(kind in (SPACE, SYMBOL) for kind in ascii_classes)
        )
        self.pad, self.unescape, self.strip = pad, unescape, strip
        self.lowercase = lowercase

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        cdef int outcome
        if self.lowercase:
            rb_lower_ascii(t.text + begin, end - begin)
        end = strip_end(&self.classes.table, t.text, begin, end)
        if self.strip:
            begin = strip_begin(&self.classes.table, t.text, begin, end)
        outcome = self.scan_planes(t, begin, end, self.unescape)
        if outcome == ESCAPED:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            end = replace_escapes(t.text, begin, end)
            outcome = self.scan_planes(t, begin, end, False)
        if outcome == WALK:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            self.walk(t, begin, end)
        return tokens_close_segment(t)

    cdef int scan_planes(
        self, TokensC* t, int64_t begin, int64_t end, bint escapes
    ) except -1 nogil:
        """The rule as bit algebra; gives up with WALK or ESCAPED where that is not enough."""
        cdef const uint8_t* text = t.text
        cdef uint64_t planes[RB_PLANES]
        cdef uint64_t token, after_token, point, digit, before_digit, after_digit, alone
        cdef uint64_t starts, ends, first_rule
        cdef uint64_t boundary, next_boundary = 0  # of this block, and what it sets in the next
        cdef uint64_t was_token = 0, was_digit = 0, was_taken = 0
        cdef uint64_t no_first_rule = 0 if self.pad else 1  # nothing precedes the first character
        cdef int64_t base = begin, open_token = -1, at
        cdef rb_cursor cursor, roof
        open_cursor(t, &cursor, &roof)
        while base < end:
            if poll_due(base + 63 - begin, POLL_CELLS):
                poll_without_gil(NULL)
            self.classify(&self.classes.table, text + base, planes)
            boundary, next_boundary = next_boundary, 0
            if planes[P_RARE] | planes[RB_WIDE]:
                if planes[P_RARE] and (escapes or memchr(text + base, 0, 64) != NULL):
                    return ESCAPED if escapes else WALK
                if planes[RB_WIDE] and self.place_wide(
                    t.text + base, planes, &boundary, &next_boundary
                ) == WALK:
                    return WALK
            token = ~planes[P_SPACE]
            point = planes[P_POINT]
            digit = planes[P_DIGIT]
            alone = planes[P_SYMBOL]
            if point | planes[P_DASH]:
                after_digit = digit << 1 | was_digit
                before_digit = digit >> 1
                if text[base + 64] < 0x80 and self.classes.table.ascii[text[base + 64]] & DIGIT:
                    before_digit |= <uint64_t> 1 << 63
                if not self.pad and end - base <= 64:  # nothing follows the last character
                    before_digit |= <uint64_t> 1 << (end - base - 1)
                first_rule = point & ~(after_digit | no_first_rule)
                if first_rule & (first_rule << 1 | was_taken):
                    first_rule = every_second(first_rule, was_taken)
                was_taken = first_rule >> 63
                alone |= first_rule | point & ~before_digit | planes[P_DASH] & after_digit
            else:
                was_taken = 0
            after_token = token << 1 | was_token
            boundary |= alone | alone << 1
            next_boundary |= alone >> 63
            starts = token & (~after_token | boundary)
            ends = after_token & (~token | boundary)
            was_token, was_digit = token >> 63, digit >> 63
            no_first_rule = 0
            if cursor.lo > roof.lo or cursor.longs > roof.longs:
                close_cursor(t, &cursor)
                open_cursor(t, &cursor, &roof)
            if open_token >= 0 and ends:
                at = base + rb_ctz(ends)
                rb_emit_token(text + open_token, open_token, <int32_t> (at - open_token), &cursor)
                ends &= ends - 1
                open_token = -1
            starts = self.emit(text, base, starts, ends, &cursor)
            if starts:
                open_token = base + rb_ctz(starts)
            base += 64
        if open_token >= 0:  # the text filled its last block
            rb_emit_token(text + open_token, open_token, <int32_t> (end - open_token), &cursor)
        close_cursor(t, &cursor)
        hash_longs(t)
        return SCANNED

    cdef int place_wide(
        self, uint8_t* block, uint64_t* planes, uint64_t* boundary, uint64_t* next_boundary
    ) noexcept nogil:
        """Non-ASCII characters with a class: white space turns into spaces, symbols get boundaries.

        WALK if another class turns up.
        """
        cdef uint64_t wide = planes[RB_WIDE]
        cdef uint32_t code_point
        cdef uint8_t kind
        cdef int i, length
        while wide:
            i = rb_ctz(wide)
            wide &= wide - 1
            if not self.classes.table.wide_lead[block[i]]:
                continue
            length = rb_decode(block + i, &code_point)
            kind = wide_class(&self.classes.table, code_point)
            if kind == SPACE:
                memset(block + i, 0x20, length)
                planes[P_SPACE] |= ((<uint64_t> 1 << length) - 1) << i
            elif kind == SYMBOL:
                boundary[0] |= <uint64_t> 1 << i
                if i + length < 64:
                    boundary[0] |= <uint64_t> 1 << (i + length)
                else:
                    next_boundary[0] |= <uint64_t> 1 << (i + length - 64)
            elif kind != OTHER:
                return WALK
        return SCANNED

    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """The rule one character at a time: any class, anywhere."""
        cdef const uint8_t* text = t.text
        cdef bint after_digit = not self.pad, after_taken = False, was_digit = False
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
                next_kind, next_length = (SPACE if self.pad else DIGIT), 1
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


cdef uint64_t every_second(uint64_t points, uint64_t was_taken) noexcept nogil:
    """Of each run of set bits the first, the third, ...; a run may begin in the block before."""
    cdef uint64_t taken = 0, rest = points, bit
    while rest:
        bit = rest & (~rest + 1)
        rest ^= bit
        if not (bit >> 1 & taken) and not (bit & 1 & was_taken):
            taken |= bit
    return taken


cdef int open_cursor(TokensC* t, rb_cursor* cursor, rb_cursor* roof) except -1 nogil:
    """Where the next token goes, and beyond where there may be no room for another block's."""
    tokens_reserve(t, BLOCK_TOKENS)
    cursor.lo = t.lo + t.n_tokens
    cursor.hi = t.hi + t.n_tokens
    cursor.longs = t.longs + t.n_longs
    cursor.index = <int32_t> (t.n_tokens - t.first_token[t.n_segments])
    roof.lo = t.lo + t.token_capacity - BLOCK_TOKENS
    roof.longs = t.longs + t.long_capacity - BLOCK_TOKENS
    return 0


cdef void close_cursor(TokensC* t, const rb_cursor* cursor) noexcept nogil:
    t.n_tokens = cursor.lo - t.lo
    t.n_longs = cursor.longs - t.longs


# --------------------------------------------------------------------------------------------------
# What chrF sees of a text: the sequence of its characters, and that of its words (Popovic 2017).
#
# Characters are code points, and a code point is its own identity: none is ever long, so the table
# keeps no bytes for them.  ASCII goes eight bytes at a time, each byte stored and the place of the
# next moved on if it is no white space, which takes a cycle and no branch.
#
# Words are what white space separates, and of a word of two characters or more one ASCII
# punctuation mark is split off: the last character if it is one, else the first if it is one.  They
# are found as in `TextScanner`: by the bits of a block of 64 bytes unlike their neighbour.
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
        self.classes = CharacterClasses(ascii_classes, wide_classes, b"")
        self.classify = rb_classify_select()
        self.whitespace, self.words, self.strip = whitespace, words, strip
        for character in range(128):
            self.kept[character] = whitespace or not ascii_classes[character] & SPACE

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        if self.strip:
            end = strip_end(&self.classes.table, t.text, begin, end)
            begin = strip_begin(&self.classes.table, t.text, begin, end)
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
