"""``rapidbleu explain``: a segment and its references in, what makes its scores out."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rapidbleu.cli.files import add_table, output, read_corpus, take_table
from rapidbleu.cli.messages import CommandError, library_messages, use_color
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics, titles_of
from rapidbleu.cli.options import Parser, at_least
from rapidbleu.table import json_list

if TYPE_CHECKING:
    from rapidbleu.explanation.explanations import Explanation
    from rapidbleu.metrics.metric import Metric

FORMATS = ("text", "json", "html")


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu explain",
        usage="%(prog)s {HYP REF ... | -i HYP -r REF ...} [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN [options]\n"
        "       %(prog)s --text HYP REF ... [options]",
        examples=[
            "-i hyp.txt -r ref.txt --segment 7 -m bleu ter",
            "--text 'the cat sat' 'the cat sat down' -m chrf",
        ],
        description="Say why a segment scores what it does: n-grams with their counts, clipped "
        "counts and places, edits, and the formula with numbers. Files may be plain, .gz, .bz2, "
        ".xz or .zst, with one segment on each line. BLEU has the effective order, as with -sl.",
    )
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE",
        help="hypotheses, then references, one file for each set")  # fmt: skip
    add("-i", "--input", nargs=1, default=[], metavar="HYP", help="hypotheses")
    add("-r", "--refs", nargs="+", default=[], metavar="REF",
        help="references, one file for each set")  # fmt: skip
    add_table(parser)
    add("--text", nargs="+", metavar="TEXT",
        help="a hypothesis and its references, instead of files")  # fmt: skip
    add("--segment", type=at_least(1), default=1, metavar="N",
        help="the line of the files, the first being 1 (default: 1)")  # fmt: skip
    add("-e", "--encoding", default="utf-8", help="of the files (default: utf-8)")
    add("-f", "--format", choices=FORMATS, default="text", metavar="FORM",
        help="text, json or html, a page with matches highlighted (default: text)")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    add("-nc", "--no-color", action="store_true", help="use no colors")
    add("-q", "--quiet", action="store_true", help="no warnings")
    add_metrics(parser)
    parser.set_defaults(sentence_level=True, num_refs=1, names=None)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    take_table(parser, args)
    check(args)
    with library_messages(args.quiet):
        metrics = make_metrics(args)
        if args.text:
            hypothesis, *references = args.text
        else:
            metrics, hypothesis, references = _read(metrics, args)
        explanations = [metric.explain(hypothesis, references) for metric in metrics.values()]
        for explanation, title in zip(explanations, titles_of(metrics).values(), strict=True):
            explanation.score = explanation.score._renamed(title)
    colored = not args.output and use_color(out, args.no_color)
    text = "".join(written(explanations, args.format, colored))
    with output(args.output, out) as file:
        file.write(text)
    return 0


def check(args: Namespace) -> None:
    """Refuse options that do not fit together, before anything is read."""
    if args.input or args.refs:
        if args.files or not (args.input and args.refs):
            raise CommandError("-i/--input and -r/--refs: expected both, and no other files")
        args.files = [*args.input, *args.refs]
    if len(args.input) > 1:
        raise CommandError(f"--hyp: expected one column; got {len(args.input)}")
    if args.text and args.files:
        raise CommandError(f"--text: expected no files with it; got {args.files[0]}")
    given = args.text or args.files
    if len(given) < 2:
        what, name = ("texts", "--text") if args.text else ("files", "explain")
        raise CommandError(
            f"{name}: expected {what} of a hypothesis and of at least one reference; "
            f"got {len(given)}"
        )
    if args.text and args.segment != 1:
        raise CommandError("--segment: only with files")


def _read(metrics: dict[str, Metric], args: Namespace) -> tuple[dict[str, Metric], str, list[str]]:
    """Return the segment of the files, and the metrics, some of which weigh by all references."""
    args.input, args.refs = args.files[:1], args.files[1:]
    corpus = read_corpus(args)
    [(_, segments)] = corpus.systems
    if args.segment > len(segments):
        raise CommandError(f"--segment: expected at most {len(segments)}; got {args.segment}")
    i = args.segment - 1
    references = [stream[i] for stream in corpus.references if stream[i] is not None]
    return informed(metrics, corpus.references), segments[i], references


def written(explanations: list[Explanation], form: str, color: bool) -> list[str]:
    """Return the parts of what is written."""
    if form == "json":
        entries = [
            json.dumps(explanation.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
            for explanation in explanations
        ]
        return list(json_list(entries))
    if form == "html":
        return [_page("".join(explanation._repr_html_() for explanation in explanations))]
    return ["\n\n\n".join(explanation.format(color) for explanation in explanations), "\n"]


def _page(body: str) -> str:
    return (
        '<!doctype html><html><head><meta charset="utf-8"><title>rapidbleu explain</title>'
        "<style>:root{color-scheme:light dark}body{margin:2em}</style></head>"
        f"<body>{body}</body></html>\n"
    )
