"""How results are printed: single scores, and tables of systems."""

from rapidbleu.sacrebleu.tables import fancy_grid, latex_booktabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COLORS = {
    name: f"\x1b[{code}m"
    for code, name in enumerate(
        ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE"), 30
    )
}
_COLORS |= {
    f"LIGHT{name}_EX": f"\x1b[{code}m"
    for code, name in enumerate(
        ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE"), 90
    )
}
_COLORS["RESET"] = "\x1b[39m"
_RESET = "\x1b[0m"

SIGNIFICANT = 0.05


class Color:
    """Colors of terminals."""

    ENABLE_COLORS = True

    @staticmethod
    def format(msg: str, color: str) -> str:
        """Return `msg` in a color, unless `Color.ENABLE_COLORS` is off.

        Examples
        --------
        >>> Color.format("p", "red")
        '\\x1b[31mp\\x1b[0m'
        """
        start = _COLORS.get(color.upper())
        return f"{start}{msg}{_RESET}" if Color.ENABLE_COLORS and start else msg


def _p_value(p: float) -> str:
    text = f"(p = {p:.4f})"
    return Color.format(text, "red") if p > SIGNIFICANT else f"{text}*"


def _format_score_lines(
    scores: "dict[str, Any]", width: int = 2, multiline: bool = True
) -> "dict[str, list[str]]":
    """Return the columns of a table as text; takes ``System`` out of `scores`."""
    columns = {"System": scores.pop("System")}
    has_intervals = False
    for metric, results in scores.items():
        cells = []
        for result in results:
            if isinstance(result, str):
                cells.append(result)
                continue
            cell = f"{result.score:.{width}f}"
            if result.mean is not None:
                has_intervals = True
                cell += f" ({result.mean:.{width}f} ± {result.ci:.{width}f})"
            if result.p_value is not None:
                cell += ("\n" if multiline else " ") + _p_value(result.p_value)
            cells.append(cell)
        columns[f"{metric} (μ ± 95% CI)" if has_intervals else metric] = cells
    return columns


def print_results_table(results: "dict[str, Any]", signatures: "Any", args: "Any") -> None:
    """Print the scores of several systems, as JSON, text or LaTeX.

    Parameters
    ----------
    results : dict
        ``System``: the names; for each metric the scores, as str or with ``score, p_value, mean,
        ci``.
    signatures : dict
        The signature of each metric.
    args : Namespace
        With ``format, width``, and for text what was tested: ``paired_bs, paired_ar, paired_bs_n,
        paired_ar_n``.
    """
    if args.format == "json":
        _print_json(results)
        return
    columns = _format_score_lines(results, args.width, multiline=args.format == "text")
    headers = [Color.format(name, "cyan") for name in columns]
    baseline = ""
    for cells in columns.values():
        if cells[0].startswith("Baseline:"):
            baseline = cells[0]
        if baseline:
            cells[0] = Color.format(cells[0], "yellow")
    draw = latex_booktabs if args.format == "latex" else fancy_grid
    print(draw(headers, list(columns.values())))
    print()
    if args.paired_bs or args.paired_ar:
        _explain(baseline, args)
    print("-----------------")
    print("Metric signatures")
    print("-----------------")
    for name, signature in signatures.items():
        print(f" - {name:<10} {signature}")


def _print_json(results: "dict[str, Any]") -> None:
    import json

    metrics = [name for name in results if name != "System"]
    systems = []
    for i, system in enumerate(results["System"]):
        entry: dict[str, Any] = {"system": system}
        for name in metrics:
            result = results[name][i]
            entry[name] = result if isinstance(result, str) else vars(result)
        systems.append(entry)
    print(json.dumps(systems, indent=4))


def _explain(baseline: str, args: "Any") -> None:
    """Say what was tested and what the stars and the red p-values mean."""
    if args.paired_bs:
        title = f"Paired bootstrap resampling test with {args.paired_bs_n} resampling trials"
    else:
        title = f"Paired approximate randomization test with {args.paired_ar_n} trials"
    print(f"{'-' * len(title)}\n{title}\n{'-' * len(title)}")
    print(f" - Each system is compared to {Color.format(baseline, 'yellow')}.")
    print("   p is how often a difference from it as large as the one seen, or larger, comes about")
    print("   by chance if the two systems are equally good.")
    print(f" - A star marks p <= {SIGNIFICANT}: a difference that is unlikely to be chance. Other")
    print(f"   values of p are {Color.format('red', 'red')}.")
    if args.paired_bs:
        print(" - In parentheses are mean and 95 % interval of the resampled scores.")
    print()


def print_single_results(results: "list[str]", args: "Any") -> None:
    """Print the scores of one system, aligned at their equals signs.

    Parameters
    ----------
    results : list of str
        A formatted score for each metric.
    args : Namespace
        With ``format``.
    """
    if args.format == "json":
        print("[\n" + ",\n".join(results) + "\n]" if len(results) > 1 else results[0])
        return
    if "μ" in results[0]:
        import re

        for i, line in enumerate(results):
            results[i] = re.sub(
                r"\(μ = [0-9.]+ ± [0-9.]+\)", lambda found: Color.format(found[0], "cyan"), line
            )
    if len(results) == 1:
        print(results[0])
        return
    for line in results:
        if "=" not in line:
            print(line)
    heads = [line.index("=") - 1 for line in results if "=" in line]
    for head, line in zip(heads, results, strict=False):
        print(f"{line[:head]:>{max(heads)}}{line[head:]}")
