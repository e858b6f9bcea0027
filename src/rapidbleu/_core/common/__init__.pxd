"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cpython.object cimport PyObject


cdef extern from "common/bits.h" nogil:
    int rb_ctz(uint64_t x) noexcept
    int rb_popcount(uint64_t x) noexcept
    int rb_same_bytes(const uint8_t* a, const uint8_t* b, int64_t length) noexcept
    uint64_t rb_fold(uint64_t a, uint64_t b) noexcept
    uint64_t rb_load64(const uint8_t* p) noexcept
    uint64_t rb_low_bytes(uint64_t word, int length) noexcept


cdef extern from "common/cpu.h" nogil:
    bint use_v3 "rb_use_v3" () noexcept
    int simd_level_in_use "rb_simd_level" () noexcept


cdef extern from "common/encode.h" nogil:
    ctypedef struct EncodersC "rb_encoders":
        uint8_t* (*latin1)(
            const uint8_t* text, ptrdiff_t n, uint8_t* out, bint lower
        ) noexcept nogil
        uint8_t* (*ucs2)(const uint16_t* text, ptrdiff_t n, uint8_t* out) noexcept nogil
        uint8_t* (*ucs4)(const uint32_t* text, ptrdiff_t n, uint8_t* out) noexcept nogil
    EncodersC encoders_select "rb_encoders_select" () noexcept


cdef extern from "common/exact_sum.h" nogil:
    const int EXACT_TERMS "RB_EXACT_TERMS"
    double exact_sum "rb_exact_sum" (const double* terms, int n_terms) noexcept


cdef extern from "common/hash_keys.h":
    uint64_t hash_key "rb_hash_key" () except 0


cdef extern from "common/threads.h":
    ctypedef struct IdleC "rb_idle":
        pass
    PyObject* idle_take "rb_idle_take" (IdleC* idle) noexcept
    void idle_put "rb_idle_put" (IdleC* idle, PyObject* item) noexcept
    bint idle_any "rb_idle_any" (IdleC* idle) noexcept
    void idle_free "rb_idle_free" (IdleC* idle) noexcept
    const bint FREE_THREADED "RB_FREE_THREADED"


cdef extern from "common/memory.h" nogil:
    size_t bytes_of "rb_bytes_of" (int64_t n, size_t size) noexcept
    int grow "rb_grow" (void** array, int64_t* capacity, int64_t needed, size_t size) except -1
    int room "rb_room" (void** array, int64_t* capacity, int64_t n, size_t size) except -1


cdef extern from "common/probing_table.h":
    ctypedef struct ProbingTableC "rb_probing_table":
        int64_t n_items
    void probing_table_init "rb_probing_table_init" (ProbingTableC* table) noexcept nogil
    void probing_table_free "rb_probing_table_free" (ProbingTableC* table) noexcept nogil


cdef extern from "common/signals.h":
    const int64_t POLL_OBJECTS "RB_POLL_OBJECTS"
    const int64_t POLL_TOKENS "RB_POLL_TOKENS"
    const int64_t POLL_CELLS "RB_POLL_CELLS"
    const int64_t POLL_SUMS "RB_POLL_SUMS"
    const int64_t POLL_BYTES "RB_POLL_BYTES"
    bint poll_due "rb_poll_due" (int64_t i, int64_t n) noexcept nogil
    int poll_signals "rb_poll_signals" () except -1
    int poll "rb_poll" (object stop) except -1
    int poll_without_gil "rb_poll_without_gil" (PyObject* stop) except -1 nogil


cdef extern from "common/utf8.h" nogil:
    bint rb_is_continuation(uint8_t byte) noexcept
    int rb_decode(const uint8_t* p, uint32_t* code_point) noexcept
    uint32_t* rb_eight_characters(
        const uint8_t* text, const uint8_t* kept, uint32_t* out
    ) noexcept
    void rb_lower_ascii(uint8_t* text, ptrdiff_t n) noexcept
    const uint8_t* rb_utf8_check(const uint8_t* p, const uint8_t* end) noexcept
