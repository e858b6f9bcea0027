"""METEOR's normalization of text: the part of it that looks at single characters."""

from libc.stdint cimport int64_t, uint32_t

from rapidbleu._core.alignment cimport (
    MARKS_EN, MARKS_FR, MARKS_OTHER, MarksC, marks_free, marks_reserve, marks_set_apart, marks_swap,
)


cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4(str text, uint32_t* buffer, Py_ssize_t n, bint copy_null) except NULL
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t n)


def set_marks_apart(str text not None, str language not None, /):
    """Set symbols and marks apart, by the rules of a language.

    Parameters
    ----------
    text : str
    language : str
        Apostrophes of ``en`` and ``fr`` have rules of their own.

    Returns
    -------
    str
        The text between blanks, with two U+FFFE in place of each run of dots.

    Examples
    --------
    >>> set_marks_apart("isn't it, Al? 3,000-", "en").split()
    ['isn', "'t", 'it', ',', 'Al', '?', '3,000-']
    """
    cdef MarksC marks
    cdef int64_t n = len(text)
    cdef int rules = MARKS_OTHER
    if language == "en":
        rules = MARKS_EN
    elif language == "fr":
        rules = MARKS_FR
    marks.line = marks.other = NULL
    marks.capacity = marks.other_capacity = 0
    marks.n = n
    try:
        marks_reserve(&marks)
        PyUnicode_AsUCS4(text, marks.other + 1, n, False)
        marks.other[0] = marks.other[n + 1] = c" "
        marks_swap(&marks, n + 2)
        with nogil:
            marks_set_apart(&marks, rules)
        return PyUnicode_FromKindAndData(4, marks.line, marks.n)
    finally:
        marks_free(&marks)
