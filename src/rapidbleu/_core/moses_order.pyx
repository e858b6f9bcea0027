"""Which hypotheses are left of each segment, and in which order, when Moses removes duplicates.

Moses' extractor goes through the hypotheses of a segment from the first to the last.  One that has
the features and statistics of an earlier one is replaced by the last of the segment, which is then
looked at in its place: A A B C becomes A C B.  Files are to be compared, so the order is kept.

A table of as many slots as a segment has hypotheses, twice, finds the earlier one: linear in the
number of hypotheses, where rows of equal bits, and zeros of either sign, share a hash.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport hash_key, poll_signals, rb_fold


cdef uint64_t KEY = hash_key()


cdef struct RowsC:
    const float* features
    const int32_t* stats
    const int64_t* tags      # NULL: all alike
    int64_t n_features
    int64_t n_stats


cdef uint64_t hash_row(const RowsC* rows, int64_t i) noexcept nogil:
    cdef uint64_t value = KEY
    cdef uint32_t bits
    cdef float feature
    cdef int64_t j
    for j in range(rows.n_features):
        feature = rows.features[i * rows.n_features + j] + 0  # minus zero becomes zero
        memcpy(&bits, &feature, 4)
        value = rb_fold(value ^ bits, 0xA0761D6478BD642F)
    for j in range(rows.n_stats):
        value = rb_fold(value ^ <uint32_t> rows.stats[i * rows.n_stats + j], 0xE7037ED1A0B428DB)
    if rows.tags != NULL:
        value = rb_fold(value ^ <uint64_t> rows.tags[i], 0x8EBC6AF09C88C6E3)
    return value


cdef bint same_rows(const RowsC* rows, int64_t a, int64_t b) noexcept nogil:
    cdef const float* one = rows.features + a * rows.n_features
    cdef const float* other = rows.features + b * rows.n_features
    cdef int64_t j
    for j in range(rows.n_features):
        if one[j] != other[j]:
            return False
    if rows.tags != NULL and rows.tags[a] != rows.tags[b]:
        return False
    return memcmp(
        rows.stats + a * rows.n_stats, rows.stats + b * rows.n_stats,
        <size_t> rows.n_stats * sizeof(int32_t),
    ) == 0


cdef int64_t keep(
    const RowsC* rows, int64_t begin, int64_t end, int64_t* order, int64_t* table, int64_t mask
) noexcept nogil:
    """Write the rows of [begin, end) that are left to `order`; returns how many."""
    cdef int64_t k = 0, n = end - begin, i
    cdef uint64_t slot
    cdef bint met
    for i in range(n):
        order[i] = begin + i
    memset(table, 0xFF, <size_t> (mask + 1) * sizeof(int64_t))  # -1: free
    while k < n:
        slot = hash_row(rows, order[k]) & <uint64_t> mask
        met = False
        while table[slot] >= 0 and not met:
            met = same_rows(rows, table[slot], order[k])
            slot = (slot + 1) & <uint64_t> mask
        if met:
            n -= 1
            order[k] = order[n]
        else:
            table[slot] = order[k]
            k += 1
    return n


def unique_rows(features, stats, offsets, order, counts, tags=None):
    """Find the hypotheses that are left when those that are there already are removed.

    Parameters
    ----------
    features : float32 array of shape (n, n_features), C-contiguous
    stats : int32 array of shape (n, n_stats), C-contiguous
    offsets : int64 array of shape (n_segments + 1,)
    order : int64 array of shape (n,)
        Written: from ``offsets[i]`` on the rows that are left of segment i.
    counts : int64 array of shape (n_segments,)
        Written: how many they are.
    tags : int64 array of shape (n,), optional
        Rows of different tags are different.
    """
    cdef Buffer values = Buffer(features, "features"), numbers = Buffer(stats, "stats")
    cdef Buffer bounds = Buffer(offsets, "offsets"), out = Buffer(order, "order", writable=True)
    cdef Buffer left = Buffer(counts, "counts", writable=True)
    cdef Buffer marks = None if tags is None else Buffer(tags, "tags")
    cdef RowsC rows
    cdef int64_t n = out.n_items, n_segments = left.n_items, most = 0, mask = 1, i, begin, end
    cdef const int64_t* ends
    cdef int64_t* table
    bounds.require(c"i", sizeof(int64_t), n_segments + 1, "offsets")
    out.require(c"i", sizeof(int64_t), n, "order")
    left.require(c"i", sizeof(int64_t), n_segments, "counts")
    rows.n_features = values.n_items // n if n else 0
    rows.n_stats = numbers.n_items // n if n else 0
    values.require(c"f", sizeof(float), n * rows.n_features, "features")
    numbers.require(c"i", sizeof(int32_t), n * rows.n_stats, "stats")
    if marks is not None:
        marks.require(c"i", sizeof(int64_t), n, "tags")
    rows.features, rows.stats = <const float*> values.data, <const int32_t*> numbers.data
    rows.tags = NULL
    if marks is not None:
        rows.tags = <const int64_t*> marks.data
    ends = <const int64_t*> bounds.data
    for i in range(n_segments):
        begin, end = ends[i], ends[i + 1]
        if not 0 <= begin <= end <= n:
            raise ValueError(f"offsets[{i}]: expected a range of {n}, got {begin}, {end}")
        most = max(most, end - begin)
    while mask < 2 * most:
        mask *= 2
    table = <int64_t*> PyMem_RawMalloc(<size_t> mask * sizeof(int64_t))
    if table == NULL:
        raise MemoryError
    try:
        for i in range(n_segments):
            begin, end = ends[i], ends[i + 1]
            with nogil:
                (<int64_t*> left.data)[i] = keep(
                    &rows, begin, end, <int64_t*> out.data + begin, table, mask - 1
                )
            poll_signals()
    finally:
        PyMem_RawFree(table)
