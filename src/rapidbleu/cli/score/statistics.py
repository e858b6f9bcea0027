"""Scores of systems and the statistics behind them, with a bar where that takes long.

Rows of statistics have the score of the corpus whatever parts they were computed in, so corpora are
scored in parts for the bar to move.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.metrics import cost_of
from rapidbleu.cli.progress import progress_bar
from rapidbleu.cli.score.corpus import Corpus

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.score import Score
    from rapidbleu.typing import IntArray

# Segments of BLEU that are scored at once where results or a bar shall appear on the way.
PART = 20_000


def corpus_scores(name: str, metric: "Metric", corpus: Corpus, quiet: bool) -> "list[Score]":
    """Score each system as a corpus; several share references that are tokenized once."""
    with _bar(name, corpus, quiet) as bar:
        if bar is not None:
            return [metric.score(rows) for rows in _rows(name, metric, corpus, bar)]
        references: Any = corpus.references
        if len(corpus.systems) > 1:
            references = metric.prepare(references)
        return [metric.corpus_score(system.segments, references) for system in corpus.systems]


def system_rows(name: str, metric: "Metric", corpus: Corpus, quiet: bool) -> "list[IntArray]":
    """Return the rows of statistics of each system."""
    with _bar(name, corpus, quiet) as bar:
        return _rows(name, metric, corpus, bar)


def _bar(name: str, corpus: Corpus, quiet: bool) -> Any:
    n_segments = len(corpus.references[0]) * len(corpus.systems)
    return progress_bar(name, n_segments, cost_of(name), quiet)


def _rows(name: str, metric: "Metric", corpus: Corpus, bar: Any) -> "list[IntArray]":
    import numpy as np

    size = part_size(name) if bar is not None else len(corpus.references[0])
    rows: list[list[IntArray]] = [[] for _ in corpus.systems]
    for part, streams in split(corpus.references, size):
        references = metric.prepare(streams) if len(corpus.systems) > 1 else streams
        for own, system in zip(rows, corpus.systems, strict=True):
            own.append(metric.segment_stats(system.segments[part], references))
            if bar is not None:
                bar.update(len(own[-1]))
    return [np.concatenate(own) for own in rows]


def part_size(*names: str) -> int:
    """Return how many segments make a part for the slowest of some metrics."""
    return max(1, PART // max(cost_of(name) for name in names))


def split(references: list[list[str]], size: int) -> Iterator[tuple[slice, list[list[str]]]]:
    """Yield each part of `size` segments: where it is, and its references."""
    for begin in range(0, len(references[0]), size):
        part = slice(begin, begin + size)
        yield part, [stream[part] for stream in references]
