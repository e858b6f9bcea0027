"""``rapidbleu explain``: the score of a segment, derived from its texts."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from rapidbleu._lib.colors import leave_plain, paint
from rapidbleu.cli.files import (
    add_table,
    distinct_names,
    name_of_system,
    output,
    read_corpus,
    take_table,
)
from rapidbleu.cli.messages import (
    CommandError,
    as_json,
    library_messages,
    terminal_width,
    use_color,
)
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics, titles_of
from rapidbleu.cli.options import EMPTY, Parser, add_options, at_least, check_effect, encoding_of
from rapidbleu.table import json_list

if TYPE_CHECKING:
    from rapidbleu.explanation.explanations import Explanation
    from rapidbleu.metrics.metric import Metric

FORMATS = ("text", "json", "html", "svg")
PAGE = (
    '<!doctype html><html><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>rapidbleu explain</title>'
    "<style>:root{{color-scheme:light dark}}body{{margin:1rem}}</style></head>"
    "<body>{}</body></html>\n"
)


TEXTS = (
    ("--text", "TEXT ...", "a hypothesis and its references, instead of files"),
    (
        "--segment",
        "N",
        "line number of the segment, from 1 (default: 1)",
        {"type": at_least(1), "default": 1},
    ),
    encoding_of("files"),
    (
        "-f",
        "--format",
        "FORM",
        "text, json, html (a page) or svg (a figure for slides) (default: text)",
        {"choices": FORMATS, "default": "text"},
    ),
    ("-o", "--output", "FILE", "output file (default: standard output)"),
    ("-nc", "--no-color", "no colors"),
    ("-q", "--quiet", "no warnings"),
)


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu explain",
        usage="%(prog)s {HYP REF ... | [-i] HYP ... -r REF ...} [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN [options]\n"
        "       %(prog)s --text HYP REF ... [options]",
        examples=[
            "-i old.txt new.txt -r ref.txt --segment 7 -m bleu ter",
            "--text 'the cat sat' 'the cat sat down' -m chrf",
        ],
        description="Explain the score of a segment: n-grams with counts, clipped counts and "
        "positions, edits, and the formula with numbers. Files may be plain, .gz, .bz2, .xz or "
        ".zst, with one segment per line. BLEU uses the effective order, as with -sl.",
    )

    parser.add_files(
        "-i",
        "--input",
        needed=False,
        default=[],
        metavar="HYP",
        help="hypotheses, one file per system; several are shown side by side",
    )
    refs = ("-r", "--refs", "REF ...", "references, one file per set", EMPTY)
    add_options(parser, (refs, add_table, *TEXTS))
    add_metrics(parser)
    parser.set_defaults(sentence_level=True, num_refs=1, names=None)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    parser = make_parser()
    args = parser.parse_args(list(argv))
    take_table(parser, args)
    check(args)
    by_metric = []
    with library_messages(args.quiet):
        metrics = make_metrics(args)
        if args.text:
            systems = {"HYP": args.text[0]}
            references = args.text[1:]
        else:
            metrics, systems, references = _read(metrics, args)
        for metric, title in zip(metrics.values(), titles_of(metrics).values(), strict=True):
            explanations = {}
            for name, text in systems.items():
                explanations[name] = metric.explain(text, references)
                explanations[name].score = explanations[name].score._renamed(title)
            by_metric.append(explanations)
    parts = written(by_metric, args.format, None if args.output else out, args.no_color)
    with output(args.output, out) as file:
        file.writelines(parts)
    return 0


def check(args: Namespace) -> None:
    """Refuse conflicting options before anything is read."""
    # Without options, the first file has the hypotheses and further ones have references.
    args.n_systems = len(args.input) if args.refs else 1
    args.files = [*args.input, *args.refs]
    if (args.refs and not args.input) or (args.input and not args.refs and not args.loose):
        raise CommandError("-i/--input and -r/--refs: expected both")
    if args.text and args.files:
        raise CommandError(f"--text: expected no files with it; got {args.files[0]}")
    n = len(args.text or args.files)
    if n < 2:
        what = "--text: expected texts" if args.text else "explain: expected files"
        raise CommandError(f"{what} of a hypothesis and of at least one reference; got {n}")
    check_effect(args, not args.text, "with --text", "segment", "encoding")


def _read(
    metrics: dict[str, Metric], args: Namespace
) -> tuple[dict[str, Metric], dict[str, str], list[str]]:
    """Return the segment of each system, and the metrics, some weighted by all references."""
    n = args.n_systems
    args.input = args.files[:n]
    args.refs = args.files[n:]
    corpus = read_corpus(args)
    streams = [system.segments for system in corpus.systems]
    if args.segment > len(streams[0]):
        raise CommandError(f"--segment: expected at most {len(streams[0])}; got {args.segment}")
    i = args.segment - 1
    names = args.names or distinct_names(list(map(name_of_system, args.input))) or args.input
    systems = {name: stream[i] for name, stream in zip(names, streams, strict=True)}
    if len(systems) < n:
        option, kind = ("--hyp", "columns") if args.table else ("-i/--input", "files")
        raise CommandError(f"{option}: expected different {kind}")
    references = [stream[i] for stream in corpus.references if stream[i] is not None]
    return informed(metrics, corpus.references), systems, references


def written(
    by_metric: list[dict[str, Explanation]], form: str, out: TextIO | None, no_color: bool
) -> Iterable[str]:
    """Return the parts to write to `out` or a file, given systems by metric."""
    from rapidbleu.explanation.explanations import PAGE_WIDTH, as_html, as_svg, side_by_side
    from rapidbleu.explanation.texts import WIDTH

    if form == "json":
        entries = []
        for systems in by_metric:
            for name, explanation in systems.items():
                entry = {"system": name} if len(systems) > 1 else {}
                entries.append(as_json(entry | explanation.to_dict()))
        return json_list(entries)
    width = {"svg": WIDTH, "html": None}.get(form, terminal_width(out))
    paints = paint if form != "text" or use_color(out, no_color) else leave_plain
    block = PAGE_WIDTH if form == "html" else width or WIDTH
    texts = [side_by_side(systems, paints, width, block) for systems in by_metric]
    if form == "html":
        return [PAGE.format("".join(map(as_html, texts)))]
    text = "\n\n\n".join(texts)
    return [as_svg(text) if form == "svg" else f"{text}\n"]
