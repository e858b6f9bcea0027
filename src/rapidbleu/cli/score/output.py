"""What the scoring command prints: lines, JSON and tables, in the forms of ``-f``.

In JSON a score is an object of its name, its number and its signature; several scores are a list of
such objects, which also have the name of the system if there are several. In CSV and TSV each
number has a column of its own, with as many digits as in text; p-values have four.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from rapidbleu._lib.floats import digits_of
from rapidbleu.cli.messages import use_color
from rapidbleu.printing.colors import leave_plain, paint
from rapidbleu.printing.results import (
    aligned,
    any_identical,
    baseline_notes,
    json_list,
    pairs_notes,
    score_cells,
    systems_table,
    title_of_test,
)
from rapidbleu.printing.tables import SEPARATORS, escaped, write_table

if TYPE_CHECKING:
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature

Column: TypeAlias = tuple[str, list[str]]  # header and cells

WIDTH = 1  # decimals, as in sacrebleu


class Style(NamedTuple):
    """The form of results that the options ask for.

    Attributes
    ----------
    also : dict of str to str
        Entries of all signatures, in addition to those of metrics.
    digits : dict of str to int
        Metrics whose scores have more digits than `width`.
    titles : dict of str to str
        Names of metrics in results, if the names of their scores are not different.
    """

    format: str
    width: int
    short: bool
    score_only: bool
    color: bool
    also: dict[str, str]
    digits: dict[str, int]
    titles: dict[str, str]

    def named(self, score: Score, metric: str) -> Score:
        """Return a score with the name that results have for it."""
        if metric in self.titles:
            score.name = self.titles[metric]
        return score

    def width_of(self, metric: str) -> int:
        """Return the number of decimals of a metric's scores."""
        return self.digits.get(metric, self.width)

    @property
    def paint(self) -> Callable[[str, str], str]:
        """The function that colors a text, or leaves it plain."""
        return paint if self.color else leave_plain

    def signature(self, signature: Signature | None) -> str:
        """Write a signature; in JSON its keys are never abbreviated."""
        if signature is None:
            return ""
        for key, value in self.also.items():
            signature.update(key, value)
        return signature.format(self.short and self.format != "json")

    def score(self, score: Score, signature: str) -> str:
        """Write one score."""
        width = self.width_of(score.name)
        return score.format(width, self.score_only, signature, self.format == "json")


def make_style(
    args: Namespace,
    out: TextIO,
    also: dict[str, str],
    given: dict[str, list[float]],
    titles: dict[str, str],
) -> Style:
    """Return the form that the options ask for.

    Parameters
    ----------
    also : dict of str to str
        Entries of all signatures.
    given : dict of str to list of float
        Scores of systems by metrics of ``--scores``, whose scale decides how many digits they have.
    titles : dict of str to str
        As in `Style`.
    """
    scales = given if args.width is None else {}
    return Style(
        format=args.format,
        width=WIDTH if args.width is None else args.width,
        short=args.short,
        score_only=args.score_only,
        color=use_color(out, args.no_color),
        also=also,
        digits={name: digits_of(scores, WIDTH) for name, scores in scales.items()},
        titles=titles,
    )


class Scores(NamedTuple):
    """The scores of all systems by a metric, and the signature."""

    systems: list[Score]
    signature: str


class SystemResult(NamedTuple):
    """The result of a system by a metric, with sacrebleu's names and one more."""

    score: float
    p_value: float | None
    mean: float | None
    ci: float | None
    identical: str | None


class PairResult(NamedTuple):
    """The result of a test of two systems by a metric."""

    difference: float
    p_value: float
    p_corrected: float
    identical: str | None


def as_json(value: Any) -> str:
    """Write JSON as sacrebleu does for several systems."""
    return json.dumps(value, indent=4, ensure_ascii=False)


def table(columns: Iterable[Column], form: str, n_names: int) -> str:
    """Return columns as a table without an end of line; all but the first to the right."""
    headers, cells = zip(*columns, strict=True)
    right = [i >= n_names for i in range(len(headers))]
    return write_table(form, [*headers], [*cells], right).removesuffix("\n")


# Corpora


def single_system(scores: list[Scores], style: Style) -> str:
    """Return the scores of one system."""
    texts = [style.score(systems[0], signature) for systems, signature in scores]
    if style.format != "json":
        return "\n".join(aligned(texts, style.paint))
    return texts[0] if len(texts) == 1 else "".join(json_list(texts)).rstrip("\n")


def several_systems(names: list[str], scores: list[Scores], style: Style, intervals: bool) -> str:
    """Return the scores of several systems, perhaps with intervals."""
    if style.format == "json":
        # a list of what a single system has, with its name
        objects = []
        for i, system in enumerate(names):
            for systems, signature in scores:
                width = style.width_of(systems[i].name)
                entry = systems[i].format(width, signature=signature, is_json=True)
                objects.append({"system": system, **json.loads(entry)})
        return as_json(objects)

    def result(score: Score) -> SystemResult:
        mean, ci = (score._mean, score._ci) if intervals else (None, None)
        return SystemResult(score.score, None, mean, ci, None)

    results = {systems[0].name: list(map(result, systems)) for systems, _ in scores}
    signatures = {systems[0].name: signature for systems, signature in scores}
    return _systems(names, results, signatures, style, None)


def systems_and_baseline(
    names: list[str],
    results: dict[str, list[SystemResult]],
    signatures: dict[str, str],
    style: Style,
    test: tuple[str, int],
) -> str:
    """Return the results of systems that were compared with the first one.

    Parameters
    ----------
    names : list of str
    results : dict of str to list of SystemResult
        For each metric the results of the systems.
    signatures : dict of str to str
        The signature of each metric; empty if it has none.
    style : Style
    test : (str, int)
        ``"bs"`` or ``"ar"``, and the number of resamples or trials.
    """
    if style.format != "json":
        return _systems(names, results, signatures, style, test)
    # sacrebleu's list, with the signature of each metric next to its numbers
    objects = []
    for i, system in enumerate(_with_baseline(names)):
        entry: dict[str, Any] = {"system": system}
        for name, of_metric in results.items():
            entry[name] = {**of_metric[i]._asdict(), "signature": signatures[name]}
            if of_metric[i].identical is None:
                del entry[name]["identical"]
        objects.append(entry)
    return as_json(objects)


def all_pairs(
    names: list[str],
    results: dict[str, list[SystemResult]],
    pairs: list[tuple[str, str]],
    pair_results: dict[str, list[PairResult]],
    signatures: dict[str, str],
    style: Style,
    test: tuple[str, int],
    about: dict[str, Any],
) -> str:
    """Return the results of systems all of which were compared with all.

    Parameters
    ----------
    pairs : list of (str, str)
    pair_results : dict of str to list of PairResult
        For each metric the results of the pairs.
    about : dict
        Entries about the test, with which JSON begins.

    The other parameters are those of `systems_and_baseline`.
    """
    if style.format == "json":
        content = {
            **about,
            "signatures": signatures,
            "systems": [
                {"system": system}
                | {name: _known(of_metric[i]) for name, of_metric in results.items()}
                for i, system in enumerate(names)
            ],
            "pairs": [
                {"systems": [*pair]}
                | {name: _known(of_metric[i]) for name, of_metric in pair_results.items()}
                for i, pair in enumerate(pairs)
            ],
        }
        return as_json(content)
    firsts, seconds = map(list, zip(*pairs, strict=True))
    table_of_pairs = {"System": firsts, "Compared with": seconds, **pair_results}
    return _systems(names, results, signatures, style, test, table_of_pairs)


def _known(result: SystemResult | PairResult) -> dict[str, Any]:
    return {key: value for key, value in result._asdict().items() if value is not None}


def _with_baseline(names: list[str]) -> list[str]:
    return [f"Baseline: {names[0]}", *names[1:]]


def _systems(
    names: list[str],
    results: dict[str, list[SystemResult]],
    signatures: dict[str, str],
    style: Style,
    test: tuple[str, int] | None,
    pairs: dict[str, Any] | None = None,
) -> str:
    """Return a table of systems, and one of pairs if there is one, in any form but JSON."""
    if style.format in SEPARATORS:
        columns: list[Column] = []
        for name, of_metric in (pairs or {"System": names, **results}).items():
            columns += _columns(name, of_metric, style.width_of(name), test is not None)
        n_rows = len(columns[0][1])
        if not style.score_only:
            columns += [(f"{key} signature", [s] * n_rows) for key, s in signatures.items() if s]
        return table(columns, style.format, 0)
    labels = names if test is None or pairs is not None else _with_baseline(names)
    systems = {"System": labels, **results}
    shown = {name: signature for name, signature in signatures.items() if signature}
    if style.format != "markdown":
        is_latex = style.format == "latex"
        return systems_table(systems, shown, style.width_of, is_latex, test, style.paint, pairs)
    blocks = [
        table(
            score_cells(of_metric, style.width_of, False, leave_plain).items(), "markdown", n_names
        )
        for n_names, of_metric in ((1, systems), (2, pairs))
        if of_metric is not None
    ]
    if test is not None and not style.score_only:
        notes = (
            baseline_notes(escaped(labels[0]), *test, any_identical(results), None)
            if pairs is None
            else pairs_notes(len(pairs["System"]), *test, None)
        )
        blocks += [
            f"**{title_of_test(*test)}**",
            "\n".join(f"- {' '.join(note)}" for note in notes),
        ]
    if shown and not style.score_only:
        lines = [f"- {escaped(name)}: `{signature}`" for name, signature in shown.items()]
        blocks += ["**Metric signatures**", "\n".join(lines)]
    return "\n\n".join(blocks)


def _columns(
    name: str, results: list[Any], width: int, tested: bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns of CSV and TSV: names, the results of systems, or the results of pairs."""
    if isinstance(results[0], str):
        yield name, results
        return
    if isinstance(results[0], PairResult):
        yield f"{name} difference", [f"{pair.difference:z.{width}f}" for pair in results]
    else:
        yield name, [f"{result.score:.{width}f}" for result in results]
        if results[0].mean is not None:
            yield f"{name} mean", [f"{result.mean:.{width}f}" for result in results]
            yield f"{name} ci", [f"{result.ci:.{width}f}" for result in results]
    if tested:
        for key in [field for field in results[0]._fields if field.startswith("p_")]:
            values = [getattr(result, key) for result in results]
            yield f"{name} {key}", ["" if p is None else f"{p:.4f}" for p in values]
        yield f"{name} identical", [result.identical or "" for result in results]


def values_of_column(
    column: str, names: list[str], scores: list[dict[Any, Score]], signature: str, style: Style
) -> str:
    """Return the scores of the values of a column, in dicts for each system.

    JSON is a list of what a single system has, with the value, and the name of the system if there
    are several. Other forms have a row for each value, and a column for each system.
    """
    several = len(names) > 1
    if style.format == "json":
        entries = []
        for name, by_value in zip(names, scores, strict=True):
            for value, score in by_value.items():
                entry = json.loads(score.format(style.width, signature=signature, is_json=True))
                system = {"system": name} if several else {}
                entries.append({**system, "value": value, **entry})
        return as_json(entries)
    columns = [(column, ["" if value is None else str(value) for value in scores[0]])]
    for name, by_value in zip(names, scores, strict=True):
        printed = next(iter(by_value.values())).name
        header = f"{name} {printed}" if several else printed
        columns.append((header, [f"{score.score:.{style.width}f}" for score in by_value.values()]))
    return table(columns, style.format, 1)


# Segments


def segment_table(columns: list[Column], first: int, style: Style) -> str:
    """Return a row for each segment, with its number from `first` on and its scores.

    Text that has scores only has neither headers nor numbers.
    """
    if style.format == "text" and style.score_only:
        first_row = [cells[0] for _, cells in columns]
        return write_table(
            "text", first_row, [cells[1:] for _, cells in columns], [True] * len(columns)
        )
    numbers = [str(first + i) for i in range(len(columns[0][1]))]
    return table([("Segment", numbers), *columns], style.format, 0)


def segment_lines(entries: Iterable[str], style: Style) -> Iterator[str]:
    """Yield the parts of lines or of a JSON list, as entries come."""
    return json_list(entries) if style.format == "json" else (f"{text}\n" for text in entries)


def segment_of_system(number: int, system: str, text: str, score_only: bool) -> str:
    """Return an entry of JSON of several systems, given the entry of one."""
    entry = {"segment": number, "system": system, **json.loads(text)}
    if score_only:
        entry = {key: entry[key] for key in ("segment", "system", "name", "score")}
    return json.dumps(entry, indent=1, ensure_ascii=False)
