"""The input of the tests: systems, metrics and their names, as rows of statistics."""

from rapidbleu.counts import check_count
from rapidbleu.scoring import RowScoring
from rapidbleu.sequences import items_of
from rapidbleu.stats import check_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rapidbleu.typing import Hypotheses, IntArray, Items, Layout, ReferenceStreams


    _Metrics = RowScoring | Items[RowScoring] | Mapping[str, RowScoring]
    _Rows = Hypotheses | IntArray
    _Output = _Rows | Mapping[str, _Rows] | Mapping[int, _Rows]
    _SystemOutputs = Mapping[str, _Output] | Items[tuple[str, _Output]]


def check_metric(metric: object, where: str = "metric") -> RowScoring:
    """Return a metric, or say that it is none."""
    if not isinstance(metric, RowScoring):
        raise TypeError(f"{where}: expected a metric, got {type(metric).__name__}")
    return metric


def rows_of(
    metric: RowScoring,
    source: "Hypotheses | IntArray",
    references: "ReferenceStreams | None",
    layout: "Layout",
    threads: int,
) -> "IntArray":
    """Return the rows of a system.

    Parameters
    ----------
    metric : metric
    source : hypotheses, or int array of shape (n, n_stats)
        An array of two dimensions is rows, unless there are references.
    references, layout, threads
        As in `Metric.segment_stats`.
    """
    import numpy as np

    if references is None and isinstance(source, np.ndarray) and source.ndim == 2:
        rows: IntArray = check_rows(source, metric._kernel)
        if not len(rows):
            raise ValueError("rows: expected at least one segment, got none")
        return rows
    make = getattr(metric, "segment_stats", None)
    if make is None:
        raise TypeError(
            f"hypotheses: {type(metric).__name__} reads no text, expected its rows of statistics, "
            f"an array of shape (n, {metric._kernel.n_stats}), and no references"
        )
    rows = make(source, references, layout=layout, threads=threads)
    return rows


def named_metrics(metrics: "_Metrics") -> "dict[str | int, RowScoring]":
    """Return metrics by name; those without one by number."""
    if isinstance(metrics, RowScoring):
        return {0: metrics}
    if hasattr(metrics, "items"):
        named = dict(metrics.items())
        for name, metric in named.items():
            if not isinstance(name, str):
                raise TypeError(f"metrics: expected names, got {type(name).__name__}")
            check_metric(metric, f"metrics[{name!r}]")
    else:
        several = items_of(metrics, "metrics", "metrics")
        named = {i: check_metric(metric, f"metrics[{i}]") for i, metric in enumerate(several)}
    if not named:
        raise ValueError("metrics: expected at least one, got none")
    return named


def named_systems(systems: "_SystemOutputs", least: int = 2) -> "dict[str, _Output]":
    """Return systems by name, at least so many."""
    pairs = systems.items() if hasattr(systems, "items") else systems
    named: dict[str, _Output] = {}
    for i, pair in enumerate(items_of(pairs, "systems", "names and hypotheses")):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"systems[{i}]: expected a name and its hypotheses")
        if pair[0] in named:
            raise ValueError(f"systems[{i}]: expected a name of its own, got {pair[0]!r} again")
        named[pair[0]] = pair[1]
    if len(named) < least:
        expected = "two" if least == 2 else "one"
        raise ValueError(f"systems: expected at least {expected}, got {len(named)}")
    return named


def baseline_number(baseline: "int | str | None", names: list[str]) -> "int | None":
    """Return the number of the baseline."""
    if baseline is None:
        return None
    if isinstance(baseline, str):
        if baseline not in names:
            raise ValueError(f"baseline: expected a system, got {baseline!r}")
        return names.index(baseline)
    number = check_count("baseline", baseline, 0)
    if number >= len(names):
        raise ValueError(f"baseline: expected 0 to {len(names) - 1}, got {number}")
    return number


def compared_pairs(n: int, baseline: "int | None") -> list[tuple[int, int]]:
    """Return the pairs of n systems that are compared: all, or each with the baseline.

    Examples
    --------
    >>> compared_pairs(3, None), compared_pairs(3, 1)
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if baseline is None:
        return [(i, j) for i in range(n) for j in range(i + 1, n)]
    return [(baseline, j) for j in range(n) if j != baseline]


class Systems:
    """Systems under metrics, all checked.

    Attributes
    ----------
    names : list of str
        Of the systems.
    metrics : dict of str to metric
    rows : dict of str to list of int64 arrays of shape (n_segments, n_stats)
        For each metric, those of the systems.
    scores : dict of str to list of float
        As `corpus_score` has them.
    totals : dict of str to list of float
        Scores of the exact sums, as those of trials are: a trial that ties differs by the same.
    n_segments : int
    """

    def __init__(
        self,
        systems: "_SystemOutputs",
        references: "ReferenceStreams | None",
        metrics: "_Metrics",
        layout: "Layout",
        threads: int,
        least: int = 2,
    ) -> None:
        named = named_systems(systems, least)
        self.names = list(named)
        self.metrics: dict[str, RowScoring] = {}
        self.rows: dict[str, list[IntArray]] = {}
        self.scores: dict[str, list[float]] = {}
        self.totals: dict[str, list[float]] = {}
        for key, metric in named_metrics(metrics).items():
            own = references
            if references is not None and not hasattr(references, "prepared_by"):
                prepare = getattr(metric, "prepare", None)
                own = prepare(references, layout=layout) if prepare else references
            rows = [
                self._rows(metric, key, name, source, own, layout, threads)
                for name, source in named.items()
            ]
            scored = [metric.score(each) for each in rows]
            called = key if isinstance(key, str) else scored[0].name
            if called in self.rows:
                raise ValueError(
                    f"metrics[{key}]: expected a name of its own, got {called!r} again; "
                    f"give a dict of metrics by name"
                )
            self.metrics[called] = metric
            self.rows[called] = rows
            self.scores[called] = [each.score for each in scored]
            self.totals[called] = [metric.score(each.sum(axis=0)).score for each in rows]
        self._check_lengths()

    @staticmethod
    def _rows(
        metric: RowScoring,
        key: "str | int",
        name: str,
        source: "_Output",
        references: "ReferenceStreams | None",
        layout: "Layout",
        threads: int,
    ) -> "IntArray":
        import numpy as np

        own: Any = source
        try:
            if hasattr(own, "items") and hasattr(own, "keys"):
                if key not in own:
                    raise ValueError(f"expected hypotheses or rows for metric {key!r}, got none")
                own = own[key]
                if isinstance(own, np.ndarray) and own.ndim == 2:
                    references = None
            return rows_of(metric, own, references, layout, threads)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"systems[{name!r}]: {error}") from None

    def _check_lengths(self) -> None:
        first = next(iter(self.rows.values()))[0]
        self.n_segments = len(first)
        for metric, rows in self.rows.items():
            for name, own in zip(self.names, rows, strict=True):
                if len(own) != self.n_segments:
                    raise ValueError(
                        f"systems[{name!r}]: expected {self.n_segments} segments, as many as "
                        f"{self.names[0]!r} has, got {len(own)} for metric {metric!r}"
                    )
