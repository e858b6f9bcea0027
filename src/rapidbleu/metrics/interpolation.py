"""Weighted sums of metrics, which are metrics themselves."""

from __future__ import annotations

from rapidbleu._core.metrics.kernel import MixtureKernel
from rapidbleu._lib.checks import items_of
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.loader import np
from rapidbleu.parallel import part_of
from rapidbleu.score import RowScoring, Score, check_metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu._types import Array, Hypotheses, Layout, NBestHypotheses, ReferenceStreams
    from rapidbleu.references import References


class WeightedSum(RowScoring[Score]):
    """The weighted sum of the scores of several metrics.

    Parameters
    ----------
    metrics : sequence of metrics
    weights : sequence of float, optional
        A weight for each metric; equal by default. Use negative weights for error rates.

    Notes
    -----
    A row contains the rows of all metrics side by side: ``np.hstack([bleu_rows, comet_rows])``.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import BLEU, SegmentScores
    >>> bleu, comet = BLEU(max_ngram_order=1), SegmentScores("COMET")
    >>> both = WeightedSum([bleu, comet], [0.5, 50])
    >>> rows = np.hstack([bleu.segment_stats(["a b c d"], [["a b c e"]]), comet.stats([0.8])])
    >>> both.score(rows)
    0.5 * BLEU + 50 * COMET = 77.50
    """

    _fixed = frozenset(["metrics", "weights"])

    if TYPE_CHECKING:
        metrics: tuple[RowScoring, ...]
        weights: tuple[float, ...]

    def __init__(
        self, metrics: Sequence[RowScoring], weights: Sequence[float] | None = None
    ) -> None:
        self._put("metrics", tuple(items_of(metrics, "metrics", "metrics")))
        if not self.metrics:
            raise ValueError("metrics: expected at least one; got none")
        for i, metric in enumerate(self.metrics):
            check_metric(metric, f"metrics[{i}]")
        if weights is None:
            weights = [1 / len(self.metrics)] * len(self.metrics)
        numbers = items_of(weights, "weights", "numbers")
        self._put("weights", tuple(float(weight) for weight in numbers))
        if len(self.weights) != len(self.metrics):
            raise ValueError(
                f"weights: expected {len(self.metrics)}, as many as metrics; "
                f"got {len(self.weights)}"
            )
        for i, weight in enumerate(self.weights):
            if not abs(weight) < float("inf"):
                raise ValueError(f"weights[{i}]: expected a finite number; got {weight}")
        self._mixture = MixtureKernel([m._kernel for m in self.metrics], list(self.weights))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.metrics, self.weights)

    def _changed_options(self) -> dict[str, object]:
        return {"metrics": self.metrics, "weights": self.weights}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.metrics)!r}, {list(self.weights)!r})"

    @property
    def _kernel(self) -> MixtureKernel:
        return self._mixture

    def _make_score(self, parts: tuple[Any, ...]) -> Score:
        described = zip(self.metrics, parts[1], strict=True)
        names = [metric._make_score(own_parts).name for metric, own_parts in described]
        terms = zip(self.weights, names, strict=True)
        return Score(" + ".join(f"{weight:g} * {name}" for weight, name in terms), parts[0])

    def _signed(self) -> dict[str, Any]:
        labels = {str(i): metric._make_label() for i, metric in enumerate(self.metrics)}
        return labels | {"weights": ",".join(map(shortest, self.weights))}

    def prepare(self, references: ReferenceStreams, *, layout: Layout = "stream") -> PreparedParts:
        """Tokenize references once for each metric; as `Metric.prepare`. Metrics must read text."""
        metrics = self._of_text("prepare")
        return PreparedParts([metric.prepare(references, layout=layout) for metric in metrics])

    def segment_stats(
        self, hypotheses: Hypotheses, references: ReferenceStreams | PreparedParts, **options: Any
    ) -> Array:
        """Return one row per segment; as `Metric.segment_stats`. Metrics must read text."""
        return self._side_by_side("segment_stats", hypotheses, references, options)

    def nbest_stats(
        self,
        hypotheses: NBestHypotheses,
        references: ReferenceStreams | PreparedParts | None = None,
        **options: Any,
    ) -> Array:
        """Return the rows of n-best lists; as `Metric.nbest_stats`. Metrics must read text."""
        return self._side_by_side("nbest_stats", hypotheses, references, options)

    def _side_by_side(
        self, name: str, hypotheses: Any, references: Any, options: dict[str, Any]
    ) -> Array:
        metrics = self._of_text(name)
        prepared = [references] * len(metrics)
        if isinstance(references, PreparedParts):
            prepared = references.parts
        parts = []
        progress = options.get("progress")
        for i, (metric, refs) in enumerate(zip(metrics, prepared, strict=True)):
            if callable(progress):
                options["progress"] = part_of(progress, i, len(metrics))
            parts.append(getattr(metric, name)(hypotheses, refs, **options))
        rows: Array = np.hstack(parts)
        return rows

    def _of_text(self, name: str) -> list[Any]:
        for i, metric in enumerate(self.metrics):
            if not hasattr(metric, name):
                raise TypeError(
                    f"metrics[{i}]: {type(metric).__name__} has no statistics of texts; "
                    f"join the rows of the metrics with np.hstack"
                )
        return list(self.metrics)


class PreparedParts:
    """References prepared for each of several metrics; created by `WeightedSum.prepare`."""

    def __init__(self, parts: list[References]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts[0])
