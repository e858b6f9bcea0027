"""What explanations of BLEU say: names of columns, whose length counts, the formula."""

from rapidbleu.metrics.contract.explaining import ExplainedScoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rapidbleu.explanation.pieces import Texts
    from rapidbleu.typing import BLEUMean, RefLen, Segment, SmoothMethod


class ExplainedBLEU(ExplainedScoring):
    """Explanations of segments, for BLEU."""

    if TYPE_CHECKING:  # supplied by the metric
        smooth_method: SmoothMethod
        effective_order: bool
        weights: tuple[float, ...] | None
        mean: BLEUMean
        ref_len: RefLen
        _smooth_value: Callable[[], float | None]

    _counts_together = True

    def _counted_orders(self) -> "Sequence[int]":
        return range(1, self._extractor.kernel.n_stats // 2)

    def _stat_names(self) -> list[str]:
        counts = [f"{what}_{n}" for what in ("correct", "total") for n in self._counted_orders()]
        return ["hyp_len", "ref_len", *counts]

    def _reference_of(
        self,
        hypothesis: "Segment",
        references: "list[Any]",
        texts: "tuple[Texts, ...]",
        row: list[int],
    ) -> "int | None":
        """Return the reference whose length counts."""
        for i, text in enumerate(texts[0].references):
            if self.ref_len != "average" and text is not None and len(text.tokens) == row[1]:
                return i
        return None

    def _formula(self, score: "Any", row: list[int], reference: "int | None") -> list[str]:
        from rapidbleu.explanation.formulas import BleuOptions, bleu_formula

        options = BleuOptions(
            self.smooth_method, self._smooth_value() or 0.0, self.effective_order, self.weights,
            self.mean, self.ref_len,
        )  # fmt: skip
        return bleu_formula(score, row, options, reference)
