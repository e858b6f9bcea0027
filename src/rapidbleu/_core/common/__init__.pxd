"""Cython declarations of the headers in this folder, and functions on Python's lists and `sum`."""

from libc.math cimport fabs
from libc.stddef cimport ptrdiff_t, size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF


cdef extern from "common/bits.h" nogil:
    uint64_t rb_fold(uint64_t a, uint64_t b) noexcept
    uint64_t rb_load64(const uint8_t* p) noexcept
    int rb_popcount(uint64_t x) noexcept


cdef extern from "common/cpu.h" nogil:
    bint use_v3 "rb_use_v3" () noexcept
    int simd_level_in_use "rb_simd_level" () noexcept


cdef extern from "common/utf8.h" nogil:
    ctypedef struct EncodersC "rb_encoders":
        uint8_t* (*latin1)(
            const uint8_t* text, ptrdiff_t n, uint8_t* out, bint lower
        ) noexcept nogil
        uint8_t* (*ucs2)(const uint16_t* text, ptrdiff_t n, uint8_t* out) noexcept nogil
        uint8_t* (*ucs4)(const uint32_t* text, ptrdiff_t n, uint8_t* out) noexcept nogil
    EncodersC encoders_select "rb_encoders_select" () noexcept
    bint rb_is_continuation(uint8_t byte) noexcept
    int rb_decode(const uint8_t* p, uint32_t* code_point) noexcept
    void rb_lower_ascii(uint8_t* text, ptrdiff_t n) noexcept
    const uint8_t* rb_utf8_check(const uint8_t* p, const uint8_t* end) noexcept


cdef extern from "common/exact_sum.h" nogil:
    const int EXACT_TERMS "RB_EXACT_TERMS"
    double exact_sum "rb_exact_sum" (const double* terms, int n_terms) noexcept


cdef extern from "common/probing_table.h":
    uint64_t hash_key "rb_hash_key" () except 0
    ctypedef struct ProbingTableC "rb_probing_table":
        int64_t n_items
    void probing_table_init "rb_probing_table_init" (ProbingTableC* table) noexcept nogil
    void probing_table_free "rb_probing_table_free" (ProbingTableC* table) noexcept nogil


cdef extern from "common/threads.h":
    ctypedef struct IdleC "rb_idle":
        pass
    object idle_take "rb_idle_take" (IdleC* idle)
    void idle_put "rb_idle_put" (IdleC* idle, object item) noexcept
    bint idle_any "rb_idle_any" (IdleC* idle) noexcept
    void idle_free "rb_idle_free" (IdleC* idle) noexcept
    const bint FREE_THREADED "RB_FREE_THREADED"


cdef extern from "common/memory.h" nogil:
    void* allocate "rb_allocate" (int64_t n, size_t size) except NULL
    void* allocate_zeros "rb_allocate_zeros" (int64_t n, size_t size) except NULL
    int grow "rb_grow" (void** array, int64_t* capacity, int64_t needed, size_t size) except -1
    int room "rb_room" (void** array, int64_t* capacity, int64_t n, size_t size) except -1


cdef extern from "common/signals.h":
    const int64_t POLL_OBJECTS "RB_POLL_OBJECTS"
    const int64_t POLL_TOKENS "RB_POLL_TOKENS"
    const int64_t POLL_CELLS "RB_POLL_CELLS"
    const int64_t POLL_SUMS "RB_POLL_SUMS"
    bint poll_due "rb_poll_due" (int64_t i, int64_t n) noexcept nogil
    int poll_signals "rb_poll_signals" () except -1
    int poll "rb_poll" (object stop) except -1
    int poll_without_gil "rb_poll_without_gil" (PyObject* stop) except -1 nogil


cdef extern from "common/sorted_keys.h" nogil:
    ctypedef struct KeyedC "rb_keyed":
        uint64_t key
        int64_t place
    uint64_t key_of "rb_key_of" (double value) noexcept
    double value_of_key "rb_value_of_key" (uint64_t key) noexcept
    KeyedC* sort_keyed "rb_sort_keyed" (
        KeyedC* items, KeyedC* other, int64_t n, PyObject* stop
    ) except NULL


# Cython 3.3 errs twice when memory runs out. A list comprehension frees an item twice if the list
# cannot grow, so lists are filled in loops. An `except` that does more than raise, return a
# constant or pass reads a traceback that may be missing, so none does.
ctypedef fused NumberC:
    int64_t
    double


cdef inline list list_numbers(const NumberC* values, Py_ssize_t n):
    cdef list result = PyList_New(n)
    cdef Py_ssize_t i
    cdef object number
    for i in range(n):
        number = values[i]
        Py_INCREF(number)
        PyList_SET_ITEM(result, i, number)
    return result


cdef inline object unshared(items):
    """Return a list or tuple whose items no other thread changes during reading. With the GIL that
    is any, until Python code runs."""
    return tuple(items) if FREE_THREADED and type(items) is list else items


cdef inline bint sum_compensates() except -1:
    """Does `sum` compensate rounding errors, as from CPython 3.12 on?"""
    return sum([1.0, 1e100, 1.0, -1e100]) == 2.0


cdef inline double add(
    bint compensated, double total, double term, double* lost
) noexcept nogil:
    """Return total + term; if compensated, add the rounding error to `lost`."""
    cdef double result = total + term
    if compensated:
        if fabs(total) >= fabs(term):
            lost[0] += (total - result) + term
        else:
            lost[0] += (term - result) + total
    return result
