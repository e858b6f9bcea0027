"""Whether vector code may be used: tests forbid it, to see what other processors would do."""


cdef inline bint simd_allowed() except -1:
    """Is RAPIDBLEU_SIMD anything but 0 in the environment?"""
    from os import environ
    return environ.get("RAPIDBLEU_SIMD", "1") != "0"
