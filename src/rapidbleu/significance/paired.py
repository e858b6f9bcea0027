"""Paired tests of whether two systems differ by more than the choice of the test set explains."""

from __future__ import annotations

from rapidbleu._lib.checks import (
    check_count,
    check_flag,
    check_level,
    check_seed,
    items_of,
    seed_or_fresh,
)
from rapidbleu._lib.handing import is_ours, is_serving
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.score import RowScoring, check_metric
from rapidbleu.significance.resamples import (
    Draws,
    are_rows,
    cluster_numbers,
    extreme_trials,
    is_table,
    resampled_scores,
    rows_of,
    scores_of,
    sum_clusters,
)
from rapidbleu.significance.result import (
    PairedResult,
    ResampledScore,
    SystemResults,
    choose_resamples,
    least_p_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rapidbleu._types import (
        FloatArray,
        Hypotheses,
        IntArray,
        Items,
        Layout,
        Progress,
        ReferenceStreams,
        RowTable,
    )
    from rapidbleu.score import Score, Signature

    _Metrics = RowScoring | Items[RowScoring] | Mapping[str, RowScoring]
    _Rows = Hypotheses | IntArray | RowTable
    _Output = _Rows | Mapping[str, _Rows] | Mapping[int, _Rows]
    _SystemOutputs = Mapping[str, _Output] | Items[tuple[str, _Output]]

N_RESAMPLES = 1000
N_TRIALS = 10_000


def named_metrics(metrics: _Metrics, least: int = 1) -> dict[str, RowScoring]:
    """Return at least `least` metrics by name: the given names, or the names of their scores."""
    if hasattr(metrics, "items"):
        given = dict(metrics.items())
        for name, metric in given.items():
            if not isinstance(name, str):
                raise TypeError(f"metrics: expected names; got {type(name).__name__}")
            check_metric(metric, f"metrics[{name!r}]")
    else:
        given = {}
        listed = [metrics] if isinstance(metrics, RowScoring) else metrics
        for i, item in enumerate(items_of(listed, "metrics", "metrics")):
            metric = check_metric(item, f"metrics[{i}]")
            name = metric.score(np.zeros(metric._kernel.n_stats, np.int64)).name
            if name in given:
                raise ValueError(
                    f"metrics[{i}]: expected a name of its own; got {name!r} again; "
                    f"give a dict of metrics by name"
                )
            given[name] = metric
    if len(given) < least:
        raise ValueError("metrics: expected at least one; got none")
    return given


def named_systems(systems: _SystemOutputs, least: int = 2) -> dict[str, _Output]:
    """Return at least `least` systems by name."""
    pairs = systems.items() if hasattr(systems, "items") else systems
    named: dict[str, _Output] = {}
    for i, pair in enumerate(items_of(pairs, "systems", "names and hypotheses")):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"systems[{i}]: expected a name and its hypotheses")
        if pair[0] in named:
            raise ValueError(f"systems[{i}]: expected a name of its own; got {pair[0]!r} again")
        named[pair[0]] = pair[1]
    if len(named) < least:
        expected = "two" if least == 2 else "one"
        raise ValueError(f"systems: expected at least {expected}; got {len(named)}")
    return named


def baseline_number(baseline: int | str | None, names: list[str]) -> int | None:
    """Return the index of the baseline."""
    if baseline is None:
        return None
    if isinstance(baseline, str):
        if baseline not in names:
            raise ValueError(f"baseline: expected one of {', '.join(names)}; got {baseline!r}")
        return names.index(baseline)
    number = check_count("baseline", baseline, 0)
    if number >= len(names):
        raise ValueError(f"baseline: expected 0 to {len(names) - 1}; got {number}")
    return number


def compared_pairs(n: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return the pairs of n systems that are compared: all, or each with the baseline.

    >>> compared_pairs(3, None), compared_pairs(3, 1)
    ([(0, 1), (0, 2), (1, 2)], [(1, 0), (1, 2)])
    """
    if baseline is None:
        return [(i, j) for i in range(n) for j in range(i + 1, n)]
    return [(baseline, j) for j in range(n) if j != baseline]


class Systems:
    """Checked systems and metrics.

    For each metric, `rows`, `results` and `scores` list the systems' rows, which are sums of
    `n_drawn` clusters if there are any, corpus scores, and their numbers. `totals` are scores of
    the exact sums, as in trials, so that a trial ties if its difference is equal.
    """

    def __init__(
        self,
        systems: _SystemOutputs,
        references: ReferenceStreams | None,
        metrics: _Metrics,
        layout: Layout,
        threads: int,
        least: int = 2,
        clusters: Items[Any] | None = None,
    ) -> None:
        named = named_systems(systems, least)
        self.names = list(named)
        self.metrics = named_metrics(metrics, least - 1)
        numbers = None if clusters is None else cluster_numbers(clusters)
        self.rows: dict[str, list[IntArray]] = {}
        self.results: dict[str, list[Score]] = {}
        self.scores: dict[str, list[float]] = {}
        self.totals: dict[str, list[float]] = {}
        for k, (called, metric) in enumerate(self.metrics.items()):
            prepared = references
            if references is not None and not hasattr(references, "_prepared_by"):
                prepare = getattr(metric, "prepare", None)
                prepared = prepare(references, layout=layout) if prepare else references
            rows = [
                _rows_of_system(metric, (called, k), name, source, prepared, layout, threads)
                for name, source in named.items()
            ]
            self.add(called, metric, rows)
        self.n_segments = len(next(iter(self.rows.values()), [()])[0])
        for called, rows in self.rows.items():
            for name, own in zip(self.names, rows, strict=True):
                if len(own) != self.n_segments:
                    raise ValueError(
                        f"systems[{name!r}]: expected {self.n_segments} segments, as many as "
                        f"{self.names[0]!r} has; got {len(own)} for metric {called!r}"
                    )
        _check_ids(named)
        for name, rows in self.rows.items() if numbers is not None else ():
            self.rows[name] = [sum_clusters(own, numbers) for own in rows]
        self.n_drawn = len(next(iter(self.rows.values()), [()])[0])

    def add(self, name: str, metric: RowScoring, rows: list[IntArray]) -> None:
        """Add a metric with the rows of all systems."""
        self.metrics[name], self.rows[name] = metric, rows
        self.results[name] = [metric.score(each) for each in rows]
        self.scores[name] = [result.score for result in self.results[name]]
        sums = np.array([each.sum(axis=0) for each in rows])
        self.totals[name] = scores_of(metric, sums).tolist()

    def parts(self, *systems: int) -> list[tuple[Any, IntArray]]:
        """Return the kernel and the rows of each metric, for some systems or for all."""
        return [
            (metric._kernel, self.rows[name][i])
            for name, metric in self.metrics.items()
            for i in systems or range(len(self.names))
        ]


def _rows_of_system(
    metric: RowScoring,
    keys: tuple[str, int],
    name: str,
    source: Any,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
) -> IntArray:
    """Return the rows of a system; a dict contains them by the name or index of the metric."""
    try:
        if hasattr(source, "items") and hasattr(source, "keys"):
            key = next((key for key in keys if key in source), None)
            if key is None:
                raise ValueError(f"expected hypotheses or rows for metric {keys[0]!r}; got none")
            source = source[key]
            if are_rows(source):
                references = None
        return rows_of(metric, source, references, layout, threads)
    except (TypeError, ValueError) as error:
        if is_serving() and not is_ours(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"systems[{name!r}]: {error}") from None


def _check_ids(systems: dict[str, Any]) -> None:
    """Refuse tables of rows that differ in segments or their order."""
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
                        f"{one!r} at {i}; got {other!r}"
                    )


def paired_bootstrap(
    systems: _SystemOutputs,
    references: ReferenceStreams | None,
    metrics: _Metrics,
    *,
    clusters: Items[Any] | None = None,
    n_resamples: int | None = None,
    seed: int | None = 12345,
    baseline: int | str | None = 0,
    ties: bool = True,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> PairedResult:
    """Compare systems by resampling segments.

    Parameters
    ----------
    systems : dict of str to hypotheses, or sequence of (name, hypotheses)
        Hypotheses as in `Metric.corpus_score`; or, without references, rows of statistics: an int
        array of shape (n_segments, n_stats), or a `StatsTable`, all with the same ids; or a dict of
        either by name of the metric.
    metrics : metric, sequence of metrics, or dict of str to metric
        A dict can contain one metric several times, with different options.
    clusters : sequence of str or int, of n_segments items, optional
        As in `bootstrap`: clusters to draw instead of segments.
    n_resamples : int, optional
        Number of resamples, which all systems and metrics share (default: 1000; if all pairs are
        compared, at least 200 for each up to 100,000, then at least 40, because p-values are then
        corrected for their number). A warning is logged if `n_resamples` is too small for that.
    baseline : int, str or None
        System to compare with each other one; None compares all pairs.
    ties : bool
        Count resamples that differ exactly as much as the systems, so that equal systems have a
        p-value of 1. False: sacrebleu's p-values, which are lowest for equal systems.
    references, seed, level, layout, threads, progress
        As in `bootstrap`.

    Returns
    -------
    PairedResult
        Two-sided p-values, ``(c + 1) / (n + 1)`` for `c` resamples whose absolute difference
        exceeds the mean difference by at least the absolute difference of the systems; by more
        without `ties`.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, before anything is resampled.

    Notes
    -----
    Sums are exact. Ctrl-C stops the call.

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 4.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.stats(own) for name, own in scores.items()}
    >>> paired_bootstrap(rows, None, comet)
    paired bootstrap, 1000 resamples, seed 12345
    COMET   score    mean       ±        p
    A      0.7500  0.7487  0.1000        -
    B      0.7750  0.7724  0.1500   0.2887
    C      0.2000  0.1993  0.1125  ≤0.0010
    """
    n_threads = _check("n_resamples", n_resamples, seed, level, ties, threads, progress)
    judged = Systems(systems, references, metrics, layout, n_threads, clusters=clusters)
    first = baseline_number(baseline, judged.names)
    pairs = compared_pairs(len(judged.names), first)
    n_resamples = choose_resamples(n_resamples, N_RESAMPLES, len(pairs) if first is None else 0)
    seed = seed_or_fresh(seed)
    return bootstrap_pairs(
        judged, pairs, n_resamples, seed, first, ties, level, n_threads, progress
    )


def bootstrap_pairs(
    judged: Systems,
    pairs: list[tuple[int, int]],
    n: int,
    seed: int,
    first: int | None = None,
    ties: bool = True,
    level: float = 0.95,
    threads: int = 1,
    progress: Progress | None = None,
) -> PairedResult:
    """Compare pairs of systems; `first` is the baseline if all pairs share one."""
    parts = judged.parts()
    tell = teller(progress, n)
    drawn = resampled_scores(Draws(seed, judged.n_drawn), parts, n, threads=threads, tell=tell)
    samples = _by_metric(drawn, judged)
    counts = []
    for own, limits in zip(samples, _limits(judged, pairs, ties), strict=True):
        differences = (np.abs(own[j] - own[i]) for i, j in pairs)
        counts.append(
            [
                int(np.count_nonzero(each - each.mean() > limit))
                for each, limit in zip(differences, limits, strict=True)
            ]
        )
    entries = {"bs": n}
    return _result(
        "paired bootstrap", judged, pairs, n, seed, first, level, samples, counts, entries
    )


def paired_randomization(
    systems: _SystemOutputs,
    references: ReferenceStreams | None,
    metrics: _Metrics,
    *,
    clusters: Items[Any] | None = None,
    n_trials: int | None = None,
    seed: int | None = 12345,
    baseline: int | str | None = 0,
    n_resamples: int = 0,
    ties: bool = True,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> PairedResult:
    """Compare systems by swapping their hypotheses at random.

    Parameters
    ----------
    clusters : sequence of str or int, of n_segments items, optional
        As in `bootstrap`: hypotheses of a cluster are swapped together.
    n_trials : int, optional
        Number of trials; all pairs and metrics share the coins (default: 10000, or more for all
        pairs as in `paired_bootstrap`).
    n_resamples : int
        Number of resamples for intervals of the scores, possibly 0.
    ties : bool
        Count trials with exactly the difference of the systems, as Noreen (1989) does, so that
        equal systems have a p-value of 1. False: sacrebleu's, which are then lowest.
    progress : callable, optional
        Called with the number of trials and resamples done, and their total.
    systems, references, metrics, seed, baseline, level, layout, threads
        As in `paired_bootstrap`.

    Returns
    -------
    PairedResult
        Two-sided p-values, ``(c + 1) / (n + 1)`` for `c` trials whose absolute difference is at
        least the systems' absolute difference; larger without `ties`.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, before anything is swapped.

    Notes
    -----
    Sums are exact. Without `ties` p-values equal sacrebleu's, except in TER with 3, 5 or 6
    references, where rounding decides which of its trials tie. Resamples are sacrebleu's: the
    baseline's begin the random stream, and the resamples of the other systems follow the coins.
    Ctrl-C stops the call.

    References
    ----------
    Riezler & Maxwell 2005, On Some Pitfalls in Automatic Evaluation and Significance Testing for
    MT, section 4.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.stats(own) for name, own in scores.items()}
    >>> paired_randomization(rows, None, comet, baseline=None)
    paired randomization, 10000 trials, seed 12345
    COMET   score     p A     p B     p C
    A      0.7500       -  1.0000  0.1254
    B      0.7750  1.0000       -  0.1254
    C      0.2000  0.1254  0.1254       -
    """
    check_count("n_resamples", n_resamples, 0)
    n_threads = _check("n_trials", n_trials, seed, level, ties, threads, progress)
    judged = Systems(systems, references, metrics, layout, n_threads, clusters=clusters)
    first = baseline_number(baseline, judged.names)
    pairs = compared_pairs(len(judged.names), first)
    n_trials = choose_resamples(n_trials, N_TRIALS, len(pairs) if first is None else 0)
    seed = seed_or_fresh(seed)
    draws = Draws(seed, judged.n_drawn)
    parts = judged.parts()
    counts = extreme_trials(
        draws,
        parts,
        pairs,
        _limits(judged, pairs, ties),
        n_trials,
        threads=n_threads,
        tell=teller(progress, n_trials + n_resamples),
    )
    entries: dict[str, int] = {"ar": n_trials}
    samples: list[list[Any]] = [[None] * len(judged.names) for _ in judged.metrics]
    if n_resamples:
        entries["bs"] = n_resamples
        tell = teller(progress, n_trials + n_resamples, before=n_trials)
        samples = _by_metric(
            resampled_scores(
                draws, parts, n_resamples, after=n_trials, threads=n_threads, tell=tell
            ),
            judged,
        )
        if first is not None:
            baselines = judged.parts(first)
            resamples = resampled_scores(draws, baselines, n_resamples, threads=n_threads)
            for own, of_baseline in zip(samples, resamples, strict=True):
                own[first] = of_baseline
    return _result(
        "paired randomization",
        judged,
        pairs,
        n_trials,
        seed,
        first,
        level,
        samples,
        counts.tolist(),
        entries,
    )


def _check(
    where: str,
    n: int | None,
    seed: int | None,
    level: float,
    ties: bool,
    threads: int,
    progress: Progress | None,
) -> int:
    """Check the options of both tests, and return the number of threads."""
    if n is not None:
        check_count(where, n, 1)
    check_progress(progress)
    check_flag("ties", ties)
    check_level(level)
    check_seed(seed)
    return check_threads(threads)


def _by_metric(scores: list[FloatArray], judged: Systems) -> list[list[Any]]:
    size = len(judged.names)
    return [list(scores[k : k + size]) for k in range(0, len(scores), size)]


def _limits(judged: Systems, pairs: list[tuple[int, int]], ties: bool) -> FloatArray:
    """Return the differences that must be exceeded to count, [n_metrics, n_pairs]."""
    differences = np.array(
        [[abs(scores[i] - scores[j]) for i, j in pairs] for scores in judged.totals.values()]
    )
    return np.nextafter(differences, -1) if ties else differences


def _result(
    test: str,
    judged: Systems,
    pairs: list[tuple[int, int]],
    n: int,
    seed: int | None,
    first: int | None,
    level: float,
    samples: Sequence[Sequence[FloatArray | None]],
    counts: Sequence[Sequence[int]],
    entries: dict[str, int],
) -> PairedResult:
    """Return the tables of a test; each metric has samples of all systems."""
    scores: dict[str, SystemResults] = {}
    p_values: dict[str, FloatArray] = {}
    signatures: dict[str, Signature] = {}
    least = least_p_value(n)
    for k, (name, metric) in enumerate(judged.metrics.items()):
        values = p_values[name] = np.full((len(judged.names),) * 2, np.nan)
        for (i, j), count in zip(pairs, counts[k], strict=True):
            values[i, j] = values[j, i] = (count + 1) / (n + 1)
        scores[name] = SystemResults()
        for i, system in enumerate(judged.names):
            p = None if first is None or i == first else float(values[first, i])
            is_least = p is not None and p <= least
            score = judged.scores[name][i]
            scores[name][system] = ResampledScore(
                name, score, samples[k][i], level, p, seed, is_least
            )
        if getattr(metric, "num_refs", None) is not None:
            signature: Signature = metric.get_signature()  # type: ignore[attr-defined]
            for key, value in {"seed": str(seed).lower(), **entries}.items():
                signature.update(key, value)
            signatures[name] = signature
    return PairedResult(
        test, n, seed, None if first is None else judged.names[first], scores, p_values, signatures
    )
