"""Random streams, weights, keys of texts and packed rows, called directly."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport use_v3
from rapidbleu._core.resampling cimport (
    LANES, MOST_RESAMPLES, MOST_WEIGHT, PANEL_WORDS, PCG_WORDS, TABLE_WORDS, WEIGHT_BITS,
    PackedRowsC, PcgC, PlaceC, SummerC, gather_portable, packed_rows_add_part,
    packed_rows_allocate, packed_rows_fill, packed_rows_free, packed_rows_init, packed_rows_panel,
    packed_rows_place, poisson_set, poisson_weight, select_portable, siphash, stream_copy,
    stream_draw, stream_open, stream_place, summer_select, tabulate, threefry, weigh_portable,
    weigher_select,
)

WORDS = PCG_WORDS
MOST = MOST_WEIGHT


cdef class Place:
    """A place in a stream that is drawn from again and again."""

    cdef PlaceC place

    def __cinit__(self, state, increment, int64_t place):
        cdef PcgC pcg
        cdef uint64_t low = 0xFFFFFFFFFFFFFFFF
        pcg.state.high, pcg.state.low = state >> 64, state & low
        pcg.increment.high, pcg.increment.low = increment >> 64, increment & low
        stream_open(&self.place, &pcg, place)

    def here(self):
        return stream_place(&self.place)

    def copy(self, int64_t n):
        cdef uint32_t* words = <uint32_t*> PyMem_RawMalloc(n * sizeof(uint32_t) + 1)
        stream_copy(&self.place, n, words)
        found = [words[i] for i in range(n)]
        PyMem_RawFree(words)
        return found

    def draw(self, uint32_t bound, int64_t n, bint simd):
        cdef int32_t* indices = <int32_t*> PyMem_RawMalloc(n * sizeof(int32_t) + 1)
        stream_draw(&self.place, bound, n, indices, simd and use_v3())
        found = [indices[i] for i in range(n)]
        PyMem_RawFree(indices)
        return found


cdef class Packed:
    """Packed rows of parts, each a list of rows."""

    cdef PackedRowsC rows

    def __cinit__(self, list parts, int64_t n_segments):
        cdef int64_t* counts
        cdef int64_t begin = 0, width
        packed_rows_init(&self.rows, n_segments)
        copies, ends = [], []
        try:
            for part in parts:
                width = len(part[0])
                counts = <int64_t*> PyMem_RawMalloc(n_segments * width * sizeof(int64_t) + 1)
                copies.append(<uint64_t> counts)
                for i in range(n_segments):
                    for j in range(width):
                        counts[i * width + j] = part[i][j]
                packed_rows_add_part(&self.rows, counts, width)
                ends.append(self.rows.n_lanes)
            packed_rows_allocate(&self.rows)
            for copy, end in zip(copies, ends):
                packed_rows_fill(&self.rows, <const int64_t*> <uint64_t> copy, begin, end)
                begin = end
        finally:
            for copy in copies:
                PyMem_RawFree(<void*> <uint64_t> copy)

    def __dealloc__(self):
        packed_rows_free(&self.rows)

    def shape(self):
        return self.rows.n_panels, self.rows.n_rows, self.rows.n_columns

    def lanes(self):
        """(first, width, column, shift) of each lane."""
        found = []
        for k in range(self.rows.n_lanes):
            lane = self.rows.lanes[k]
            found.append((lane.first, lane.width, lane.column, lane.shift))
        return found

    def row(self, int64_t panel, int64_t i):
        """The lanes of a row."""
        cdef int64_t[16] sums
        cdef int32_t index = <int32_t> i
        memset(sums, 0, sizeof(sums))
        gather_portable(packed_rows_panel(&self.rows, panel), &index, 1, sums)
        return [sums[k] for k in range(LANES)]

    def place(self, int64_t lane, int64_t total, int64_t n):
        return packed_rows_place(&self.rows, lane, total, n)

    def gather(self, int64_t panel, list indices, bint portable):
        """The sums of the lanes of some rows."""
        cdef SummerC summer = summer_select()
        cdef int64_t[16] sums
        cdef int32_t* own = <int32_t*> PyMem_RawMalloc(len(indices) * sizeof(int32_t) + 1)
        memset(sums, 0, sizeof(sums))
        for i in range(len(indices)):
            own[i] = indices[i]
        (gather_portable if portable else summer.gather)(
            packed_rows_panel(&self.rows, panel), own, len(indices), sums
        )
        PyMem_RawFree(own)
        return [sums[k] for k in range(LANES)]

    def select(self, int64_t panel, int64_t block, list masks, bint portable):
        """For each mask, the sums of the lanes of those of 32 rows that it names."""
        cdef SummerC summer = summer_select()
        cdef int64_t n = len(masks)
        cdef uint64_t* tables = <uint64_t*> PyMem_RawMalloc(4 * TABLE_WORDS * sizeof(uint64_t))
        cdef uint32_t* own = <uint32_t*> PyMem_RawMalloc(n * sizeof(uint32_t) + 1)
        cdef uint32_t* sums = <uint32_t*> PyMem_RawMalloc(n * LANES * sizeof(uint32_t) + 1)
        memset(sums, 0, n * LANES * sizeof(uint32_t))
        for i in range(n):
            own[i] = masks[i]
        tabulate(packed_rows_panel(&self.rows, panel) + 32 * block * PANEL_WORDS, tables)
        (select_portable if portable else summer.select)(tables, own, n, sums)
        found = [[sums[i * LANES + k] for k in range(LANES)] for i in range(n)]
        PyMem_RawFree(tables)
        PyMem_RawFree(own)
        PyMem_RawFree(sums)
        return found


def enciphered(uint64_t seed, uint64_t key, uint64_t number, int64_t n):
    """The words of n counters, four of each."""
    cdef uint32_t[MOST_RESAMPLES] words
    threefry(seed, key, number, n, words)
    return [[words[k * n + i] for k in range(4)] for i in range(n)]


def weight_of(uint32_t word):
    return poisson_weight(word)


def set_planes(list given, int row, list before):
    """What the planes are after the words of a row."""
    cdef uint32_t[MOST_RESAMPLES] words
    cdef uint32_t[WEIGHT_BITS * MOST_RESAMPLES] planes
    for i, word in enumerate(given):
        words[i] = word
    for i, word in enumerate(before):
        planes[i] = word
    poisson_set(words, len(given), row, planes)
    return [planes[i] for i in range(len(before))]


def weighed(uint64_t seed, uint64_t key, uint64_t number, int64_t n, int row, bint portable):
    """The planes of a row in the resamples of n counters, alone."""
    cdef uint32_t[WEIGHT_BITS * MOST_RESAMPLES] planes
    memset(planes, 0, sizeof(planes))
    (weigh_portable if portable else weigher_select())(seed, key, number, n, row, planes)
    return [planes[i] for i in range(WEIGHT_BITS * 4 * n)]


def key_of(bytes text, uint64_t k0, uint64_t k1):
    cdef const uint8_t* data = text
    return siphash(data, len(text), k0, k1)
