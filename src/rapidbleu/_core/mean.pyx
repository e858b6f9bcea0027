"""The mean of scores that something else gave to the segments, as a metric of integer rows.

A score v becomes the row (v, 0, 1) or, below zero, (0, -v, 1), in units of 2**-32: a fixed-point
number, so that sums are exact in any order and the columns count upwards like those of every other
metric.  float64 columns would need no unit, but would make every running score drift.
"""

from libc.math cimport ldexp
from libc.stdint cimport int64_t

FRACTION_BITS = 32


cdef class MeanKernel(Kernel):
    """Compiled mean of given scores."""

    def __cinit__(self):
        self.n_stats = 3

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        if row[2] == 0:
            return 0.0
        return ldexp(<double> (row[0] - row[1]), -32) / <double> row[2]

    cdef describe_row(self, const int64_t* row):
        return (self.score_row(row), row[2])
