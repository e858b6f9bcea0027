"""Tables of all pairs of systems, their differences and the corrected p-values."""

from rapidbleu.printing.notes import SIGNIFICANT, framed, note_lines, pairs_notes, title_of_test
from rapidbleu.printing.results import draw_table, score_cells, signature_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Paint = Callable[[str, str], str]
    _Width = int | Callable[[str], int]


def pair_cells(
    pairs: "dict[str, Any]", width: "_Width", multiline: bool, paint: "_Paint"
) -> "dict[str, list[str]]":
    """Return the columns of a table of pairs as text.

    Parameters
    ----------
    pairs : dict
        ``System`` and ``Compared with``: the names; for each metric what was found, with
        ``difference, p_value, p_corrected`` and ``identical``, ``"outputs"``, ``"statistics"`` or
        None.
    width : int, or callable from str to int
        Digits after the decimal point of differences, of all metrics or of each.
    multiline : bool
        p-values have a line of their own, and so has what is said of them.
    paint : callable

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> from types import SimpleNamespace
    >>> found = SimpleNamespace(difference=1.5, p_value=0.01, p_corrected=0.03, identical=None)
    >>> pairs = {"System": ["a"], "Compared with": ["b"], "BLEU": [found]}
    >>> pair_cells(pairs, 1, False, leave_plain)["BLEU"]
    ['+1.5 (p = 0.0100, Holm 0.0300)*']
    """
    columns: dict[str, list[str]] = {}
    for name, results in pairs.items():
        digits = width if isinstance(width, int) else width(name)
        cells = columns[name] = []
        for result in results:
            if isinstance(result, str):
                cells.append(result)
                continue
            p = f"(p = {result.p_value:.4f}, Holm {result.p_corrected:.4f})"
            significant = result.p_corrected <= SIGNIFICANT
            words = [
                f"{result.difference:+z.{digits}f}",
                f"{p}*" if significant else paint(p, "red"),
            ]
            words += [f"identical {result.identical}"] if result.identical else []
            cells.append(("\n" if multiline else " ").join(words))
    return columns


def pairs_table(
    scores: "dict[str, Any]",
    pairs: "dict[str, Any]",
    signatures: "dict[str, str]",
    width: "_Width",
    latex: bool,
    test: "tuple[str, int]",
    paint: "_Paint",
) -> str:
    """Return a table of systems, one of pairs, what was tested, and the signatures.

    Parameters
    ----------
    scores, signatures, latex
        As in `systems_table`.
    pairs, width, paint
        As in `pair_cells`.
    test : (str, int)
        ``"bs"`` or ``"ar"``, and how many resamples or trials.
    """
    notes = pairs_notes(len(pairs["System"]), *test, paint)
    lines = [
        draw_table(score_cells(scores, width, not latex, paint), latex, paint),
        "",
        draw_table(pair_cells(pairs, width, not latex, paint), latex, paint),
        "",
        *framed(title_of_test(*test)),
        *note_lines(notes),
        "",
    ]
    return "\n".join(lines + signature_lines(signatures))
