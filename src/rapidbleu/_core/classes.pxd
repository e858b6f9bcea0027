"""C contract of character classes: what a tokenizer's rule knows of each character."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t


cdef extern from "classify.h" nogil:
    enum:
        RB_PLANES
        RB_WIDE
    ctypedef struct rb_class_table:
        uint8_t ascii[128]
        uint64_t spread[256]
    ctypedef void (*rb_classify_fn)(const rb_class_table*, const uint8_t*, uint64_t*) noexcept
    void rb_class_table_fill(rb_class_table* table)
    rb_classify_fn rb_classify_select()


cdef enum:  # class bits; the planes are their exponents
    OTHER = 0
    SPACE = 1
    SYMBOL = 2
    DIGIT = 4
    POINT = 8
    DASH = 16
    RARE = 32
    P_SPACE = 0
    P_SYMBOL = 1
    P_DIGIT = 2
    P_POINT = 3
    P_DASH = 4
    P_RARE = 5


cdef class CharacterClasses:
    cdef rb_class_table table        # of ASCII
    cdef uint8_t wide_lead[256]      # may a character that starts with this byte have a class?
    cdef uint8_t page_of[0x1100]     # code point >> 8 -> page of classes; page 0 has none
    cdef uint8_t* pages

    cdef int fill_pages(self, wide_classes) except -1
    cdef uint8_t wide_class(self, uint32_t code_point) noexcept nogil
    cdef uint8_t class_at(self, const uint8_t* p, int* length) noexcept nogil
    cdef int64_t strip_end(self, uint8_t* text, int64_t begin, int64_t end) noexcept nogil
    cdef int64_t strip_begin(self, const uint8_t* text, int64_t begin, int64_t end) noexcept nogil
