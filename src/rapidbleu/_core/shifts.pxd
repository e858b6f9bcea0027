"""C contract of the search for shifts."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.beam cimport BeamC


cdef int64_t shifted_distance(BeamC* beam, int32_t* spare, int64_t least) except -1 nogil
