"""Metrics of runs, pairs and subsequences of words, and of word order: rows and scores."""

from libc.math cimport INFINITY, pow
from libc.stdint cimport int64_t
from libc.string cimport memset

from cpython.object cimport PyObject

from rapidbleu._core.metrics cimport REAL, brevity_penalty, real_store, real_value
from rapidbleu._core.metrics.kernel import in_fixed_point
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport segment_length

cdef extern from *:
    ctypedef struct PyTypeObject:
        object (*tp_new)(type, object, PyObject*)

# ROUGE (Lin 2004). A segment has the F, precision and recall of the overlap of its hypothesis and a
# reference; a corpus has their means. With several references the first with the maximum F is used,
# as in rouge-score, or they are pooled: overlaps and sizes are added up.
cdef enum:
    F, PRECISION, RECALL, N_VALUES
    HITS = 0, HYP, REF, N_COUNTS
    MOST_ROUGE_ORDERS = 64

cdef int64_t NO_LIMIT = 1 << 40  # of the tokens between the tokens of a pair

cdef tuple VALUES = ("f", "precision", "recall")

MEASURES = {"f": F, "precision": PRECISION, "recall": RECALL}


cdef inline double f_measure(double precision, double recall, double beta) noexcept nogil:
    """Return F, which is precision for beta 0, recall for infinite beta, and 0 if both are 0."""
    cdef double square = beta * beta
    if square == 0.0 or precision + recall == 0.0:
        return precision
    if square == INFINITY:
        return recall
    return (1.0 + square) * precision * recall / (square * precision + recall)


cdef inline void rate_overlap(const OverlapC* overlap, double beta, double* values) noexcept nogil:
    values[PRECISION] = overlap.hits / overlap.hyp if overlap.hyp > 0.0 else 0.0
    values[RECALL] = overlap.hits / overlap.ref if overlap.ref > 0.0 else 0.0
    values[F] = f_measure(values[PRECISION], values[RECALL], beta)


cdef inline double as_kept(double value) noexcept nogil:
    """Return a number as stored in a row and read back."""
    cdef int64_t columns[REAL]
    real_store(columns, value)
    return real_value(columns)


cdef class RougeKernel(SegmentMeanKernel):
    """Base of the variants, which define the overlap of two texts.

    The score is the `measure`: "f", which weights recall `beta` times as much as precision,
    "precision" or "recall". With `pooled`, references are added up; otherwise the best is used.
    """

    def __cinit__(self, str measure not None, double beta, bint pooled, *_):
        self.set_values(VALUES, MEASURES[measure], 100.0)
        self.beta, self.pooled = beta, pooled

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil:
        """Compute the overlap of a hypothesis and one reference."""
        with gil:
            raise TypeError(f"{type(self).__name__} does not define an overlap")

    cdef void rate(self, const OverlapC* overlap, double* values) noexcept nogil:
        rate_overlap(overlap, self.beta, values)

    cdef double score_overlap(self, double hits, double n_hyp, double n_ref) noexcept nogil:
        cdef OverlapC overlap
        cdef double values[N_VALUES]
        overlap.hits, overlap.hyp, overlap.ref = hits, n_hyp, n_ref
        self.rate(&overlap, values)
        return self.scale * as_kept(values[self.which])

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef OverlapC overlap
        self.match(hyps, hyp, refs, ref, &overlap, scratch)
        self.rate(&overlap, values)
        return 0

    cdef int measure_all(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef OverlapC overlap, pool = OverlapC(0.0, 0.0, 0.0)
        cdef int64_t ref
        if not self.pooled:
            return SegmentMeanKernel.measure_all(
                self, hyps, hyp, refs, ref_begin, ref_end, values, scratch
            )
        for ref in range(ref_begin, ref_end):
            self.match(hyps, hyp, refs, ref, &overlap, scratch)
            pool.hits += overlap.hits
            pool.hyp += overlap.hyp
            pool.ref += overlap.ref
        self.rate(&pool, values)
        return 0


cdef class RougeNKernel(RougeKernel):
    """Compiled ROUGE-N: n-grams of an order up to 64."""

    cdef int order

    def __cinit__(self, measure, beta, pooled, int order, /):
        if not 1 <= order <= MOST_ROUGE_ORDERS:
            raise ValueError(f"order: expected 1 to {MOST_ROUGE_ORDERS}; got {order}")
        self.order = order

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[MOST_ROUGE_ORDERS]
        clipped_counts(
            hyps, hyp, refs, ref, ref + 1, self.order, counts, &scratch.clipping, scratch.stop
        )
        overlap.hits = <double> counts[self.order - 1]
        overlap.hyp = <double> max(0, segment_length(hyps, hyp) - self.order + 1)
        overlap.ref = <double> max(0, segment_length(refs, ref) - self.order + 1)
        return 0


cdef class RougeLKernel(RougeKernel):
    """Compiled ROUGE-L: the longest common subsequence.

    `by_sentence` unites, for each sentence of the reference, the subsequences with all sentences of
    the hypothesis; a line feed token ends a sentence.
    """

    def __cinit__(self, measure, beta, pooled, bint by_sentence, /):
        self.by_sentence = self.no_ids = by_sentence

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil:
        if self.by_sentence and not (is_sentence(hyps, hyp) and is_sentence(refs, ref)):
            return match_union(hyps, hyp, refs, ref, 0.0, overlap, scratch)
        overlap.hits = <double> subsequence_length(hyps, hyp, refs, ref, scratch)
        overlap.hyp = <double> segment_length(hyps, hyp)
        overlap.ref = <double> segment_length(refs, ref)
        return 0

    cdef void score_lengths(
        self, const int64_t* lengths, int64_t n_hyp, const int* n_refs, int64_t n, double* scores
    ) noexcept nogil:
        """Score a text with n texts from the lengths of the longest common subsequences."""
        cdef double square = self.beta * self.beta
        if self.which != F:
            square = 0.0 if self.which == PRECISION else INFINITY
        subsequence_scores(lengths, n_hyp, n_refs, n, square, self.scale, scores)


cdef int match_union(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double weight,
    OverlapC* overlap, ScratchC* scratch,
) except -1 nogil:
    """Compute the union of common subsequences, weighted as in ROUGE-1.5.5.pl unless weight is 0.
    That program weights both the runs of tokens of the reference and the reference's total."""
    cdef UnionC u
    cdef int64_t begin = 0, end, n_numbers
    cdef double base = 0.0
    union_init(&u)
    try:
        union_open(&u, hyps, hyp, refs, ref, scratch)
        n_numbers = scratch.tokens.table.n_items + 1
        overlap.hyp = <double> union_tokens(u.hyp, u.n_hyp)
        overlap.ref = <double> union_tokens(u.ref, u.n_ref)
        if weight == 0.0:
            union_take(&u, n_numbers, scratch)
            overlap.hits = union_hits(&u, n_numbers, 0.0)
            return 0
        union_take_weighted(&u, weight, scratch)
        overlap.hits = union_hits(&u, n_numbers, weight)
        while begin <= u.n_ref:
            end = sentence_end(u.ref, begin, u.n_ref)
            base += pow(<double> (end - begin), weight)
            begin = end + 1
        overlap.hyp, overlap.ref = pow(overlap.hyp, weight), pow(base, weight)
    finally:
        union_free(&u)
    return 0


cdef class RougeWKernel(RougeKernel):
    """Compiled ROUGE-W; a run of k tokens weighs k**weight, with `by_perl` as in ROUGE-1.5.5.pl."""

    cdef double weight
    cdef bint by_perl

    def __cinit__(self, measure, beta, pooled, double weight, bint by_perl, /):
        self.weight, self.by_perl = weight, by_perl
        self.no_ids = by_perl

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil:
        if self.by_perl:
            return match_union(hyps, hyp, refs, ref, self.weight, overlap, scratch)
        overlap.hits = weighted_subsequence(hyps, hyp, refs, ref, self.weight, scratch)
        overlap.hyp = pow(<double> segment_length(hyps, hyp), self.weight)
        overlap.ref = pow(<double> segment_length(refs, ref), self.weight)
        return 0

    cdef void rate(self, const OverlapC* overlap, double* values) noexcept nogil:
        cdef double root = 1.0 / self.weight
        values[PRECISION] = pow(overlap.hits / overlap.hyp, root) if overlap.hyp > 0.0 else 0.0
        values[RECALL] = pow(overlap.hits / overlap.ref, root) if overlap.ref > 0.0 else 0.0
        values[F] = f_measure(values[PRECISION], values[RECALL], self.beta)


cdef class RougeSKernel(RougeKernel):
    """Compiled ROUGE-S and, with `unigrams`, ROUGE-SU: pairs of tokens in order.

    A pair spans at most `gap` other tokens, -1 for any number. `by_perl` counts single tokens
    without the last one, like ROUGE-1.5.5.pl.
    """

    cdef int64_t gap
    cdef bint unigrams, by_perl

    def __cinit__(self, measure, beta, pooled, int64_t gap, bint unigrams, bint by_perl, /):
        if not -1 <= gap < NO_LIMIT:
            raise ValueError(f"gap: expected -1 to {NO_LIMIT - 1}; got {gap}")
        self.gap = NO_LIMIT if gap < 0 else gap
        self.unigrams, self.by_perl = unigrams, by_perl

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* overlap,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t hits = skip_matches(
            hyps, hyp, refs, ref, self.gap, self.unigrams, self.by_perl, scratch
        )
        overlap.hits = <double> hits
        overlap.hyp = <double> self.total(segment_length(hyps, hyp))
        overlap.ref = <double> self.total(segment_length(refs, ref))
        return 0

    cdef int64_t total(self, int64_t n) noexcept nogil:
        """Return the number of pairs, and of single tokens if used, of n tokens."""
        cdef int64_t pairs = skip_bigrams(n, self.gap)
        return pairs + n - (self.by_perl and n > 0) if self.unigrams else pairs


cdef class OverlapKernel(BestReferenceKernel):
    """Overlap counts: matches, units of the hypothesis and units of the reference.

    A row contains the counts that score a variant of ROUGE, for the reference that is used; sums of
    rows are scored like segments. Matches are whole numbers, so not ROUGE-W's. The columns of
    `rest`, other variants that read texts alike, follow; scores ignore them.
    """

    cdef RougeKernel rouge
    cdef OverlapKernel rest

    def __cinit__(self, RougeKernel rouge not None, OverlapKernel rest=None, /):
        if isinstance(rouge, RougeWKernel):
            raise TypeError("rouge: expected a variant whose matches are whole numbers; got W")
        self.rouge, self.rest = rouge, rest
        self.state(("matches", "hyp_units", "ref_units"))
        self.limit(HITS, HYP, REF)
        self.n_stats += 0 if rest is None else rest.n_stats
        self.no_ids = rouge.no_ids or (rest is not None and rest.no_ids)

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef OverlapC overlap
        self.rouge.match(hyps, hyp, refs, ref, &overlap, scratch)
        row[HITS] = <int64_t> overlap.hits
        row[HYP] = <int64_t> overlap.hyp
        row[REF] = <int64_t> overlap.ref
        return 0

    cdef double rank(self, const int64_t* row) noexcept nogil:
        cdef OverlapC overlap = OverlapC(<double> row[HITS], <double> row[HYP], <double> row[REF])
        cdef double values[N_VALUES]
        self.rouge.rate(&overlap, values)
        return values[F]

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[N_COUNTS]
        cdef int64_t ref
        cdef int k
        if self.rouge.pooled:
            memset(row, 0, sizeof(counts))
            for ref in range(ref_begin, ref_end):
                self.count(hyps, hyp, refs, ref, counts, scratch)
                for k in range(N_COUNTS):
                    row[k] += counts[k]
        else:
            BestReferenceKernel.segment(self, hyps, hyp, refs, ref_begin, ref_end, row, scratch)
        if self.rest is not None:
            self.rest.segment(hyps, hyp, refs, ref_begin, ref_end, row + N_COUNTS, scratch)
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return self.rouge.score_overlap(<double> row[HITS], <double> row[HYP], <double> row[REF])

    cdef make_score(self, const int64_t* row, type cls, str label):
        """Return precision, recall and F of each variant as `cls`, a tuple, like rouge-score."""
        cdef OverlapKernel kernel = self
        cdef OverlapC overlap
        cdef double values[N_VALUES]
        cdef list scores = []
        while kernel is not None:
            overlap.hits, overlap.hyp, overlap.ref = row[HITS], row[HYP], row[REF]
            kernel.rouge.rate(&overlap, values)
            own = values[PRECISION], values[RECALL], values[F]
            if isinstance(kernel.rouge, RougeLKernel) and not (row[HYP] and row[REF]):
                own = 0, 0, 0  # integers, like rouge-score's
            scores.append((<PyTypeObject*> tuple).tp_new(cls, (own,), NULL))
            kernel, row = kernel.rest, row + N_COUNTS
        return scores


# The General Text Matcher: runs of words weigh more than their words apart. The size of a matching
# is a root, so rows contain it as a real number, and sizes of segments add up. With several
# references a segment uses the one with the maximum F, among equals the longest.
cdef enum:
    G_SIZE = 0
    G_HYP = G_SIZE + REAL
    G_REF = G_HYP + 1


cdef class GtmKernel(BestReferenceKernel):
    """Compiled GTM.

    A run of k words weighs k to the power of `exponent`, at least 1; the size of a matching is the
    sum of weights to the inverse power.
    """

    cdef double exponent

    def __cinit__(self, double exponent, /):
        self.state((*in_fixed_point("size"), "hyp_len", "ref_len"))
        self.exponent = exponent

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef double size = greedy_runs(hyps, hyp, refs, ref, self.exponent, scratch)
        row[G_HYP], row[G_REF] = segment_length(hyps, hyp), segment_length(refs, ref)
        real_store(row + G_SIZE, pow(size, 1.0 / self.exponent))
        return 0

    cdef int64_t length(self, const int64_t* row) noexcept nogil:
        return row[G_REF]

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef int64_t length = row[G_HYP] + row[G_REF]
        return 100.0 * (2.0 * real_value(row + G_SIZE) / <double> length) if length > 0 else 0.0

    cdef describe_row(self, const int64_t* row):
        cdef double size = real_value(row + G_SIZE)
        return (
            self.score_row(row), 100.0 * size / row[G_HYP] if row[G_HYP] > 0 else 0.0,
            100.0 * size / row[G_REF] if row[G_REF] > 0 else 0.0, size, row[G_HYP], row[G_REF],
        )


# RIBES: the share of pairs of aligned words in the same order, times powers of precision and of a
# brevity penalty. With several references a segment uses the maximum score. NLTK aligns words by
# fewer contexts, gives a single pair nothing, and computes the share from Kendall's tau.
cdef class RibesKernel(SegmentMeanKernel):
    """Compiled RIBES; `alpha` and `beta` are exponents of precision and brevity penalty."""

    cdef double alpha
    cdef double beta
    cdef bint as_nltk

    def __cinit__(self, double alpha, double beta, bint as_nltk=False, /):
        self.alpha, self.beta, self.as_nltk = alpha, beta, as_nltk

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double* values,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t aligned, ascending, n_hyp = segment_length(hyps, hyp)
        cdef int64_t n_ref = segment_length(refs, ref)
        cdef double score
        values[0] = 0.0
        if n_hyp == 0:
            return 0
        word_order(hyps, hyp, refs, ref, self.as_nltk, &aligned, &ascending, scratch)
        if aligned < 2:
            score = 1.0 if aligned == 1 and n_ref == 1 and not self.as_nltk else 0.0
        elif self.as_nltk:
            score = <double> (2 * ascending) / <double> (aligned * (aligned - 1) // 2) - 1.0
            score = (score + 1.0) / 2.0
        else:
            score = <double> ascending / (<double> aligned * <double> (aligned - 1) / 2.0)
        values[0] = score * pow(<double> aligned / <double> n_hyp, self.alpha) * pow(
            brevity_penalty(n_hyp, n_ref), self.beta
        )
        return 0


# Common skip n-grams: for each order, F of the overlap of both texts, relative to the overlap of
# each with itself. Matches are not clipped, so ratios above 1 become 1; F of beta 1 never exceeds
# it. A segment has the weighted mean over orders of either text, with the reference of maximum F.
cdef class SkipKernel(SegmentMeanKernel):
    """Compiled skip n-grams up to order 16; each skipped token multiplies a match by `decay`.

    Recall weighs `beta` times as much as precision; `weights` is a tuple with one item per order.
    """

    cdef int max_order
    cdef double decay
    cdef double of_hyp, of_ref  # weights in the denominator of F, one of which is 1
    cdef double weights[MOST_SKIP_ORDERS]

    def __cinit__(self, int max_order, double decay, double beta, tuple weights not None, /):
        cdef int k
        if not 1 <= max_order <= MOST_SKIP_ORDERS:
            raise ValueError(f"max_order: expected 1 to {MOST_SKIP_ORDERS}; got {max_order}")
        if len(weights) != max_order:
            raise ValueError(f"weights: expected {max_order}; got {len(weights)}")
        self.set_values(VALUES, F, 100.0)
        self.max_order, self.decay = max_order, decay
        self.of_hyp = 1.0 if beta <= 1.0 else 1.0 / (beta * beta)
        self.of_ref = beta * beta if beta <= 1.0 else 1.0
        for k in range(max_order):
            self.weights[k] = weights[k]

    cdef int measure_all(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef double both[MOST_SKIP_ORDERS]
        cdef double of_hyp[MOST_SKIP_ORDERS]
        cdef double of_ref[MOST_SKIP_ORDERS]
        cdef double own[N_VALUES]
        cdef double total, weight
        cdef int64_t ref
        cdef int k
        for k in range(N_VALUES):
            values[k] = 0.0
        skip_ngrams(hyps, hyp, hyps, hyp, self.decay, self.max_order, of_hyp, scratch)
        for ref in range(ref_begin, ref_end):
            skip_ngrams(hyps, hyp, refs, ref, self.decay, self.max_order, both, scratch)
            skip_ngrams(refs, ref, refs, ref, self.decay, self.max_order, of_ref, scratch)
            total = 0.0
            for k in range(N_VALUES):
                own[k] = 0.0
            for k in range(self.max_order):
                if of_hyp[k] + of_ref[k] == 0.0:
                    break
                weight = self.weights[k]
                total += weight
                own[F] += weight * share(
                    (self.of_hyp + self.of_ref) * both[k],
                    self.of_hyp * of_hyp[k] + self.of_ref * of_ref[k],
                )
                own[PRECISION] += weight * share(both[k], of_hyp[k])
                own[RECALL] += weight * share(both[k], of_ref[k])
            if total > 0.0 and own[F] / total > values[F]:
                for k in range(N_VALUES):
                    values[k] = own[k] / total
        return 0


cdef inline double share(double part, double whole) noexcept nogil:
    """Return a ratio, at most 1, and 0 if the whole is 0."""
    return 0.0 if whole == 0.0 else min(part / whole, 1.0)
