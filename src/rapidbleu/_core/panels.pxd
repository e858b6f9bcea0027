"""C contract of rows in panels."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef extern from "panels.h" nogil:
    enum:
        RB_LANES
        RB_PANEL_WORDS
        RB_LANE_BITS
        RB_TABLE_WORDS
    ctypedef struct SummerC "rb_summer":
        void (*gather)(
            const uint64_t* panel, const int32_t* indices, int64_t n, int64_t* sums
        ) noexcept nogil
        void (*select)(
            const uint64_t* tables, const uint32_t* masks, int64_t n, uint32_t* sums
        ) noexcept nogil
    void rb_tabulate(const uint64_t* rows, uint64_t* tables) noexcept
    SummerC rb_summer_select() noexcept


ctypedef struct LaneC:
    int64_t first    # column of the first part that lies side by side before this part
    int64_t width    # columns of the part
    int64_t column   # of the part
    int shift        # of these bits of the number


cdef class Panels:
    cdef readonly int64_t n_segments
    cdef readonly int64_t n_columns   # of all parts
    cdef int64_t n_lanes
    cdef int64_t n_panels
    cdef int64_t n_rows               # of a panel, a multiple of 32
    cdef LaneC* lanes
    cdef uint64_t* words

    cdef int add_lanes(self, const int64_t* rows, int64_t width) except -1
    cdef void pack(self, const int64_t* rows, int64_t lane) noexcept nogil
    cdef uint64_t* panel(self, int64_t i) noexcept nogil
    cdef int64_t place(self, int64_t lane, int64_t total, int64_t n) noexcept nogil
