"""C contract of upper envelopes."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t, uint32_t

from cpython.object cimport PyObject


cdef extern from "sweeps.h" nogil:
    ctypedef struct ExtremesC "rb_extremes":
        pass
    ctypedef struct SieveC "rb_sieve":
        pass
    ctypedef struct SweeperC "rb_sweeper":
        void (*extremes)(const float*, const float*, ptrdiff_t, ExtremesC*) noexcept nogil
        ptrdiff_t (*sift)(
            const float*, const float*, ptrdiff_t, const SieveC*, uint32_t*
        ) noexcept nogil
    SweeperC rb_sweeper_select(bint use_simd) noexcept
    void rb_sieve_make(const ExtremesC*, float depth, bint rounded, SieveC*) noexcept


ctypedef struct LinesC:
    int64_t n                     # lines of the segment
    int64_t n_padded              # the same up to a multiple of LANES, all readable
    const float* intercepts       # less the highest, rounded
    const float* slopes           # rounded
    float depth                   # the lowest of the intercepts
    const double* exact_intercepts
    const double* exact_slopes    # or NULL, where the slopes are exact themselves


ctypedef struct VertexC:
    double begin      # x from which on the line is the highest
    double slope
    double intercept
    int64_t line


cdef int64_t upper_envelope(
    const LinesC* lines, const SweeperC* sweeper, uint32_t* kept, VertexC* vertices, bint moses,
    PyObject* stop,
) except -1 nogil
