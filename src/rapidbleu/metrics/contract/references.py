"""The references of a metric's calls: checked, prepared, or those that it was made with."""

from rapidbleu._core.input.columns import ReferenceColumns
from rapidbleu.loading.loader import load
from rapidbleu.references import References, check_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.scoring.extraction import Extractor, LastCalls
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import Layout, ReferenceStreams

# Up to so many streams of as many segments, and characters, trying both layouts takes no time.
SQUARE = 16
SQUARE_LENGTH = 1 << 17
LAYOUT_LOGGER = "rapidbleu.layout"  # the command line, whose files are streams, leaves it out


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
        _fitted: Callable[..., tuple[Extractor, Any]]

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

    def _read_by_segment(
        self, references: "Any", layout: "Layout"
    ) -> "ReferenceColumns | PreparedReferences | None":
        """Return references in the other layout, if streams are few and as many as segments."""
        references = self.references if references is None else references
        if isinstance(references, References):
            return references._by_segment
        if (
            layout != "stream" or not isinstance(references, list | tuple)
            or not 2 <= len(references) <= SQUARE
            or any(not isinstance(own, list | tuple) or len(own) != len(references)
                   for own in references)
            or sum(len(text) for own in references for text in own if text is not None)
            > SQUARE_LENGTH
        ):  # fmt: skip
            return None
        try:
            return ReferenceColumns(references, "segment")
        except ValueError:  # a segment would have none
            return None

    def _compare_layouts(
        self, references: "Any", layout: "Layout", read: "ReferenceColumns | PreparedReferences",
        sum_stats: "Callable[[Extractor, Any], list[int]]",
    ) -> None:  # fmt: skip
        """Warn if references that allow both layouts score higher in the other one."""
        other = self._read_by_segment(references, layout)
        if other is None or len(other) != len(read):
            return
        metric: Any = self
        one, two = (
            metric._make_score(extractor.kernel.describe(sum_stats(extractor, refs))).score
            for extractor, refs in (self._fitted(read), self._fitted(other))
        )
        if one != two and isinstance(references, References):
            references._by_segment = None  # once is enough
        if metric._gain(two) > metric._gain(one):
            n = len(other)
            load("logging").getLogger(LAYOUT_LOGGER).warning(
                "references: %d streams of %d segments give %s %.2f, layout='segment' gives %.2f: "
                "use it if each list has the references of one segment",
                n, n, type(self).__name__, one, two,
            )  # fmt: skip

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
        made = self._prepared_from(ReferenceColumns(references, check_layout(layout)))
        other = self._read_by_segment(references, layout)
        if isinstance(other, ReferenceColumns):
            made._by_segment = self._extractor.prepare(other)
        return made

    def _prepared_from(self, columns: ReferenceColumns) -> References:
        prepared = self._extractor.prepare(columns)
        return References(prepared, self.tokenizer, self.lowercase, self._preparation)
