"""The input of a corpus call, checked: all at once, or a part at a time if it streams."""

from rapidbleu._core.input.columns import Column
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.hypotheses import read_hypotheses
from rapidbleu.metrics.contract.references import SQUARE
from rapidbleu.references import References, check_layout
from rapidbleu.streams.batches import is_streamed, read_batches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from rapidbleu._core.input.columns import ReferenceColumns
    from rapidbleu._core.scoring.extraction import Extractor, LastCalls
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.streams.rows import Rows
    from rapidbleu.typing import Hypotheses, Layout, Progress, ReferenceStreams

    _AnyReferences: TypeAlias = ReferenceColumns | PreparedReferences
    _Part: TypeAlias = tuple[
        Column | PreparedReferences, Extractor, _AnyReferences, Progress | None, list[Rows]
    ]


class PartScoring:
    """How a metric of text takes the input of its corpus calls."""

    _reads_all = False  # the score of a segment depends on the references of all

    if TYPE_CHECKING:  # supplied by the metric
        @property
        def references(self) -> References | None:
            """The references for calls that give none."""

        _extractor: Extractor
        _calls: LastCalls
        _check_references: Callable[[Any, Layout], _AnyReferences]
        _compare_layouts: Callable[..., None]

    def _fitted(self, refs: "_AnyReferences") -> "tuple[Extractor, _AnyReferences]":
        """Return what scores hypotheses against these references."""
        return self._extractor, refs

    def _look_at_hypotheses(self, hyps: Column, once: bool = False) -> None:
        """Hook: warn about suspicious input; with `once`, only the first time."""

    def _parts(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: int, progress: "Progress | None",
    ) -> "Iterable[_Part]":  # fmt: skip
        """Return parts of the input.

        They are hypotheses, what scores them, their references, what to tell of progress, and the
        tables that they were in.
        """
        if not is_streamed(hypotheses, references, layout):
            return ((*self._check(hypotheses, references, layout), progress, []),)
        check_layout(layout)
        if not self._reads_all and self._prepared_references(references) is None:
            return self._streamed(hypotheses, references, layout, threads, progress)
        gathered = load("rapidbleu.streams.batches", "gathered")
        *whole, tables = gathered(hypotheses, references, layout)
        return ((*self._check(*whole), progress, tables),)

    def _prepared_references(self, references: "Any") -> "References | None":
        """Return the references of a call, or of the metric, if they are prepared."""
        own = self.references if references is None else references
        return own if isinstance(own, References) else None

    def _check(
        self, hypotheses: "Any", references: "Any", layout: "Layout"
    ) -> "tuple[Column | PreparedReferences, Extractor, _AnyReferences]":
        """Return the input of a corpus call, all of it checked, and what scores it."""
        hyps = read_hypotheses(self, hypotheses)
        refs = self._check_references(references, layout)
        self._extractor.check(hyps, refs)
        if isinstance(hyps, Column):
            self._look_at_hypotheses(hyps)
        own = self.references if references is None else references
        if own._by_segment if own.__class__ is References else len(refs) <= SQUARE:
            self._compare_layouts(
                own, layout, refs,
                lambda extractor, refs: extractor.extract(hyps, refs, 0, len(hyps)),
            )  # fmt: skip
        return hyps, *self._fitted(refs)

    def _streamed(
        self, hypotheses: "Any", references: "Any", layout: "Layout", threads: int,
        progress: "Progress | None",
    ) -> "Iterator[_Part]":  # fmt: skip
        """Yield the parts of input that is read as it is needed."""
        read_ahead = load("rapidbleu.streams.ahead", "read_ahead")
        if hasattr(hypotheses, "batches"):
            batches = hypotheses.batches(references)
        else:
            batches = read_batches(hypotheses, references, layout)
        done, numbers = 0, set()
        for hyps, refs, rows in read_ahead(batches) if threads > 1 else batches:
            self._extractor.check(hyps, refs)
            self._look_at_hypotheses(hyps, once=done > 0)
            tables = [] if rows is None else [rows]
            yield hyps, self._extractor, refs, _told(progress, done), tables
            numbers.add(refs.num_refs)
            done += len(hyps)
        if done:
            self._calls.remember_number(numbers.pop() if len(numbers) == 1 else -1)


def _told(progress: "Progress | None", before: int) -> "Progress | None":
    """Return what tells of a part of a stream, of which it is not known how long it is."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, 0)
