"""C contract of Arrow schemas."""

from libc.stdint cimport int64_t

from rapidbleu._core.input cimport ArrowSchema


ctypedef struct ShapeC:   # kinds as in LayerC
    char list_kind        # 0: items are strings
    char index_kind       # 0: there is no dictionary
    char string_kind
    int64_t width         # strings in each list of fixed size


cdef int read_shape(ShapeC* shape, const ArrowSchema* schema, str where) except -1
cdef object malformed(str where, str what)
