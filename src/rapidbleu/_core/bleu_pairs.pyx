"""BLEU of all pairs: matches from an index of the references, logarithms from tables.

The hypothesis fixes the totals of a row, so the logarithm of a precision depends on the matches
alone, and the brevity penalty on the reference's length alone: a score is one look-up for each
order, sums, one exp.  They are the values and operations of the kernel, so the bits are those of
`sentence_score`.  The tables of a length are made once for all hypotheses that have it: 21 kB each.

Few hypotheses, long ones, giant references and high orders are scored one pair after the other.
"""

from libc.math cimport INFINITY, exp
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from rapidbleu._core.bleu cimport CACHED_ORDERS, BleuKernel, brevity_penalty
from rapidbleu._core.common cimport POLL_OBJECTS, grow, poll, room
from rapidbleu._core.ngrams cimport (
    BLOCK_HYP_TOKENS, BLOCK_TOKENS, NO_NODE, InvertedIndexC, NgramSetC, count_ngrams,
    inverted_index_build, inverted_index_count, length_of_others, ngram_set_build, sort_lengths,
)
from rapidbleu._core.pairs cimport GroupC, Pairs, PairWork
from rapidbleu._core.common.python_sum cimport add
from rapidbleu._core.text cimport segment_length


cdef enum:
    # A table of a length: of each order, logarithms by number of matches and, if there are none,
    # by number of orders without any; then the following.
    ZEROS = BLOCK_HYP_TOKENS
    ORDER = ZEROS + CACHED_ORDERS + 1
    USED = CACHED_ORDERS * ORDER     # orders that a hypothesis of the length has
    DIVISOR = USED + 1             # of the sum of their logarithms; 0: every score is 0
    PENALTY = DIVISOR + 1          # brevity penalties by length of the reference; 0: not known yet
    LENGTHS = 512
    TABLE = PENALTY + LENGTHS


cdef class BleuPairs(Pairs):
    """BLEU of hypotheses against single references; see `Pairs`."""

    cdef BleuKernel bleu

    def __cinit__(self, kernel, *_):
        self.bleu = kernel

    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil:
        cdef const int64_t* first = self.refs.tokens.first_token
        w.indexed = (
            n_hyps >= self.least and self.bleu.max_order <= CACHED_ORDERS
            and first[ref_end] - first[ref_begin] <= BLOCK_TOKENS
        )
        if w.indexed:
            inverted_index_build(
                &w.index, &self.refs.tokens, ref_begin, ref_end, 1, self.bleu.max_order
            )
        return 0

    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil:
        cdef int64_t n = segment_length(&self.hyps.tokens, hyp), ref_len, j
        cdef const int64_t* ends = self.refs.tokens.first_token + ref_begin
        cdef double* table
        if n > BLOCK_HYP_TOKENS or not w.indexed:
            return Pairs.score_hyp(self, w, hyp, ref_begin, ref_end, scores)
        table = self.table_of(w, n)
        if table[DIVISOR] == 0.0:
            memset(scores, 0, <size_t> (ref_end - ref_begin) * sizeof(double))
            return 0
        inverted_index_count(&w.index, &self.hyps.tokens, hyp)
        if table[USED] == 4.0:  # a constant for the compiler
            self.mean_logs(&w.index, 4, table, scores)
        else:
            self.mean_logs(&w.index, <int> table[USED], table, scores)
        for j in range(ref_end - ref_begin):
            scores[j] = exp(scores[j])
            ref_len = ends[j + 1] - ends[j]
            if ref_len <= n:
                continue
            if ref_len >= LENGTHS:
                scores[j] *= brevity_penalty(n, ref_len)
                continue
            if table[PENALTY + ref_len] == 0.0:
                table[PENALTY + ref_len] = brevity_penalty(n, ref_len)
            scores[j] *= table[PENALTY + ref_len]
        return 0

    cdef inline void mean_logs(
        self, const InvertedIndexC* x, int n_orders, const double* table, double* means
    ) noexcept nogil:
        """Mean logarithm of the precisions of a hypothesis with each reference of the block."""
        cdef bint compensated = self.bleu.compensated
        cdef double divisor = table[DIVISOR], log_sum, lost
        cdef const uint8_t* counts = x.counts
        cdef int64_t j, count, n_zeros, any_match
        cdef int order
        for j in range(x.n_refs):
            log_sum = lost = 0.0
            any_match = n_zeros = 0
            for order in range(n_orders):
                count = counts[order * x.stride + j]
                any_match |= count
                n_zeros += count == 0
                log_sum = add(
                    compensated, log_sum,
                    table[order * ORDER + (count if count else ZEROS + n_zeros)], &lost,
                )
            means[j] = (log_sum + lost) / divisor if any_match else -INFINITY

    cdef double* table_of(self, PairWork w, int64_t n) except NULL nogil:
        """The table of a length."""
        cdef int64_t total, count
        cdef double* table
        cdef double weight
        cdef int order
        if w.table_of[n]:
            return w.tables + (w.table_of[n] - 1) * TABLE
        if (w.n_tables + 1) * TABLE > w.table_capacity:
            grow(<void**> &w.tables, &w.table_capacity, (w.n_tables + 1) * TABLE, sizeof(double))
        table = w.tables + w.n_tables * TABLE
        w.n_tables += 1
        w.table_of[n] = w.n_tables
        memset(table, 0, TABLE * sizeof(double))
        for order in range(self.bleu.max_order):
            total = n - order if n > order else 0
            if self.bleu.possible(order, total) == 0.0:
                if not self.bleu.effective_order:
                    table[DIVISOR] = 0.0
                break
            weight = self.bleu.weights[order] if self.bleu.weights != NULL else 1.0
            for count in range(1, total + 1):
                table[order * ORDER + count] = weight * self.bleu.log_precision(
                    order, count, total, 0, NULL
                )
            for count in range(1, order + 2):
                table[order * ORDER + ZEROS + count] = weight * self.bleu.log_precision(
                    order, 0, total, <int> count, NULL
                )
            table[USED] += 1.0
            table[DIVISOR] += weight
        if table[DIVISOR] < 0.0:
            table[DIVISOR] = 0.0
        return table

    cdef int score_others(self, PairWork w, const GroupC* group, double* scores) except -1 nogil:
        """An n-gram is matched if any other segment of the group has as many of it."""
        cdef const NgramSetC* s = &w.index.ngrams
        cdef int64_t n = group.hyp_end - group.hyp_begin, total = 0, k, i, start, length
        cdef int64_t* correct = w.row + 2
        cdef const uint32_t* found
        cdef int order
        if self.bleu.max_order > CACHED_ORDERS or count_ngrams(
            &self.hyps.tokens, group.hyp_begin, group.hyp_end, 1, self.bleu.max_order
        ) >= NO_NODE:
            return Pairs.score_others(self, w, group, scores)
        ngram_set_build(
            &w.index.ngrams, &self.hyps.tokens, group.hyp_begin, group.hyp_end, 1,
            self.bleu.max_order,
        )
        room(<void**> &w.lengths, &w.length_capacity, n, sizeof(int64_t))
        for k in range(n):
            w.lengths[k] = segment_length(&self.hyps.tokens, group.hyp_begin + k)
            total += w.lengths[k]
        sort_lengths(w.lengths, n)
        for k in range(n):
            length = segment_length(&self.hyps.tokens, group.hyp_begin + k)
            w.row[0] = length
            w.row[1] = length_of_others(
                w.lengths, n, total, length, self.bleu.ref_len_policy
            )
            found = s.found + s.first_found[k]
            for order in range(self.bleu.max_order):
                start = length - order if length > order else 0
                correct[order] = 0
                correct[self.bleu.max_order + order] = start
                for i in range(start):
                    correct[order] += s.nodes[found[i]].n_segments > 1
                found += start
            scores[k] = self.kernel.score_row(w.row)
            if (k + 1) % POLL_OBJECTS == 0:
                with gil:
                    poll(w.stop)
        return 0
