"""The C helpers of this directory, declared for Cython; see each header for its contract."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "utf8.h" nogil:
    int rb_is_continuation(uint8_t byte) noexcept
    int rb_decode(const uint8_t* p, uint32_t* code_point) noexcept
    uint8_t* rb_encode_latin1(const uint8_t* text, ptrdiff_t n, uint8_t* out) noexcept
    uint8_t* rb_encode_ucs2(const uint16_t* text, ptrdiff_t n, uint8_t* out) noexcept
    uint8_t* rb_encode_ucs4(const uint32_t* text, ptrdiff_t n, uint8_t* out) noexcept
    void rb_lower_ascii(uint8_t* text, ptrdiff_t n) noexcept
    void rb_lower_latin1(uint8_t* text, ptrdiff_t n) noexcept
