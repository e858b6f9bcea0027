"""One array of an Arrow column taken apart into layers, and read through once.

The readers of input/arrow_slots.h check what they read, and every slot is read when its chunk
arrives, and every text: malformed offsets, views and indices and text that is not UTF-8 are errors
then, and later calls do not meet them.  Lists are read first and then the strings that they use,
each once however many lists share it, so the work is in proportion to the bytes of the slots and
the texts.  What no list uses is not read, for Arrow lets the memory beneath a null list be
anything.  The lengths of the buffers cannot be checked, because Arrow does not tell them.
"""

from libc.stdint cimport INT64_MAX, int64_t, uint8_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree

from rapidbleu._core.arrow_schema cimport ShapeC, malformed
from rapidbleu._core.common cimport POLL_CELLS, bytes_of, poll_without_gil
from rapidbleu._core.input cimport (
    BAD_INDEX, BAD_LIST, BAD_STRING, BAD_TEXT, MAX_BYTES, ArrowArray, ChunkC, LayerC, read_list,
    read_string,
)
from rapidbleu._core.text cimport rb_is_continuation, rb_utf8_check


cdef enum:
    SLOT_COST = 16         # what a slot takes, in such bytes
    LONGEST_CHARACTER = 4  # bytes
    LONGEST_RUN = 1 << 15  # bytes of texts that are checked together, while they are in the cache
    MAX_BUFFERS = 0x7FFFFFFF

# Bytes of a slot by format.
cdef dict LIST_SIZES = {c"l": 4, c"L": 8, c"p": 4, c"P": 8, c"w": 0}
cdef dict INDEX_SIZES = {
    c"c": 1, c"C": 1, c"s": 2, c"S": 2, c"i": 4, c"I": 4, c"l": 8, c"L": 8,
}
cdef dict STRING_SIZES = {c"u": 4, c"U": 8, c"v": 16}


cdef dict FAULTS = {
    BAD_LIST: "the list is not within its child",
    BAD_INDEX: "the index is not within the dictionary",
    BAD_STRING: "the string's offsets are negative, descending or out of range",
}


cdef int describe_chunk(ChunkC* chunk, const ShapeC* shape, str where) except -1:
    """Set the layers of a chunk, which has its array and is zero otherwise."""
    cdef const ArrowArray* array = &chunk.array
    cdef int n_buffers
    cdef int64_t size
    if shape.list_kind:
        n_buffers = 1 if shape.list_kind == c"w" else 3 if shape.list_kind in b"pP" else 2
        size = LIST_SIZES[shape.list_kind]
        open_layer(&chunk.lists, shape.list_kind, array, n_buffers, size, where)
        chunk.lists.width = shape.width
        if array.n_children != 1 or array.children == NULL:
            raise malformed(where, f"list with {array.n_children} children")
        array = array.children[0]
    if shape.index_kind:
        size = INDEX_SIZES[shape.index_kind]
        open_layer(&chunk.indices, shape.index_kind, array, 2, size, where)
        chunk.n_strings = array.length
        array = array.dictionary
    size = STRING_SIZES[shape.string_kind]
    open_layer(&chunk.strings, shape.string_kind, array, 3, size, where)
    if not shape.index_kind:
        chunk.n_strings = array.length
    return 0


cdef int open_layer(
    LayerC* layer, char kind, const ArrowArray* array, int64_t n_buffers, int64_t slot_size,
    str where,
) except -1:
    """Describe one array of a chunk, whose slots have `slot_size` bytes; 0: it has none."""
    cdef int64_t most = INT64_MAX - 1
    if array == NULL:
        raise malformed(where, "a child or dictionary is missing")
    if slot_size:
        most = MAX_BYTES // slot_size
    elif array.buffers != NULL and array.n_buffers > 0 and array.buffers[0] != NULL:
        most = MAX_BYTES  # of bits
    if array.length < 0 or array.offset < 0 or array.length > most - array.offset:
        raise malformed(where, f"length {array.length}, offset {array.offset}")
    if array.buffers == NULL or array.n_buffers < n_buffers or (
        array.n_buffers > (MAX_BUFFERS if kind == c"v" else n_buffers)
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


cdef int check_chunk(
    ChunkC* chunk, int64_t* null_item, bint* any_null_string, bint checks_text, str where
) except -1:
    """Refuse malformed slots and text that is not UTF-8; say which strings are used.

    ``null_item[0]`` becomes the first null item, unless there was one before, and
    ``any_null_string[0]`` true if a string is null.
    """
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
                uses = <int64_t*> PyMem_RawCalloc(1, bytes_of(end - begin + 1, sizeof(int64_t)))
                if uses == NULL:
                    raise MemoryError
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
    where = f"{where}[{chunk.first_item + item}]"
    if string >= 0 and chunk.lists.kind:
        read_list(chunk, item, &begin, &end)
        where += f"[{string - begin}]"
    if status == BAD_TEXT:
        read_string(chunk, string, &data, &end)
        raise ValueError(
            f"{where}: expected text in UTF-8, got 0x{wrong[0]:02x} as byte {wrong - data}"
        )
    raise malformed(where, FAULTS[status])


cdef inline int spend(int64_t* budget, int64_t cost) except -1 nogil:
    """Poll for signals when the work since the last poll is worth it."""
    budget[0] -= cost
    if budget[0] < 0:
        budget[0] = POLL_CELLS
        poll_without_gil(NULL)
    return 0


cdef int check_lists(
    ChunkC* chunk, int64_t* item, int64_t* null_item, int64_t* budget
) except? -1 nogil:
    """Read all slots of lists: 0, or what is bad, at item[0]."""
    cdef int64_t i, begin, end
    cdef int status
    if chunk.lists.kind == c"w" and chunk.lists.width == 0 and chunk.lists.valid == NULL:
        return 0  # as many empty lists as the length says, in no bytes
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
    """How many lists begin, minus how many end, at each string from the first used one on."""
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
    """Read each string that is used once: 0, or what is bad, at string[0] and wrong[0].

    Texts that lie behind each other are UTF-8 if they are together, and none of them begins in the
    middle of a character.
    """
    cdef const uint8_t* data
    cdef const uint8_t* text = NULL  # of the strings from `first` on, which lie behind each other
    cdef const uint8_t* text_end = NULL
    cdef const uint8_t* following = NULL
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


cdef int64_t find_string(
    const ChunkC* chunk, int64_t j, const uint8_t* byte, int64_t* budget
) except -1 nogil:
    """The string with this byte, which is number j or one of those that follow."""
    cdef const uint8_t* data
    cdef int64_t size
    while True:
        spend(budget, SLOT_COST)
        read_string(chunk, j, &data, &size)
        if data <= byte < data + size:
            return j
        j += 1


cdef inline bint is_utf8(
    const uint8_t* p, const uint8_t* end, const uint8_t** wrong, int64_t* budget
) except -1 nogil:
    """Is [p, end) well-formed?  If not, wrong[0] is its first malformed byte."""
    cdef const uint8_t* stop
    while True:
        stop = end if end - p <= POLL_CELLS else p + POLL_CELLS
        spend(budget, stop - p)
        p = rb_utf8_check(p, stop)
        if p == end:
            return True
        if stop == end or stop - p >= LONGEST_CHARACTER:  # else the stop cuts a character
            wrong[0] = p
            return False


cdef int64_t find_list(const ChunkC* chunk, int64_t string, int64_t* budget) except -1 nogil:
    """The first list that uses a string."""
    cdef int64_t i = 0, begin, end
    while True:
        spend(budget, SLOT_COST)
        read_list(chunk, i, &begin, &end)
        if begin <= string < end:
            return i
        i += 1
