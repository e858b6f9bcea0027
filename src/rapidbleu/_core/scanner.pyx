"""The compiled tokenizers: text to token identities, 64 bytes at a time, without Python objects.

The rules 13a, zh, intl, char and none are one machine with different tables.  Each gives every
character a class, and four substitutions of mteval do the rest, in this order:

    SYMBOL            -> ' c '        always a token of its own
    ([^DIGIT])(POINT) -> '\\1 \\2 '     a point that follows no digit,
    (POINT)([^DIGIT]) -> ' \\1 \\2'     or that no digit follows, is a token of its own
    (DIGIT)(DASH)     -> '\\1 \\2 '     and so is a dash after a digit

What comes of them needs only the neighbours of each character, so the whole rule is bit algebra on
planes (bit i of the plane DIGIT: character i is a digit).  One trap: a substitution consumes two
characters, so in a run of points the first rule takes every second one; then, and only then, the
bits are walked one by one.  A token starts at a non-space bit behind a space or a boundary.  This
takes about 30 instructions a token; a branching automaton mispredicts twice a token and is three
times slower, `re` 300 times.

Text is UTF-8.  A non-ASCII character is a letter unless the table says otherwise: white space is
blanked out in place, around a symbol (the ideographs of zh) boundaries are set, and any other class
(the quotation marks of intl) sends the segment to `walk`, the same rules one decoded character at a
time.  13a's entities are replaced in
place, in sacrebleu's order, before a second scan of the segment.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree

from rapidbleu._core.native cimport rb_ctz, rb_decode, rb_is_continuation
from rapidbleu._core.tokens cimport (
    TokensC, hash_longs, tokens_close_segment, tokens_push, tokens_reserve,
)


cdef enum:  # class bits; the planes are their exponents
    OTHER = 0
    SPACE = 1
    SYMBOL = 2
    DIGIT = 4
    POINT = 8
    DASH = 16
    RARE = 32    # NUL, which makes a token long; for 13a also '&', '<' and the line feed
    P_SPACE = 0
    P_SYMBOL = 1
    P_DIGIT = 2
    P_POINT = 3
    P_DASH = 4
    P_RARE = 5

cdef enum:
    BLOCK_TOKENS = 66  # a block has up to 64 tokens, one may be open before it and one after

cdef enum:  # how a scan by planes ended
    SCANNED
    WALK         # there is a character that only `walk` understands
    ESCAPED      # there may be something to replace first

cdef bint USE_SIMD = os.environ.get("RAPIDBLEU_SIMD", "1") != "0"


cdef class Scanner:
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

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(
        self, bytes ascii_classes not None, wide_classes, *, bint pad=False, bint unescape=False,
        bint strip=False,
    ):
        cdef int character
        if len(ascii_classes) != 128:
            raise ValueError(f"ascii_classes: expected 128 bytes, got {len(ascii_classes)}")
        for character in range(128):
            self.table.ascii[character] = ascii_classes[character]
        self.table.ascii[0] |= RARE
        if unescape:
            for character in b"&<\n":
                self.table.ascii[character] |= RARE
        rb_class_table_fill(&self.table)
        self.classify = rb_classify_select(USE_SIMD)
        self.emit = rb_emit_select(
            USE_SIMD, all(kind in (SPACE, SYMBOL) for kind in ascii_classes)
        )
        self.pad, self.unescape, self.strip = pad, unescape, strip
        self.fill_pages(wide_classes)

    def __dealloc__(self):
        PyMem_RawFree(self.pages)

    cdef int fill_pages(self, wide_classes) except -1:
        """Two-stage table of the classes beyond ASCII; uniform pages are shared."""
        cdef int page, n_pages = 1
        cdef uint32_t code_point
        numbers = {}  # what identifies a page's content -> its number
        for first, last, kind in wide_classes:
            for page in range(first >> 8, (last >> 8) + 1):
                whole = first <= 256 * page and 256 * page + 255 <= last
                key = ("all", kind) if whole else page
                if key not in numbers:
                    numbers[key] = n_pages
                    n_pages += 1
                self.page_of[page] = numbers[key]
        if n_pages > 256:
            raise ValueError(f"wide_classes: expected up to 255 different pages, got {n_pages - 1}")
        self.pages = <uint8_t*> PyMem_RawCalloc(256 * n_pages, 1)
        if self.pages == NULL:
            raise MemoryError
        for first, last, kind in wide_classes:
            for code_point in range(first, last + 1):
                self.pages[256 * self.page_of[code_point >> 8] + (code_point & 0xFF)] = kind
            for page in range(lead_byte(first), lead_byte(last) + 1):
                self.wide_lead[page] = 1
        return 0

    cdef uint8_t wide_class(self, uint32_t code_point) noexcept nogil:
        return self.pages[256 * <int> self.page_of[code_point >> 8] + (code_point & 0xFF)]

    cdef uint8_t class_at(self, const uint8_t* p, int* length) noexcept nogil:
        """Class of the character at p and its length in bytes."""
        cdef uint32_t code_point
        if p[0] < 0x80:
            length[0] = 1
            return self.table.ascii[p[0]]
        length[0] = rb_decode(p, &code_point)
        return self.wide_class(code_point)

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        """Append the tokens of t.text[begin:end] and close the segment.

        The text must be followed by PADDING spaces; it is changed in place.
        """
        cdef int outcome
        end = self.strip_end(t.text, begin, end)
        if self.strip:
            begin = self.strip_begin(t.text, begin, end)
        outcome = self.scan_planes(t, begin, end, self.unescape)
        if outcome == ESCAPED:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            end = replace_escapes(t.text, begin, end)
            outcome = self.scan_planes(t, begin, end, False)
        if outcome == WALK:
            t.n_tokens, t.n_longs = t.first_token[t.n_segments], t.first_long[t.n_segments]
            self.walk(t, begin, end)
        return tokens_close_segment(t)

    cdef int64_t strip_end(self, uint8_t* text, int64_t begin, int64_t end) noexcept nogil:
        """Where the text ends without white space, which is blanked."""
        cdef int64_t last, old_end = end
        cdef int length
        while end > begin:
            last = end - 1
            while last > begin and end - last < 4 and rb_is_continuation(text[last]):
                last -= 1
            if not self.class_at(text + last, &length) & SPACE or last + length != end:
                break
            end = last
        memset(text + end, 0x20, <size_t> (old_end - end))
        return end

    cdef int64_t strip_begin(self, const uint8_t* text, int64_t begin, int64_t end) noexcept nogil:
        cdef int length
        while begin < end and self.class_at(text + begin, &length) & SPACE:
            begin += length
        return begin

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
            self.classify(&self.table, text + base, planes)
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
                if text[base + 64] < 0x80 and self.table.ascii[text[base + 64]] & DIGIT:
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
            if not self.wide_lead[block[i]]:
                continue
            length = rb_decode(block + i, &code_point)
            kind = self.wide_class(code_point)
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
        cdef int64_t p = begin, start = -1
        kind = self.class_at(text + p, &length)
        while p < end:
            if p + length < end:
                next_kind = self.class_at(text + p + length, &next_length)
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


cdef int lead_byte(uint32_t code_point) noexcept:
    """First byte of a non-ASCII character in UTF-8."""
    if code_point < 0x800:
        return 0xC0 | code_point >> 6
    if code_point < 0x10000:
        return 0xE0 | code_point >> 12
    return 0xF0 | code_point >> 18


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


cdef int64_t replace(
    uint8_t* text, int64_t begin, int64_t end, const char* pattern, int pattern_length,
    const char* replacement,
) noexcept nogil:
    """Replace a pattern everywhere by one character or none; the new end of the text."""
    cdef int64_t source = begin, target = begin
    while source < end:
        if (
            text[source] == <uint8_t> pattern[0] and source + pattern_length <= end
            and memcmp(text + source, pattern, pattern_length) == 0
        ):
            source += pattern_length
            if replacement[0]:
                text[target] = <uint8_t> replacement[0]
                target += 1
        else:
            text[target] = text[source]
            target += 1
            source += 1
    if target < end:
        memset(text + target, 0x20, <size_t> (end - target))
    return target


cdef int64_t replace_escapes(uint8_t* text, int64_t begin, int64_t end) noexcept nogil:
    """13a's replacements, in sacrebleu's order."""
    end = replace(text, begin, end, b"<skipped>", 9, b"")
    end = replace(text, begin, end, b"-\n", 2, b"")
    end = replace(text, begin, end, b"\n", 1, b" ")
    if memchr(text + begin, 0x26, <size_t> (end - begin)) != NULL:
        end = replace(text, begin, end, b"&quot;", 6, b'"')
        end = replace(text, begin, end, b"&amp;", 5, b"&")
        end = replace(text, begin, end, b"&lt;", 4, b"<")
        end = replace(text, begin, end, b"&gt;", 4, b">")
    return end
