"""C contract of borrowed arrays."""

from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)

from cpython.buffer cimport Py_buffer


cdef class Buffer:
    cdef Py_buffer view
    cdef bint held
    cdef void* data
    cdef Py_ssize_t n_items
    cdef char kind        # 'i' signed, 'u' unsigned, 'f' floating
    cdef Py_ssize_t item_size

    cdef int require(self, char kind, Py_ssize_t item_size, Py_ssize_t n_items, where) except -1


cdef inline uint64_t integer_at(Buffer array, Py_ssize_t i) noexcept:
    """Item i of an integer array, sign-extended."""
    cdef bint signed = array.kind == c"i"
    if array.item_size == 8:
        return (<uint64_t*> array.data)[i]
    if array.item_size == 4:
        return <uint64_t> <int64_t> (<int32_t*> array.data)[i] if signed else (
            (<uint32_t*> array.data)[i])
    if array.item_size == 2:
        return <uint64_t> <int64_t> (<int16_t*> array.data)[i] if signed else (
            (<uint16_t*> array.data)[i])
    return <uint64_t> <int64_t> (<int8_t*> array.data)[i] if signed else (<uint8_t*> array.data)[i]
