"""chrF, chrF+ and chrF++ (Popovic 2015 and 2017): rows of segments and scores of rows.

A row contains [hypothesis, reference, matches] for each order of character n-grams, then for each
order of word n-grams, as in sacrebleu. An order without n-grams in the reference counts none of the
hypothesis either. Only the first reference with the maximum F is used, so matches are clipped by
one reference at a time, and each row is scored before the next.

Characters and words are two token sequences of one text, clipped like BLEU's. A score takes 4
divisions per order in sacrebleu's order, hence equal to the last bit for counts below 2**53.
"""

from libc.stdint cimport int64_t

from rapidbleu._core.metrics.kernel import by_order
from rapidbleu._core.ngrams cimport clipped_counts
from rapidbleu._core.text cimport segment_length


cdef class ChrfKernel(BestReferenceKernel):
    """Compiled chrF with fixed options, validated by the caller; not both orders are 0.

    `factor` is the square of beta, `one_more` the same plus one, rounded once. `eps_smoothing`
    scores every order, orders without n-grams as if a little had matched.
    """

    def __cinit__(
        self, int char_order, int word_order, double factor, double one_more, bint eps_smoothing, /,
    ):
        self.char_order, self.word_order = char_order, word_order
        self.n_orders = char_order + word_order
        self.n_stats = 3 * self.n_orders
        self.limit(2, 0, 1, 3, self.n_orders)
        self.n_sequences = 2 if word_order > 0 else 1
        self.text_only = True
        self.factor, self.one_more = factor, one_more
        self.eps_smoothing = eps_smoothing

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t* counts = row + 2 * self.n_orders  # read before being overwritten
        cdef int64_t h = self.n_sequences * hyp, r = self.n_sequences * ref
        clipped_counts(
            hyps, h, refs, r, r + 1, self.char_order, counts, &scratch.clipping, scratch.stop
        )
        spread(row, counts, self.char_order, segment_length(hyps, h), segment_length(refs, r))
        if self.word_order > 0:
            row += 3 * self.char_order
            counts += self.char_order
            h, r = h + 1, r + 1
            clipped_counts(
                hyps, h, refs, r, r + 1, self.word_order, counts, &scratch.clipping, scratch.stop
            )
            spread(row, counts, self.word_order, segment_length(hyps, h), segment_length(refs, r))
        return 0

    def columns(self):
        return [
            *by_order(self.char_order, "hyp_char", "ref_char", "matches_char"),
            *by_order(self.word_order, "hyp_word", "ref_word", "matches_word"),
        ]

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double precision, recall, score = 0.0, precisions = 0.0, recalls = 0.0
        cdef int64_t hyp, ref
        cdef int order, n_orders = 0
        for order in range(self.n_orders):
            hyp, ref = row[3 * order], row[3 * order + 1]
            if not self.eps_smoothing:
                if hyp > 0 and ref > 0:
                    precisions += <double> row[3 * order + 2] / <double> hyp
                    recalls += <double> row[3 * order + 2] / <double> ref
                    n_orders += 1
                continue
            precision = <double> row[3 * order + 2] / <double> hyp if hyp > 0 else epsilon()
            recall = <double> row[3 * order + 2] / <double> ref if ref > 0 else epsilon()
            score += smoothed_f_score(self, precision, recall)
        if self.eps_smoothing:
            return 100.0 * score / self.n_orders
        if n_orders == 0:
            return 0.0
        return f_score(self, precisions / n_orders, recalls / n_orders)


cdef void spread(
    int64_t* row, const int64_t* counts, int n_orders, int64_t n_hyp, int64_t n_ref
) noexcept nogil:
    """Write totals and matches of each order; `counts` may be the end of the row."""
    cdef int order
    cdef int64_t count
    for order in range(n_orders):
        count = counts[order]
        row[3 * order] = n_hyp - order if n_hyp > order and n_ref > order else 0
        row[3 * order + 1] = n_ref - order if n_ref > order else 0
        row[3 * order + 2] = count
