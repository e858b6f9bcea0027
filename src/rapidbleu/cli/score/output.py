"""Output of the scoring command: lines, JSON and tables, in the forms of ``-f``.

JSON scores are objects with name, number and signature, in a list if there are several, and with
the system's name if there are several systems. In CSV and TSV each number has its own column, with
as many digits as in text; p-values have four. Text is sacrebleu's table of systems or of pairs,
followed by notes and signatures, which are comments in LaTeX.
"""

from __future__ import annotations

import re

from rapidbleu._lib.colors import leave_plain, paint
from rapidbleu._lib.floats import SIGNIFICANT, digits_of, exact_mean, p_text
from rapidbleu._lib.loader import load
from rapidbleu._lib.records import NamedTuple
from rapidbleu.cli.messages import terminal_width, use_color
from rapidbleu.table import (
    SEPARATORS,
    column_names,
    comments,
    escaped,
    fancy_grid,
    json_list,
    latex_table,
    write_table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TextIO, TypeAlias

    from rapidbleu.score import Score, Signature
    from rapidbleu.table import Table

    _Column: TypeAlias = tuple[str, list[str]]  # header and cells
    # Scores of systems under a metric, its signature, and intervals if any.
    _Scored: TypeAlias = tuple[list[Any], str, list[tuple[float, float] | None]]
    # A system, its group scores under a metric, the overall score, and the signature.
    _Grouped: TypeAlias = tuple[str, list[Any], Any, str]
    _Paint: TypeAlias = Callable[[str, str], str]

WIDTH = 1  # decimals, as in sacrebleu
NOTE_WIDTH = 97  # characters per line of a note


class Style(NamedTuple):
    """The requested form of results."""

    format: str
    width: int
    short: bool
    score_only: bool
    color: bool
    terminal: int | None  # its columns
    also: dict[str, str]  # entries added to all signatures
    digits: dict[str, int]  # of metrics that need more digits than `width`
    titles: dict[str, str]  # of metrics whose scores have equal names
    columns: dict[str, str]  # of CSV and TSV, by the name of a metric in results

    def named(self, score: Score, metric: str) -> Score:
        """Return a score under its name in results."""
        if metric in self.titles:
            score = score._renamed(self.titles[metric])
        return score

    def header(self, metric: str) -> str:
        return self.columns.get(metric, metric) if self.format in SEPARATORS else metric

    def width_of(self, metric: str) -> int:
        """Return the number of decimals of a metric's scores."""
        return self.digits.get(metric, self.width)

    @property
    def paint(self) -> Callable[[str, str], str]:
        """Function that colors a text, or returns it unchanged."""
        return paint if self.color else leave_plain

    def signature(self, signature: Signature | None) -> str:
        """Format a signature; JSON never abbreviates its keys."""
        if signature is None:
            return ""
        for key, value in self.also.items():
            signature.update(key, value)
        return signature.format(self.short and self.format != "json")

    def score(self, score: Score, signature: str) -> str:
        width = self.width_of(score.name)
        return score.format(width, self.score_only, signature, self.format == "json")


def make_style(
    args: Namespace,
    out: TextIO,
    also: dict[str, str],
    given: dict[str, list[float]],
    titles: dict[str, str],
    columns: dict[str, str],
) -> Style:
    """Return the requested form of results.

    `given` contains scores of systems under the metrics of ``--scores``, whose scale determines the
    number of digits.
    """
    scales = given if args.width is None else {}
    return Style(
        format=args.format,
        width=WIDTH if args.width is None else args.width,
        short=args.short,
        score_only=args.score_only,
        color=args.format == "text" and use_color(out, args.no_color),
        terminal=terminal_width(out),
        also=also,
        digits={name: digits_of(scores, WIDTH) for name, scores in scales.items()},
        titles=titles,
        columns=columns,
    )


class SystemResult(NamedTuple):
    """The result of a system under a metric, with sacrebleu's names and one more.

    `identical` is the part equal to the baseline's: outputs or statistics. `interval` appears only
    in CSV and TSV.
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None
    identical: str | None = None
    interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in self._asdict().items() if key != "interval"}


class PairResult(NamedTuple):
    """The result of a test of two systems under a metric.

    `least` and `least_corrected` are p-values that the number of resamples cannot fall below.
    """

    difference: float
    p_value: float
    p_corrected: float
    identical: str | None
    least: float = 0.0
    least_corrected: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "difference": self.difference,
            "p_value": self.p_value,
            "p_corrected": self.p_corrected,
            "p_is_least": self.p_corrected <= self.least_corrected < 1,
            "identical": self.identical,
        }


class Results(NamedTuple):
    """The results of systems by metric; the first one is the baseline of a test without pairs.

    For tests of all pairs, `pairs` contains columns: ``System`` and ``Compared with`` with names,
    and a list of PairResult for each metric. With more than a few systems, text, Markdown and LaTeX
    have `triangles` instead.
    """

    names: list[str]
    systems: dict[str, list[SystemResult]]
    signatures: dict[str, str]
    test: tuple[str, int] | None = None  # "bs" or "ar", with the number of resamples or trials
    pairs: dict[str, list[Any]] | None = None
    errors: frozenset[str] = frozenset()  # metrics for which lower is better
    triangles: tuple[Table, ...] = ()

    @property
    def labels(self) -> list[str]:
        """Names of the systems in tables."""
        if self.test is None or self.pairs is not None:
            return self.names
        return [f"Baseline: {self.names[0]}", *self.names[1:]]


def as_json(value: Any) -> str:
    """Return JSON formatted like sacrebleu's for several systems."""
    return str(load("json").dumps(value, indent=4, ensure_ascii=False))


def table(columns: Iterable[_Column], form: str, n_names: int, n_kept: int = 0) -> str:
    """Return columns as a table without a final line feed, right-aligned except for the first one.

    In CSV and TSV headers are identifiers except for the first `n_kept`.
    """
    headers, cells = zip(*columns, strict=True)
    if form in SEPARATORS:
        kept = headers[:n_kept]
        headers = *kept, *column_names(headers[n_kept:], kept)
    right = [i >= n_names for i in range(len(headers))]
    return write_table(form, [*headers], [*cells], right).removesuffix("\n")


def single_system(scores: list[_Scored], style: Style) -> str:
    """Return the scores of one system, each with its signature."""
    texts = [style.score(systems[0], signature) for systems, signature, _ in scores]
    if style.format != "json":
        return "\n".join(aligned(texts, style.paint))
    return texts[0] if len(texts) == 1 else "".join(json_list(texts)).rstrip("\n")


def aligned(lines: list[str], paint: _Paint) -> list[str]:
    """Return the scores of one system, aligned at their equals signs if there are several.

    Each line is the formatted score of a metric; intervals become cyan.

    >>> from rapidbleu._lib.colors import leave_plain
    >>> print(*aligned(["BLEU = 26.6 100.0/9.1", "chrF2++ = 52.5"], leave_plain), sep="\\n")
       BLEU = 26.6 100.0/9.1
    chrF2++ = 52.5
    """
    if "μ" in lines[0]:
        interval = re.compile(r"\(μ = -?[0-9.]+ ± [0-9.]+\)")
        lines = [interval.sub(lambda match: paint(match[0], "cyan"), line) for line in lines]
    if len(lines) == 1:
        return lines
    heads = [line.index("=") - 1 for line in lines if "=" in line]
    return [line for line in lines if "=" not in line] + [
        f"{line[:head]:>{max(heads)}}{line[head:]}"
        for head, line in zip(heads, lines, strict=False)
    ]


def several_systems(names: list[str], scores: list[_Scored], style: Style, intervals: bool) -> str:
    """Return the scores of several systems, optionally with intervals."""
    if style.format == "json":  # the lists of single systems, with names
        return as_json(
            [
                {"system": system, **_entry(systems[i], signature, style)}
                for i, system in enumerate(names)
                for systems, signature, _ in scores
            ]
        )

    def result(score: Score, interval: tuple[float, float] | None) -> SystemResult:
        mean, ci = (score._mean, score._ci) if intervals else (None, None)
        return SystemResult(score.score, mean=mean, ci=ci, interval=interval)

    results = {systems[0].name: list(map(result, systems, ends)) for systems, _, ends in scores}
    signatures = {systems[0].name: signature for systems, signature, _ in scores}
    errors = frozenset(own[0].name for own, _, _ in scores if own[0]._lower_is_better)
    return tables_of(Results(names, results, signatures, errors=errors), style)


def _entry(score: Score, signature: str, style: Style) -> dict[str, Any]:
    width = style.width_of(score.name)
    text = score.format(width, signature=signature, is_json=True)
    entry: dict[str, Any] = load("json").loads(text)
    return entry


def tested(found: Results, style: Style, about: dict[str, Any]) -> str:
    """Return the results of a test; `about` precedes pairs in JSON."""
    if style.format != "json":
        return tables_of(found, style)
    if found.pairs is None:  # sacrebleu's list, with the signature alongside the numbers
        objects = []
        for i, system in enumerate(found.labels):
            entry: dict[str, Any] = {"system": system}
            for name, results in found.systems.items():
                entry[name] = {**results[i].to_dict(), "signature": found.signatures[name]}
                if results[i].identical is None:
                    del entry[name]["identical"]
            objects.append(entry)
        return as_json(objects)

    def known(results: dict[str, list[Any]], i: int) -> dict[str, Any]:
        own = {name: results[name][i].to_dict().items() for name in found.systems}
        return {
            style.columns[name]: {key: value for key, value in items if value is not None}
            for name, items in own.items()
        }

    pairs = zip(found.pairs["System"], found.pairs["Compared with"], strict=True)
    return as_json(
        {
            **about,
            "signatures": {style.columns[name]: own for name, own in found.signatures.items()},
            "systems": [{"system": x} | known(found.systems, i) for i, x in enumerate(found.names)],
            "pairs": [{"a": a, "b": b} | known(found.pairs, i) for i, (a, b) in enumerate(pairs)],
        }
    )


def tables_of(found: Results, style: Style) -> str:
    """Return a table of systems, and one of pairs if any, in any form except JSON."""
    pairs = found.pairs
    systems: dict[str, list[Any]] = {"System": found.labels, **found.systems}
    signatures = {name: text for name, text in found.signatures.items() if text}
    if style.format in SEPARATORS:
        columns: list[_Column] = []
        names = {"System": "a" if pairs else "system", "Compared with": "b", **style.columns}
        for name, results in (pairs or {"System": found.names, **found.systems}).items():
            width = style.width_of(name)
            columns += _numbers(names[name], results, width, found.test is not None)
        n_rows = len(columns[0][1])
        if not style.score_only:
            columns += [
                (f"{names[key]}_signature", [text] * n_rows) for key, text in signatures.items()
            ]
        return table(columns, style.format, 0)
    if style.format == "latex":
        return _as_latex(found, systems, signatures, style)
    if style.format != "markdown":
        return _sacrebleus(found, systems, signatures, style)
    cells = score_cells(systems, style.width_of, False, leave_plain)
    blocks = [table(cells.items(), "markdown", 1)]
    blocks += [block.format("markdown") for block in found.triangles]
    if pairs and not found.triangles:
        cells = score_cells(pairs, style.width_of, False, leave_plain)
        blocks.append(table(cells.items(), "markdown", 2))
    if found.test is not None and not style.score_only:
        notes = notes_of(found, escaped(found.labels[0]), False)
        blocks.append(f"**{title_of_test(*found.test)}**")
        blocks.append("\n".join(f"- {note}" for note in notes))
    if signatures and not style.score_only:
        lines = [f"- {escaped(name)}: `{text}`" for name, text in signatures.items()]
        blocks += ["**Metric signatures**", "\n".join(lines)]
    return "\n\n".join(blocks)


def _sacrebleus(
    found: Results, systems: dict[str, list[Any]], signatures: dict[str, str], style: Style
) -> str:
    """Return tables, notes on the test and signatures in sacrebleu's format."""
    paint = style.paint
    lines: list[str] = []
    for columns in filter(None, (systems, None if found.triangles else found.pairs)):
        cells = score_cells(columns, style.width_of, True, paint)
        if found.labels != found.names:  # the row of the baseline
            for own in cells.values():
                own[0] = paint(own[0], "yellow")
        drawn = [paint(name, "cyan") for name in cells], list(cells.values())
        lines += [fancy_grid(*drawn, style.terminal), ""]
    for block in found.triangles:
        lines += [block.format("text"), ""]
    if found.test is not None:
        lines += _framed(title_of_test(*found.test))
        label = found.labels[0]
        for note in notes_of(found, label, style.color):
            lines += note_lines(note, label, paint, min(NOTE_WIDTH, (style.terminal or 100) - 3))
        lines.append("")
    lines += _framed("Metric signatures")
    lines += [f" - {name:<10} {text}" for name, text in signatures.items()]
    return "\n".join(lines)


def _as_latex(
    found: Results, systems: dict[str, list[Any]], signatures: dict[str, str], style: Style
) -> str:
    """Return tables with bold best scores; notes and signatures are comments."""
    best: list[set[int]] = [set()]
    for name, results in found.systems.items():
        scores = [result.score for result in results]
        top = min(scores) if name in found.errors else max(scores)
        best.append({i for i, score in enumerate(scores) if score == top and len(scores) > 1})
    tables = []
    pairs = None if found.triangles else found.pairs
    for columns, n_names, bold in ((systems, 1, best), (pairs, 2, [])):
        if columns:
            cells = score_cells(columns, style.width_of, False, leave_plain)
            plain = ["(" not in "".join(own) for own in cells.values()]  # numbers or names
            right = [False] * n_names + plain[n_names:]
            tables.append(latex_table([*cells], [*cells.values()], right, bold))
    notes = [f"{name}: {text}" for name, text in signatures.items()]
    if found.test is not None:
        notes = [title_of_test(*found.test), *notes_of(found, found.labels[0], False), *notes]
    text = "\n\n".join([*tables, *(block.format("latex") for block in found.triangles)])
    return text if style.score_only else f"{text}\n{comments(notes)}".rstrip()


def _framed(title: str) -> list[str]:
    """Return a title between rules."""
    return ["-" * len(title), title, "-" * len(title)]


def score_cells(
    columns: dict[str, list[Any]], width: Callable[[str], int], multiline: bool, paint: _Paint
) -> dict[str, list[str]]:
    """Return the columns of a table of names and results, as text.

    With `multiline`, p-values, and whether systems are identical, are on lines of their own.

    >>> result = SystemResult(26.6, 0.01, 26.5, 0.6)
    >>> score_cells({"System": ["a"], "BLEU": [result]}, lambda name: 1, False, leave_plain)
    {'System': ['a'], 'BLEU (μ ± 95% CI)': ['26.6 (26.5 ± 0.6) (p = 0.0100)*']}
    >>> pair = PairResult(1.5, 0.01, 0.03, None)
    >>> score_cells({"BLEU": [pair]}, lambda name: 1, False, leave_plain)
    {'BLEU': ['+1.5 (p = 0.0100, Holm 0.0300)*']}
    """
    cells: dict[str, list[str]] = {}
    has_intervals = False
    for name, results in columns.items():
        has_intervals |= getattr(results[0], "mean", None) is not None
        cells[f"{name} (μ ± 95% CI)" if has_intervals else name] = [
            result
            if isinstance(result, str)
            else ("\n" if multiline else " ").join(_words(result, width(name), paint))
            for result in results
        ]
    return cells


def _words(result: SystemResult | PairResult, digits: int, paint: _Paint) -> list[str]:
    """Return score or difference, p-value, and what is identical."""
    if isinstance(result, PairResult):
        words = [f"{result.difference:+z.{digits}f}"]
        single = p_text(result.p_value, result.least)
        holm = p_text(result.p_corrected, result.least_corrected)
        p = f"(p {single}, Holm {holm})" if single[0] == "≤" else f"(p = {single}, Holm {holm})"
        starred = result.p_corrected <= SIGNIFICANT
    else:
        words = [f"{result.score:.{digits}f}"]
        if result.mean is not None:
            words[0] += f" ({result.mean:.{digits}f} ± {result.ci:.{digits}f})"
        if result.p_value is None:
            return words
        p = f"(p = {result.p_value:.4f})"
        starred = result.p_value <= SIGNIFICANT and result.identical is None
    words.append(f"{p}*" if starred else paint(p, "red"))
    return [*words, f"identical {result.identical}"] if result.identical else words


def _numbers(name: str, results: list[Any], width: int, tested: bool) -> Iterator[_Column]:
    """Yield the columns of CSV and TSV: names, or numbers of results."""
    if isinstance(results[0], str):
        yield name, results
        return
    if isinstance(results[0], PairResult):
        yield f"{name}_difference", [f"{pair.difference:z.{width}f}" for pair in results]
    else:
        yield name, [f"{result.score:.{width}f}" for result in results]
        if results[0].mean is not None:
            yield f"{name}_mean", [f"{result.mean:.{width}f}" for result in results]
            yield f"{name}_low", [f"{result.interval[0]:.{width}f}" for result in results]
            yield f"{name}_high", [f"{result.interval[1]:.{width}f}" for result in results]
    if tested:
        for key in [field for field in ("p_value", "p_corrected") if hasattr(results[0], field)]:
            values = [getattr(result, key) for result in results]
            yield f"{name}_{key}", ["" if p is None else f"{p:.4f}" for p in values]
        yield f"{name}_identical", [result.identical or "" for result in results]


def title_of_test(test: str, n: int) -> str:
    """Return the name of a test, ``"bs"`` or ``"ar"``, with n resamples or trials."""
    if test == "bs":
        return f"Paired bootstrap resampling test with {n} resampling trials"
    return f"Paired approximate randomization test with {n} trials"


def notes_of(found: Results, baseline: str, colors: bool) -> list[str]:
    """Return notes on a test of all pairs, or of systems against this baseline."""
    test, n = found.test or ("bs", 0)
    chance = f"by chance if the systems are equally good: (c + 1) / {n + 1} for c "
    if test == "bs":
        chance += "resamples in which it exceeds the mean of all by"
    else:
        chance += "trials in which it is"
    if found.pairs is not None:
        p, less = "a corrected p", "no less" if test == "bs" else "no smaller"
        shown, holm = "the difference is its score less the score of the other", "Behind Holm is p"
        if found.triangles:
            holm = "p is"
            shown = (
                "p is in the row of one, under the number of the other. Systems are numbered from "
                "the best by each metric; JSON, CSV and TSV have the differences"
            )
        notes = [
            f"Each system is compared with each other one: {shown}. p estimates how often a "
            f"difference as large as that or larger comes about {chance} {less}. Equal differences "
            "count, so identical systems have p = 1; sacrebleu, which compares with a baseline "
            "only, does not count them.",
            f"{holm} corrected for the {len(found.pairs['System'])} pairs of a metric by "
            "the procedure of Holm (1979).",
        ]
    else:
        p, more = "p", "more" if test == "bs" else "larger"
        notes = [
            f"Each system is compared to {baseline}. p estimates how often a difference larger "
            f"than the one seen comes about {chance} {more}. Equal differences do not count."
        ]
    star = f"A star marks {p} <= {SIGNIFICANT}: a difference that is unlikely to be chance."
    notes.append(f"{star} Other values of p are red." if colors and not found.triangles else star)
    if test == "bs":
        notes.append("In parentheses are mean and 95 % interval of the resampled scores.")
    if found.pairs is None and any(x.identical for own in found.systems.values() for x in own):
        notes.append(
            "Systems that are identical, at least in the statistics of every segment, cannot "
            "differ by chance: p is the least there is, says nothing, and has no star."
        )
    return notes


def note_lines(note: str, label: str, paint: _Paint, width: int) -> list[str]:
    """Return the lines of a note, with the baseline's label in its color."""
    from textwrap import wrap

    whole = note.replace(label, label.replace(" ", "\xa0"))  # never broken
    lines = wrap(whole, max(width, 20), break_long_words=False, break_on_hyphens=False)
    indented = [f"{'   ' if i else ' - '}{line}" for i, line in enumerate(lines)]
    plain = "\n".join(indented).replace("\xa0", " ").replace(label, paint(label, "yellow"))
    return plain.replace(" are red.", f" are {paint('red', 'red')}.").split("\n")


def grouped(
    by: list[str],
    groups: list[tuple[Any, ...]],
    counts: dict[tuple[Any, ...], int],
    results: list[_Grouped],
    style: Style,
) -> str:
    """Return the scores of groups, their mean, and the overall score.

    JSON adds groups and mean to the overall score. Other forms have a row per group, and a column
    per system and metric.
    """
    several, total = len({own[0] for own in results}) > 1, sum(counts.values())
    keys = [*groups, *((label, *[None] * (len(by) - 1)) for label in ("(macro)", "(micro)"))]
    texts = [["" if value is None else str(value) for value in values] for values in keys]
    columns: list[_Column] = [(name, [row[k] for row in texts]) for k, name in enumerate(by)]
    columns.append(
        ("n_segments", [*(str(counts[values]) for values in groups), str(total), str(total)])
    )
    entries: list[dict[str, Any]] = []
    for system, parts, whole, signature in results:
        shown, width = style.header(whole.name), style.width_of(whole.name)
        scores = [score.score for score in parts]
        macro = exact_mean(scores)
        cells = [f"{score:.{width}f}" for score in (*scores, macro, whole.score)]
        columns.append((f"{system} {shown}" if several else shown, cells))
        entries.append({"system": system} if several else {})
        entries[-1] |= _entry(whole, signature, style) | {"macro": round(macro, width)}
        entries[-1]["groups"] = [
            {
                "group": dict(zip(by, values, strict=True)),
                "n_segments": counts[values],
                "score": round(score, width),
            }
            for values, score in zip(groups, scores, strict=True)
        ]
    if style.format == "json":
        return as_json(entries if len(entries) > 1 else entries[0])
    return table(columns, style.format, len(by), n_kept=len(by) + 1)


def segment_table(columns: list[_Column], first: int, style: Style) -> str:
    """Return a row per segment, with its number from `first` on and its scores.

    Text with only scores has neither headers nor numbers.
    """
    if style.format == "text" and style.score_only:
        first_row = [cells[0] for _, cells in columns]
        return write_table(
            "text", first_row, [cells[1:] for _, cells in columns], [True] * len(columns)
        )
    numbers = [str(first + i) for i in range(len(columns[0][1]))]
    return table([("Segment", numbers), *columns], style.format, 0)


def segment_lines(entries: Iterable[str], style: Style) -> Iterator[str]:
    """Yield the parts of lines or of a JSON list as entries arrive."""
    return json_list(entries) if style.format == "json" else (f"{text}\n" for text in entries)


def segment_of_system(number: int, system: str, text: str, score_only: bool) -> str:
    """Return the JSON entry of a segment in several systems, given the entry for one."""
    entry = {"segment": number, "system": system, **load("json").loads(text)}
    if score_only:
        entry = {key: entry[key] for key in ("segment", "system", "name", "score")}
    return str(load("json").dumps(entry, indent=1, ensure_ascii=False))
