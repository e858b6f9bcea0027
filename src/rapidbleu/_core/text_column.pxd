"""C contract of columns of text made here."""

from libc.stdint cimport int64_t, uint8_t


cdef class TextColumn:
    cdef uint8_t* text
    cdef int64_t* ends       # ends[i + 1] of text i, which begins at ends[i]
    cdef int64_t length
    cdef int64_t capacity    # texts
    cdef int64_t text_capacity
    cdef int64_t n_bytes

    cdef int append(self, const uint8_t* begin, int64_t n) except -1 nogil
