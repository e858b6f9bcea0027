"""Tables that an Arrow producer hands over batch by batch, and their columns by name.

A batch stays in the memory of its producer as long as one of its columns is in use, whatever holds
that.  A column is exported again as an Arrow array of its own that shares the buffers, so columns
of any type pass through.  Whoever takes one follows its pointers, so its structs are checked when
it is taken out of the batch, and its contents before another library reads them.
"""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc
from cpython.pycapsule cimport PyCapsule_GetPointer

from rapidbleu._core.common cimport POLL_CELLS, poll_signals, rb_is_continuation
from rapidbleu._core.input cimport (
    ArrowArray, ArrowArrayStream, ArrowSchema, BAD_INDEX, BAD_LIST, BAD_STRING, ChunkC, LayerC,
    MAX_BYTES, load_index, load_int32, load_int64, slot_is_null,
)
from rapidbleu._core.input.arrow cimport (
    check_lists, check_strings, export, fault, free_array, free_schema, is_utf8, malformed,
    new_capsule, open_capsule, open_layer, read_format, spend, stream_error,
)
from rapidbleu._core.output.arrow_table cimport (
    hold, new_children, release_array, release_schema,
)


# --------------------------------------------------------------------------------------------------
# Arrays of any type.
#
# `check_tree` compares the structs with their format, `check_items` reads slots that lead to
# others: offsets, views, indices.  The first takes constant time for each node of the tree; the
# second is in proportion to the slots, and to a dictionary, since libraries read all of that.
# Slots of unions and of runs are left to pyarrow (`BatchColumn.opaque`).

cdef enum:
    MOST_LEVELS = 64         # as in pyarrow
    MOST_METADATA = 1 << 24  # bytes
    MOST_SLOT = 32           # bytes of a number

cdef struct LayoutC:
    char kind            # as in LayerC; f: numbers, s: fields, x: unions and runs
    int64_t slot_size    # 0: there are no slots
    int64_t n_buffers
    int64_t n_children   # -1: any number
    int64_t width        # of lists of fixed size
    bint is_text

# Formats up to the colon.
cdef dict LAYOUTS = {
    "n": (c"f", 0, 0, 0), "w": (c"f", 0, 2, 0), "d": (c"f", MOST_SLOT, 2, 0),
    **dict.fromkeys("bcCsSiIlLefg", (c"f", MOST_SLOT, 2, 0)),
    **dict.fromkeys(
        "tdD tdm tts ttm ttu ttn tss tsm tsu tsn tDs tDm tDu tDn tiM tiD tin".split(),
        (c"f", MOST_SLOT, 2, 0),
    ),
    "u": (c"u", 4, 3, 0), "z": (c"u", 4, 3, 0), "U": (c"U", 8, 3, 0), "Z": (c"U", 8, 3, 0),
    "vu": (c"v", 16, 3, 0), "vz": (c"v", 16, 3, 0),
    "+l": (c"l", 4, 2, 1), "+L": (c"L", 8, 2, 1), "+m": (c"l", 4, 2, 1),
    "+vl": (c"p", 4, 3, 1), "+vL": (c"P", 8, 3, 1), "+w": (c"w", 0, 1, 1), "+s": (c"s", 0, 1, -1),
    "+us": (c"x", 1, 1, -1), "+ud": (c"x", 4, 2, -1), "+r": (c"x", 0, 0, 2),
}

# Types of numbers, as NumPy writes them.
cdef dict NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "e": "f2", "f": "f4", "g": "f8", "n": "f8",
}


cdef int read_layout(LayoutC* layout, const ArrowSchema* schema, str where) except -1:
    cdef str format = read_format(schema, where)
    name, _, width = format.partition(":")
    known = LAYOUTS.get(name)
    if known is None or name in ("w", "+w") and not (width.isdecimal() and len(width) < 11):
        raise malformed(where, f"format {format!r}")
    layout.kind, layout.slot_size, layout.n_buffers, layout.n_children = known
    layout.width = int(width) if name == "+w" else 0
    layout.is_text = name in ("u", "U", "vu")
    if name == "w":
        layout.slot_size = int(width)
    return 0


cdef bint check_tree(
    const ArrowSchema* schema, const ArrowArray* array, str where, int level
) except -1:
    """Refuse structs that are not as their formats demand; return whether some are opaque."""
    cdef LayoutC layout
    cdef LayerC layer
    cdef int64_t i, n, end
    cdef bint opaque
    if level > MOST_LEVELS:
        raise malformed(where, f"more than {MOST_LEVELS} levels")
    read_layout(&layout, schema, where)
    check_metadata(schema.metadata, where)
    n = schema.n_children
    if n < 0 or n != layout.n_children and layout.n_children >= 0 or n and schema.children == NULL:
        raise malformed(where, f"format {read_format(schema, where)!r} with {n} children")
    open_layer(&layer, layout.kind, array, layout.n_buffers, layout.slot_size, where)
    if array.n_children != n or n and array.children == NULL:
        got = "none" if array.n_children == n else array.n_children
        raise malformed(where, f"expected {n} children, got {got}")
    opaque, end = layout.kind == c"x", array.offset + array.length
    if opaque and layout.n_buffers and layer.valid == NULL and end:
        raise malformed(where, "the buffer of types is missing")
    for i in range(n):
        opaque |= check_tree(schema.children[i], array.children[i], where, level + 1)
        if layout.kind == c"s" and array.children[i].length < end:
            raise malformed(where, f"field {i} is shorter than its struct")
    if layout.width and array.children[0].length // layout.width < end:
        raise fault(where, BAD_LIST)
    if schema.dictionary != NULL:
        if schema.format[0] not in b"cCsSiIlL" or schema.format[1]:
            raise malformed(where, f"dictionary indices of format {read_format(schema, where)!r}")
        opaque |= check_tree(schema.dictionary, array.dictionary, where, level + 1)
    elif array.dictionary != NULL:
        raise malformed(where, "a dictionary that the schema lacks")
    return opaque


cdef int check_metadata(const char* data, str where) except -1:
    """Refuse a number of entries, or the length of one, that no library gets by."""
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


cdef int check_items(
    const ArrowSchema* schema, const ArrowArray* array, int64_t begin, int64_t n, str where
) except? -1:
    """Read n items of an array whose structs were checked: 0, or what is bad."""
    cdef LayoutC layout
    cdef LayerC layer
    cdef ChunkC chunk
    cdef int64_t i, budget = POLL_CELLS, item = -1, n_below = 0
    cdef const uint8_t* wrong = NULL
    cdef bint any_null = False
    cdef int status = 0
    if n == 0:
        return 0
    read_layout(&layout, schema, where)
    open_layer(&layer, layout.kind, array, layout.n_buffers, layout.slot_size, where)
    layer.offset += begin
    layer.length -= begin
    if schema.dictionary != NULL:
        layer.kind, n_below = schema.format[0], array.dictionary.length
        with nogil:
            status = check_indices(&layer, n, n_below, &budget)
        if status == 0:
            where += ", dictionary"
            status = check_items(schema.dictionary, array.dictionary, 0, n_below, where)
            if status:
                raise fault(where, status)
        return status
    if layout.kind in b"uUlL":
        if layout.kind in b"lL":
            n_below = array.children[0].length
        else:  # as long as the text is believed to be
            n_below = min(MAX_BYTES, load_offset(&layer, layer.offset + layer.length))
        with nogil:
            status = check_offsets(&layer, n, n_below, &budget)
        if status:
            return status
    if layout.kind in b"uU" and layer.side != NULL:
        if not layout.is_text:
            return 0
        with nogil:
            if is_text(&layer, n, &budget):
                return 0
    memset(&chunk, 0, sizeof(ChunkC))
    if layout.kind in b"uUv":
        chunk.strings, chunk.used_end = layer, n
        with nogil:
            return check_strings(
                &chunk, NULL, layout.is_text, &item, &wrong, &item, &any_null, &budget
            )
    if layout.kind == c"w":
        begin, n = layer.offset * layout.width, n * layout.width
    elif layout.kind == c"s":
        begin = layer.offset
    elif layout.kind in b"lL":
        begin, n = load_offset(&layer, layer.offset), load_offset(&layer, layer.offset + n)
        n -= begin
    elif layout.kind in b"pP":
        chunk.lists, chunk.array.length, chunk.n_strings = layer, n, array.children[0].length
        with nogil:
            status = check_lists(&chunk, &item, &item, &budget)
        begin, n = chunk.used_begin, chunk.used_end - chunk.used_begin
    else:
        return 0
    for i in range(array.n_children):
        if status:
            break
        status = check_items(schema.children[i], array.children[i], begin, n, where)
    return status


cdef int check_indices(
    const LayerC* layer, int64_t n, int64_t end, int64_t* budget
) except? -1 nogil:
    """Compare all indices that are not null with the length of their dictionary."""
    cdef int64_t slot, index
    for slot in range(layer.offset, layer.offset + n):
        spend(budget, 1)
        if not slot_is_null(layer, slot):
            index = load_index(layer.kind, layer.slots, slot)
            if index < 0 or index >= end:
                return BAD_INDEX
    return 0


cdef int check_offsets(
    const LayerC* layer, int64_t n, int64_t most, int64_t* budget
) except? -1 nogil:
    """Offsets ascend, beneath nulls too: libraries copy from the first to the last."""
    cdef int64_t slot, offset, before = 0
    for slot in range(layer.offset, layer.offset + n + 1):
        spend(budget, 1)
        offset = load_offset(layer, slot)
        if offset < before or offset > most:
            return BAD_STRING if layer.kind == c"u" or layer.kind == c"U" else BAD_LIST
        before = offset
    return 0


cdef bint is_text(const LayerC* layer, int64_t n, int64_t* budget) except -1 nogil:
    """Are all bytes from the first to the last offset UTF-8, and no character is cut?

    Beneath nulls there may be others: then each text is read by itself.
    """
    cdef int64_t slot, begin = load_offset(layer, layer.offset)
    cdef int64_t end = load_offset(layer, layer.offset + n)
    cdef const uint8_t* wrong = NULL
    if end == begin:
        return True
    if not is_utf8(layer.side + begin, layer.side + end, &wrong, budget):
        return False
    for slot in range(layer.offset, layer.offset + n):
        spend(budget, 1)
        begin = load_offset(layer, slot)
        if begin < end and rb_is_continuation(layer.side[begin]):
            return False
    return True


cdef inline int64_t load_offset(const LayerC* layer, int64_t slot) noexcept nogil:
    if layer.kind == c"u" or layer.kind == c"l":
        return load_int32(layer.slots, slot)
    return load_int64(layer.slots, slot)


@cython.final
cdef class BatchColumn:
    """One column of a batch, as an Arrow array.

    Attributes
    ----------
    opaque : bool
        `check` does not read all of it: there are unions or runs, for pyarrow's full validation.
    """

    cdef ArrowBatch batch
    cdef const ArrowSchema* schema
    cdef const ArrowArray* array
    cdef int64_t offset   # of the batch, in the column
    cdef int64_t length
    cdef str where
    cdef readonly bint opaque

    def __len__(self):
        return self.length

    def check(self, place, /):
        """Refuse contents that lead out of their buffers, and text that is not UTF-8.

        Parameters
        ----------
        place : callable int -> str
            Names a row in errors.
        """
        cdef int64_t low = 0, high = self.length, middle  # the first bad row is in [low, high)
        cdef int found, status = check_items(
            self.schema, self.array, self.offset, self.length, self.where
        )
        if status == 0:
            return
        while high - low > 1:
            middle = low + (high - low) // 2
            found = check_items(self.schema, self.array, self.offset, middle, self.where)
            if found:
                high, status = middle, found
            else:
                low = middle
        raise fault(place(low), status)

    def numbers(self):
        """Return a copy of a column of numbers; None if it has another type.

        Returns
        -------
        (str, bytes, bytes or None, int) or None
            Type as NumPy writes it, items, and bits of those that are not null with the index of
            the first bit; None: no item is null.
        """
        cdef int64_t size, begin = self.array.offset + self.offset, end = begin + self.length
        cdef const char* data
        cdef const char* valid
        dtype = NUMBERS.get(read_format(self.schema, self.where))
        if dtype is None or self.schema.dictionary != NULL:
            return None
        if self.length == 0:
            return dtype, b"", None, 0
        if self.array.n_buffers == 0:  # nothing but nulls
            return dtype, bytes(8 * self.length), bytes(self.length), 0
        size = int(dtype[1:])
        data, valid = <const char*> self.array.buffers[1], <const char*> self.array.buffers[0]
        bits = None if valid == NULL else <bytes> valid[begin >> 3:(end + 7) >> 3]
        return dtype, <bytes> data[begin * size:end * size], bits, begin & 7

    def __arrow_c_array__(self, requested_schema=None):
        """Return the schema and the array of the column, in capsules."""
        cdef ArrowArray* array
        schema_capsule = new_capsule(sizeof(ArrowSchema), "arrow_schema", free_schema)
        array_capsule = new_capsule(sizeof(ArrowArray), "arrow_array", free_array)
        array = <ArrowArray*> PyCapsule_GetPointer(array_capsule, "arrow_array")
        share_schema(
            <ArrowSchema*> PyCapsule_GetPointer(schema_capsule, "arrow_schema"), self.schema,
            self.batch.names,
        )
        share_array(array, self.array, self.schema, self.batch)
        array.offset = self.array.offset + self.offset if self.length else 0
        array.length = self.length
        return schema_capsule, array_capsule


@cython.final
cdef class BatchNames:
    """The schema of a table."""

    cdef ArrowSchema schema
    cdef bint is_column  # what is no table, but one column
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
        if self.is_column:
            self.names, self.formats = ("",), (format,)
            return 0
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
    cdef str where

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

        Raises
        ------
        ValueError
            Its structs are malformed.
        """
        cdef BatchColumn column = BatchColumn.__new__(BatchColumn)
        cdef BatchNames names = self.names
        column.batch, column.length, column.where = self, self.array.length, self.where
        column.schema, column.array = &names.schema, &self.array
        if not names.is_column:
            if not 0 <= index < self.array.n_children:
                raise IndexError(f"a table of {self.array.n_children} columns has no such index")
            column.schema, column.array = names.schema.children[index], self.array.children[index]
            column.offset = self.array.offset
            column.where = f"{self.where}, column {names.names[index]!r}"
        column.opaque = check_tree(column.schema, column.array, column.where, 1)
        return column

    cdef int check(self) except -1:
        """Refuse what does not fit the schema, or has rows that are missing as a whole."""
        cdef int64_t i, n = self.names.schema.n_children
        cdef const ArrowArray* rows = &self.array
        cdef const ArrowArray* child
        cdef LayerC layer
        open_layer(&layer, c"s", rows, 1, 0, self.where)
        if rows.n_children != n or n and rows.children == NULL:
            got = "none" if rows.n_children == n else rows.n_children
            raise malformed(self.where, f"expected {n} columns, got {got}")
        for i in range(n):
            child = rows.children[i]
            if child == NULL or child.length < rows.offset + rows.length:
                what = f"column {self.names.names[i]!r} is shorter than the table"
                raise malformed(self.where, what)
        if rows.null_count and layer.valid != NULL:
            if rows.null_count > 0 or not all_there(layer.valid, rows.offset, rows.length):
                raise TypeError(f"{self.where}: expected rows, got one that is null as a whole")
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
    is_column : bool
        It is one column of any type, not a table: batches have that alone.

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

    def __cinit__(self, source, str where not None, bint is_column=False, /):
        cdef ArrowArrayStream* stream
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        cdef int code
        self.where, self.schema = where, BatchNames.__new__(BatchNames)
        self.schema.is_column = is_column
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
        batch.names, batch.where = self.schema, self.where
        if not self.schema.is_column:
            batch.check()
        return batch


def checked_columns(source, str where not None, place, /):
    """Return the arrays of a column of any type, whose contents other libraries may read.

    Parameters
    ----------
    source : BatchColumn, or another object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    where : str
        What to call the column in errors.
    place : callable int -> str
        Names an item in them.

    Returns
    -------
    list of BatchColumn

    Raises
    ------
    ValueError
        What the producer gave is malformed, or text in it is not UTF-8.
    """
    cdef BatchColumn column
    cdef Py_ssize_t first = 0
    cdef list columns = []
    if isinstance(source, BatchColumn):
        columns.append(source)
    else:
        for batch in BatchReader(source, where, True):
            columns.append(batch.column(0))
    for column in columns:
        column.check(lambda i, first=first: place(first + i))
        first += column.length
    return columns


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


cdef int share_array(
    ArrowArray* out, const ArrowArray* source, const ArrowSchema* schema, owner
) except -1:
    cdef int64_t i
    out[0] = source[0]
    out.null_count = 0
    if source.n_buffers and source.buffers[0] != NULL and schema.format[:2] != b"+u":
        out.null_count = -1  # for the consumer to find out, whatever the producer said
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_array
    if source.n_children > 0:
        out.children = <ArrowArray**> new_children(source.n_children, sizeof(ArrowArray))
        if out.children == NULL:
            raise MemoryError
        for i in range(source.n_children):
            out.n_children = i + 1
            share_array(out.children[i], source.children[i], schema.children[i], owner)
    if source.dictionary != NULL:
        out.dictionary = <ArrowArray*> PyMem_RawCalloc(1, sizeof(ArrowArray))
        if out.dictionary == NULL:
            raise MemoryError
        share_array(out.dictionary, source.dictionary, schema.dictionary, owner)
    return 0
