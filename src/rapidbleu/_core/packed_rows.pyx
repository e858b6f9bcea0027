"""The rows of several systems and metrics, packed once for all threads that draw from them.

How rows are packed, and what that is good for, is said in resampling/packed_rows.h.
"""

from libc.stdint cimport int64_t

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.resampling cimport (
    packed_rows_add_part, packed_rows_allocate, packed_rows_fill, packed_rows_free,
    packed_rows_init,
)


cdef class PackedRows:
    """Rows of parts, which are systems or metrics, of the same segments.

    Parameters
    ----------
    parts : list of int64 arrays, C-contiguous, of shape (n_segments, n_stats of the part)
        Nothing below zero.
    n_segments : int
        At least 1.

    Attributes
    ----------
    n_columns : int
        Of all parts.

    Raises
    ------
    ValueError
        If a sum of `n_segments` rows could pass 2**63 - 1.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, list parts not None, int64_t n_segments):
        cdef Buffer rows
        cdef list buffers = [], ends = []
        cdef int64_t begin = 0, end
        if not 1 <= n_segments < 1 << 31:
            raise ValueError(f"segments: expected 1 to 2**31 - 1, got {n_segments}")
        packed_rows_init(&self.rows, n_segments)
        for part in parts:
            buffers.append(Buffer(part, "rows"))
        for rows in buffers:
            rows.require(c"i", sizeof(int64_t), rows.n_items // n_segments * n_segments, "rows")
            with nogil:
                packed_rows_add_part(
                    &self.rows, <const int64_t*> rows.data, rows.n_items // n_segments
                )
            ends.append(self.rows.n_lanes)
        packed_rows_allocate(&self.rows)
        for rows, last in zip(buffers, ends):
            end = last
            with nogil:
                packed_rows_fill(&self.rows, <const int64_t*> rows.data, begin, end)
            begin = end

    def __dealloc__(self):
        packed_rows_free(&self.rows)

    @property
    def n_columns(self):
        return self.rows.n_columns
