"""Statistics of agreement between a metric and humans, and the groups they are averaged over.

Soft pairwise accuracy compares how confident humans and the metric are that one system is better
(Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics
via Soft Pairwise Accuracy, section 3). The core computes the rest, group by group.
"""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._core.meta.figures import Gold
from rapidbleu._lib.checks import check_count, check_real, check_type, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.meta.scores import as_scores, caution, counted, matched, means_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rapidbleu._types import Array, FloatArray
    from rapidbleu.meta.scores import SystemScores, _ScoreSource, _SystemSource

TITLES = {
    "pearson": "Pearson's r",
    "r2": "R²",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c",
    "kendall_like": "Kendall-like tau",
    "tau23": "tau_23",
    "accuracy": "pairwise accuracy",
    "accuracy_eq": "acc_eq",
    "soft_accuracy": "soft pairwise accuracy",
}
STATISTICS = tuple(TITLES)
AVERAGES = ("none", "segment", "system", "means")

MIN_DIFFERENCE = 25.0
FEW_SYSTEMS = 10
_WITH_EPSILON = ("kendall", "tau23", "accuracy")
_SOFT_SLACK = 1e-12  # relative to the sum of scores: closer sums are equal
_COMPARED = {
    "none": "scores",
    "segment": "segments",
    "system": "systems",
    "means": "systems' means",
}


@dataclass(eq=False)
class Agreement:
    """A statistic of agreement as a fraction; 1 is best.

    Attributes
    ----------
    value : float
        nan if undefined.
    statistic, by : str
        As in `correlate`.
    n_compared : int
        Number of scores, segments, systems or system means that were compared or averaged.
    n_without : int
        Segments or systems without a value, such as those whose scores are all the same.
    epsilon : float
        Metric differences up to it were ties.
    seed : int or None
        Seed for "soft_accuracy".

    Examples
    --------
    >>> from rapidbleu.meta import correlate
    >>> found = correlate([[1, 2, 3], [2, 3, 5]], [[0.1, 0.3, 0.2], [0.2, 0.3, 0.4]], "kendall")
    >>> found
    Kendall's tau-b = 0.6923 (6 scores)
    >>> round(float(found), 6)
    0.692308
    """

    value: float
    statistic: str
    by: str
    n_compared: int
    n_without: int = 0
    epsilon: float = 0.0
    seed: int | None = None

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        parts = [f"{self.n_compared} {_COMPARED[self.by]}"]
        if self.n_without:
            parts.append(f"{self.n_without} without a value")
        if self.epsilon:
            parts.append(f"ties up to {self.epsilon:.4g}")
        return f"{TITLES[self.statistic]} = {self.value:.4f} ({', '.join(parts)})"


class Groups:
    """Scores of humans and metrics, group after group; "means" has one group of system means.

    Scores missing (nan) from any matrix are dropped. `human` and each of `metrics` have shape (n,),
    `systems` and `segments` locate the scores, and `offsets` bounds the groups, some perhaps empty.

    >>> import numpy as np
    >>> nan = float("nan")
    >>> human, metric = np.array([[1, 2, 3], [4, nan, 6]]), np.arange(6.0).reshape(2, 3)
    >>> groups = Groups(human, [metric], "segment")
    >>> groups.human, groups.metrics[0], groups.offsets
    (array([1., 4., 2., 3., 6.]), array([0., 3., 1., 2., 5.]), array([0, 2, 3, 5]))
    """

    def __init__(self, human: FloatArray, metrics: list[FloatArray], by: str) -> None:
        if by == "means":
            human, *metrics = (means_of(scores).reshape(-1, 1) for scores in (human, *metrics))
        known = ~np.isnan(human)
        for metric in metrics:
            known &= ~np.isnan(metric)
        if by == "segment":
            segments, systems = np.nonzero(known.T)
            sizes = known.sum(axis=0)
        else:
            systems, segments = np.nonzero(known)
            sizes = known.sum(axis=1) if by == "system" else np.array([len(systems)])
        self.human = human[systems, segments]
        self.metrics = [metric[systems, segments] for metric in metrics]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.systems = systems.astype(np.int32)
        self.segments = segments.astype(np.int32)


class Question:
    """A statistic with its checked options.

    >>> Question("pearson", "segments")
    Traceback (most recent call last):
        ...
    ValueError: by: expected one of none, segment, system, means; got 'segments'
    """

    def __init__(
        self, statistic: str, by: str, epsilon: float = 0.0, min_difference: float = MIN_DIFFERENCE
    ) -> None:
        check_choice("statistic", statistic, STATISTICS)
        check_choice("by", by, AVERAGES)
        if statistic == "soft_accuracy" and by != "means":
            raise ValueError(f"by: expected 'means', as 'soft_accuracy' is of systems; got {by!r}")
        for what, number in (("epsilon", epsilon), ("min_difference", min_difference)):
            check_real(what, number)
            if not 0.0 <= float(number) < float("inf"):
                raise ValueError(f"{what}: expected a finite number from 0 on; got {number}")
        if epsilon > 0.0 and statistic not in _WITH_EPSILON:
            raise ValueError(f"epsilon: expected 0 for {statistic!r}; got {epsilon}")
        if min_difference != MIN_DIFFERENCE and statistic != "kendall_like":
            raise ValueError(
                f"min_difference: expected {MIN_DIFFERENCE:g} for {statistic!r}; "
                f"got {min_difference}"
            )
        self.statistic = statistic
        self.by = by
        self.epsilon = float(epsilon)
        self.min_difference = float(min_difference)

    @property
    def by_system(self) -> bool:
        """Whether system scores, or segments that differ by side, are accepted."""
        return self.by == "means" and self.statistic != "soft_accuracy"

    @property
    def in_core(self) -> bool:
        """Whether the core computes the statistic group by group."""
        return self.statistic not in ("accuracy_eq", "soft_accuracy")

    def match(
        self, human: _SystemSource, metrics: Mapping[str, _SystemSource]
    ) -> tuple[SystemScores, list[SystemScores]]:
        """Return the scores matched as this statistic needs them."""
        return matched(human, metrics, self.by_system)

    def gold(self, groups: Groups) -> Gold:
        """Return the prepared human side."""
        name = "accuracy" if self.statistic == "accuracy_eq" else self.statistic
        human = _scaled(groups.human) if name in ("pearson", "r2") else groups.human
        return Gold(human, groups.offsets, name, self.min_difference)

    def parts(self, groups: Groups) -> tuple[FloatArray, FloatArray]:
        """Return the numerator and denominator of each group for the only metric."""
        n_groups = len(groups.offsets) - 1
        up = np.empty(n_groups)
        down = np.empty(n_groups)
        [metric] = groups.metrics
        values = _scaled(metric) if self.statistic in ("pearson", "r2") else metric
        self.gold(groups).figures(values, up, down, self.epsilon)
        return up, down

    def value(
        self, groups: Groups, stop: list[BaseException] | None = None
    ) -> tuple[float, int, float, float]:
        """Return the statistic, groups with a value, tie threshold and widest difference."""
        if self.statistic == "accuracy_eq":
            best = self.gold(groups).best_epsilon(groups.metrics[0], stop)
            return best[0], int((np.diff(groups.offsets) > 1).sum()), best[1], best[2]
        up, down = self.parts(groups)
        n_with = int(np.count_nonzero(down))
        value = float(up.sum() / down.sum()) if n_with else float("nan")
        return value, n_with, self.epsilon, float("inf")


def check_choice(where: str, name: str, names: Sequence[str]) -> None:
    """Raise unless `name` is one of `names`."""
    check_type(where, name, str)
    if name not in names:
        raise ValueError(f"{where}: expected one of {', '.join(names)}; got {name!r}")


def _scaled(values: FloatArray) -> FloatArray:
    """Return scores scaled by a power of two, so that squares neither overflow nor vanish.

    >>> import numpy as np
    >>> _scaled(np.array([1e300, -2e300])).round(3)
    array([ 0.373, -0.747])
    """
    most = np.abs(values).max(initial=0.0)
    scaled: FloatArray = np.ldexp(values, -int(np.frexp(most)[1]))
    return scaled


class SoftAccuracy:
    """The human side of soft accuracy, for scores without gaps, to compare with many metrics."""

    def __init__(self, human: FloatArray, n: int = 1000, seed: int | None = 12345) -> None:
        self._signs = random_signs(n, human.shape[1], seed)
        self._people = p_values(human, self._signs)

    def of(self, metric: FloatArray) -> float:
        """Return the soft accuracy of a metric's scores of the same shape."""
        return 1.0 - float(np.abs(self._people - p_values(metric, self._signs)).mean())


def whole_segments(matrices: list[FloatArray]) -> Array:
    """Return a mask of segments that all systems have scores for in all matrices, human first."""
    if len(matrices[0]) < 2:
        raise ValueError(f"human: expected at least two systems; got {len(matrices[0])}")
    whole = np.ones(matrices[0].shape[1], bool)
    for values in matrices:
        whole &= ~np.isnan(values).any(axis=0)
    if not whole.any():
        raise ValueError("human: expected a segment that all systems have scores of; got none")
    return whole


def random_signs(n: int, n_segments: int, seed: int | None) -> Array:
    """Return n rows of random -1 and 1, one for each segment.

    >>> random_signs(1, 5, 4)
    array([[1., 1., 1., 1., 1.]])
    """
    drawn = np.random.default_rng(seed).random(size=(n, n_segments), dtype=np.float32)
    return 2.0 * np.rint(drawn).astype(np.float64) - 1.0


def p_values(scores: FloatArray, signs: Array) -> FloatArray:
    """Return for each pair i < j how often random signs favor system i by at least as much.

    Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...; `signs` has a row for each trial.
    """
    first, second = np.triu_indices(len(scores), 1)
    sums = scores.sum(axis=1)
    sizes = np.abs(scores).sum(axis=1)
    partial = signs @ scores.T
    p = np.empty(len(first))
    for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        limit = sums[i] - sums[j] - _SOFT_SLACK * (sizes[i] + sizes[j])
        p[k] = np.count_nonzero(partial[:, i] - partial[:, j] >= limit) / len(signs)
    return p


def correlate(
    human: _SystemSource,
    metric: _SystemSource,
    statistic: str = "pearson",
    by: str = "none",
    *,
    epsilon: float = 0.0,
    min_difference: float = MIN_DIFFERENCE,
) -> Agreement:
    """Return how well the scores of a metric agree with human scores.

    Equal to mt-metrics-eval's to within 1e-12, except that mt-metrics-eval reports undefined
    statistics as 0. Takes O(n log n) time for n scores in a group, or O(n²) for "kendall_like" and
    with any `epsilon`. Safe to call from several threads.

    Scores missing on one side are ignored on both; but with ``by="means"`` each side averages all
    of its own scores. Averages skip segments and systems without a value because their scores are
    all the same; "kendall_like" weights segments by their pairs. A `MetaWarning` reports undefined
    and unreliable values: fewer than 10 systems, a system without scores, all pairs tied.

    Parameters
    ----------
    human, metric : SystemScores, array of shape (n_systems, n_segments), or dict of str to scores
        A dict maps system names to scores; nan or None: missing. ``by="means"`` also accepts one
        score per system: an array of shape (n_systems,) or a dict of str to float. If both sides
        have names, systems are matched by name.
    statistic : str
        "pearson", "spearman", "kendall" (tau-b), "kendall_c": these coefficients; "r2": Pearson's
        squared; "accuracy": the share of pairs that the metric orders, or ties, as humans do;
        "accuracy_eq": the same with the best `epsilon`; "tau23": 2 * accuracy - 1; "kendall_like":
        the shared task's, for distant human scores; "soft_accuracy": see `soft_accuracy`.
    by : {"none", "segment", "system", "means"}
        Compare all scores together; within segments or systems, averaged; or the systems' means.
    epsilon : float
        Metric differences up to it are ties; for "kendall", "accuracy", "tau23".
    min_difference : float
        Minimum difference of human scores for "kendall_like"; with 0, pairs of equal human scores
        count as wrongly ordered, as in mt-metrics-eval.

    References
    ----------
    Macháček & Bojar 2014, Results of the WMT14 Metrics Shared Task, section 4 ("kendall_like");
    Kocmi et al. 2021, To Ship or Not to Ship, section 3.3 ("accuracy", means); Deutsch et al. 2023,
    Ties Matter, sections 2, 6 ("accuracy", "tau23", "accuracy_eq"); Stuart 1953 ("kendall_c").

    Examples
    --------
    >>> human = {"A": [80, 65, 90, 70], "B": [60, 60, 85, 40], "C": [75, 70, None, 80]}
    >>> metric = {"A": [0.7, 0.6, 0.8, 0.6], "B": [0.5, 0.6, 0.7, 0.5], "C": [0.6, 0.8, 0.9, 0.6]}
    >>> correlate(human, metric)
    Pearson's r = 0.7154 (11 scores)
    >>> correlate(human, metric, "accuracy", by="segment")
    pairwise accuracy = 0.8333 (4 segments)
    """
    question = Question(statistic, by, epsilon, min_difference)
    wanted, [scores] = question.match(human, {"metric": metric})
    return figure_of(question, wanted, scores, "metric")


def soft_accuracy(
    human: _ScoreSource, metric: _ScoreSource, *, n_resamples: int = 1000, seed: int | None = 12345
) -> Agreement:
    """Return 1 - the mean absolute difference of the p-values that one system is better.

    Compares the confidence of humans and a metric over all pairs of systems, in time linear in
    `n_resamples` times the number of scores. Sums are in double precision; mt-metrics-eval's, in
    single precision, may break ties differently.

    Parameters
    ----------
    human, metric : as in `correlate`, scores of segments
        Only segments that all systems have on both sides are used.
    n_resamples : int
        Trials of the permutation test, shared by all pairs and both sides.
    seed : int or None
        Seed of the trials, which equal mt-metrics-eval's for the same seed (default there: 4). None
        draws one, which the result reports.

    References
    ----------
    Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic
    Metrics via Soft Pairwise Accuracy, section 3.

    Examples
    --------
    >>> human = {"A": [80, 65, 90, 70], "B": [60, 60, 85, 40], "C": [75, 70, 95, 80]}
    >>> metric = {"A": [0.7, 0.6, 0.8, 0.6], "B": [0.5, 0.6, 0.7, 0.5], "C": [0.6, 0.8, 0.9, 0.6]}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     soft_accuracy(human, metric)
    soft pairwise accuracy = 0.9587 (3 systems' means)
    """
    check_count("n_resamples", n_resamples, 1)
    seed = seed_or_fresh(seed)
    wanted, [scores] = matched(human, {"metric": metric})
    return _soft_figure(wanted.values, scores.values, n_resamples, seed)


def figure_of(
    question: Question, human: SystemScores, metric: SystemScores, where: str
) -> Agreement:
    """Return the statistic of matched scores; `where` names the metric in warnings."""
    statistic = question.statistic
    by = question.by
    _warn_of_missing(human, "human")
    _warn_of_missing(metric, where)
    if statistic == "soft_accuracy":
        return _soft_figure(human.values, metric.values)
    groups = Groups(human.values, [metric.values], by)
    value, n_with, epsilon, widest = question.value(groups)
    if n_with and epsilon >= widest:
        caution(
            f"accuracy_eq: the best threshold of {where}, {epsilon:.4g}, calls all pairs ties; "
            f"the statistic is the share of human ties"
        )
    if value != value:
        caution(f"{statistic}: no value, as {_reason(statistic, groups, where)}")
    if by == "means":
        _warn_of_few(len(groups.human), statistic)
    if by in ("none", "means"):
        return Agreement(value, statistic, by, len(groups.human), 0, epsilon)
    return Agreement(value, statistic, by, n_with, len(groups.offsets) - 1 - n_with, epsilon)


def _soft_figure(
    human: FloatArray, metric: FloatArray, n: int = 1000, seed: int = 12345
) -> Agreement:
    whole = whole_segments([human, metric])
    left_out = len(whole) - int(whole.sum())
    if left_out:
        caution(
            f"soft_accuracy: {counted(left_out, 'segment')} of {len(whole)} left out, as not "
            f"all systems have scores of them"
        )
    _warn_of_few(len(human), "soft_accuracy")
    value = SoftAccuracy(human[:, whole], n, seed).of(metric[:, whole])
    return Agreement(value, "soft_accuracy", "means", len(human), seed=seed)


def _warn_of_missing(scores: SystemScores, where: str) -> None:
    for i in np.flatnonzero(np.isnan(scores.values).all(axis=1)).tolist():
        caution(f"{where}: system {scores.name(i)!r} has no score")


def _warn_of_few(n: int, statistic: str) -> None:
    if n < FEW_SYSTEMS:
        caution(f"{statistic}: {counted(n, 'system')}, fewer than {FEW_SYSTEMS}, say little")


def _reason(statistic: str, groups: Groups, where: str) -> str:
    human = groups.human
    [metric] = groups.metrics
    if len(human) < 2:
        return f"expected two scores that both sides have; got {len(human)}"
    if (human == human[0]).all():
        return "all human scores are the same"
    if (metric == metric[0]).all():
        return f"all scores of {where} are the same"
    if statistic == "kendall_like":
        return "no two human scores are far enough apart"
    return "no segment or system has two different scores on both sides"


def find_outliers(human: _SystemSource, cutoff: float = 2.5) -> tuple[str, ...] | Array:
    """Return the systems whose human score is far from the median.

    If at least half of the systems have the same score, none is an outlier.

    Parameters
    ----------
    human : as in `correlate`, scores of segments or of systems
    cutoff : float
        Maximum distance from the median, in units of 1.483 times the median distance.

    Returns
    -------
    tuple of str, or int64 array
        Names, or indices if systems have no names.

    References
    ----------
    Mathur et al. 2020, Tangled up in BLEU, section 3.2.

    Examples
    --------
    >>> find_outliers({"A": 0.10, "B": 0.12, "C": 0.05, "D": 0.08, "E": -1.40})
    ('E',)
    """
    check_real("cutoff", cutoff)
    if not cutoff > 0:
        raise ValueError(f"cutoff: expected a number above 0; got {cutoff}")
    scores = as_scores(human, "human", by_system=True)
    rows = outlying(scores.means(), float(cutoff))
    if scores.systems is None:
        return np.array(rows, np.int64)
    return tuple(scores.systems[i] for i in rows)


def outlying(means: FloatArray, cutoff: float = 2.5) -> list[int]:
    """Return the indices of outliers among system scores, ignoring nan."""
    known = ~np.isnan(means)
    if not known.any():
        return []
    distances = np.abs(means - np.median(means[known]))
    scale = 1.483 * np.median(distances[known])
    outliers: list[int] = np.flatnonzero(distances > cutoff * scale).tolist()
    return outliers if scale > 0 else []
