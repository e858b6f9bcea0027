"""Tables whose columns have names of users' systems and metrics."""

from __future__ import annotations

from rapidbleu._lib.floats import FINE_DIGITS
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FINE = ("p", "corrected p", "length ratio", "precision", "recall", "F1", "share")  # 0 to 1


def table_of(
    columns: Iterable[tuple[str, Any]],
    best: dict[str, bool] | None = None,
    fine: Iterable[str] = (),
) -> Table:
    """Return a table.

    Parameters
    ----------
    columns : iterable of (str, sequence)
    best : dict of str to bool, optional
        Columns whose best number is bold, and whether that is the highest one.
    fine : iterable of str
        Columns with four digits, in addition to those of `FINE`.

    Examples
    --------
    >>> table_of([("system", ["A"]), ("recall", [0.25])])
    system  recall
    A       0.2500
    """
    named = dict(columns)
    ways: Any = {name: "max" if more else "min" for name, more in (best or {}).items()}
    return Table(named, {name: FINE_DIGITS for name in (*FINE, *fine) if name in named}, ways)


def check_names(systems: list[str], metrics: list[str]) -> None:
    """Refuse names that would give a table two columns of one name.

    Examples
    --------
    >>> check_names(["A"], ["BLEU", "system"])
    Traceback (most recent call last):
        ...
    ValueError: names: expected one column 'system', got two; rename the metric or the system
    """
    for columns in (
        ["system", *score_columns(metrics), "words", "length ratio"],
        ["bucket", "system", "segments", *metrics],
        ["segment", "label", *segment_columns(systems, metrics)],
        ["bucket", "segments", "reference words", *systems],
    ):
        for name in columns:
            if columns.count(name) > 1:
                raise ValueError(
                    f"names: expected one column {name!r}, got two; rename the metric or the system"
                )


def score_columns(metrics: list[str]) -> list[str]:
    """Return what the columns of scores and their intervals are called.

    Examples
    --------
    >>> score_columns(["BLEU"])
    ['BLEU', 'BLEU low', 'BLEU high']
    """
    return [metric + what for metric in metrics for what in ("", " low", " high")]


def segment_columns(systems: list[str], metrics: list[str]) -> list[str]:
    """Return what the columns of lengths and scores of segments are called.

    Examples
    --------
    >>> segment_columns(["A", "B"], ["BLEU"])
    ['length', 'length A', 'length B', 'BLEU A', 'BLEU B']
    """
    names = [f"{what} {system}" for what in ("length", *metrics) for system in systems]
    return ["length", *names]
