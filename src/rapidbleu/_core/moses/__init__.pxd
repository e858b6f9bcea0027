"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from rapidbleu._core.common cimport ProbingTableC


cdef extern from "moses/decimal.h":
    enum:
        NUMBER_PADDING "RB_NUMBER_PADDING"
    const uint8_t* rb_token_end(const uint8_t* p) noexcept nogil
    int rb_read_number(const uint8_t* p, const uint8_t** end, double* value) noexcept nogil
    int read_slowly "rb_read_slowly" (
        const uint8_t* p, const uint8_t* end, double* value
    ) except -1
    int64_t rb_read_count(const uint8_t* p, const uint8_t** end) noexcept nogil
    enum:
        NUMBER_WIDTH "RB_NUMBER_WIDTH"
        INTEGER_WIDTH "RB_INTEGER_WIDTH"
    uint8_t* format_number "rb_format_number" (double value, uint8_t* out) except NULL nogil
    uint8_t* format_integer "rb_format_integer" (int64_t value, uint8_t* out) except NULL nogil


cdef extern from "moses/unique_rows.h":
    ctypedef struct MosesRowsC "rb_moses_rows":
        const float* features
        const uint32_t* stats
        const int64_t* tags
        int64_t n_features
        int64_t n_words
        uint64_t key
    int64_t moses_unique "rb_moses_unique" (
        const MosesRowsC* rows, int64_t begin, int64_t end, int64_t* order, ProbingTableC* table
    ) except -1 nogil
