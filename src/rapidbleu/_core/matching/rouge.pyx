"""ROUGE (Lin 2004): rows of segments and scores of rows.

A segment has the F, the precision and the recall of what its hypothesis has in common with a
reference; a corpus has their means.  Of several references the first with the greatest F counts, as
in rouge-score, or all of them are pooled: what is in common with each is added up, and so is what
each has.
"""

from libc.math cimport pow
from libc.stdint cimport int64_t

from rapidbleu._core.counting.overlap cimport f_measure
from rapidbleu._core.matching cimport (
    UnionC, sentence_end, skip_bigrams, skip_matches, subsequence_length, union_free,
    union_hits, union_init, union_open, union_take, union_take_weighted, union_tokens,
    weighted_subsequence,
)
from rapidbleu._core.metrics cimport REAL, real_store, real_value
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport segment_length


cdef enum:
    F, PRECISION, RECALL, N_VALUES
    HITS = 0, HYP, REF, N_COUNTS
    MOST_ROUGE_ORDERS = 64

cdef int64_t NO_LIMIT = 1 << 40  # of the tokens between those of a pair

MEASURES = {"f": F, "precision": PRECISION, "recall": RECALL}


cdef inline void rate_overlap(const OverlapC* found, double beta, double* values) noexcept nogil:
    """Precision, recall and F."""
    values[PRECISION] = found.hits / found.hyp if found.hyp > 0.0 else 0.0
    values[RECALL] = found.hits / found.ref if found.ref > 0.0 else 0.0
    values[F] = f_measure(values[PRECISION], values[RECALL], beta)


cdef inline double as_kept(double value) noexcept nogil:
    """A number as it is after it was in a row."""
    cdef int64_t columns[REAL]
    real_store(columns, value)
    return real_value(columns)


cdef class RougeKernel(SegmentMeanKernel):
    """Base of the variants: each says what two texts have in common.

    Parameters
    ----------
    measure : {"f", "precision", "recall"}
        Which is the score.
    beta : float
        How many times more recall counts in F than precision.
    pooled : bool
        Add up several references instead of taking the best.
    """

    def __cinit__(self, str measure not None, double beta, bint pooled, *_):
        self.set_values(N_VALUES, MEASURES[measure], 100.0)
        self.beta, self.pooled = beta, pooled

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil:
        """Fill in what a hypothesis and one reference have."""
        with gil:
            raise TypeError(f"{type(self).__name__} does not define an overlap")

    cdef void rate(self, const OverlapC* found, double* values) noexcept nogil:
        """Precision, recall and F of an overlap."""
        rate_overlap(found, self.beta, values)

    cdef double score_overlap(self, double hits, double n_hyp, double n_ref) noexcept nogil:
        """The score of an overlap of a segment."""
        cdef OverlapC found
        cdef double values[N_VALUES]
        found.hits, found.hyp, found.ref = hits, n_hyp, n_ref
        self.rate(&found, values)
        return self.scale * as_kept(values[self.which])

    cdef int measure(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, double* values, ScratchC* scratch,
    ) except -1 nogil:
        cdef OverlapC found
        return self.choose(hyps, hyp, refs, ref_begin, ref_end, &found, values, scratch)

    cdef int choose(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, OverlapC* chosen, double* values, ScratchC* scratch,
    ) except -1 nogil:
        """Fill in what counts of several references, and its precision, recall and F."""
        cdef OverlapC found
        cdef double own[N_VALUES]
        cdef int64_t ref
        cdef int k
        chosen.hits = chosen.hyp = chosen.ref = 0.0
        for ref in range(ref_begin, ref_end):
            self.match(hyps, hyp, refs, ref, &found, scratch)
            if self.pooled:
                chosen.hits += found.hits
                chosen.hyp += found.hyp
                chosen.ref += found.ref
                continue
            self.rate(&found, own)
            if ref == ref_begin or own[F] > values[F]:
                chosen[0] = found
                for k in range(N_VALUES):
                    values[k] = own[k]
        if self.pooled:
            self.rate(chosen, values)
        return 0


cdef class RougeNKernel(RougeKernel):
    """Compiled ROUGE-N: n-grams.

    Parameters
    ----------
    measure, beta, pooled
        As of `RougeKernel`.
    order : int
        From 1 to 64.
    """

    def __cinit__(self, measure, beta, pooled, int order, /):
        if not 1 <= order <= MOST_ROUGE_ORDERS:
            raise ValueError(f"order: expected 1 to {MOST_ROUGE_ORDERS}, got {order}")
        self.order = order

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t counts[MOST_ROUGE_ORDERS]
        clipped_counts(
            hyps, hyp, refs, ref, ref + 1, self.order, counts, &scratch.clipping, scratch.stop
        )
        found.hits = <double> counts[self.order - 1]
        found.hyp = <double> max(0, segment_length(hyps, hyp) - self.order + 1)
        found.ref = <double> max(0, segment_length(refs, ref) - self.order + 1)
        return 0


cdef class RougeLKernel(RougeKernel):
    """Compiled ROUGE-L: the longest common subsequence.

    Parameters
    ----------
    measure, beta, pooled
        As of `RougeKernel`.
    by_sentence : bool
        Unite those of each sentence of the reference with all sentences of the hypothesis; a
        sentence ends at a token that is a line feed.
    """

    def __cinit__(self, measure, beta, pooled, bint by_sentence, /):
        self.by_sentence = self.no_ids = by_sentence

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil:
        if self.by_sentence:
            return match_union(hyps, hyp, refs, ref, 0.0, found, scratch)
        found.hits = <double> subsequence_length(hyps, hyp, refs, ref, scratch)
        found.hyp = <double> segment_length(hyps, hyp)
        found.ref = <double> segment_length(refs, ref)
        return 0

    cdef void score_lengths(
        self, const int64_t* lengths, int64_t n_hyp, const int* n_refs, int64_t n, double* scores
    ) noexcept nogil:
        """Score a text with n others, of such lengths of the longest common subsequences."""
        cdef OverlapC found
        cdef double values[N_VALUES]
        cdef int64_t i
        found.hyp = <double> n_hyp
        for i in range(n):
            found.hits, found.ref = <double> lengths[i], <double> n_refs[i]
            rate_overlap(&found, self.beta, values)
            scores[i] = self.scale * as_kept(values[self.which])


cdef int match_union(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, double weight,
    OverlapC* found, ScratchC* scratch,
) except -1 nogil:
    """The union of common subsequences; with a weight other than 0 as ROUGE-1.5.5.pl weighs them.

    That program weighs the rows of tokens of the reference, and weighs what the reference has
    once more.
    """
    cdef UnionC u
    cdef int64_t begin = 0, end, n_numbers
    cdef double base = 0.0
    union_init(&u)
    try:
        union_open(&u, hyps, hyp, refs, ref, scratch)
        n_numbers = scratch.tokens.table.n_items + 1
        found.hyp = <double> union_tokens(u.hyp, u.n_hyp)
        found.ref = <double> union_tokens(u.ref, u.n_ref)
        if weight == 0.0:
            union_take(&u, n_numbers, scratch)
            found.hits = union_hits(&u, n_numbers, 0.0)
            return 0
        union_take_weighted(&u, weight, scratch)
        found.hits = union_hits(&u, n_numbers, weight)
        while begin <= u.n_ref:
            end = sentence_end(u.ref, begin, u.n_ref)
            base += pow(<double> (end - begin), weight)
            begin = end + 1
        found.hyp, found.ref = pow(found.hyp, weight), pow(base, weight)
    finally:
        union_free(&u)
    return 0


cdef class RougeWKernel(RougeKernel):
    """Compiled ROUGE-W: the weighted longest common subsequence.

    Parameters
    ----------
    measure, beta, pooled
        As of `RougeKernel`.
    weight : float
        Exponent of the length of a run, at least 1.
    by_perl : bool
        As ROUGE-1.5.5.pl computes it.
    """

    def __cinit__(self, measure, beta, pooled, double weight, bint by_perl, /):
        self.weight, self.by_perl = weight, by_perl
        self.no_ids = by_perl

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil:
        if self.by_perl:
            return match_union(hyps, hyp, refs, ref, self.weight, found, scratch)
        found.hits = weighted_subsequence(hyps, hyp, refs, ref, self.weight, scratch)
        found.hyp = pow(<double> segment_length(hyps, hyp), self.weight)
        found.ref = pow(<double> segment_length(refs, ref), self.weight)
        return 0

    cdef void rate(self, const OverlapC* found, double* values) noexcept nogil:
        cdef double root = 1.0 / self.weight
        values[PRECISION] = pow(found.hits / found.hyp, root) if found.hyp > 0.0 else 0.0
        values[RECALL] = pow(found.hits / found.ref, root) if found.ref > 0.0 else 0.0
        values[F] = f_measure(values[PRECISION], values[RECALL], self.beta)


cdef class RougeSKernel(RougeKernel):
    """Compiled ROUGE-S and ROUGE-SU: pairs of tokens in order.

    Parameters
    ----------
    measure, beta, pooled
        As of `RougeKernel`.
    gap : int
        The most tokens between those of a pair; -1 for any number.
    unigrams : bool
        Single tokens count too.
    by_perl : bool
        As in ROUGE-1.5.5.pl: but the last one.
    """

    def __cinit__(self, measure, beta, pooled, int64_t gap, bint unigrams, bint by_perl, /):
        if not -1 <= gap < NO_LIMIT:
            raise ValueError(f"gap: expected -1 to {NO_LIMIT - 1}, got {gap}")
        self.gap = NO_LIMIT if gap < 0 else gap
        self.unigrams, self.by_perl = unigrams, by_perl

    cdef int match(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, OverlapC* found,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t hits = skip_matches(
            hyps, hyp, refs, ref, self.gap, self.unigrams, self.by_perl, scratch
        )
        found.hits = <double> hits
        found.hyp = <double> self.total(segment_length(hyps, hyp))
        found.ref = <double> self.total(segment_length(refs, ref))
        return 0

    cdef int64_t total(self, int64_t n) noexcept nogil:
        """Pairs, and single tokens, of a text of n tokens."""
        cdef int64_t pairs = skip_bigrams(n, self.gap)
        return pairs + n - (self.by_perl and n > 0) if self.unigrams else pairs


cdef class OverlapKernel(Kernel):
    """What segments have in common, counted: matches, units of the hypothesis and of the reference.

    Rows are those that the scores of a variant of ROUGE are made of, of the reference that counts;
    the score of a sum of rows is that of one segment with these counts.

    Parameters
    ----------
    rouge : RougeKernel
        A variant whose matches are whole numbers: any but W.
    """

    def __cinit__(self, RougeKernel rouge not None, /):
        if isinstance(rouge, RougeWKernel):
            raise TypeError("rouge: expected a variant whose matches are whole numbers, got W")
        self.rouge = rouge
        self.n_stats = N_COUNTS
        self.no_ids = rouge.no_ids

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef OverlapC chosen
        cdef double values[N_VALUES]
        self.rouge.choose(hyps, hyp, refs, ref_begin, ref_end, &chosen, values, scratch)
        row[HITS] = <int64_t> chosen.hits
        row[HYP] = <int64_t> chosen.hyp
        row[REF] = <int64_t> chosen.ref
        return 0

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef const int64_t* row = rows
        cdef int64_t k
        for k in range(n):
            most[0] = min(row[HYP], row[REF])
            if row[HITS] > most[0]:
                return k * N_COUNTS + HITS
            row += N_COUNTS
        return -1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return self.rouge.score_overlap(<double> row[HITS], <double> row[HYP], <double> row[REF])

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[HITS], row[HYP], row[REF]
