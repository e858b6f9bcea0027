"""Sizes of memory, where numbers of items have 64 bits and sizes may have 32."""

from libc.stdint cimport SIZE_MAX, int64_t, uint64_t


cdef inline size_t bytes_of(int64_t n, size_t size) noexcept nogil:
    """Bytes of n items; where a size has too few bits to say it, more than there can be."""
    return <size_t> n * size if <uint64_t> n <= SIZE_MAX // size else SIZE_MAX
