"""C contract of `input.lines`."""

from libc.stdint cimport int64_t, uint8_t


cdef class LineReader:
    cdef readonly str name   # of the file, in errors
    cdef readonly int64_t line  # number of the last line returned
    cdef object file
    cdef uint8_t* data
    cdef int64_t capacity    # including the padding
    cdef int64_t begin       # of the unread bytes
    cdef int64_t filled
    cdef bint at_end         # of the file

    cdef int64_t read_into(self, uint8_t* target, int64_t n) except -1
    cdef int fill(self) except -1
    cdef int next_line(self, const uint8_t** begin, const uint8_t** end) except -1 nogil
    cdef int64_t take(self, void* target, int64_t n) except -1
    cdef fail(self, str what)
