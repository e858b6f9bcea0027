"""Why a segment scored what it did, for any metric."""

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.reading import tokens_of
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu.explanation.alignment import Alignment
    from rapidbleu.explanation.base import Explanation
    from rapidbleu.explanation.ngrams import NgramOrder
    from rapidbleu.explanation.pieces import Texts
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature
    from rapidbleu.typing import Segment, SegmentReferences


def in_fixed_point(*names: str) -> list[str]:
    """Return the names of the columns of numbers that rows keep in two columns each.

    Examples
    --------
    >>> in_fixed_point("f")
    ['f_units', 'f_rest']
    """
    return [f"{name}_{part}" for name in names for part in ("units", "rest")]


class ExplainedScoring:
    """Explanations of segments.

    A metric says what the columns of its rows are (`_stat_names`), which n-grams it counts, if it
    does (`_counted_orders`), and how its numbers make a score (`_formula`).
    """

    if TYPE_CHECKING:  # supplied by the metric
        sentence_score: Callable[..., Score]
        get_signature: Callable[[], Signature]
        _extractor: Extractor
        _fitted: Callable[..., tuple[Extractor, Any]]
        _check_references: Callable[..., Any]

    _columns: "tuple[str, ...]" = ()  # names of those of a row, if they do not depend on options
    _counts_together = False  # all references are one pool of n-grams; otherwise one is chosen

    def explain(self, hypothesis: "Segment", references: "SegmentReferences") -> "Explanation":
        """Return why a segment scores what it does: what matched where, and the formula.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.

        Returns
        -------
        Explanation
            An `NgramExplanation` of metrics that count n-grams, an `EditExplanation` of those that
            have `align`. ``print`` writes it as text, a notebook shows HTML, `to_dict` gives data.

        Raises
        ------
        TypeError, ValueError
            As `sentence_score`.

        Notes
        -----
        Time and memory are those of all n-grams or edits, each of which becomes an object.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> explanation = CHRF(char_order=2).explain("the the", ["the cat"])
        >>> [(own.order, own.matches, own.total) for own in explanation.orders]
        [(1, 4, 6), (2, 2, 5)]
        >>> explanation.formula[0]
        'character 1-grams: P = 100 * 4 / 6 = 66.67, R = 100 * 4 / 6 = 66.67'
        """
        load("rapidbleu.explanation.formulas")  # and so the modules that are imported below
        score = self.sentence_score(hypothesis, references)
        signature = self.get_signature()
        for key in ("bs", "seed"):  # of another call
            signature.update(key, None)
        given = items_of(references, "references", "references")
        texts = self._read_texts(hypothesis, given)
        row = self._row_of(hypothesis, given)
        align: Callable[..., Alignment] | None = getattr(self, "align", None)
        if align is None:
            alignment, reference = None, self._reference_of(hypothesis, given, texts, row)
        else:
            alignment = align(hypothesis, given)
            reference = alignment.which
        formula = self._formula(score, row, reference)
        several = sum(text is not None for text in given) > 1
        if several and reference is not None and not (alignment or self._counts_together):
            formula.insert(0, f"the statistics are those of REF {reference + 1} alone")
        statistics = dict(zip(self._stat_names(), row, strict=True))
        about = score, signature.format(), texts, statistics, formula, reference
        if alignment is not None:
            from rapidbleu.explanation.edits import EditExplanation

            return EditExplanation(alignment, *about)
        orders = self._match_orders(texts, reference)
        if orders:
            from rapidbleu.explanation.ngrams import NgramExplanation

            return NgramExplanation(tuple(orders), *about)
        from rapidbleu.explanation.base import Explanation

        return Explanation(*about)

    def _read_texts(self, hypothesis: "Segment", references: "list[Any]") -> "tuple[Texts, ...]":
        """Return the texts as the metric reads them, in each of its ways."""
        from rapidbleu.explanation.pieces import Text, Texts

        refs = [
            None if own is None else Text(tokens_of(self, own, of_reference=True))
            for own in references
        ]
        return (Texts("tokens", Text(tokens_of(self, hypothesis)), tuple(refs)),)

    def _row_of(self, hypothesis: "Segment", references: "SegmentReferences") -> list[int]:
        hyps = Column([hypothesis], "hypothesis", place=lambda _: "hypothesis")
        extractor, refs = self._fitted(self._check_references([references], "segment"))
        return extractor.extract(hyps, refs, 0, 1)

    def _reference_of(
        self,
        hypothesis: "Segment",
        references: "list[Any]",
        texts: "tuple[Texts, ...]",
        row: list[int],
    ) -> "int | None":
        """Return the reference that counts, if one does: the first that alone gives the row."""
        given = [i for i, own in enumerate(references) if own is not None]
        if len(given) == 1:
            return given[0]
        if self._counts_together:
            return None
        hyps = Column([hypothesis], "hypothesis")
        for i in given:
            alone = ReferenceColumns([[references[i]]], "segment")
            if self._extractor.extract(hyps, alone, 0, 1) == row:
                return i
        return None

    def _stat_names(self) -> list[str]:
        """Return what the columns of a row are called."""
        numbered = [f"column {i}" for i in range(self._extractor.kernel.n_stats)]
        return list(self._columns) or numbered

    def _counted_orders(self) -> "Sequence[int]":
        """Return the orders of the n-grams that are counted; none: they are not what counts."""
        return ()

    def _match_orders(
        self, texts: "tuple[Texts, ...]", reference: "int | None"
    ) -> "list[NgramOrder]":
        """Return the n-grams of all orders that are counted."""
        from rapidbleu.explanation.ngrams import match_ngrams

        against: Sequence[int] = range(len(texts[0].references))
        if not self._counts_together and reference is not None:
            against = (reference,)
        return [match_ngrams(texts[0], order, against) for order in self._counted_orders()]

    def _formula(self, score: "Score", row: list[int], reference: "int | None") -> list[str]:
        """Return how the numbers make the score, in lines."""
        return score._formula
