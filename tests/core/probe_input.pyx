"""The readers of `_core/input/arrow.h`, called directly."""

from libc.stdint cimport int64_t, uint8_t

from rapidbleu._core.input cimport BAD_INDEX, BAD_LIST, BAD_STRING, ChunkC, LayerC
from rapidbleu._core.input cimport read_list as c_read_list
from rapidbleu._core.input cimport read_string as c_read_string

BAD = {BAD_LIST: "bad list", BAD_INDEX: "bad index", BAD_STRING: "bad string"}


cdef class Layer:
    """One layer, in buffers of bytes; None: there is none."""

    cdef LayerC layer
    cdef object kept
    cdef const void *texts[8]

    def __cinit__(
        self, str kind, bytes slots, int64_t length, *, bytes side=None, bytes valid=None,
        texts=(), int64_t offset=0, int64_t width=0,
    ):
        cdef int i
        self.kept = slots, side, valid, texts
        self.layer.kind = ord(kind)
        self.layer.length, self.layer.offset, self.layer.width = length, offset, width
        self.layer.slots = <const uint8_t*> <const char*> slots
        if side is not None:
            self.layer.side = <const uint8_t*> <const char*> side
        if valid is not None:
            self.layer.valid = <const uint8_t*> <const char*> valid
        for i, text in enumerate(texts):
            self.texts[i] = NULL if text is None else <const void*> <const char*> text
        self.layer.texts, self.layer.n_texts = self.texts, len(texts)


def read_list(Layer lists not None, int64_t n_strings, int64_t i):
    """The bounds of a list, None if it is null, or what is wrong."""
    cdef ChunkC chunk
    cdef int64_t begin, end
    chunk.lists, chunk.n_strings = lists.layer, n_strings
    status = c_read_list(&chunk, i, &begin, &end)
    assert status == 1 or begin == end == 0
    return (begin, end) if status == 1 else BAD.get(status)


def read_string(Layer strings not None, int64_t i, Layer indices=None):
    """A string, None if it is null, or what is wrong."""
    cdef ChunkC chunk
    cdef const uint8_t* data
    cdef int64_t size
    chunk.indices.kind = 0
    if indices is not None:
        chunk.indices = indices.layer
    chunk.strings = strings.layer
    status = c_read_string(&chunk, i, &data, &size)
    assert data != NULL and (status == 1 or size == 0)
    return (<const char*> data)[:size] if status == 1 else BAD.get(status)
