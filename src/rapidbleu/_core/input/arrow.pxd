"""C contract of `input.arrow`."""

from libc.stdint cimport int64_t, uint8_t

from cpython.pycapsule cimport PyCapsule_Destructor

from rapidbleu._core.common cimport POLL_CELLS, poll_without_gil
from rapidbleu._core.input cimport ArrowArray, ArrowArrayStream, ArrowSchema, ChunkC, LayerC


# Arrow schemas

ctypedef struct ShapeC:   # kinds as in LayerC
    char list_kind        # 0: items are strings
    char index_kind       # 0: there is no dictionary
    char string_kind
    int64_t width         # strings in each list of fixed size


cdef int read_shape(ShapeC* shape, const ArrowSchema* schema, str where) except -1
cdef str read_format(const ArrowSchema* schema, str where)
cdef object malformed(str where, str what)
cdef object fault(str where, int status)


# What producers hand over

cdef object export(object obj, str method, str where)
cdef void* open_capsule(object capsule, const char* name, str where) except NULL
cdef object stream_error(ArrowArrayStream* stream, int code, str where)


# Chunks of an Arrow column

cdef int describe_chunk(ChunkC* chunk, const ShapeC* shape, str where) except -1
cdef int check_chunk(
    ChunkC* chunk, int64_t* null_item, bint* any_null_string, bint checks_text, str where,
    place,
) except -1


cdef int open_layer(
    LayerC* layer, char kind, const ArrowArray* array, int64_t n_buffers, int64_t slot_size,
    str where,
) except -1
cdef int check_lists(
    ChunkC* chunk, int64_t* item, int64_t* null_item, int64_t* budget
) except? -1 nogil
cdef int check_strings(
    const ChunkC* chunk, const int64_t* uses, bint checks_text, int64_t* string,
    const uint8_t** wrong, int64_t* null_item, bint* any_null_string, int64_t* budget,
) except? -1 nogil

cdef bint is_utf8(
    const uint8_t* p, const uint8_t* end, const uint8_t** wrong, int64_t* budget
) except -1 nogil


cdef inline int spend(int64_t* budget, int64_t cost) except -1 nogil:
    """Poll for signals when the work since the last poll is worth it."""
    budget[0] -= cost
    if budget[0] < 0:
        budget[0] = POLL_CELLS
        poll_without_gil(NULL)
    return 0


# Columns of text made here

# A struct of zeros in a capsule: for Arrow, one that is released.
cdef object new_capsule(size_t size, const char* name, PyCapsule_Destructor destructor)
cdef void free_schema(object capsule) noexcept
cdef void free_array(object capsule) noexcept


cdef class TextColumn:
    cdef uint8_t* text
    cdef int64_t* ends       # ends[i + 1] of text i, which begins at ends[i]
    cdef int64_t length
    cdef int64_t capacity    # texts
    cdef int64_t text_capacity
    cdef int64_t n_bytes

    cdef int append(self, const uint8_t* begin, int64_t n) except -1 nogil


# Arrow columns

# Immutable once imported: any number of threads may read it without the GIL.
cdef class ArrowColumn:
    cdef Py_ssize_t length              # items over all chunks
    cdef readonly bint is_list          # an item is a list of strings
    cdef int64_t null_item              # the first null item, or -1
    cdef bint any_null_string           # of those that an item has
    cdef bint checks_text               # refuse text that is not UTF-8
    cdef int64_t n_strings              # strings numbered over all chunks; `length` if not is_list
    cdef Py_ssize_t n_chunks
    cdef int64_t capacity               # chunks allocated
    cdef ChunkC* chunks
    cdef ShapeC shape

    # String i of n_strings. 1, or 0: null, with size 0. `data` is never NULL; nothing after
    # data[size - 1] may be read.
    cdef int get(self, Py_ssize_t i, const uint8_t** data, int64_t* size) noexcept nogil
    # Lists only: the strings [begin, end) of item i. 1, or 0: null, with begin == end.
    cdef int bounds(self, Py_ssize_t i, int64_t* begin, int64_t* end) noexcept nogil

    cdef int read_schema(self, const ArrowSchema* schema, str where) except -1
    cdef int read_stream(self, ArrowArrayStream* stream, str where, place) except -1
    cdef ArrowArray* new_chunk(self) except NULL
    cdef int open_chunk(self, str where, place) except -1
