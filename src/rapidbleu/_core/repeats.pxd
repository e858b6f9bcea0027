"""C contract of repeats: the texts of one list that were met already, and where their rows are."""

from libc.stdint cimport int64_t, uint16_t

from rapidbleu._core.reader cimport SourceC


cdef class Repeats:
    cdef SourceC* sources     # [capacity] texts met, in order
    cdef int64_t** rows       # [capacity] where their statistics are
    cdef int64_t* copies      # [capacity, n_stats] rows kept here; NULL: they stay where they are
    cdef uint16_t* slots      # by hash: number of a text, from 1; 0: free
    cdef uint16_t* taken      # [capacity] the slot of each text
    cdef int n_texts
    cdef int capacity
    cdef int n_stats
    cdef int64_t segment      # whose list it is; -1: of none yet

    # Forgets all texts, which must happen before any of them is freed.
    cdef void clear(self) noexcept nogil
    # Number of a text of this segment's list; if it was not met before, `keep` must follow.
    cdef int find(self, const SourceC* source, int64_t segment, bint* met) noexcept nogil
    cdef void keep(self, int i, int64_t* row) noexcept nogil
