"""Tables that an Arrow producer hands over batch by batch, and their columns by name.

A batch stays in the memory of its producer as long as one of its columns is in use, whatever holds
that.  A column is exported again as an Arrow array of its own that shares the buffers, so columns
of any type pass through untouched.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint8_t

from cpython.mem cimport PyMem_RawCalloc
from cpython.pycapsule cimport PyCapsule_GetPointer

from rapidbleu._core.common cimport poll_signals
from rapidbleu._core.input cimport ArrowArray, ArrowArrayStream, ArrowSchema
from rapidbleu._core.input.arrow cimport (
    export, free_array, free_schema, malformed, new_capsule, open_capsule, read_format,
    stream_error,
)
from rapidbleu._core.output.arrow_table cimport (
    hold, new_children, release_array, release_schema,
)


@cython.final
cdef class BatchColumn:
    """One column of a batch, as an Arrow array."""

    cdef ArrowBatch batch
    cdef int64_t index

    def __len__(self):
        return self.batch.array.length

    def __arrow_c_array__(self, requested_schema=None):
        """Return the schema and the array of the column, in capsules."""
        cdef const ArrowArray* rows = &self.batch.array
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        schema_capsule = new_capsule(sizeof(ArrowSchema), "arrow_schema", free_schema)
        array_capsule = new_capsule(sizeof(ArrowArray), "arrow_array", free_array)
        schema = <ArrowSchema*> PyCapsule_GetPointer(schema_capsule, "arrow_schema")
        array = <ArrowArray*> PyCapsule_GetPointer(array_capsule, "arrow_array")
        share_schema(schema, self.batch.names.schema.children[self.index], self.batch.names)
        share_array(array, rows.children[self.index], self.batch)
        if rows.offset or array.length != rows.length:
            array.null_count = -1 if array.n_buffers and array.buffers[0] != NULL else 0
        array.offset += rows.offset
        array.length = rows.length
        return schema_capsule, array_capsule


@cython.final
cdef class BatchNames:
    """The schema of a table."""

    cdef ArrowSchema schema
    cdef tuple names
    cdef tuple formats

    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)

    cdef int read(self, str where) except -1:
        """Take the names of the columns; refuse what is no table."""
        cdef int64_t i
        cdef list names = [], formats = []
        cdef const ArrowSchema* child
        cdef str format = read_format(&self.schema, where)
        if format != "+s" or self.schema.dictionary != NULL:
            raise TypeError(
                f"{where}: expected an Arrow table, got one column of format {format!r}"
            )
        if self.schema.n_children < 0 or self.schema.n_children and self.schema.children == NULL:
            raise malformed(where, f"a table of {self.schema.n_children} columns")
        for i in range(self.schema.n_children):
            child = self.schema.children[i]
            if child == NULL:
                raise malformed(where, "a column is missing")
            name = b"" if child.name == NULL else <bytes> child.name
            names.append(name.decode("utf-8", "replace"))
            formats.append(read_format(child, f"{where}, column {names[i]!r}"))
        self.names, self.formats = tuple(names), tuple(formats)
        return 0


@cython.final
cdef class ArrowBatch:
    """Some rows of a table."""

    cdef ArrowArray array
    cdef BatchNames names

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)

    def __len__(self):
        return self.array.length

    def column(self, Py_ssize_t index, /):
        """Return a column by its place.

        Parameters
        ----------
        index : int

        Returns
        -------
        BatchColumn
        """
        cdef BatchColumn column = BatchColumn.__new__(BatchColumn)
        if not 0 <= index < self.array.n_children:
            raise IndexError(f"a table of {self.array.n_children} columns has no such index")
        column.batch, column.index = self, index
        return column

    cdef int check(self, str where) except -1:
        """Refuse what does not fit the schema, or has rows that are missing as a whole."""
        cdef int64_t i, n = self.names.schema.n_children
        cdef const ArrowArray* rows = &self.array
        cdef const ArrowArray* child
        if rows.length < 0 or rows.offset < 0 or rows.length > INT64_MAX - rows.offset:
            raise malformed(where, f"length {rows.length}, offset {rows.offset}")
        if rows.n_children != n or n and rows.children == NULL:
            raise malformed(where, f"expected {n} columns, got {rows.n_children}")
        for i in range(n):
            child = rows.children[i]
            if child == NULL or child.length < rows.offset + rows.length:
                raise malformed(where, f"column {self.names.names[i]!r} is shorter than the table")
        if rows.null_count and rows.n_buffers and rows.buffers != NULL and rows.buffers[0] != NULL:
            if rows.null_count > 0 or not all_there(
                <const uint8_t*> rows.buffers[0], rows.offset, rows.length
            ):
                raise TypeError(f"{where}: expected rows, got one that is null as a whole")
        return 0


cdef bint all_there(const uint8_t* bits, int64_t begin, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(begin, begin + n):
        if not bits[i >> 3] >> (i & 7) & 1:
            return False
    return True


@cython.final
cdef class BatchReader:
    """A table, batch by batch.

    Parameters
    ----------
    source : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    where : str
        What to call the table in errors.

    Attributes
    ----------
    names, formats : tuple of str
        Of the columns: what they are called, and their types as Arrow's format strings.

    Raises
    ------
    TypeError
        `source` is no Arrow table.
    ValueError
        The producer failed, or what it produced is malformed.

    Notes
    -----
    The producer is asked for the next batch without the interpreter's lock.
    """

    cdef ArrowArrayStream stream
    cdef BatchNames schema
    cdef ArrowBatch only       # of what is no stream
    cdef str where

    def __cinit__(self, source, str where not None, /):
        cdef ArrowArrayStream* stream
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        cdef int code
        self.where, self.schema = where, BatchNames.__new__(BatchNames)
        if hasattr(source, "__arrow_c_stream__"):
            capsule = export(source, "__arrow_c_stream__", where)
            stream = <ArrowArrayStream*> open_capsule(capsule, "arrow_array_stream", where)
            if stream.release == NULL:
                raise ValueError(f"{where}: the Arrow stream has been consumed already")
            self.stream = stream[0]
            stream.release = NULL
            if self.stream.get_schema == NULL or self.stream.get_next == NULL or (
                self.stream.get_last_error == NULL
            ):
                raise malformed(where, "a stream without get_schema, get_next or get_last_error")
            with nogil:
                code = self.stream.get_schema(&self.stream, &self.schema.schema)
            if code:
                raise stream_error(&self.stream, code, where)
        elif hasattr(source, "__arrow_c_array__"):
            pair = export(source, "__arrow_c_array__", where)
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise TypeError(f"{where}: expected two Arrow capsules, got {type(pair).__name__}")
            schema = <ArrowSchema*> open_capsule(pair[0], "arrow_schema", where)
            array = <ArrowArray*> open_capsule(pair[1], "arrow_array", where)
            if schema.release == NULL or array.release == NULL:
                raise ValueError(f"{where}: the Arrow array has been consumed already")
            self.schema.schema = schema[0]
            schema.release = NULL
            self.only = ArrowBatch.__new__(ArrowBatch)
            self.only.array = array[0]
            array.release = NULL
        else:
            raise TypeError(f"{where}: expected an Arrow table, got {type(source).__name__}")
        self.schema.read(where)

    def __dealloc__(self):
        if self.stream.release != NULL:
            self.stream.release(&self.stream)

    @property
    def names(self):
        """Names of the columns."""
        return self.schema.names

    @property
    def formats(self):
        """Their types, as Arrow's format strings."""
        return self.schema.formats

    def __iter__(self):
        return self

    def __next__(self):
        cdef ArrowBatch batch
        cdef int code
        poll_signals()
        if self.stream.release == NULL:
            batch, self.only = self.only, None
            if batch is None:
                raise StopIteration
        else:
            batch = ArrowBatch.__new__(ArrowBatch)
            with nogil:
                code = self.stream.get_next(&self.stream, &batch.array)
            if code:
                batch.array.release = NULL
                raise stream_error(&self.stream, code, self.where)
            if batch.array.release == NULL:
                raise StopIteration
        batch.names = self.schema
        batch.check(self.where)
        return batch


# --------------------------------------------------------------------------------------------------
# Copies of schemas and arrays that share names and buffers.
#
# A consumer may move a child out of its parent and release it on its own, so every node of the tree
# is a copy that holds the owner of the memory.

cdef int share_schema(ArrowSchema* out, const ArrowSchema* source, owner) except -1:
    cdef int64_t i
    out[0] = source[0]
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_schema
    if source.n_children > 0:
        out.children = <ArrowSchema**> new_children(source.n_children, sizeof(ArrowSchema))
        if out.children == NULL:
            raise MemoryError
        for i in range(source.n_children):
            out.n_children = i + 1
            share_schema(out.children[i], source.children[i], owner)
    if source.dictionary != NULL:
        out.dictionary = <ArrowSchema*> PyMem_RawCalloc(1, sizeof(ArrowSchema))
        if out.dictionary == NULL:
            raise MemoryError
        share_schema(out.dictionary, source.dictionary, owner)
    return 0


cdef int share_array(ArrowArray* out, const ArrowArray* source, owner) except -1:
    cdef int64_t i
    out[0] = source[0]
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_array
    if source.n_children > 0:
        out.children = <ArrowArray**> new_children(source.n_children, sizeof(ArrowArray))
        if out.children == NULL:
            raise MemoryError
        for i in range(source.n_children):
            out.n_children = i + 1
            share_array(out.children[i], source.children[i], owner)
    if source.dictionary != NULL:
        out.dictionary = <ArrowArray*> PyMem_RawCalloc(1, sizeof(ArrowArray))
        if out.dictionary == NULL:
            raise MemoryError
        share_array(out.dictionary, source.dictionary, owner)
    return 0
