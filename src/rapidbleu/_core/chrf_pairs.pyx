"""chrF of all pairs: matches from an index of the references, order by order.

One index has the character n-grams of a block of references and another the word n-grams.  An
order's matches of a hypothesis with all references of the block become precisions and recalls,
which are added up before the next order is counted, so a block needs a few numbers a reference.
They are the operations of the kernel in its order: the bits are those of `sentence_score`.

Few hypotheses, giant references and high orders are scored one pair after the other.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from rapidbleu._core.chrf cimport ChrfKernel, epsilon, f_score, smoothed_f_score
from rapidbleu._core.common cimport POLL_TOKENS, poll
from rapidbleu._core.ngrams cimport (
    BLOCK_HYP_TOKENS, BLOCK_ORDERS, BLOCK_REFS, BLOCK_TOKENS, InvertedIndexC,
    inverted_index_build, inverted_index_find, inverted_index_sum,
)
from rapidbleu._core.pairs cimport GroupC, Pairs, PairWork
from rapidbleu._core.text cimport TokensC, segment_length, text_tokens


cdef struct SumsC:            # of a hypothesis with each reference of a block
    double[BLOCK_REFS] first  # precisions, or F scores with eps_smoothing
    double[BLOCK_REFS] recalls
    double[BLOCK_REFS] n_orders
    uint32_t[BLOCK_REFS] matches


cdef class ChrfPairs(Pairs):
    """chrF of hypotheses against single references; see `Pairs`."""

    cdef ChrfKernel chrf

    def __cinit__(self, kernel, *_):
        self.chrf = kernel

    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil:
        cdef const TokensC* refs = &self.refs.tokens
        cdef int step = self.chrf.n_sequences
        cdef int64_t begin = step * ref_begin, end = step * ref_end
        w.indexed = (
            n_hyps >= self.least and self.chrf.char_order <= BLOCK_ORDERS
            and self.chrf.word_order <= BLOCK_ORDERS
            and refs.first_token[end] - refs.first_token[begin] <= BLOCK_TOKENS
        )
        if w.indexed and self.chrf.char_order > 0:
            inverted_index_build(&w.index, refs, begin, end, step, self.chrf.char_order)
        if w.indexed and self.chrf.word_order > 0:
            inverted_index_build(&w.second, refs, begin + 1, end + 1, step, self.chrf.word_order)
        return 0

    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil:
        cdef SumsC sums
        cdef int64_t n_refs = ref_end - ref_begin, step = self.chrf.n_sequences, j
        if not w.indexed:
            return Pairs.score_hyp(self, w, hyp, ref_begin, ref_end, scores)
        memset(sums.first, 0, <size_t> n_refs * sizeof(double))
        memset(sums.recalls, 0, <size_t> n_refs * sizeof(double))
        memset(sums.n_orders, 0, <size_t> n_refs * sizeof(double))
        if self.chrf.char_order > 0:
            self.add_orders(&w.index, step * hyp, &sums)
        if self.chrf.word_order > 0:
            self.add_orders(&w.second, step * hyp + 1, &sums)
        for j in range(n_refs):
            if self.chrf.eps_smoothing:
                scores[j] = 100.0 * sums.first[j] / self.chrf.n_orders
            elif sums.n_orders[j] == 0.0:
                scores[j] = 0.0
            else:
                scores[j] = f_score(
                    self.chrf, sums.first[j] / sums.n_orders[j], sums.recalls[j] / sums.n_orders[j]
                )
        return 0

    cdef int add_orders(self, InvertedIndexC* x, int64_t hyp, SumsC* sums) except -1 nogil:
        """Add the orders of a sequence."""
        cdef int64_t first_of_order[BLOCK_ORDERS + 1]
        cdef const uint32_t* found = inverted_index_find(
            x, &self.hyps.tokens, hyp, first_of_order
        )
        cdef int64_t n = segment_length(&self.hyps.tokens, hyp)
        cdef int order
        for order in range(x.ngrams.max_order):
            count_matches(
                x, found + first_of_order[order],
                first_of_order[order + 1] - first_of_order[order], sums.matches,
            )
            if self.chrf.eps_smoothing:
                self.add_f_scores(x, n, order, sums)
            else:
                add_precisions(x, n, order, sums)
        return 0

    cdef void add_f_scores(
        self, const InvertedIndexC* x, int64_t n_hyp, int order, SumsC* sums
    ) noexcept nogil:
        """Add the F scores of an order, smoothed."""
        cdef int64_t n_ref, j
        cdef double precision, recall
        for j in range(x.n_refs):
            n_ref = segment_length(x.ngrams.tokens, x.begin + j * x.step)
            precision = recall = epsilon()
            if n_ref > order:
                recall = <double> sums.matches[j] / <double> (n_ref - order)
                if n_hyp > order:
                    precision = <double> sums.matches[j] / <double> (n_hyp - order)
            sums.first[j] += smoothed_f_score(self.chrf, precision, recall)

    cdef int score_others(self, PairWork w, const GroupC* group, double* scores) except -1 nogil:
        """Of all others together the best one counts, so the score is the greatest of a row."""
        cdef int64_t n = group.hyp_end - group.hyp_begin, ref = group.hyp_begin, ref_end, k, j
        cdef int step = self.chrf.n_sequences
        if <void*> self.refs != <void*> self.hyps:
            return Pairs.score_others(self, w, group, scores)
        memset(scores, 0, <size_t> n * sizeof(double))
        while ref < group.hyp_end:
            ref_end = self.end_of_block(ref, group.hyp_end)
            self.open_block(w, n, ref, ref_end)
            for k in range(n):
                self.score_hyp(w, group.hyp_begin + k, ref, ref_end, w.scores)
                for j in range(ref_end - ref):
                    if w.scores[j] > scores[k] and ref + j != group.hyp_begin + k:
                        scores[k] = w.scores[j]
                w.work += ref_end - ref + 8 * text_tokens(
                    &self.hyps.tokens, group.hyp_begin + k, step
                )
                if w.work >= POLL_TOKENS:
                    w.work = 0
                    with gil:
                        poll(w.stop)
            ref = ref_end
        return 0


cdef int count_matches(
    InvertedIndexC* x, const uint32_t* found, int64_t n, uint32_t* matches
) except -1 nogil:
    """How many of n elements each reference has; counters are bytes, so some at a time."""
    cdef int64_t k = 0, m, j
    cdef const uint8_t* counts = x.counts
    memset(matches, 0, <size_t> x.n_refs * sizeof(uint32_t))
    while k < n:
        m = n - k if n - k < BLOCK_HYP_TOKENS else BLOCK_HYP_TOKENS
        inverted_index_sum(x, found + k, m, x.counts)
        for j in range(x.n_refs):
            matches[j] += counts[j]
        k += m
    return 0


cdef void add_precisions(
    const InvertedIndexC* x, int64_t n_hyp, int order, SumsC* sums
) noexcept nogil:
    """Add precision and recall of an order to those of the references that have n-grams of it."""
    cdef double n = <double> (n_hyp - order)
    cdef int64_t n_ref, j
    if n_hyp <= order:
        return
    for j in range(x.n_refs):
        n_ref = segment_length(x.ngrams.tokens, x.begin + j * x.step) - order
        if n_ref > 0:
            sums.first[j] += <double> sums.matches[j] / n
            sums.recalls[j] += <double> sums.matches[j] / <double> n_ref
            sums.n_orders[j] += 1.0
