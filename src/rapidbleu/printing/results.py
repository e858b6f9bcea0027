"""Scores in sacrebleu's forms: lines aligned at their equals signs, and tables of systems."""

import re
from collections.abc import Iterable, Iterator

from rapidbleu.printing.notes import (
    SIGNIFICANT,
    baseline_notes,
    framed,
    note_lines,
    title_of_test,
)
from rapidbleu.printing.tables import fancy_grid, latex_booktabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Paint = Callable[[str, str], str]
    _Width = int | Callable[[str], int]


def json_list(entries: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON list of `entries`, which are JSON already.

    Examples
    --------
    >>> "".join(json_list(["1", "2"]))
    '[\\n1,\\n2\\n]\\n'
    >>> list(json_list([]))
    ['[]\\n']
    """
    before = "[\n"
    for entry in entries:
        yield before + entry
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def aligned(lines: list[str], paint: "_Paint") -> list[str]:
    """Return the scores of one system, aligned at their equals signs if there are several.

    Parameters
    ----------
    lines : list of str
        A formatted score for each metric.
    paint : callable
        `paint` or what takes its place; intervals are cyan.

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> print(*aligned(["BLEU = 26.6 100.0/9.1", "chrF2++ = 52.5"], leave_plain), sep="\\n")
       BLEU = 26.6 100.0/9.1
    chrF2++ = 52.5
    """
    if "μ" in lines[0]:
        interval = re.compile(r"\(μ = -?[0-9.]+ ± [0-9.]+\)")
        lines = [interval.sub(lambda found: paint(found[0], "cyan"), line) for line in lines]
    if len(lines) == 1:
        return lines
    heads = [line.index("=") - 1 for line in lines if "=" in line]
    return [line for line in lines if "=" not in line] + [
        f"{line[:head]:>{max(heads)}}{line[head:]}"
        for head, line in zip(heads, lines, strict=False)
    ]


def score_cells(
    scores: "dict[str, Any]", width: "_Width", multiline: bool, paint: "_Paint"
) -> "dict[str, list[str]]":
    """Return the columns of a table of systems as text.

    Parameters
    ----------
    scores : dict
        ``System``: the names; for each metric the scores, as str or with ``score, p_value, mean,
        ci``, and ``identical``, ``"outputs"`` or ``"statistics"``, if those are the baseline's.
    width : int, or callable from str to int
        Digits after the decimal point, of all metrics or of each.
    multiline : bool
        A p-value has a line of its own, and so has what is said of it.
    paint : callable

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> from types import SimpleNamespace
    >>> tested = SimpleNamespace(score=26.6, p_value=0.01, mean=26.5, ci=0.6)
    >>> score_cells({"System": ["a"], "BLEU": [tested]}, 1, False, leave_plain)
    {'System': ['a'], 'BLEU (μ ± 95% CI)': ['26.6 (26.5 ± 0.6) (p = 0.0100)*']}
    """
    columns: dict[str, list[str]] = {}
    has_intervals = False
    for name, results in scores.items():
        digits = width if isinstance(width, int) else width(name)
        cells = []
        for result in results:
            if isinstance(result, str):
                cells.append(result)
                continue
            cell = f"{result.score:.{digits}f}"
            if result.mean is not None:
                has_intervals = True
                cell += f" ({result.mean:.{digits}f} ± {result.ci:.{digits}f})"
            if result.p_value is not None:
                what = _identical(result)
                words = [cell, _p_value(result.p_value, what is not None, paint)]
                words += [f"identical {what}"] if what else []
                cell = ("\n" if multiline else " ").join(words)
            cells.append(cell)
        columns[f"{name} (μ ± 95% CI)" if has_intervals else name] = cells
    return columns


def _identical(result: "Any") -> str | None:
    """Return what of a system is the same as the baseline's; sacrebleu's results do not say."""
    return getattr(result, "identical", None)


def _p_value(p: float, identical: bool, paint: "_Paint") -> str:
    text = f"(p = {p:.4f})"
    return paint(text, "red") if identical or p > SIGNIFICANT else f"{text}*"


def systems_table(
    scores: "dict[str, Any]",
    signatures: "dict[str, str]",
    width: "_Width",
    latex: bool,
    test: "tuple[str, int] | None",
    paint: "_Paint",
) -> str:
    """Return a table of systems, what was tested, and the signatures.

    Parameters
    ----------
    scores, width, paint
        As in `score_cells`; the first name may begin with ``Baseline:``.
    signatures : dict of str to str
        Of each metric.
    latex : bool
        Make the table LaTeX.
    test : (str, int) or None
        ``"bs"`` or ``"ar"``, and how many resamples or trials.

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> scores = {"System": ["a", "b"], "BLEU": ["26.6", "7.0"]}
    >>> print(systems_table(scores, {"BLEU": "nrefs:1"}, 1, False, None, leave_plain))
    ╒══════════╤════════╕
    │   System │  BLEU  │
    ╞══════════╪════════╡
    │        a │  26.6  │
    ├──────────┼────────┤
    │        b │  7.0   │
    ╘══════════╧════════╛
    <BLANKLINE>
    -----------------
    Metric signatures
    -----------------
     - BLEU       nrefs:1
    """
    columns = score_cells(scores, width, not latex, paint)
    baseline = ""
    for cells in columns.values():
        if cells[0].startswith("Baseline:"):
            baseline = cells[0]
        if baseline:
            cells[0] = paint(cells[0], "yellow")
    lines = [draw_table(columns, latex, paint), ""]
    if test is not None:
        identical = any_identical(scores)
        notes = baseline_notes(paint(baseline, "yellow"), *test, identical, paint)
        lines += [*framed(title_of_test(*test)), *note_lines(notes), ""]
    return "\n".join(lines + signature_lines(signatures))


def any_identical(scores: "dict[str, Any]") -> bool:
    """Return whether some system is identical to what it was compared with."""
    return any(_identical(result) for own in scores.values() for result in own)


def draw_table(columns: "dict[str, list[str]]", latex: bool, paint: "_Paint") -> str:
    """Return a table with colored headers, in LaTeX or with lines around its cells.

    Parameters
    ----------
    columns : dict of str to list of str
        The cells below each header.
    latex : bool
    paint : callable
    """
    draw = latex_booktabs if latex else fancy_grid
    return draw([paint(name, "cyan") for name in columns], list(columns.values()))


def signature_lines(signatures: "dict[str, str]") -> list[str]:
    """Return the lines that show the signatures of metrics.

    Examples
    --------
    >>> signature_lines({"BLEU": "nrefs:1"})[3:]
    [' - BLEU       nrefs:1']
    """
    shown = [f" - {name:<10} {text}" for name, text in signatures.items()]
    return [*framed("Metric signatures"), *shown]
