"""NIST as NLTK adds it up (Doddington 2002): n-grams weighed by the information they carry.

The information of an n-gram is the logarithm of how often its prefix occurs in all references over
how often it does itself.  Therefore everything is read before anything is weighed: tokens of any
hashable kind are numbered by one dictionary, the references' n-grams counted in a trie.  A second
walk takes segment after segment: its n-grams are found in the trie once, order by order matched
with each reference, and the best reference is taken for each order on its own.

Floats are added in NLTK's order: within a segment the n-grams as they first occur in the
hypothesis, by the running interpreter's `sum`; over segments one after the other.  The logarithm
to base 2 is the quotient of two natural ones, as in Python's `math.log(x, 2)`.

Linear in tokens times orders; 4 bytes a token and about 40 for each different n-gram.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport (
    POLL_OBJECTS, hash_key, poll_due, poll_signals, poll_without_gil,
)
from rapidbleu._core.ngrams cimport (
    NgramTrieC, ngram_trie_add, ngram_trie_find, ngram_trie_free, ngram_trie_init,
)
from rapidbleu._core.numbered cimport Numbered
from rapidbleu._core.common.python_sum cimport add, sum_compensates
from rapidbleu._core.token_lists cimport elements


cdef uint64_t SECRET = hash_key()


ctypedef struct MatchC:
    double precision
    double weight         # information of the matches
    int64_t n_grams       # of the hypothesis
    int64_t ref_len       # -1: none


cdef class Scratch:
    """The trie, the weight of each n-gram, what one segment needs, and the sums."""

    cdef NgramTrieC grams
    cdef double* weight          # [n_grams]
    cdef int32_t* in_hyp         # [2 * n_grams] how often, zero between references
    cdef int32_t* in_ref
    cdef int64_t* hyp            # [orders, longest] numbers of n-grams by where they start
    cdef int64_t* ref
    cdef MatchC* best            # [n] match of each order with its best reference
    cdef MatchC* sums            # [n]

    def __cinit__(self, int n):
        self.best = <MatchC*> PyMem_RawCalloc(2 * n, sizeof(MatchC))
        if self.best == NULL:
            raise MemoryError
        self.sums = self.best + n
        ngram_trie_init(&self.grams, SECRET)

    def __dealloc__(self):
        ngram_trie_free(&self.grams)
        PyMem_RawFree(self.weight)
        PyMem_RawFree(self.in_hyp)
        PyMem_RawFree(self.hyp)
        PyMem_RawFree(self.best)

    cdef int allocate(self, int64_t longest_hyp, int64_t longest_ref, int n) except -1:
        """Weights and scratch, once all n-grams are counted."""
        cdef NgramTrieC* g = &self.grams
        cdef int64_t i, n_places = n * (longest_hyp + longest_ref) + 1
        self.weight = <double*> PyMem_RawMalloc(<size_t> g.n_grams * sizeof(double))
        self.in_hyp = <int32_t*> PyMem_RawCalloc(<size_t> (2 * g.n_grams), sizeof(int32_t))
        self.hyp = <int64_t*> PyMem_RawMalloc(<size_t> n_places * sizeof(int64_t))
        if self.weight == NULL or self.in_hyp == NULL or self.hyp == NULL:
            raise MemoryError
        self.in_ref = self.in_hyp + g.n_grams
        self.ref = self.hyp + n * longest_hyp
        for i in range(1, g.n_grams):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            self.weight[i] = (
                log(<double> g.count[<int64_t> (g.key[i] >> 32)] / <double> g.count[i]) / log(2.0)
            )
        return 0


def nist_sums(list_of_references, hypotheses, int n):
    """Information and n-grams of each order as NLTK's `corpus_nist` adds them up.

    Parameters
    ----------
    list_of_references : sequence of sequences of sequences of hashable tokens
    hypotheses : sequence of sequences of hashable tokens
        As many as `list_of_references`.
    n : int
        Highest order, at least 1.

    Returns
    -------
    tuple or None
        Information of the matches and number of n-grams of the hypotheses for each order, then the
        lengths of references and hypotheses, added up over orders too; None if a segment cannot be
        read.

    Notes
    -----
    Linear in the number of tokens; counts and matches without the GIL.
    """
    cdef tuple segments = elements(list_of_references), several
    cdef Numbered refs = Numbered(), hyps = Numbered(), first_ref = Numbered()
    cdef dict numbers = {}
    if segments is None or (hypotheses := elements(hypotheses)) is None:
        return None
    for references in segments:
        several = elements(references)
        if not several:
            return None
        for reference in several:
            if not refs.append(elements(reference), numbers, True):
                return None
        first_ref.close(len(several))
    for hypothesis in hypotheses:
        if not hyps.append(elements(hypothesis), numbers, False):
            return None
    return weigh(refs, first_ref, hyps, n)


cdef tuple weigh(Numbered refs, Numbered first_ref, Numbered hyps, int n):
    """The sums of a corpus that has been numbered."""
    cdef Scratch scratch = Scratch(n)
    cdef list weights = [], n_grams = []
    cdef bint compensated = sum_compensates()
    cdef int64_t k = 0, begin, hyp_len = 0, ref_len = 0
    cdef int order
    while k < refs.n:
        begin = refs.first[k]
        with nogil:
            while k < refs.n and refs.first[k] - begin < POLL_OBJECTS:
                count_grams(
                    &scratch.grams, refs.token + refs.first[k], refs.first[k + 1] - refs.first[k],
                    n,
                )
                k += 1
        poll_signals()
    scratch.grams.count[0] = refs.n_tokens
    scratch.allocate(hyps.longest, refs.longest, n)
    k = 0
    while k < hyps.n and k < first_ref.n:
        begin = hyps.first[k]
        with nogil:
            while k < hyps.n and k < first_ref.n and hyps.first[k] - begin < POLL_OBJECTS // 8:
                hyp_len += n * (hyps.first[k + 1] - hyps.first[k])
                ref_len += add_segment(
                    scratch, hyps, k, refs, first_ref.first[k], first_ref.first[k + 1], n,
                    compensated,
                )
                k += 1
        poll_signals()
    if k == 0:
        return [], [], 0, 0
    for order in range(n):
        weights.append(scratch.sums[order].weight if scratch.sums[order].n_grams else 0)
        n_grams.append(scratch.sums[order].n_grams)
    return weights, n_grams, ref_len, hyp_len


cdef int count_grams(
    NgramTrieC* grams, const int32_t* token, int64_t length, int n
) except -1 nogil:
    """Count the n-grams of one reference."""
    cdef int64_t i, gram
    cdef int order
    for i in range(length):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        gram = 0
        for order in range(n if length - i > n else <int> (length - i)):
            gram = ngram_trie_add(grams, gram, token[i + order])
    return 0


cdef int find_grams(
    const NgramTrieC* grams, const int32_t* token, int64_t length, int n, int64_t* places
) except -1 nogil:
    """Numbers of the n-grams that start at each token, an order after the other; 0: unknown."""
    cdef int64_t i, gram
    cdef int order
    for i in range(length):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        gram = 0
        for order in range(n):
            if order and gram == 0 or i + order >= length or token[i + order] == 0:
                gram = 0
            else:
                gram = ngram_trie_find(grams, gram, token[i + order])
            places[order * length + i] = gram
    return 0


cdef int64_t add_segment(
    Scratch s, Numbered hyps, int64_t k, Numbered refs, int64_t ref, int64_t ref_end, int n,
    bint compensated,
) except -1 nogil:
    """Add a segment to the sums; returns the lengths of the references chosen, added up."""
    cdef int64_t hyp_len = hyps.first[k + 1] - hyps.first[k], ref_len, of_chosen = 0
    cdef int order
    cdef MatchC match
    for order in range(n):
        s.best[order].ref_len = -1
    find_grams(&s.grams, hyps.token + hyps.first[k], hyp_len, n, s.hyp)
    while ref < ref_end:
        ref_len = refs.first[ref + 1] - refs.first[ref]
        find_grams(&s.grams, refs.token + refs.first[ref], ref_len, n, s.ref)
        for order in range(n):
            match.n_grams = hyp_len - order if hyp_len > order else 0
            match.ref_len = ref_len
            match.weight = weight_matched(
                s, s.hyp + order * hyp_len, hyp_len, s.ref + order * ref_len, ref_len, compensated
            )
            match.precision = match.weight / <double> match.n_grams if match.n_grams else 0.0
            if better(&match, &s.best[order]):
                s.best[order] = match
        ref += 1
    for order in range(n):
        s.sums[order].weight += s.best[order].weight
        s.sums[order].n_grams += s.best[order].n_grams
        of_chosen += s.best[order].ref_len
    return of_chosen


cdef bint better(const MatchC* a, const MatchC* b) noexcept nogil:
    """Would `max` take a before b, as tuples?  The number of n-grams is the same."""
    if b.ref_len < 0:
        return True
    if a.precision != b.precision:
        return a.precision > b.precision
    if a.weight != b.weight:
        return a.weight > b.weight
    return a.ref_len > b.ref_len


cdef double weight_matched(
    Scratch s, const int64_t* hyp, int64_t hyp_len, const int64_t* ref, int64_t ref_len,
    bint compensated,
) except? -1.0 nogil:
    """Information of the n-grams of one order that a hypothesis and a reference share."""
    cdef double total = 0.0, lost = 0.0
    cdef int64_t i, gram
    cdef int32_t count
    for i in range(ref_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        s.in_ref[ref[i]] += 1
    for i in range(hyp_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        s.in_hyp[hyp[i]] += 1
    s.in_hyp[0] = 0
    for i in range(hyp_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        gram = hyp[i]
        count = s.in_hyp[gram] if s.in_hyp[gram] < s.in_ref[gram] else s.in_ref[gram]
        if count > 0:
            total = add(compensated, total, s.weight[gram] * count, &lost)
        s.in_hyp[gram] = 0
    for i in range(ref_len):
        s.in_ref[ref[i]] = 0
    return total + lost
