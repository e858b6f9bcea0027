"""Addition as the running interpreter's `sum` does it."""

from libc.math cimport fabs


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
