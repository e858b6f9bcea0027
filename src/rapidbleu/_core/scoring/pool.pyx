"""Growing pools of texts, and the comparison of one text with all of them.

Each text has a signature of 256 bits, of which each token sets one. A bit missing in the other text
is a token that it lacks, so a few words rule out most comparisons. ROUGE-L compares the rest bit by
bit (matching/subsequences.h): `places` maps token numbers to positions in the new text.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport (
    POLL_TOKENS, allocate, grow, hash_key, poll_without_gil, rb_popcount,
)
from rapidbleu._core.input.columns cimport Buffer, Kind, kind_name, same_kind
from rapidbleu._core.matching.kernels cimport RougeLKernel
from rapidbleu._core.metrics cimport ScratchC, scratch_free, scratch_init
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.ngrams cimport (
    TokenTableC, token_numbers, token_table_clear, token_table_free, token_table_init,
)
from rapidbleu._core.text cimport (
    LongTokenC, TokensC, segment_length, token_identity, tokens_append,
)
from rapidbleu._core.text.tokenize cimport PreparedReferences


cdef enum:
    SIGN_WORDS = 4
    MOST_PLACES = 64  # tokens of a text compared bit by bit

ctypedef struct SignC:
    uint64_t[SIGN_WORDS] bits
    int64_t length

cdef uint64_t KEY = hash_key()


cdef SignC sign_of(const TokensC* t, int64_t segment) noexcept nogil:
    cdef SignC sign
    cdef uint64_t hashed
    cdef int64_t i
    memset(&sign, 0, sizeof(SignC))
    sign.length = segment_length(t, segment)
    for i in range(t.first_token[segment], t.first_token[segment + 1]):
        hashed = token_identity(t, i) * <uint64_t> 0x9e3779b97f4a7c15
        sign.bits[hashed >> 62] |= <uint64_t> 1 << (hashed >> 56 & 63)
    return sign


cdef inline bint may_share(const SignC* a, const SignC* b, int64_t needed) noexcept nogil:
    """May the texts have `needed` tokens in common?"""
    cdef int64_t lost = needed - a.length, lacked = needed - b.length
    cdef int w = 0
    while w < SIGN_WORDS and lost <= 0 and lacked <= 0:
        lost += rb_popcount(a.bits[w] & ~b.bits[w])
        lacked += rb_popcount(b.bits[w] & ~a.bits[w])
        w += 1
    return lost <= 0 and lacked <= 0


cdef class PoolTexts(PreparedReferences):
    """Texts used as references, or if `turned` as hypotheses, of other texts; not thread-safe."""

    cdef Kernel kernel
    cdef RougeLKernel rouge       # the same kernel, if texts are compared bit by bit
    cdef bint turned, busy
    cdef readonly Py_ssize_t longest
    cdef SignC* signs
    cdef TokenTableC table        # numbers of tokens
    cdef const LongTokenC* longs  # where the table finds long tokens
    cdef int32_t* numbers         # of all tokens
    cdef uint64_t* places         # by number; all 0 between calls
    cdef int64_t sign_capacity, first_capacity, number_capacity, place_capacity
    cdef ScratchC scratch
    cdef int64_t* row

    def __cinit__(self, Kernel kernel not None, bint turned, /):
        self.kernel, self.turned = kernel, turned
        if isinstance(kernel, RougeLKernel) and not (<RougeLKernel> kernel).by_sentence:
            self.rouge = kernel
        self.make_room(0)
        self.kind, self.num_refs = Kind.ABSENT, 1
        token_table_init(&self.table, KEY)
        scratch_init(&self.scratch, KEY)
        self.row = <int64_t*> allocate(kernel.n_stats, sizeof(int64_t))

    def __dealloc__(self):
        token_table_free(&self.table)
        scratch_free(&self.scratch)
        PyMem_RawFree(self.signs)
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.places)
        PyMem_RawFree(self.row)

    cdef int enter(self, PreparedReferences source) except -1:
        """Refuse texts of another kind, and reentrant calls, as from a signal handler."""
        if not same_kind(self.kind, source.kind):
            names = kind_name(self.kind), kind_name(source.kind)
            raise TypeError("text: expected %s as in the pool; got %s" % names)
        if self.busy:
            raise RuntimeError("pool: expected no call while another one of this thread is at work")
        source.require(self.kernel.n_sequences)
        self.busy = True
        return 0

    def add(self, PreparedReferences source not None, Py_ssize_t k, /):
        """Add text k of `source`, which must have been read like the texts of the pool."""
        cdef TokensC* t = &self.tokens
        cdef int64_t begin = t.n_segments, n = self.kernel.n_sequences, j
        self.enter(source)
        try:
            if self.length == self.sign_capacity:
                grow(<void**> &self.first, &self.first_capacity, self.length + 2, sizeof(int64_t))
                grow(<void**> &self.signs, &self.sign_capacity, self.length + 1, sizeof(SignC))
            for j in range(n * k, n * k + n):
                tokens_append(t, &source.tokens, j)
            self.signs[self.length] = sign_of(t, begin)
            self.number()
        except BaseException:
            self.longs = NULL
            t.n_segments, t.n_tokens, t.n_longs = begin, t.first_token[begin], t.first_long[begin]
            raise
        finally:
            self.busy = False
        self.longest = max(self.longest, self.signs[self.length].length)
        self.kind = min(self.kind, source.kind)
        self.length += 1
        self.first[self.length] = self.length

    cdef int number(self) except -1:
        """Number the tokens of the last text, or of all if the records of long tokens moved."""
        cdef const TokensC* t = &self.tokens
        cdef int64_t text = self.length
        if self.rouge is None:
            return 0
        if t.n_tokens > self.number_capacity:
            grow(<void**> &self.numbers, &self.number_capacity, t.n_tokens, sizeof(int32_t))
        if self.longs != t.longs:
            text, self.longs = 0, NULL
            token_table_clear(&self.table, t, t.n_tokens)
        for text in range(text, t.n_segments):
            token_numbers(&self.table, t, text, True, self.numbers + t.first_token[text])
        if self.table.table.n_items >= self.place_capacity:
            text = self.place_capacity
            grow(<void**> &self.places, &self.place_capacity, t.n_tokens + 1, sizeof(uint64_t))
            memset(self.places + text, 0, (self.place_capacity - text) * sizeof(uint64_t))
        self.longs = t.longs
        return 0

    def length_of(self, PreparedReferences source not None, Py_ssize_t k, /):
        """Return the number of tokens in the first sequence of text k of `source`."""
        return segment_length(&source.tokens, self.kernel.n_sequences * k)

    def compare(
        self, PreparedReferences source not None, Py_ssize_t k, Buffer out, Buffer cuts=None,
        Buffer least=None, /,
    ):
        """Write the scores of text k of `source` to `out`, or find the first beyond its cut.

        `cuts` and `least` are indexed by the length of the pool's texts: a score, and the number of
        common tokens needed to exceed it. Returns an index, or -1.
        """
        cdef int32_t[MOST_PLACES] own
        cdef int64_t i = 0, found = -1, n_own = 0, work = 0, m
        cdef SignC sign = sign_of(&source.tokens, self.kernel.n_sequences * k)
        cdef double score, sense = -1.0 if self.kernel.lower_is_better else 1.0
        if cuts is None:
            out.require(c"f", sizeof(double), self.length, "out")
        else:
            cuts.require(c"f", sizeof(double), max(least.n_items, self.longest + 1), "cuts")
            least.require(c"i", sizeof(int64_t), cuts.n_items, "least")
        self.enter(source)
        try:
            if self.longs != NULL and 0 < sign.length <= MOST_PLACES:
                token_numbers(&self.table, &source.tokens, k, False, own)
                n_own = sign.length
                for i in range(n_own):  # tokens that no pooled text has are number 0
                    self.places[own[i]] |= <uint64_t> (own[i] > 0) << i
                i = 0
            with nogil:
                while i < self.length and found < 0:
                    m = self.signs[i].length
                    if cuts is None or may_share(&sign, self.signs + i, (<int64_t*> least.data)[m]):
                        score = self.score_pair(&source.tokens, k, n_own, i)
                        if cuts is None:
                            (<double*> out.data)[i] = score
                        elif sense * score > sense * (<double*> cuts.data)[m]:
                            found = i
                        work += sign.length + m
                    work += 1
                    i += 1
                    if work >= POLL_TOKENS:
                        work = 0
                        poll_without_gil(NULL)
        finally:
            for i in range(n_own):
                self.places[own[i]] = 0
            self.busy = False
        return found

    cdef double score_pair(
        self, const TokensC* t, int64_t k, int64_t n, int64_t i
    ) except? -1 nogil:
        """Score text k of `source` with text i, from the places of its n tokens if n > 0."""
        cdef int64_t j, m = self.signs[i].length, hits
        cdef uint64_t same = <uint64_t> -1, taken
        cdef int ref_len = <int> (n if self.turned else m)
        cdef double score
        if n > 0:
            for j in range(self.tokens.first_token[i], self.tokens.first_token[i + 1]):
                taken = same & self.places[self.numbers[j]]
                same = (same + taken) | (same - taken)
            hits = rb_popcount(~same & <uint64_t> -1 >> (64 - n))
            self.rouge.score_lengths(&hits, m if self.turned else n, &ref_len, 1, &score)
            return score
        if self.turned:
            self.kernel.segment(&self.tokens, i, t, k, k + 1, self.row, &self.scratch)
        else:
            self.kernel.segment(t, k, &self.tokens, i, i + 1, self.row, &self.scratch)
        return self.kernel.score_row(self.row)
