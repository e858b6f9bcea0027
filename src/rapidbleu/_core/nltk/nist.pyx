"""NIST as NLTK adds it up (Doddington 2002): n-grams weighed by the information they carry.

The information of an n-gram is the logarithm of how often its prefix occurs in all references over
how often it does itself.  Therefore everything is read before anything is weighed: tokens go into
tables of identities, strings by their bytes, and if there is anything but strings all by the number
that one dictionary has for them.  The references' n-grams are counted (ngrams/ngram_weights.h),
except those whose prefix occurs once, which carry nothing.  A second walk takes segment after
segment, and the best reference is taken for each order on its own.  In a reference of up to 64
tokens the n-grams of the hypothesis are found by masks of bits, as in ngrams/clipping.h, and their
place tells what they carry: neither a token nor an n-gram is hashed.  For a longer reference they
are looked up.

Floats are added in NLTK's order: within a segment the n-grams as they first occur in the
hypothesis, by the running interpreter's `sum`, to which those that carry nothing add nothing; over
segments one after the other.  The logarithm to base 2 is the quotient of two natural ones, as in
Python's `math.log(x, 2)`.

Linear in tokens times orders; 8 bytes a token, 4 for each of its orders, 32 to 64 for the table of
n-grams, and 40 to 72 for each different n-gram that is counted.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport (
    POLL_OBJECTS, POLL_TOKENS, grow, hash_key, poll_due, poll_signals, poll_without_gil, rb_ctz,
    rb_popcount,
)
from rapidbleu._core.common.python_sum cimport add, sum_compensates
from rapidbleu._core.ngrams cimport (
    MOST_MATCHED, MatcherC, NgramWeightsC, WeightedNgramC, matcher_select, ngram_weights_build,
    ngram_weights_free, ngram_weights_init, ngram_weights_next, token_masks, token_numbers,
)
from rapidbleu._core.nltk.sums cimport elements, is_list, push_list, push_objects
from rapidbleu._core.text cimport (
    TokensC, segment_length, tokens_clear, tokens_close_segment, tokens_free,
)
from rapidbleu._core.text.tokenize cimport tokens_open

cdef enum:
    MOST_PLACES = 64    # tokens of a reference that a mask has bits for

cdef uint64_t KEY = hash_key()
cdef double LOG_2 = log(2.0)
cdef MatcherC MATCHER = matcher_select()


# --------------------------------------------------------------------------------------------------
# The tokens of a whole corpus.

cdef class Corpus:
    """Hypotheses and references of a corpus, in token tables that can be compared."""

    def __cinit__(self):
        tokens_open(&self.hyps)
        tokens_open(&self.refs)
        grow(<void**> &self.first_ref, &self.first_capacity, 64, sizeof(int64_t))

    def __dealloc__(self):
        tokens_free(&self.hyps)
        tokens_free(&self.refs)
        PyMem_RawFree(self.first_ref)

    cdef bint read(self, tuple references, tuple hypotheses) except -1:
        """Read everything; False: something cannot be read."""
        if self.read_strings(references, hypotheses):
            return True
        return self.read_objects(references, hypotheses, {})

    cdef bint read_strings(self, tuple references, tuple hypotheses) except -1:
        """Read lists or tuples of nothing but str, where they are."""
        self.clear()
        for several in references:
            if not is_list(several):
                return False
            for reference in several:
                if not push_list(reference, &self.refs):
                    return False
            if not self.close_references():
                return False
        for hypothesis in hypotheses:
            if not push_list(hypothesis, &self.hyps):
                return False
        return True

    cdef bint read_objects(self, tuple references, tuple hypotheses, dict numbers) except -1:
        """Read sequences of anything that has a hash, which a dictionary numbers."""
        cdef tuple several
        self.clear()
        for given in references:
            several = elements(given)
            if several is None:
                return False
            for reference in several:
                if not push_numbered(reference, numbers, &self.refs):
                    return False
            if not self.close_references():
                return False
        for hypothesis in hypotheses:
            if not push_numbered(hypothesis, numbers, &self.hyps):
                return False
        return True

    cdef int clear(self) except -1:
        tokens_clear(&self.hyps)
        tokens_clear(&self.refs)
        self.n_lists = 0
        self.first_ref[0] = 0
        return 0

    cdef bint close_references(self) except -1:
        """End the references of a segment; False: it has none."""
        if self.n_lists + 2 > self.first_capacity:
            grow(
                <void**> &self.first_ref, &self.first_capacity, self.n_lists + 2, sizeof(int64_t)
            )
        self.n_lists += 1
        self.first_ref[self.n_lists] = self.refs.n_segments
        if poll_due(self.n_lists, POLL_OBJECTS):
            poll_signals()
        return self.first_ref[self.n_lists] > self.first_ref[self.n_lists - 1]


cdef bint push_numbered(tokens, dict numbers, TokensC* t) except -1:
    """Append a segment; False: it is no sequence, or a token has no hash."""
    cdef tuple items = elements(tokens)
    if items is None or push_objects(items, numbers, t) < len(items):
        return False
    tokens_close_segment(t)
    return True


cdef int64_t longest_of(const TokensC* t) noexcept nogil:
    """Tokens of the longest segment."""
    cdef int64_t longest = 0, k
    for k in range(t.n_segments):
        longest = max(longest, segment_length(t, k))
    return longest


# --------------------------------------------------------------------------------------------------
# Weights and sums.

ctypedef struct MatchC:
    double precision
    double weight         # information of the matches
    int64_t n_grams       # of the hypothesis
    int64_t ref_len       # -1: none


cdef class Scratch:
    """The counted n-grams, what one segment needs, and the sums."""

    cdef NgramWeightsC grams
    cdef uint64_t* masks         # [2 * longest] where the hypothesis's tokens are in a reference
    cdef int32_t* placed         # [longest] tokens with a mask, in order
    cdef int32_t times[MOST_PLACES]  # an n-gram is in the hypothesis, zero between orders
    cdef int32_t* in_hyp         # [1 + nodes] how often, zero between references; 0: no node
    cdef int32_t* in_ref
    cdef int32_t* numbers        # [2 * longest] of a hypothesis's tokens, `placed` behind them
    cdef uint32_t* nodes         # [orders, longest] of its n-grams, by where they start
    cdef MatchC* best            # [n] match of each order with its best reference
    cdef MatchC* sums            # [n]

    def __cinit__(self, int n, /):
        ngram_weights_init(&self.grams, KEY)
        self.best = <MatchC*> PyMem_RawCalloc(2 * n, sizeof(MatchC))
        if self.best == NULL:
            raise MemoryError
        self.sums = self.best + n

    def __dealloc__(self):
        ngram_weights_free(&self.grams)
        PyMem_RawFree(self.masks)
        PyMem_RawFree(self.in_hyp)
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.nodes)
        PyMem_RawFree(self.best)

    cdef int allocate(self, int64_t longest_hyp) except -1:
        """Memory of a segment, once all n-grams are counted."""
        cdef int64_t n = 1 + self.grams.n_nodes
        self.masks = <uint64_t*> PyMem_RawMalloc(
            <size_t> (2 * longest_hyp + 1) * sizeof(uint64_t)
        )
        self.in_hyp = <int32_t*> PyMem_RawCalloc(<size_t> (2 * n), sizeof(int32_t))
        self.numbers = <int32_t*> PyMem_RawMalloc(
            <size_t> (2 * longest_hyp + 1) * sizeof(int32_t)
        )
        self.nodes = <uint32_t*> PyMem_RawMalloc(
            <size_t> (self.grams.max_order * longest_hyp + 1) * sizeof(uint32_t)
        )
        if (
            self.masks == NULL or self.in_hyp == NULL or self.numbers == NULL or self.nodes == NULL
        ):
            raise MemoryError
        self.in_ref = self.in_hyp + n
        self.placed = self.numbers + longest_hyp
        return 0


def nist_sums(list_of_references, hypotheses, int n, /):
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
    cdef tuple references = elements(list_of_references), hyps
    cdef Corpus corpus = Corpus()
    if references is None or (hyps := elements(hypotheses)) is None:
        return None
    return weigh(corpus, n) if corpus.read(references, hyps) else None


cdef tuple weigh(Corpus c, int n):
    """The sums of a corpus that has been read."""
    cdef Scratch scratch = Scratch(n)
    cdef list weights = [], n_grams = []
    cdef bint compensated = sum_compensates()
    cdef int64_t k = 0, begin, hyp_len = 0, ref_len = 0
    cdef int order, counted = <int> max(1, min(n, longest_of(&c.refs)))
    with nogil:
        ngram_weights_build(
            &scratch.grams, &c.refs, c.first_ref, c.n_lists, counted, 0, NULL
        )
        weigh_grams(&scratch.grams, c.refs.n_tokens)
    scratch.allocate(longest_of(&c.hyps))
    while k < c.hyps.n_segments and k < c.n_lists:
        begin = c.hyps.first_token[k]
        with nogil:
            while k < c.hyps.n_segments and k < c.n_lists and (
                c.hyps.first_token[k] - begin < POLL_OBJECTS // 8
            ):
                hyp_len += n * segment_length(&c.hyps, k)
                ref_len += add_segment(scratch, c, k, n, compensated)
                k += 1
        poll_signals()
    if k == 0:
        return [], [], 0, 0
    for order in range(n):
        weights.append(scratch.sums[order].weight if scratch.sums[order].n_grams else 0)
        n_grams.append(scratch.sums[order].n_grams)
    return weights, n_grams, ref_len, hyp_len


cdef int weigh_grams(NgramWeightsC* grams, int64_t n_tokens) except -1 nogil:
    """Give each n-gram its information."""
    cdef WeightedNgramC* own
    cdef int64_t node, before
    for node in range(1, grams.n_nodes + 1):
        own = &grams.nodes[node]
        before = grams.nodes[own.prefix].count if own.prefix else n_tokens
        if before != own.count:  # the logarithm of 1 is the 0 that is there
            own.weight = log(<double> before / <double> own.count) / LOG_2
        if poll_due(node, POLL_TOKENS):
            poll_without_gil(NULL)
    return 0


cdef int find_grams(Scratch s, const TokensC* hyps, int64_t k) except -1 nogil:
    """Nodes of the n-grams that start at each token, an order after the other; 0: none."""
    cdef const NgramWeightsC* grams = &s.grams
    cdef int64_t length = segment_length(hyps, k), i
    cdef uint32_t node
    cdef int order
    token_numbers(&s.grams.tokens, hyps, k, False, s.numbers)
    memset(s.nodes, 0, <size_t> (grams.max_order * length) * sizeof(uint32_t))
    for i in range(length):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        node = <uint32_t> s.numbers[i]
        s.nodes[i] = node
        order = 1
        while order < grams.max_order and i + order < length and grams.nodes[node].count > 1:
            node = ngram_weights_next(grams, node, s.numbers[i + order])
            s.nodes[order * length + i] = node
            order += 1
    return 0


cdef int64_t add_segment(Scratch s, Corpus c, int64_t k, int n, bint compensated) except -1 nogil:
    """Add a segment to the sums; returns the lengths of the references chosen, added up."""
    cdef int64_t hyp_len = segment_length(&c.hyps, k), ref, n_placed = 0, of_chosen = 0, work = 0
    cdef bint placed, found = False
    cdef int order
    cdef MatchC match
    for order in range(n):
        s.best[order].ref_len = -1
    for ref in range(c.first_ref[k], c.first_ref[k + 1]):
        match.ref_len = segment_length(&c.refs, ref)
        work += 1 + hyp_len + match.ref_len
        if work > POLL_TOKENS:
            poll_without_gil(NULL)
            work = 0
        placed = match.ref_len <= MOST_PLACES and hyp_len <= MOST_MATCHED
        if placed:
            token_masks(MATCHER.masks, &c.hyps, k, &c.refs, ref, s.masks, s.masks + hyp_len)
            n_placed = list_placed(s, hyp_len)
        elif not found:
            find_grams(s, &c.hyps, k)
            found = True
        for order in range(n):
            match.n_grams = hyp_len - order if hyp_len > order else 0
            if order >= s.grams.max_order:
                match.weight = 0.0
            elif placed:
                match.weight = weight_placed(
                    s, order, &n_placed, c.refs.first_token[ref], compensated
                )
            else:
                match.weight = weight_matched(
                    s, order, hyp_len, c.refs.first_token[ref], match.ref_len, compensated
                )
            match.precision = match.weight / <double> match.n_grams if match.n_grams else 0.0
            if better(&match, &s.best[order]):
                s.best[order] = match
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


cdef int64_t list_placed(Scratch s, int64_t hyp_len) noexcept nogil:
    """List the tokens of the hypothesis that are in the reference; returns how many."""
    cdef int64_t i, n = 0
    for i in range(hyp_len):
        s.placed[n] = <int32_t> i
        n += s.masks[i] != 0
    return n


cdef double weight_placed(
    Scratch s, int order, int64_t* n_placed, int64_t first, bint compensated
) except? -1.0 nogil:
    """Information of the n-grams of one order that a hypothesis and a short reference share.

    Of each listed token of the hypothesis the mask says where the n-gram that ends with it ends in
    the reference, whose tokens are those from `first` on.  N-grams are equal if the first of these
    places is.  Masks and list become those of the next order.
    """
    cdef const uint32_t* ending = s.grams.ending + first * s.grams.max_order + order
    cdef uint64_t* masks = s.masks
    cdef uint64_t mask, before = 0
    cdef double total = 0.0, lost = 0.0
    cdef int64_t k, i, last = -1, n = 0
    cdef int32_t count
    cdef int place
    for k in range(n_placed[0]):
        s.times[rb_ctz(masks[s.placed[k]])] += 1
    for k in range(n_placed[0]):
        if poll_due(k, POLL_OBJECTS):
            poll_without_gil(NULL)
        i = s.placed[k]
        mask = masks[i]
        place = rb_ctz(mask)
        count = min(s.times[place], <int32_t> rb_popcount(mask))
        if count > 0:
            total = add(
                compensated, total,
                s.grams.nodes[ending[place * s.grams.max_order]].weight * count, &lost,
            )
        s.times[place] = 0
        masks[i] = mask & before << 1 if last == i - 1 else 0
        last, before = i, mask
        s.placed[n] = <int32_t> i
        n += masks[i] != 0
    n_placed[0] = n
    return total + lost


cdef double weight_matched(
    Scratch s, int order, int64_t hyp_len, int64_t first, int64_t ref_len, bint compensated
) except? -1.0 nogil:
    """Information of the n-grams of one order that a hypothesis and a reference share."""
    cdef const uint32_t* hyp = s.nodes + order * hyp_len
    cdef const uint32_t* ref = s.grams.ending + first * s.grams.max_order + order
    cdef int step = s.grams.max_order
    cdef double total = 0.0, lost = 0.0
    cdef int64_t i
    cdef int32_t count
    for i in range(ref_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        s.in_ref[ref[i * step]] += 1
    for i in range(hyp_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        s.in_hyp[hyp[i]] += 1
    s.in_hyp[0] = 0
    for i in range(hyp_len):
        if poll_due(i, POLL_OBJECTS):
            poll_without_gil(NULL)
        count = min(s.in_hyp[hyp[i]], s.in_ref[hyp[i]])
        if count > 0:
            total = add(compensated, total, s.grams.nodes[hyp[i]].weight * count, &lost)
        s.in_hyp[hyp[i]] = 0
    for i in range(ref_len):
        s.in_ref[ref[i * step]] = 0
    return total + lost
