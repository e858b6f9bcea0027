"""Batches of Arrow tables and their columns by name.

A batch stays in the memory of its producer while one of its columns is in use. A column is exported
again as an Arrow array that shares the buffers, so columns of any type pass through.

Consumers follow the pointers of a column, so taking it out of its batch checks its structs
(lengths, buffers, children, levels) against formats in constant time per node, and keys of maps for
nulls. Other buffer contents (offsets, views, indices, text) are checked by `import_column` for
texts, else by pyarrow.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t

from cpython.pycapsule cimport PyCapsule_GetPointer

from rapidbleu._core.common cimport allocate_zeros
from rapidbleu._core.input cimport (
    ArrowArray, ArrowSchema, LayerC, MAX_BYTES, load_int32, slot_is_null,
)
from rapidbleu._core.input.arrow cimport (
    ArrowSource, LayoutC, check_index, end_of, free_array, free_schema, hold, malformed,
    new_capsule, open_layer, read_format, read_layout, release_array, release_schema,
)


cdef enum:
    MOST_LEVELS = 64         # as in pyarrow
    MOST_METADATA = 1 << 24  # bytes


cdef int check_tree(
    const ArrowSchema* schema, const ArrowArray* array, str where, int level=1, int part=0
) except -1:
    cdef LayoutC layout
    cdef LayerC layer
    cdef int64_t i, end
    if level > MOST_LEVELS:
        raise malformed(where, f"more than {MOST_LEVELS} levels")
    read_layout(&layout, schema, where)
    check_metadata(schema.metadata, where)
    open_layer(&layer, &layout, array, where)
    end = layer.offset + layer.length
    if layout.kind == c"x" and layout.n_buffers and layer.valid == NULL and end:
        raise malformed(where, "the buffer of types is missing")
    if layout.kind in b"uU" and layer.length and (level > 1 or schema.format[0] in b"zZ"):
        if not 0 <= end_of(&layer) <= MAX_BYTES:  # the presumed length of the text
            raise malformed(where, f"a text or data of {end_of(&layer)} bytes")
    if part and (
        schema.format[0] == c"n" and layer.length or layout.kind != c"x" and any_null(&layer)
    ):
        raise malformed(where, "a map with null keys or entries")
    for i in range(layout.n_children):
        check_tree(
            schema.children[i], array.children[i], where, level + 1, part_of_map(schema, part, i)
        )
        if layout.kind == c"s" and array.children[i].length < end:
            raise malformed(where, f"field {i} is shorter than its struct")
    if layout.width and array.children[0].length // layout.width < end:
        raise malformed(where, "the list is not within its child")
    if schema.dictionary != NULL:
        check_index(schema, where)
        check_tree(schema.dictionary, array.dictionary, where, level + 1)
    elif array.dictionary != NULL:
        raise malformed(where, "a dictionary that the schema lacks")
    return 0


cdef int part_of_map(const ArrowSchema* parent, int part, int64_t i) except -1:
    """Return a child's part: 2 for the entries of a map, 1 for its keys, 0 for all other children.

    `part` is the parent's part. Entries and keys must not be null: pyarrow aborts the process if
    one is, and some versions abort if their nulls are not counted.
    """
    if parent.format[:2] == b"+m":
        return 2
    return part - 1 if part and i == 0 else 0


cdef bint any_null(const LayerC* layer) noexcept:
    cdef int64_t i
    if layer.valid == NULL:
        return False
    for i in range(layer.offset, layer.offset + layer.length):
        if slot_is_null(layer, i):
            return True
    return False


cdef int check_metadata(const char* data, str where) except -1:
    """Refuse implausible numbers of entries, and lengths of entries."""
    cdef const uint8_t* bytes = <const uint8_t*> data
    cdef int64_t size, end = 4
    if data == NULL:
        return 0
    size = load_int32(bytes, 0)
    if 0 <= size <= MOST_METADATA:
        for _ in range(2 * size):
            size = load_int32(bytes + end, 0)
            end += 4 + size
            if size < 0 or end > MOST_METADATA:
                break
    if not 0 <= size <= MOST_METADATA or end > MOST_METADATA:
        raise malformed(where, f"metadata of {size} entries or bytes")
    return 0


@cython.final
cdef class BatchReader:
    """An Arrow table, batch by batch; `names` are the names of its columns.

    With `is_column` the source is one column of any type, the only column of its batches. TypeError
    if it is not an Arrow table; ValueError if the producer fails or its data is malformed.
    """

    cdef ArrowSource source
    cdef LayoutC layout
    cdef bint is_column
    cdef readonly tuple names

    def __cinit__(self, source, str where not None, bint is_column=False, /):
        cdef const ArrowSchema* schema
        cdef const ArrowSchema* child
        cdef list names = []
        cdef int64_t i
        self.source = ArrowSource(source, where, "an Arrow table")
        self.is_column, self.names = is_column, ("",)
        if is_column:
            return
        schema = &self.source.schema
        format = read_format(schema, where)
        if format != "+s" or schema.dictionary != NULL:
            raise TypeError(
                f"{where}: expected an Arrow table; got one column of format {format!r}"
            )
        read_layout(&self.layout, schema, where)
        for i in range(schema.n_children):
            child = schema.children[i]
            if child == NULL:
                raise malformed(where, "a column is missing")
            name = b"" if child.name == NULL else <bytes> child.name
            names.append(name.decode("utf-8", "replace"))
        self.names = tuple(names)

    def __iter__(self):
        return self

    def __next__(self):
        cdef ArrowBatch batch = ArrowBatch.__new__(ArrowBatch)
        batch.reader = self
        if not self.source.next(&batch.array):
            raise StopIteration
        if not self.is_column:
            self.check_rows(&batch.array)
        return batch

    cdef int check_rows(self, const ArrowArray* rows) except -1:
        """Refuse a batch that contradicts the schema or has null rows."""
        cdef str where = self.source.where
        cdef const ArrowArray* child
        cdef LayerC layer
        cdef int64_t i
        open_layer(&layer, &self.layout, rows, where)
        for i in range(rows.n_children):
            child = rows.children[i]
            if child == NULL or child.length < rows.offset + rows.length:
                raise malformed(where, f"column {self.names[i]!r} is shorter than the table")
        if rows.null_count != 0 and any_null(&layer):
            raise TypeError(f"{where}: expected rows; got one that is null as a whole")
        return 0


@cython.final
cdef class ArrowBatch:
    cdef ArrowArray array
    cdef BatchReader reader  # owns the schema

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)

    def __len__(self):
        return self.array.length

    def column(self, Py_ssize_t index, /):
        """Return a column by its index; ValueError if its structs are malformed."""
        cdef BatchColumn column = BatchColumn.__new__(BatchColumn)
        cdef ArrowSource source = self.reader.source
        cdef str where = source.where
        column.batch, column.length = self, self.array.length
        column.schema, column.array = &source.schema, &self.array
        if not self.reader.is_column:
            if not 0 <= index < self.array.n_children:
                raise IndexError(f"a table of {self.array.n_children} columns has no such index")
            column.schema, column.array = source.schema.children[index], self.array.children[index]
            column.offset = self.array.offset
            where = f"{where}, column {self.reader.names[index]!r}"
        check_tree(column.schema, column.array, where)
        return column


@cython.final
cdef class BatchColumn:
    """One column of a batch, as an Arrow array."""

    cdef ArrowBatch batch
    cdef const ArrowSchema* schema
    cdef const ArrowArray* array
    cdef int64_t offset   # of the batch in the column
    cdef int64_t length

    def __len__(self):
        return self.length

    @property
    def format(self):
        """Arrow's format string of the items, or of the dictionary's values."""
        cdef const ArrowSchema* schema = self.schema
        if schema.dictionary != NULL:
            schema = schema.dictionary
        return read_format(schema, "") if schema.dictionary == NULL else "a nested dictionary"

    def __arrow_c_array__(self, requested_schema=None):
        """Export the schema and array of the column in capsules."""
        cdef ArrowArray* array
        schema_capsule = new_capsule(sizeof(ArrowSchema), "arrow_schema", free_schema)
        array_capsule = new_capsule(sizeof(ArrowArray), "arrow_array", free_array)
        array = <ArrowArray*> PyCapsule_GetPointer(array_capsule, "arrow_array")
        share_schema(
            <ArrowSchema*> PyCapsule_GetPointer(schema_capsule, "arrow_schema"), self.schema,
            self.batch,
        )
        share_array(array, self.array, self.schema, self.batch)
        array.offset = self.array.offset + self.offset if self.length else 0
        array.length = self.length
        return schema_capsule, array_capsule


# Copies of schemas and arrays that share names and buffers. A consumer may move a child out of its
# parent and release it separately, so every node is a copy with a reference to the memory.
cdef int share_schema(ArrowSchema* out, const ArrowSchema* source, owner) except -1:
    cdef int64_t i
    out[0] = source[0]
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_schema
    if out.name == NULL:
        out.name = b""  # required by pyarrow
    if source.n_children > 0:
        out.children = <ArrowSchema**> new_structs(source.n_children, sizeof(ArrowSchema))
        for i in range(source.n_children):
            out.n_children = i + 1
            share_schema(out.children[i], source.children[i], owner)
    if source.dictionary != NULL:
        out.dictionary = <ArrowSchema*> allocate_zeros(1, sizeof(ArrowSchema))
        share_schema(out.dictionary, source.dictionary, owner)
    return 0


cdef int share_array(
    ArrowArray* out, const ArrowArray* source, const ArrowSchema* schema, owner, int part=0
) except -1:
    cdef int64_t i
    out[0] = source[0]
    out.null_count = 0
    if source.n_buffers and source.buffers[0] != NULL and schema.format[:2] != b"+u" and not part:
        out.null_count = -1  # for the consumer to compute rather than trust the producer
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_array
    if source.n_children > 0:
        out.children = <ArrowArray**> new_structs(source.n_children, sizeof(ArrowArray))
        for i in range(source.n_children):
            out.n_children = i + 1
            share_array(
                out.children[i], source.children[i], schema.children[i], owner,
                part_of_map(schema, part, i),
            )
    if source.dictionary != NULL:
        out.dictionary = <ArrowArray*> allocate_zeros(1, sizeof(ArrowArray))
        share_array(out.dictionary, source.dictionary, schema.dictionary, owner)
    return 0


cdef void** new_structs(int64_t n, size_t size) except NULL:
    """Allocate n zeroed structs, preceded by pointers to them."""
    cdef void** pointers = <void**> allocate_zeros(n, sizeof(void*) + size)
    cdef int64_t i
    for i in range(n):
        pointers[i] = <char*> (pointers + n) + i * <int64_t> size
    return pointers
