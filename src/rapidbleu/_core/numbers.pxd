"""C contract of numbers as text."""

from libc.stdint cimport int64_t, uint8_t


cdef extern from "decimal.h" nogil:
    enum:
        RB_NUMBER_PADDING
        RB_NUMBER_WIDTH
    int rb_read_number(const uint8_t* p, const uint8_t** end, double* value) noexcept
    int64_t rb_read_count(const uint8_t* p, const uint8_t** end) noexcept
    uint8_t* rb_format_number(double value, uint8_t* out) noexcept
    const uint8_t* rb_token_end(const uint8_t* p) noexcept


cdef int read_slowly(const uint8_t* p, const uint8_t* end, double* value) except -1
cdef uint8_t* format_number(double value, uint8_t* out) except NULL nogil
