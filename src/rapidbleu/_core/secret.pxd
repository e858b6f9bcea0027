"""Secret keys of hash tables, so that no input can be prepared to collide.

They come from the operating system's random source, so they are different in each process, whatever
PYTHONHASHSEED says.  No result depends on them.
"""

from libc.stdint cimport uint64_t


cdef inline uint64_t secret_key():
    """A new odd number of 64 bits."""
    import os

    return <uint64_t> int.from_bytes(os.urandom(8), "little") | 1
