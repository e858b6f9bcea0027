"""Scores of metrics: computed from outputs and references, read from files, or both."""

from argparse import Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.correlate.human import read_human, read_scores
from rapidbleu.cli.correlate.material import Material, Segments, judged_systems, listed
from rapidbleu.cli.files import check_lengths, name_of_system, read_references, read_systems
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.metrics import informed, make_metrics
from rapidbleu.cli.progress import Bar, progress_bar, waiting
from rapidbleu.meta import SystemScores
from rapidbleu.parallel import part_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.typing import FloatArray

    _Texts = Sequence[str | None]


class Computed(NamedTuple):
    """What a metric says of systems."""

    name: str
    segments: SystemScores
    systems: dict[str, float]
    higher_is_better: bool
    signature: str


def read_files(args: Namespace) -> Material:
    """Return what files of outputs, references and scores say."""
    human = read_human(args)
    external = {name: read_scores(name, path, args) for name, path in args.scores.items()}
    with waiting("reading", args.quiet):
        outputs = read_outputs(args)
        streams = read_references(args.refs, 1, args.encoding)
    n_segments = _checked_lengths(outputs, dict(zip(args.refs, streams, strict=True)))
    if outputs:
        known: Sequence[str] = list(outputs)
        columns = _segments(args, n_segments)
        expected = "outputs"
    else:
        own = [scores.systems or () for scores in external.values()]
        known = [name for name in own[0] if all(name in others for others in own[1:])]
        files = dict(zip(args.scores.values(), external.values(), strict=True))
        columns = _union({args.human: human} | files)
        expected = f"scores in {', '.join(args.scores.values())}"
    systems = judged_systems(human, known, args.leave_out, args.human, expected, args.quiet)
    material = Material(columns.spread(human, systems, args.human))
    if outputs:
        wanted = material.judged() if args.judged_only else [True] * n_segments
        texts: dict[str, list[str | None]] = {
            name: [text if there else None for text, there in zip(own, wanted, strict=True)]
            for name, own in outputs.items() if name in systems
        }  # fmt: skip
        add_computed(material, texts, streams, args)
    add_external(material, external, columns, args)
    return material


def add_external(
    material: Material, external: dict[str, SystemScores], columns: Segments, args: Namespace
) -> None:
    """Add the metrics of ``--scores``."""
    for name, scores in external.items():
        path = args.scores[name]
        for system in material.systems:
            if system not in (scores.systems or ()):
                raise CommandError(
                    f"{path}: expected scores of system {system!r}, got those of "
                    f"{listed(scores.systems or ())}"
                )
        spread = columns.spread(scores, material.systems, path)
        material.add(name, material.of_judged(spread) if args.judged_only else spread)


def read_outputs(args: Namespace) -> dict[str, list[str]]:
    """Return the outputs of ``-i`` by the names of their systems."""
    paths = args.input
    names = args.names or [name_of_system(path) for path in paths]
    for i, name in enumerate(names):
        if name in names[:i]:
            other = paths[names.index(name)]
            raise CommandError(
                f"{paths[i]}: system {name!r}, as {other}; tell them apart with --names"
            )
    systems = read_systems(paths, args.encoding) if paths else []
    return {name: system.segments for name, system in zip(names, systems, strict=True)}


def _checked_lengths(outputs: dict[str, list[str]], references: dict[str, list[str]]) -> int:
    """Return how many segments there are, the same in all files."""
    lengths = {name: len(texts) for name, texts in {**outputs, **references}.items()}
    check_lengths(lengths.items())
    n = next(iter(lengths.values()), 0)
    if lengths and not n:
        raise CommandError(f"{next(iter(lengths))}: no segments")
    return n


def _segments(args: Namespace, n: int) -> Segments:
    """Return the segments of outputs, by the names that human scores have for them."""
    if args.segments is None:
        return Segments.numbered(n, args.first_segment)
    [names] = read_references([args.segments], 1, args.encoding)
    if len(names) != n:
        raise CommandError(f"{args.segments}: expected {n} names of segments, got {len(names)}")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise CommandError(f"{args.segments}, line {i + 1}: {name!r} is there twice")
    return Segments(names)


def _union(files: dict[str, SystemScores]) -> Segments:
    """Return all segments that files name, in the order in which they do; numbers by size."""
    names: dict[str, None] = {}
    for path, scores in files.items():
        if scores.segments is None:
            raise CommandError(f"{path}: its segments have no names: outputs are needed, with -i")
        names |= dict.fromkeys(scores.segments)
    numbers = all(name.isdecimal() for name in names)
    return Segments(sorted(names, key=int) if numbers else list(names))


def add_computed(
    material: Material,
    outputs: "Mapping[str, _Texts]",
    streams: "Sequence[_Texts]",
    args: Namespace,
) -> None:
    """Compute the metrics of ``-m`` and add them.

    A text that is None is not supplied, and its segment has no score.
    """
    metrics = informed(make_metrics(args), streams)  # type: ignore[arg-type]
    # BLEU of a segment is that of -sl: orders beyond the segment's length do not count.
    of_segments = make_metrics(Namespace(**{**vars(args), "sentence_level": True}))
    n_segments = len(outputs) * len(streams[0])
    for name, metric in metrics.items():
        with progress_bar(name, n_segments, args.quiet) as bar:
            segment_metric = of_segments[name] if name == "bleu" else metric
            found = computed(metric, segment_metric, outputs, streams, args.threads, bar)
        material.add(found.name, found.segments, found.systems, found.higher_is_better)
        material.signatures[found.name] = found.signature


def computed(
    metric: "Metric",
    segment_metric: "Metric",
    outputs: "Mapping[str, _Texts]",
    streams: "Sequence[_Texts]",
    threads: int,
    bar: Bar | None,
) -> Computed:
    """Score systems and their segments.

    Parameters
    ----------
    metric, segment_metric : Metric
        Of the same rows; the first scores systems, the second segments.
    outputs, streams
        Texts by system, and by stream of references.
    threads : int
    bar : Bar or None
        Told how many segments are done.
    """
    import numpy as np

    n = len(streams[0])
    texts: Any = streams
    with_reference = [any(text is not None for text in own) for own in zip(*texts, strict=True)]
    all_there = all(with_reference)
    prepared = metric.prepare(texts) if all_there else None
    values = np.full((len(outputs), n), np.nan)
    systems = {}
    score_name = ""
    for i, (system, output) in enumerate(outputs.items()):
        kept = [j for j in range(n) if output[j] is not None and with_reference[j]]
        if not kept:
            raise CommandError(f"{system}: no segment has a text and a reference")
        whole = prepared is not None and len(kept) == n
        references: Any = prepared if whole else [[own[j] for j in kept] for own in texts]
        hypotheses: Any = [output[j] for j in kept]
        told = None if bar is None else part_of(bar, i, len(outputs))
        rows = metric.segment_stats(hypotheses, references, threads=threads, progress=told)
        score = metric.score(rows)
        values[i, kept] = segment_metric.score_rows(rows)
        systems[system] = score.score
        score_name = score.name
    signature = metric.get_signature().format()
    scores: FloatArray = values
    of_segments = SystemScores(scores, list(outputs))
    return Computed(score_name, of_segments, systems, metric.higher_is_better, signature)
