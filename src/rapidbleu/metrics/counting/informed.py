"""Metrics that weigh n-grams by how frequent they are in a set of references."""

from __future__ import annotations

from rapidbleu._core.counting.information import NgramCounts
from rapidbleu._core.input.columns import ReferenceColumns
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu._lib.loader import load
from rapidbleu.metrics.corpus import prepare_columns
from rapidbleu.metrics.metric import Metric
from rapidbleu.references import References
from rapidbleu.scoring import ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import Layout, ReferenceStreams, Segment, SegmentReferences


class InformedMetric(Metric[ScoreT]):
    """Base of these metrics: the references of a call weigh n-grams, unless others were given.

    Subclasses have an option ``information``, references that weigh n-grams in every call.
    """

    if TYPE_CHECKING:

        @property
        def information(self) -> References | None:
            """The references that weigh n-grams."""

    def _prepare_references(self) -> None:
        super()._prepare_references()
        self._prepare_information()

    def _prepare_information(self) -> None:
        if self.information is not None:
            if not isinstance(self.information, References):
                columns = ReferenceColumns(self.information, "stream", "information")
                self._put("information", prepare_columns(self, columns))
            self._extractor = self._make_extractor()

    @property
    def _rows_add_up(self) -> bool:  # type: ignore[override]
        return self.information is not None

    _warned_of_weights = False

    def _counts(self, refs: PreparedReferences, max_order: int, weights: str) -> NgramCounts:
        """Return the weights of n-grams; warn once if all of them are 0."""
        counts = NgramCounts(refs, max_order, weights)
        if counts.weightless and not self._warned_of_weights:
            self._warned_of_weights = True
            load("logging").getLogger("rapidbleu").warning(
                "All n-grams of the references weigh 0, so %s is 0: these references are too few "
                "or too much alike. Give `information`, references of a whole corpus.",
                type(self).__name__,
            )
        return counts

    def _kernel_for(self, refs: PreparedReferences | None) -> Kernel:
        """Return the kernel for which these references weigh n-grams; None: it scores rows only."""
        raise TypeError(f"{type(self).__name__} has no kernel")

    def with_information(self, references: ReferenceStreams, *, layout: Layout = "stream") -> Self:
        """Return the same metric, with references that weigh n-grams in every call.

        Parameters
        ----------
        references : sequence of streams or References
        layout : {"stream", "segment"}

        Returns
        -------
        metric of the same class

        Examples
        --------
        >>> from rapidbleu import NIST
        >>> references = [["the cat sat on the mat", "it was raining"]]
        >>> nist = NIST().with_information(references)
        >>> nist.sentence_score("the cat sat", ["the cat slept"])
        NIST = 2.28
        """
        made: Self = load("copy").copy(self)
        if not isinstance(references, References):
            references = self.prepare(references, layout=layout)
        made._put("information", references)
        made._prepare_information()
        return made

    def _make_kernel(self) -> Kernel:
        if not isinstance(self.information, References):  # none, or not prepared yet
            return self._kernel_for(None)
        own = self.tokenizer, self.lowercase, self._preparation
        return self._kernel_for(self.information.prepared_by(*own, "information"))

    @property
    def _reads_all(self) -> bool:  # type: ignore[override]
        return self.information is None

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        own = self.information is None
        return Pairs(self._kernel_for(refs) if own else self._kernel, hyps, refs)

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
        """Score one segment; see `Metric.sentence_score`.

        Without `information` its own references weigh n-grams, which is of little use.
        """
        if self.information is not None:
            return super().sentence_score(hypothesis, references)
        if isinstance(references, str):
            raise TypeError("references: expected a sequence of references, got a single str")
        return self.corpus_score([hypothesis], [references], layout="segment", threads=1)

    def _options(self) -> dict[str, Any]:
        return {"info": "refs" if self.information is None else "given"}
