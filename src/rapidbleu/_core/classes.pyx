"""The class of every character: the owner of a table that `text/classify.h` makes and reads."""

from libc.stdint cimport uint8_t, uint32_t

from rapidbleu._core.text cimport (
    RARE, class_table_add, class_table_free, class_table_init,
)


cdef class CharacterClasses:
    """Classes of ASCII characters and of ranges beyond.

    Parameters
    ----------
    ascii_classes : bytes
        The class byte of each of the 128 ASCII characters.
    wide_classes : sequence of (first, last, class)
        Ranges of code points from 0x80 up, ascending and disjoint.
    rare : bytes
        ASCII characters which are RARE besides what they are.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(self, bytes ascii_classes not None, wide_classes, bytes rare not None):
        cdef uint8_t[128] classes
        cdef uint32_t first, last
        cdef uint8_t kind
        cdef int character
        if len(ascii_classes) != 128:
            raise ValueError(f"ascii_classes: expected 128 bytes, got {len(ascii_classes)}")
        for character in range(128):
            classes[character] = ascii_classes[character]
        for character in rare:
            classes[character] |= RARE
        class_table_init(&self.table, classes)
        for first, last, kind in wide_classes:
            class_table_add(&self.table, first, last, kind)

    def __dealloc__(self):
        class_table_free(&self.table)
