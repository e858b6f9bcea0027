"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t

from cpython.object cimport PyObject


cdef extern from "moves/beam_rows.h" nogil:
    ctypedef struct BeamRowsC "rb_beam_rows":
        pass
    BeamRowsC beam_rows_select "rb_beam_rows_select" () noexcept


cdef extern from "moves/beam_distance.h" nogil:
    ctypedef struct BeamC "rb_beam":
        int64_t n_hyp
        int64_t n_ref
        int32_t* hyp
        int32_t* ref
        int32_t* align
        int32_t* hyp_errors
        int32_t* ref_errors
    int64_t beam_memory "rb_beam_memory" (int64_t n_hyp, int64_t n_ref) noexcept
    void beam_init "rb_beam_init" (
        BeamC* b, void* memory, int64_t n_hyp, int64_t n_ref, PyObject* stop, int64_t* work,
        BeamRowsC fill
    ) noexcept
    int64_t beam_forward "rb_beam_forward" (BeamC* b) except -1
    int beam_backward "rb_beam_backward" (BeamC* b) except -1
    int beam_align "rb_beam_align" (BeamC* b) except -1
    int64_t beam_replaced "rb_beam_replaced" (
        BeamC* b, const int32_t* words, int64_t begin, int64_t end
    ) except -1


cdef extern from "moves/shifts.h" nogil:
    enum:
        MOST_MOVES "RB_MOVE_MAX_CANDIDATES"
    ctypedef struct MoveC "rb_move":
        int64_t length
        int64_t start
        int64_t target
    int64_t shifted_steps "rb_shifted_steps" (
        BeamC* beam, int32_t* spare, int64_t least, MoveC* moves, int64_t* n_moves, char* end
    ) except -1
    int64_t shifted_distance "rb_shifted_distance" (
        BeamC* beam, int32_t* spare, int64_t least
    ) except -1
