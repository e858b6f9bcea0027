"""C contract of `text.scanners`."""

from libc.stdint cimport int64_t, uint64_t, uint8_t

from rapidbleu._core.text cimport (
    TokensC, rb_class_table, rb_scan_fn, rb_scan_rule, rb_scan_words_fn,
)


# Character classes

cdef class CharacterClasses:
    cdef rb_class_table table


# Scanner: text of one segment to the identities of its tokens

cdef class TextScanner:
    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil


cdef class Scanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_scan_rule rule
    cdef rb_scan_fn scan_planes
    cdef bint unescape
    cdef bint strip
    cdef bint lowercase

    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil


# ChrF's scanner

cdef class ChrfScanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_scan_words_fn scan_words
    cdef bint whitespace
    cdef bint words
    cdef bint strip
    cdef uint8_t kept[128]   # 1: the ASCII character is among the characters

    cdef int scan_characters(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int walk_words(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int push_word(self, TokensC* t, int64_t start, int64_t end) except -1 nogil
    cdef bint is_mark(self, uint8_t byte) noexcept nogil
