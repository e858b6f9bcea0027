"""Secret keys of hash tables, so that nobody can prepare input that collides.

They come from the secret of the interpreter's own hashes of strings: another one in each process,
unless PYTHONHASHSEED says which.  Whoever knows that number knows the keys, as he knows Python's.
"""

from libc.stdint cimport uint32_t, uint64_t


cdef inline uint64_t secret_key(str purpose):
    """An odd number of 64 bits, another one for each purpose."""
    cdef uint64_t key = <uint64_t> <Py_ssize_t> hash(purpose)
    if sizeof(Py_ssize_t) < sizeof(uint64_t):
        key = key << 32 | <uint32_t> <Py_ssize_t> hash(f"{purpose}, lower half")
    return key | 1
