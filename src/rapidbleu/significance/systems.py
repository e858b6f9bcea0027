"""The input of the tests: systems, metrics and their names, as rows of statistics."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count
from rapidbleu._lib.lazy import np
from rapidbleu.scoring import RowScoring, check_metric
from rapidbleu.sequences import items_of
from rapidbleu.stats import check_rows, rows_given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rapidbleu.typing import (
        Hypotheses,
        IntArray,
        Items,
        Layout,
        ReferenceStreams,
        RowTable,
    )

    _Metrics = RowScoring | Items[RowScoring] | Mapping[str, RowScoring]
    _Rows = Hypotheses | IntArray | RowTable
    _Output = _Rows | Mapping[str, _Rows] | Mapping[int, _Rows]
    _SystemOutputs = Mapping[str, _Output] | Items[tuple[str, _Output]]


def rows_of(
    metric: RowScoring,
    source: Hypotheses | IntArray | RowTable,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
) -> IntArray:
    """Return the rows of a system.

    Parameters
    ----------
    metric : metric
    source : hypotheses, int array of shape (n, n_stats), or StatsTable
        An array of two dimensions is rows, unless there are references; a table of rows is always.
    references, layout, threads
        As in `Metric.segment_stats`.
    """
    if are_rows(source) and (references is None or is_table(source)):
        rows: IntArray = check_rows(rows_given(source, metric, "rows"), metric._kernel)
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


def are_rows(source: object) -> bool:
    """Return whether something is rows of statistics rather than texts."""
    return is_table(source) or (isinstance(source, np.ndarray) and source.ndim == 2)


def is_table(source: object) -> bool:
    """Return whether something is a `StatsTable`."""
    return hasattr(source, "rows_for")


def named_metrics(metrics: _Metrics) -> dict[str | int, RowScoring]:
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


def named_systems(systems: _SystemOutputs, least: int = 2) -> dict[str, _Output]:
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


def baseline_number(baseline: int | str | None, names: list[str]) -> int | None:
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


def compared_pairs(n: int, baseline: int | None) -> list[tuple[int, int]]:
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
        systems: _SystemOutputs,
        references: ReferenceStreams | None,
        metrics: _Metrics,
        layout: Layout,
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
        _check_ids(named)

    @staticmethod
    def _rows(
        metric: RowScoring,
        key: str | int,
        name: str,
        source: _Output,
        references: ReferenceStreams | None,
        layout: Layout,
        threads: int,
    ) -> IntArray:
        own: Any = source
        try:
            if hasattr(own, "items") and hasattr(own, "keys"):
                if key not in own:
                    raise ValueError(f"expected hypotheses or rows for metric {key!r}, got none")
                own = own[key]
                if are_rows(own):
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


def _check_ids(systems: dict[str, Any]) -> None:
    """Refuse tables of rows whose segments are others, or in another order."""
    first: Any = None
    for name, source in systems.items():
        for own in source.values() if hasattr(source, "values") else [source]:
            if not is_table(own):
                continue
            column = own["id"]
            ids = column if isinstance(column, list) else column.tolist()
            first = first or (name, ids)
            for i, (one, other) in enumerate(zip(first[1], ids, strict=True)):
                if one != other:
                    raise ValueError(
                        f"systems[{name!r}]: expected the segments of {first[0]!r}, the segment "
                        f"{one!r} at {i}, got {other!r}"
                    )
