"""C contract of `input.arrow`."""

from libc.stdint cimport int64_t, uint8_t

from rapidbleu._core.input cimport ArrowArray, ChunkC


ctypedef struct LayoutC:  # arrays of a format
    char kind             # as in LayerC; f: numbers, s: fields, x: unions and runs; 0: no layer
    int64_t slot_size     # bytes; 0: no slots
    int64_t n_buffers
    int64_t n_children
    int64_t width         # of lists of fixed size


ctypedef struct ShapeC:   # layers of a column of strings; the first two are optional
    LayoutC lists
    LayoutC indices
    LayoutC strings


cdef class TextColumn:
    cdef uint8_t* text
    cdef int64_t* ends       # text i is [ends[i], ends[i + 1])
    cdef int64_t length
    cdef int64_t capacity    # texts
    cdef int64_t text_capacity
    cdef int64_t n_bytes
    cdef const void* buffers[3]  # of the exported column

    cdef int append(self, const uint8_t* begin, int64_t n) except -1 nogil
    cdef uint8_t* make_room(self, int64_t n) except NULL nogil
    cdef void close_text(self, int64_t n) noexcept nogil


# Immutable once imported, hence readable from any number of threads without the GIL.
cdef class ArrowColumn:
    cdef Py_ssize_t length              # items in all chunks
    cdef readonly bint is_list          # items are lists of strings
    cdef readonly int64_t null_item     # the first null item, or -1
    cdef bint any_null_string           # among strings that items use
    cdef bint checks_text               # refuse text that is not UTF-8
    cdef int64_t n_strings              # numbered strings of all chunks; `length` if not is_list
    cdef Py_ssize_t n_chunks
    cdef int64_t capacity               # chunks allocated
    cdef ChunkC* chunks
    cdef ShapeC shape

    # String i of n_strings: returns 1, or 0 if null, with size 0. `data` is never NULL, and the
    # bytes from data[size] on must not be read.
    cdef int get(self, Py_ssize_t i, const uint8_t** data, int64_t* size) noexcept nogil
    # Lists only: strings [begin, end) of item i; returns 1, or 0 if null, with begin == end.
    cdef int bounds(self, Py_ssize_t i, int64_t* begin, int64_t* end) noexcept nogil

    cdef text(self, Py_ssize_t i)
    cdef ArrowArray* new_chunk(self) except NULL
    cdef int open_chunk(self, str where, place) except -1
