"""Scores of segments, written as they are computed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rapidbleu.cli.metrics import cost_of
from rapidbleu.cli.progress import progress_bar
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.statistics import part_size, split
from rapidbleu.printing.results import json_list

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric


def segment_report(
    metrics: "dict[str, Metric]", corpus: Corpus, style: Style, quiet: bool
) -> Iterator[str]:
    """Yield what to print: an entry for each metric of the first segment, of the second and on."""
    entries = _entries(metrics, corpus, style, quiet)
    return json_list(entries) if style.format == "json" else (f"{text}\n" for text in entries)


def _entries(
    metrics: "dict[str, Metric]", corpus: Corpus, style: Style, quiet: bool
) -> Iterator[str]:
    segments = corpus.systems[0].segments
    cost = max(cost_of(name) for name in metrics)
    with progress_bar("segments", len(segments), cost, quiet) as bar:
        for part, streams in split(corpus.references, part_size(*metrics)):
            hyps = segments[part]
            columns = [_scores(metric, hyps, streams, style) for metric in metrics.values()]
            for texts in zip(*columns, strict=True):
                yield from texts
            if bar is not None:
                bar.update(len(hyps))


def _scores(
    metric: "Metric", hyps: list[str], streams: list[list[str]], style: Style
) -> Iterator[str]:
    """Yield the score of each segment, as text or JSON."""
    if style.score_only:
        for number in metric.segment_scores(hyps, streams).tolist():
            yield f"{number:.{style.width}f}"
        return
    signature = ""  # known once something was scored, and the same for all
    # A score object for each: one by one is faster than from rows of statistics.
    for hyp, *own in zip(hyps, *streams, strict=True):
        score = metric.sentence_score(hyp, own)
        signature = signature or style.signature(metric.get_signature())
        yield style.score(score, signature)
