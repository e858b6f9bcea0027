"""C contract of memos: values of a slow function by its integer arguments."""

from libc.stdint cimport int64_t, uint64_t


cdef extern from "memo.h" nogil:
    enum:
        RB_MEMO_SLOTS
        RB_MEMO_MOST
    const uint64_t RB_MEMO_ZEROS
    ctypedef struct MemoEntryC "rb_memo_entry":
        uint64_t key
        double value
    uint64_t rb_memo_key(uint64_t a, uint64_t b) noexcept
    MemoEntryC* rb_memo_slot(MemoEntryC* entries, int table, uint64_t a, uint64_t b) noexcept
    bint rb_memo_four(
        MemoEntryC* entries, int first, const int64_t* a, const int64_t* b, double* values
    ) noexcept


cdef class Memo:
    cdef MemoEntryC* entries
