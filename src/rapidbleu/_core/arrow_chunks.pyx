"""One array of an Arrow column taken apart into layers, and read through once.

The readers of arrow_layers.pxd check what they read, and every slot is read when its chunk arrives
(not the text): malformed offsets, views and indices are errors then, and later calls do not meet
them (of the strings under null lists, which nobody looked at, a malformed one reads as null).  What
Arrow does not tell cannot be checked: the lengths of the buffers, and that the text is UTF-8.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from rapidbleu._core.arrow_layers cimport (
    BAD_INDEX, BAD_LIST, BAD_STRING, ArrowArray, ChunkC, LayerC, read_list, read_string,
)
from rapidbleu._core.arrow_schema cimport ShapeC, malformed


cdef dict FAULTS = {
    BAD_LIST: "the list is not within its child",
    BAD_INDEX: "the index is not within the dictionary",
    BAD_STRING: "the string's offsets are negative, descending or out of range",
}


cdef int describe_chunk(ChunkC* chunk, const ShapeC* shape, str where) except -1:
    """Set the layers of a chunk, which has its array and is zero otherwise."""
    cdef const ArrowArray* array = &chunk.array
    cdef int n_buffers
    if shape.list_kind:
        n_buffers = 1 if shape.list_kind == c"w" else 3 if shape.list_kind in b"pP" else 2
        open_layer(&chunk.lists, shape.list_kind, array, n_buffers, where)
        chunk.lists.width = shape.width
        if array.n_children != 1 or array.children == NULL:
            raise malformed(where, f"list with {array.n_children} children")
        array = array.children[0]
    if shape.index_kind:
        open_layer(&chunk.indices, shape.index_kind, array, 2, where)
        chunk.n_strings = array.length
        array = array.dictionary
    open_layer(&chunk.strings, shape.string_kind, array, 3, where)
    if not shape.index_kind:
        chunk.n_strings = array.length
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


cdef int check_chunk(ChunkC* chunk, int64_t* null_item, str where) except -1:
    """Refuse malformed slots; set which strings are used and, unless it is known, null_item[0]."""
    cdef int64_t item = 0, part = -1
    cdef int status
    if chunk.lists.kind:  # nothing yet
        chunk.used_begin = chunk.n_strings
    else:
        chunk.used_end = chunk.n_strings
    with nogil:
        status = read_slots(chunk, &item, &part, null_item)
    if status < 0:
        where = f"{where}[{chunk.first_item + item}]" + (f"[{part}]" if part >= 0 else "")
        raise malformed(where, FAULTS[status])
    chunk.used_begin = min(chunk.used_begin, chunk.used_end)
    return 0


cdef int read_slots(
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
