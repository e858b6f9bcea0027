"""Metrics that count or weight n-grams: rows and scores."""

cimport cython
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport (
    IdleC, allocate, hash_key, idle_any, idle_free, idle_put, idle_take,
)
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.metrics cimport (
    CLOSEST, REAL, brevity_penalty, log_brevity, real_store, real_value, reference_length,
    scratch_words,
)
from rapidbleu._core.metrics.kernel cimport BestReferenceKernel, Kernel, SegmentMeanKernel
from rapidbleu._core.metrics.kernel import by_order, in_fixed_point
from rapidbleu._core.ngrams cimport (
    MOST_ORDERS, clipped_counts, token_numbers, token_table_clear, token_table_free,
    token_table_init,
)
from rapidbleu._core.text cimport segment_length
from rapidbleu._core.text.tokenize cimport PreparedReferences


# F of single words: precision, recall and their combinations. Here and in GLEU, matches are clipped
# by one reference at a time, and only the first reference with the maximum score is used.
cdef enum:
    MATCHES, HYP, REF


cdef class WordFKernel(BestReferenceKernel):
    """Compiled F of words; recall weighs `beta` times as much as precision, from 0 to infinity."""

    cdef double beta

    def __cinit__(self, double beta, /):
        self.state(("matches", "hyp_len", "ref_len"))
        self.limit(MATCHES, HYP, REF)
        self.beta = beta

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        row[HYP], row[REF] = segment_length(hyps, hyp), segment_length(refs, ref)
        return clipped_counts(
            hyps, hyp, refs, ref, ref + 1, 1, &row[MATCHES], &scratch.clipping, scratch.stop
        )

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        # A single quotient, so that equal fractions are equal doubles.
        cdef double square = self.beta * self.beta, whole = square * row[REF] + row[HYP]
        if square == INFINITY:
            return 100.0 * share(row[MATCHES], row[REF])
        return 100.0 * ((1.0 + square) * row[MATCHES] / whole) if row[MATCHES] > 0 else 0.0

    cdef describe_row(self, const int64_t* row):
        return (
            self.score_row(row), 100.0 * share(row[MATCHES], row[HYP]),
            100.0 * share(row[MATCHES], row[REF]), row[MATCHES], row[HYP], row[REF],
        )


cdef inline double share(int64_t part, int64_t whole) noexcept nogil:
    return <double> part / <double> whole if whole > 0 else 0.0


cdef list numbers_at(const int64_t* row, int step, int n, bint is_real):
    """Return the numbers of n orders, in columns that are `step` apart."""
    cdef list numbers = []
    cdef int _
    for _ in range(n):
        if is_real:
            numbers.append(real_value(row))
        else:
            numbers.append(row[0])
        row += step
    return numbers


# GLEU (Wu et al. 2016): n-grams of all orders together, the minimum of precision and recall. The
# larger number of n-grams is a column of its own, which a corpus adds up over its segments.
cdef enum:
    GLEU_MATCHES, GLEU_ALL
    MOST_GLEU_ORDERS = 64


cdef class GleuKernel(BestReferenceKernel):
    """Compiled GLEU, orders up to 64."""

    cdef int min_order
    cdef int max_order

    def __cinit__(self, int min_order, int max_order, /):
        if not 1 <= min_order <= max_order <= MOST_GLEU_ORDERS:
            raise ValueError(
                f"min_order, max_order: expected 1 to {MOST_GLEU_ORDERS} in order; got {min_order} "
                f"and {max_order}"
            )
        self.state(("matches", "n-grams"))
        self.limit(GLEU_MATCHES, GLEU_ALL)
        self.min_order, self.max_order = min_order, max_order

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[MOST_GLEU_ORDERS]
        cdef int order
        clipped_counts(
            hyps, hyp, refs, ref, ref + 1, self.max_order, counts, &scratch.clipping, scratch.stop
        )
        row[GLEU_MATCHES] = 0
        for order in range(self.min_order, self.max_order + 1):
            row[GLEU_MATCHES] += counts[order - 1]
        row[GLEU_ALL] = max(
            self.total(segment_length(hyps, hyp)), self.total(segment_length(refs, ref))
        )
        return 0

    cdef double rank(self, const int64_t* row) noexcept nogil:
        return share(row[GLEU_MATCHES], row[GLEU_ALL]) if row[GLEU_ALL] > 0 else -1.0

    cdef int64_t total(self, int64_t n) noexcept nogil:
        cdef int64_t n_grams = 0
        cdef int order
        for order in range(self.min_order, self.max_order + 1):
            if n >= order:
                n_grams += n - order + 1
        return n_grams

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return 100.0 * share(row[GLEU_MATCHES], row[GLEU_ALL])


# GLEU of grammatical error correction: n-grams of the reference, minus those left as in the source
# although the reference differs. The first text of a segment is its source. The first reference
# with the maximum smoothed score is used.
cdef enum:
    C_HYP, C_REF, C_FIRST     # followed by [correct, total] of each order


cdef class CorrectionKernel(Kernel):
    """Compiled GLEU of corrections, up to order 64; `smooth` replaces every 0 of a row by 1."""

    cdef int max_order
    cdef bint smooth

    def __cinit__(self, int max_order, bint smooth, /):
        if not 1 <= max_order <= MOST_GLEU_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_GLEU_ORDERS}; got {max_order}")
        self.n_stats = C_FIRST + 2 * max_order
        self.limit(C_FIRST, C_FIRST + 1, -1, 2, max_order)
        self.max_order, self.smooth = max_order, smooth

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t matches[MOST_GLEU_ORDERS]
        cdef int64_t kept[MOST_GLEU_ORDERS]
        cdef int64_t rival[C_FIRST + 2 * MOST_GLEU_ORDERS]
        cdef double best = -1.0, score
        cdef int64_t ref, n = segment_length(hyps, hyp)
        cdef int k
        if ref_end - ref_begin < 2:
            with gil:
                raise ValueError(
                    "references: expected a source and at least one reference of each segment; "
                    f"got {ref_end - ref_begin} texts"
                )
        for ref in range(ref_begin + 1, ref_end):
            correction_counts(
                hyps, hyp, refs, ref_begin, ref, self.max_order, matches, kept, scratch
            )
            rival[C_HYP], rival[C_REF] = n, segment_length(refs, ref)
            for k in range(self.max_order):
                rival[C_FIRST + 2 * k] = matches[k] - kept[k] if matches[k] > kept[k] else 0
                rival[C_FIRST + 2 * k + 1] = n - k if n > k else 0
            score = self.score_smoothed(rival, True)
            if score > best:
                best = score
                memcpy(row, rival, self.n_stats * sizeof(int64_t))
        return 0

    cdef double score_smoothed(self, const int64_t* row, bint smooth) noexcept nogil:
        cdef double logs = 0.0, penalty
        cdef int64_t least = 1 if smooth else 0
        cdef int k
        for k in range(self.n_stats):
            if row[k] == 0 and not smooth:
                return 0.0
        for k in range(C_FIRST, self.n_stats, 2):
            logs += log(<double> max(row[k], least) / <double> max(row[k + 1], least))
        penalty = log_brevity(max(row[C_HYP], least), max(row[C_REF], least))
        return 100.0 * exp(penalty + logs / self.max_order)

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return self.score_smoothed(row, self.smooth)

    def columns(self):
        return ["hyp_len", "ref_len", *by_order(self.max_order, "matches", "total")]

    cdef describe_row(self, const int64_t* row):
        matches = numbers_at(row + C_FIRST, 2, self.max_order, False)
        totals = numbers_at(row + C_FIRST + 1, 2, self.max_order, False)
        return self.score_row(row), matches, totals, row[C_HYP], row[C_REF]


cdef uint64_t KEY = hash_key()
cdef uint64_t ZERO = ord("0")  # identity of the token: a short one is its bytes


cdef enum:
    KEPT_BYTES = 1 << 24    # limit of idle memory


cdef class NgramMemory:
    """Counts and weights of n-grams, in memory that may be used for other texts later."""

    cdef NgramWeightsC weights
    cdef str kind
    cdef double unknown            # weight of n-grams without one of their own
    cdef bint weightless

    def __cinit__(self):
        ngram_weights_init(&self.weights, KEY)

    def __dealloc__(self):
        ngram_weights_free(&self.weights)

    cdef int build(self, PreparedReferences texts, int max_order, str kind) except -1:
        cdef uint64_t zero = ZERO if kind == "information of Perl" else 0
        cdef bint rarity = kind == "rarity"
        cdef int64_t node
        with nogil:
            ngram_weights_build(
                &self.weights, &texts.tokens, texts.first, texts.length, max_order, zero, NULL
            )
            if rarity:
                self.unknown = ngram_weights_rarity(&self.weights)
            else:
                ngram_weights_information(&self.weights, False)
        self.kind = kind
        self.weightless = self.weights.n_nodes > 0
        for node in range(1, self.weights.n_nodes + 1):
            if self.weights.nodes[node].weight != 0.0:
                self.weightless = False
                break
        return 0


cdef class IdleNgrams:
    """The memory of the last counts of a metric, for any number of threads."""

    cdef IdleC idle

    def __dealloc__(self):
        idle_free(&self.idle)


cdef class NgramCounts:
    """Counts and weights of all n-grams of prepared references.

    `weights` is "information", "information of Perl" (a token ``0`` that begins a pair is ignored,
    as in mteval) or "rarity". `weightless` means that there are n-grams but all weigh 0. Without
    `idle`, the texts keep the counts for the next call; otherwise their memory returns there.
    Creation takes linear time in the number of tokens; immutable, hence thread-safe.
    """

    cdef PreparedReferences texts  # owner of the long tokens in the token table
    cdef NgramMemory ngrams
    cdef IdleNgrams idle

    def __cinit__(
        self, PreparedReferences texts not None, int max_order, str weights, IdleNgrams idle, /
    ):
        cdef NgramMemory ngrams
        self.texts = texts
        with cython.critical_section(texts):
            ngrams = texts.ngrams
        if ngrams is None or ngrams.weights.max_order != max_order or ngrams.kind != weights:
            ngrams = None if idle is None else <NgramMemory> idle_take(&idle.idle)
            if ngrams is None:
                ngrams = NgramMemory()
            ngrams.build(texts, max_order, weights)
            self.idle = idle
            if idle is None:
                with cython.critical_section(texts):
                    texts.ngrams = ngrams
        self.ngrams = ngrams

    def __dealloc__(self):
        if (
            self.idle is not None and self.ngrams is not None
            and ngram_weights_memory(&self.ngrams.weights) <= KEPT_BYTES
            and not idle_any(&self.idle.idle)
        ):
            idle_put(&self.idle.idle, self.ngrams)

    @property
    def weightless(self):
        return self.ngrams.weightless


# NIST (Doddington 2002): matches weighted by information, per n-gram of the hypothesis. A row
# contains the n-grams of each order, the mean length of the references, and the information matched
# in each order; the last two are fixed-point numbers, which add up over segments.
cdef enum:
    MOST_NIST_ORDERS = 16


cdef double BETA = log(2.0) / (log(1.5) * log(1.5))  # a penalty of 1/2 at 2/3 of the length


cdef class NistKernel(Kernel):
    """Compiled NIST, up to order 16; without information of that order, it only scores rows."""

    cdef int max_order
    cdef NgramCounts information

    def __cinit__(self, int max_order, NgramCounts information, /):
        if not 1 <= max_order <= min(MOST_NIST_ORDERS, MOST_ORDERS):
            raise ValueError(f"max_order: expected 1 to {MOST_NIST_ORDERS}; got {max_order}")
        self.max_order = max_order
        self.information = information
        self.n_stats = max_order + REAL * (1 + max_order)

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef double sums[MOST_NIST_ORDERS]
        cdef int64_t n = segment_length(hyps, hyp)
        cdef int64_t n_refs = refs.first_token[ref_end] - refs.first_token[ref_begin]
        cdef int order
        self.add_information(hyps, hyp, refs, ref_begin, ref_end, sums, scratch)
        for order in range(self.max_order):
            row[order] = n - order if n > order else 0
        row += self.max_order
        real_store(row, <double> n_refs / <double> (ref_end - ref_begin))
        for order in range(self.max_order):
            row += REAL
            real_store(row, sums[order])
        return 0

    cdef int add_information(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* sums, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t n = segment_length(hyps, hyp)
        cdef uint64_t* hits
        cdef int32_t* numbers
        cdef int order
        if self.information is None:
            with gil:
                raise ValueError("information: expected counts of n-grams; got None")
        if weights_have_places(&self.information.ngrams.weights, n, refs, ref_begin, ref_end):
            return matched_weights(
                &self.information.ngrams.weights, hyps, hyp, ref_begin, ref_end, self.max_order,
                sums, scratch,
            )
        hits = ngram_hits(hyps, hyp, refs, ref_begin, ref_end, self.max_order, scratch)
        numbers = <int32_t*> (hits + n)
        token_numbers(&self.information.ngrams.weights.tokens, hyps, hyp, False, numbers)
        for order in range(self.max_order):
            sums[order] = 0.0
        ngram_weights_sum(&self.information.ngrams.weights, numbers, hits, n, self.max_order, sums)
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef const int64_t* information = row + self.max_order + REAL
        cdef double gained = 0.0, length = real_value(row + self.max_order), ratio
        cdef int order
        for order in range(self.max_order):
            if row[order] > 0:
                gained += real_value(information + REAL * order) / <double> row[order]
        if row[0] == 0 or length == 0.0:
            return 0.0
        ratio = <double> row[0] / length
        return gained if ratio >= 1.0 else gained * exp(-BETA * log(ratio) * log(ratio))

    def columns(self):
        information = by_order(self.max_order, "information")
        return [*by_order(self.max_order, "total"), *in_fixed_point("ref_len", *information)]

    cdef describe_row(self, const int64_t* row):
        totals = numbers_at(row, 1, self.max_order, False)
        row += self.max_order
        information = numbers_at(row + REAL, REAL, self.max_order, True)
        return self.score_row(row - self.max_order), information, totals, real_value(row)


# CIDEr-D (Vedantam et al. 2015): similarity of texts by their rare n-grams.
cdef class CiderKernel(SegmentMeanKernel):
    """Compiled CIDEr-D, up to order 16; without rarity of that order, it only scores rows.

    `sigma` is the width, in words, of the penalty for a difference in length.
    """

    cdef int max_order
    cdef double sigma
    cdef NgramCounts rarity

    def __cinit__(self, int max_order, double sigma, NgramCounts rarity, /):
        if not 1 <= max_order <= MOST_RARE_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_RARE_ORDERS}; got {max_order}")
        self.set_values(("score",), 0, 1.0)
        self.max_order, self.sigma, self.rarity = max_order, sigma, rarity

    cdef int measure_all(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        if self.rarity is None:
            with gil:
                raise ValueError("rarity: expected counts of n-grams; got None")
        values[0] = rare_likeness(
            &self.rarity.ngrams.weights, self.rarity.ngrams.unknown, hyps, hyp, refs, ref_begin,
            ref_end, self.max_order, self.sigma, scratch,
        )
        return 0


cdef class TokenWeights:
    """Weights of tokens, for metrics to look up.

    `tokens` is one text of distinct tokens; `weights` are at least 0; all other tokens weigh
    `default`.
    """

    cdef TokenTableC table
    cdef PreparedReferences tokens  # owner of the long tokens in the table
    cdef double* weights            # by number; 0: all other tokens

    def __cinit__(self, PreparedReferences tokens not None, weights, double default, /):
        cdef Buffer values = Buffer(weights, "weights")
        cdef int64_t n = tokens.tokens.n_tokens, i
        cdef int32_t* numbers = NULL
        token_table_init(&self.table, KEY)
        self.tokens = tokens
        self.weights = <double*> allocate(n + 1, sizeof(double))
        try:
            numbers = <int32_t*> allocate(n + 1, sizeof(int32_t))
            values.require(c"f", sizeof(double), n, "weights")
            token_table_clear(&self.table, &tokens.tokens, n)
            token_numbers(&self.table, &tokens.tokens, 0, True, numbers)
            self.weights[0] = default
            for i in range(n):
                self.weights[numbers[i]] = (<const double*> values.data)[i]
        finally:
            PyMem_RawFree(numbers)

    def __dealloc__(self):
        token_table_free(&self.table)
        PyMem_RawFree(self.weights)

    cdef int look_up(self, const TokensC* texts, int64_t text, int32_t* numbers) except -1 nogil:
        return token_numbers(&self.table, texts, text, False, numbers)


# BLEU with n-grams weighted by the sum of their token weights. A row contains the lengths and, for
# each order, the weights of matched n-grams and of all n-grams of the hypothesis.
cdef enum:
    W_HYP, W_REF, W_FIRST


cdef class WeightedKernel(Kernel):
    """Compiled BLEU with weights of tokens, up to order 16."""

    cdef int max_order
    cdef TokenWeights weights

    def __cinit__(self, int max_order, TokenWeights weights not None, /):
        if not 1 <= max_order <= MOST_NIST_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_NIST_ORDERS}; got {max_order}")
        self.max_order, self.weights = max_order, weights
        self.n_stats = W_FIRST + 2 * REAL * max_order

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef double matched[MOST_NIST_ORDERS]
        cdef double total[MOST_NIST_ORDERS]
        cdef int64_t n = segment_length(hyps, hyp), i
        cdef const double* weights = self.weights.weights
        cdef double weight
        cdef uint64_t* hits = ngram_hits(
            hyps, hyp, refs, ref_begin, ref_end, self.max_order, scratch
        )
        cdef int32_t* numbers = <int32_t*> (hits + n)
        cdef int k
        self.weights.look_up(hyps, hyp, numbers)
        for k in range(self.max_order):
            matched[k] = total[k] = 0.0
        for i in range(n):
            weight = 0.0
            for k in range(self.max_order):
                if k > i:
                    break
                weight += weights[numbers[i - k]]
                total[k] += weight
                if hits[i] >> k & 1:
                    matched[k] += weight
        row[W_HYP] = n
        row[W_REF] = reference_length(refs, ref_begin, ref_end, n, CLOSEST)
        for k in range(self.max_order):
            real_store(row + W_FIRST + 2 * REAL * k, matched[k])
            real_store(row + W_FIRST + 2 * REAL * k + REAL, total[k])
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double logs = 0.0, matched
        cdef int k
        for k in range(self.max_order):
            matched = real_value(row + W_FIRST + 2 * REAL * k)
            if matched == 0.0:
                return 0.0
            logs += log(matched / real_value(row + W_FIRST + 2 * REAL * k + REAL))
        return 100.0 * (brevity_penalty(row[W_HYP], row[W_REF]) * exp(logs / self.max_order))

    def columns(self):
        weights = by_order(self.max_order, "matches", "total")
        return ["hyp_len", "ref_len", *in_fixed_point(*weights)]

    cdef describe_row(self, const int64_t* row):
        matched = numbers_at(row + W_FIRST, 2 * REAL, self.max_order, True)
        totals = numbers_at(row + W_FIRST + REAL, 2 * REAL, self.max_order, True)
        return self.score_row(row), matched, totals, row[W_HYP]


# The weighted n-gram match of CodeBLEU: recall of 1 to 4 tokens over all references, 1 weighted.
cdef enum:
    M_HYP = 0
    M_SEGMENTS = 1
    M_MATCHED = 2
    M_TOTAL = M_MATCHED + REAL
    M_COUNTS = M_TOTAL + REAL     # [matched, total] of two, three and four tokens
    MATCH_ORDERS = 4


cdef class MatchKernel(Kernel):

    cdef TokenWeights weights

    def __cinit__(self, TokenWeights weights not None, /):
        self.weights = weights
        self.state((
            "hyp_len", "segments", *in_fixed_point("matched_1", "total_1"), "matched_2", "total_2",
            "matched_3", "total_3", "matched_4", "total_4",
        ))

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[MATCH_ORDERS]
        cdef int64_t n = segment_length(hyps, hyp), m, ref, i
        cdef const double* weights = self.weights.weights
        cdef double matched = 0.0, total = 0.0, weight
        cdef uint64_t* hits
        cdef int32_t* numbers
        cdef int k
        memset(row, 0, self.n_stats * sizeof(int64_t))
        row[M_HYP], row[M_SEGMENTS] = n, 1
        for ref in range(ref_begin, ref_end):
            m = segment_length(refs, ref)
            hits = ngram_hits(hyps, hyp, refs, ref, ref + 1, 1, scratch)
            numbers = <int32_t*> (hits + n)
            self.weights.look_up(hyps, hyp, numbers)
            for i in range(n):
                if hits[i] & 1:
                    matched += weights[numbers[i]]
            numbers = <int32_t*> scratch_words(scratch, m)
            self.weights.look_up(refs, ref, numbers)
            weight = 0.0
            for i in range(m):
                weight += weights[numbers[i]]
            total += weight if weight > 1.0 else 1.0
            clipped_counts(
                hyps, hyp, refs, ref, ref + 1, MATCH_ORDERS, counts, &scratch.clipping,
                scratch.stop,
            )
            for k in range(1, MATCH_ORDERS):
                row[M_COUNTS + 2 * (k - 1)] += counts[k]
                row[M_COUNTS + 2 * (k - 1) + 1] += m - k if m > k else 1
        real_store(row + M_MATCHED, matched)
        real_store(row + M_TOTAL, total)
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double matched = real_value(row + M_MATCHED), logs
        cdef int64_t length = 2 * row[M_SEGMENTS]  # of all references: see the class WeightedMatch
        cdef int64_t count
        cdef int k
        if matched == 0.0:
            return 0.0
        logs = 0.25 * log(matched / real_value(row + M_TOTAL))
        for k in range(1, MATCH_ORDERS):
            count = row[M_COUNTS + 2 * (k - 1)]
            logs += 0.25 * log(
                (<double> count if count > 0 else 0.1)
                / <double> row[M_COUNTS + 2 * (k - 1) + 1]
            )
        return 100.0 * (brevity_penalty(row[M_HYP], length) * exp(logs))

    cdef describe_row(self, const int64_t* row):
        matched = numbers_at(row + M_COUNTS, 2, MATCH_ORDERS - 1, False)
        totals = numbers_at(row + M_COUNTS + 1, 2, MATCH_ORDERS - 1, False)
        matched.insert(0, real_value(row + M_MATCHED))
        totals.insert(0, real_value(row + M_TOTAL))
        return self.score_row(row), matched, totals, row[M_HYP]
