"""C contract of character classes."""

from rapidbleu._core.text cimport rb_class_table


cdef class CharacterClasses:
    cdef rb_class_table table
