"""Rows of statistics packed for sums of many choices of rows: 16 columns in 32 bytes.

Bootstrap and randomization add rows up thousands of times, and what that costs is loading them:
as int64, the row of BLEU is 80 bytes and a test set of 3,004 segments does not fit in the nearest
cache.  But counts of a segment are small.  Each is kept in a lane of 16 bits as long as the largest
of its column has no more than 11; larger ones are cut into pieces of 11 bits, a lane each, so that
any int64 has its place and all sums are exact.  16 lanes are a row of a panel.  Rows are added in
their lanes, 32 of them before a lane could overflow, and the sums of lanes are shifted into place
in the end.

The columns of several systems and metrics lie side by side, so that they share what is drawn.
Memory is 2 bytes a lane and segment.  With lanes of 32 bits gathering took 2.5 times as long.
"""

from libc.stdint cimport INT64_MAX, int64_t, uint16_t, uint64_t

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport poll


cdef enum:
    LANE_MASK = (1 << RB_LANE_BITS) - 1


cdef class Panels:
    """Rows of parts, which are systems or metrics, of the same segments.

    Parameters
    ----------
    parts : list of int64 arrays, C-contiguous, of shape (n_segments, n_stats of the part)
        Nothing below zero.
    n_segments : int
        At least 1.

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
        self.n_segments = n_segments
        for part in parts:
            buffers.append(Buffer(part, "rows"))
        for rows in buffers:
            rows.require(c"i", sizeof(int64_t), rows.n_items // n_segments * n_segments, "rows")
            self.add_lanes(<const int64_t*> rows.data, rows.n_items // n_segments)
            ends.append(self.n_lanes)
        self.n_panels = (self.n_lanes + RB_LANES - 1) // RB_LANES
        self.n_rows = (n_segments + 31) // 32 * 32
        self.words = <uint64_t*> PyMem_RawCalloc(
            self.n_panels * self.n_rows * RB_PANEL_WORDS + 1, sizeof(uint64_t)
        )
        if self.words == NULL:
            raise MemoryError
        for rows, last in zip(buffers, ends):
            end = last
            while begin < end:
                poll(None)
                with nogil:
                    self.pack(<const int64_t*> rows.data, begin)
                begin += 1

    def __dealloc__(self):
        PyMem_RawFree(self.lanes)
        PyMem_RawFree(self.words)

    cdef int add_lanes(self, const int64_t* rows, int64_t width) except -1:
        """Say which lanes the columns of a part have."""
        cdef int64_t column, i, largest
        cdef LaneC* lanes
        cdef int shift
        for column in range(width):
            largest = 0
            poll(None)
            with nogil:
                for i in range(self.n_segments):
                    largest = max(largest, rows[i * width + column])
            if largest > INT64_MAX // self.n_segments:
                raise ValueError(
                    f"rows: expected counts whose sums are below 2**63, got {largest} in column "
                    f"{column}"
                )
            shift = 0
            while shift == 0 or (shift < 63 and largest >> shift):
                lanes = <LaneC*> PyMem_RawRealloc(self.lanes, (self.n_lanes + 1) * sizeof(LaneC))
                if lanes == NULL:
                    raise MemoryError
                self.lanes = lanes
                lanes[self.n_lanes] = LaneC(self.n_columns, width, column, shift)
                self.n_lanes += 1
                shift += RB_LANE_BITS
        self.n_columns += width
        return 0

    cdef void pack(self, const int64_t* rows, int64_t lane) noexcept nogil:
        """Write a lane, which is of a part with these rows."""
        cdef const LaneC* own = self.lanes + lane
        cdef const int64_t* column = rows + own.column
        cdef uint16_t* out = <uint16_t*> self.panel(lane // RB_LANES) + lane % RB_LANES
        cdef int64_t i
        for i in range(self.n_segments):
            out[i * RB_LANES] = <uint16_t> (column[i * own.width] >> own.shift & LANE_MASK)

    cdef uint64_t* panel(self, int64_t i) noexcept nogil:
        return self.words + i * self.n_rows * RB_PANEL_WORDS

    cdef int64_t place(self, int64_t lane, int64_t total, int64_t n) noexcept nogil:
        """Where the number of a lane belongs in n totals: one part behind the other."""
        cdef const LaneC* own = self.lanes + lane
        return own.first * n + total * own.width + own.column
