"""C contract of memos: values of a slow function by its integer arguments."""

from libc.stdint cimport int64_t, uint64_t


cdef enum:
    MEMO_SLOTS = 1024  # of a table


ctypedef struct MemoEntryC:
    uint64_t key       # 0: nothing here yet
    double value


cdef class Memo:
    cdef MemoEntryC* entries


cdef inline MemoEntryC* memo_slot(
    MemoEntryC* entries, int table, uint64_t a, uint64_t b
) noexcept nogil:
    """Where the value for two integers belongs; 27 values of each, all pairs, do not collide."""
    return entries + table * MEMO_SLOTS + ((37 * a + b) & (MEMO_SLOTS - 1))
