"""Means of resamples as NumPy's RandomState draws them: MT19937 and integers bounded by a mask.

A word (Matsumoto & Nishimura 1998) without the bits above the bound's is refused if it is still too
high. NumPy mispredicts every other refusal and takes 7 ns an index. Here the words of a state are
computed together, several in a vector, and an index is overwritten if it is refused: 2 ns.
"""

from libc.stdint cimport int64_t, uint32_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport allocate, poll_signals
from rapidbleu._core.input.columns cimport Buffer

cdef enum:
    WORDS = 624
    AHEAD = 397
    LANES = 8   # resamples summed together, because an addition waits for the one before it


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
    """Write the means of up to LANES resamples, with sums in the order of the indices."""
    cdef const uint32_t* own[LANES]
    cdef double sums[LANES]
    cdef int64_t i
    cdef int k
    for k in range(LANES):
        own[k] = indices + min(k, n_resamples - 1) * n
        sums[k] = values[own[k][0]]
    for i in range(1, n):
        for k in range(LANES):
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
    cdef uint32_t* indices = <uint32_t*> allocate(LANES * n, sizeof(uint32_t))
    try:
        make_words(<uint32_t*> state.data, False, mask, words)
        for row in range(0, n_rows, LANES):
            n_lanes, n_drawn = <int> min(LANES, n_rows - row), 0
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
