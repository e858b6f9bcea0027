"""Scores of systems and the statistics behind them, with a bar where that takes long."""

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from rapidbleu.cli.metrics import cost_of
from rapidbleu.cli.progress import Bar, progress_bar
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.parallel import part_of

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature
    from rapidbleu.typing import IntArray, Progress

# A metric that is computed, or the mean of scores that are given.
AnyMetric: TypeAlias = Union["Metric", MeanScore]

# Segments of BLEU that are scored at once where results or a bar shall appear on the way.
PART = 2_000


def signature_of(metric: AnyMetric) -> "Signature | None":
    """Return the signature of a metric; None of one whose scores are given."""
    return None if isinstance(metric, MeanScore) else metric.get_signature()


def corpus_scores(name: str, metric: AnyMetric, corpus: Corpus, args: Namespace) -> "list[Score]":
    """Score each system as a corpus; several share references that are tokenized once."""
    if isinstance(metric, MeanScore) or name in corpus.given:
        return [metric.score(rows) for rows in corpus.given[name]]
    with _bar(name, corpus, args.quiet) as bar:
        references: Any = corpus.references
        if len(corpus.systems) > 1:
            references = metric.prepare(references)
        return [
            metric.corpus_score(system.segments, references, threads=args.threads, progress=told)
            for system, told in zip(corpus.systems, _parts_of(bar, corpus), strict=True)
        ]


def system_rows(name: str, metric: AnyMetric, corpus: Corpus, args: Namespace) -> "list[IntArray]":
    """Return the rows of statistics of each system."""
    if isinstance(metric, MeanScore) or name in corpus.given:
        return corpus.given[name]
    with _bar(name, corpus, args.quiet) as bar:
        references: Any = corpus.references
        if len(corpus.systems) > 1:
            references = metric.prepare(references)
        return [
            metric.segment_stats(system.segments, references, threads=args.threads, progress=told)
            for system, told in zip(corpus.systems, _parts_of(bar, corpus), strict=True)
        ]


def _bar(name: str, corpus: Corpus, quiet: bool) -> Bar:
    """Return a bar of segments."""
    return progress_bar(name, corpus.n_segments * len(corpus.systems), quiet)


def _parts_of(bar: Bar | None, corpus: Corpus) -> "list[Progress | None]":
    """Return for each system what tells the bar of its segments."""
    n_systems = len(corpus.systems)
    if bar is None or n_systems == 1:
        return [bar] * n_systems
    return [part_of(bar, i, n_systems) for i in range(n_systems)]


def part_size(*names: str) -> int:
    """Return how many segments make a part for the slowest of some metrics."""
    return max(1, PART // max(cost_of(name) for name in names))


def split(corpus: Corpus, size: int) -> Iterator[tuple[slice, list[list[str]]]]:
    """Yield each part of `size` segments: where it is, and its references."""
    for begin in range(0, corpus.n_segments, size):
        part = slice(begin, min(begin + size, corpus.n_segments))
        yield part, [stream[part] for stream in corpus.references]
