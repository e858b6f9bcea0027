"""Repeats: hypotheses that a segment's list has more than once are scanned and matched once.

A decoder's n-best list names the same string for each of its derivations, and a trained model
samples the same answer again and again.  The text of each hypothesis is hashed where it lies and
looked up among those met before in the same list; a new one is entered with the place of its row.

The hash only says where to look.  It is not kept: a text is known if its length, form and bytes are
those of the text that is in the slot, so a collision costs a comparison and cannot change a result.
The hash is keyed like that of long tokens.  It never reads beyond the text, behind which there may
be nothing: neither strings nor Arrow columns are padded.

Memory is bounded: 1,024 texts in four times as many slots of two bytes, or as many texts as have a
megabyte of rows; then all are forgotten and the list starts anew.  Only the slots in use are
cleared, so a list of one hypothesis pays for one.  A list without repeats pays 4% of its time, half
of it for the hash; four lanes of the hash instead of two took 1% more, a copy of every row instead
of its place half a percent.  A dict of strings would need the GIL.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport hash_key, rb_fold, rb_load64
from rapidbleu._core.reader cimport SourceC


cdef enum:
    MOST_TEXTS = 1024
    N_SLOTS = 4096        # a power of two
    ROW_BYTES = 1 << 20   # of all rows, unless one alone takes more
    UTF8 = 0              # the reader's form whose characters are bytes

cdef uint64_t KEYS[2]
for _place in range(2):
    KEYS[_place] = hash_key()


cdef class Repeats:
    """Texts of one list and their rows.

    Parameters
    ----------
    n_texts : int
        How many may come.
    n_stats : int
        Columns of a row.
    copy : bool
        Rows do not stay where they are written and have to be copied.
    """

    def __cinit__(self, Py_ssize_t n_texts, int n_stats, bint copy):
        cdef Py_ssize_t row_bytes = n_stats * <Py_ssize_t> sizeof(int64_t)
        self.capacity = <int> max(1, min(n_texts, MOST_TEXTS, ROW_BYTES // row_bytes))
        self.n_stats = n_stats
        self.segment = -1
        self.sources = <SourceC*> PyMem_RawMalloc(self.capacity * sizeof(SourceC))
        self.rows = <int64_t**> PyMem_RawMalloc(self.capacity * sizeof(int64_t*))
        self.taken = <uint16_t*> PyMem_RawMalloc(self.capacity * sizeof(uint16_t))
        self.slots = <uint16_t*> PyMem_RawCalloc(N_SLOTS, sizeof(uint16_t))
        if self.sources == NULL or self.rows == NULL or self.taken == NULL or self.slots == NULL:
            raise MemoryError
        if copy:
            self.copies = <int64_t*> PyMem_RawMalloc(self.capacity * row_bytes)
            if self.copies == NULL:
                raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.sources)
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.copies)
        PyMem_RawFree(self.taken)
        PyMem_RawFree(self.slots)

    cdef void clear(self) noexcept nogil:
        cdef int i
        for i in range(self.n_texts):
            self.slots[self.taken[i]] = 0
        self.n_texts = 0

    cdef int find(self, const SourceC* source, int64_t segment, bint* met) noexcept nogil:
        cdef uint64_t slot
        cdef int i
        if segment != self.segment or self.n_texts == self.capacity:
            self.clear()
            self.segment = segment
        slot = hash_text(<const uint8_t*> source.data, n_bytes(source)) % N_SLOTS
        while self.slots[slot] != 0:
            i = self.slots[slot] - 1
            if same_text(&self.sources[i], source):
                met[0] = True
                return i
            slot = (slot + 1) % N_SLOTS
        met[0] = False
        i = self.n_texts
        self.n_texts += 1
        self.sources[i] = source[0]
        self.taken[i] = <uint16_t> slot
        self.slots[slot] = <uint16_t> (i + 1)
        return i

    cdef void keep(self, int i, int64_t* row) noexcept nogil:
        cdef int64_t* copy
        if self.copies != NULL:
            copy = self.copies + <int64_t> i * self.n_stats
            memcpy(copy, row, self.n_stats * sizeof(int64_t))
            row = copy
        self.rows[i] = row


cdef inline int64_t n_bytes(const SourceC* source) noexcept nogil:
    return source.length if source.form == UTF8 else source.length * source.form


cdef inline bint same_text(const SourceC* a, const SourceC* b) noexcept nogil:
    """Would both be scanned alike?"""
    return (
        a.length == b.length and a.form == b.form and a.lower == b.lower
        and memcmp(a.data, b.data, <size_t> n_bytes(a)) == 0
    )


cdef uint64_t hash_text(const uint8_t* text, int64_t length) noexcept nogil:
    """Keyed hash of the bytes of a text, and of none behind it."""
    cdef uint64_t k = KEYS[0], m = KEYS[1]
    cdef uint64_t a = k, b = m, few = 0
    cdef int64_t i = 0
    if length >= 32:
        while length - i > 32:
            a = rb_fold(rb_load64(text + i) ^ k, rb_load64(text + i + 8) ^ a)
            b = rb_fold(rb_load64(text + i + 16) ^ m, rb_load64(text + i + 24) ^ b)
            i += 32
        i = length - 32  # the last 32 bytes, some of which were seen
        a = rb_fold(rb_load64(text + i) ^ k, rb_load64(text + i + 8) ^ a)
        b = rb_fold(rb_load64(text + i + 16) ^ m, rb_load64(text + i + 24) ^ b)
    elif length >= 8:
        while length - i > 8:
            a = rb_fold(rb_load64(text + i) ^ k, a ^ m)
            i += 8
        b ^= rb_load64(text + length - 8)
    else:
        memcpy(&few, text, <size_t> length)
        b ^= few
    return rb_fold(a ^ <uint64_t> length, b ^ k)
