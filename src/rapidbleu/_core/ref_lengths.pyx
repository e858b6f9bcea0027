"""Effective reference length: which of a segment's references gives its length."""

from libc.stdint cimport int64_t

from rapidbleu._core.tokens cimport segment_length


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
