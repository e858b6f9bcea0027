"""The scoring command: corpus or segments, one system or several."""

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu.cli.files import System, read_references, read_systems
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.progress import progress_bar
from rapidbleu.cli.report import Style, json_list, systems_json, systems_text, use_color
from rapidbleu.metrics import BLEU

if TYPE_CHECKING:
    from rapidbleu.metrics.base import Metric
    from rapidbleu.score import Score

# Segments scored at once where results or a progress bar shall appear on the way.
PART = 20_000


def run(args: Namespace, out: TextIO) -> None:
    """Read the files, score the systems, and write the results."""
    if not args.refs:
        raise CommandError("no references: name their files, before -i/--input")
    if args.num_refs != 1 and len(args.refs) > 1:
        raise CommandError(
            f"-nr/--num-refs splits a single file of references, got {len(args.refs)} files"
        )
    if args.sentence_level and len(args.input or ()) > 1:
        raise CommandError(f"-sl/--sentence-level scores a single system, got {len(args.input)}")
    references = read_references(args.refs, args.num_refs, args.encoding)
    systems = read_systems(args.input, args.encoding)
    check_lengths(systems, references, args.refs)
    metric = make_bleu(args)
    style = Style(
        format=args.format,
        width=args.width,
        short=args.short,
        score_only=args.score_only,
        color=use_color(out, args.no_color),
    )
    if args.sentence_level:
        quiet = args.quiet or out.isatty()
        out.writelines(segment_report(metric, systems[0], references, style, quiet))
    else:
        scores = score_systems(metric, systems, references, args.quiet)
        print(corpus_report(metric, systems, scores, style), file=out)


def make_bleu(args: Namespace) -> BLEU:
    """Return BLEU with the options of the command line."""
    try:
        return BLEU(
            lowercase=args.lowercase,
            force=args.force or args.sentence_level,
            tokenize=args.tokenize,
            smooth_method=args.smooth_method,
            smooth_value=args.smooth_value,
            max_ngram_order=args.max_ngram_order,
            effective_order=args.sentence_level,
            trg_lang=args.trg_lang or "",
            threads=args.threads,
        )
    except OSError as error:  # the model of a tokenizer
        raise CommandError(str(error)) from None


def check_lengths(systems: list[System], references: list[list[str]], paths: list[str]) -> None:
    """Refuse a system without segments, and files of different lengths."""
    for system in systems:
        if not system.segments:
            raise CommandError(f"{system.name}: no segments")
    lengths = [(system.name, len(system.segments)) for system in systems]
    lengths += [(path, len(stream)) for path, stream in zip(paths, references, strict=False)]
    if len({length for _, length in lengths}) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths)
        raise CommandError(f"numbers of segments differ: {listed}")


def score_systems(
    metric: "Metric", systems: list[System], references: list[list[str]], quiet: bool
) -> "list[Score]":
    """Score each system as a corpus; several share references that were tokenized once.

    Statistics add up, so a corpus scored in parts, for the bar to move, has the same score.
    """
    n = len(references[0])
    prepare = len(systems) > 1
    with progress_bar(n * (len(systems) + prepare), quiet) as bar:
        parts: list[tuple[slice, Any]] = []
        for part, streams in split(references, PART if bar else n):
            parts.append((part, metric.prepare(streams) if prepare else streams))
            if bar and prepare:
                bar.update(len(streams[0]))
        return [score_parts(metric, system.segments, parts, bar) for system in systems]


def score_parts(
    metric: "Metric", segments: list[str], parts: list[tuple[slice, Any]], bar: Any
) -> "Score":
    """Score a system against the references of each part of the corpus."""
    if bar is None:
        return metric.corpus_score(segments, parts[0][1])
    total: Any = 0
    for part, references in parts:
        hypotheses = segments[part]
        total = total + metric.corpus_stats(hypotheses, references)
        bar.update(len(hypotheses))
    return metric.score(total)


def split(references: list[list[str]], size: int) -> Iterator[tuple[slice, list[list[str]]]]:
    """Yield each part of `size` segments: where it is, and its references."""
    for begin in range(0, len(references[0]), size):
        part = slice(begin, begin + size)
        yield part, [stream[part] for stream in references]


def corpus_report(
    metric: "Metric", systems: list[System], scores: "list[Score]", style: Style
) -> str:
    """Return what to print of corpus scores."""
    signature = style.signature(metric.get_signature())
    if len(systems) == 1:
        return style.score(scores[0], signature)
    names = [system.name for system in systems]
    if style.format == "json":
        return systems_json(names, scores, signature, style.width)
    return systems_text(names, scores, signature, style)


def segment_report(
    metric: "Metric", system: System, references: list[list[str]], style: Style, quiet: bool
) -> Iterator[str]:
    """Yield what to print of the scores of segments, as they are computed."""
    scores = score_segments(metric, system.segments, references, style, quiet)
    return json_list(scores) if style.format == "json" else (f"{text}\n" for text in scores)


def score_segments(
    metric: "Metric", segments: list[str], references: list[list[str]], style: Style, quiet: bool
) -> Iterator[str]:
    """Yield the score of each segment, as text or JSON."""
    signature = ""  # known once something was scored, and the same for all
    with progress_bar(len(segments), quiet) as bar:
        for part, streams in split(references, PART):
            hypotheses = segments[part]
            if style.score_only:
                numbers = metric.segment_scores(hypotheses, streams).tolist()
                yield from (f"{number:.{style.width}f}" for number in numbers)
            else:
                # A score object for each: one by one is faster than from rows of statistics.
                for hypothesis, *own in zip(hypotheses, *streams, strict=True):
                    score = metric.sentence_score(hypothesis, own)
                    signature = signature or style.signature(metric.get_signature())
                    yield style.score(score, signature)
            if bar:
                bar.update(len(hypotheses))
