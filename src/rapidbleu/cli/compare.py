"""``rapidbleu compare``: where and why systems differ, as text, tables or an HTML report."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rapidbleu._lib.colors import harmless
from rapidbleu.cli.external_scores import (
    check_metrics,
    named_files,
    read_external,
    read_samples,
)
from rapidbleu.cli.files import (
    Corpus,
    add_table,
    check_files,
    name_of_system,
    output,
    read_corpus,
    read_texts,
    take_table,
)
from rapidbleu.cli.messages import CommandError, library_messages, progress_callback
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics, titled
from rapidbleu.cli.options import (
    MOST,
    MOST_DIGITS,
    N_RESAMPLES,
    Parser,
    add_resamples,
    add_seed,
    add_threads,
    at_least,
    seed_of,
)
from rapidbleu.comparison import Comparison, compare
from rapidbleu.comparison.tables import RATES, TITLES, bucket_title, shown_in
from rapidbleu.streams.tables import open_tables
from rapidbleu.table import Table

SECTIONS = ("scores", "tests", "buckets", "words", "ngrams", "examples", "segments")
FORMS = ("text", "markdown", "latex", "csv", "tsv", "json")
HEADINGS = {"text": "== {}\n\n", "markdown": "## {}\n\n", "latex": "% {}\n"}
MOST_SHOWN = 1_000_000  # n-grams or segments
# What each form has unless --show says otherwise.
SHOWN: dict[str, tuple[str, ...]] = {form: SECTIONS[:-1] for form in FORMS}
SHOWN |= {"latex": ("scores", "tests"), "csv": ("scores",), "tsv": ("scores",)}


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu compare",
        usage="%(prog)s [-i] SYS ... (-r REF ... | --from PROGRAM) [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN [options]",
        examples=[
            "-i old.txt new.txt -r ref.txt --html report.html",
            "-i a.txt b.txt c.txt -r ref.txt -f csv --show tests",
        ],
        description="Compare the outputs of systems: scores with intervals, tests of all pairs, "
        "scores of segments by length, label and score, words by frequency, n-grams that only one "
        "system has right, segments that differ most. Files may be plain, .gz, .bz2, .xz or .zst, "
        "with one segment on each line.",
    )
    add = parser.add_argument
    table = add_table(parser)
    parser.add_files("-i", "--input", metavar="SYS", unless=(table,), help="outputs of systems")
    add("--from", dest="program", choices=["lm-eval"], metavar="PROGRAM",
        help="lm-eval: SYS are its sample logs or folders, which have references and scores"
    )  # fmt: skip
    add("-r", "--refs", nargs="+", metavar="REF",
        help="files of references, each with all segments")  # fmt: skip
    add("-nr", "--num-refs", type=at_least(1, MOST), default=1, metavar="N",
        help="references in each line of REF, separated by tabs (default: 1)")  # fmt: skip
    add("--names", nargs="+", metavar="NAME",
        help="of the systems (default: the names of their files)")  # fmt: skip
    add("--source", metavar="FILE", help="what was translated, for examples; of --table a column")
    add("--labels", metavar="FILE",
        help="a label for each segment, such as its domain; of --table a column")  # fmt: skip
    add("--scores", nargs="+", action="append", default=[], metavar="NAME=FILE",
        help="scores of segments by another metric, as in `rapidbleu --scores`")  # fmt: skip
    add("-e", "--encoding", default="utf-8", help="of all files (default: utf-8)")
    add_threads(parser)
    add("-q", "--quiet", action="store_true", help="no warnings, no progress bar")
    _add_tests(parser)
    _add_results(parser)
    add_metrics(parser, ("bleu", "chrf"))
    # Segments are scored, so BLEU leaves out orders for which they are too short; that changes no
    # score of a corpus.
    parser.set_defaults(sentence_level=True)
    return parser


def _add_tests(parser: Parser) -> None:
    add = parser.add_argument_group("significance").add_argument
    add_resamples(add, 2, None, f"of intervals and tests (default: {N_RESAMPLES}, or 40 for each "
        "pair of systems if that is more)")  # fmt: skip
    add_seed(add)
    add("--baseline", metavar="NAME", help="compare the others with this system only")
    add("--correction", choices=["holm", "bonferroni", "none"], default="holm", metavar="NAME",
        help="of p-values for the number of pairs: holm, bonferroni, none (default: holm)"
    )  # fmt: skip


def _add_results(parser: Parser) -> None:
    add = parser.add_argument_group("results").add_argument
    add("--html", metavar="FILE", help="write a report as one HTML file, which needs no network")
    add("--title", default="Comparison of systems", help="of the report")
    add("-f", "--format", choices=FORMS, default="text", metavar="FORM",
        help=f"{', '.join(FORMS)} (default: text)")  # fmt: skip
    add("--show", nargs="+", choices=SECTIONS, metavar="SECTION",
        help=f"{', '.join(SECTIONS)} (default: all but the last; scores and tests in latex, scores "
        "in csv and tsv, which have one table)")  # fmt: skip
    add("--ngrams", type=at_least(1, MOST_SHOWN), default=10, metavar="N",
        help="n-grams of a pair, for each of its systems (default: 10)")  # fmt: skip
    add("--examples", type=at_least(1, MOST_SHOWN), default=5, metavar="N",
        help="segments of a pair, for each of its systems (default: 5)")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    add("-w", "--width", type=at_least(0, MOST_DIGITS), metavar="N",
        help="digits after the point (default: 2; 4 of shares, and of scores within [-1, 1]; in "
        "csv and tsv all)")  # fmt: skip


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    take_table(parser, args)
    if (args.refs is None) == (args.program is None) or (args.program and args.num_refs != 1):
        parser.error("expected references by either -r/--refs or --from")
    args.needs_texts = args.metrics is not parser.get_default("metrics") or bool(args.given)
    with library_messages(args.quiet):
        result = _compare(args)
    text = written(result, args)
    if args.html:
        from rapidbleu.comparison.report import write_report

        write_report(result, args.html, args.title)
    with output(args.output, out) as file:
        print(text, file=file)
    return 0


def _compare(args: Namespace) -> Comparison:
    """Read all files, and compare the systems."""
    if args.html:
        import_module("rapidbleu.comparison.report")  # says now rather than later what is missing
    if args.names is None:
        names = [Path(p).absolute().name if args.program else name_of_system(p) for p in args.input]
        args.names = names if len(set(names)) == len(names) else None
    check_files(args)
    files = named_files(args)
    made = make_metrics(args)
    check_metrics(files, made)
    if args.program:
        corpus, given, labels = read_samples(args.input, args.names or args.input)
    else:
        corpus, given, labels = read_corpus(args), {}, None
    if same := given.keys() & files.keys():
        raise CommandError(f"--scores {same.pop()}: expected another name than in the logs")
    if args.program and not any(any(system.segments) for system in corpus.systems):
        if args.needs_texts or not given:
            wanted = "expected texts" if given else "expected a score or a text in each sample"
            raise CommandError(f"{args.input[0]}: {wanted}; name the logs of one task")
        made, args.show = {}, args.show or ["scores", "tests"]
    names = [system.name for system in corpus.systems]
    if args.baseline is not None and args.baseline not in names:
        raise CommandError(f"--baseline: expected one of {', '.join(names)}; got {args.baseline}")
    with progress_callback("resamples", args.quiet) as progress:
        return compare(
            {system.name: system.segments for system in corpus.systems},
            corpus.references,
            titled(informed(made, corpus.references)),
            labels=_lines(args.labels, corpus, args) or labels,
            sources=_lines(args.source, corpus, args),
            scores={
                name: dict(zip(names, own, strict=True))
                for name, own in (given | read_external(files, corpus.systems, args)).items()
            },
            baseline=args.baseline,
            n_resamples=args.n_resamples,
            seed=seed_of(args.seed),
            correction=args.correction,
            threads=args.threads,
            progress=progress,
        )


def _lines(path: str | None, corpus: Corpus, args: Namespace) -> list[str] | None:
    """Read a file with a line for each segment, or a column of the tables, if there is one."""
    if path is None:
        return None
    if args.table is None:
        lines = read_texts(path, args.encoding)
    else:
        lines = [x for rows in open_tables(args.table, (path,)) for x in rows.objects(path)]
    n = len(corpus.references[0])
    if len(lines) != n:
        raise CommandError(f"{path}: expected {n} lines, one for each segment; got {len(lines)}")
    return lines


# Output


class Shown(NamedTuple):
    """A table under its title; `examples` are the systems of segments with texts."""

    title: str
    table: Table
    examples: tuple[str, str] | None = None


def tables_of(result: Comparison, section: str, args: Namespace) -> Iterator[Shown]:
    """Yield the tables of a section."""
    if section == "scores":
        yield Shown("Scores", result.scores)
    elif section == "tests" and len(result.tests):
        corrected = "" if result.correction == "none" else f", corrected ({result.correction})"
        title = f"Paired bootstrap of all pairs, {result.n_resamples} resamples{corrected}"
        yield Shown(title, result.tests)
    elif section == "buckets":
        for kind in result.buckets:
            for what in shown_in(kind, result.columns):
                title = f"{what} by {bucket_title(kind, result.columns)}"
                yield Shown(title, result.side_by_side(kind, what))
    elif section == "words":
        for what in RATES:
            title = f"{TITLES.get(what, what)} of words by their frequency"
            yield Shown(title, result.side_by_side("words", what))
    elif section == "ngrams":
        for a, b in _pairs(result):
            title = f"N-grams that {a} has right more often than {b}"
            yield Shown(title, result.ngrams(a, b, args.ngrams))
    elif section == "examples":
        for a, b in _pairs(result):
            title = f"Segments in which {a} is better than {b} by most ({result.metrics[0]})"
            yield Shown(title, _numbered(result.examples(a, b, n=args.examples)), (a, b))
    elif section == "segments":
        yield Shown("Segments", _numbered(result.segments))


def _numbered(table: Table) -> Table:
    """Return a table of segments with the numbers of lines, from 1."""
    columns = {name: table[name] for name in table.names}
    columns["segment"] = columns["segment"] + 1
    return Table(columns, table._digits, titles=table._titles)


def _pairs(result: Comparison) -> list[tuple[str, str]]:
    """Return the systems that are compared, each pair in both orders."""
    pairs: Iterable[tuple[str, str]] = combinations(result.systems, 2)
    if result.baseline is not None:
        pairs = [(result.baseline, name) for name in result.systems if name != result.baseline]
    return [ordered for a, b in pairs for ordered in ((a, b), (b, a))]


def written(result: Comparison, args: Namespace) -> str:
    """Return the sections of a comparison in the form that the options ask for."""
    form, sections = args.format, args.show or SHOWN[args.format]
    shown = {name: list(tables_of(result, name, args)) for name in sections}
    if form == "json":
        return _as_json(result, shown)
    tables = [item for items in shown.values() for item in items]
    if form in HEADINGS:
        return harmless("\n\n".join([_titled(item, form, args.width) for item in tables]))
    if len(tables) != 1:
        titles = "; ".join([item.title for item in tables]) or "none"
        raise CommandError(
            f"-f {form} writes one table, and --show {' '.join(sections)} has {len(tables)}: "
            f"{titles}"
        )
    return tables[0].table.format(form, args.width).removesuffix("\n")


def _titled(shown: Shown, form: str, digits: int | None) -> str:
    """Return a table under its title."""
    title = HEADINGS[form].format(shown.title)
    if form == "text" and shown.examples is not None:
        return title + _examples(shown, digits)
    return title + shown.table.format(form, digits)  # type: ignore[arg-type]


def _examples(shown: Shown, digits: int | None) -> str:
    """Return segments, one below the other, with their texts."""
    digits = shown.table._digits["score_a"] if digits is None else digits
    a, b = shown.examples or ("", "")
    blocks = []
    rows = shown.table.to_dict()
    for i in range(len(shown.table)):
        scores = f"{rows['score_a'][i]:.{digits}f} and {rows['score_b'][i]:.{digits}f}"
        texts = {"source": rows["source"][i]} if "source" in rows else {}
        texts |= {
            "reference": rows["reference"][i],
            a: rows["output_a"][i],
            b: rows["output_b"][i],
        }
        width = max(map(len, texts))
        lines = [f"  {name:<{width}}  {text}".rstrip() for name, text in texts.items()]
        blocks.append("\n".join([f"segment {rows['segment'][i]}: {scores}", *lines]))
    return "\n\n".join(blocks) or "none"


def _as_json(result: Comparison, shown: dict[str, list[Shown]]) -> str:
    """Return the options and the sections; n-grams and examples are lists, with their systems."""
    everything = result.to_dict()
    tables = ("scores", "tests", "words", "buckets", "segments")
    kept: dict[str, Any] = {
        name: value for name, value in everything.items() if name not in tables or name in shown
    }
    for name in ("ngrams", "examples"):
        if name in shown:
            kept[name] = [
                {"a": a, "b": b, "table": item.table.to_dict()}
                for (a, b), item in zip(_pairs(result), shown[name], strict=True)
            ]
    if "segments" in shown:
        kept["segments"] = shown["segments"][0].table.to_dict()
    return json.dumps(kept, indent=1, ensure_ascii=False)
