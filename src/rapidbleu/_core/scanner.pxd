"""C contract of the scanner: text of one segment to the identities of its tokens."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from rapidbleu._core.tokens cimport LongTokenC, TokensC


cdef extern from "classify.h" nogil:
    enum:
        RB_PLANES
        RB_WIDE
    ctypedef struct rb_class_table:
        uint8_t ascii[128]
        uint64_t spread[256]
    ctypedef void (*rb_classify_fn)(const rb_class_table*, const uint8_t*, uint64_t*) noexcept
    void rb_class_table_fill(rb_class_table* table)
    rb_classify_fn rb_classify_select(int use_simd)


cdef extern from "emit.h" nogil:
    ctypedef struct rb_cursor:
        uint32_t* lo
        uint32_t* hi
        LongTokenC* longs
        int32_t index
    ctypedef uint64_t (*rb_emit_fn)(
        const uint8_t*, int64_t, uint64_t, uint64_t, rb_cursor*
    ) noexcept
    rb_emit_fn rb_emit_select(int use_simd, int characters)
    void rb_emit_token(const uint8_t* text, int64_t position, int32_t length, rb_cursor* c) noexcept


cdef class Scanner:
    cdef rb_class_table table
    cdef rb_classify_fn classify
    cdef rb_emit_fn emit
    cdef uint8_t wide_lead[256]      # may a character that starts with this byte have a class?
    cdef uint8_t page_of[0x1100]     # code point >> 8 -> page of classes; page 0 has none
    cdef uint8_t* pages
    cdef bint pad
    cdef bint unescape
    cdef bint strip

    cdef int fill_pages(self, wide_classes) except -1
    cdef uint8_t wide_class(self, uint32_t code_point) noexcept nogil
    cdef uint8_t class_at(self, const uint8_t* p, int* length) noexcept nogil
    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int64_t strip_end(self, uint8_t* text, int64_t begin, int64_t end) noexcept nogil
    cdef int64_t strip_begin(self, const uint8_t* text, int64_t begin, int64_t end) noexcept nogil
    cdef int scan_planes(
        self, TokensC* t, int64_t begin, int64_t end, bint escapes
    ) except -1 nogil
    cdef int place_wide(
        self, uint8_t* block, uint64_t* planes, uint64_t* boundary, uint64_t* next_boundary
    ) noexcept nogil
    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
