"""Numbers, counts and texts of words and n-grams in systems' outputs and their references."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport ProbingTableC, allocate, allocate_zeros, hash_key, poll_signals
from rapidbleu._core.input.columns cimport Buffer, Kind
from rapidbleu._core.ngrams cimport (
    TokenTableC, token_table_clear, token_table_free, token_table_init,
)
from rapidbleu._core.text cimport TokensC, token_identity
from rapidbleu._core.text.tokenize cimport PreparedReferences


cdef extern from "ngrams/hash_tables.h" nogil:
    ctypedef struct GramTableC "rb_gram_table":
        ProbingTableC table
    void gram_table_init "rb_gram_table_init" (GramTableC* t, uint64_t key) noexcept
    void gram_table_free "rb_gram_table_free" (GramTableC* t) noexcept
    int gram_table_clear "rb_gram_table_clear" (GramTableC* t, int64_t n) except -1


cdef extern from "counting/ngram_matches.h" nogil:
    ctypedef struct BesideC "rb_beside":
        const TokensC* tokens
        const int64_t* first
        int64_t n_segments
        int64_t n_systems
    ctypedef struct FirstPlacesC "rb_first_places":
        int32_t* places
        int64_t n_items
    void texts_of "rb_texts_of" (
        const BesideC* b, int64_t segment, int64_t system, int64_t* text, int64_t* end
    ) noexcept
    int number_words "rb_number_words" (
        const BesideC* b, int64_t system, TokenTableC* table, int32_t* words, FirstPlacesC* places
    ) except -1
    int number_ngrams "rb_number_ngrams" (
        const BesideC* b, int64_t system, int order, const int32_t* words, bint add,
        GramTableC* table, int32_t* numbers, FirstPlacesC* places,
    ) except -1
    enum:
        RIGHT "RB_RIGHT"
        TOO_MANY "RB_TOO_MANY"
        MISSING "RB_MISSING"
    ctypedef struct MatchingC "rb_matching":
        const BesideC* beside
        const int32_t* numbers
        int32_t* left
        int32_t* own
    int count_ngrams_of "rb_count_ngrams_of" (
        const MatchingC* m, int64_t system, int what, int32_t* counts
    ) except -1


cdef uint64_t KEY = hash_key()
cdef enum:
    FEW = 1024  # initial items of a table

WHAT = {"match": <int> RIGHT, "over": <int> TOO_MANY, "under": <int> MISSING}


cdef class Beside:
    """The references of each segment, followed by the outputs of systems.

    `texts` has at least one reference per segment, then one output of each system, unchecked.
    ValueError for 2**31 tokens or more. Linear in the tokens, 4 bytes each; immutable, thread-safe.
    """

    cdef PreparedReferences texts
    cdef BesideC beside
    cdef int32_t* words          # [tokens] numbers from 1
    cdef FirstPlacesC places     # of the words
    cdef int64_t n_reference_words  # numbered before all other words, from 1

    def __cinit__(self, PreparedReferences texts not None, int64_t n_systems, /):
        cdef TokenTableC table
        cdef int64_t system
        cdef const TokensC* tokens = &texts.tokens
        if tokens.n_tokens >= (<int64_t> 1 << 31) - 1:
            raise ValueError(f"texts: expected fewer than 2**31 tokens; got {tokens.n_tokens}")
        texts.require(1)
        self.texts = texts
        self.beside.tokens, self.beside.first = tokens, texts.first
        self.beside.n_segments, self.beside.n_systems = texts.length, n_systems
        self.words = <int32_t*> allocate(tokens.n_tokens + 1, sizeof(int32_t))
        token_table_init(&table, KEY)
        try:
            token_table_clear(&table, tokens, FEW)
            with nogil:
                for system in range(-1, n_systems):
                    number_words(&self.beside, system, &table, self.words, &self.places)
                    if system == -1:
                        self.n_reference_words = self.places.n_items
        finally:
            token_table_free(&table)

    def __dealloc__(self):
        PyMem_RawFree(self.words)
        PyMem_RawFree(self.places.places)

    def write_lengths(self, int64_t system, lengths, /):
        """Write to int64 lengths[segment] the words of an output; -1: of the first reference."""
        cdef Buffer out = Buffer(lengths, "lengths", writable=True)
        cdef int64_t i, text, end
        cdef const int64_t* first = self.beside.tokens.first_token
        out.require(c"i", sizeof(int64_t), self.beside.n_segments, "lengths")
        for i in range(self.beside.n_segments):
            texts_of(&self.beside, i, system, &text, &end)
            (<int64_t*> out.data)[i] = first[text + 1] - first[text]

    def count_words(self, counts, /):
        """Write to int32 counts[number] the occurrences of each word in the first references."""
        cdef Buffer out = Buffer(counts, "counts", writable=True)
        cdef const int64_t* first = self.beside.tokens.first_token
        cdef int64_t i, k, text, end
        cdef int32_t* count = <int32_t*> out.data
        out.require(c"i", sizeof(int32_t), self.places.n_items + 1, "counts")
        with nogil:
            memset(count, 0, (self.places.n_items + 1) * sizeof(int32_t))
            for i in range(self.beside.n_segments):
                texts_of(&self.beside, i, -1, &text, &end)
                for k in range(first[text], first[text + 1]):
                    count[self.words[k]] += 1
        poll_signals()

    def mark_segments(self, bits, out, /):
        """Write to int32 out[segment] the union of bits[number] of its first reference's words."""
        cdef Buffer given = Buffer(bits, "bits")
        cdef Buffer marks = Buffer(out, "out", writable=True)
        cdef const int64_t* first = self.beside.tokens.first_token
        cdef int64_t i, k, text, end
        cdef int32_t* mark = <int32_t*> marks.data
        given.require(c"i", sizeof(int32_t), self.places.n_items + 1, "bits")
        marks.require(c"i", sizeof(int32_t), self.beside.n_segments, "out")
        with nogil:
            for i in range(self.beside.n_segments):
                mark[i] = 0
                texts_of(&self.beside, i, -1, &text, &end)
                for k in range(first[text], first[text + 1]):
                    mark[i] |= (<const int32_t*> given.data)[self.words[k]]
        poll_signals()

    def text_at(self, int64_t place, int order, /):
        """Return the words of the n-gram that begins at a token, separated by spaces."""
        cdef int64_t k
        cdef list words = []
        if not 0 <= place <= self.beside.tokens.n_tokens - order:
            raise ValueError(f"place: expected a token; got {place}")
        for k in range(place, place + order):
            words.append(self.word_at(k))
        return " ".join(words)

    cdef str word_at(self, int64_t place):
        cdef const TokensC* t = self.beside.tokens
        cdef int64_t text = 0, end = t.n_segments, middle, k
        cdef uint64_t identity = token_identity(t, place)
        cdef bytes short = b""
        if self.texts.kind == Kind.IDS:
            return str(<int64_t> identity)
        while end - text > 1:  # find the text of the token
            middle = (text + end) // 2
            if t.first_token[middle] <= place:
                text = middle
            else:
                end = middle
        for k in range(t.first_long[text], t.first_long[text + 1]):
            if t.first_token[text] + t.longs[k].index == place:
                return PyBytes_FromStringAndSize(
                    <const char*> t.text + t.longs[k].position, t.longs[k].length
                ).decode("utf-8", "surrogatepass")
        while identity:
            short += bytes([identity & 0xFF])
            identity >>= 8
        return short.decode("utf-8", "surrogatepass")


cdef int write_places(const FirstPlacesC* places, int64_t n, out) except -1:
    cdef Buffer buffer = Buffer(out, "places", writable=True)
    buffer.require(c"i", sizeof(int32_t), n + 1, "places")
    if n:
        memcpy(<int32_t*> buffer.data + 1, places.places + 1, n * sizeof(int32_t))
    (<int32_t*> buffer.data)[0] = -1
    return 0


cdef class NgramMatches:
    """Numbers of the n-grams of one order, initially words, in the outputs of some systems.

    With `add`, n-grams of these outputs missing from the references are numbered as well. Each
    order is linear in the tokens, with 4 bytes for each.
    """

    cdef Beside beside
    cdef list systems
    cdef bint add
    cdef int32_t* numbers        # [tokens] of the n-gram that begins there; 0: none
    cdef FirstPlacesC places
    cdef int order

    def __cinit__(self, Beside beside not None, systems, bint add, /):
        cdef int64_t n_tokens = beside.beside.tokens.n_tokens, i
        self.beside, self.systems, self.add, self.order = beside, list(systems), add, 1
        self.numbers = <int32_t*> allocate(n_tokens + 1, sizeof(int32_t))
        memcpy(self.numbers, beside.words, n_tokens * sizeof(int32_t))
        if not add:
            for i in range(n_tokens):
                if self.numbers[i] > beside.n_reference_words:
                    self.numbers[i] = 0

    def __dealloc__(self):
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.places.places)

    @property
    def n_ngrams(self):
        """Number of n-grams of this order, which are numbered from 1."""
        if self.order > 1:
            return self.places.n_items
        return self.beside.places.n_items if self.add else self.beside.n_reference_words

    def lengthen(self):
        """Advance to the n-grams with one more word."""
        cdef GramTableC table
        cdef int64_t system
        gram_table_init(&table, KEY)
        self.order += 1
        self.places.n_items = 0
        try:
            gram_table_clear(&table, FEW)
            self.number(-1, True, &table)
            for system in self.systems:
                self.number(system, self.add, &table)
        finally:
            gram_table_free(&table)

    cdef int number(self, int64_t system, bint add, GramTableC* table) except -1:
        with nogil:
            number_ngrams(
                &self.beside.beside, system, self.order, self.beside.words, add, table,
                self.numbers, &self.places,
            )
        return 0

    def write_places(self, places, /):
        """Write the token at which each n-gram first occurs, int32; [0] is unused."""
        write_places(&self.places if self.order > 1 else &self.beside.places, self.n_ngrams, places)

    def count(self, str what not None, int64_t system, counts, /):
        """Count correct, surplus or missing occurrences of each n-gram in a system's outputs.

        `what` is "match", "over" or "under". ``counts[i]``, an int32, is the count of n-gram i;
        ``counts[0]`` counts n-grams without a number.
        """
        cdef Buffer out = Buffer(counts, "counts", writable=True)
        cdef MatchingC m
        cdef int64_t n = self.n_ngrams + 1
        cdef int kind = WHAT[what]
        cdef int32_t* count = <int32_t*> out.data
        out.require(c"i", sizeof(int32_t), n, "counts")
        memset(count, 0, n * sizeof(int32_t))
        m.beside, m.numbers = &self.beside.beside, self.numbers
        m.left = m.own = NULL
        try:
            m.left = <int32_t*> allocate_zeros(n, sizeof(int32_t))
            m.own = <int32_t*> allocate_zeros(n, sizeof(int32_t))
            with nogil:
                count_ngrams_of(&m, system, kind, count)
        finally:
            PyMem_RawFree(m.left)
            PyMem_RawFree(m.own)
