"""Tables of a comparison: the buckets of their rows, the names and digits of their columns."""

from __future__ import annotations

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.floats import FINE_DIGITS
from rapidbleu._lib.lazy import np
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from rapidbleu._types import Array, FloatArray, IntArray, Items

LENGTH = "length"
LENGTH_DIFFERENCE = "length difference"
LABEL = "label"

# The cutoffs of compare-mt: a bucket begins at each number, and one before the first.
LENGTHS = (10, 20, 30, 40, 50, 60)
LENGTH_DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
FEW = 0.05  # share of segments that may be outside of the scale
FINE = ("p", "corrected p", "length ratio", "precision", "recall", "F1", "share")  # 0 to 1


def score_bucket(metric: str) -> str:
    """Return the name of the buckets by a metric's segment scores."""
    return f"{metric} score"


def shown_in(kind: str, metrics: list[str]) -> list[str]:
    """Return the columns worth showing: for buckets by score, their numbers of segments.

    Examples
    --------
    >>> shown_in("length", ["BLEU", "TER"]), shown_in("TER score", ["BLEU", "TER"])
    (['BLEU', 'TER'], ['segments'])
    """
    return ["segments"] if kind in map(score_bucket, metrics) else metrics


def check_cutoffs(
    cutoffs: Mapping[str, Items[float]] | None, names: list[str]
) -> dict[str, list[float]]:
    """Return cutoffs by the name of the buckets: numbers that rise."""
    from math import isfinite

    checked: dict[str, list[float]] = {}
    if cutoffs is None:
        return checked
    if not hasattr(cutoffs, "items"):
        raise TypeError(f"cutoffs: expected a dict by buckets, got {type(cutoffs).__name__}")
    for name, given in cutoffs.items():
        where = f"cutoffs[{name!r}]"
        if name not in names:
            raise ValueError(f"cutoffs: expected buckets of {', '.join(names)}; got {name!r}")
        numbers = items_of(given, where, "numbers")
        for i, number in enumerate(numbers):
            if isinstance(number, bool) or not hasattr(number, "__float__"):
                raise TypeError(f"{where}[{i}]: expected a number, got {type(number).__name__}")
            if not isfinite(number):
                raise ValueError(f"{where}[{i}]: expected a finite number, got {number}")
            if i and not number > numbers[i - 1]:
                raise ValueError(f"{where}[{i}]: expected more than {numbers[i - 1]}, got {number}")
        if not numbers:
            raise ValueError(f"{where}: expected at least one number, got none")
        checked[name] = [float(number) for number in numbers]
    return checked


def score_cutoffs(scores: list[FloatArray]) -> list[float]:
    """Return nine cutoffs that divide the scale of scores by ten.

    The scale ends at a power of ten, the least that 19 of 20 segments do not exceed, whatever their
    sign: 100 for BLEU, 1 for COMET. It begins at 0, unless more than 1 of 20 is below: then it is
    that of the other sign, or has both.

    Examples
    --------
    >>> import numpy as np
    >>> score_cutoffs([np.linspace(0, 80, 50)])
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0]
    >>> score_cutoffs([np.linspace(-20, 0, 50)])
    [-90.0, -80.0, -70.0, -60.0, -50.0, -40.0, -30.0, -20.0, -10.0]
    """
    from math import ceil, log10

    joined = np.concatenate(scores)
    size = float(np.quantile(np.abs(joined), 1 - FEW, method="inverted_cdf"))
    end = 10.0 ** ceil(log10(size)) if size > 0 else 1.0
    low = -end if np.mean(joined < 0) > FEW else 0.0
    high = end if low == 0.0 or np.mean(joined > 0) > FEW else 0.0
    return [low + (high - low) * k / 10 for k in range(1, 10)]


def bucket_names(cutoffs: Items[float], whole: bool) -> list[str]:
    """Return a name for each bucket; of whole numbers, a bucket of one is called by it.

    Examples
    --------
    >>> bucket_names([1, 2, 10], whole=True)
    ['<1', '1', '[2,10)', '>=10']
    """
    names = [f"<{cutoffs[0]:g}"]
    for i in range(1, len(cutoffs)):
        low, high = cutoffs[i - 1], cutoffs[i]
        names.append(f"{low:g}" if whole and low + 1 == high else f"[{low:g},{high:g})")
    return [*names, f">={cutoffs[-1]:g}"]


def buckets_of(numbers: Array, cutoffs: Items[float]) -> IntArray:
    """Return the bucket of each number: how many cutoffs it does not fall below."""
    return np.searchsorted(np.asarray(cutoffs), numbers, side="right").astype(np.int64)


def table_of(
    columns: Iterable[tuple[str, Any]],
    best: dict[str, bool] | None = None,
    fine: Iterable[str] = (),
) -> Table:
    """Return a table.

    `best` has columns whose best number is bold, and whether that is the highest one; `fine`,
    columns with four digits, in addition to `FINE`.

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
