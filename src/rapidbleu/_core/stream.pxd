"""C contract of random streams."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef extern from "pcg.h" nogil:
    ctypedef struct WideC "rb_wide":
        uint64_t high
        uint64_t low
    ctypedef struct PcgC "rb_pcg":
        WideC state
        WideC increment
    ctypedef struct PlaceC "rb_stream":
        pass
    void rb_stream_open(PlaceC* stream, const PcgC* pcg, int64_t place) noexcept
    int64_t rb_stream_place(const PlaceC* stream) noexcept
    void rb_stream_copy(PlaceC* stream, int64_t n, uint32_t* out) noexcept
    void rb_stream_draw(
        PlaceC* stream, uint32_t bound, int64_t n, int32_t* out, bint simd
    ) noexcept


cdef class Stream:
    cdef PcgC pcg
