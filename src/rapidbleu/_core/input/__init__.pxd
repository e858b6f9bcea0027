"""Cython declarations of the headers in this folder, which document themselves."""

from cpython.object cimport PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t


cdef extern from "input/arrow.h":

    struct ArrowSchema:
        const char* format
        const char* name
        const char* metadata
        int64_t flags
        int64_t n_children
        ArrowSchema** children
        ArrowSchema* dictionary
        void (*release)(ArrowSchema*) noexcept nogil
        void* private_data

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
        void* private_data

    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
        int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
        const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil
        void (*release)(ArrowArrayStream*) noexcept nogil
        void* private_data


cdef extern from "input/arrow.h" nogil:
    const int64_t MAX_BYTES "RB_MAX_BYTES"
    enum:
        BAD_LIST "RB_BAD_LIST"
        BAD_INDEX "RB_BAD_INDEX"
        BAD_STRING "RB_BAD_STRING"
        BAD_TEXT "RB_BAD_TEXT"
        BAD_VIEW "RB_BAD_VIEW"
    ctypedef struct LayerC "rb_layer":
        char kind
        int64_t offset
        int64_t length
        const uint8_t* valid
        const uint8_t* slots
        const uint8_t* side
        const void** texts
        int64_t n_texts
        int64_t width
    ctypedef struct ChunkC "rb_chunk":
        ArrowArray array
        int64_t first_item
        int64_t first_string
        int64_t n_strings
        int64_t used_begin
        int64_t used_end
        bint has_gaps
        LayerC lists
        LayerC indices
        LayerC strings
    int64_t load_int32 "rb_load_int32" (const uint8_t* slots, int64_t i) noexcept
    int64_t load_int64 "rb_load_int64" (const uint8_t* slots, int64_t i) noexcept
    bint slot_is_null "rb_slot_is_null" (const LayerC* layer, int64_t slot) noexcept
    int read_list "rb_read_list" (
        const ChunkC* chunk, int64_t i, int64_t* begin, int64_t* end
    ) noexcept
    int read_string "rb_read_string" (
        const ChunkC* chunk, int64_t i, const uint8_t** data, int64_t* size
    ) noexcept


cdef extern from "input/ndarray.h":
    const int RB_ALIGNED
    const int RB_PLAIN

    ctypedef struct rb_ndarray:
        pass

    const int64_t* rb_array_row(
        PyObject* source, PyObject* type, PyObject* dtype, Py_ssize_t n
    ) noexcept
    bint rb_array_has(
        PyObject* source, const void* data, Py_ssize_t n, Py_ssize_t stride, PyObject* base,
        PyObject* dtype, int plain
    ) noexcept


cdef extern from "input/json.h" nogil:
    ctypedef struct JsonFieldC "rb_json_field":
        const uint8_t* name
        size_t name_length
        uint8_t* out
        int64_t length
    bint json_read "rb_json_read" (
        const uint8_t* p, const uint8_t* end, JsonFieldC* fields, int64_t n_fields, uint8_t* spare
    ) noexcept
