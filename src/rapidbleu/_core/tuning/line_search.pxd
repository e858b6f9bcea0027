"""C contract of `tuning.line_search`."""

from libc.stdint cimport int64_t

from rapidbleu._core.tuning cimport FeatureColumnsC, LANES


cdef inline int64_t round_up(int64_t n) noexcept nogil:
    """Return the items that n hypotheses of a segment take in a column."""
    return (n + LANES - 1) // LANES * LANES


cdef inline int64_t count_of(const int64_t* counts, int64_t segment) noexcept nogil:
    """Return how often a segment counts; without counts once."""
    return 1 if counts == NULL else counts[segment]


cdef class FeatureColumns:
    cdef FeatureColumnsC data
    cdef list owners            # of the arrays
