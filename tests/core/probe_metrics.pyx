"""The edit distance, the moves of blocks, exact sums and the cache of scores, called directly."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.common cimport EXACT_TERMS, exact_sum
from rapidbleu._core.metrics cimport (
    CACHE_MAX, CACHE_SLOTS, CACHE_ZEROS, CacheEntryC, cache_find_four, cache_key, cache_slot,
)
from rapidbleu._core.moves cimport (
    BeamC, beam_align, beam_backward, beam_forward, beam_init, beam_memory,
    beam_replaced, beam_rows_select,
    shifted_distance,
)

SLOTS, MAX, ZEROS = CACHE_SLOTS, CACHE_MAX, CACHE_ZEROS


cdef class Beam:
    """The edit distance of two lists of numbers; memory beyond what it asks for is checked."""

    cdef BeamC beam
    cdef char* memory
    cdef int32_t* spare
    cdef int64_t n_bytes
    cdef list stop
    cdef readonly int64_t work

    def __cinit__(self, list hyp, list ref, list stop=None, int64_t work=0):
        self.n_bytes, self.stop, self.work = beam_memory(len(hyp), len(ref)), stop, work
        self.memory = <char*> PyMem_RawMalloc(self.n_bytes + 64)
        self.spare = <int32_t*> PyMem_RawMalloc((len(hyp) + 1) * sizeof(int32_t))
        if self.memory == NULL or self.spare == NULL:
            raise MemoryError
        memset(self.memory, 77, self.n_bytes + 64)
        beam_init(
            &self.beam, self.memory, len(hyp), len(ref), NULL if stop is None else <PyObject*> stop,
            &self.work, beam_rows_select(),
        )
        for i in range(len(hyp)):
            self.beam.hyp[i] = hyp[i]
        for i in range(len(ref)):
            self.beam.ref[i] = ref[i]

    def __dealloc__(self):
        PyMem_RawFree(self.memory)
        PyMem_RawFree(self.spare)

    def stays_within(self):
        return self.memory[self.n_bytes:self.n_bytes + 64] == b"M" * 64

    def forward(self):
        return beam_forward(&self.beam)

    def backward(self):
        beam_backward(&self.beam)

    def align(self):
        """The alignment, and how many of the first tokens are edited."""
        beam_align(&self.beam)
        return (
            [self.beam.align[j] for j in range(self.beam.n_ref)],
            [self.beam.hyp_errors[i] for i in range(self.beam.n_hyp + 1)],
            [self.beam.ref_errors[j] for j in range(self.beam.n_ref + 1)],
        )

    def replaced(self, list words, int64_t begin):
        for i in range(len(words)):
            self.spare[i] = words[i]
        return beam_replaced(&self.beam, self.spare, begin, begin + len(words))

    def shifted(self, int64_t least):
        return shifted_distance(&self.beam, self.spare, least)


cdef class Cache:
    """A cache of some tables."""

    cdef CacheEntryC* entries

    def __cinit__(self, int n_tables):
        self.entries = <CacheEntryC*> PyMem_RawCalloc(n_tables * CACHE_SLOTS, sizeof(CacheEntryC))
        if self.entries == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.entries)

    def slot(self, int table, uint64_t a, uint64_t b):
        return cache_slot(self.entries, table, a, b) - self.entries

    def put(self, int table, uint64_t a, uint64_t b, double value):
        cdef CacheEntryC* entry = cache_slot(self.entries, table, a, b)
        entry.key, entry.value = cache_key(a, b), value

    def find_four(self, int first, list counts, list totals):
        """The four values, or None."""
        cdef int64_t[4] a
        cdef int64_t[4] b
        cdef double[4] values
        for k in range(4):
            a[k], b[k] = counts[k], totals[k]
        if not cache_find_four(self.entries, first, a, b, values):
            return None
        return [values[k] for k in range(4)]


def sum_exactly(list terms):
    """The sum of a few floats."""
    cdef double[EXACT_TERMS] few
    for i, term in enumerate(terms):
        few[i] = term
    return exact_sum(few, <int> len(terms))
