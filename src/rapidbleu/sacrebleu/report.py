"""How results are printed: single scores, and tables of systems."""

from rapidbleu.printing.colors import paint
from rapidbleu.printing.results import aligned, json_list, score_cells, systems_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
        return paint(msg, color) if Color.ENABLE_COLORS else msg


def _format_score_lines(
    scores: "dict[str, Any]", width: int = 2, multiline: bool = True
) -> "dict[str, list[str]]":
    """Return the columns of a table as text; takes ``System`` out of `scores`."""
    columns = score_cells({"System": scores["System"], **scores}, width, multiline, Color.format)
    del scores["System"]
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
    test = None
    if args.paired_bs or args.paired_ar:
        test = ("bs", args.paired_bs_n) if args.paired_bs else ("ar", args.paired_ar_n)
    latex = args.format == "latex"
    scores = {"System": results["System"], **results}
    print(systems_table(scores, signatures, args.width, latex, test, Color.format))


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


def print_single_results(results: "list[str]", args: "Any") -> None:
    """Print the scores of one system, aligned at their equals signs.

    Parameters
    ----------
    results : list of str
        A formatted score for each metric.
    args : Namespace
        With ``format``.
    """
    if args.format != "json":
        print("\n".join(aligned(results, Color.format)))
    elif len(results) > 1:
        print("".join(json_list(results)), end="")
    else:
        print(results[0])
