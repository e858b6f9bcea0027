"""C contract of the chunks of an Arrow column."""

from libc.stdint cimport int64_t

from rapidbleu._core.arrow_schema cimport ShapeC
from rapidbleu._core.input cimport ChunkC


cdef int describe_chunk(ChunkC* chunk, const ShapeC* shape, str where) except -1
cdef int check_chunk(
    ChunkC* chunk, int64_t* null_item, bint* any_null_string, bint checks_text, str where
) except -1
