"""Results of systems in the forms of ``-f`` that are tables, and what these have in common.

In CSV and TSV each number has a column of its own, with as many digits as in text; p-values have
four.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rapidbleu.cli.score.report import Style
from rapidbleu.printing.colors import leave_plain
from rapidbleu.printing.results import (
    any_identical,
    baseline_notes,
    score_cells,
    systems_table,
    title_of_test,
)
from rapidbleu.printing.tables import delimited, escaped, markdown_table

SEPARATORS = {"csv": ",", "tsv": "\t"}

Columns = Iterable[tuple[str, list[str]]]


class SystemResult(NamedTuple):
    """What is known of a system under a metric, with sacrebleu's names and one more."""

    score: float
    p_value: float | None
    mean: float | None
    ci: float | None
    identical: str | None


def as_json(value: Any) -> str:
    """Write JSON as sacrebleu does for several systems."""
    return json.dumps(value, indent=4, ensure_ascii=False)


def systems_form(
    names: list[str],
    scores: dict[str, list[SystemResult]],
    signatures: dict[str, str],
    style: Style,
    test: tuple[str, int] | None,
) -> str:
    """Return what to print of systems: any form but JSON.

    Parameters
    ----------
    names : list of str
        Of the systems; of the baseline first if there was a test.
    scores : dict of str to list of SystemResult
        Of each metric, those of the systems.
    signatures : dict of str to str
        Of each metric; empty if it has none.
    style : Style
    test : (str, int) or None
        ``"bs"`` or ``"ar"``, and how many resamples or trials.
    """
    if style.format in SEPARATORS:
        columns = [("System", names)]
        for name, own in scores.items():
            columns += _columns(name, own, style.width_of(name), test is not None)
        return separated([*columns, *signature_columns(signatures, len(names), style)], style)
    systems = names if test is None else [f"Baseline: {names[0]}", *names[1:]]
    table = {"System": systems, **scores}
    if style.format == "markdown":
        lines = [markdown(score_cells(table, style.width_of, False, leave_plain).items(), 1)]
        if test is not None:
            identical = any_identical(scores)
            notes = baseline_notes(escaped(systems[0]), *test, identical, None)
            lines += markdown_notes(title_of_test(*test), notes, style)
        return "\n".join(lines + markdown_signatures(signatures, style))
    shown = {name: text for name, text in signatures.items() if text}
    return systems_table(table, shown, style.width_of, style.format == "latex", test, style.paint)


def _columns(
    name: str, own: list[SystemResult], width: int, tested: bool
) -> Iterator[tuple[str, list[str]]]:
    yield name, [f"{result.score:.{width}f}" for result in own]
    if own[0].mean is not None:
        yield f"{name} mean", [f"{result.mean:.{width}f}" for result in own]
        yield f"{name} ci", [f"{result.ci:.{width}f}" for result in own]
    if tested:
        p_values = [result.p_value for result in own]
        yield f"{name} p_value", ["" if p is None else f"{p:.4f}" for p in p_values]
        yield f"{name} identical", [result.identical or "" for result in own]


def separated(columns: Columns, style: Style) -> str:
    """Return columns as CSV or TSV, without the end of the last line."""
    headers, cells = zip(*columns, strict=True)
    return delimited([*headers], [*cells], SEPARATORS[style.format])[:-1]


def signature_columns(
    signatures: dict[str, str], n_rows: int, style: Style
) -> list[tuple[str, list[str]]]:
    """Return columns of signatures, unless scores alone are wanted."""
    if style.score_only:
        return []
    return [(f"{name} signature", [text] * n_rows) for name, text in signatures.items() if text]


def markdown(columns: Columns, n_names: int) -> str:
    """Return columns as Markdown; all but the first ones to the right."""
    headers, cells = zip(*columns, strict=True)
    right = [i >= n_names for i in range(len(headers))]
    return markdown_table([*headers], [*cells], right)


def markdown_notes(title: str, notes: list[list[str]], style: Style) -> list[str]:
    """Return the lines of what is said below a table, unless scores alone are wanted."""
    if style.score_only:
        return []
    return ["", f"**{title}**", "", *(f"- {' '.join(note)}" for note in notes)]


def markdown_signatures(signatures: dict[str, str], style: Style) -> list[str]:
    """Return the lines of a list of signatures, unless scores alone are wanted."""
    lines = [f"- {escaped(name)}: `{text}`" for name, text in signatures.items() if text]
    return [] if style.score_only or not lines else ["", "**Metric signatures**", "", *lines]
