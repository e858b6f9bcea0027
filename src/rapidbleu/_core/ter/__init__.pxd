"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.object cimport PyObject

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.text cimport TokensC


cdef extern from "ter/numbered_pair.h" nogil:
    ctypedef struct PairC "rb_pair":
        int64_t n_hyp
        int64_t n_ref
        int32_t* hyp
        int32_t* ref
        int32_t* align
        int32_t* hyp_errors
        int32_t* ref_errors
    int64_t pair_words "rb_pair_words" (int64_t n_hyp, int64_t n_ref) noexcept
    void pair_init "rb_pair_init" (
        PairC* p, uint64_t* memory, int64_t n_hyp, int64_t n_ref, PyObject* stop, int64_t* work
    ) noexcept


cdef extern from "ter/beam_distance.h" nogil:
    ctypedef struct BeamRowsC "rb_beam_rows":
        pass
    BeamRowsC beam_rows_select "rb_beam_rows_select" () noexcept
    ctypedef struct BeamC "rb_beam":
        pass
    int64_t beam_words "rb_beam_words" (int64_t n_hyp, int64_t n_ref) noexcept
    void beam_init "rb_beam_init" (
        BeamC* b, uint64_t* memory, PairC* pair, BeamRowsC fill
    ) noexcept
    int64_t beam_forward "rb_beam_forward" (BeamC* b) except -1
    int beam_backward "rb_beam_backward" (BeamC* b) except -1
    int64_t beam_replaced "rb_beam_replaced" (
        BeamC* b, const int32_t* words, int64_t begin, int64_t end
    ) except -1
    int64_t beam_walk "rb_beam_walk" (BeamC* b, char* end) except -1


cdef extern from "ter/bit_distance.h" nogil:
    ctypedef struct BitsC "rb_bits":
        pass
    int64_t bits_words "rb_bits_words" (int64_t n_hyp, int64_t n_ref) noexcept
    void bits_init "rb_bits_init" (BitsC* b, uint64_t* memory, PairC* pair) noexcept
    int64_t bits_forward "rb_bits_forward" (BitsC* b) except -1
    int64_t bits_replaced "rb_bits_replaced" (
        BitsC* b, const int32_t* words, int64_t begin, int64_t end
    ) except -1
    int64_t bits_walk "rb_bits_walk" (BitsC* b, char* end) except -1


cdef extern from "ter/shifts.h" nogil:
    enum:
        MOST_MOVES "RB_MOVE_MAX_CANDIDATES"
    ctypedef struct MoveC "rb_move":
        int64_t length
        int64_t start
        int64_t target
    ctypedef struct ShiftsC "rb_shifts":
        PairC pair
    int64_t shifts_words "rb_shifts_words" (int64_t n_hyp, int64_t n_ref) noexcept
    void shifts_init "rb_shifts_init" (
        ShiftsC* s, uint64_t* memory, int64_t n_hyp, int64_t n_ref, PyObject* stop, int64_t* work,
        BeamRowsC fill
    ) noexcept
    int shifts_number "rb_shifts_number" (
        ShiftsC* s, ScratchC* scratch, const TokensC* hyps, int64_t hyp, const TokensC* refs,
        int64_t ref
    ) except -1
    int64_t shifts_least "rb_shifts_least" (ShiftsC* s) noexcept
    int64_t shifted_distance "rb_shifted_distance" (ShiftsC* s, int64_t least) except -1
    int64_t shifted_steps "rb_shifted_steps" (
        ShiftsC* s, int64_t least, MoveC* moves, int64_t* n_moves, char* end
    ) except -1
