"""Tables that Arrow libraries read in place, through the C stream interface.

The stream has one batch, a struct with a child for each column.  The stream, its schema, the batch
and each child of these hold the `ArrowTable`, and that holds the columns' buffers.  Each of them
is released on its own, since a consumer may move a child out of its parent.
"""

cimport cython
from libc.errno cimport ENOMEM
from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF

from rapidbleu._core.input cimport (
    ARROW_FLAG_NULLABLE,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
)
from rapidbleu._core.input.arrow cimport new_capsule
from rapidbleu._core.input.columns cimport Buffer


cdef enum:
    MOST_BUFFERS = 3  # of a column: which items are there, offsets, text

cdef dict N_BUFFERS = {b"l": 2, b"g": 2, b"U": 3}


ctypedef struct ColumnC:
    const char* name
    const char* format
    int64_t null_count
    int64_t n_buffers
    const void* buffers[MOST_BUFFERS]


@cython.final
cdef class ArrowTable:
    """Columns with names, of one length.

    Parameters
    ----------
    length : int
        Items of each column.
    columns : list of (bytes, bytes, int, list)
        Name in UTF-8; format, b"l" for int64, b"g" for float64, b"U" for text; number of nulls;
        buffers: a bit for each item that is there, or None; numbers, or int64 offsets and UTF-8.
    """

    cdef int64_t length
    cdef int64_t n_columns
    cdef ColumnC* columns
    cdef const void* struct_buffer  # which rows are there: NULL, all of them
    cdef list owners                # of names and buffers

    def __cinit__(self, int64_t length, list columns, /):
        cdef ColumnC* column
        cdef bytes name, format
        cdef int64_t i = 0
        cdef int k
        self.owners = []
        self.length, self.n_columns = length, len(columns)
        self.columns = <ColumnC*> PyMem_RawCalloc(<size_t> self.n_columns + 1, sizeof(ColumnC))
        if self.columns == NULL:
            raise MemoryError
        for name, format, null_count, buffers in columns:
            if len(buffers) != N_BUFFERS[format]:
                raise ValueError(f"expected {N_BUFFERS[format]} buffers, got {len(buffers)}")
            column = &self.columns[i]
            column.name, column.format = name, format
            column.null_count, column.n_buffers = null_count, len(buffers)
            self.owners += [name, format]
            for k, source in enumerate(buffers):
                if source is not None:
                    column.buffers[k] = self.address(source, k, format)
            i += 1

    cdef const void* address(self, source, int k, bytes format) except NULL:
        """Hold a buffer and return where it is; refuse one that is too short."""
        cdef Buffer buffer = Buffer(source, "buffer")
        cdef int64_t size = buffer.n_items * buffer.item_size, wanted = 8 * self.length
        if k == 0:
            wanted = (self.length + 7) // 8
        elif format == b"U":
            wanted = 8 * (self.length + 1) if k == 1 else 0
        if size < wanted:
            raise ValueError(f"expected a buffer of {wanted} bytes, got {size}")
        self.owners.append(buffer)
        return buffer.data

    def __dealloc__(self):
        PyMem_RawFree(self.columns)

    def __arrow_c_stream__(self, requested_schema=None):
        """Return a stream of one batch, in a capsule."""
        cdef ArrowArrayStream* stream
        capsule = new_capsule(sizeof(ArrowArrayStream), "arrow_array_stream", free_stream)
        stream = <ArrowArrayStream*> PyCapsule_GetPointer(capsule, "arrow_array_stream")
        stream.get_schema, stream.get_next = get_schema, get_batch
        stream.get_last_error, stream.release = get_last_error, release_stream
        stream.private_data = hold(self)
        return capsule


cdef void* hold(owner):
    Py_INCREF(owner)
    return <void*> owner


cdef void let_go(void* owner) noexcept:
    Py_DECREF(<object> <PyObject*> owner)


# Streams

cdef void free_stream(object capsule) noexcept:
    cdef ArrowArrayStream* stream = <ArrowArrayStream*> PyCapsule_GetPointer(
        capsule, "arrow_array_stream"
    )
    if stream.release != NULL:
        stream.release(stream)
    PyMem_RawFree(stream)


cdef const char* get_last_error(ArrowArrayStream* stream) noexcept nogil:
    return NULL


cdef void release_stream(ArrowArrayStream* stream) noexcept with gil:
    let_go(stream.private_data)
    stream.release = NULL


# Schemas

cdef int get_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept with gil:
    cdef ArrowTable table = <ArrowTable> <PyObject*> stream.private_data
    cdef int64_t i
    cdef ArrowSchema* child
    fill_schema(out, table, b"+s", b"")
    out.flags = 0
    out.children = <ArrowSchema**> new_children(table.n_columns, sizeof(ArrowSchema))
    if out.children == NULL:
        release_schema(out)
        return ENOMEM
    out.n_children = table.n_columns
    for i in range(table.n_columns):
        child = out.children[i]
        fill_schema(child, table, table.columns[i].format, table.columns[i].name)
    return 0


cdef void fill_schema(
    ArrowSchema* schema, ArrowTable table, const char* format, const char* name
) noexcept:
    memset(schema, 0, sizeof(ArrowSchema))
    schema.format, schema.name, schema.flags = format, name, ARROW_FLAG_NULLABLE
    schema.private_data, schema.release = hold(table), release_schema


cdef void release_schema(ArrowSchema* schema) noexcept with gil:
    cdef int64_t i
    for i in range(schema.n_children):
        if schema.children[i].release != NULL:
            schema.children[i].release(schema.children[i])
    PyMem_RawFree(<void*> schema.children)
    if schema.dictionary != NULL:
        if schema.dictionary.release != NULL:
            schema.dictionary.release(schema.dictionary)
        PyMem_RawFree(schema.dictionary)
    let_go(schema.private_data)
    schema.release = NULL


# Batches

cdef int get_batch(ArrowArrayStream* stream, ArrowArray* out) noexcept with gil:
    cdef ArrowTable table = <ArrowTable> <PyObject*> stream.private_data
    cdef int64_t i
    cdef ColumnC* column
    fill_array(out, table, &table.struct_buffer, 1, 0)
    out.children = <ArrowArray**> new_children(table.n_columns, sizeof(ArrowArray))
    if out.children == NULL:
        release_array(out)
        return ENOMEM
    out.n_children = table.n_columns
    for i in range(table.n_columns):
        column = &table.columns[i]
        fill_array(out.children[i], table, column.buffers, column.n_buffers, column.null_count)
    stream.get_next = get_no_batch
    return 0


cdef int get_no_batch(ArrowArrayStream* stream, ArrowArray* out) noexcept nogil:
    out.release = NULL
    return 0


cdef void fill_array(
    ArrowArray* array, ArrowTable table, const void** buffers, int64_t n_buffers,
    int64_t null_count,
) noexcept:
    memset(array, 0, sizeof(ArrowArray))
    array.length, array.null_count = table.length, null_count
    array.buffers, array.n_buffers = buffers, n_buffers
    array.private_data, array.release = hold(table), release_array


cdef void release_array(ArrowArray* array) noexcept with gil:
    cdef int64_t i
    for i in range(array.n_children):
        if array.children[i].release != NULL:
            array.children[i].release(array.children[i])
    PyMem_RawFree(<void*> array.children)
    if array.dictionary != NULL:
        if array.dictionary.release != NULL:
            array.dictionary.release(array.dictionary)
        PyMem_RawFree(array.dictionary)
    let_go(array.private_data)
    array.release = NULL


cdef void** new_children(int64_t n, size_t size) noexcept:
    """Memory for n structs of zeros, behind the pointers to them; NULL if there is none."""
    cdef void** children = <void**> PyMem_RawCalloc(<size_t> n + 1, sizeof(void*) + size)
    cdef int64_t i
    if children != NULL:
        for i in range(n):
            children[i] = <char*> (children + n) + i * <int64_t> size
    return children
