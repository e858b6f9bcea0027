"""Effective reference length: which of a segment's references gives its length."""

from libc.stdint cimport int64_t
from libc.stdlib cimport qsort

from rapidbleu._core.text cimport segment_length


REF_LEN_POLICIES = {
    "closest": CLOSEST, "shortest": SHORTEST, "longest": LONGEST, "average": AVERAGE,
}


cdef int64_t reference_length(
    const TokensC* refs, int64_t ref_begin, int64_t ref_end, int64_t hyp_len, int policy
) noexcept nogil:
    """Effective reference length of a segment in tokens (Papineni et al. 2002, 2.2.2)."""
    cdef int64_t best = segment_length(refs, ref_begin), total = 0, length, ref
    for ref in range(ref_begin, ref_end):
        length = segment_length(refs, ref)
        total += length
        if policy == SHORTEST and length < best or policy == LONGEST and length > best:
            best = length
        elif policy == CLOSEST and (
            distance(length, hyp_len) < distance(best, hyp_len)
            or distance(length, hyp_len) == distance(best, hyp_len) and length < best
        ):
            best = length
    return total // (ref_end - ref_begin) if policy == AVERAGE else best


cdef inline int64_t distance(int64_t a, int64_t b) noexcept nogil:
    return a - b if a > b else b - a


cdef int compare_lengths(const void* a, const void* b) noexcept nogil:
    cdef int64_t x = (<const int64_t*> a)[0], y = (<const int64_t*> b)[0]
    return (x > y) - (x < y)


cdef void sort_lengths(int64_t* lengths, int64_t n) noexcept nogil:
    qsort(lengths, <size_t> n, sizeof(int64_t), compare_lengths)


cdef int64_t length_of_others(
    const int64_t* lengths, int64_t n, int64_t total, int64_t own, int policy
) noexcept nogil:
    """Reference length of a segment whose references are all others of a group.

    `lengths` are those of the whole group, ascending, `total` their sum, `own` one of them.
    """
    cdef int64_t low = 0, high = n - 1, middle
    if policy == AVERAGE:
        return (total - own) // (n - 1)
    if policy == SHORTEST:
        return lengths[1] if own == lengths[0] else lengths[0]
    if policy == LONGEST:
        return lengths[n - 2] if own == lengths[n - 1] else lengths[n - 1]
    while low < high:  # the first that is not shorter
        middle = (low + high) // 2
        if lengths[middle] < own:
            low = middle + 1
        else:
            high = middle
    if low == n - 1 or low > 0 and own - lengths[low - 1] <= lengths[low + 1] - own:
        return lengths[low - 1]
    return lengths[low + 1]
