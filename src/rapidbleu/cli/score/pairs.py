"""All pairs of systems: differences, p-values, and these corrected for the number of pairs."""

from argparse import Namespace
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.forms import (
    SEPARATORS,
    SystemResult,
    as_json,
    markdown,
    markdown_notes,
    markdown_signatures,
    separated,
    signature_columns,
)
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.resampling import Compared, compare
from rapidbleu.cli.score.statistics import AnyMetric
from rapidbleu.printing.colors import leave_plain
from rapidbleu.printing.results import pairs_notes, score_cells, systems_table, title_of_test
from rapidbleu.significance import corrected


class Pair(NamedTuple):
    """What a test says of two systems under a metric."""

    difference: float
    p_value: float
    p_corrected: float
    identical: str | None


def pairs_report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Compare all systems with all; return what to print."""
    compared = compare(metrics, corpus, args)
    found = compared.found
    numbers = list(combinations(range(len(corpus.systems)), 2))
    pairs = {name: _pairs(name, compared, corpus, numbers) for name in found.metrics}
    scores = {
        name: [
            SystemResult(own.score, None, own.mean, own.half_width, None)
            for own in found[name].values()
        ]
        for name in found.metrics
    }
    signatures = {name: style.signature(found.signatures.get(name)) for name in found.metrics}
    names = [(found.systems[i], found.systems[j]) for i, j in numbers]
    if style.format == "json":
        return as_json(_content(found, names, scores, pairs, signatures))
    ends = {
        "System": [one for one, _ in names],
        "Compared with": [other for _, other in names],
    }
    if style.format in SEPARATORS:
        columns = list(ends.items())
        for name, own in pairs.items():
            columns += _columns(name, own, style.width_of(name))
        return separated([*columns, *signature_columns(signatures, len(names), style)], style)
    test = "bs" if args.paired_bs else "ar", found.n
    systems: dict[str, Any] = {"System": found.systems, **scores}
    table: dict[str, Any] = {**ends, **pairs}
    if style.format == "markdown":
        notes = pairs_notes(len(names), *test, None)
        lines = [
            markdown(score_cells(systems, style.width_of, False, leave_plain).items(), 1),
            "",
            markdown(score_cells(table, style.width_of, False, leave_plain).items(), 2),
            *markdown_notes(title_of_test(*test), notes, style),
            *markdown_signatures(signatures, style),
        ]
        return "\n".join(lines)
    shown = {name: text for name, text in signatures.items() if text}
    latex = style.format == "latex"
    return systems_table(systems, shown, style.width_of, latex, test, style.paint, table)


def _pairs(
    name: str, compared: Compared, corpus: Corpus, numbers: list[tuple[int, int]]
) -> list[Pair]:
    own = list(compared.found[name].values())
    p_values = [float(compared.found.p_values[name][i, j]) for i, j in numbers]
    return [
        Pair(own[i].score - own[j].score, p, holm, compared.identical(name, corpus, i, j))
        for (i, j), p, holm in zip(numbers, p_values, corrected(p_values).tolist(), strict=True)
    ]


def _columns(name: str, own: list[Pair], width: int) -> Iterator[tuple[str, list[str]]]:
    yield f"{name} difference", [f"{pair.difference:z.{width}f}" for pair in own]
    yield f"{name} p_value", [f"{pair.p_value:.4f}" for pair in own]
    yield f"{name} p_corrected", [f"{pair.p_corrected:.4f}" for pair in own]
    yield f"{name} identical", [pair.identical or "" for pair in own]


def _content(
    found: Any,
    names: list[tuple[str, str]],
    scores: dict[str, list[SystemResult]],
    pairs: dict[str, list[Pair]],
    signatures: dict[str, str],
) -> dict[str, Any]:
    """Return all that was found."""

    def known(result: SystemResult | Pair) -> dict[str, Any]:
        return {key: value for key, value in result._asdict().items() if value is not None}

    return {
        "test": found.test,
        "n": found.n,
        "seed": found.seed,
        "correction": "holm",
        "signatures": signatures,
        "systems": [
            {"system": system} | {name: known(own[i]) for name, own in scores.items()}
            for i, system in enumerate(found.systems)
        ],
        "pairs": [
            {"systems": list(pair)} | {name: known(own[i]) for name, own in pairs.items()}
            for i, pair in enumerate(names)
        ],
    }
