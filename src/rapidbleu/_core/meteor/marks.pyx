"""METEOR's normalization of text."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from rapidbleu._core.meteor cimport (
    CASED_PAGES, LowercaseC, MARKS_EN, MARKS_FR, MARKS_OTHER, MarksC, PREFIX, PREFIX_OF_DIGITS,
    PrefixesC, lowercase_add, lowercase_free, marks_free, normalize, normalize_line, prefixes_add,
    prefixes_close, prefixes_free, prefixes_init,
)
from rapidbleu._core.text cimport TokensC
from rapidbleu._core.text.scanners cimport TextScanner


cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t n)


cdef str CONTROLS = "".join(map(chr, range(33)))


cdef class Lowercase:
    """What str.lower makes of single characters, if that is one; immutable."""

    cdef LowercaseC table

    def __cinit__(self):
        cdef Py_ssize_t page, i
        cdef int64_t n
        cdef str letters, lower
        lowercase_add(&self.table)
        for page in range(CASED_PAGES):
            letters = "".join(map(chr, range(page * 256, page * 256 + 256)))
            if letters.lower() == letters:
                continue
            n = lowercase_add(&self.table)
            self.table.page[page] = n
            for i in range(256):
                lower = letters[i].lower()
                if len(lower) == 1:
                    self.table.differences[n][i] = <int32_t> ord(lower) - <int32_t> ord(letters[i])

    def __dealloc__(self):
        lowercase_free(&self.table)


cdef Lowercase LOWERCASE = Lowercase()


cdef class MeteorScanner(TextScanner):
    """METEOR's normalization.

    Parameters
    ----------
    language : str
        Apostrophes of ``en`` and ``fr`` have rules of their own.
    prefixes : dict of str to bool
        Words that keep a dot at their end: True, always; False, in front of a digit.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    cdef PrefixesC prefixes
    cdef Lowercase lowercase
    cdef int rules

    def __cinit__(self, str language not None, dict prefixes not None, /):
        cdef list words = sorted(prefixes)
        cdef Py_ssize_t i
        cdef uint32_t character
        prefixes_init(&self.prefixes, len(words), sum(map(len, words)))
        for i in range(len(words)):
            for character in <str> words[i]:
                prefixes_add(&self.prefixes, character)
            prefixes_close(
                &self.prefixes, PREFIX if prefixes[words[i]] else PREFIX_OF_DIGITS,
                i == len(words) - 1,
            )
        self.lowercase = LOWERCASE
        self.rules = (
            MARKS_EN if language == "en" else MARKS_FR if language == "fr" else MARKS_OTHER
        )

    def __dealloc__(self):
        prefixes_free(&self.prefixes)

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        cdef MarksC marks
        memset(&marks, 0, sizeof(marks))
        try:
            return normalize(
                t, begin, end, &marks, self.rules, &self.prefixes, &self.lowercase.table
            )
        finally:
            marks_free(&marks)

    def tokens(self, str text not None, /):
        """Return the tokens of a text."""
        cdef bytes encoded = text.encode("utf-8", "surrogatepass")
        cdef const uint8_t* begin = encoded
        cdef const uint8_t* end = begin + len(encoded)
        cdef MarksC marks
        cdef str line
        memset(&marks, 0, sizeof(marks))
        try:
            with nogil:
                normalize_line(&marks, begin, end, self.rules, &self.prefixes)
            line = PyUnicode_FromKindAndData(4, marks.line, marks.n)
        finally:
            marks_free(&marks)
        return [word for word in line.strip(CONTROLS).lower().split(" ") if word]
