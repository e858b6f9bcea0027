"""Totals of the segments that coins choose, for approximate randomization.

Each trial of the test tosses a coin for each segment: heads, and a system's row counts for the
first of two shuffled systems; tails, for the second.  The total of the tails is the total of all
less that of the heads, and the coins of a trial are the same for every pair of systems.  So all
that is needed is, for each system, the total of its heads in each trial, whatever the number of
pairs.

The sums of all subsets of 8 segments are made first, 256 rows, the next one of them from one before
with one addition (the method of the four Russians); then a byte of coins is one look into the
table.  Four tables fit in the nearest cache, and serve all trials of a block before the next 32
segments have their turn.  2 ns for 32 segments of 16 columns; the product of a matrix of coins and
one of rows takes 35 times as long in doubles, with the machine's best library, and 250 in integers.

References: Riezler & Maxwell 2005, On Some Pitfalls in Automatic Evaluation and Significance
Testing for MT, section 4; Noreen 1989.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_CELLS, poll
from rapidbleu._core.packed_rows cimport PackedRows
from rapidbleu._core.resampling cimport (
    LANES, PANEL_WORDS, TABLE_WORDS, PackedRowsC, SummerC, packed_rows_panel, packed_rows_place,
    summer_select, tabulate,
)


cdef SummerC summer = summer_select()

cdef enum:
    BLOCKS = 16         # of 32 segments, whose coins are read together
    MOST_BLOCKS = 1 << 15  # before a sum of 32 bits could overflow


def shuffle(PackedRows packed not None, coins, int64_t n, totals, list stop=None):
    """Add up the rows of heads.

    Parameters
    ----------
    packed : PackedRows
    coins : uint32 array
        Bit i of the array, counted from the lowest of the first word, is the coin of segment
        i % n_segments in trial i // n_segments.  Two words more than these bits need.
    n : int
        Trials.
    totals : int64 array of n * n_columns items
        Written: the totals [n, n_stats] of the first part, then those of the second.
    stop : list of exception, optional
        No longer empty: raise what is in it.

    Notes
    -----
    Linear in n * n_segments; runs without the GIL; 64 bytes of memory for a trial and panel.
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
        sums = <uint32_t*> PyMem_RawMalloc(n_sums * sizeof(uint32_t) + 1)
        masks = <uint32_t*> PyMem_RawMalloc(BLOCKS * n * sizeof(uint32_t) + 1)
        tables = <uint64_t*> PyMem_RawMalloc(4 * TABLE_WORDS * sizeof(uint64_t))
        if sums == NULL or masks == NULL or tables == NULL:
            raise MemoryError
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
    """Read the coins of 32 segments in each trial; those behind the last segment are of zeros."""
    cdef int64_t trial, bit = segment
    for trial in range(n):
        masks[trial] = <uint32_t> (
            (coins[bit >> 5] | <uint64_t> coins[(bit >> 5) + 1] << 32) >> (bit & 31)
        )
        bit += n_segments


cdef void add_totals(
    const PackedRowsC* rows, const uint32_t* sums, int64_t n, int64_t* totals
) noexcept nogil:
    """Add the sums of lanes to the totals, each in its place."""
    cdef int64_t lane, trial
    cdef const uint32_t* own
    for lane in range(rows.n_lanes):
        own = sums + lane // LANES * n * LANES + lane % LANES
        for trial in range(n):
            totals[packed_rows_place(rows, lane, trial, n)] += (
                <int64_t> own[trial * LANES] << rows.lanes[lane].shift
            )
