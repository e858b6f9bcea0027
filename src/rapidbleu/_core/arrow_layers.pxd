"""The layers of one chunk of an Arrow column, and how to read a slot of each (see arrow.pyx).

A slot is null, valid or malformed: what it says is checked before it is followed.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy


cdef extern from *:
    """
    /* No process has so many bytes: an array that claims them lies. */
    #define RB_MOST_BYTES (sizeof(void *) > 4 ? INT64_C(1) << 56 : INT64_C(1) << 31)
    """
    const int64_t RB_MOST_BYTES


cdef extern from "arrow_abi.h":
    struct ArrowSchema:
        const char* format
        int64_t n_children
        ArrowSchema** children
        ArrowSchema* dictionary
        void (*release)(ArrowSchema*) noexcept nogil

    struct ArrowArray:
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        int64_t n_children
        const void** buffers
        ArrowArray** children
        ArrowArray* dictionary
        void (*release)(ArrowArray*) noexcept nogil

    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
        int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
        const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil
        void (*release)(ArrowArrayStream*) noexcept nogil


# Kinds: of strings u U v (views), of indices c C s S i I l L, of lists l L (offsets), p P (offsets
# and sizes), w (fixed size). 0: the column has no such layer.
ctypedef struct LayerC:
    char kind
    int64_t offset          # slot of the first item
    int64_t length
    const uint8_t* valid    # bitmap over the slots, or NULL: no nulls
    const uint8_t* slots    # offsets, views or indices
    const uint8_t* side     # strings: the text, or the sizes of the views' texts; list views: sizes
    const void** texts      # string views: the buffers of text ...
    int64_t n_texts         # ... and how many there are
    int64_t width           # lists of fixed size: strings in each


ctypedef struct ChunkC:
    ArrowArray array        # owned
    int64_t first_item      # index in the column of the first item of this chunk
    int64_t first_string    # the same, counted in strings
    int64_t n_strings       # lists: length of the child; otherwise of the chunk
    int64_t used_begin      # of those, the ones from the first to the last that a list uses, which
    int64_t used_end        # are all that is numbered; all if there are no lists
    bint has_gaps           # between the two there may be strings that no list uses
    LayerC lists
    LayerC indices
    LayerC strings


cdef enum:  # what the readers return besides 1 (valid) and 0 (null)
    BAD_LIST = -1
    BAD_INDEX = -2
    BAD_STRING = -3
    BAD_TEXT = -4


# Arrow recommends alignment but does not demand it; each memcpy is a plain load where that works.
cdef inline int32_t load_int32(const uint8_t* slots, int64_t i) noexcept nogil:
    cdef int32_t value
    memcpy(&value, slots + 4 * i, 4)
    return value


cdef inline int64_t load_int64(const uint8_t* slots, int64_t i) noexcept nogil:
    cdef int64_t value
    memcpy(&value, slots + 8 * i, 8)
    return value


cdef inline int64_t load_index(char kind, const uint8_t* slots, int64_t i) noexcept nogil:
    cdef int16_t short_value
    if kind == c"i":
        return load_int32(slots, i)
    elif kind == c"I":
        return <uint32_t> load_int32(slots, i)
    elif kind == c"c":
        return <int8_t> slots[i]
    elif kind == c"C":
        return slots[i]
    elif kind == c"s" or kind == c"S":
        memcpy(&short_value, slots + 2 * i, 2)
        return short_value if kind == c"s" else <int64_t> <uint16_t> short_value
    return load_int64(slots, i)  # l, and L: from 2**63 on negative, that is out of range too


cdef inline bint slot_is_null(const LayerC* layer, int64_t slot) noexcept nogil:
    return layer.valid != NULL and not (layer.valid[slot >> 3] >> (slot & 7)) & 1


cdef inline int read_list(
    const ChunkC* chunk, int64_t i, int64_t* begin, int64_t* end
) noexcept nogil:
    cdef const LayerC* lists = &chunk.lists
    cdef int64_t slot = lists.offset + i, first, size
    begin[0] = end[0] = 0
    if slot_is_null(lists, slot):
        return 0
    if lists.kind == c"w":
        size = lists.width
        first = slot * size if size == 0 or slot <= chunk.n_strings // size else -1
    elif lists.kind == c"l":
        first = load_int32(lists.slots, slot)
        size = load_int32(lists.slots, slot + 1) - first
    elif lists.kind == c"L":
        first = load_int64(lists.slots, slot)
        size = load_int64(lists.slots, slot + 1)
        size = size - first if 0 <= first <= size else -1
    elif lists.kind == c"p":
        first = load_int32(lists.slots, slot)
        size = load_int32(lists.side, slot)
    else:
        first = load_int64(lists.slots, slot)
        size = load_int64(lists.side, slot)
    if first < 0 or size < 0 or first > chunk.n_strings or size > chunk.n_strings - first:
        return BAD_LIST
    begin[0] = first
    end[0] = first + size
    return 1


cdef inline int read_string(
    const ChunkC* chunk, int64_t i, const uint8_t** data, int64_t* size
) noexcept nogil:
    cdef const LayerC* layer = &chunk.indices
    cdef int64_t slot, begin, end
    cdef int32_t text
    data[0] = <const uint8_t*> b""
    size[0] = 0
    if layer.kind:
        slot = layer.offset + i
        if slot_is_null(layer, slot):
            return 0
        i = load_index(layer.kind, layer.slots, slot)
        if i < 0 or i >= chunk.strings.length:
            return BAD_INDEX
    layer = &chunk.strings
    slot = layer.offset + i
    if slot_is_null(layer, slot):
        return 0
    if layer.kind == c"v":
        end = load_int32(layer.slots, 4 * slot)  # of a view: size, 12 bytes of text
        if 0 <= end <= 12:
            data[0] = layer.slots + 16 * slot + 4
            size[0] = end
            return 1
        text = load_int32(layer.slots, 4 * slot + 2)  # or size, prefix, text, place in the text
        begin = load_int32(layer.slots, 4 * slot + 3)
        if end < 0 or text < 0 or text >= layer.n_texts or begin < 0:
            return BAD_STRING
        if layer.texts[text] == NULL or load_int64(layer.side, text) < <int64_t> begin + end:
            return BAD_STRING
        data[0] = <const uint8_t*> layer.texts[text] + begin
        size[0] = end
        return 1
    if layer.kind == c"u":
        begin = load_int32(layer.slots, slot)
        end = load_int32(layer.slots, slot + 1)
    else:
        begin = load_int64(layer.slots, slot)
        end = load_int64(layer.slots, slot + 1)
    if begin < 0 or end < begin or end > RB_MOST_BYTES:
        return BAD_STRING
    if end > begin:
        if layer.side == NULL:
            return BAD_STRING
        data[0] = layer.side + begin
        size[0] = end - begin
    return 1
