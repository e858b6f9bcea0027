"""Arrow import and export: columns of text, and batches of tables with their columns by name.

Import reads the schema and checks every chunk once; later calls find strings and lists in place.
Export hands text that a file reader collected to Python as an Arrow column, without a copy.

A batch of a table stays in the memory of its producer while a column of it is in use. Columns of
any type pass through, because they are exported again as Arrow arrays that share the buffers.
"""

cimport cython
from libc.errno cimport ENOMEM
from libc.stddef cimport size_t
from libc.stdint cimport INT64_MAX, int64_t, uint8_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject
from cpython.pycapsule cimport (
    PyCapsule_Destructor, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New,
)
from cpython.pyport cimport PY_SSIZE_T_MAX
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8

from rapidbleu._core.common cimport (
    POLL_CELLS, allocate_zeros, grow, poll_signals, poll_without_gil, rb_is_continuation,
    rb_utf8_check,
)
from rapidbleu._core.input cimport (
    ArrowArray, ArrowArrayStream, ArrowSchema, BAD_INDEX, BAD_LIST, BAD_STRING, BAD_TEXT, BAD_VIEW,
    ChunkC, LayerC, MAX_BYTES, load_int32, load_int64, read_list, read_string, slot_is_null,
)


# The schema of an Arrow column, reduced to the kinds of its three layers and the width of lists of
# fixed size. A schema is a tree of format strings: a list has one child, an integer with a
# dictionary is an index into it, and text must be at the bottom.


ctypedef fused node_t:  # of a tree
    ArrowSchema
    ArrowArray

# Names of the most common formats in error messages.
cdef dict FORMAT_NAMES = {
    "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32",
    "I": "uint32", "l": "int64", "L": "uint64", "e": "float16", "f": "float32", "g": "float64",
    "z": "binary", "Z": "binary", "vz": "binary", "w": "binary", "d": "decimal", "t": "time",
}

cdef enum:
    MOST_SLOT = 32           # bytes of the largest number
    MOST_CHILDREN = 1 << 24  # of a schema, which streams send before its arrays
    MOST_LEVELS = 64         # as in pyarrow
    MOST_METADATA = 1 << 24  # bytes
    FIRST_ITEMS = 64         # initial capacity of a column in texts, and in bytes of text

# Formats up to their colons: kind, bytes of a slot (0: no slots), buffers, children (-1: any
# number). Kinds as in LayerC; f: numbers, s: fields, x: unions and runs.
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

cdef tuple LISTS = ("+l", "+L", "+vl", "+vL", "+w")
cdef tuple STRINGS = ("u", "U", "vu")


cdef object malformed(str where, str what):
    return ValueError(f"{where}: malformed Arrow data: {what}")


cdef str read_format(const ArrowSchema* schema, str where):
    if schema == NULL or schema.format == NULL:
        raise malformed(where, "a schema without format")
    return (<bytes> schema.format).decode("utf-8", "replace")


cdef int read_layout(LayoutC* layout, const ArrowSchema* schema, str where) except -1:
    """Fill in the layout of a schema's arrays, checking that it has the children of its format."""
    cdef str format = read_format(schema, where), name = format, width = ""
    cdef int64_t n = schema.n_children
    if ":" in format:
        name, _, width = format.partition(":")
    known = LAYOUTS.get(name)
    if known is None or name in ("w", "+w") and not (width.isdecimal() and len(width) < 11):
        raise malformed(where, f"format {format!r}")
    layout.kind, layout.slot_size, layout.n_buffers, layout.n_children = known
    layout.width = int(width) if name == "+w" else 0
    if name == "w":
        layout.slot_size = int(width)
    if not 0 <= n <= MOST_CHILDREN or n != layout.n_children >= 0 or n and schema.children == NULL:
        raise malformed(where, f"format {format!r} with {n} children")
    layout.n_children = n
    return 0


cdef int check_index(const ArrowSchema* schema, str where) except -1:
    cdef str name = read_format(schema, where)
    if len(name) != 1 or name not in "cCsSiIlL":
        raise malformed(where, f"dictionary indices of format {name!r}")
    return 0


cdef int read_shape(ShapeC* shape, const ArrowSchema* schema, str where) except -1:
    cdef str name = read_format(schema, where), outer = ""
    if name.startswith("+") and name.partition(":")[0] in LISTS and schema.dictionary == NULL:
        read_layout(&shape.lists, schema, where)
        outer = f"lists ({name!r}) of "
        schema = schema.children[0]
        name = read_format(schema, where)
    if schema.dictionary != NULL:
        check_index(schema, where)
        read_layout(&shape.indices, schema, where)
        shape.indices.kind = ord(name)
        outer += f"a dictionary ({name!r}) of "
        schema = schema.dictionary
        name = read_format(schema, where)
    if name not in STRINGS or schema.dictionary != NULL:
        hint = ""
        if name == "+s" and not outer:
            hint = " (a table: pass one of its columns, or to a corpus call scan(table))"
        kind = FORMAT_NAMES.get(name[:1] if name[:1] in ("w", "d", "t") else name)
        raise TypeError(
            f"{where}: expected an Arrow column of strings; got {outer}format {name!r}"
            f"{'' if kind is None else f' ({kind})'}{hint}"
        )
    return read_layout(&shape.strings, schema, where)


# Splitting an Arrow array into layers, and checking its contents once. The readers of input/arrow.h
# check what they read, and every slot and text is read on arrival: malformed offsets, views and
# indices and text that is not UTF-8 raise errors then and never later. Lists are read first, then
# the strings they use, each once however many lists share it, so the work is proportional to the
# bytes of slots and texts. Unused strings are not read, because Arrow allows any memory beneath a
# null list. Buffer lengths cannot be checked because Arrow does not pass them.
cdef enum:
    SLOT_COST = 16         # cost of a slot in bytes of text
    LONGEST_CHARACTER = 4  # bytes
    LONGEST_RUN = 1 << 15  # bytes of texts that are checked together while in the cache
    MAX_BUFFERS = 0x7FFFFFFF

cdef dict FAULTS = {
    BAD_LIST: "the list is not within its child",
    BAD_INDEX: "the index is not within the dictionary",
    BAD_STRING: "the string's offsets are negative, descending or out of range",
    BAD_TEXT: "the text is not UTF-8",
    BAD_VIEW: "the text does not begin as its view",
}


cdef inline int spend(int64_t* budget, int64_t cost) except -1 nogil:
    """Poll for signals if the work since the last poll warrants it."""
    budget[0] -= cost
    if budget[0] < 0:
        budget[0] = POLL_CELLS
        poll_without_gil(NULL)
    return 0


cdef int describe_chunk(ChunkC* chunk, const ShapeC* shape, str where) except -1:
    """Set the layers of a chunk that is zero except for its array."""
    cdef const ArrowArray* array = &chunk.array
    if shape.lists.kind:
        open_layer(&chunk.lists, &shape.lists, array, where)
        array = array.children[0]
    chunk.n_strings = array.length
    if shape.indices.kind:
        open_layer(&chunk.indices, &shape.indices, array, where)
        array = array.dictionary
    open_layer(&chunk.strings, &shape.strings, array, where)
    return 0


cdef int open_layer(
    LayerC* layer, const LayoutC* layout, const ArrowArray* array, str where
) except -1:
    cdef int64_t most = INT64_MAX - 1, n_buffers = layout.n_buffers, n = layout.n_children
    if array == NULL or array.release == NULL:
        raise malformed(where, "a child or dictionary is missing or released")
    if layout.slot_size:
        most = MAX_BYTES // layout.slot_size
    elif array.buffers != NULL and array.n_buffers > 0 and array.buffers[0] != NULL:
        most = MAX_BYTES  # of bits
    if array.length < 0 or array.offset < 0 or array.length > most - array.offset:
        raise malformed(where, f"length {array.length}, offset {array.offset}")
    if n_buffers and array.buffers == NULL or array.n_buffers < n_buffers or (
        array.n_buffers > (MAX_BUFFERS if layout.kind == c"v" else n_buffers)
    ):
        raise malformed(where, f"expected {n_buffers} buffers; got {array.n_buffers}")
    if array.n_children != n or n and array.children == NULL:
        got = "none" if array.n_children == n else array.n_children
        raise malformed(where, f"expected {n} children; got {got}")
    memset(layer, 0, sizeof(LayerC))
    layer.kind, layer.width = layout.kind, layout.width
    layer.offset = array.offset
    layer.length = array.length
    layer.valid = <const uint8_t*> array.buffers[0] if n_buffers else NULL
    if layer.valid == NULL and array.null_count > 0 and n_buffers:
        raise malformed(where, f"{array.null_count} nulls, but no validity bitmap")
    if n_buffers > 1:
        layer.slots = <const uint8_t*> array.buffers[1]
        if layer.slots == NULL and array.length > 0:
            raise malformed(where, "the buffer of offsets, views or indices is missing")
    if n_buffers > 2:
        layer.side = <const uint8_t*> array.buffers[array.n_buffers - 1]
        layer.texts = array.buffers + 2
        layer.n_texts = array.n_buffers - 3
        if layer.side == NULL and (layer.n_texts > 0 or layer.kind in b"pP" and array.length > 0):
            raise malformed(where, "the buffer of sizes is missing")
    return 0


cdef int check_chunk(
    ChunkC* chunk, int64_t* null_item, bint* any_null_string, bint checks_text, str where,
    place,
) except -1:
    """Refuse malformed slots and text that is not UTF-8, and find the strings in use.
    ``null_item[0]`` becomes the first null item unless set, ``any_null_string[0]`` true for any."""
    cdef int64_t item = 0, string = -1, budget = POLL_CELLS
    cdef const uint8_t* wrong = NULL
    cdef const uint8_t* data
    cdef int64_t begin, end
    cdef int64_t* uses = NULL
    cdef int status = 0
    try:
        if chunk.lists.kind:
            with nogil:
                status = check_lists(chunk, &item, null_item, &budget)
            if status == 0 and chunk.has_gaps:
                begin, end = chunk.used_begin, chunk.used_end
                uses = <int64_t*> allocate_zeros(end - begin + 1, sizeof(int64_t))
        else:
            chunk.used_end = chunk.n_strings
        if status == 0:
            with nogil:
                if uses != NULL:
                    count_uses(chunk, uses, &budget)
                status = check_strings(
                    chunk, uses, checks_text, &string, &wrong, null_item, any_null_string, &budget
                )
                if status < 0:
                    item = find_list(chunk, string, &budget) if chunk.lists.kind else string
    finally:
        PyMem_RawFree(uses)
    if status == 0:
        return 0
    if place is None:
        where = f"{where}[{chunk.first_item + item}]"
    else:
        where = place(chunk.first_item + item)
    if string >= 0 and chunk.lists.kind:
        read_list(chunk, item, &begin, &end)
        where += f"[{string - begin}]"
    if status == BAD_TEXT:
        read_string(chunk, string, &data, &end)
        raise ValueError(
            f"{where}: expected text in UTF-8; got 0x{wrong[0]:02x} as byte {wrong - data}"
        )
    raise malformed(where, FAULTS[status])


cdef int check_lists(
    ChunkC* chunk, int64_t* item, int64_t* null_item, int64_t* budget
) except? -1 nogil:
    """Read all slots of lists; return 0, or an error code with item[0] set."""
    cdef int64_t i, begin, end
    cdef int status
    if chunk.lists.kind == c"w" and chunk.lists.width == 0 and chunk.lists.valid == NULL:
        return 0  # any number of empty lists, in no bytes
    for i in range(chunk.array.length):
        spend(budget, SLOT_COST)
        status = read_list(chunk, i, &begin, &end)
        if status < 0:
            item[0] = i
            return status
        if status == 0 and null_item[0] < 0:
            null_item[0] = chunk.first_item + i
        if begin == end:
            continue
        if chunk.used_begin == chunk.used_end:
            chunk.used_begin, chunk.used_end = begin, end
            continue
        if begin > chunk.used_end or end < chunk.used_begin:
            chunk.has_gaps = True
        chunk.used_begin = min(chunk.used_begin, begin)
        chunk.used_end = max(chunk.used_end, end)
    return 0


cdef int count_uses(const ChunkC* chunk, int64_t* uses, int64_t* budget) except -1 nogil:
    """Count the lists that begin minus those that end at each string from the first used one on."""
    cdef int64_t i, begin, end
    for i in range(chunk.array.length):
        spend(budget, SLOT_COST)
        if read_list(chunk, i, &begin, &end) > 0 and begin < end:
            uses[begin - chunk.used_begin] += 1
            uses[end - chunk.used_begin] -= 1
    return 0


cdef int check_strings(
    const ChunkC* chunk, const int64_t* uses, bint checks_text, int64_t* string,
    const uint8_t** wrong, int64_t* null_item, bint* any_null_string, int64_t* budget,
) except? -1 nogil:
    """Read each used string once; return 0, or an error code with string[0] and wrong[0] set.
    Contiguous texts are UTF-8 if their concatenation is and no text begins inside a character."""
    cdef const uint8_t* data
    cdef const uint8_t* text = NULL  # of the contiguous strings from `first` on
    cdef const uint8_t* text_end = NULL
    cdef const uint8_t* following = NULL
    cdef int64_t most = last_byte(&chunk.strings)  # of any text: a run is read as one
    cdef int64_t j, size, n_uses = 0, first = 0
    cdef int status
    for j in range(chunk.used_begin, chunk.used_end):
        spend(budget, SLOT_COST)
        if uses != NULL:
            n_uses += uses[j - chunk.used_begin]
            if n_uses == 0:
                following = NULL
                continue
        status = read_string(chunk, j, &data, &size)
        if size > 0 and most >= 0 and data - chunk.strings.side + size > most:
            status = BAD_STRING
        if status < 0:
            string[0] = j
            return status
        if status == 0:
            any_null_string[0] = True
            if not chunk.lists.kind and null_item[0] < 0:
                null_item[0] = chunk.first_item + j
        if size == 0 or not checks_text:
            continue
        if data != following or rb_is_continuation(data[0]) or text_end - text > LONGEST_RUN:
            if not is_utf8(text, text_end, wrong, budget):
                break
            text, first = data, j
        text_end = following = data + size
    if is_utf8(text, text_end, wrong, budget):
        return 0
    string[0] = find_string(chunk, first, wrong[0], budget)
    return BAD_TEXT


cdef int64_t last_byte(const LayerC* strings) noexcept nogil:
    """Return the end of the last text, hence the presumed end of the buffer; -1 for views."""
    if strings.kind == c"v" or strings.length == 0:
        return -1
    return max(0, min(end_of(strings), MAX_BYTES))


cdef int64_t end_of(const LayerC* strings) noexcept nogil:
    """Return the last offset of strings that are not views."""
    cdef int64_t slot = strings.offset + strings.length
    if strings.kind == c"u":
        return load_int32(strings.slots, slot)
    return load_int64(strings.slots, slot)


cdef int64_t find_string(
    const ChunkC* chunk, int64_t j, const uint8_t* byte, int64_t* budget
) except -1 nogil:
    """Return the string that contains this byte, searching from j on."""
    cdef const uint8_t* data
    cdef int64_t size
    while True:
        spend(budget, SLOT_COST)
        read_string(chunk, j, &data, &size)
        if data <= byte < data + size:
            return j
        j += 1


cdef bint is_utf8(
    const uint8_t* p, const uint8_t* end, const uint8_t** wrong, int64_t* budget
) except -1 nogil:
    """Is [p, end) well-formed? If not, wrong[0] is its first malformed byte."""
    cdef const uint8_t* stop
    while True:
        stop = end if end - p <= POLL_CELLS else p + POLL_CELLS
        spend(budget, stop - p)
        p = rb_utf8_check(p, stop)
        if p == end:
            return True
        if stop == end or stop - p >= LONGEST_CHARACTER:  # else `stop` splits a character
            wrong[0] = p
            return False


cdef int64_t find_list(const ChunkC* chunk, int64_t string, int64_t* budget) except -1 nogil:
    cdef int64_t i = 0, begin, end
    while True:
        spend(budget, SLOT_COST)
        read_list(chunk, i, &begin, &end)
        if begin <= string < end:
            return i
        i += 1


# Contiguous texts in one buffer, exported as an Arrow column. File readers fill it without creating
# a Python string per text, and metrics read it like the columns of any Arrow library: large UTF-8,
# 8 bytes of offset per text. An exported column keeps this object alive until it is released;
# nothing is copied, so it must not change after export.


cdef class TextColumn:
    """A column of UTF-8 texts."""

    def __cinit__(self):
        # Never NULL: consumers expect buffers even for empty columns.
        grow(<void**> &self.ends, &self.capacity, FIRST_ITEMS, sizeof(int64_t))
        self.ends[0] = 0
        grow(<void**> &self.text, &self.text_capacity, FIRST_ITEMS, 1)

    def __dealloc__(self):
        PyMem_RawFree(self.ends)
        PyMem_RawFree(self.text)

    cdef int append(self, const uint8_t* begin, int64_t n) except -1 nogil:
        """Add a text, which must be well-formed UTF-8."""
        memcpy(self.make_room(n), begin, <size_t> n)
        self.close_text(n)
        return 0

    cdef uint8_t* make_room(self, int64_t n) except NULL nogil:
        """Return the place of the next text, of up to n bytes."""
        if self.length + 2 > self.capacity:
            grow(<void**> &self.ends, &self.capacity, self.length + 2, sizeof(int64_t))
        if self.n_bytes + n > self.text_capacity:
            grow(<void**> &self.text, &self.text_capacity, self.n_bytes + n, 1)
        return self.text + self.n_bytes

    cdef void close_text(self, int64_t n) noexcept nogil:
        """Add the n bytes written there."""
        self.n_bytes += n
        self.length += 1
        self.ends[self.length] = self.n_bytes

    def __len__(self):
        return self.length

    def to_list(self):
        """Return the texts as a list of str."""
        cdef list texts = []
        cdef int64_t i
        for i in range(self.length):
            texts.append(PyUnicode_DecodeUTF8(
                <const char*> self.text + self.ends[i], self.ends[i + 1] - self.ends[i], NULL
            ))
        return texts

    def __arrow_c_array__(self, requested_schema=None):
        """Export as an Arrow schema and array in capsules."""
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        cdef tuple capsules = new_capsules(&schema, &array)
        self.buffers[1], self.buffers[2] = self.ends, self.text
        array.buffers, array.length, array.n_buffers = self.buffers, self.length, 3
        array.private_data, array.release = hold(self), release_node[ArrowArray]
        schema.format, schema.name = b"U", b""
        schema.private_data, schema.release = hold(self), release_node[ArrowSchema]
        return capsules


cdef tuple new_capsules(ArrowSchema** schema, ArrowArray** array):
    """Return a schema and an array in capsules, zeroed, which to Arrow are released ones."""
    schemas = new_capsule(sizeof(ArrowSchema), "arrow_schema", free_schema)
    arrays = new_capsule(sizeof(ArrowArray), "arrow_array", free_array)
    schema[0] = <ArrowSchema*> PyCapsule_GetPointer(schemas, "arrow_schema")
    array[0] = <ArrowArray*> PyCapsule_GetPointer(arrays, "arrow_array")
    return schemas, arrays


cdef object new_capsule(size_t size, const char* name, PyCapsule_Destructor destructor):
    cdef void* memory = allocate_zeros(1, size)
    try:
        return PyCapsule_New(memory, name, destructor)
    except MemoryError:
        PyMem_RawFree(memory)
        raise


cdef void* hold(owner):
    """Return private data that keeps `owner` alive until its struct is released."""
    Py_INCREF(owner)
    return <void*> owner


cdef void release_node(node_t* node) noexcept with gil:
    cdef int64_t i
    for i in range(node.n_children):
        if node.children[i].release != NULL:
            node.children[i].release(node.children[i])
    PyMem_RawFree(<void*> node.children)
    if node.dictionary != NULL:
        if node.dictionary.release != NULL:
            node.dictionary.release(node.dictionary)
        PyMem_RawFree(node.dictionary)
    Py_DECREF(<object> <PyObject*> node.private_data)
    node.release = NULL


cdef void free_node(node_t* node) noexcept:
    if node.release != NULL:
        node.release(node)
    PyMem_RawFree(node)


cdef void free_schema(object capsule) noexcept:
    free_node(<ArrowSchema*> PyCapsule_GetPointer(capsule, "arrow_schema"))


cdef void free_array(object capsule) noexcept:
    free_node(<ArrowArray*> PyCapsule_GetPointer(capsule, "arrow_array"))


# A producer's export: a schema, and one array or a stream of arrays. They are moved out of their
# capsules by setting `release` to NULL there, because capsules release what they own on
# destruction. The consumer of an array releases it.


cdef class ArrowSource:
    """The arrays of an Arrow producer, one after the other.

    `where` names the column or table in errors; `expected` describes it if the object is neither.
    """

    cdef ArrowSchema schema
    cdef ArrowArrayStream stream
    cdef ArrowArray only       # unless the source is a stream
    cdef str where

    def __cinit__(self, source, str where, str expected):
        cdef int code
        cdef ArrowArrayStream* stream
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        self.where = where
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
            with nogil:  # the producer may wait for a thread that needs the GIL
                code = self.stream.get_schema(&self.stream, &self.schema)
            if code:
                raise self.failure(code)
        elif hasattr(source, "__arrow_c_array__"):
            pair = export(source, "__arrow_c_array__", where)
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise TypeError(f"{where}: expected two Arrow capsules; got {type(pair).__name__}")
            schema = <ArrowSchema*> open_capsule(pair[0], "arrow_schema", where)
            array = <ArrowArray*> open_capsule(pair[1], "arrow_array", where)
            if schema.release == NULL or array.release == NULL:
                raise ValueError(f"{where}: the Arrow array has been consumed already")
            self.schema, self.only = schema[0], array[0]
            schema.release = array.release = NULL
        else:
            raise TypeError(f"{where}: expected {expected}; got {type(source).__name__}")

    def __dealloc__(self):
        if self.stream.release != NULL:
            self.stream.release(&self.stream)
        if self.only.release != NULL:
            self.only.release(&self.only)
        if self.schema.release != NULL:
            self.schema.release(&self.schema)

    cdef int next(self, ArrowArray* out) except -1:
        """Move the next array to `out`; return 0 at the end."""
        cdef int code
        if self.stream.release == NULL:
            out[0] = self.only
            self.only.release = NULL
        else:
            poll_signals()
            with nogil:
                code = self.stream.get_next(&self.stream, out)
            if code:
                out.release = NULL
                raise self.failure(code)
            if out.release == NULL:
                self.stream.release(&self.stream)
        return out.release != NULL

    cdef object failure(self, int code):
        cdef const char* text = self.stream.get_last_error(&self.stream)
        if code == ENOMEM:
            return MemoryError(f"{self.where}: the Arrow stream had no memory")
        reason = f"errno {code}" if text == NULL else (<bytes> text).decode("utf-8", "replace")
        return ValueError(f"{self.where}: the Arrow stream failed: {reason}")


cdef object export(object obj, str method, str where):
    if hasattr(obj, "validate") and any(t.__module__ == "pyarrow.lib" for t in type(obj).__mro__):
        try:  # takes constant time; unlike Arrow, pyarrow knows the lengths of its buffers
            obj.validate()
        except (LookupError, NotImplementedError, TypeError, ValueError) as error:
            raise malformed(where, str(error)) from None
    try:
        return getattr(obj, method)()
    except Exception as error:
        error.add_note(f"{where}: raised by {type(obj).__name__}.{method}()")
        raise


cdef void* open_capsule(object capsule, const char* name, str where) except NULL:
    if not PyCapsule_IsValid(capsule, name):
        raise TypeError(
            f"{where}: expected a capsule named '{name.decode()}'; got {type(capsule).__name__}"
        )
    return PyCapsule_GetPointer(capsule, name)


# Arrow columns of strings, read in place from the buffers of their producer (pyarrow, polars,
# pandas, ...). No Arrow library is needed at run or build time. A column is a sequence of chunks,
# and a chunk has up to three layers, of which only the last is mandatory:
#
#     lists      item i     -> strings [begin, end)     +l +L: offsets   +vl +vL: offsets and sizes
#                                                       +w:N: multiplication
#     indices    string i   -> dictionary entry         c C s S i I l L: integers
#     strings    entry i    -> bytes                    u U: offsets into one text
#                                                       vu: 16-byte views, short texts inside them
#
# Each layer has its own validity bitmap and offset: Arrow slices an array by moving its offset but
# not the offsets of the layers below. Strings are numbered through the whole column; of a child
# only the range used by the chunk's lists is numbered, because chunks may be slices of one array
# and share the child. The chunk of an index is found by bisection, because threads would share a
# cache.


cdef inline const ChunkC* chunk_with(
    const ChunkC* chunks, Py_ssize_t n_chunks, int64_t i, bint counts_strings
) noexcept nogil:
    """Return the chunk that contains string i or item i of the column."""
    cdef Py_ssize_t low = 0, high = n_chunks, middle
    while high - low > 1:
        middle = (low + high) >> 1
        if i < (chunks[middle].first_string if counts_strings else chunks[middle].first_item):
            high = middle
        else:
            low = middle
    return &chunks[low]


@cython.final
cdef class ArrowColumn:
    """A column of strings, or lists of strings, in the memory of its Arrow producer."""

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
        cdef const ChunkC* chunk = chunk_with(self.chunks, self.n_chunks, i, True)
        return read_string(chunk, i - chunk.first_string + chunk.used_begin, data, size) > 0

    cdef int bounds(self, Py_ssize_t i, int64_t* begin, int64_t* end) noexcept nogil:
        cdef const ChunkC* chunk = chunk_with(self.chunks, self.n_chunks, i, False)
        cdef int status = read_list(chunk, i - chunk.first_item, begin, end)
        if begin[0] == end[0]:  # possibly outside the used range
            begin[0] = end[0] = chunk.used_begin
        begin[0] += chunk.first_string - chunk.used_begin
        end[0] += chunk.first_string - chunk.used_begin
        return status > 0

    def __len__(self):
        return self.length

    def __getitem__(self, Py_ssize_t index):
        cdef int64_t begin, end
        if index < 0:
            index += self.length
        if not 0 <= index < self.length:
            raise IndexError(f"Arrow column of {self.length} items has no such index")
        if not self.is_list:
            return self.text(index)
        if not self.bounds(index, &begin, &end):
            return None
        texts = []
        while begin < end:
            texts.append(self.text(begin))
            begin += 1
        return texts

    cdef text(self, Py_ssize_t i):
        cdef const uint8_t* data
        cdef int64_t size
        if not self.get(i, &data, &size):
            return None
        return PyUnicode_DecodeUTF8(<const char*> data, size, NULL)

    cdef ArrowArray* new_chunk(self) except NULL:
        """Make room for another array, which the column owns from open_chunk on."""
        if self.n_chunks == self.capacity:
            grow(<void**> &self.chunks, &self.capacity, self.n_chunks + 1, sizeof(ChunkC))
        memset(&self.chunks[self.n_chunks], 0, sizeof(ChunkC))
        return &self.chunks[self.n_chunks].array

    cdef int open_chunk(self, str where, place) except -1:
        """Check and add the array stored in the new chunk."""
        cdef ChunkC* chunk = &self.chunks[self.n_chunks]
        self.n_chunks += 1
        chunk.first_item = self.length
        chunk.first_string = self.n_strings
        describe_chunk(chunk, &self.shape, where)
        if chunk.array.length > PY_SSIZE_T_MAX - self.length:
            raise malformed(where, f"more than {PY_SSIZE_T_MAX} items")
        check_chunk(chunk, &self.null_item, &self.any_null_string, self.checks_text, where, place)
        if chunk.used_end - chunk.used_begin > PY_SSIZE_T_MAX - self.n_strings:
            raise malformed(where, f"more than {PY_SSIZE_T_MAX} strings")
        self.length += chunk.array.length
        self.n_strings += chunk.used_end - chunk.used_begin
        return 0


def import_column(obj, str where not None, place=None, /):
    """Import a column of strings from its Arrow producer without copying it.

    `obj` has ``__arrow_c_stream__`` or ``__arrow_c_array__`` and yields strings, large strings,
    string views, a dictionary of those, or lists of any of these; otherwise TypeError. ValueError
    if the producer fails or its data is malformed or not UTF-8; a `TextColumn` is not checked again
    because its reader does that. `place` names an item in errors, ``where[i]`` otherwise.
    """
    cdef ArrowColumn column = ArrowColumn()
    cdef ArrowSource source = ArrowSource(obj, where, "an Arrow column of strings")
    column.checks_text = not isinstance(obj, TextColumn)
    read_shape(&column.shape, &source.schema, where)
    column.is_list = column.shape.lists.kind != 0
    while source.next(column.new_chunk()):
        column.open_chunk(where, place)
    return column


# Tables. Taking a column out of its batch checks its structs (lengths, buffers, children, levels)
# against formats in constant time per node, and map keys for nulls, because consumers follow its
# pointers. `import_column` checks the contents of texts, pyarrow all others.
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
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        cdef tuple capsules = new_capsules(&schema, &array)
        share(schema, self.schema, self.schema, self.batch)
        share(array, self.array, self.schema, self.batch)
        array.offset = self.array.offset + self.offset if self.length else 0
        array.length = self.length
        return capsules


# Copies of schemas and arrays that share names and buffers. A consumer may move a child out of its
# parent and release it separately, so every node is a copy with a reference to the memory.
cdef int share(
    node_t* out, const node_t* source, const ArrowSchema* schema, owner, int part=0
) except -1:
    """Copy a tree with this schema, which may be the schema itself."""
    cdef int64_t i
    out[0] = source[0]
    if node_t is ArrowArray:
        out.null_count = 0
        if not part and source.n_buffers and source.buffers[0] != NULL:
            if schema.format[:2] != b"+u":
                out.null_count = -1  # for the consumer to compute rather than trust the producer
    elif out.name == NULL:
        out.name = b""  # required by pyarrow
    out.children, out.dictionary, out.n_children = NULL, NULL, 0
    out.private_data, out.release = hold(owner), release_node[node_t]
    if source.n_children > 0:
        out.children = <node_t**> new_structs(source.n_children, sizeof(node_t))
        for i in range(source.n_children):
            out.n_children = i + 1
            share(
                out.children[i], <const node_t*> source.children[i], schema.children[i], owner,
                part_of_map(schema, part, i),
            )
    if source.dictionary != NULL:
        out.dictionary = <node_t*> allocate_zeros(1, sizeof(node_t))
        share(out.dictionary, <const node_t*> source.dictionary, schema.dictionary, owner)
    return 0


cdef void** new_structs(int64_t n, size_t size) except NULL:
    """Allocate n zeroed structs, preceded by pointers to them."""
    cdef void** pointers = <void**> allocate_zeros(n, sizeof(void*) + size)
    cdef int64_t i
    for i in range(n):
        pointers[i] = <char*> (pointers + n) + i * <int64_t> size
    return pointers
