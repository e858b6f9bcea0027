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
    BeamC, BitsC, PairC, ShiftsC, beam_backward, beam_forward, beam_init, beam_replaced,
    beam_rows_select, beam_walk, beam_words, bits_forward, bits_init, bits_replaced, bits_walk,
    bits_words, pair_init, pair_words, shifted_distance, shifts_init, shifts_words,
)

SLOTS, MAX, ZEROS = CACHE_SLOTS, CACHE_MAX, CACHE_ZEROS


cdef class Distance:
    """The edit distance of two lists of numbers; memory beyond what it asks for is checked."""

    cdef PairC pair
    cdef uint64_t* memory
    cdef int64_t n_words
    cdef list stop
    cdef readonly int64_t work

    cdef uint64_t* reserve(self, int64_t n_words) except NULL:
        """Memory with a mark behind it."""
        self.n_words = n_words
        self.memory = <uint64_t*> PyMem_RawMalloc((n_words + 8) * sizeof(uint64_t))
        if self.memory == NULL:
            raise MemoryError
        memset(self.memory, 77, (n_words + 8) * sizeof(uint64_t))
        return self.memory

    def __dealloc__(self):
        PyMem_RawFree(self.memory)

    cdef open(self, list hyp, list ref, list stop, int64_t work, int64_t n_words):
        """The memory of the tables."""
        cdef int64_t n_own = pair_words(len(hyp), len(ref))
        self.stop, self.work = stop, work
        pair_init(
            &self.pair, self.reserve(n_own + n_words), len(hyp), len(ref),
            NULL if stop is None else <PyObject*> stop, &self.work,
        )
        fill(&self.pair, hyp, ref)
        return n_own

    def stays_within(self):
        return (<char*> (self.memory + self.n_words))[:64] == b"M" * 64

    def aligned(self):
        """The alignment, and how many of the first tokens are edited."""
        return (
            [self.pair.align[j] for j in range(self.pair.n_ref)],
            [self.pair.hyp_errors[i] for i in range(self.pair.n_hyp + 1)],
            [self.pair.ref_errors[j] for j in range(self.pair.n_ref + 1)],
        )


cdef class Beam(Distance):
    """The distance within a beam."""

    cdef BeamC beam

    def __cinit__(self, list hyp, list ref, list stop=None, int64_t work=0):
        n_own = self.open(hyp, ref, stop, work, beam_words(len(hyp), len(ref)))
        beam_init(&self.beam, self.memory + <int64_t> n_own, &self.pair, beam_rows_select())

    def forward(self):
        return beam_forward(&self.beam)

    def backward(self):
        beam_backward(&self.beam)

    def align(self):
        beam_walk(&self.beam, NULL)
        return self.aligned()

    def replaced(self, list words, int64_t begin):
        cdef Words spare = Words(words)
        return beam_replaced(&self.beam, spare.words, begin, begin + len(words))


cdef class Bits(Distance):
    """The distance of short texts."""

    cdef BitsC bits

    def __cinit__(self, list hyp, list ref, list stop=None, int64_t work=0):
        n_own = self.open(hyp, ref, stop, work, bits_words(len(hyp), len(ref)))
        bits_init(&self.bits, self.memory + <int64_t> n_own, &self.pair)

    def forward(self):
        return bits_forward(&self.bits)

    def align(self):
        bits_walk(&self.bits, NULL)
        return self.aligned()

    def replaced(self, list words, int64_t begin):
        cdef Words spare = Words(words)
        return bits_replaced(&self.bits, spare.words, begin, begin + len(words))


cdef class Shifts(Distance):
    """Edits and moves of blocks."""

    cdef ShiftsC shifts

    def __cinit__(self, list hyp, list ref, list stop=None, int64_t work=0):
        self.stop, self.work = stop, work
        shifts_init(
            &self.shifts, self.reserve(shifts_words(len(hyp), len(ref))), len(hyp), len(ref),
            NULL if stop is None else <PyObject*> stop, &self.work, beam_rows_select(),
        )
        fill(&self.shifts.pair, hyp, ref)

    def distance(self, int64_t least):
        return shifted_distance(&self.shifts, least)


cdef fill(PairC* pair, list hyp, list ref):
    """Numbers of tokens."""
    for i in range(len(hyp)):
        pair.hyp[i] = hyp[i]
    for i in range(len(ref)):
        pair.ref[i] = ref[i]


cdef class Words:
    """Numbers in memory of their own."""

    cdef int32_t* words

    def __cinit__(self, list words):
        self.words = <int32_t*> PyMem_RawMalloc(len(words) * sizeof(int32_t))
        if self.words == NULL:
            raise MemoryError
        for i in range(len(words)):
            self.words[i] = words[i]

    def __dealloc__(self):
        PyMem_RawFree(self.words)


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
