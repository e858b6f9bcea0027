"""C contract of `text.tokenize`."""

from libc.stdint cimport int64_t, uint64_t, uint8_t

from cpython.object cimport PyObject

from rapidbleu._core.input.columns cimport Column, Kind
from rapidbleu._core.text cimport (
    TokensC, rb_class_table, rb_scan_fn, rb_scan_rule, rb_scan_words_fn,
)


cdef class CharacterClasses:
    cdef rb_class_table table


cdef class TextScanner:
    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil


cdef class Scanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_scan_rule rule
    cdef rb_scan_fn scan_planes
    cdef bint unescape
    cdef bint strip
    cdef bint lowercase

    cdef int walk(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil


cdef class ChrfScanner(TextScanner):
    cdef CharacterClasses classes
    cdef rb_scan_words_fn scan_words
    cdef bint whitespace
    cdef bint words
    cdef bint strip
    cdef uint8_t kept[128]   # 1: the ASCII character is part of the sequence

    cdef int scan_characters(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int walk_words(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil
    cdef int push_word(self, TokensC* t, int64_t start, int64_t end) except -1 nogil
    cdef bint is_mark(self, uint8_t byte) noexcept nogil


cdef int tokens_open(TokensC* t) except -1


cdef class PreparedReferences:
    cdef TokensC tokens
    cdef int64_t* first             # [length + 1] first reference of each segment, in tokens
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t num_refs
    cdef Kind kind
    cdef object ngrams              # counts that a metric keeps with the texts, or None

    cdef int require(self, int n_sequences) except -1
    cdef int make_room(self, Py_ssize_t length) except -1
    cdef restore_text_identities(self)


ctypedef struct SourceC:
    const void* data     # the text, kept alive by its owner
    int64_t length       # in characters
    int form             # bytes per character, or UTF8
    bint lower           # lowercase while reading


cdef class Reader:
    cdef readonly TextScanner scanner
    cdef readonly object rule
    cdef readonly bint lowercase
    cdef bint lower_text  # False if the rule lowercases
    cdef object on_lost_text
    cdef bint leaves_out    # skips pad or end
    cdef bint has_pad
    cdef bint has_end
    cdef uint64_t pad
    cdef uint64_t end

    cdef bint read(
        self, Column column, Py_ssize_t i, TokensC* t, SourceC* source, list kept
    ) except -1
    cdef int read_ids(self, const uint64_t* ids, int64_t n, TokensC* t) except -1
    cdef bint read_strings(self, segment, TokensC* t) except -1
    cdef bint read_text(self, segment, TokensC* t, SourceC* source, list kept) except -1
    cdef int scan(self, const SourceC* source, TokensC* t) except -1 nogil
    cdef bint scans(self, Column column)
    cdef int64_t scan_string(self, PyObject* text, TokensC* t) except -1 nogil


cdef Py_ssize_t push_strings(items, TokensC* t) except -1
cdef int append_source(TokensC* t, const SourceC* source) except -1 nogil
