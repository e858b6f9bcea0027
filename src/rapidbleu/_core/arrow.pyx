"""Arrow columns of strings, read where they lie.

A producer (pyarrow, polars, pandas, ...) hands its buffers over in a capsule; we keep them, and
answer "where are the bytes of string i?". No Arrow library is needed, then or at build time.

A column is a sequence of chunks, and a chunk has up to three layers, of which only the last is
always there:

    lists      item i     -> strings [begin, end)     +l +L: offsets   +vl +vL: offsets and sizes
                                                      +w:N: multiplication
    indices    string i   -> dictionary entry         c C s S i I l L: integers
    strings    entry i    -> bytes                    u U: offsets into one text
                                                      vu: 16-byte views, short texts inside them

Each layer has its own validity bitmap and its own offset: Arrow slices an array by moving its
offset, and never those of the layers below. Strings are numbered through the whole column; of the
child of lists only the part counts that the chunk's lists use, for the chunks may be slices of one
array and all have the same child. The chunk of an index is found by bisection, since a cache of
the last one would be shared by the threads.

The readers check what they read, and importing reads every slot once (not the text): malformed
offsets, views and indices are errors then, and later calls do not meet them (of the strings under
null lists, which nobody looked at, a malformed one reads as null). What Arrow does not tell cannot
be checked: the lengths of the buffers, and that the text is UTF-8.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from rapidbleu._core.arrow_layers cimport (
    BAD_INDEX, BAD_LIST, BAD_STRING, ArrowArray, ArrowArrayStream, ArrowSchema, ChunkC, LayerC,
    read_list, read_string,
)

# Format -> kind of the list layer; the other layers' kinds are the first letter of the format.
cdef dict LIST_KINDS = {"+l": c"l", "+L": c"L", "+vl": c"p", "+vL": c"P", "+w": c"w"}
cdef dict FAULTS = {
    BAD_LIST: "the list is not within its child",
    BAD_INDEX: "the index is not within the dictionary",
    BAD_STRING: "the string's offsets are negative, descending or out of range",
}


cdef object malformed(str where, str what):
    return ValueError(f"{where}: malformed Arrow data: {what}")


cdef int check_chunk(
    ChunkC* chunk, int64_t* item, int64_t* part, int64_t* null_item
) noexcept nogil:
    """Read every slot: 0, or what is bad, at item[0] (and string part[0] of that list)."""
    cdef const uint8_t* data
    cdef int64_t i, j, begin, end, size
    cdef int status
    for i in range(chunk.array.length):
        item[0] = i
        part[0] = -1
        if chunk.lists.kind:
            status = read_list(chunk, i, &begin, &end)
            for j in range(begin, end):
                if read_string(chunk, j, &data, &size) < 0:
                    part[0] = j - begin
                    return read_string(chunk, j, &data, &size)
            if begin < end:
                chunk.used_begin = min(chunk.used_begin, begin)
                chunk.used_end = max(chunk.used_end, end)
        else:
            status = read_string(chunk, i, &data, &size)
        if status < 0:
            return status
        if status == 0 and null_item[0] < 0:
            null_item[0] = chunk.first_item + i
    return 0


cdef int open_layer(
    LayerC* layer, char kind, const ArrowArray* array, int64_t n_buffers, str where
) except -1:
    """Describe one array of a chunk."""
    if array == NULL:
        raise malformed(where, "a child or dictionary is missing")
    if array.length < 0 or array.offset < 0:
        raise malformed(where, f"length {array.length}, offset {array.offset}")
    if array.buffers == NULL or array.n_buffers < n_buffers or (
        array.n_buffers > n_buffers and kind != c"v"
    ):
        raise malformed(where, f"expected {n_buffers} buffers, got {array.n_buffers}")
    memset(layer, 0, sizeof(LayerC))
    layer.kind = kind
    layer.offset = array.offset
    layer.length = array.length
    layer.valid = <const uint8_t*> array.buffers[0]
    if layer.valid == NULL and array.null_count > 0:
        raise malformed(where, f"{array.null_count} nulls, but no validity bitmap")
    if n_buffers > 1:
        layer.slots = <const uint8_t*> array.buffers[1]
        if layer.slots == NULL and array.length > 0:
            raise malformed(where, "the buffer of offsets, views or indices is missing")
    if n_buffers > 2:
        layer.side = <const uint8_t*> array.buffers[array.n_buffers - 1]
        layer.texts = array.buffers + 2
        layer.n_texts = array.n_buffers - 3
        if layer.side == NULL and (layer.n_texts > 0 or kind in b"pP" and array.length > 0):
            raise malformed(where, "the buffer of sizes is missing")
    return 0


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
        return [column_text(self, i) for i in range(begin, end)]

    cdef int read_schema(self, const ArrowSchema* schema, str where) except -1:
        """Fill in the kinds of the three layers."""
        cdef str name = read_format(schema, where), shape = ""
        cdef object list_kind = LIST_KINDS.get("+w" if name.startswith("+w:") else name)
        if list_kind is not None and schema.dictionary == NULL:
            if schema.n_children != 1 or schema.children == NULL:
                raise malformed(where, f"format {name!r} with {schema.n_children} children")
            if list_kind == c"w":
                if not (name[3:].isdecimal() and len(name) < 14):
                    raise malformed(where, f"format {name!r}")
                self.width = int(name[3:])
            self.list_kind = list_kind
            self.is_list = True
            shape = f"lists ({name!r}) of "
            schema = schema.children[0]
            name = read_format(schema, where)
        if schema.dictionary != NULL:
            if len(name) != 1 or name not in "cCsSiIlL":
                raise malformed(where, f"dictionary indices of format {name!r}")
            self.index_kind = ord(name)
            shape += f"a dictionary ({name!r}) of "
            schema = schema.dictionary
            name = read_format(schema, where)
        if name not in ("u", "U", "vu") or schema.dictionary != NULL:
            hint = " (a table: pass one of its columns)" if name == "+s" and not shape else ""
            raise TypeError(
                f"{where}: expected an Arrow column of strings, got {shape}format {name!r}{hint}"
            )
        self.string_kind = ord(name[0])
        return 0

    cdef int read_stream(self, ArrowArrayStream* stream, str where) except -1:
        cdef ArrowSchema schema
        cdef ArrowArray* array
        cdef int code
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
        cdef ChunkC* chunk = &self.chunks[self.n_chunks]
        cdef const ArrowArray* array = &chunk.array
        cdef int64_t item = 0, part = -1, null_item = self.null_item
        cdef int n_buffers, status
        self.n_chunks += 1
        chunk.first_item = self.length
        chunk.first_string = self.n_strings
        if self.list_kind:
            n_buffers = 1 if self.list_kind == c"w" else 3 if self.list_kind in b"pP" else 2
            open_layer(&chunk.lists, self.list_kind, array, n_buffers, where)
            chunk.lists.width = self.width
            if array.n_children != 1 or array.children == NULL:
                raise malformed(where, f"list with {array.n_children} children")
            array = array.children[0]
        if self.index_kind:
            open_layer(&chunk.indices, self.index_kind, array, 2, where)
            chunk.n_strings = array.length
            array = array.dictionary
        open_layer(&chunk.strings, self.string_kind, array, 3, where)
        if not self.index_kind:
            chunk.n_strings = array.length
        if self.list_kind:  # nothing yet
            chunk.used_begin = chunk.n_strings
        else:
            chunk.used_end = chunk.n_strings
        with nogil:
            status = check_chunk(chunk, &item, &part, &null_item)
        if status < 0:
            where = f"{where}[{self.length + item}]" + (f"[{part}]" if part >= 0 else "")
            raise malformed(where, FAULTS[status])
        self.null_item = null_item
        self.length += chunk.array.length
        chunk.used_begin = min(chunk.used_begin, chunk.used_end)
        self.n_strings += chunk.used_end - chunk.used_begin
        return 0


cdef column_text(ArrowColumn column, Py_ssize_t i):
    cdef const uint8_t* data
    cdef int64_t size
    if not column.get(i, &data, &size):
        return None
    return PyUnicode_DecodeUTF8(<const char*> data, size, NULL)


cdef str read_format(const ArrowSchema* schema, str where):
    if schema == NULL or schema.format == NULL:
        raise malformed(where, "a schema without format")
    return (<bytes> schema.format).decode("utf-8", "replace")


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
        The producer failed, or what it produced is malformed.
    """
    cdef ArrowColumn column = ArrowColumn()
    cdef ArrowArrayStream* source
    cdef ArrowArrayStream stream
    cdef ArrowSchema* schema
    cdef ArrowArray* array
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
