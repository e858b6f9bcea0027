"""The references of a metric's calls: checked, prepared, or those that it was made with."""

from rapidbleu._core.input.columns import ReferenceColumns
from rapidbleu.references import References, check_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.scoring.extraction import Extractor, LastCalls
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import Layout, ReferenceStreams


class ReferenceScoring:
    """What a metric of text does with references."""

    if TYPE_CHECKING:  # supplied by the metric
        @property
        def tokenizer(self) -> Callable[[str], Any]:
            """The rule that makes tokens of text."""

        @property
        def lowercase(self) -> bool:
            """Whether all text is lowercased first."""

        @property
        def references(self) -> References | None:
            """The references for calls that give none."""

        _preparation: str
        _extractor: Extractor
        _calls: LastCalls

    def _check_references(
        self, references: "ReferenceStreams | None", layout: "Layout"
    ) -> "ReferenceColumns | PreparedReferences":
        check_layout(layout)
        references = self.references if references is None else references
        if references is None:
            raise ValueError(
                "references: expected references, got None, and the metric was made without any"
            )
        checked = (
            references.prepared_by(self.tokenizer, self.lowercase, self._preparation)
            if isinstance(references, References)
            else ReferenceColumns(references, layout)
        )
        self._calls.remember_number(checked.num_refs)
        return checked

    def prepare(self, references: "ReferenceStreams", *, layout: "Layout" = "stream") -> References:
        """Tokenize references once, to score many systems against them.

        Parameters
        ----------
        references, layout
            As in `corpus_score`.

        Returns
        -------
        References
        """
        prepared = self._extractor.prepare(ReferenceColumns(references, check_layout(layout)))
        return References(prepared, self.tokenizer, self.lowercase, self._preparation)
