"""C contract of `edits.rates`."""

from libc.stdint cimport int64_t

from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.text cimport TokensC


cdef int check_lengths(const TokensC* texts, int64_t begin, int64_t end) except -1 nogil
cdef int check_numbers(Buffer array, int64_t least, int64_t most, str where) except -1


cdef inline double rate(int64_t edits, int64_t length) noexcept nogil:
    """Edits by reference length in percent; any edits are 100 % of nothing."""
    if length > 0:
        return 100.0 * (<double> edits / <double> length)
    return 100.0 if edits > 0 else 0.0


cdef class EditKernel(Kernel):
    pass


cdef class PositionKernel(Kernel):
    cdef readonly bint of_corpus  # are surplus tokens counted over the corpus?


cdef class JumpKernel(Kernel):
    pass
