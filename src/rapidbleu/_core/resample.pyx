"""Totals of bootstrap resamples: rows added up as often as they are drawn.

Indices are drawn some thousands at a time, as many resamples as fit in them, and then gathered
panel by panel: so the indices stay in the nearest cache, and a panel in the next one.  1.0 ns a
draw of 16 columns, of which 0.7 are the random numbers; the totals are those of
`rows[generator.choice(n, n)].sum(0)` in any case, as sums of integers have no order.

References: Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation,
section 3.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_SUMS, poll, use_v3
from rapidbleu._core.packed_rows cimport PackedRows
from rapidbleu._core.resampling cimport (
    LANES, PackedRowsC, PlaceC, SummerC, packed_rows_panel, packed_rows_place, stream_draw,
    stream_open, stream_place, summer_select,
)
from rapidbleu._core.stream cimport Stream


cdef bint simd = use_v3()
cdef SummerC summer = summer_select()

cdef enum:
    FEW = 16384     # indices that are drawn together


def resample(
    PackedRows packed not None, source, int64_t place, int64_t n, totals, list stop=None
):
    """Add up the rows of resamples.

    Parameters
    ----------
    packed : PackedRows
    source : Stream or int32 array of n * n_segments indices
    place : int
        In the stream, of the first draw; 0 for an array.
    n : int
        Resamples.
    totals : int64 array of n * n_columns items
        Written: the totals [n, n_stats] of the first part, then those of the second.
    stop : list of exception, optional
        No longer empty: raise what is in it.

    Returns
    -------
    int
        The place behind the last draw.

    Notes
    -----
    Linear in n * n_segments; runs without the GIL.
    """
    cdef Buffer out = Buffer(totals, "totals", writable=True), given
    cdef const PackedRowsC* rows = &packed.rows
    cdef int64_t n_segments = rows.n_segments, n_lanes = rows.n_panels * LANES
    cdef int64_t first = 0, at_once = 1, done = 0, piece, worked, i, k
    cdef int64_t* sums
    cdef int32_t* indices
    cdef PlaceC stream
    out.require(c"i", sizeof(int64_t), n * rows.n_columns, "totals")
    if isinstance(source, Stream):
        given = None
        stream_open(&stream, &(<Stream> source).pcg, place)
    else:
        given = Buffer(source, "source")
        given.require(c"i", sizeof(int32_t), n * n_segments, "source")
        check_indices(<const int32_t*> given.data, given.n_items, n_segments)
        indices = <int32_t*> given.data
    if n_segments < FEW:
        at_once = FEW // n_segments
    sums = <int64_t*> PyMem_RawMalloc(at_once * n_lanes * sizeof(int64_t) + 1)
    drawn = <int32_t*> PyMem_RawMalloc(FEW * sizeof(int32_t))
    try:
        if sums == NULL or drawn == NULL:
            raise MemoryError
        while first < n:
            poll(stop)
            with nogil:
                worked = 0
                while first < n and worked < POLL_SUMS:
                    if n - first < at_once:
                        at_once = n - first
                    piece = n_segments - done if n_segments - done < FEW else FEW
                    if given is None:
                        indices = drawn
                        stream_draw(
                            &stream, <uint32_t> n_segments, at_once * piece, indices, simd
                        )
                    if done == 0:
                        memset(sums, 0, at_once * n_lanes * sizeof(int64_t))
                    for k in range(rows.n_panels):
                        for i in range(at_once):
                            summer.gather(
                                packed_rows_panel(rows, k), indices + i * piece, piece,
                                sums + i * n_lanes + k * LANES,
                            )
                    worked += at_once * piece * (rows.n_panels + 1)
                    indices += at_once * piece
                    done += piece
                    if done == n_segments:
                        write_totals(rows, sums, first, at_once, n, <int64_t*> out.data)
                        first += at_once
                        done = 0
        return stream_place(&stream) if given is None else place
    finally:
        PyMem_RawFree(sums)
        PyMem_RawFree(drawn)


cdef void write_totals(
    const PackedRowsC* rows, const int64_t* sums, int64_t first, int64_t m, int64_t n,
    int64_t* totals,
) noexcept nogil:
    """Put the sums of lanes together, of resamples `first` to first + m of n."""
    cdef int64_t i, lane, place
    for i in range(m):
        for lane in range(rows.n_lanes):
            place = packed_rows_place(rows, lane, first + i, n)
            if rows.lanes[lane].shift == 0:
                totals[place] = 0
            totals[place] += sums[lane] << rows.lanes[lane].shift
        sums += rows.n_panels * LANES


cdef int check_indices(const int32_t* indices, int64_t n, int64_t bound) except -1:
    """Refuse indices of no segment."""
    cdef int64_t i, wrong = 0
    with nogil:
        for i in range(n):
            wrong += not 0 <= indices[i] < bound
    if wrong:
        raise ValueError(f"source: expected indices below {bound}, got {wrong} others")
    return 0
