"""Scores of segments as a table: a row for each segment, a column for each metric and system."""

from argparse import Namespace
from typing import Any

from rapidbleu.cli.progress import progress_bar
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.forms import SEPARATORS, markdown, separated
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.statistics import AnyMetric, part_size, split
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.printing.tables import latex_booktabs, plain_table


def segment_table(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Return the table; text that has scores only has no header and no numbers of segments."""
    numbers = [str(corpus.first + i) for i in range(1, corpus.n_segments + 1)]
    columns = [("Segment", numbers)]
    for name, metric in metrics.items():
        columns += _columns(name, metric, corpus, style, args)
    if style.format in SEPARATORS:
        return separated(columns, style)
    if style.format == "markdown":
        return markdown(columns, 0)
    if style.format == "latex":
        return latex_booktabs([header for header, _ in columns], [cells for _, cells in columns])
    if style.score_only:
        return _aligned([cells for _, cells in columns[1:]])
    return _aligned([[header, *cells] for header, cells in columns])


def _columns(
    name: str, metric: AnyMetric, corpus: Corpus, style: Style, args: Namespace
) -> list[tuple[str, list[str]]]:
    """Return the column of each system under a metric."""
    systems = corpus.systems
    scores: list[list[float]] = [[] for _ in systems]
    printed = name
    with progress_bar(name, corpus.n_segments * len(systems), args.quiet) as bar:
        for part, streams in split(corpus, part_size(name)):
            prepared: Any = None
            for i, (own, system) in enumerate(zip(scores, systems, strict=True)):
                if isinstance(metric, MeanScore) or name in corpus.given:
                    rows = corpus.given[name][i][part]
                else:
                    prepared = prepared or metric.prepare(streams)
                    rows = metric.segment_stats(
                        system.segments[part], prepared, threads=args.threads
                    )
                own += metric.score_rows(rows).tolist()
                printed = metric.score(rows[0]).name
                if bar is not None:
                    bar.update(len(rows))
    return [
        (
            f"{system.name} {printed}" if len(systems) > 1 else printed,
            [f"{score:.{style.width_of(printed)}f}" for score in own],
        )
        for system, own in zip(systems, scores, strict=True)
    ]


def _aligned(columns: list[list[str]]) -> str:
    """Return lines of columns, aligned to the right."""
    firsts, others = [own[0] for own in columns], [own[1:] for own in columns]
    return plain_table(firsts, others, [True] * len(columns))
