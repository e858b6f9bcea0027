"""Arrow columns of strings, read where they lie.

A producer (pyarrow, polars, pandas, ...) hands its buffers over in a capsule; we keep them, and
answer "where are the bytes of string i?".  No Arrow library is needed, then or at build time.

A column is a sequence of chunks, and a chunk has up to three layers, of which only the last is
always there:

    lists      item i     -> strings [begin, end)     +l +L: offsets   +vl +vL: offsets and sizes
                                                      +w:N: multiplication
    indices    string i   -> dictionary entry         c C s S i I l L: integers
    strings    entry i    -> bytes                    u U: offsets into one text
                                                      vu: 16-byte views, short texts inside them

Each layer has its own validity bitmap and its own offset: Arrow slices an array by moving its
offset, and never those of the layers below.  Strings are numbered through the whole column; of the
child of lists only the part counts that the chunk's lists use, for the chunks may be slices of one
array and all have the same child.  The chunk of an index is found by bisection, since a cache of
the last one would be shared by the threads.
"""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.pyport cimport PY_SSIZE_T_MAX
from cpython.unicode cimport PyUnicode_DecodeUTF8

from rapidbleu._core.arrow_chunks cimport check_chunk, describe_chunk
from rapidbleu._core.arrow_schema cimport malformed, read_shape
from rapidbleu._core.common cimport poll_signals
from rapidbleu._core.input cimport (
    ArrowArray, ArrowArrayStream, ArrowSchema, ChunkC, read_list, read_string,
)
from rapidbleu._core.text_column cimport TextColumn


@cython.final
cdef class ArrowColumn:
    """A column of strings, or of lists of strings, in the memory of its Arrow producer."""

    def __cinit__(self):
        self.chunks = NULL
        self.null_item = -1

    def __dealloc__(self):
        cdef Py_ssize_t c
        for c in range(self.n_chunks):
            if self.chunks[c].array.release != NULL:
                self.chunks[c].array.release(&self.chunks[c].array)
        PyMem_RawFree(self.chunks)

    cdef int get(self, Py_ssize_t i, const uint8_t** data, int64_t* size) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self.n_chunks, middle
        cdef const ChunkC* chunk
        while high - low > 1:
            middle = (low + high) >> 1
            if self.chunks[middle].first_string <= i:
                low = middle
            else:
                high = middle
        chunk = &self.chunks[low]
        return read_string(chunk, i - chunk.first_string + chunk.used_begin, data, size) > 0

    cdef int bounds(self, Py_ssize_t i, int64_t* begin, int64_t* end) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self.n_chunks, middle
        cdef const ChunkC* chunk
        cdef int status
        while high - low > 1:
            middle = (low + high) >> 1
            if self.chunks[middle].first_item <= i:
                low = middle
            else:
                high = middle
        chunk = &self.chunks[low]
        status = read_list(chunk, i - chunk.first_item, begin, end)
        if begin[0] == end[0]:  # anywhere in the child, used or not
            begin[0] = end[0] = chunk.used_begin
        begin[0] += chunk.first_string - chunk.used_begin
        end[0] += chunk.first_string - chunk.used_begin
        return status > 0

    def first_null(self):
        """Index of the first null item, -1 if there is none."""
        return self.null_item

    def __len__(self):
        return self.length

    def __getitem__(self, Py_ssize_t index):
        cdef int64_t begin, end
        if index < 0:
            index += self.length
        if not 0 <= index < self.length:
            raise IndexError(f"Arrow column of {self.length} items has no such index")
        if not self.is_list:
            return column_text(self, index)
        if not self.bounds(index, &begin, &end):
            return None
        texts = []
        while begin < end:
            texts.append(column_text(self, begin))
            begin += 1
        return texts

    cdef int read_schema(self, const ArrowSchema* schema, str where) except -1:
        read_shape(&self.shape, schema, where)
        self.is_list = self.shape.list_kind != 0
        return 0

    cdef int read_stream(self, ArrowArrayStream* stream, str where) except -1:
        cdef ArrowSchema schema
        cdef ArrowArray* array
        cdef int code
        memset(&schema, 0, sizeof(ArrowSchema))
        if stream.get_schema == NULL or stream.get_next == NULL or stream.get_last_error == NULL:
            raise malformed(where, "a stream without get_schema, get_next or get_last_error")
        with nogil:  # the producer may have to wait for a thread that wants the GIL
            code = stream.get_schema(stream, &schema)
        if code:
            raise stream_error(stream, code, where)
        try:
            self.read_schema(&schema, where)
        finally:
            if schema.release != NULL:
                schema.release(&schema)
        while True:
            poll_signals()
            array = self.new_chunk()
            with nogil:
                code = stream.get_next(stream, array)
            if code:
                raise stream_error(stream, code, where)
            if array.release == NULL:
                return 0
            self.open_chunk(where)

    cdef ArrowArray* new_chunk(self) except NULL:
        """Room for one more array, which belongs to the column from open_chunk on."""
        cdef Py_ssize_t capacity = 2 * self.n_chunks + 1
        cdef void* grown
        if self.n_chunks == self.capacity:
            grown = PyMem_RawRealloc(self.chunks, capacity * sizeof(ChunkC))
            if grown == NULL:
                raise MemoryError
            self.chunks = <ChunkC*> grown
            self.capacity = capacity
        memset(&self.chunks[self.n_chunks], 0, sizeof(ChunkC))
        return &self.chunks[self.n_chunks].array

    cdef int open_chunk(self, str where) except -1:
        """Take in the array that was put into the new chunk."""
        cdef ChunkC* chunk = &self.chunks[self.n_chunks]
        self.n_chunks += 1
        chunk.first_item = self.length
        chunk.first_string = self.n_strings
        describe_chunk(chunk, &self.shape, where)
        if chunk.array.length > PY_SSIZE_T_MAX - self.length:
            raise malformed(where, f"more than {PY_SSIZE_T_MAX} items")
        check_chunk(chunk, &self.null_item, &self.any_null_string, self.checks_text, where)
        if chunk.used_end - chunk.used_begin > PY_SSIZE_T_MAX - self.n_strings:
            raise malformed(where, f"more than {PY_SSIZE_T_MAX} strings")
        self.length += chunk.array.length
        self.n_strings += chunk.used_end - chunk.used_begin
        return 0


cdef column_text(ArrowColumn column, Py_ssize_t i):
    cdef const uint8_t* data
    cdef int64_t size
    if not column.get(i, &data, &size):
        return None
    return PyUnicode_DecodeUTF8(<const char*> data, size, NULL)


cdef object stream_error(ArrowArrayStream* stream, int code, str where):
    cdef const char* text = stream.get_last_error(stream)
    reason = f"errno {code}" if text == NULL else (<bytes> text).decode("utf-8", "replace")
    return ValueError(f"{where}: the Arrow stream failed: {reason}")


cdef object export(object obj, str method, str where):
    try:
        return getattr(obj, method)()
    except Exception as error:
        error.add_note(f"{where}: raised by {type(obj).__name__}.{method}()")
        raise


cdef void* open_capsule(object capsule, const char* name, str where) except NULL:
    if not PyCapsule_IsValid(capsule, name):
        raise TypeError(
            f"{where}: expected a capsule named '{name.decode()}', got {type(capsule).__name__}"
        )
    return PyCapsule_GetPointer(capsule, name)


def import_column(obj, str where not None):
    """Take over a column of strings from its Arrow producer, without copying it.

    Parameters
    ----------
    obj : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
        Strings, large strings, string views, a dictionary of those, or lists of any of these.
    where : str
        What to call the column in error messages.

    Returns
    -------
    ArrowColumn

    Raises
    ------
    TypeError
        `obj` is no Arrow column of strings.
    ValueError
        The producer failed, or what it produced is malformed or not UTF-8.

    Notes
    -----
    The text of a `TextColumn` is taken as it is: its reader has checked it, if it was asked to.
    """
    cdef ArrowColumn column = ArrowColumn()
    cdef ArrowArrayStream* source
    cdef ArrowArrayStream stream
    cdef ArrowSchema* schema
    cdef ArrowArray* array
    column.checks_text = not isinstance(obj, TextColumn)
    # What a capsule still owns when it dies it releases: streams and arrays are moved out, by
    # setting `release` to NULL; the schema is only read.
    if hasattr(obj, "__arrow_c_stream__"):
        capsule = export(obj, "__arrow_c_stream__", where)
        source = <ArrowArrayStream*> open_capsule(capsule, "arrow_array_stream", where)
        if source.release == NULL:
            raise ValueError(f"{where}: the Arrow stream has been consumed already")
        stream = source[0]
        source.release = NULL
        try:
            column.read_stream(&stream, where)
        finally:
            stream.release(&stream)
    elif hasattr(obj, "__arrow_c_array__"):
        pair = export(obj, "__arrow_c_array__", where)
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise TypeError(f"{where}: expected two Arrow capsules, got {type(pair).__name__}")
        schema = <ArrowSchema*> open_capsule(pair[0], "arrow_schema", where)
        array = <ArrowArray*> open_capsule(pair[1], "arrow_array", where)
        if schema.release == NULL or array.release == NULL:
            raise ValueError(f"{where}: the Arrow array has been consumed already")
        column.read_schema(schema, where)
        column.new_chunk()[0] = array[0]
        array.release = NULL
        column.open_chunk(where)
    else:
        raise TypeError(
            f"{where}: expected an Arrow column of strings, got {type(obj).__name__}"
        )
    return column
