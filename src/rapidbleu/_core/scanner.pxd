"""C contract of the scanner: text of one segment to the identities of its tokens."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from rapidbleu._core.classes cimport CharacterClasses
from rapidbleu._core.text cimport TokensC, rb_classify_fn, rb_emit_fn


cdef class TextScanner:
    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil


cdef class Scanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_classify_fn classify
    cdef rb_emit_fn emit
    cdef bint pad
    cdef bint unescape
    cdef bint strip
    cdef bint lowercase

    cdef int scan_planes(
        self, TokensC* t, int64_t begin, int64_t end, bint escapes
    ) except -1 nogil
    cdef int place_wide(
        self, uint8_t* block, uint64_t* planes, uint64_t* boundary, uint64_t* next_boundary
    ) noexcept nogil
    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
