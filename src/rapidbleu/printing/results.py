"""Scores in sacrebleu's forms: aligned lines, tables of systems and of pairs, and the notes below.

A note is a list of lines; without colors, as in Markdown, notes mention none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rapidbleu.printing.tables import fancy_grid, latex_booktabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Paint = Callable[[str, str], str]
    _Width = int | Callable[[str], int]
    _Notes = list[list[str]]

SIGNIFICANT = 0.05


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


def aligned(lines: list[str], paint: _Paint) -> list[str]:
    """Return the scores of one system, aligned at their equals signs if there are several.

    Each line is the formatted score of a metric; intervals become cyan.

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
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


# Cells of tables


def score_cells(
    scores: dict[str, Any], width: _Width, multiline: bool, paint: _Paint
) -> dict[str, list[str]]:
    """Return the columns of a table of systems, or of pairs of systems, as text.

    Parameters
    ----------
    scores : dict
        For each column its cells: a str; or the result of a system, with ``score, p_value, mean,
        ci``; or the result of a pair, with ``difference, p_value, p_corrected``. Results may have
        ``identical``, the part that two systems share: ``"outputs"`` or ``"statistics"``.
    width : int, or callable from str to int
        Digits after the decimal point, of all metrics or of each.
    multiline : bool
        Put the p-value, and whether systems are identical, on lines of their own.
    paint : callable

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> from types import SimpleNamespace
    >>> tested = SimpleNamespace(score=26.6, p_value=0.01, mean=26.5, ci=0.6)
    >>> score_cells({"System": ["a"], "BLEU": [tested]}, 1, False, leave_plain)
    {'System': ['a'], 'BLEU (μ ± 95% CI)': ['26.6 (26.5 ± 0.6) (p = 0.0100)*']}
    >>> pair = SimpleNamespace(difference=1.5, p_value=0.01, p_corrected=0.03)
    >>> score_cells({"BLEU": [pair]}, 1, False, leave_plain)
    {'BLEU': ['+1.5 (p = 0.0100, Holm 0.0300)*']}
    """
    columns: dict[str, list[str]] = {}
    has_intervals = False
    for name, results in scores.items():
        digits = width if isinstance(width, int) else width(name)
        cells = []
        for result in results:
            words = [result] if isinstance(result, str) else _words(result, digits, paint)
            cells.append(("\n" if multiline else " ").join(words))
            has_intervals = has_intervals or getattr(result, "mean", None) is not None
        columns[f"{name} (μ ± 95% CI)" if has_intervals else name] = cells
    return columns


def _words(result: Any, digits: int, paint: _Paint) -> list[str]:
    """Return the score or the difference, the p-value, and the part that is identical."""
    # sacrebleu's results do not have it
    identical: str | None = getattr(result, "identical", None)
    if hasattr(result, "difference"):
        words = [f"{result.difference:+z.{digits}f}"]
        p = f"(p = {result.p_value:.4f}, Holm {result.p_corrected:.4f})"
        starred = result.p_corrected <= SIGNIFICANT
    else:
        words = [f"{result.score:.{digits}f}"]
        if result.mean is not None:
            words[0] += f" ({result.mean:.{digits}f} ± {result.ci:.{digits}f})"
        if result.p_value is None:
            return words
        p = f"(p = {result.p_value:.4f})"
        starred = result.p_value <= SIGNIFICANT and identical is None
    words.append(f"{p}*" if starred else paint(p, "red"))
    return [*words, f"identical {identical}"] if identical else words


# Tables with notes and signatures


def systems_table(
    scores: dict[str, Any],
    signatures: dict[str, str],
    width: _Width,
    latex: bool,
    test: tuple[str, int] | None,
    paint: _Paint,
    pairs: dict[str, Any] | None = None,
) -> str:
    """Return a table of systems, perhaps one of pairs, notes on the test, and the signatures.

    Parameters
    ----------
    scores, width, paint
        As in `score_cells`; the first name may begin with ``Baseline:``.
    signatures : dict of str to str
        The signature of each metric.
    latex : bool
        Make the tables LaTeX.
    test : (str, int) or None
        ``"bs"`` or ``"ar"``, and the number of resamples or trials.
    pairs : dict, optional
        If all systems were compared with all, the results of the pairs: ``System`` and ``Compared
        with`` are the names.

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
    draw = latex_booktabs if latex else fancy_grid
    baseline = ""
    lines: list[str] = []
    for table in [scores] if pairs is None else [scores, pairs]:
        columns = score_cells(table, width, not latex, paint)
        for cells in columns.values():
            if cells[0].startswith("Baseline:"):
                baseline = cells[0]
            if baseline:
                cells[0] = paint(cells[0], "yellow")
        lines += [draw([paint(name, "cyan") for name in columns], list(columns.values())), ""]
    if test is not None:
        lines += _framed(title_of_test(*test))
        if pairs is None:
            notes = baseline_notes(paint(baseline, "yellow"), *test, any_identical(scores), paint)
        else:
            notes = pairs_notes(len(pairs["System"]), *test, paint)
        for first, *others in notes:
            lines += [f" - {first}", *(f"   {line}" for line in others)]
        lines.append("")
    lines += _framed("Metric signatures")
    lines += [f" - {name:<10} {text}" for name, text in signatures.items()]
    return "\n".join(lines)


def _framed(title: str) -> list[str]:
    """Return a title between lines."""
    return ["-" * len(title), title, "-" * len(title)]


def any_identical(scores: dict[str, Any]) -> bool:
    """Return whether some system is identical to the system that it is compared with."""
    return any(getattr(result, "identical", None) for own in scores.values() for result in own)


# Notes


def title_of_test(test: str, n: int) -> str:
    """Return the name of a test, ``"bs"`` or ``"ar"``, with n resamples or trials.

    Examples
    --------
    >>> title_of_test("ar", 10000)
    'Paired approximate randomization test with 10000 trials'
    """
    if test == "bs":
        return f"Paired bootstrap resampling test with {n} resampling trials"
    return f"Paired approximate randomization test with {n} trials"


def baseline_notes(
    baseline: str, test: str, n: int, identical: bool, paint: _Paint | None
) -> _Notes:
    """Return the notes on systems that were compared with a baseline, which has its color.

    Test and n are those of `title_of_test`; `identical` is whether some system is identical to the
    baseline. Without `paint`, p-values have no colors.

    Examples
    --------
    >>> baseline_notes("Baseline: A", "bs", 1000, False, None)[0][0]
    'Each system is compared to Baseline: A.'
    """
    more = "exceeds the mean of all by more" if test == "bs" else "is larger"
    notes = [
        [
            f"Each system is compared to {baseline}.",
            "p estimates how often a difference larger than the one seen comes about by chance if",
            f"the systems are equally good: (c + 1) / {n + 1} for c "
            f"{'resamples' if test == 'bs' else 'trials'} in which it {more}.",
            "Equal differences do not count.",
        ],
        *_last_notes("p", test, paint),
    ]
    if identical:
        notes.append([
            "Systems that are identical, at least in the statistics of every segment, cannot",
            "differ by chance: p is the least there is, says nothing, and has no star.",
        ])  # fmt: skip
    return notes


def pairs_notes(n_pairs: int, test: str, n: int, paint: _Paint | None) -> _Notes:
    """Return the notes on systems all of which were compared with all.

    Examples
    --------
    >>> pairs_notes(3, "ar", 10000, None)[1]
    ['Behind Holm is p corrected for the 3 pairs of a metric by the procedure of Holm (1979).']
    """
    enough = "exceeds the mean of all by no less" if test == "bs" else "is no smaller"
    return [
        [
            "Each system is compared with each other one: the difference is its score less that of",
            "the other. p estimates how often a difference as large as that or larger comes about",
            f"by chance if the systems are equally good: (c + 1) / {n + 1} for c "
            f"{'resamples' if test == 'bs' else 'trials'} in",
            f"which it {enough}. Equal differences count, so identical systems",
            "have p = 1; sacrebleu, which compares with a baseline only, does not count them.",
        ],
        [
            f"Behind Holm is p corrected for the {n_pairs} pairs of a metric by the procedure of "
            "Holm (1979)."
        ],
        *_last_notes("a corrected p", test, paint),
    ]


def _last_notes(p: str, test: str, paint: _Paint | None) -> _Notes:
    star = f"A star marks {p} <= {SIGNIFICANT}: a difference that is unlikely to be chance."
    red = "" if paint is None else paint("red", "red")
    notes = [[f"{star} Other", f"values of p are {red}."] if red else [star]]
    if test == "bs":
        notes.append(["In parentheses are mean and 95 % interval of the resampled scores."])
    return notes
