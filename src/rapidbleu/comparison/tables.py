"""Buckets, column names and digits of the tables of a comparison; its systems and texts."""

from __future__ import annotations

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.floats import FINE_DIGITS
from rapidbleu._lib.loader import np
from rapidbleu.table import Table, column_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from rapidbleu._types import Array, FloatArray, IntArray, Items

LENGTH = "length"
LENGTH_DIFFERENCE = "length_difference"
LABEL = "label"
FREQUENCY = "word_frequency"

# compare-mt's cutoffs: a bucket begins at each number, and one before the first.
LENGTHS = (10, 20, 30, 40, 50, 60)
LENGTH_DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
FEW = 0.05  # share of segments that the scale may exclude
FINE = ("p_value", "p_corrected", "length_ratio", "precision", "recall", "f", "share")  # 0 to 1
# Titles of columns and buckets for display.
TITLES = {
    "p_value": "p", "p_corrected": "corrected p", "length_ratio": "length ratio", "f": "F1",
    "reference_words": "reference words", "output_words": "output words",
    "score_a": "score a", "score_b": "score b", "output_a": "output a", "output_b": "output b",
    LENGTH_DIFFERENCE: "length difference", FREQUENCY: "word frequency",
}  # fmt: skip
# Columns that belong to neither metrics nor systems.
RATES = ("f", "precision", "recall")  # of words
RESERVED = (
    "system",
    "words",
    "length_ratio",
    "bucket",
    "segments",
    "reference_words",
    "segment",
    LABEL,
    LENGTH,
)


def score_buckets(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the metrics of buckets by segment scores; `columns` contains the metrics' columns.

    >>> score_buckets({"BLEU": "bleu"})
    {'bleu_score': 'BLEU'}
    """
    return {f"{column}_score": metric for metric, column in columns.items()}


def shown_in(kind: str, columns: Mapping[str, str]) -> list[str]:
    """Return the columns worth displaying: numbers of segments for buckets by score.

    >>> columns = {"BLEU": "bleu", "TER": "ter"}
    >>> shown_in("length", columns), shown_in("ter_score", columns)
    (['BLEU', 'TER'], ['segments'])
    """
    return ["segments"] if kind in score_buckets(columns) else list(columns)


def bucket_title(kind: str, columns: Mapping[str, str]) -> str:
    """Return the title of buckets.

    >>> bucket_title("length_difference", {}), bucket_title("bleu_score", {"BLEU": "bleu"})
    ('length difference', 'BLEU score')
    """
    metric = score_buckets(columns).get(kind)
    return f"{metric} score" if metric is not None else TITLES.get(kind, kind)


def check_cutoffs(
    cutoffs: Mapping[str, Items[float]] | None, names: list[str]
) -> dict[str, list[float]]:
    """Return cutoffs by name of the buckets; refuse numbers that do not rise."""
    from math import isfinite

    checked: dict[str, list[float]] = {}
    if cutoffs is None:
        return checked
    if not hasattr(cutoffs, "items"):
        raise TypeError(f"cutoffs: expected a dict by buckets; got {type(cutoffs).__name__}")
    for name, ends in cutoffs.items():
        where = f"cutoffs[{name!r}]"
        if name not in names:
            raise ValueError(f"cutoffs: expected buckets of {', '.join(names)}; got {name!r}")
        numbers = items_of(ends, where, "numbers")
        for i, number in enumerate(numbers):
            if isinstance(number, bool) or not hasattr(number, "__float__"):
                raise TypeError(f"{where}[{i}]: expected a number; got {type(number).__name__}")
            if not isfinite(number):
                raise ValueError(f"{where}[{i}]: expected a finite number; got {number}")
            if i and not number > numbers[i - 1]:
                raise ValueError(f"{where}[{i}]: expected more than {numbers[i - 1]}; got {number}")
        if not numbers:
            raise ValueError(f"{where}: expected at least one number; got none")
        checked[name] = [float(number) for number in numbers]
    return checked


def score_cutoffs(scores: list[FloatArray]) -> list[float]:
    """Return nine cutoffs that divide the scale of scores by ten.

    The scale ends at the lowest power of ten that 19 of 20 absolute scores do not exceed: 100 for
    BLEU, 1 for COMET. It begins at 0; if more than 1 of 20 scores is negative, it is the negated
    scale, or covers both signs.

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
    """Return a name for each bucket; a bucket of a single whole number is named by it.

    >>> bucket_names([1, 2, 10], whole=True)
    ['<1', '1', '[2,10)', '>=10']
    """
    names = [f"<{cutoffs[0]:g}"]
    for i in range(1, len(cutoffs)):
        low = cutoffs[i - 1]
        high = cutoffs[i]
        names.append(f"{low:g}" if whole and low + 1 == high else f"[{low:g},{high:g})")
    return [*names, f">={cutoffs[-1]:g}"]


def buckets_of(numbers: Array, cutoffs: Items[float]) -> IntArray:
    """Return the bucket of each number: how many cutoffs do not exceed it."""
    return np.searchsorted(np.asarray(cutoffs), numbers, side="right").astype(np.int64)


def table_of(
    columns: Mapping[str, Any],
    best: dict[str, bool] | None = None,
    fine: Iterable[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Table:
    """Return a table.

    `best` maps columns with bold best numbers to whether higher is better; `fine` lists columns
    with four digits in addition to `FINE`; `titles` complements `TITLES`.

    >>> table_of({"system": ["A"], "recall": [0.25]})
    system  recall
    A       0.2500
    """
    ways: Any = {name: "max" if more else "min" for name, more in (best or {}).items()}
    digits = dict.fromkeys(columns.keys() & {*FINE, *fine}, FINE_DIGITS)
    known = {name: TITLES[name] for name in columns if name in TITLES}
    return Table(columns, digits, ways, known | dict(titles or {}))


def metric_columns(metrics: Iterable[str]) -> dict[str, str]:
    """Return a column for each metric.

    >>> metric_columns(["ROUGE-L", "chrF2++", "system"])
    {'ROUGE-L': 'rougel', 'chrF2++': 'chrf2pp', 'system': 'system_2'}
    """
    metrics = list(metrics)
    labels = [name.replace("ROUGE-", "ROUGE").replace("++", "pp") for name in metrics]
    return dict(zip(metrics, column_names(labels, RESERVED), strict=True))


def score_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of scores and interval limits, with their titles.

    >>> score_columns({"BLEU": "bleu"})
    {'bleu': 'BLEU', 'bleu_low': 'BLEU low', 'bleu_high': 'BLEU high'}
    """
    ends = [f"{metric} {end}" for metric in columns for end in ("low", "high")]
    names = column_names(ends, {*columns.values(), *RESERVED})
    titles: dict[str, str] = {}
    for i, (metric, column) in enumerate(columns.items()):
        titles[column] = metric
        titles |= zip(names[2 * i : 2 * i + 2], ends[2 * i : 2 * i + 2], strict=True)
    return titles


def rank_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns of the best and worst ranks, with their titles.

    >>> rank_columns(["BLEU"])
    {'bleu_best': 'BLEU best', 'bleu_worst': 'BLEU worst'}
    """
    titles = [f"{metric} {end}" for metric in columns for end in ("best", "worst")]
    return dict(zip(column_names(titles, RESERVED), titles, strict=True))


def segment_columns(systems: list[str], metrics: Iterable[str]) -> dict[str, str]:
    """Return the columns of segments' lengths and scores, with their titles.

    >>> segment_columns(["A", "B"], ["BLEU"])
    {'length_a': 'length A', 'length_b': 'length B', 'bleu_a': 'BLEU A', 'bleu_b': 'BLEU B'}
    """
    titles = [f"{what} {system}" for what in (LENGTH, *metrics) for system in systems]
    return dict(zip(column_names(titles, RESERVED), titles, strict=True))


def check_name(where: str, name: object, known: Sequence[str]) -> None:
    """Refuse an unknown name.

    >>> check_name("metric", "TER", ["BLEU", "chrF2"])
    Traceback (most recent call last):
        ...
    ValueError: metric: expected one of BLEU, chrF2; got 'TER'
    """
    if name not in known:
        raise ValueError(f"{where}: expected one of {', '.join(known)}; got {name!r}")


def check_pair(a: str, b: str, systems: Sequence[str]) -> None:
    """Refuse names of unknown or equal systems."""
    check_name("a", a, systems)
    check_name("b", b, systems)
    if a == b:
        raise ValueError(f"b: expected another system than {a!r}")


def text_of(segment: Any) -> str:
    """Return a segment as text, with spaces between tokens or ids.

    >>> text_of(["a", "b"]), text_of([1, 2]), text_of("a b")
    ('a b', '1 2', 'a b')
    """
    return segment if isinstance(segment, str) else " ".join(map(str, segment))
