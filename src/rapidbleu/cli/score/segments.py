"""Scores of segments, written as they are computed: lines of one system, or JSON of any number."""

import json
from collections.abc import Iterator
from itertools import product

from rapidbleu.cli.progress import progress_bar
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.statistics import AnyMetric, part_size, signature_of, split
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.printing.results import json_list


def segment_report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, threads: int, quiet: bool
) -> Iterator[str]:
    """Yield what to print: an entry for each metric of the first segment, of the second and on.

    Entries of several systems begin with the number of the segment and the name of the system.
    """
    entries = _entries(metrics, corpus, style, threads, quiet)
    return json_list(entries) if style.format == "json" else (f"{text}\n" for text in entries)


def _entries(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, threads: int, quiet: bool
) -> Iterator[str]:
    systems = corpus.systems
    several = len(systems) > 1
    with progress_bar("segments", corpus.n_segments * len(systems), quiet) as bar:
        for part, streams in split(corpus, part_size(*metrics)):
            columns = [
                _scores(name, metric, corpus, i, part, streams, style, threads)
                for i, (name, metric) in product(range(len(systems)), metrics.items())
            ]
            for number, texts in enumerate(
                zip(*columns, strict=True), corpus.first + part.start + 1
            ):
                if not several:
                    yield from texts
                    continue
                for i, text in enumerate(texts):
                    name = systems[i // len(metrics)].name
                    entry = {"segment": number, "system": name, **json.loads(text)}
                    yield json.dumps(entry, indent=1, ensure_ascii=False)
            if bar is not None:
                bar.update((part.stop - part.start) * len(systems))


def _scores(
    name: str,
    metric: AnyMetric,
    corpus: Corpus,
    i: int,
    part: slice,
    streams: list[list[str]],
    style: Style,
    threads: int,
) -> Iterator[str]:
    """Yield the score of each segment of the i-th system, as text or JSON."""
    if isinstance(metric, MeanScore) or name in corpus.given:
        signature = style.signature(signature_of(metric))
        for row in corpus.given[name][i][part]:
            yield style.score(metric.score(row), signature)
        return
    hyps = corpus.systems[i].segments[part]
    if style.score_only:
        for number in metric.segment_scores(hyps, streams, threads=threads).tolist():
            yield f"{number:.{style.width}f}"
        return
    signature = ""  # known once something was scored, and the same for all
    # A score object for each: one by one is faster than from rows of statistics.
    for hyp, *own in zip(hyps, *streams, strict=True):
        score = metric.sentence_score(hyp, own)
        signature = signature or style.signature(signature_of(metric))
        yield style.score(score, signature)
