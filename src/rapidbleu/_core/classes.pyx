"""The class of every character, as a tokenizer's rule sees it.

    SPACE   separates tokens                SYMBOL  is always a token of its own
    DIGIT   see the rule in scanner.pyx     POINT   is one unless between digits
    DASH    is one after a digit            RARE    needs a closer look at the segment
    OTHER   is a letter

Three tables, from the common to the rare.  ASCII has one byte a character, also laid out for the
classification of 64 bytes at a time (classify.h).  Of the other characters most are letters, which
the first byte of their UTF-8 tells: none of those with the same first byte has a class.  Only what
passes that test is decoded and looked up in two stages, code point >> 8 to a page of 256 classes;
pages of one class are shared, so that the ideographs take 256 bytes and a table about 10 kB.
"""

from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree

from rapidbleu._core.common cimport rb_load64
from rapidbleu._core.native cimport rb_decode, rb_is_continuation


cdef uint64_t SPACES = 0x2020202020202020


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

    def __cinit__(self, bytes ascii_classes not None, wide_classes, bytes rare not None):
        cdef int character
        if len(ascii_classes) != 128:
            raise ValueError(f"ascii_classes: expected 128 bytes, got {len(ascii_classes)}")
        for character in range(128):
            self.table.ascii[character] = ascii_classes[character]
        for character in rare:
            self.table.ascii[character] |= RARE
        rb_class_table_fill(&self.table)
        self.fill_pages(wide_classes)

    def __dealloc__(self):
        PyMem_RawFree(self.pages)

    cdef int fill_pages(self, wide_classes) except -1:
        """Two-stage table of the classes beyond ASCII; uniform pages are shared."""
        cdef int page, n_pages = 1, first, last, code_point
        numbers = {}  # what identifies a page's content -> its number
        for first, last, kind in wide_classes:
            for page in range(first >> 8, (last >> 8) + 1):
                whole = first <= 256 * page and 256 * page + 255 <= last
                key = ("all", kind) if whole else page
                if key not in numbers:
                    if n_pages == 256:
                        raise ValueError("wide_classes: expected up to 255 different pages")
                    numbers[key] = n_pages
                    n_pages += 1
                self.page_of[page] = numbers[key]
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

    cdef int64_t strip_end(self, uint8_t* text, int64_t begin, int64_t end) noexcept nogil:
        """Where the text ends without white space, which is blanked."""
        cdef int64_t last, old_end = end
        cdef int length
        while end - begin >= 8 and rb_load64(text + end - 8) == SPACES:
            end -= 8
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
        """Where the text begins without white space."""
        cdef int length
        while begin < end and self.class_at(text + begin, &length) & SPACE:
            begin += length
        return begin


cdef int lead_byte(uint32_t code_point) noexcept:
    """First byte of a non-ASCII character in UTF-8."""
    if code_point < 0x800:
        return 0xC0 | code_point >> 6
    if code_point < 0x10000:
        return 0xE0 | code_point >> 12
    return 0xF0 | code_point >> 18
