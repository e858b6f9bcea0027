"""C contract of `meteor.meteor`."""

from libc.stdint cimport int64_t

from rapidbleu._core.meteor cimport AlignerC, MOST_MODULES, PairC, PhrasesC
from rapidbleu._core.metrics.kernel cimport Kernel


cdef class PhraseTable:
    cdef PhrasesC table
    cdef int64_t phrase     # of the pair that is being read
    cdef int64_t n_lines    # read so far

    cdef int64_t add(self, const char* line, int64_t length) except -1 nogil


cdef class WordKnowledge:
    cdef object stem
    cdef object synonyms
    cdef frozenset function_words
    cdef dict known

    cdef tuple ask(self, str word)


cdef class MeteorKernel(Kernel):
    cdef double alpha
    cdef double beta
    cdef double gamma
    cdef double delta
    cdef double[MOST_MODULES] weights
    cdef int[MOST_MODULES] modules
    cdef int n_modules
    cdef bint perfect_in_sums   # do perfect segments leave their chunk out of sums?
    cdef bint perfect_is_whole  # have they no penalty?
    cdef WordKnowledge knowledge
    cdef readonly PhraseTable phrases

    cdef int describe_words(self, AlignerC* aligner, const PairC* pair) except -1
    cdef int describe_word(self, AlignerC* aligner, int64_t word) except -1
    cdef double score_parts(self, const int64_t* row, double* parts) noexcept nogil
