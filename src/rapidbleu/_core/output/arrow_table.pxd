"""C contract of `output.arrow_table`: schemas and arrays that hold a Python object."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from rapidbleu._core.input cimport ArrowArray, ArrowSchema


cdef void* hold(owner)
cdef void** new_children(int64_t n, size_t size) noexcept
cdef void release_schema(ArrowSchema* schema) noexcept with gil
cdef void release_array(ArrowArray* array) noexcept with gil
