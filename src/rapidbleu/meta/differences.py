"""Tests whether one metric agrees better with humans than another, and confidence intervals.

A trial of the permutation test swaps scores between the standardized metrics by coin tosses and
takes the difference of the statistics of the two hybrids. If verdicts on pairs are swapped instead,
only pairs that exactly one metric gets right matter, by plus or minus one, so a trial is a binomial
number per group. The bootstrap draws segments, systems or both, the same for humans and metrics.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass

from rapidbleu._lib.checks import check_count, check_level, seed_or_fresh
from rapidbleu._lib.loader import load, np
from rapidbleu.meta.figures import (
    TITLES,
    Groups,
    Question,
    SoftAccuracy,
    check_choice,
    figure_of,
    whole_segments,
)
from rapidbleu.meta.scores import SystemScores, means_of
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.significance.resamples import Draws, in_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu._types import Array, FloatArray, Progress
    from rapidbleu.meta.scores import _SystemSource

SWAPS = ("scores", "segments", "systems", "pairs")
RESAMPLED = ("segments", "systems", "both")
SLACK = 1e-12  # statistics that differ by less are equal
SWAPPED_TOGETHER = 32  # trials, so that each block starts at a whole word of coins
RESAMPLED_TOGETHER = 8
CELLS = 1 << 20  # pairs, or trials times groups, at a time


@dataclass(eq=False, repr=False)
class Difference:
    """How much better one metric agrees with humans than another, with a p-value.

    Attributes
    ----------
    test : str
    statistic, by : str
        As in `correlate`.
    a, b : float
        Statistics of the two metrics.
    p_value : float
        p-value of the one-sided test that `a` agrees better than `b`.
    n_trials, n_resamples, n_systems : int or None
        Size of a permutation test, a bootstrap test or Williams' test; else None.
    n_as_extreme : int or None
        Trials or resamples that count against `a`: ``p_value = (n_as_extreme + 1) / (n + 1)``.
    interval : (float, float) or None
        Bootstrap interval of the difference.
    differences : float64 array of shape (n_trials,) or (n_resamples,), or None
        Differences of the trials or resamples; nan where a statistic is undefined.
    seed : int or None
        Seed; None for Williams' test.

    Examples
    --------
    >>> Difference("Williams", "pearson", "means", 0.9, 0.7, 0.03125, n_systems=12)
    Pearson's r: 0.9000 - 0.7000 = 0.2000, p = 0.0312 (Williams, 12)
    """

    test: str
    statistic: str
    by: str
    a: float
    b: float
    p_value: float
    n_trials: int | None = None
    n_resamples: int | None = None
    n_systems: int | None = None
    n_as_extreme: int | None = None
    interval: tuple[float, float] | None = None
    differences: FloatArray | None = None
    seed: int | None = None

    @property
    def difference(self) -> float:
        """Return ``a - b``."""
        return self.a - self.b

    def __repr__(self) -> str:
        text = f"{self.a:.4f} - {self.b:.4f} = {self.difference:.4f}"
        if self.interval is not None:
            text += f" [{self.interval[0]:.4f}, {self.interval[1]:.4f}]"
        n = self.n_trials or self.n_resamples or self.n_systems
        return f"{TITLES[self.statistic]}: {text}, p = {self.p_value:.4f} ({self.test}, {n})"


@dataclass(eq=False, repr=False)
class AgreementInterval:
    """A statistic with a bootstrap interval.

    Attributes
    ----------
    value : float
    statistic, by : str
        As in `correlate`.
    samples : float64 array of shape (n,)
        Statistics of the resamples; nan where undefined.
    level : float
        Share of the samples inside the interval.
    seed : int
    interval : (float, float)

    Examples
    --------
    >>> import numpy as np
    >>> AgreementInterval(0.5, "kendall", "segment", np.linspace(0.4, 0.6, 101), 0.9, 12345)
    Kendall's tau-b = 0.5000 [0.4100, 0.5900]
    """

    value: float
    statistic: str
    by: str
    samples: FloatArray
    level: float
    seed: int

    def __post_init__(self) -> None:
        self.interval = ends_of(self.samples, self.level)

    def __repr__(self) -> str:
        low, high = self.interval
        return f"{TITLES[self.statistic]} = {self.value:.4f} [{low:.4f}, {high:.4f}]"


@dataclass
class Trials:
    """Checked options of trials: their number, seed, threads and progress."""

    n: int
    given_seed: InitVar[int | None]
    threads: int
    progress: Progress | None = None
    word: str = "n_resamples"

    def __post_init__(self, given_seed: int | None) -> None:
        check_progress(self.progress)
        check_count(self.word, self.n, 1)
        self.seed = seed_or_fresh(given_seed)
        self.threads = check_threads(self.threads)

    def run(self, work: Callable[[int, int, list[BaseException]], object], size: int) -> None:
        """Call ``work(first, last, stop)`` for blocks of `size` trials on all threads."""
        in_blocks(work, size, self.n, self.threads, teller(self.progress, self.n))


def ends_of(samples: FloatArray, level: float) -> tuple[float, float]:
    """Return the ends of the central interval that contains this share of the samples.

    >>> import numpy as np
    >>> ends_of(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    known = samples[~np.isnan(samples)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def shared(metrics: list[SystemScores]) -> list[SystemScores]:
    """Return metrics without scores that another one lacks.

    Metrics with all scores, or with segments of their own, are returned unchanged.
    """
    if len({metric.values.shape for metric in metrics}) > 1:
        return metrics
    known = ~np.isnan(sum(metric.values for metric in metrics))
    return [
        SystemScores._like(np.where(known, metric.values, np.nan), metric.systems, None)
        for metric in metrics
    ]


def _statistics_of(
    question: Question, human: SystemScores, metrics: list[SystemScores]
) -> tuple[float, float]:
    a, b = (
        figure_of(question, human, metric, name).value
        for name, metric in zip(("a", "b"), metrics, strict=True)
    )
    return a, b


def permutation_test(
    human: _SystemSource,
    a: _SystemSource,
    b: _SystemSource,
    statistic: str = "pearson",
    by: str = "none",
    *,
    swap: str = "scores",
    n_trials: int = 1000,
    seed: int | None = 12345,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Difference:
    """Test whether one metric agrees better with humans than another, by swapping their scores.

    The p-value is ``(n_as_extreme + 1) / (n + 1)``, counting trials whose difference is at least as
    large as the metrics' own. Scores missing from any side are ignored.

    Parameters
    ----------
    human, a, b, statistic, by, epsilon, min_difference
        As in `correlate`. "means" swaps system scores, unless the metrics share segments.
    swap : {"scores", "segments", "systems", "pairs"}
        Unit that a coin swaps: each score (PERM-BOTH), all scores of a segment (PERM-INPUTS) or of
        a system (PERM-SYSTEMS); or, for "accuracy" and "accuracy_eq", the metrics' verdicts on a
        pair of scores, each with its own best threshold.
    n_trials : int

    Notes
    -----
    Both metrics are standardized first because their scales may differ. Each trial computes two
    statistics; "accuracy_eq" refits the threshold in each trial unless pairs are swapped.

    References
    ----------
    Deutsch et al. 2021, A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods, section 4.2; Deutsch et al. 2023, Ties Matter, appendix ("pairs").

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> good, bad = human + rng.normal(size=(12, 50)), rng.normal(size=(12, 50))
    >>> permutation_test(human, good, bad, "kendall", "segment").p_value
    0.000999000999000999
    """
    question = Question(statistic, by, epsilon, min_difference)
    check_swap(swap, question)
    trials = Trials(n_trials, seed, threads, progress, "n_trials")
    wanted, matched = question.match(human, {"a": a, "b": b})
    metrics = swappable(question, matched, swap)
    first, second = _statistics_of(question, wanted, metrics)
    p, count, differences = swapped(question, wanted, metrics, swap, trials)
    test = f"permutation of {swap}"
    return Difference(
        test,
        statistic,
        by,
        first,
        second,
        p,
        n_trials,
        n_as_extreme=count,
        differences=differences,
        seed=trials.seed,
    )


def check_swap(swap: str, question: Question) -> None:
    """Raise ValueError for an unknown swap, or one that the statistic does not support.

    >>> check_swap("pairs", Question("pearson", "none"))
    Traceback (most recent call last):
        ...
    ValueError: swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only; got 'pearson'
    """
    check_choice("swap", swap, SWAPS)
    if swap == "pairs" and question.statistic not in ("accuracy", "accuracy_eq"):
        raise ValueError(
            f"swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only; "
            f"got {question.statistic!r}"
        )
    if swap != "pairs" and question.epsilon:
        raise ValueError(
            f"epsilon: expected 0 unless pairs are swapped, as swapped scores are standardized; "
            f"got {question.epsilon}"
        )


def swappable(question: Question, metrics: list[SystemScores], swap: str) -> list[SystemScores]:
    """Return two metrics with scores of the same segments, or else with system means."""
    if question.by == "means":
        n, m = (metric.values.shape[1] for metric in metrics)
        if n != m:
            metrics = [
                SystemScores._like(metric.means().reshape(-1, 1), metric.systems, None)
                for metric in metrics
            ]
        if swap == "segments" and metrics[0].values.shape[1] == 1:
            raise ValueError(
                "swap: expected 'scores' or 'systems', as there is a score for each system; got "
                "'segments'"
            )
    return shared(metrics)


def swapped(
    question: Question,
    human: SystemScores,
    metrics: list[SystemScores],
    swap: str,
    trials: Trials,
) -> tuple[float, int, FloatArray]:
    """Return the p-value of the first metric, the trials against it, and all differences."""
    matrices = [metric.values for metric in metrics]
    test = _swapped_verdicts if swap == "pairs" else _swapped_scores
    real, differences = test(question, human.values, matrices, swap, trials)
    count = int((differences >= real - SLACK).sum())
    return (count + 1) / (trials.n + 1) if real == real else float("nan"), count, differences


def _swapped_scores(
    question: Question,
    human: FloatArray,
    metrics: list[FloatArray],
    swap: str,
    trials: Trials,
) -> tuple[float, FloatArray]:
    """Return the difference of the standardized metrics, and of each pair of hybrids."""
    hybrids = _Hybrids(question, human, metrics, swap)
    left = np.full(trials.n, np.nan)
    right = np.full(trials.n, np.nan)
    if not hybrids.n_units:
        return float("nan"), left
    draws = Draws(trials.seed, hybrids.n_units)
    unswapped = np.full((hybrids.n_units + 31) // 32, -1, np.int32).view(np.uint32)
    a = np.empty(1)
    b = np.empty(1)
    hybrids.figures(unswapped, a, b, [])

    def work(first: int, last: int, stop: list[BaseException]) -> None:
        coins = draws.coins(first, last - first)
        hybrids.figures(coins, left[first:last], right[first:last], stop)

    trials.run(work, SWAPPED_TOGETHER)
    differences: FloatArray = left - right
    return float(a[0] - b[0]), differences


class _Hybrids:
    """Two standardized metrics whose scores `n_units` coins swap in each trial."""

    def __init__(
        self, question: Question, human: FloatArray, metrics: list[FloatArray], swap: str
    ) -> None:
        self._question = question
        groups = Groups(human, metrics, question.by)
        systems = groups.systems
        segments = groups.segments
        self._begins = None
        if question.by == "means":  # segment scores are swapped
            known = ~np.isnan(metrics[0])
            if question.statistic == "soft_accuracy":
                known &= whole_segments([human, *metrics])
            known[np.isnan(means_of(human))] = False
            systems, segments = (indices.astype(np.int32) for indices in np.nonzero(known))
            starts = np.flatnonzero(np.diff(systems, prepend=-1))
            self._begins = np.append(starts, len(systems)).astype(np.int64)
        self._a, self._b = (_standardized(metric[systems, segments]) for metric in metrics)
        units: Array = {"segments": segments, "systems": systems}.get(swap, np.arange(len(systems)))
        self._units = units.astype(np.int32)
        self.n_units = int(units.max()) + 1 if len(units) else 0
        if question.statistic == "soft_accuracy":
            self._soft = SoftAccuracy(human[:, np.unique(segments)])
            self._shape = len(human), -1
        else:
            self._gold = question.gold(groups)

    def figures(
        self, coins: Array, left: FloatArray, right: FloatArray, stop: list[BaseException]
    ) -> None:
        """Write the statistics of both hybrids of ``len(left)`` trials."""
        if self._question.in_core:
            self._gold.swapped(
                self._a,
                self._b,
                self._units,
                self.n_units,
                self._begins,
                coins,
                left,
                right,
                stop,
            )
            return
        bits = np.unpackbits(coins.astype("<u4").view(np.uint8), bitorder="little")
        for trial in range(len(left)):
            begin = trial * self.n_units
            heads = bits[begin : begin + self.n_units][self._units] == 1
            left[trial] = self._figure(np.where(heads, self._a, self._b), stop)
            right[trial] = self._figure(np.where(heads, self._b, self._a), stop)

    def _figure(self, scores: FloatArray, stop: list[BaseException]) -> float:
        if stop:
            raise stop[0]
        if self._question.statistic == "soft_accuracy":
            return self._soft.of(scores.reshape(self._shape))
        if self._begins is not None:
            scores = np.add.reduceat(scores, self._begins[:-1]) / np.diff(self._begins)
        return self._gold.best_epsilon(scores, stop)[0]


def _standardized(values: FloatArray) -> FloatArray:
    """Return scores minus their mean, divided by their standard deviation.

    >>> import numpy as np
    >>> _standardized(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    centered: FloatArray = values - values.mean()
    deviation = values.std()
    return centered / deviation if deviation > 0 else centered


def _swapped_verdicts(
    question: Question,
    human: FloatArray,
    metrics: list[FloatArray],
    swap: str,
    trials: Trials,
) -> tuple[float, FloatArray]:
    epsilons = [question.value(Groups(human, [metric], question.by))[2] for metric in metrics]
    groups = Groups(human, metrics, question.by)
    sizes = np.diff(groups.offsets)
    counts = np.zeros((2, len(sizes)), np.int64)
    for g in np.flatnonzero(sizes > 1).tolist():
        part = slice(groups.offsets[g], groups.offsets[g + 1])
        a, b = (metric[part] for metric in groups.metrics)
        counts[:, g] = only_one_right(groups.human[part], a, b, epsilons)
    with_pairs = sizes > 1
    pairs = sizes[with_pairs]
    only = counts[:, with_pairs]
    weights = 2.0 / (pairs * (pairs - 1)) / max(len(pairs), 1)
    differences = np.full(trials.n, np.nan)
    if not len(pairs):
        return float("nan"), differences
    generator = np.random.default_rng(trials.seed)
    torn = only.sum(axis=0)
    step = max(1, CELLS // len(pairs))
    for first in range(0, trials.n, step):
        last = min(first + step, trials.n)
        up = generator.binomial(torn, 0.5, size=(last - first, len(pairs)))
        differences[first:last] = (2 * up - torn) @ weights
        if trials.progress is not None:
            trials.progress(last, trials.n)
    return float((only[0] - only[1]) @ weights), differences


def only_one_right(
    human: FloatArray, a: FloatArray, b: FloatArray, epsilons: list[float]
) -> tuple[int, int]:
    """Return how many pairs only the first metric gets right, and how many only the second.

    >>> import numpy as np
    >>> human, a, b = (np.array(x, float) for x in ([1, 2, 2], [1, 2, 3], [2, 1, 1]))
    >>> only_one_right(human, a, b, [0.0, 0.0])
    (2, 1)
    """
    n = len(human)
    ours = 0
    theirs = 0
    step = max(1, CELLS // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        earlier = np.arange(n) < rows[:, np.newaxis]
        ordered = np.sign(human[rows, np.newaxis] - human)
        verdicts = []
        for metric, epsilon in zip((a, b), epsilons, strict=True):
            differences = metric[rows, np.newaxis] - metric
            tied = np.abs(differences) <= epsilon
            right = np.where(ordered == 0.0, tied, ~tied & (differences * ordered > 0.0))
            verdicts.append(right & earlier)
        ours += int((verdicts[0] & ~verdicts[1]).sum())
        theirs += int((verdicts[1] & ~verdicts[0]).sum())
    return ours, theirs


def bootstrap_test(
    human: _SystemSource,
    a: _SystemSource,
    b: _SystemSource,
    statistic: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n_resamples: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Difference:
    """Test whether one metric agrees better with humans than another, by resampling.

    A resample computes two statistics, or only sums if the averaged groups are resampled. The
    p-value is ``(n_as_extreme + 1) / (n + 1)``, counting resamples in which `a` is not better.
    Scores missing from one metric are ignored.

    Parameters
    ----------
    human, a, b, statistic, by, epsilon, min_difference
        As in `correlate`.
    resample : {"segments", "systems", "both"}
        Units drawn with replacement, the same for both metrics.
    n_resamples : int
    level : float
        Share of the resampled differences inside the interval.

    References
    ----------
    Deutsch et al. 2021, A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> good, bad = human + rng.normal(size=(12, 50)), rng.normal(size=(12, 50))
    >>> bootstrap_test(human, good, bad, "kendall", "segment").p_value
    0.000999000999000999
    """
    question = Question(statistic, by, epsilon, min_difference)
    check_choice("resample", resample, RESAMPLED)
    check_level(level)
    trials = Trials(n_resamples, seed, threads, progress)
    wanted, matched = question.match(human, {"a": a, "b": b})
    metrics = shared(matched)
    samples = resampled(question, wanted, metrics, resample, trials)
    first, second = _statistics_of(question, wanted, metrics)
    differences = samples[0] - samples[1]
    count = n_resamples - int((differences > 0.0).sum())
    p = (count + 1) / (n_resamples + 1) if first == first and second == second else float("nan")
    test = f"bootstrap of {resample}"
    ends = ends_of(differences, level)
    return Difference(
        test,
        statistic,
        by,
        first,
        second,
        p,
        n_resamples=n_resamples,
        n_as_extreme=count,
        interval=ends,
        differences=differences,
        seed=trials.seed,
    )


def estimate_interval(
    human: _SystemSource,
    metric: _SystemSource,
    statistic: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n_resamples: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> AgreementInterval:
    """Estimate a confidence interval of a statistic by resampling.

    Parameters
    ----------
    human, metric, statistic, by, epsilon, min_difference
        As in `correlate`.
    resample, n_resamples, level
        As in `bootstrap_test`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> estimate_interval(human, human + rng.normal(size=(12, 50)), "kendall", "segment")
    Kendall's tau-b = 0.5461 [0.5079, 0.5818]
    """
    question = Question(statistic, by, epsilon, min_difference)
    check_choice("resample", resample, RESAMPLED)
    check_level(level)
    trials = Trials(n_resamples, seed, threads, progress)
    wanted, [scores] = question.match(human, {"metric": metric})
    [samples] = resampled(question, wanted, [scores], resample, trials)
    value = figure_of(question, wanted, scores, "metric").value
    return AgreementInterval(value, statistic, by, samples, level, trials.seed)


def resampled(
    question: Question,
    human: SystemScores,
    metrics: list[SystemScores],
    resample: str,
    trials: Trials,
) -> FloatArray:
    """Return statistics[metric, resample], nan if undefined; all metrics share the resamples."""
    n = trials.n
    (n_systems, n_segments) = human.values.shape
    figures = np.empty((len(metrics), n))
    if resample != "systems":
        for metric in metrics:
            if metric.values.shape[1] != n_segments or n_segments == 1:
                raise ValueError(
                    f"resample: expected 'systems', as people and metrics have not scores of the "
                    f"same segments; got {resample!r}"
                )
    generator = np.random.default_rng(trials.seed)
    columns = None
    rows = None
    if resample != "systems":
        columns = generator.integers(n_segments, size=(n, n_segments), dtype=np.int32)
    if resample != "segments":
        rows = generator.integers(n_systems, size=(n, n_systems), dtype=np.int32)
    sources = [human.values, *(metric.values for metric in metrics)]
    chosen = {"segment": columns, "system": rows}.get(question.by)
    if chosen is not None and resample != "both" and question.in_core:
        for of_metric, values in zip(figures, sources[1:], strict=True):
            up, down = question.parts(Groups(sources[0], [values], question.by))
            for i, groups in enumerate(chosen):
                total = down[groups].sum()
                of_metric[i] = up[groups].sum() / total if total else np.nan
        return figures
    if question.statistic == "soft_accuracy":
        whole = whole_segments(sources)
        sources = [values[:, whole] for values in sources]
        if columns is not None:
            columns = generator.integers(whole.sum(), size=(n, whole.sum()), dtype=np.int32)

    def work(first: int, last: int, stop: list[BaseException]) -> None:
        for i in range(first, last):
            if stop:
                raise stop[0]
            drawn = sources
            if rows is not None:
                drawn = [values[rows[i]] for values in drawn]
            if columns is not None:
                drawn = [values[:, columns[i]] for values in drawn]
            if question.statistic == "soft_accuracy":
                judged = SoftAccuracy(drawn[0])
                figures[:, i] = [judged.of(metric) for metric in drawn[1:]]
                continue
            groups = [Groups(drawn[0], [metric], question.by) for metric in drawn[1:]]
            figures[:, i] = [question.value(own, stop)[0] for own in groups]

    trials.run(work, RESAMPLED_TOGETHER)
    return figures


def williams_test(
    human: _SystemSource, a: _SystemSource, b: _SystemSource, by: str = "none"
) -> Difference:
    """Test whether Pearson's coefficient of one metric is higher than another's (one-sided).

    Assumes normally distributed scores. Use a permutation test for segment scores, which depend on
    each other within a system. At least four scores must be common to all three; `n_systems` is
    their number. Raises ImportError without SciPy (``pip install "rapidbleu[meta]"``).

    Parameters
    ----------
    human, a, b
        As in `correlate`.
    by : {"none", "means"}
        All scores together, or system means.

    References
    ----------
    Williams 1959, The Comparison of Regression Variables; Graham & Baldwin 2014, Testing for
    Significance of Increased Correlation with Human Judgment, section 3.

    Examples
    --------
    >>> human = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6, "G": 7, "H": 8, "I": 9, "J": 10}
    >>> a = dict(zip(human, [1, 2, 4, 3, 5, 6, 7, 8, 10, 9]))
    >>> b = dict(zip(human, [3, 1, 5, 2, 4, 9, 6, 10, 7, 8]))
    >>> williams_test(human, a, b, by="means")
    Pearson's r: 0.9758 - 0.7818 = 0.1939, p = 0.0047 (Williams, 10)
    """
    if by not in ("means", "none"):
        raise ValueError(f"by: expected 'none' or 'means'; got {by!r}")
    try:
        load("scipy.special")
        from scipy.special import stdtr
    except ImportError:
        raise ImportError('williams_test needs SciPy: pip install "rapidbleu[meta]"') from None
    question = Question("pearson", by)
    wanted, matched = question.match(human, {"a": a, "b": b})
    metrics = shared(matched)
    groups = Groups(wanted.values, [metric.values for metric in metrics], by)
    n = len(groups.human)
    if n < 4:
        raise ValueError(f"human: expected at least four scores that all three have; got {n}")
    first, second = _statistics_of(question, wanted, metrics)
    t = _statistic(groups.human, *groups.metrics)
    p = float(stdtr(n - 3, -t))
    return Difference("Williams", "pearson", by, first, second, p, n_systems=n)


def _statistic(human: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Return Williams' t with n - 3 degrees of freedom; nan if one side is constant."""
    n = len(human)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.corrcoef([human, a, b])
    r12 = matrix[0, 1]
    r13 = matrix[0, 2]
    r23 = matrix[1, 2]
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * k * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if not below > 0:
        return 0.0 if r12 == r13 else float("nan")
    return float((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below))
