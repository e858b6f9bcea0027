"""Indices as NumPy's RandomState draws them, and means of floats at them."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from rapidbleu._core.common cimport poll_signals, use_v3
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.resampling cimport TWISTER_WORDS, mean_resamples, twister_draw

cdef bint simd = use_v3()


def draw(key, int place, int64_t bound, out, /):
    """Fill an int32 array with integers below `bound`, from 2 to 2**31 - 1.

    `key`, uint32, is the state of an MT19937 and is replaced; `place` of its words have been used.
    Returns the new place.
    """
    cdef Buffer words = Buffer(key, "key", writable=True), drawn = Buffer(out, "out", writable=True)
    words.require(c"u", sizeof(uint32_t), TWISTER_WORDS, "key")
    drawn.require(c"i", sizeof(int32_t), drawn.n_items, "out")
    if not (0 <= place <= TWISTER_WORDS and 2 <= bound < 1 << 31):
        raise ValueError(f"place, bound: expected 0 to 624, 2 to 2**31 - 1; got {place}, {bound}")
    with nogil:
        twister_draw(
            <uint32_t*> words.data, &place, <uint32_t> bound - 1, drawn.n_items,
            <int32_t*> drawn.data, simd,
        )
    poll_signals()
    return place


def average(columns, int64_t n, indices, means, /):
    """Write the means of columns of n float64 at the int32 indices of each resample, also n.

    Each sum runs in the order of the indices. `means` has a row for each resample.
    """
    cdef Buffer values = Buffer(columns, "columns"), drawn = Buffer(indices, "indices")
    cdef Buffer out = Buffer(means, "means", writable=True)
    cdef int64_t k, n_columns, n_resamples
    cdef uint32_t index, most = 0
    if n < 1:
        raise ValueError(f"n: expected at least 1; got {n}")
    n_columns, n_resamples = values.n_items // n, drawn.n_items // n
    values.require(c"f", sizeof(double), n * n_columns, "columns")
    drawn.require(c"i", sizeof(int32_t), n * n_resamples, "indices")
    out.require(c"f", sizeof(double), n_columns * n_resamples, "means")
    for k in range(drawn.n_items):
        index = (<const uint32_t*> drawn.data)[k]
        most = index if index > most else most
    if most >= n:
        raise ValueError(f"indices: expected 0 to {n - 1}; got {most}")
    with nogil:
        for k in range(n_columns):
            mean_resamples(
                <const double*> values.data + k * n, n, <const int32_t*> drawn.data, n_resamples,
                <double*> out.data + k, n_columns,
            )
    poll_signals()
