"""Resampling: random streams and weights, sums of drawn rows, shuffled pairs of rows."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree
from cpython.ref cimport PyObject

from rapidbleu._core.common cimport (
    POLL_CELLS, POLL_OBJECTS, POLL_SUMS, allocate, allocate_zeros, poll, poll_due, poll_signals,
    poll_without_gil, use_v3,
)
from rapidbleu._core.input.columns cimport Buffer, Column, Kind
from rapidbleu._core.resampling cimport (
    LANES, MOST_RESAMPLES, MOST_SUM, PANEL_WORDS, PackedRowsC, PcgC, PlaceC, SummerC, TABLE_WORDS,
    TALLIES, WEIGHT_BITS, WeigherC, check_counts, id_key, packed_rows_add_part,
    packed_rows_allocate, packed_rows_fill, packed_rows_free, packed_rows_init,
    packed_rows_panel, packed_rows_place,
    stream_copy, stream_draw, stream_open, stream_place, summer_select, tabulate, weigher_select,
)


# NumPy's random stream without NumPy: PCG64 as words, bounded integers and coins. sacrebleu's
# resamples are the draws of `numpy.random.default_rng(seed).choice`. An index matrix, 8 bytes a
# draw, is 24 MB for a thousand resamples of a news test set and 8 GB for a thousand of a million
# segments. Here indices are generated a few thousand at a time, where the rows are added up: 0.7 ns
# each, less than half of NumPy's time, and without memory.
#
# A stream is a sequence of 32-bit words, and a position is the number of words before it. Threads
# start anywhere. An index takes one word, or rarely more (Lemire 2019), so the position after n
# indices is only known once they are drawn. A coin takes one bit, the lowest one first.


cdef bint simd = use_v3()

cdef enum:
    FEW = 4096      # indices drawn together


cdef class Stream:
    """The stream of a new PCG64.

    `state` and `increment` have 128 bits, as in ``numpy.random.PCG64(seed).state["state"]``.
    Immutable, hence thread-safe.
    """

    cdef PcgC pcg

    def __cinit__(self, state, increment, /):
        cdef uint64_t low = 0xFFFFFFFFFFFFFFFF
        self.pcg.state.high, self.pcg.state.low = state >> 64, state & low
        self.pcg.increment.high, self.pcg.increment.low = increment >> 64, increment & low

    def draw(self, int64_t bound, out, int64_t place=0, /):
        """Fill an int32 array with indices below `bound`, from 1 to 2**31 - 1.

        Starts with the word at `place`, and returns the position after the last word used.

        Examples
        --------
        >>> import numpy as np
        >>> state = np.random.PCG64(12345).state["state"]
        >>> stream = Stream(state["state"], state["inc"])
        >>> stream.draw(3004, found := np.empty(4, np.int32))
        4
        >>> found.tolist() == np.random.default_rng(12345).choice(3004, 4).tolist()
        True
        """
        cdef Buffer buffer = Buffer(out, "out", writable=True)
        cdef PlaceC stream
        buffer.require(c"i", sizeof(int32_t), buffer.n_items, "out")
        check_bound(bound)
        stream_open(&stream, &self.pcg, place)
        with nogil:
            stream_draw(&stream, <uint32_t> bound, buffer.n_items, <int32_t*> buffer.data, simd)
        return stream_place(&stream)

    def skip(self, int64_t bound, int64_t n, int64_t place=0, /):
        """Return the position after n indices below `bound`; linear in n."""
        cdef int32_t[FEW] drawn
        cdef PlaceC stream
        cdef int64_t i = 0, begin, m
        check_bound(bound)
        stream_open(&stream, &self.pcg, place)
        while i < n:
            poll(None)
            with nogil:
                begin = i
                while i < n and i - begin < POLL_SUMS:
                    m = n - i if n - i < FEW else FEW
                    stream_draw(&stream, <uint32_t> bound, m, drawn, simd)
                    i += m
        return stream_place(&stream)

    def copy(self, out, int64_t place=0, /):
        """Fill `out`, a uint32 array, with the words from a position on."""
        cdef Buffer buffer = Buffer(out, "out", writable=True)
        cdef PlaceC stream
        buffer.require(c"u", sizeof(uint32_t), buffer.n_items, "out")
        stream_open(&stream, &self.pcg, place)
        with nogil:
            stream_copy(&stream, buffer.n_items, <uint32_t*> buffer.data)


cdef int check_bound(int64_t bound) except -1:
    """Raise ValueError for bounds for which NumPy draws differently."""
    if not 1 <= bound < 1 << 31:
        raise ValueError(f"bound: expected 1 to 2**31 - 1; got {bound}")
    return 0


# Rows of several systems and metrics, packed once (resampling/packed_rows.h) for all threads.


cdef class PackedRows:
    """Rows of parts (systems or metrics) of the same segments, at least one.

    A part is an int64 array of shape (n_segments, n_stats of the part) in C order, without negative
    counts. `weighted` rows are for `add_weighted` only. `n_columns` counts the columns of all
    parts. ValueError if a sum of `n_segments` rows could exceed 2**63 - 1; with `weighted`, if a
    count is negative or the sum of a column exceeds 2**60. Immutable, hence thread-safe.
    """

    cdef PackedRowsC rows
    cdef bint weighted

    def __cinit__(self, list parts not None, int64_t n_segments, bint weighted=False, /):
        cdef Buffer rows
        cdef list buffers = []
        cdef int64_t width
        if not 1 <= n_segments < 1 << 31:
            raise ValueError(f"segments: expected 1 to 2**31 - 1; got {n_segments}")
        packed_rows_init(&self.rows, n_segments)
        self.weighted = weighted
        if weighted:
            self.rows.most = MOST_SUM
        for part in parts:
            buffers.append(Buffer(part, "rows"))
        for rows in buffers:
            rows.require(c"i", sizeof(int64_t), rows.n_items // n_segments * n_segments, "rows")
            width = rows.n_items // n_segments
            with nogil:
                if weighted:
                    check_counts(<const int64_t*> rows.data, n_segments, width)
                packed_rows_add_part(&self.rows, <const int64_t*> rows.data, width)
        packed_rows_allocate(&self.rows)
        with nogil:
            packed_rows_fill(&self.rows)

    def __dealloc__(self):
        packed_rows_free(&self.rows)

    @property
    def n_columns(self):
        return self.rows.n_columns


# Totals of bootstrap resamples: rows added up as often as they are drawn. Rows of one panel are
# gathered; otherwise the draws of some resamples are counted, and the counts multiplied with the
# panels, so that a panel is read once for all of them. The totals equal
# `rows[generator.choice(n, n)].sum(0)`, because sums of integers do not depend on order. 0.7 ns a
# draw for random numbers, 0.7 to count it, and 0.2 for each panel of 16 columns. References: Koehn
# 2004, Statistical Significance Tests for Machine Translation Evaluation, section 3.
#
# A count has 15 bits. A tally of at most 2**15 - 1 draws cannot exceed them; a larger one has as
# many draws as segments, each of which is drawn once on average: a count of 2**15 has a probability
# below 10**-130000. A resample of more draws has several tallies.


cdef SummerC summer = summer_select()

cdef enum:
    MOST_COUNT = (1 << 15) - 1
    ROWS = 1 << 19      # multiplied together, whose sums are below 2**31


cdef struct Draws:
    PlaceC stream
    int64_t left        # draws after those in `indices`
    int64_t next, end   # in `indices`
    int32_t[FEW] indices


def resample(
    PackedRows packed not None, Stream stream not None, int64_t place, int64_t n, totals,
    list stop=None, int64_t n_drawn=0, /,
):
    """Add up the rows of n resamples, whose draws begin at `place` of the stream.

    A resample has `n_drawn` rows, by default all; sums must be below 2**63. Writes `totals`, int64,
    [n, n_stats] of the first part, then of the second, and so on. Returns the position after the
    last draw. An exception in `stop` is raised. Linear in n * max(n_drawn, n_segments); runs
    without the GIL, in 2 bytes of memory per segment and tally.
    """
    cdef Buffer out = Buffer(totals, "totals", writable=True)
    cdef const PackedRowsC* rows = &packed.rows
    cdef int64_t size = n_drawn or rows.n_segments
    cdef int64_t most = max(rows.n_segments, MOST_COUNT)        # draws in a tally
    cdef int64_t per_resample = (size + most - 1) // most, n_tallies = n * per_resample
    cdef int64_t at_once = 4 * TALLIES if rows.n_segments <= MOST_COUNT else TALLIES
    cdef int64_t n_sums = at_once * rows.n_panels * LANES
    cdef int64_t n_counts = at_once * rows.n_rows if rows.n_panels > 1 else 0
    cdef int64_t tally = 0, worked, m, i, k
    cdef int64_t* sums = NULL
    cdef int16_t* tallies = NULL
    cdef Draws draws
    out.require(c"i", sizeof(int64_t), n * rows.n_columns, "totals")
    memset(out.data, 0, out.n_items * sizeof(int64_t))
    stream_open(&draws.stream, &stream.pcg, place)
    draws.left = n * size
    draws.next = draws.end = 0
    try:
        sums = <int64_t*> allocate(n_sums, sizeof(int64_t))
        tallies = <int16_t*> allocate(n_counts, sizeof(int16_t))
        while tally < n_tallies:
            poll(stop)
            with nogil:
                worked = 0
                while tally < n_tallies and worked < POLL_SUMS:
                    m = at_once if at_once < n_tallies - tally else n_tallies - tally
                    memset(sums, 0, n_sums * sizeof(int64_t))
                    memset(tallies, 0, n_counts * sizeof(int16_t))
                    for i in range(m):
                        k = (tally + i) % per_resample * most
                        k = most if most < size - k else size - k
                        if rows.n_panels == 1:
                            add_draws(&draws, rows, k, NULL, sums + i * LANES, <PyObject*> stop)
                        else:
                            add_draws(
                                &draws, rows, k, tallies + i * rows.n_rows, NULL, <PyObject*> stop
                            )
                        worked += k + rows.n_rows * rows.n_panels
                    if rows.n_panels > 1:
                        multiply_panels(rows, tallies, at_once, sums, <PyObject*> stop)
                    for i in range(m):
                        add_sums(
                            rows, sums + i * LANES, at_once * LANES, (tally + i) // per_resample, n,
                            <int64_t*> out.data,
                        )
                    tally += m
        return stream_place(&draws.stream)
    finally:
        PyMem_RawFree(sums)
        PyMem_RawFree(tallies)


cdef int add_draws(
    Draws* draws, const PackedRowsC* rows, int64_t n, int16_t* tally, int64_t* sums, PyObject* stop
) except -1 nogil:
    """Count the next n draws in a tally, or add their rows of the only panel to sums."""
    cdef int32_t* indices
    cdef int64_t m, i
    while n > 0:
        if draws.next == draws.end:
            draws.next, draws.end = 0, FEW if FEW < draws.left else draws.left
            draws.left -= draws.end
            if draws.left % POLL_CELLS < FEW:
                poll_without_gil(stop)
            stream_draw(
                &draws.stream, <uint32_t> rows.n_segments, draws.end, draws.indices, simd
            )
        m = n if n < draws.end - draws.next else draws.end - draws.next
        indices = draws.indices + draws.next
        if tally == NULL:
            summer.gather(packed_rows_panel(rows, 0), indices, m, sums)
        else:
            for i in range(m):
                tally[indices[i]] += 1
        draws.next += m
        n -= m
    return 0


cdef int multiply_panels(
    const PackedRowsC* rows, const int16_t* tallies, int64_t n, int64_t* sums, PyObject* stop
) except -1 nogil:
    """Add the sums of n tallies, a multiple of `TALLIES`, to `sums`: [n_panels][n][LANES]."""
    cdef int64_t k, i, row, m, worked = 0
    for k in range(rows.n_panels):
        row = 0
        while row < rows.n_rows:
            m = rows.n_rows - row if rows.n_rows - row < ROWS else ROWS
            for i in range(n // TALLIES):
                summer.multiply(
                    packed_rows_panel(rows, k) + row * PANEL_WORDS,
                    tallies + i * TALLIES * rows.n_rows + row, rows.n_rows, m,
                    sums + (k * n + i * TALLIES) * LANES,
                )
            row += m
            worked += n * m
            if worked >= POLL_SUMS:
                poll_without_gil(stop)
                worked = 0
    return 0


cdef void add_sums(
    const PackedRowsC* rows, const int64_t* sums, int64_t stride, int64_t i, int64_t n,
    int64_t* totals,
) noexcept nogil:
    """Add sums of a tally, whose panels are `stride` apart, to the totals of resample i of n."""
    cdef int64_t k, lane
    for k in range(rows.n_pieces):
        lane = rows.pieces[k].lane
        totals[packed_rows_place(rows, k, i, n)] += (
            sums[lane // LANES * stride + lane % LANES] << rows.pieces[k].shift
        )


# Totals of segments selected by coins, for approximate randomization. A trial tosses a coin for
# each segment: on heads a system's row counts for the first of two shuffled systems, on tails for
# the second. The total of the tails is the overall total minus the total of the heads, and the
# coins of a trial are the same for every pair of systems. So each system only needs the total of
# its heads in each trial, for any number of pairs.
#
# The sums of all subsets of 8 segments are computed first, 256 rows, each from an earlier one with
# one addition (the method of the four Russians); then a byte of coins is one table look-up. Four
# tables fit in the nearest cache, and serve all trials of a block before the next 32 segments. 2 ns
# for 32 segments of 16 columns; the product of a coin matrix and a row matrix takes 35 times as
# long in doubles, with the machine's best library, and 250 in integers. References: Riezler &
# Maxwell 2005, On Some Pitfalls in Automatic Evaluation and Significance Testing for MT, section 4;
# Noreen 1989.


cdef enum:
    BLOCKS = 16         # of 32 segments, whose coins are read together
    MOST_BLOCKS = 1 << 15  # of 32 segments, before a sum of 32 bits could overflow


def shuffle(PackedRows packed not None, coins, int64_t n, totals, list stop=None, /):
    """Add up the rows of heads in n trials, with `totals` and `stop` as in `resample`.

    Bit i of `coins`, uint32, counted from the lowest of the first word, is the coin of segment i %
    n_segments in trial i // n_segments; two more words are required. Linear in n * n_segments; runs
    without the GIL, in 64 bytes of memory per trial and panel.
    """
    cdef Buffer bits = Buffer(coins, "coins"), out = Buffer(totals, "totals", writable=True)
    cdef const PackedRowsC* rows = &packed.rows
    cdef int64_t n_blocks = rows.n_rows // 32, block = 0, end, k, i, worked
    cdef int64_t n_sums = rows.n_panels * n * LANES
    cdef uint32_t* sums = NULL
    cdef uint32_t* masks = NULL
    cdef uint64_t* tables = NULL
    bits.require(c"u", sizeof(uint32_t), (n * rows.n_segments + 31) // 32 + 2, "coins")
    out.require(c"i", sizeof(int64_t), n * rows.n_columns, "totals")
    memset(out.data, 0, out.n_items * sizeof(int64_t))
    try:
        sums = <uint32_t*> allocate(n_sums, sizeof(uint32_t))
        masks = <uint32_t*> allocate(BLOCKS * n, sizeof(uint32_t))
        tables = <uint64_t*> allocate(4 * TABLE_WORDS, sizeof(uint64_t))
        memset(sums, 0, n_sums * sizeof(uint32_t))
        while block < n_blocks:
            poll(stop)
            with nogil:
                worked = 0
                while block < n_blocks and worked < POLL_CELLS:
                    end = n_blocks if n_blocks - block < BLOCKS else block + BLOCKS
                    for i in range(block, end):
                        read_masks(
                            <const uint32_t*> bits.data, rows.n_segments, 32 * i, n,
                            masks + (i - block) * n,
                        )
                    for k in range(rows.n_panels):
                        for i in range(block, end):
                            tabulate(packed_rows_panel(rows, k) + 32 * i * PANEL_WORDS, tables)
                            summer.select(
                                tables, masks + (i - block) * n, n, sums + k * n * LANES
                            )
                    worked += (end - block) * (n + 512) * (rows.n_panels + 1)
                    block = end
                    if block % MOST_BLOCKS == 0 or block == n_blocks:
                        add_totals(rows, sums, n, <int64_t*> out.data)
                        memset(sums, 0, n_sums * sizeof(uint32_t))
    finally:
        PyMem_RawFree(sums)
        PyMem_RawFree(masks)
        PyMem_RawFree(tables)


cdef void read_masks(
    const uint32_t* coins, int64_t n_segments, int64_t segment, int64_t n, uint32_t* masks
) noexcept nogil:
    """Read the coins of 32 segments in each trial; rows after the last segment are zeros."""
    cdef int64_t trial, bit = segment
    for trial in range(n):
        masks[trial] = <uint32_t> (
            (coins[bit >> 5] | <uint64_t> coins[(bit >> 5) + 1] << 32) >> (bit & 31)
        )
        bit += n_segments


cdef void add_totals(
    const PackedRowsC* rows, const uint32_t* sums, int64_t n, int64_t* totals
) noexcept nogil:
    cdef int64_t k, lane, trial
    cdef const uint32_t* own
    for k in range(rows.n_pieces):
        lane = rows.pieces[k].lane
        own = sums + lane // LANES * n * LANES + lane % LANES
        for trial in range(n):
            totals[packed_rows_place(rows, k, trial, n)] += (
                <int64_t> own[trial * LANES] << rows.pieces[k].shift
            )


# Totals of randomly weighted rows, for the Poisson bootstrap. A weight is a function of the seed,
# the row's key and the number of the resample, so the totals of any partition of the rows, in any
# order, add up to the same. The four bits of the weights of 32 rows are added up like four coins.
# 1.5 ns for a row of 16 columns in a resample, of which 1 is for the weights
# (resampling/poisson.h).


cdef WeigherC weigher = weigher_select()


def add_weighted(
    PackedRows packed not None, keys, uint64_t seed, int64_t first, int64_t n, totals,
    list stop=None, /,
):
    """Add up rows, each weighted by a random number of Poisson(1).

    `packed` has one weighted part; `keys`, uint64, has one per segment; the seed has 64 bits.
    `first` is the number of the first resample, a multiple of 4, and n at most 256. Writes
    `totals`, uint64 of shape (n, n_columns), which are exact, below 2**64. Linear in n *
    n_segments; runs without the GIL, in 256 bytes of memory per resample and panel.
    """
    cdef Buffer own = Buffer(keys, "keys"), out = Buffer(totals, "totals", writable=True)
    cdef const PackedRowsC* rows = &packed.rows
    cdef const uint64_t* key
    cdef int64_t n_counters = (n + 3) // 4, m = 4 * n_counters, row = 0, end, i, k, b, worked
    cdef int64_t n_sums = WEIGHT_BITS * rows.n_panels * m * LANES
    cdef uint32_t* sums = NULL
    cdef uint32_t* planes = NULL
    cdef uint64_t* tables = NULL
    if not packed.weighted:
        raise ValueError("packed: expected rows whose counts were checked for weights")
    if not 1 <= n <= MOST_RESAMPLES or first < 0 or first % 4:
        raise ValueError(f"n: expected 1 to {MOST_RESAMPLES} from a multiple of 4 on; got {n}")
    own.require(c"u", sizeof(uint64_t), rows.n_segments, "keys")
    out.require(c"u", sizeof(uint64_t), n * rows.n_columns, "totals")
    memset(out.data, 0, out.n_items * sizeof(uint64_t))
    key = <const uint64_t*> own.data
    try:
        sums = <uint32_t*> allocate_zeros(n_sums + 1, sizeof(uint32_t))
        planes = <uint32_t*> allocate(WEIGHT_BITS * m, sizeof(uint32_t))
        tables = <uint64_t*> allocate(4 * TABLE_WORDS, sizeof(uint64_t))
        while row < rows.n_segments:
            poll(stop)
            with nogil:
                worked = 0
                while row < rows.n_segments and worked < POLL_CELLS:
                    end = rows.n_segments if rows.n_segments - row < 32 else row + 32
                    memset(planes, 0, WEIGHT_BITS * m * sizeof(uint32_t))
                    for i in range(row, end):
                        weigher(seed, key[i], first // 4, n_counters, <int> (i - row), planes)
                    for k in range(rows.n_panels):
                        tabulate(packed_rows_panel(rows, k) + row * PANEL_WORDS, tables)
                        for b in range(WEIGHT_BITS):
                            if any_bit(planes + b * m, m):
                                summer.select(
                                    tables, planes + b * m, m,
                                    sums + (b * rows.n_panels + k) * m * LANES,
                                )
                    worked += 32 * m * (rows.n_panels + 1)
                    row = end
                    if row % (32 * MOST_BLOCKS) == 0 or row == rows.n_segments:
                        add_bits(rows, sums, n_counters, n, <uint64_t*> out.data)
                        memset(sums, 0, n_sums * sizeof(uint32_t))
    finally:
        PyMem_RawFree(sums)
        PyMem_RawFree(planes)
        PyMem_RawFree(tables)


cdef bint any_bit(const uint32_t* plane, int64_t n) noexcept nogil:
    """Is this bit of any weight set? Weights of 8 and more are one in 100,000."""
    cdef uint32_t bits = 0
    cdef int64_t i
    for i in range(n):
        bits |= plane[i]
    return bits != 0


cdef void add_bits(
    const PackedRowsC* rows, const uint32_t* sums, int64_t n_counters, int64_t n, uint64_t* totals
) noexcept nogil:
    cdef int64_t b, k, lane, i, trial
    cdef const uint32_t* own
    for b in range(WEIGHT_BITS):
        for k in range(rows.n_pieces):
            lane = rows.pieces[k].lane
            own = sums + (
                (b * rows.n_panels + lane // LANES) * 4 * n_counters * LANES + lane % LANES
            )
            for i in range(4 * n_counters):
                trial = 4 * (i % n_counters) + i // n_counters
                if trial < n:
                    totals[packed_rows_place(rows, k, trial, n)] += (
                        <uint64_t> own[i * LANES] << (rows.pieces[k].shift + b)
                    )


# Keys of rows whose ids are texts.


cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)


def text_keys(Column texts not None, keys, /):
    """Write the key of each text to `keys`, a uint64 array; lone surrogates are three bytes."""
    cdef Buffer out = Buffer(keys, "keys", writable=True)
    cdef uint64_t* key = <uint64_t*> out.data
    cdef const uint8_t* data
    cdef int64_t i, size
    cdef bytes encoded
    out.require(c"u", sizeof(uint64_t), texts.length, "keys")
    if texts.kind != Kind.TEXT:
        raise TypeError("texts: expected str")
    for i in range(texts.length):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        if texts.arrow is not None:
            texts.arrow.get(i, &data, &size)
            key[i] = id_key(data, size)
            continue
        text = texts.items[i]
        if PyUnicode_IS_ASCII(text):
            key[i] = id_key(<const uint8_t*> PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))
        else:
            encoded = (<str> text).encode("utf-8", "surrogatepass")
            key[i] = id_key(<const uint8_t*> encoded, len(encoded))


# Means of resamples as NumPy's RandomState draws them: MT19937 and integers bounded by a mask.
#
# A word (Matsumoto & Nishimura 1998) without the bits above the bound's is refused if it is still
# too high. NumPy mispredicts every other refusal and takes 7 ns an index. Here the words of a state
# are computed together, several in a vector, and an index is overwritten if it is refused: 2 ns.


cdef enum:
    WORDS = 624
    AHEAD = 397
    TOGETHER = 8   # resamples summed together, because an addition waits for the one before it


cdef inline uint32_t twist(uint32_t high, uint32_t low, uint32_t ahead) noexcept nogil:
    cdef uint32_t y = (high & <uint32_t> 0x80000000) | (low & <uint32_t> 0x7fffffff)
    return ahead ^ (y >> 1) ^ ((y & 1) * <uint32_t> 0x9908b0df)


cdef void make_words(uint32_t* key, bint step, uint32_t mask, uint32_t* words) noexcept nogil:
    """Write the words of the state, or of the next one, and mask them."""
    cdef uint32_t y
    cdef int i
    if step:
        for i in range(WORDS - AHEAD):
            key[i] = twist(key[i], key[i + 1], key[i + AHEAD])
        for i in range(WORDS - AHEAD, WORDS - 1):
            key[i] = twist(key[i], key[i + 1], key[i + AHEAD - WORDS])
        key[WORDS - 1] = twist(key[WORDS - 1], key[0], key[AHEAD - 1])
    for i in range(WORDS):
        y = key[i]
        y ^= y >> 11
        y ^= (y << 7) & <uint32_t> 0x9d2c5680
        y ^= (y << 15) & <uint32_t> 0xefc60000
        words[i] = (y ^ (y >> 18)) & mask


cdef void add_up(
    const double* values, int64_t n, const uint32_t* indices, int n_resamples, double* means,
    int64_t stride,
) noexcept nogil:
    """Write the means of up to TOGETHER resamples, with sums in the order of the indices."""
    cdef const uint32_t* own[TOGETHER]
    cdef double sums[TOGETHER]
    cdef int64_t i
    cdef int k
    for k in range(TOGETHER):
        own[k] = indices + min(k, n_resamples - 1) * n
        sums[k] = values[own[k][0]]
    for i in range(1, n):
        for k in range(TOGETHER):
            sums[k] += values[own[k][i]]
    for k in range(n_resamples):
        means[k * stride] = sums[k] / <double> n


def mean_resamples(columns, int64_t n, key, int place, means, /):
    """Write the means of columns of n float64 in resamples to `means`, float64, a row for each.

    `key`, uint32, is the state of an MT19937 and is replaced; `place` of its words have been used.
    Returns the new place.
    """
    cdef Buffer values = Buffer(columns, "columns"), state = Buffer(key, "key", writable=True)
    cdef Buffer out = Buffer(means, "means", writable=True)
    cdef int64_t n_columns = values.n_items // max(1, n), k, row, n_rows, n_drawn, end
    cdef uint32_t most = <uint32_t> (n - 1), mask = most
    cdef uint32_t[WORDS] words
    cdef int n_lanes
    if not (2 <= n < 1 << 31 and 0 <= place <= WORDS and n_columns):
        raise ValueError(f"n, place: expected 2 to 2**31 - 1, 0 to {WORDS}; got {n}, {place}")
    n_rows = out.n_items // n_columns
    values.require(c"f", sizeof(double), n * n_columns, "columns")
    state.require(c"u", sizeof(uint32_t), WORDS, "key")
    out.require(c"f", sizeof(double), n_rows * n_columns, "means")
    for k in range(5):
        mask |= mask >> (1 << k)
    cdef uint32_t* indices = <uint32_t*> allocate(TOGETHER * n, sizeof(uint32_t))
    try:
        make_words(<uint32_t*> state.data, False, mask, words)
        for row in range(0, n_rows, TOGETHER):
            n_lanes, n_drawn = <int> min(TOGETHER, n_rows - row), 0
            with nogil:
                while n_drawn < n_lanes * n:
                    if place == WORDS:
                        make_words(<uint32_t*> state.data, True, mask, words)
                        place = 0
                    end = min(n_lanes * n - n_drawn + place, WORDS)
                    for place in range(place, <int> end):
                        indices[n_drawn] = words[place]
                        n_drawn += words[place] <= most
                    place = <int> end
                for k in range(n_columns):
                    add_up(
                        <const double*> values.data + k * n, n, indices, n_lanes,
                        <double*> out.data + row * n_columns + k, n_columns,
                    )
            poll_signals()
        return place
    finally:
        PyMem_RawFree(indices)
