"""Numbers as text: one read as readers of files do, rows written as Moses writes them."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport poll
from rapidbleu._core.moses cimport (
    INTEGER_WIDTH, NUMBER_PADDING, NUMBER_WIDTH, format_integer, format_number, rb_read_number,
    read_slowly,
)


cdef enum:
    NUMBERS_AT_ONCE = 1 << 16  # formatted at a time: some milliseconds


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
    cdef bytes padded = text + bytes(NUMBER_PADDING)
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
    text = <uint8_t*> PyMem_RawMalloc(NUMBERS_AT_ONCE * (max(NUMBER_WIDTH, INTEGER_WIDTH) + 2))
    if text == NULL:
        raise MemoryError
    try:
        while i < n:
            end = min(n, i + NUMBERS_AT_ONCE)
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
