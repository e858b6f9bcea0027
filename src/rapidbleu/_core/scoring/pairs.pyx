"""Scores of all pairs: every hypothesis of a group against every reference of the group."""

from libc.math cimport INFINITY, exp
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport (
    POLL_OBJECTS, POLL_TOKENS, add, allocate, grow, hash_key, poll, room, simd_level_in_use,
)
from rapidbleu._core.edits.rates cimport rate
from rapidbleu._core.input.columns cimport Buffer, kind_name, same_kind
from rapidbleu._core.matching.kernels cimport RougeLKernel
from rapidbleu._core.metrics cimport (
    ScratchC, brevity_penalty, length_of_others, scratch_free, scratch_init, sort_lengths,
)
from rapidbleu._core.metrics.bleu cimport BleuKernel, CACHED_ORDERS
from rapidbleu._core.metrics.chrf cimport ChrfKernel, epsilon, f_score, smoothed_f_score
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.ngrams cimport (
    BLOCK_HYP_TOKENS, BLOCK_ORDERS, BLOCK_REFS, BLOCK_TOKENS, InvertedIndexC, NO_NODE, NgramSetC,
    TokenTableC, count_ngrams, inverted_index_build, inverted_index_count, inverted_index_find,
    inverted_index_free, inverted_index_init, inverted_index_sum, ngram_set_build, token_numbers,
    token_table_clear, token_table_free, token_table_init,
)
from rapidbleu._core.text cimport (
    TokensC, segment_length, text_tokens, tokens_append, tokens_clear, tokens_free,
)
from rapidbleu._core.text.tokenize cimport PreparedReferences, tokens_open


cdef extern from "scoring/lanes.h" nogil:
    enum:
        LANES "RB_LANES"
        LANE_TOKENS "RB_LANE_TOKENS"
    ctypedef void (*CompareLanesC "rb_lanes_fn")(
        const uint64_t*, const uint32_t*, int64_t, int, const int*, int64_t*
    ) noexcept nogil
    ctypedef struct LanesC "rb_lanes":
        int lengths[LANES]
        int n_lanes
        int64_t results[LANES]
        CompareLanesC distances
        CompareLanesC subsequences
    void lanes_init "rb_lanes_init" (LanesC* l, int level) noexcept
    void lanes_free "rb_lanes_free" (LanesC* l) noexcept
    int lanes_clear "rb_lanes_clear" (LanesC* l, int64_t n_numbers) except -1
    int lanes_add "rb_lanes_add" (LanesC* l, const int32_t* numbers, int64_t n) except -1
    int lanes_compare "rb_lanes_compare" (
        LanesC* l, CompareLanesC compare, const int32_t* numbers, int64_t n
    ) except -1


ctypedef struct GroupC:
    int64_t hyp_begin
    int64_t hyp_end
    int64_t ref_begin
    int64_t ref_end
    int64_t out          # index of its first result
    int64_t stride       # from one row of the matrix to the next


# All pairs: every hypothesis of a group against every reference of the group, one pair at a time.
# Groups are independent: the candidates of one source segment, the samples of one prompt.
# References are taken in blocks whose data stays in the cache while all hypotheses pass, in the
# order given. A metric may score a block at once (`BleuPairs`); the base class asks the kernel for
# each pair, which works for every metric.
#
# The same scores yield three results: the matrix; its weighted mean over the references, which is
# the expected utility of minimum Bayes risk decoding and needs no matrix (Kumar and Byrne 2004);
# and each hypothesis against the rest of its group together (self-BLEU, Zhu et al. 2018).


cdef uint64_t KEY = hash_key()
cdef int LEVEL = simd_level_in_use()


cdef class PairWork:
    """Scratch memory of one call, with `stop` and `tell` as in `Pairs.score`."""

    cdef ScratchC scratch
    cdef InvertedIndexC index
    cdef InvertedIndexC second   # of the second token sequence, for metrics that have one
    cdef TokensC others      # segments of a group, twice
    cdef int64_t* row        # of statistics
    cdef double* scores      # of one hypothesis with the references of a block
    cdef double* tables      # of a metric, created on demand
    cdef int64_t table_capacity
    cdef int n_tables
    cdef int table_of[BLOCK_HYP_TOKENS + 1]  # by length: index plus 1; 0: none yet
    cdef int64_t* lengths
    cdef int64_t length_capacity
    cdef LanesC lanes
    cdef int64_t work        # since the last poll, in pairs and tokens
    cdef list stop           # see signals.h
    cdef object tell         # None, or called with the number of pairs done
    cdef int64_t told        # pairs already reported
    cdef bint indexed        # does the index contain the block?

    def __cinit__(self, Kernel kernel not None, list stop, object tell=None, /):
        scratch_init(&self.scratch, KEY)
        inverted_index_init(&self.index, KEY, <PyObject*> stop)
        inverted_index_init(&self.second, KEY, <PyObject*> stop)
        lanes_init(&self.lanes, LEVEL)
        tokens_open(&self.others)
        self.stop, self.tell = stop, tell
        self.scratch.stop = <PyObject*> stop
        self.row = <int64_t*> allocate(kernel.n_stats, sizeof(int64_t))
        self.scores = <double*> allocate(BLOCK_REFS, sizeof(double))

    def __dealloc__(self):
        scratch_free(&self.scratch)
        inverted_index_free(&self.index)
        inverted_index_free(&self.second)
        lanes_free(&self.lanes)
        tokens_free(&self.others)
        PyMem_RawFree(self.row)
        PyMem_RawFree(self.scores)
        PyMem_RawFree(self.tables)
        PyMem_RawFree(self.lengths)

    cdef int pause(self, int64_t done) except -1:
        """Poll for signals and report progress; `done` counts the pairs so far."""
        cdef int64_t new = done - self.told
        poll(self.stop)
        self.told = done
        if self.tell is not None and new:
            self.tell(new)
        return 0


cdef class Pairs:
    """Scores of hypotheses against single references; each segment of both has one text.

    Metrics with an index of the references use it from `least` hypotheses per group on, because
    building it takes as long as scoring that many pair by pair. Immutable, hence thread-safe.
    """

    cdef readonly Kernel kernel
    cdef PreparedReferences hyps
    cdef PreparedReferences refs
    cdef Py_ssize_t least

    def __cinit__(
        self, Kernel kernel not None, PreparedReferences hyps not None,
        PreparedReferences refs not None, Py_ssize_t least=20, /,
    ):
        hyps.require(kernel.n_sequences)
        refs.require(kernel.n_sequences)
        if not same_kind(hyps.kind, refs.kind):
            raise TypeError(
                f"references: expected segments of {kind_name(hyps.kind)} as in hypotheses; "
                f"got {kind_name(refs.kind)}"
            )
        self.kernel, self.hyps, self.refs, self.least = kernel, hyps, refs, least

    cdef int64_t end_of_block(self, int64_t ref, int64_t end) noexcept nogil:
        cdef int64_t last = end if end - ref < BLOCK_REFS else ref + BLOCK_REFS
        cdef const int64_t* first_token = self.refs.tokens.first_token
        cdef int n = self.kernel.n_sequences
        cdef int64_t full = first_token[n * ref] + BLOCK_TOKENS
        ref += 1
        while ref < last and first_token[n * (ref + 1)] <= full:
            ref += 1
        return ref

    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil:
        return 0

    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil:
        cdef int64_t ref
        cdef int n = self.kernel.n_sequences
        for ref in range(ref_begin, ref_end):
            self.kernel.segment(
                &self.hyps.tokens, hyp, &self.refs.tokens, ref, ref + 1, w.row, &w.scratch
            )
            scores[ref - ref_begin] = self.kernel.score_row(w.row)
            w.work += 8 + text_tokens(&self.hyps.tokens, hyp, n) + text_tokens(
                &self.refs.tokens, ref, n
            )
            if w.work >= POLL_TOKENS:
                w.work = 0
                with gil:
                    poll(w.stop)
        return 0

    cdef int score_block(
        self, PairWork w, int64_t* hyp, const GroupC* group, int64_t ref_begin, int64_t ref_end,
        double* out, const double* weights,
    ) except -1 nogil:
        """Score hypotheses of a group from `hyp` on against a block, until the next poll. The
        weighted sum goes to the hypothesis's item of `out`; without weights, the scores go to its
        row."""
        cdef int64_t r, place
        cdef double total
        w.work = 0
        while hyp[0] < group.hyp_end and w.work < POLL_TOKENS:
            place = hyp[0] - group.hyp_begin
            if weights == NULL:
                self.score_hyp(
                    w, hyp[0], ref_begin, ref_end,
                    out + group.out + place * group.stride + (ref_begin - group.ref_begin),
                )
            else:
                self.score_hyp(w, hyp[0], ref_begin, ref_end, w.scores)
                total = out[group.out + place]
                for r in range(ref_end - ref_begin):
                    total += weights[ref_begin + r] * w.scores[r]
                out[group.out + place] = total
            w.work += ref_end - ref_begin + 8 * text_tokens(
                &self.hyps.tokens, hyp[0], self.kernel.n_sequences
            )
            hyp[0] += 1
        return 0

    def score(
        self, groups, Py_ssize_t begin, Py_ssize_t end, out, weights=None, list stop=None,
        object tell=None, /,
    ):
        """Score groups [begin, end).

        A row of `groups`, int64, contains six numbers: start and end of its hypotheses, start and
        end of its references, index of its first result, and stride of its matrix. Without
        `weights` of the references, `out` receives each group's matrix row by row; with them, one
        sum per hypothesis is added to `out`, which must be 0. Stops once `stop` is not empty,
        raising the exception in it. `tell` is called now and then with the number of new pairs
        done.
        """
        cdef Buffer table = Buffer(groups, "groups")
        cdef Buffer target = Buffer(out, "out", writable=True)
        cdef Buffer weight = None if weights is None else Buffer(weights, "weights")
        cdef double* each = NULL if weight is None else <double*> weight.data
        cdef double* result = <double*> target.data
        cdef PairWork w = PairWork(self.kernel, stop, tell)
        cdef const GroupC* group
        cdef int64_t ref, ref_end, hyp, before
        cdef Py_ssize_t g
        if weight is not None:
            weight.require(c"f", sizeof(double), len(self.refs), "weights")
        self.check_groups(table, begin, end, target, weight is None)
        for g in range(begin, end):
            group = <const GroupC*> table.data + g
            ref = group.ref_begin
            while ref < group.ref_end:
                ref_end = self.end_of_block(ref, group.ref_end)
                with nogil:
                    self.open_block(w, group.hyp_end - group.hyp_begin, ref, ref_end)
                hyp = group.hyp_begin
                while hyp < group.hyp_end:
                    before = hyp
                    with nogil:
                        self.score_block(w, &hyp, group, ref, ref_end, result, each)
                    w.pause(w.told + (hyp - before) * (ref_end - ref))
                ref = ref_end

    cdef int check_groups(
        self, Buffer groups, Py_ssize_t begin, Py_ssize_t end, Buffer out, bint matrix
    ) except -1:
        cdef Py_ssize_t g
        cdef const GroupC* group
        cdef int64_t n
        groups.require(c"i", sizeof(int64_t), 6 * (groups.n_items // 6), "groups")
        out.require(c"f", sizeof(double), out.n_items, "out")
        if not 0 <= begin <= end <= groups.n_items // 6:
            raise ValueError(f"groups: expected some of {groups.n_items // 6}; got {begin}, {end}")
        for g in range(begin, end):
            group = <const GroupC*> groups.data + g
            n = group.hyp_end - group.hyp_begin
            if matrix and n:
                n = (n - 1) * group.stride + group.ref_end - group.ref_begin
            if not (
                0 <= group.hyp_begin <= group.hyp_end <= len(self.hyps)
                and 0 <= group.ref_begin <= group.ref_end <= len(self.refs)
                and 0 <= group.out <= group.out + n <= out.n_items and 0 <= group.stride
            ):
                raise ValueError(f"groups[{g}]: expected ranges of what there is")
        return 0

    cdef int score_others(self, PairWork w, const GroupC* group, double* scores) except -1 nogil:
        """Score each hypothesis of a group against those that follow it in a circle."""
        cdef int64_t n = group.hyp_end - group.hyp_begin, k
        cdef int m = self.kernel.n_sequences
        tokens_clear(&w.others)
        for k in range(2 * n * m):
            tokens_append(&w.others, &self.refs.tokens, m * group.hyp_begin + k % (m * n))
        for k in range(n):
            self.kernel.segment(
                &self.hyps.tokens, group.hyp_begin + k, &w.others, k + 1, k + n, w.row, &w.scratch
            )
            scores[k] = self.kernel.score_row(w.row)
            w.work += 8 * n + w.others.n_tokens // 2
            if w.work >= POLL_TOKENS:
                w.work = 0
                with gil:
                    w.pause((k + 1) * n)
        return 0

    def score_each(
        self, groups, Py_ssize_t begin, Py_ssize_t end, out, list stop=None, object tell=None, /
    ):
        """Score each hypothesis of groups [begin, end) against the rest of its group.

        Arguments as in `score`; a group has at least two hypotheses, and its references are
        ignored. `tell` receives n * n pairs for a group of n hypotheses.
        """
        cdef Buffer table = Buffer(groups, "groups")
        cdef Buffer target = Buffer(out, "out", writable=True)
        cdef PairWork w = PairWork(self.kernel, stop, tell)
        cdef const GroupC* group
        cdef int64_t n
        cdef Py_ssize_t g
        self.check_groups(table, begin, end, target, False)
        for g in range(begin, end):
            group = <const GroupC*> table.data + g
            n = group.hyp_end - group.hyp_begin
            w.told = 0
            with nogil:
                self.score_others(w, group, <double*> target.data + group.out)
            w.pause(n * n)


# BLEU of all pairs: matches from an index of the references, logarithms from tables. The hypothesis
# fixes the totals of a row, so the logarithm of a precision depends only on the matches, and the
# brevity penalty only on the reference's length: a score is one look-up per order, a sum and one
# exp. Values and operations are the kernel's, so the result equals `sentence_score` bit for bit.
# The tables of a hypothesis length, 21 kB each, are shared by all hypotheses of that length. Few
# hypotheses, long ones, giant references and high orders are scored pair by pair.
cdef enum:
    # Layout of a table of a length. For each order: logarithms by number of matches, and for no
    # match, by number of orders without any. Then:
    ZEROS = BLOCK_HYP_TOKENS
    ORDER = ZEROS + CACHED_ORDERS + 1
    USED = CACHED_ORDERS * ORDER     # orders that a hypothesis of this length has
    DIVISOR = USED + 1             # of the sum of their logarithms; 0: every score is 0
    PENALTY = DIVISOR + 1          # brevity penalties by reference length; 0: not computed yet
    LENGTHS = 512
    TABLE = PENALTY + LENGTHS


cdef class BleuPairs(Pairs):

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
        if table[USED] == 4.0:  # a constant for the optimizer
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
        """Compute the mean log precision of a hypothesis with each reference of the block."""
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
        """Match an n-gram if any other segment of the group has as many of it."""
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


# chrF of all pairs: matches from an index of the references, order by order. One index contains the
# character n-grams of a block of references, another the word n-grams. The matches of an order
# become precisions and recalls, added up before the next order is counted, so a block needs only a
# few numbers per reference. Operations and their order are the kernel's, so the result equals
# `sentence_score` bit for bit. Few hypotheses, giant references and high orders go pair by pair.


cdef struct SumsC:            # of a hypothesis with each reference of a block
    double[BLOCK_REFS] first  # precisions, or F scores with eps_smoothing
    double[BLOCK_REFS] recalls
    double[BLOCK_REFS] n_orders
    uint32_t[BLOCK_REFS] matches


cdef class ChrfPairs(Pairs):

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
        """Score against the best other hypothesis, hence the maximum of a row."""
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
                        w.pause((ref - group.hyp_begin) * n + (k + 1) * (ref_end - ref))
            ref = ref_end
        return 0


cdef int count_matches(
    InvertedIndexC* x, const uint32_t* found, int64_t n, uint32_t* matches
) except -1 nogil:
    """Count the matches of n elements in each reference; byte counters limit n per pass."""
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
    """Add precision and recall of an order for the references that have n-grams of it."""
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


# Distances of all pairs: up to 32 references in the lanes of vectors (lanes.h). Tokens of
# both sides are numbered when the pairs are created, so that no thread hashes again. References
# longer than a lane are scored one by one, as are few hypotheses.
cdef class LanePairs(Pairs):
    """Pairs of a metric computed from a distance of two texts and their lengths; see `Pairs`.

    Creation takes time and memory linear in the tokens of both sides.
    """

    cdef int32_t* hyp_numbers
    cdef int32_t* ref_numbers
    cdef int64_t n_numbers

    def __cinit__(self, *_):
        cdef TokenTableC table
        token_table_init(&table, KEY)
        try:
            token_table_clear(&table, &self.refs.tokens, self.refs.tokens.n_tokens)
            self.ref_numbers = number_all(&table, &self.refs.tokens, True)
            self.hyp_numbers = number_all(&table, &self.hyps.tokens, False)
            self.n_numbers = table.table.n_items + 1
        finally:
            token_table_free(&table)

    def __dealloc__(self):
        PyMem_RawFree(self.hyp_numbers)
        PyMem_RawFree(self.ref_numbers)

    cdef CompareLanesC comparison(self, PairWork w) noexcept nogil:
        return w.lanes.distances

    cdef void score_lanes(self, const LanesC* lanes, int64_t n_hyp, double* scores) noexcept nogil:
        """Compute the scores of a hypothesis with the texts of all lanes from `lanes`' results."""

    cdef int64_t end_of_block(self, int64_t ref, int64_t end) noexcept nogil:
        return end if end - ref < LANES else ref + LANES

    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil:
        cdef const TokensC* refs = &self.refs.tokens
        cdef int64_t ref, n
        w.indexed = n_hyps >= self.least
        if w.indexed:
            lanes_clear(&w.lanes, self.n_numbers)
            for ref in range(ref_begin, ref_end):
                n = segment_length(refs, ref)
                lanes_add(
                    &w.lanes, self.ref_numbers + refs.first_token[ref],
                    n if n <= LANE_TOKENS else 0,
                )
        return 0

    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil:
        cdef const int32_t* numbers = self.hyp_numbers + self.hyps.tokens.first_token[hyp]
        cdef int64_t n_hyp = segment_length(&self.hyps.tokens, hyp), j
        if not w.indexed:
            return Pairs.score_hyp(self, w, hyp, ref_begin, ref_end, scores)
        lanes_compare(&w.lanes, self.comparison(w), numbers, n_hyp)
        self.score_lanes(&w.lanes, n_hyp, scores)
        for j in range(ref_end - ref_begin):
            if segment_length(&self.refs.tokens, ref_begin + j) > LANE_TOKENS:
                Pairs.score_hyp(self, w, hyp, ref_begin + j, ref_begin + j + 1, scores + j)
        w.work += 2 * (ref_end - ref_begin) * n_hyp // 8
        return 0


cdef int32_t* number_all(TokenTableC* table, const TokensC* texts, bint new) except NULL:
    """Number the tokens of all texts, adding `new` ones to the table."""
    cdef int32_t* numbers = <int32_t*> allocate(texts.n_tokens, sizeof(int32_t))
    cdef int64_t text = 0, end
    try:
        while text < texts.n_segments:
            end = min(text + POLL_OBJECTS, texts.n_segments)
            with nogil:
                while text < end:
                    token_numbers(table, texts, text, new, numbers + texts.first_token[text])
                    text += 1
            poll(None)
    except BaseException:
        PyMem_RawFree(numbers)
        raise
    return numbers


cdef class RougeLPairs(LanePairs):

    cdef RougeLKernel rouge

    def __cinit__(self, kernel, *_):
        self.rouge = kernel

    cdef CompareLanesC comparison(self, PairWork w) noexcept nogil:
        return w.lanes.subsequences

    cdef void score_lanes(self, const LanesC* lanes, int64_t n_hyp, double* scores) noexcept nogil:
        self.rouge.score_lengths(lanes.results, n_hyp, lanes.lengths, lanes.n_lanes, scores)


cdef class EditPairs(LanePairs):

    cdef void score_lanes(self, const LanesC* lanes, int64_t n_hyp, double* scores) noexcept nogil:
        cdef int lane
        for lane in range(lanes.n_lanes):
            scores[lane] = rate(lanes.results[lane], lanes.lengths[lane])
