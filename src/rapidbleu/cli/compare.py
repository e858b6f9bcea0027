"""``rapidbleu compare``: differences between systems as text, tables or an HTML report."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rapidbleu._lib.colors import columns, folded, harmless, leave_plain, paint
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
    distinct_names,
    name_of_system,
    output,
    read_corpus,
    read_texts,
    take_table,
)
from rapidbleu.cli.messages import (
    CommandError,
    library_messages,
    progress_callback,
    say,
    terminal_width,
    use_color,
)
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics, titled
from rapidbleu.cli.options import (
    MOST_DIGITS,
    MOST_REPEATS,
    N_RESAMPLES,
    Parser,
    add_groups,
    add_num_refs,
    add_options,
    add_seed,
    add_threads,
    argument,
    at_least,
    check_effect,
    encoding_of,
    seed_of,
)
from rapidbleu.comparison import Comparison, compare
from rapidbleu.comparison.result import plural
from rapidbleu.comparison.tables import RATES, TITLES, bucket_title, shown_in, text_of
from rapidbleu.significance.result import FEW
from rapidbleu.streams.tables import open_tables
from rapidbleu.table import SEPARATORS, Table, comments

SECTIONS = ("scores", "ranks", "tests", "buckets", "words", "ngrams", "examples", "segments")
FORMS = ("text", "markdown", "latex", "csv", "tsv", "json")
HEADINGS = {"text": "== {}\n\n", "markdown": "## {}\n\n", "latex": "{}\n"}
FEW_PAIRS = FEW * (FEW - 1) // 2  # shown with n-grams and examples by default
TITLE = "Comparison of systems"
MOST_SHOWN = 1_000_000  # n-grams or segments
# Default sections of each form.
SHOWN: dict[str, tuple[str, ...]] = {form: SECTIONS[:-1] for form in FORMS}
SHOWN |= {"latex": SECTIONS[:3], "csv": ("scores",), "tsv": ("scores",)}
# Sections in which options have an effect; reports and JSON show the effect of all but two.
NEEDED = {
    "seed": ("scores", "ranks", "tests"),
    "n_resamples": ("scores", "ranks", "tests"),
    "correction": ("ranks", "tests"),
    "pairs": ("tests", "ngrams", "examples"),
    "labels": ("buckets", "segments"),
    "source": ("examples",),
    "ngrams": ("ngrams",),
    "examples": ("examples",),
}
SHOWN_AS_TEXT = ("ngrams", "examples")


FILES = (
    (
        "--from",
        "PROGRAM",
        "lm-eval: SYS are its sample logs or folders, which have references and scores",
        {"dest": "program", "choices": ["lm-eval"]},
    ),
    ("-r", "--refs", "REF ...", "reference files, each with all segments"),
    add_num_refs,
    ("--names", "NAME ...", "system names (default: file names)"),
    ("--source", "FILE", "sources for examples: a file, or a column of --table"),
    ("--labels", "FILE", "segment labels, such as domains: a file, or a column of --table"),
    (
        "--scores",
        "NAME=FILE ...",
        "segment scores by another metric, as in `rapidbleu --scores`",
        {"action": "append", "default": []},
    ),
    encoding_of("files"),
    add_threads,
    ("-q", "--quiet", "no warnings, no progress bar"),
)
SIGNIFICANCE = (
    (
        "-n",
        "--n-resamples",
        "N",
        f"resamples for intervals and tests (default: {N_RESAMPLES}, or 200 per pair of systems "
        "if more, 40 beyond 100,000)",
        {"type": at_least(2, MOST_REPEATS)},
    ),
    add_seed,
    ("--baseline", "NAME", "system to compare with each other one"),
    ("--pairs", "A,B ...", "pairs of systems to test and show"),
    (
        "--correction",
        "NAME",
        "correction of p-values for the number of pairs: holm, bonferroni, none (default: holm)",
        {"choices": ["holm", "bonferroni", "none"], "default": "holm"},
    ),
)
RESULTS = (
    ("--html", "FILE", "HTML report, one file that needs no network"),
    argument("--title", default=TITLE, help="title of the report"),
    (
        "--sort",
        "ORDER",
        "order of systems: score (best first by the first metric), a metric such as TER, name "
        "or input (default: score)",
        {"default": "score"},
    ),
    (
        "--top",
        "N",
        "number of systems to show; tests and ranks include all (default: all)",
        {"type": at_least(1)},
    ),
    (
        "-f",
        "--format",
        "FORM",
        f"{', '.join(FORMS)} (default: text; with --html one line)",
        {"choices": FORMS},
    ),
    (
        "--show",
        "SECTION ...",
        f"{', '.join(SECTIONS)} (default: all but the last, with n-grams and examples of at "
        f"most {FEW_PAIRS} pairs; first three in latex; only scores in csv and tsv)",
        {"choices": SECTIONS},
    ),
    (
        "--ngrams",
        "N",
        "n-grams per pair and system (default: 10)",
        {"type": at_least(1, MOST_SHOWN), "default": 10},
    ),
    (
        "--examples",
        "N",
        "segments per pair and system (default: 5)",
        {"type": at_least(1, MOST_SHOWN), "default": 5},
    ),
    ("-o", "--output", "FILE", "output file (default: standard output)"),
    ("-nc", "--no-color", "no colors"),
    (
        "-w",
        "--width",
        "N",
        "decimal places (default: 2; 4 for shares and scores within [-1, 1]; all in csv and tsv)",
        {"type": at_least(0, MOST_DIGITS)},
    ),
)


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu compare",
        usage="%(prog)s [-i] SYS ... (-r REF ... | --from PROGRAM) [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN [options]",
        examples=[
            "-i old.txt new.txt -r ref.txt --html report.html",
            "-i a.txt b.txt c.txt -r ref.txt -f csv --show tests",
        ],
        description="Compare the outputs of systems: scores with intervals, tests of all pairs, "
        "segment scores by length, label and score, words by frequency, n-grams that only one "
        "system has right, and segments that differ most. Files may be plain, .gz, .bz2, .xz or "
        ".zst, with one segment per line.",
    )
    table = add_table(parser)
    parser.add_files("-i", "--input", metavar="SYS", unless=(table,), help="system outputs")
    add_options(parser, FILES)
    add_groups(parser, {"significance": SIGNIFICANCE, "results": RESULTS})
    add_metrics(parser, ("bleu", "chrf"))
    # BLEU excludes orders for which segments are too short, which does not change corpus scores.
    parser.set_defaults(sentence_level=True)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    parser = make_parser()
    args = parser.parse_args(list(argv))
    take_table(parser, args)
    if (args.refs is None) == (args.program is None) or (args.program and args.num_refs != 1):
        parser.error("expected references by either -r/--refs or --from")
    args.needs_texts = args.metrics is not parser.get_default("metrics") or bool(args.given)
    only_html = args.html and args.format is None and args.show is None and args.output is None
    args.format = args.format or "text"
    _check_results(args, only_html)
    with library_messages(args.quiet):
        result = _compare(args)
    text = "" if only_html else written(result, args, None if args.output else out)
    if args.html:
        from rapidbleu.comparison.report import write_report

        write_report(result, args.html, args.title)
        if only_html:
            systems = plural(len(result.systems), "system")
            text = f"{args.html}: {systems}, {plural(result.n_segments, 'segment')}"
    with output(args.output, out) as file:
        print(text, file=file)
    return 0


def _check_results(args: Namespace, only_html: bool) -> None:
    """Refuse options of results that are not written."""
    sections = () if only_html else args.show or SHOWN[args.format]
    check_effect(args, args.html, "without --html", "title")
    for option, needed in NEEDED.items():
        is_elsewhere = option not in SHOWN_AS_TEXT and (args.html or args.format == "json")
        why = f"without --show {' or '.join(needed)}"
        check_effect(args, is_elsewhere or {*needed} & {*sections}, why, option)
    is_marked = args.html or args.format in (*HEADINGS, "json")
    others = {"ranks", "tests", "ngrams", "examples"} & {*sections}
    check_effect(args, is_marked or others, f"on scores in -f {args.format}", "baseline")
    check_effect(args, not only_html, "on --html alone; add -f text or -o", "width", "no_color")
    check_effect(args, args.format != "json", "on -f json", "width")


def _compare(args: Namespace) -> Comparison:
    if args.html:
        import_module("rapidbleu.comparison.report")  # fails early if a library is missing
    if args.names is None:
        names = [Path(p).absolute().name if args.program else name_of_system(p) for p in args.input]
        args.names = distinct_names(names)
    check_files(args)
    files = named_files(args) if args.scores else {}
    made = make_metrics(args)
    if files:
        check_metrics(files, made)
    if args.program:
        corpus, scores, labels = read_samples(args.input, args.names or args.input)
    else:
        corpus = read_corpus(args)
        scores = {}
        labels = None
    if same := scores.keys() & files.keys():
        raise CommandError(f"--scores {same.pop()}: expected another name than in the logs")
    if args.program and not any(any(system.segments) for system in corpus.systems):
        if args.needs_texts or not scores:
            wanted = "expected texts" if scores else "expected a score or a text in each sample"
            raise CommandError(f"{args.input[0]}: {wanted}; name the logs of one task")
        made = {}
        args.show = args.show or ["scores", "tests"]
    names = [system.name for system in corpus.systems]
    if args.baseline is not None and args.baseline not in names:
        raise CommandError(f"--baseline: expected one of {', '.join(names)}; got {args.baseline}")
    if files:
        scores |= read_external(files, corpus.systems, args)
    with progress_callback("resamples", args.quiet) as progress:
        return compare(
            {system.name: system.segments for system in corpus.systems},
            corpus.references,
            titled(informed(made, corpus.references)),
            labels=_lines(args.labels, corpus, args) or labels,
            sources=_lines(args.source, corpus, args),
            scores={name: dict(zip(names, lists, strict=True)) for name, lists in scores.items()},
            baseline=args.baseline,
            pairs=args.pairs and [_pair(text, names) for text in args.pairs],
            sort=args.sort,
            top=args.top,
            n_resamples=args.n_resamples,
            seed=seed_of(args.seed),
            correction=args.correction,
            threads=args.threads,
            progress=progress,
        )


def _pair(text: str, names: list[str]) -> tuple[str, str]:
    """Return the two systems of a pair; names may contain commas."""
    for a in sorted(names, key=len):
        b = text.removeprefix(f"{a},")
        if b != text and b in names:
            return a, b
    raise CommandError(f"--pairs: expected A,B, which are two of {', '.join(names)}; got {text}")


def _lines(path: str | None, corpus: Corpus, args: Namespace) -> list[str] | None:
    """Read a file with a line for each segment, or a column of the tables; None without one."""
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


class Shown(NamedTuple):
    """A titled table; `examples` are the systems of segments with texts, `notes` follow it."""

    title: str
    table: Table
    examples: tuple[str, str] | None = None
    notes: Sequence[str] = ()


def tables_of(result: Comparison, section: str, args: Namespace) -> Iterator[Shown]:
    if section == "scores":
        table = copy(result.scores)
        if result.baseline is not None and args.format in HEADINGS:
            names: list[Any] = [x + " (baseline)" * (x == result.baseline) for x in result.systems]
            table._columns = table._columns | {"system": names}
        yield Shown("Scores", table)
    elif section == "ranks" and (len(result.ranks) or args.format in SEPARATORS):
        table = result.ranks if args.format in SEPARATORS else result._ranked()
        kind = "p" if result.correction == "none" else "corrected p"
        yield Shown(
            f"Ranks of {result.n_systems} systems (different: {kind} <= {result.alpha})", table
        )
    elif section == "tests" and len(result.tests):
        corrected = "" if result.correction == "none" else f", corrected ({result.correction})"
        note = result._bound_note("-n")
        title = f"Paired bootstrap of {result._tested}, {result.n_resamples} resamples{corrected}"
        if len(result.ranks) <= FEW or args.format in SEPARATORS:
            yield Shown(title, result.tests, notes=[note] if note else ())
            return
        title += f"; *: p <= {result.alpha}"
        triangles = [table for metric in result.metrics for table in result._triangles(metric)]
        notes = [result._interval_note, note] if note else [result._interval_note]
        for table in triangles:
            is_last = table is triangles[-1]
            yield Shown(title, table, notes=notes if is_last else ())
            title = ""  # of all
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
    """Return a table of segments with line numbers, from 1."""
    columns = {name: table[name] for name in table.names}
    columns["segment"] = columns["segment"] + 1
    return Table(columns, table._digits, titles=table._titles)


def _pairs(result: Comparison) -> list[tuple[str, str]]:
    """Return the compared systems, each pair in both orders."""
    return [ordered for a, b in result.pairs for ordered in ((a, b), (b, a))]


def written(result: Comparison, args: Namespace, out: TextIO | None = None) -> str:
    """Return the sections of a comparison in the requested form, to fit `out`."""
    form = args.format
    sections = args.show or SHOWN[args.format]
    if form in HEADINGS and args.show is None and len(result.pairs) > FEW_PAIRS:
        sections = [name for name in sections if name not in ("ngrams", "examples")]
        if not args.quiet and form != "latex":
            say(f"no n-grams, examples: {len(result.pairs)} pairs; choose some by --pairs A,B")
    color = form == "text" and use_color(out, args.no_color)
    look = terminal_width(out), paint if color else leave_plain
    shown = {name: list(tables_of(result, name, args)) for name in sections}
    if form == "json":
        return _as_json(result, shown)
    tables = [item for items in shown.values() for item in items]
    if form in HEADINGS:
        texts = [_titled(item, result, form, args.width, *look) for item in tables]
        return harmless("\n\n".join(texts), color)
    if len(tables) != 1:
        titles = "; ".join([item.title for item in tables]) or "none"
        raise CommandError(
            f"-f {form} writes one table, and --show {' '.join(sections)} has {len(tables)}: "
            f"{titles}"
        )
    return tables[0].table.format(form, args.width).removesuffix("\n")


def _titled(shown: Shown, result: Comparison, form: Any, digits: int | None, *look: Any) -> str:
    """Return a titled table; as text, it fits a width and is colored."""
    heading = comments([shown.title]) if form == "latex" else shown.title
    title = HEADINGS[form].format(heading) if shown.title else ""
    if form == "latex":
        table = title + shown.table.format(form, digits)
        return "\n".join([table, comments(shown.notes)] if shown.notes else [table])
    if form == "markdown":
        return "\n\n".join([title + shown.table.format(form, digits), *shown.notes])
    if title:
        title = "\n".join(folded(look[1](title.rstrip(), "cyan"), look[0], 3)) + "\n\n"
    if shown.examples is None:
        table = shown.table._written(form, digits, len(shown.table), *look)
        notes = [line for note in shown.notes for line in folded(note, look[0], 3)]
        return "\n".join([title + table, *notes])
    return title + _examples(shown, result, digits, *look)


def _examples(
    shown: Shown, result: Comparison, digits: int | None, width: int | None, paint: Any
) -> str:
    """Return segments with their texts one below the other, and with n-grams marked."""
    from rapidbleu.explanation.ngrams import match_ngrams
    from rapidbleu.explanation.texts import Text, Texts, text_row

    def read(text: str) -> Text:
        words = re.findall(r"\s*(?:[\u3040-\u30ff\u3400-\u9fff]|\w+|\S)", text)
        spaces = frozenset([i for i, word in enumerate(words) if word[0].isspace()])
        return Text(tuple(map(str.strip, words)), spaces)

    digits = shown.table._digits["score_a"] if digits is None else digits
    a, b = shown.examples or ("", "")
    blocks = []
    rows = shown.table.to_dict()
    for i in range(len(shown.table)):
        scores = f"{rows['score_a'][i]:.{digits}f} and {rows['score_b'][i]:.{digits}f}"
        texts = {name: rows[name][i] for name in ("source", "reference") if name in rows}
        room = max(map(columns, [*texts, a, b])) + 2
        lines = [text_row(name, read(text), paint, width, room) for name, text in texts.items()]
        references = result.references[rows["segment"][i] - 1]
        refs = tuple([read(text_of(text)) for text in references])
        for name, column in ((a, "output_a"), (b, "output_b")):
            texts_read = Texts("words", read(rows[column][i]), refs)
            pieces = match_ngrams(texts_read, 2, range(len(refs))).hypothesis_pieces()
            lines.append(text_row(name, pieces, paint, width, room))
        blocks.append("\n".join([f"segment {rows['segment'][i]}: {scores}", *lines]))
    legend = folded("[...]: two words or more in a row that a reference has", width, 7)
    return "\n\n".join(["\n".join(legend), *blocks]) if blocks else "none"


def _as_json(result: Comparison, shown: dict[str, list[Shown]]) -> str:
    """Return options and sections; n-grams and examples are lists, with their systems."""
    everything = result.to_dict()
    tables = ("scores", "ranks", "tests", "words", "buckets", "segments")
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
