"""Decimal numbers of `_core/moses/decimal.h` and `decimal.h`, read and written directly."""

from libc.stdint cimport int64_t, uint8_t

from rapidbleu._core.moses cimport (
    INTEGER_WIDTH, NUMBER_PADDING, NUMBER_WIDTH, rb_read_count, rb_read_number, rb_token_end,
)
from rapidbleu._core.moses cimport format_integer as c_format_integer
from rapidbleu._core.moses cimport format_number as c_format_number
from rapidbleu._core.moses cimport read_slowly as c_read_slowly


def read_number(bytes token):
    """What is read at once, None if nothing is; and how long the token is."""
    cdef bytes own = token + b" " + bytes(NUMBER_PADDING)
    cdef const uint8_t* p = own
    cdef const uint8_t* end
    cdef double value
    done = rb_read_number(p, &end, &value)
    assert end == rb_token_end(p)
    return value if done else None, end - p


def read_slowly(bytes token):
    cdef const uint8_t* p = token
    cdef double value
    return value if c_read_slowly(p, p + len(token), &value) else None


def read_count(bytes token):
    cdef bytes own = token + b"\n" + bytes(NUMBER_PADDING)
    cdef const uint8_t* end
    return rb_read_count(own, &end)


def format_number(double value):
    cdef uint8_t[NUMBER_WIDTH] out
    end = c_format_number(value, out)
    assert end - out < NUMBER_WIDTH
    return (<char*> out)[:end - out]


def format_integer(int64_t value):
    cdef uint8_t[INTEGER_WIDTH] out
    end = c_format_integer(value, out)
    return (<char*> out)[:end - out]
