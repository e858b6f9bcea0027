"""Metrics for mbrs, a library for minimum Bayes risk decoding.

They have the options and numbers of mbrs's `bleu`, `chrf` and `ter`, but tokenize each text once
for all its pairs and use threads instead of processes. Importing this module registers them as
`rapidbleu`, `rapidchrf` and `rapidter`.
"""

from typing import Any

from rapidbleu._core.input.columns import Column
from rapidbleu.metrics import BLEU, CHRF, TER

try:
    import torch
    from mbrs.metrics import MetricBLEU, MetricChrF, MetricTER, register
except ImportError as error:
    raise ImportError("rapidbleu.adapters.mbrs needs mbrs: pip install mbrs") from error

__all__ = ["MetricRapidBLEU", "MetricRapidChrF", "MetricRapidTER"]


class _Rapid:
    """mbrs's methods for the metric that a subclass names."""

    _make: Any

    def __init__(self: Any, cfg: Any) -> None:
        options = {
            name: value
            for name, value in vars(cfg).items()
            if name not in ("num_workers", "fastchrf")
        }
        self._metric = self._make(**options)
        self._threads = cfg.num_workers
        super().__init__(cfg)  # type: ignore[call-arg]

    def score(self: Any, hypothesis: str, reference: str, *_: Any, **__: Any) -> float:
        """Score a hypothesis against a reference."""
        return float(self._metric.sentence_score(hypothesis, [reference]).score)

    def scores(self: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        """Score each of n hypotheses against its reference: a float32 tensor of shape (n,)."""
        return _tensor(self._metric.segment_scores(hypotheses, [references], threads=self._threads))

    def pairwise_scores(self: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        """Score m hypotheses against n references: a float32 tensor of shape (m, n)."""
        return _tensor(self._metric.pairwise(hypotheses, references, threads=self._threads))

    def corpus_score(
        self: Any, hypotheses: Any, references_lists: Any, sources: Any = None
    ) -> float:
        """Score a corpus against streams of references."""
        streams = [Column(own, "references_lists") for own in references_lists]
        score = self._metric.corpus_score(hypotheses, streams, threads=self._threads)
        return float(score.score)


@register("rapidbleu")
class MetricRapidBLEU(_Rapid, MetricBLEU):  # type: ignore[misc]
    """BLEU.

    Examples
    --------
    >>> bleu = MetricRapidBLEU(MetricRapidBLEU.Config())
    >>> bleu.expected_scores(["a b c d", "a b c"], ["a b c d", "a b c e"])
    tensor([79.7302, 71.6531])
    """

    _make = BLEU


@register("rapidchrf")
class MetricRapidChrF(_Rapid, MetricChrF):  # type: ignore[misc]
    """chrF, chrF+ and chrF++; the option `fastchrf` has no effect."""

    _make = CHRF


@register("rapidter")
class MetricRapidTER(_Rapid, MetricTER):  # type: ignore[misc]
    """TER."""

    _make = TER


def _tensor(scores: Any) -> Any:
    return torch.from_numpy(scores).to(torch.float32)
