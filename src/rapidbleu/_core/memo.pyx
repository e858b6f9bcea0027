"""Memos: the logarithms and exponentials that scores of similar rows have in common.

A search scores rows which differ in a few counts from each other: the same corpus with one segment
swapped, the hypotheses of one reference.  Their precisions are ratios of the same few integers, so
a score needs no logarithm but finds those of its four precisions by the integers they are made of,
a third of the time.  What is found is what the C library said before, to the last bit.

A table is direct-mapped: a new value takes the place of an old one.  A memo belongs to one call or
handle at a time, never to two threads.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree


cdef class Memo:
    """Tables of remembered values.

    Parameters
    ----------
    n_tables : int
        16 kB each.
    """

    def __cinit__(self, int n_tables):
        self.entries = <MemoEntryC*> PyMem_RawCalloc(
            n_tables * RB_MEMO_SLOTS + 1, sizeof(MemoEntryC)
        )
        if self.entries == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.entries)
