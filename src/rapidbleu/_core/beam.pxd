"""C contract of the edit distance within a beam."""

from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.clipping cimport ClippingC


ctypedef struct BeamC:
    int64_t n_hyp
    int64_t n_ref
    int32_t* hyp          # [n_hyp] numbers of the hypothesis's tokens, 0 for those not in ref
    int32_t* ref          # [n_ref]
    int32_t* align        # [n_ref] the token of hyp that stands where ref's stands, or before it
    int32_t* hyp_errors   # [n_hyp + 1] how many of the first tokens are edited
    int32_t* ref_errors   # [n_ref + 1]
    double ratio          # of the lengths: the slope of the beam
    int64_t width         # of the beam to either side
    int64_t stride        # from a row to the next
    int32_t* first_row    # forward distances of no token of hyp
    int32_t* forward      # [n_hyp][stride] distances from the beginning
    int32_t* backward     # [n_hyp][stride] and to the end
    int32_t* spare        # [2][stride]
    ClippingC* scratch    # which counts cells between two looks at signals


cdef int64_t beam_memory(int64_t n_hyp, int64_t n_ref) noexcept nogil
cdef void beam_init(
    BeamC* b, void* memory, int64_t n_hyp, int64_t n_ref, ClippingC* scratch
) noexcept nogil
cdef int beam_worked(BeamC* b, int64_t cells) except -1 nogil
cdef int64_t beam_forward(BeamC* b) except -1 nogil
cdef int beam_backward(BeamC* b) except -1 nogil
cdef int beam_align(BeamC* b) except -1 nogil
cdef int64_t beam_replaced(
    BeamC* b, const int32_t* words, int64_t begin, int64_t end
) except -1 nogil
