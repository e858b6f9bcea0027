"""Results of resampling: corrected p-values, scores with intervals, and tables of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from rapidbleu._lib.checks import Named, check_count
from rapidbleu._lib.floats import SIGNIFICANT, digits_of, finite, p_text
from rapidbleu._lib.loader import np
from rapidbleu._lib.logs import logger
from rapidbleu.stats import unmasked
from rapidbleu.table import Table, html_sections, plain_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu._types import FloatArray, Items
    from rapidbleu.score import Signature

MOST_ROWS = 24  # printed
MOST_LETTERS = 15  # of a metric
MOST_COLUMNS = 6
MOST_HEAD = 5  # letters of a system in the heading of a column
FEW = 4  # systems whose pairs are rows; more of them have a triangle
WIDTH = 80  # of a table
MOST_NAME = 24  # letters in one
METHODS = ("holm", "bonferroni", "none")
PER_TEST = 200  # resamples: the least corrected p is 0.005
MANY = 100_000  # resamples, beyond which only FEWEST_PER_TEST are drawn for each test
FEWEST_PER_TEST = 40


def check_method(name: str, method: str) -> str:
    """Return a correction method after checking it; `name` is the argument in errors."""
    if method not in METHODS:
        raise ValueError(f"{name}: expected one of {', '.join(METHODS)}; got {method!r}")
    return method


def correct_p_values(p_values: Items[float], method: str = "holm") -> FloatArray:
    """Return p-values corrected for the number of tests.

    Among many tests of equal systems, some p-value is small by chance. A corrected one is at most
    0.05 in no more than one case of twenty, however many tests there are. The result is in the
    order of `p_values`, at most 1.

    Parameters
    ----------
    p_values : sequence of float, or float array of shape (n,)
        p-values of all tests of the family, from 0 to 1, in any order.
    method : {"holm", "bonferroni", "none"}
        Holm multiplies the smallest by n, the next by n - 1 and so on, never falling below an
        earlier one. Bonferroni multiplies all by n, never less than Holm. None changes nothing.

    References
    ----------
    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure.

    Examples
    --------
    >>> correct_p_values([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> correct_p_values([0.01, 0.04, 0.03], "bonferroni")
    array([0.03, 0.12, 0.09])
    """
    check_method("method", method)
    array = np.asarray(unmasked(p_values, "p_values"))
    if array.ndim != 1:
        raise ValueError(f"p_values: expected one dimension; got {array.ndim}")
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"p_values: expected numbers; got {array.dtype}")
    wrong = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(f"p_values[{i}]: expected a number from 0 to 1; got {array[i]}")
    values: FloatArray = array.astype(np.float64)
    n = len(values)
    if method == "none":
        return values
    if method == "bonferroni":
        return np.minimum(values * n, 1)
    order = np.argsort(values, kind="stable")
    result = np.empty(n)
    result[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(n, 0, -1)), 1)
    return result


def resamples_needed(n_tests: int, method: str = "holm") -> int:
    """Return the minimum number of resamples for which a corrected p can be `SIGNIFICANT`.

    >>> resamples_needed(55), resamples_needed(55, "none")
    (1099, 19)
    """
    return round((1 if method == "none" else n_tests) / SIGNIFICANT) - 1


def least_p_value(n: int, n_tests: int = 1, method: str = "holm") -> float:
    """Return the least p of n resamples, corrected for the number of tests.

    A p of this is a bound, because no resample was as extreme, unless it is 1.

    >>> round(least_p_value(24_000, 120), 6), least_p_value(99, 120)
    (0.005, 1.0)
    """
    return min(1 / (n + 1) * (1 if method == "none" else n_tests), 1.0)


def choose_resamples(n: int | None, usual: int, n_tests: int, method: str = "holm") -> int:
    """Return n (default: enough for the tests); warn if n is too small for any of them.

    >>> [choose_resamples(None, 1000, n_tests) for n_tests in (3, 120, 1000, 4950)]
    [1000, 24000, 100000, 198000]
    """
    if n is None:
        return max(usual, min(PER_TEST * n_tests, MANY), FEWEST_PER_TEST * n_tests)
    check_count("n_resamples", n, 1)
    needed = resamples_needed(n_tests, method)
    if n < needed and n_tests:
        logger().warning(
            "%d resamples or trials: no corrected p of %d pair%s can be as small as %s, which "
            "takes %d",
            n,
            n_tests,
            "s" * (n_tests > 1),
            SIGNIFICANT,
            needed,
        )
    return n


def interval_of(samples: FloatArray, level: float) -> tuple[float, float]:
    """Return the limits of the middle `level` of samples.

    >>> interval_of(np.arange(100.0), 0.95)
    (2.0, 97.0)
    """
    n = len(samples)
    tail = round(n * (1 - level) / 2, 9).__floor__()
    ordered = np.partition(samples, [tail, n - 1 - tail])
    return float(ordered[tail]), float(ordered[-1 - tail])


@dataclass(eq=False, repr=False)
class ResampledScore:
    """A score with its confidence interval and p-value.

    Attributes
    ----------
    name : str
        Name of the metric.
    score : float
        Score of the segments themselves.
    interval : (float, float) or None
        Limits of the middle `level` of the resampled scores.
    half_width : float or None
        Half the width of the interval.
    level : float
    p_value : float or None
        Probability of at least this difference from the baseline by chance; None if not tested.
    samples : float64 array or None
        Resampled scores, in the order drawn.
    seed : int or None
        Seed of the resamples, None if unknown.
    p_is_least : bool
        Whether no resample or trial was as extreme, so that `p_value` is an upper bound, which more
        of them would lower.

    Examples
    --------
    >>> import numpy as np
    >>> ResampledScore("BLEU", 26.6, np.linspace(25.8, 27.4, 1000), p_value=0.3267)
    BLEU = 26.60 (μ = 26.60 ± 0.76), p = 0.3267
    """

    name: str
    score: float
    samples: FloatArray | None = None
    level: float = 0.95
    p_value: float | None = None
    seed: int | None = None
    p_is_least: bool = False

    def __post_init__(self) -> None:
        self.interval: tuple[float, float] | None = None
        self.half_width: float | None = None
        if self.samples is not None:
            low, high = self.interval = interval_of(self.samples, self.level)
            self.half_width = 0.5 * (high - low)

    @cached_property
    def mean(self) -> float | None:
        """Mean of the resampled scores; None without resamples."""
        if self.samples is None:
            return None
        return float(np.sort(self.samples).mean())  # in sacrebleu's order

    @property
    def standard_error(self) -> float | None:
        """Sample standard deviation of the resampled scores."""
        if self.samples is None or len(self.samples) < 2:
            return None
        return float(self.samples.std(ddof=1))

    def __float__(self) -> float:
        return self.score

    def __format__(self, spec: str) -> str:
        return format(self.score, spec) if spec else str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers except the samples, ready for JSON.

        Examples
        --------
        >>> ResampledScore("BLEU", 26.6, p_value=0.3267).to_dict()["p_value"]
        0.3267
        """
        low, high = self.interval or (None, None)
        found = {
            "name": self.name,
            "score": self.score,
            "mean": self.mean,
            "low": low,
            "high": high,
            "level": self.level,
            "standard_error": self.standard_error,
            "p_value": self.p_value,
            "p_is_least": None if self.p_value is None else self.p_is_least,
        }
        return {key: finite(value) for key, value in found.items()}

    def __repr__(self) -> str:
        digits = digits_of([self.score, *(self.interval or ())])
        text = f"{self.name} = {self.score:.{digits}f}"
        if self.mean is not None:
            text += f" (μ = {self.mean:.{digits}f} ± {self.half_width:.{digits}f})"
        if self.p_value is None:
            return text
        p = self._p_text()
        return f"{text}, p {p}" if self.p_is_least else f"{text}, p = {p}"

    def _p_text(self) -> str:
        """Return the p-value as text, "-" for none."""
        if self.p_value is None:
            return "-"
        return p_text(self.p_value, self.p_value if self.p_is_least else 0.0)


class SystemResults(dict[str, ResampledScore]):
    """Scores of systems under one metric by name, also shown as a table.

    Examples
    --------
    >>> found = SystemResults({"A": ResampledScore("BLEU", 26.6), "B": ResampledScore("BLEU", 7)})
    >>> found.table()["score"]
    array([26.6,  7. ])
    """

    __missing__ = Named.__missing__

    def table(self) -> Table:
        """Return a row per system: score, mean and interval of the resamples, and p-value."""
        rows = [found.to_dict() for found in self.values()]
        columns: dict[str, Any] = {"system": list(self)}
        for name in ("score", "mean", "low", "high", "p_value"):
            columns[name] = [float("nan") if row[name] is None else row[name] for row in rows]
        names = ("score", "mean", "low", "high")
        digits = digits_of([own.score for own in self.values()])
        titles = {"p_value": "p"}
        table = Table(columns, dict.fromkeys(names, digits) | {"p_value": 4}, titles=titles)
        bounds = [own.p_value or 0.0 for own in self.values() if own.p_is_least]
        table._least["p_value"] = max(bounds, default=0.0)
        return table

    def to_pandas(self) -> Any:
        """Return `table` as a pandas DataFrame."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return `table` as a polars DataFrame."""
        return self.table().to_polars()

    def _repr_html_(self) -> str:
        return self.table()._known()._repr_html_()


def p_triangle(
    metric: str,
    systems: Sequence[str],
    scores: Any,
    p_values: FloatArray,
    more: bool = True,
    *,
    width: int = WIDTH,
    least: float = 0.0,
    intervals: FloatArray | None = None,
) -> list[Table]:
    """Return the p-values of all pairs as tables of at most `width` characters.

    Systems are numbered from the best score, the highest if `more`; the row of each contains the
    p-values of better systems, under their numbers, with a star if significant, and as bounds up to
    `least`. `intervals`, of shape (2, n, n), are the limits of the score of the second system less
    the score of the first one. The advantage of the better system follows its p-value.

    >>> p_values = np.array([[1, 0.3, 0.01], [0.3, 1, 0.02], [0.01, 0.02, 1]])
    >>> p_triangle("BLEU", ["A", "B", "C"], [7.0, 9.0, 8.0], p_values, least=0.01)
    [BLEU  1        2
    1 B
    2 C    0.020*
    3 A    0.300   ≤0.010*]
    """
    sign = -1 if more else 1
    order = sorted(range(len(systems)), key=lambda i: (sign * scores[i], systems[i]))
    n = len(order)
    labels = numbered([systems[i] for i in order])
    digits = digits_of(scores)
    p_width = 6 if ((p_values <= least) & (p_values < 1)).any() else 5

    def cell(better: int, worse: int) -> str:
        p = float(p_values[worse, better])
        text = f"{p_text(p, least, 3):>{p_width}}{'*' if p <= SIGNIFICANT else ' '}"
        if intervals is None:
            return text.rstrip()
        low, high = intervals[:, worse, better] if more else intervals[:, better, worse]
        return f"{text} [{low:z.{digits}f}, {high:z.{digits}f}]"

    columns = [
        [""] * (j + 1) + [cell(order[j], order[i]) for i in range(j + 1, n)] for j in range(n - 1)
    ]
    widest = max(len(text) for column in columns for text in column)
    room = max((width - max(map(len, labels))) // (widest + 2), 1)
    size = -(-(n - 1) // -(-(n - 1) // room))
    tables = []
    for begin in range(0, n - 1, size):
        shown = {str(j + 1): columns[j][begin:] for j in range(begin, min(begin + size, n - 1))}
        tables.append(Table({"system": labels[begin:]} | shown, titles={"system": metric}))
    return tables


def numbered(names: Sequence[str]) -> list[str]:
    """Return names with their numbers, which are headings of columns elsewhere.

    >>> numbered(["A", "transformer-big-with-back-translation"])
    ['1 A', '2 transformer-big-with-ba…']
    """
    digits = len(str(len(names)))
    return [f"{i:{digits}} {shortened(name)}" for i, name in enumerate(names, 1)]


def shortened(name: str) -> str:
    """Return a name of at most `MOST_NAME` letters."""
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…"


class PairedResult:
    """Result of a paired test: ``result[metric][system]``.

    Attributes
    ----------
    test : {"paired bootstrap", "paired randomization"}
    n_resamples, n_trials : int or None
        Size of the test; the one that does not apply is None.
    seed : int or None
    baseline : str or None
        System compared with each other one; None: all pairs.
    systems, metrics : list of str
    p_values : dict of str to float64 array of shape (n_systems, n_systems)
        For each metric; NaN if not compared.
    signatures : dict of str to Signature
        Signatures of the metrics that have one.

    Examples
    --------
    >>> from rapidbleu import CHRF
    >>> from rapidbleu.significance import paired_bootstrap
    >>> systems = {"A": ["It rains.", "He left."], "B": ["It rained.", "He ran."]}
    >>> result = paired_bootstrap(systems, [["It rains.", "He left."]], CHRF(), n_resamples=100)
    >>> result.systems, result.metrics, result.baseline
    (['A', 'B'], ['chrF2'], 'A')
    """

    def __init__(
        self,
        test: str,
        n: int,
        seed: int | None,
        baseline: str | None,
        scores: dict[str, SystemResults],
        p_values: dict[str, FloatArray],
        signatures: dict[str, Signature],
    ) -> None:
        self.test = test
        self.n_resamples = n if test == "paired bootstrap" else None
        self.n_trials = n if self.n_resamples is None else None
        self.seed = seed
        self.baseline = baseline
        self.metrics = list(scores)
        self.systems = list(scores[self.metrics[0]])
        self.p_values: dict[str, FloatArray] = Named(p_values)
        self.signatures: dict[str, Signature] = Named(signatures)
        self._scores: dict[str, SystemResults] = Named(scores)

    def __getitem__(self, metric: str) -> SystemResults:
        return self._scores[metric]

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON; None for pairs that were not compared.

        ``p_is_least`` is true for p-values that are the least that the test can show, and thus
        an upper bound.
        """
        return {
            "test": self.test,
            "n_resamples": self.n_resamples,
            "n_trials": self.n_trials,
            "seed": self.seed,
            "baseline": self.baseline,
            "scores": {
                metric: {system: own.to_dict() for system, own in systems.items()}
                for metric, systems in self._scores.items()
            },
            "p_values": {metric: finite(p.tolist()) for metric, p in self.p_values.items()},
            "p_is_least": {metric: self._are_least(metric) for metric in self.metrics},
            "signatures": {metric: str(own) for metric, own in self.signatures.items()},
        }

    @property
    def _heading(self) -> str:
        kind = "resamples" if self.n_trials is None else "trials"
        return f"{self.test}, {self.n_trials or self.n_resamples} {kind}, seed {self.seed}"

    @property
    def _least(self) -> float:
        """The least p-value of the test, which is a bound."""
        return least_p_value(self.n_trials or self.n_resamples or 0)

    def _are_least(self, metric: str) -> list[list[bool | None]]:
        """Return which p-values are bounds; None for pairs that were not compared."""
        rows = finite(self.p_values[metric])
        return [[None if p is None else p <= self._least for p in row] for row in rows]

    def p_value(self, metric: str, a: str, b: str) -> float:
        """Return the p-value of the difference of two systems.

        KeyError for an unknown metric or system, ValueError if the pair was not compared.
        """
        places = Named(zip(self.systems, range(len(self.systems)), strict=True))
        value = float(self.p_values[metric][places[a], places[b]])
        if value != value:
            raise ValueError(f"{a!r} and {b!r} were not compared")
        return value

    def table(self) -> Table:
        """Return a row for each metric and compared pair of systems.

        Returns
        -------
        Table
            ``metric``, ``a``, ``b``; ``difference`` (b minus a) with its interval ``low``, ``high``
            if scores were resampled; ``p_value``, not corrected.

        Examples
        --------
        >>> from rapidbleu import SegmentScores
        >>> comet = SegmentScores("COMET")
        >>> rows = {"A": comet.stats([0.75, 0.5, 0.5]), "B": comet.stats([0.75, 0.75, 0.5])}
        >>> from rapidbleu.significance import paired_bootstrap
        >>> paired_bootstrap(rows, None, comet).table()
        metric  a  b  difference     low    high       p
        COMET   A  B      0.0833  0.0000  0.2500  0.0480
        """
        rows: list[tuple[Any, ...]] = []
        for metric, scores in self._scores.items():
            for (i, a), (j, b) in permutations(enumerate(self.systems), 2):
                if a != self.baseline if self.baseline is not None else i > j:
                    continue
                of_a = scores[a]
                of_b = scores[b]
                ends: tuple[Any, Any] = None, None
                if of_a.samples is not None and of_b.samples is not None:
                    ends = interval_of(of_b.samples - of_a.samples, of_b.level)
                difference = of_b.score - of_a.score
                rows.append((metric, a, b, difference, *ends, float(self.p_values[metric][i, j])))
        columns = zip(*rows, strict=True) if rows else [()] * 7
        names = ("metric", "a", "b", "difference", "low", "high", "p_value")
        fine = max(digits_of([x.score for x in own.values()]) for own in self._scores.values())
        digits = dict.fromkeys(names[3:6], fine) | {"p_value": 4}
        table = Table(dict(zip(names, columns, strict=True)), digits, titles={"p_value": "p"})
        table._star("p_value")
        table._least["p_value"] = self._least
        return table

    def __repr__(self) -> str:
        lines = [self._heading]
        for metric in self.metrics:
            lines += self._table(metric)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sections = [(metric, self[metric].table()) for metric in self.metrics]
        return html_sections(self._heading, [*sections, ("Pairs, p not corrected", self.table())])

    def _table(self, metric: str) -> list[str]:
        """Return the table of a metric, and a line for rows that it leaves out."""
        scores = list(self._scores[metric].values())
        digits = digits_of([score.score for score in scores])
        names = list(map(shortened, self.systems))
        if self.baseline is None and not self._names_fit:
            names = numbered(self.systems)
        columns = [
            (metric[:MOST_LETTERS], names),
            ("score", [f"{score.score:.{digits}f}" for score in scores]),
        ]
        means = [(score.mean, score.half_width) for score in scores]
        if any(mean is not None for mean, _ in means):
            for head, numbers in zip(("mean", "±"), zip(*means, strict=True), strict=True):
                cells = ["-" if number is None else f"{number:.{digits}f}" for number in numbers]
                columns.append((head, cells))
        columns += self._p_columns(metric)
        table = plain_table(
            [head for head, _ in columns],
            [cells[:MOST_ROWS] for _, cells in columns],
            [False] + [True] * (len(columns) - 1),
            width=WIDTH if columns[-1][0] != "..." else None,
        )
        left_out = len(scores) - MOST_ROWS
        return [table] + [f"... {left_out} more"] * (left_out > 0)

    def _p_columns(self, metric: str) -> list[tuple[str, list[str]]]:
        """Return columns of p-values: of the baseline, of each system, or of a few of many."""
        if self.baseline is not None:
            return [("p", [score._p_text() for score in self._scores[metric].values()])]
        n = len(self.systems)
        n_shown = n if n <= MOST_COLUMNS else FEW
        columns = []
        for j, name in enumerate(self.systems[:n_shown]):
            p_values = self.p_values[metric][:, j].tolist()
            cells = [p_text(p, self._least) if p == p else "-" for p in p_values]
            columns.append((f"p {name if self._names_fit else j + 1}", cells))
        if n_shown < n:
            columns.append(("...", [""] * n))
        return columns

    @property
    def _names_fit(self) -> bool:
        """Whether names fit in the headings of columns of p-values; otherwise they are numbers."""
        return all(len(name) <= MOST_HEAD for name in self.systems)
