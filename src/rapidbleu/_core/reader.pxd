"""C contract of the reader: one segment of a column into a token table."""

from libc.stdint cimport int64_t

from rapidbleu._core.columns cimport Column
from rapidbleu._core.scanner cimport Scanner
from rapidbleu._core.tokens cimport TokensC


cdef class Reader:
    cdef readonly Scanner scanner
    cdef readonly object rule
    cdef readonly bint lowercase

    cdef bint read(
        self, Column column, Py_ssize_t i, TokensC* t, int64_t* begin, int64_t* end
    ) except -1
    cdef bint read_text(
        self, segment, TokensC* t, int64_t* begin, int64_t* end
    ) except -1
