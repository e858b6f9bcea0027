"""Numbers as text: read as `float` reads them, written as C's ``%g`` writes them.

Features are nearly always six digits and a point, and for those `decimal.h` needs some nanoseconds
where `strtod` and `printf` need a hundred or more and depend on the locale.  What is not exact
there, long numbers, large exponents, values half way between two texts, goes to the interpreter's
own conversions, which are correctly rounded and know no locale.
"""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, strlen

from cpython.mem cimport PyMem_Free, PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport poll


cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** end, PyObject* error) except? -1.0
    char* PyOS_double_to_string(double value, char code, int precision, int flags, int* kind)


cdef enum:
    SLAB_NUMBERS = 1 << 16  # formatted at a time: some milliseconds
    INTEGER_WIDTH = 20      # longest text of an integer of 64 bits


cdef int read_slowly(const uint8_t* p, const uint8_t* end, double* value) except -1:
    """Read a token of any form that is a finite number; 0: it is none."""
    cdef bytes text = p[:end - p]
    if not text or text[0] not in b"+-.0123456789" or text.strip(b"+-.0123456789eE"):
        return 0
    try:
        value[0] = PyOS_string_to_double(text, NULL, NULL)  # infinite if it is too large
    except ValueError:
        return 0
    return 1


cdef uint8_t* format_number(double value, uint8_t* out) except NULL nogil:
    """Write a finite number as ``%g``: RB_NUMBER_WIDTH bytes at most; returns the end."""
    cdef uint8_t* end = rb_format_number(value, out)
    cdef char* text
    cdef size_t n
    if end != NULL:
        return end
    with gil:
        text = PyOS_double_to_string(value, c"g", 6, 0, NULL)
        if text == NULL:
            raise MemoryError
        n = strlen(text)
        memcpy(out, text, n)
        PyMem_Free(text)
    return out + n


cdef uint8_t* format_integer(int64_t value, uint8_t* out) except NULL nogil:
    """Write an integer as ``%g`` if that is exact: INTEGER_WIDTH bytes at most; returns the end."""
    cdef uint64_t left = <uint64_t> value
    cdef uint8_t[INTEGER_WIDTH] digits
    cdef int64_t rest = value
    cdef int n = 0
    while rest and rest % 10 == 0:
        rest //= 10
    if -1_000_000 < rest < 1_000_000:
        return format_number(<double> value, out)
    if value < 0:
        out[0] = c"-"
        out += 1
        left = 0 - left
    while True:
        digits[n] = <uint8_t> (c"0" + left % 10)
        left //= 10
        n += 1
        if left == 0:
            break
    while n:
        n -= 1
        out[0] = digits[n]
        out += 1
    return out


def parse_number(bytes text not None):
    """Read one number as the readers of files do.

    Parameters
    ----------
    text : bytes
        Without white space.

    Returns
    -------
    float or None
        None if it is no finite number.
    """
    cdef double value = 0
    cdef const uint8_t* end
    cdef bytes padded = text + bytes(RB_NUMBER_PADDING)
    cdef const uint8_t* p = padded
    if not text or text.split() != [text] or b"\0" in text:
        return None
    if not rb_read_number(p, &end, &value) and not read_slowly(p, p + len(text), &value):
        return None
    return value if isfinite(value) else None


def format_rows(values, Py_ssize_t n_columns):
    """Write rows of numbers as Moses does: each as ``%g`` with a space behind it.

    Parameters
    ----------
    values : array of float32, float64, int32 or int64, C-contiguous
    n_columns : int

    Returns
    -------
    bytes
        A line for each row.

    Notes
    -----
    Integers that six digits do not tell, which Moses rounds, are written with all of theirs.
    """
    cdef Buffer source = Buffer(values, "values")
    cdef Py_ssize_t i = 0, end, n = source.n_items, width = source.item_size
    cdef uint8_t* text
    cdef uint8_t* out
    cdef double value = 0
    cdef int64_t count = 0
    cdef list parts = []
    if n_columns < 1 or n % n_columns:
        raise ValueError(f"n_columns: expected a divisor of {n}, got {n_columns}")
    if source.kind == c"u" or width not in (4, 8):
        raise TypeError("values: expected float32, float64, int32 or int64")
    text = <uint8_t*> PyMem_RawMalloc(SLAB_NUMBERS * (max(RB_NUMBER_WIDTH, INTEGER_WIDTH) + 2))
    if text == NULL:
        raise MemoryError
    try:
        while i < n:
            end = min(n, i + SLAB_NUMBERS)
            out = text
            with nogil:
                while i < end:
                    if source.kind == c"f":
                        if width == 4:
                            value = (<float*> source.data)[i]
                        else:
                            value = (<double*> source.data)[i]
                    elif width == 4:
                        count = (<int32_t*> source.data)[i]
                    else:
                        count = (<int64_t*> source.data)[i]
                    if source.kind == c"f":
                        out = format_number(value, out)
                    else:
                        out = format_integer(count, out)
                    out[0] = c" "
                    out += 1
                    i += 1
                    if i % n_columns == 0:
                        out[0] = c"\n"
                        out += 1
            parts.append(text[:out - text])
            poll(None)
        return b"".join(parts)
    finally:
        PyMem_RawFree(text)
