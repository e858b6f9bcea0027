"""Comparisons of many metrics: ranks by pairwise tests, and statistics with intervals.

Settings of a metric are compared on one half of the segments, and the best one on the other half.
"""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.checks import check_level, items_of, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.meta.differences import (
    AgreementInterval,
    Trials,
    check_swap,
    resampled,
    swappable,
    swapped,
)
from rapidbleu.meta.figures import TITLES, Question, figure_of, outlying
from rapidbleu.meta.scores import (
    Column,
    SystemScores,
    as_scores,
    by_argument,
    counted,
    matched,
    names_of,
)
from rapidbleu.parallel import check_progress, teller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from rapidbleu._types import FloatArray, IntArray, Progress
    from rapidbleu.meta.figures import Agreement
    from rapidbleu.meta.scores import _Names, _ScoreSource, _SystemSource

    _Setting: TypeAlias = _ScoreSource | Callable[[IntArray], _SystemSource]

COMPARED = (
    ("pearson", "means"),
    ("accuracy", "means"),
    ("kendall", "segment"),
    ("accuracy_eq", "segment"),
)


@dataclass(eq=False, repr=False)
class Ranking:
    """Metrics in the order of their agreement with humans.

    Attributes
    ----------
    statistic, by : str
        As in `correlate`.
    metrics : tuple of str
        Best first; ties by name.
    values : float64 array of shape (n_metrics,)
        Statistic of each metric.
    p_values : float64 array of shape (n_metrics, n_metrics)
        ``p_values[i, j]``, i < j, of the one-sided test that metric i is better than j; else nan.
    alpha : float
        Largest significant p-value.
    seed : int
    ranks : tuple of int
        Starting at 1. No metric of a rank is significantly better than another of that rank.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> noisy = {"a": human + rng.normal(size=(12, 20)), "b": human}
    >>> found = rank_metrics(human, noisy, n_trials=100)
    >>> found.metrics, found.ranks
    (('b', 'a'), (1, 2))
    """

    statistic: str
    by: str
    metrics: tuple[str, ...]
    values: FloatArray
    p_values: FloatArray
    alpha: float
    seed: int

    def __post_init__(self) -> None:
        self.ranks = ranks_of(self.p_values, self.alpha)

    def __repr__(self) -> str:
        width = max(map(len, self.metrics))
        lines = [f"{TITLES[self.statistic]} (by {self.by})"]
        for rank, name, value in zip(self.ranks, self.metrics, self.values, strict=True):
            lines.append(f"{rank:3}  {name:{width}}  {value:.4f}")
        return "\n".join(lines)


def ranks_of(p: FloatArray, alpha: float) -> tuple[int, ...]:
    """Return ranks; a new rank starts at a metric significantly worse than one of the last rank.

    >>> import numpy as np
    >>> nan = np.nan
    >>> ranks_of(np.array([[nan, 0.2, 0.01], [nan, nan, 0.3], [nan, nan, nan]]), 0.05)
    (1, 1, 2)
    """
    ranks: list[int] = []
    start = 0
    for i in range(len(p)):
        if (p[start:i, i] <= alpha).any():
            start = i
            ranks.append(ranks[-1] + 1)
        else:
            ranks.append(ranks[-1] if ranks else 1)
    return tuple(ranks)


def rank_metrics(
    human: _SystemSource,
    metrics: Mapping[str, _SystemSource],
    statistic: str = "pearson",
    by: str = "none",
    *,
    swap: str = "scores",
    n_trials: int = 1000,
    seed: int | None = 12345,
    alpha: float = 0.05,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Ranking:
    """Rank metrics by their agreement with humans, with permutation tests of all pairs.

    p-values are not corrected, as in the shared task. Undefined statistics come last.

    Parameters
    ----------
    human, statistic, by, epsilon, min_difference
        As in `correlate`.
    metrics : mapping of str to scores as in `correlate`
        At least one.
    swap, n_trials
        As in `permutation_test`; all pairs share the coin tosses.
    alpha : float
        Largest significant p-value.

    References
    ----------
    Freitag et al. 2022, Results of WMT22 Metrics Shared Task, section 5 (ranks).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> noisy = {name: human + size * rng.normal(size=(12, 20))
    ...          for name, size in (("good", 1.0), ("better", 0.5), ("also good", 1.0))}
    >>> rank_metrics(human, noisy, "kendall", "segment")
    Kendall's tau-b (by segment)
      1  better     0.7197
      2  good       0.5333
      2  also good  0.5076
    """
    question = Question(statistic, by, epsilon, min_difference)
    check_swap(swap, question)
    check_level(alpha, "alpha")
    trials = Trials(n_trials, seed, threads, word="n_trials")
    check_progress(progress)
    wanted, others = question.match(human, by_argument(metrics))
    scores = dict(zip(metrics, others, strict=True))
    tell = teller(progress, len(scores) * (len(scores) - 1) // 2)
    return ranked(question, wanted, scores, swap, alpha, trials, tell)


def ranked(
    question: Question,
    human: SystemScores,
    metrics: Mapping[str, SystemScores],
    swap: str,
    alpha: float,
    trials: Trials,
    tell: Callable[[int], object] | None,
) -> Ranking:
    """Return the ranking of matched metrics; `tell` is called with the number of pairs done."""
    values = {
        name: figure_of(question, human, metric, f"metric {name!r}").value
        for name, metric in metrics.items()
    }
    last = float("-inf")
    names = sorted(
        values, key=lambda name: (-(values[name] if values[name] == values[name] else last), name)
    )
    p = np.full((len(names),) * 2, np.nan)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    for done, (i, j) in enumerate(pairs, 1):
        both = swappable(question, [metrics[names[i]], metrics[names[j]]], swap)
        p[i, j] = swapped(question, human, both, swap, trials)[0]
        if tell is not None:
            tell(done)
    statistics = np.array([values[name] for name in names])
    return Ranking(question.statistic, question.by, tuple(names), statistics, p, alpha, trials.seed)


@dataclass(eq=False)
class ComparedMetrics:
    """One statistic of all metrics.

    Attributes
    ----------
    statistic, by : str
        As in `correlate`.
    left_out : tuple of str
        Systems left out as outliers.
    ranking : Ranking
    intervals : dict of str to AgreementInterval

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> noisy = {"a": human + rng.normal(size=(12, 20)), "b": human}
    >>> [column] = compare_metrics(human, noisy, [("kendall", "segment")], n_resamples=50).columns
    >>> column.statistic, column.by, sorted(column.intervals)
    ('kendall', 'segment', ['a', 'b'])
    """

    statistic: str
    by: str
    left_out: tuple[str, ...]
    ranking: Ranking
    intervals: dict[str, AgreementInterval]

    @property
    def name(self) -> str:
        """An identifier of the column, such as "pearson_means_without_outliers"."""
        return f"{self.statistic}_{self.by}" + "_without_outliers" * bool(self.left_out)

    @property
    def title(self) -> str:
        """A title: statistic, grouping, and outliers left out."""
        parts = [TITLES[self.statistic]]
        if self.by != "none":
            parts.append("of systems" if self.by == "means" else f"by {self.by}")
        if self.left_out:
            parts.append(f"without {', '.join(self.left_out)}")
        return ", ".join(parts)


@dataclass(eq=False, repr=False)
class MetricComparison:
    """Agreement of several metrics with humans.

    Attributes
    ----------
    metrics : tuple of str
        In the order passed.
    columns : list of ComparedMetrics
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> noisy = {"a": human + rng.normal(size=(12, 20)), "b": human}
    >>> found = compare_metrics(human, noisy, [("kendall", "segment")], n_resamples=50)
    >>> found.metrics, found.columns[0].ranking.metrics
    (('a', 'b'), ('b', 'a'))
    """

    metrics: tuple[str, ...]
    columns: list[ComparedMetrics]
    seed: int

    def __repr__(self) -> str:
        width = max(map(len, self.metrics))
        lines = []
        for column in self.columns:
            lines.append(column.title)
            for rank, name in zip(column.ranking.ranks, column.ranking.metrics, strict=True):
                interval = column.intervals[name]
                ends = "[{:7.4f}, {:7.4f}]".format(*interval.interval)
                lines.append(f"{rank:3}  {name:{width}}  {interval.value:7.4f}  {ends}")
        return "\n".join(lines)


def compare_metrics(
    human: _SystemSource,
    metrics: Mapping[str, _SystemSource],
    statistics: Iterable[tuple[str, str]] = COMPARED,
    *,
    system_scores: Mapping[str, _SystemSource] | None = None,
    n_resamples: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    alpha: float = 0.05,
    threads: int = 1,
    progress: Progress | None = None,
) -> MetricComparison:
    """Compare the agreement of metrics with humans by several statistics.

    Each statistic has a column; with outliers, one by "means" has a second column without them.

    Parameters
    ----------
    human : as in `correlate`
    metrics : mapping of str to scores as in `correlate`
    statistics : iterable of (statistic, by)
        As in `correlate`.
    system_scores : mapping of str to scores of systems, optional
        System scores for "means", if they are not means of segment scores, as for BLEU.
    n_resamples : int
        Trials per test; resamples per interval (of systems for metrics without segment scores).
    level : float
        Share of the resampled statistics inside an interval.
    alpha : float
        Largest significant p-value.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> noisy = {name: human + size * rng.normal(size=(12, 50))
    ...          for name, size in (("good", 1.0), ("better", 0.5))}
    >>> statistics = [("kendall", "segment"), ("pearson", "segment")]
    >>> compare_metrics(human, noisy, statistics, n_resamples=200)
    Kendall's tau-b, by segment
      1  better   0.6909  [ 0.6557,  0.7243]
      2  good     0.5461  [ 0.5174,  0.5819]
    Pearson's r, by segment
      1  better   0.8734  [ 0.8474,  0.8939]
      2  good     0.7338  [ 0.7033,  0.7747]
    """
    questions = []
    for i, pair in enumerate(items_of(statistics, "statistics", "statistics")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"statistics[{i}]: expected a statistic and what it is averaged by")
        questions.append(Question(*pair))
    if not questions:
        raise ValueError("statistics: expected at least one; got none")
    trials = Trials(n_resamples, seed, threads)
    check_level(level)
    check_level(alpha, "alpha")
    check_progress(progress)
    by_argument(metrics)
    of_systems = dict(metrics)
    if system_scores is not None and not hasattr(system_scores, "items"):
        raise TypeError(f"system_scores: expected a mapping; got {type(system_scores).__name__}")
    for name, scores in (system_scores or {}).items():
        if name not in metrics:
            raise ValueError(f"system_scores: expected names of metrics; got {name!r}")
        of_systems[name] = scores
    people = as_scores(human, "human", by_system=True)
    out = outlying(people.means())
    tasks: list[tuple[Question, list[int]]] = []
    for question in questions:
        tasks += [(question, [])] + [(question, out)] * (question.by == "means" and bool(out))
    n_pairs = len(metrics) * (len(metrics) - 1) // 2
    steps = n_pairs + len(metrics)  # tests and intervals of a column
    columns = []
    for i, (question, left_out) in enumerate(tasks):
        tell = teller(progress, len(tasks) * steps, before=i * steps)
        sources = of_systems if question.by_system else metrics
        judged, others = question.match(human, by_argument(sources))
        rows = [row for row in range(len(people.values)) if row not in left_out]
        judged = judged._rows(rows)
        by_name = {name: scores._rows(rows) for name, scores in zip(sources, others, strict=True)}
        ranking = ranked(question, judged, by_name, "scores", alpha, trials, tell)
        values = dict(zip(ranking.metrics, ranking.values.tolist(), strict=True))
        intervals = {}
        for done, (name, scores) in enumerate(by_name.items(), n_pairs + 1):
            # Systems are drawn for metrics without scores of the same segments.
            same = judged.values.shape == scores.values.shape and scores.values.shape[1] > 1
            [samples] = resampled(
                question, judged, [scores], "segments" if same else "systems", trials
            )
            intervals[name] = AgreementInterval(
                values[name], question.statistic, question.by, samples, level, trials.seed
            )
            if tell is not None:
                tell(done)
        names = tuple(people.name(row) for row in left_out)
        columns.append(ComparedMetrics(question.statistic, question.by, names, ranking, intervals))
    return MetricComparison(tuple(metrics), columns, trials.seed)


@dataclass(eq=False, repr=False)
class MetricFit:
    """The setting of a metric that agrees best with humans; returned by `fit_metric`.

    Attributes
    ----------
    statistic, by : str
        As in `correlate`.
    name : str
        The chosen setting.
    train, test : Agreement
        Its agreement on the half it was chosen on, and on the other half.
    values : dict of str to float
        Agreement of each setting on the first half.
    train_segments, test_segments : int64 arrays
        Segments of both halves, ascending.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> found = fit_metric(human, {"a": human + rng.normal(size=(12, 20)), "b": human})
    >>> found.name, found.test.value > 0.99, len(found.train_segments)
    ('b', True, 10)
    """

    statistic: str
    by: str
    name: str
    train: Agreement
    test: Agreement
    values: dict[str, float]
    train_segments: IntArray
    test_segments: IntArray
    seed: int

    def __repr__(self) -> str:
        n_train, n_test = (
            counted(len(segments), "segment")
            for segments in (self.train_segments, self.test_segments)
        )
        return (
            f"{self.name}: {TITLES[self.statistic]} = {self.test.value:.4f} on {n_test}, chosen "
            f"from {len(self.values)} by {self.train.value:.4f} on {n_train}"
        )


def fit_metric(
    human: _ScoreSource,
    metrics: Mapping[str, _Setting],
    statistic: str = "pearson",
    by: str = "none",
    *,
    documents: _Names | None = None,
    seed: int | None = 12345,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    progress: Progress | None = None,
) -> MetricFit:
    """Choose a metric's setting on half of the segments and report its agreement on the rest.

    The rest is needed because agreement on the segments that selected a setting is too high. Ties
    go to the first setting. Raises ValueError if every statistic is undefined on the first half.

    Parameters
    ----------
    human, statistic, by, epsilon, min_difference
        As in `correlate`; scores of segments. Segments without a human score are ignored.
    metrics : mapping of str to scores of segments, or to callable
        Scores of each setting, as in `correlate`. With ``by="means"``, for metrics such as BLEU
        whose system score is not the mean of its segment scores, also a function that receives the
        segments of a half (an int64 array) and returns a score per system.
    documents : sequence of str or int, optional
        Document of each segment; documents are not split.
    seed : int or None
        Seed of the random split; None draws one, which the result reports.
    progress : callable, optional
        Called with the number of settings compared and the total.

    References
    ----------
    Lita, Rogati and Lavie 2005, "BLANC: Learning Evaluation Metrics for MT".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> settings = {f"noise={noise:g}": human + noise * rng.normal(size=(12, 50))
    ...             for noise in (4.0, 0.5, 2.0)}
    >>> fit_metric(human, settings, "kendall", by="segment")
    noise=0.5: Kendall's tau-b = 0.6824 on 25 segments, chosen from 3 by 0.6994 on 25 segments
    """
    question = Question(statistic, by, epsilon, min_difference)
    seed = seed_or_fresh(seed)
    check_progress(progress)
    people = as_scores(human, "human")
    train, test = _halves(people, documents, seed)
    sides = [_segments_of(people, segments) for segments in (train, test)]
    sources = by_argument(metrics)  # type: ignore[arg-type]

    def agreement(where: str, half: int) -> Agreement:
        source = sources[where]
        segments = (train, test)[half]
        if not callable(source):
            [scores] = matched(people, {where: source})[1]
            return figure_of(question, sides[half], _segments_of(scores, segments), where)
        if not question.by_system:
            raise TypeError(f"{where}: expected scores of segments; got a function")
        side, [scores] = question.match(sides[half], {where: source(segments)})
        return figure_of(question, side, scores, where)

    agreements = []
    for done, where in enumerate(sources, 1):
        agreements.append(agreement(where, 0))
        if progress is not None:
            progress(done, len(sources))
    values = {name: result.value for name, result in zip(metrics, agreements, strict=True)}
    valid = [i for i, result in enumerate(agreements) if result.value == result.value]
    if not valid:
        raise ValueError(f"metrics: expected one with a value of {statistic!r}; got none")
    best = max(valid, key=lambda i: agreements[i].value)
    tested = agreement(list(sources)[best], 1)
    return MetricFit(
        statistic, by, list(metrics)[best], agreements[best], tested, values, train, test, seed
    )


def _halves(human: SystemScores, documents: _Names | None, seed: int) -> tuple[IntArray, IntArray]:
    """Return the segments of two random halves of the documents that humans judged."""
    n_segments = human.values.shape[1]
    judged = np.flatnonzero(~np.isnan(human.values).all(axis=0))
    codes = np.arange(len(judged))
    what = "segments"
    if documents is not None:
        names = names_of(documents, "documents")
        if len(names) != n_segments:
            raise ValueError(
                f"documents: expected {n_segments}, one for each segment; got {len(names)}"
            )
        codes = Column.of([names[i] for i in judged.tolist()]).codes
        what = "documents"
    n = int(codes.max(initial=-1)) + 1
    if n < 2:
        where = "documents" if documents is not None else "human"
        raise ValueError(f"{where}: expected at least two judged {what}; got {n}")
    chosen = np.zeros(n, bool)
    chosen[np.random.default_rng(seed).permutation(n)[: n // 2]] = True
    return judged[chosen[codes]], judged[~chosen[codes]]


def _segments_of(scores: SystemScores, segments: IntArray) -> SystemScores:
    return SystemScores._like(scores.values[:, segments], scores.systems, None)
