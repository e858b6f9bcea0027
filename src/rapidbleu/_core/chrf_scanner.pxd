"""C contract of chrF's scanner."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from rapidbleu._core.classes cimport CharacterClasses
from rapidbleu._core.scanner cimport TextScanner
from rapidbleu._core.text cimport TokensC, rb_classify_fn


cdef class ChrfScanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_classify_fn classify
    cdef bint whitespace
    cdef bint words
    cdef uint8_t kept[128]   # 1: the ASCII character is among the characters

    cdef int scan_characters(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int scan_words(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef void blank_spaces(self, uint8_t* block, uint64_t* planes) noexcept nogil
    cdef int push_word(self, TokensC* t, int64_t start, int64_t end) except -1 nogil
    cdef bint is_mark(self, uint8_t byte) noexcept nogil
