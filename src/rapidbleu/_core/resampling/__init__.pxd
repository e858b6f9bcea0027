"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t, uint8_t


cdef extern from "resampling/pcg64.h" nogil:
    ctypedef struct WideC "rb_wide":
        uint64_t high
        uint64_t low
    ctypedef struct PcgC "rb_pcg":
        WideC state
        WideC increment
    ctypedef struct PlaceC "rb_stream":
        pass
    void stream_open "rb_stream_open" (PlaceC* stream, const PcgC* pcg, int64_t place) noexcept
    int64_t stream_place "rb_stream_place" (const PlaceC* stream) noexcept
    void stream_copy "rb_stream_copy" (PlaceC* stream, int64_t n, uint32_t* out) noexcept
    void stream_draw "rb_stream_draw" (
        PlaceC* stream, uint32_t bound, int64_t n, int32_t* out, bint simd
    ) noexcept


cdef extern from "resampling/packed_rows.h" nogil:
    enum:
        LANES "RB_LANES"
        PANEL_WORDS "RB_PANEL_WORDS"
        TABLE_WORDS "RB_TABLE_WORDS"
        TALLIES "RB_TALLIES"
    ctypedef struct PieceC "rb_piece":
        int64_t lane
        int shift
    ctypedef struct PackedRowsC "rb_packed_rows":
        int64_t n_segments
        int64_t n_columns
        int64_t n_pieces
        int64_t n_panels
        int64_t n_rows
        int64_t most
        PieceC* pieces
    ctypedef struct SummerC "rb_summer":
        void (*gather)(
            const uint64_t* panel, const int32_t* indices, int64_t n, int64_t* sums
        ) noexcept nogil
        void (*multiply)(
            const uint64_t* panel, const int16_t* tallies, int64_t size, int64_t n, int64_t* sums
        ) noexcept nogil
        void (*select)(
            const uint64_t* tables, const uint32_t* masks, int64_t n, uint32_t* sums
        ) noexcept nogil
    void packed_rows_init "rb_packed_rows_init" (PackedRowsC* p, int64_t n_segments) noexcept
    void packed_rows_free "rb_packed_rows_free" (PackedRowsC* p) noexcept
    int packed_rows_add_part "rb_packed_rows_add_part" (
        PackedRowsC* p, const int64_t* rows, int64_t width
    ) except -1
    int packed_rows_allocate "rb_packed_rows_allocate" (PackedRowsC* p) except -1
    int packed_rows_fill "rb_packed_rows_fill" (PackedRowsC* p) except -1
    uint64_t* packed_rows_panel "rb_packed_rows_panel" (const PackedRowsC* p, int64_t i) noexcept
    int64_t packed_rows_place "rb_packed_rows_place" (
        const PackedRowsC* p, int64_t piece, int64_t total, int64_t n
    ) noexcept
    void tabulate "rb_tabulate" (const uint64_t* rows, uint64_t* tables) noexcept
    SummerC summer_select "rb_summer_select" () noexcept


cdef extern from "resampling/poisson.h" nogil:
    enum:
        WEIGHT_BITS "RB_WEIGHT_BITS"
        MOST_RESAMPLES "RB_MOST_RESAMPLES"
    const int64_t MOST_SUM "RB_MOST_SUM"
    ctypedef void (*WeigherC "rb_weigher") (
        uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row, uint32_t* planes
    ) noexcept nogil
    WeigherC weigher_select "rb_weigher_select" () noexcept
    int check_counts "rb_check_counts" (const int64_t* rows, int64_t n, int64_t width) except -1
    uint64_t id_key "rb_id_key" (const uint8_t* text, int64_t n) noexcept
