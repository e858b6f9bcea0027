"""Addition as the running interpreter's `sum` does it."""

from libc.math cimport fabs


cdef inline bint sum_compensates() except -1:
    """Does `sum` keep what a total cannot hold, as it does from CPython 3.12 on?"""
    return sum([1.0, 1e100, 1.0, -1e100]) == 2.0


cdef inline double add(
    bint compensated, double total, double term, double* lost
) noexcept nogil:
    """The total plus a term; if compensated, what the total could not hold goes to `lost`."""
    cdef double result = total + term
    if compensated:
        if fabs(total) >= fabs(term):
            lost[0] += (total - result) + term
        else:
            lost[0] += (term - result) + total
    return result
