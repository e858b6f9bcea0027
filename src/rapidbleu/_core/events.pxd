"""What happens along a line: places in order, by sorting their bits.

A line search has about seven events a segment.  Eight bits of all places at a time are sorted in a
tenth of the time that the envelopes take, four times as fast as comparing them.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.object cimport PyObject

from rapidbleu._core.common cimport POLL_TOKENS, poll_without_gil


cdef enum:
    DIGITS = 8
    RADIX = 256


ctypedef struct EventC:
    uint64_t key      # orders like the place on the line
    int64_t change    # which of the changes of the sums it makes


cdef inline uint64_t key_of(double x) noexcept nogil:
    """An integer that orders like x."""
    cdef uint64_t bits
    x += 0.0  # zeros of either sign are the same place
    memcpy(&bits, &x, sizeof(double))
    return ~bits if bits >> 63 else bits | <uint64_t> 1 << 63


cdef inline double place_of(uint64_t key) noexcept nogil:
    cdef uint64_t bits = key ^ <uint64_t> 1 << 63 if key >> 63 else ~key
    cdef double x
    memcpy(&x, &bits, sizeof(double))
    return x


cdef inline EventC* sort_events(
    EventC* events, EventC* spare, int64_t n, PyObject* stop
) except NULL nogil:
    """Sort n events by place; the result is in one array or the other."""
    cdef int64_t[DIGITS][RADIX] counts
    cdef EventC* source = events
    cdef EventC* target = spare
    cdef int64_t i, before, n_here
    cdef int digit, value
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        if i % POLL_TOKENS == 0:
            poll_without_gil(stop)
        for digit in range(DIGITS):
            counts[digit][(events[i].key >> (8 * digit)) & (RADIX - 1)] += 1
    for digit in range(DIGITS):
        if n == 0 or counts[digit][(events[0].key >> (8 * digit)) & (RADIX - 1)] == n:
            continue  # the same in all places
        before = 0
        for value in range(RADIX):
            n_here = counts[digit][value]
            counts[digit][value] = before
            before += n_here
        for i in range(n):
            if i % POLL_TOKENS == 0:
                poll_without_gil(stop)
            value = (source[i].key >> (8 * digit)) & (RADIX - 1)
            target[counts[digit][value]] = source[i]
            counts[digit][value] += 1
        if source == events:
            source, target = spare, events
        else:
            source, target = events, spare
    return source
