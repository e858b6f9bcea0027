"""The permutation test: is a metric better by more than swaps of scores at random explain?

A trial makes two hybrids of the standardized metrics, whose scores coins have swapped, and takes
the difference of their figures. If verdicts on pairs are swapped instead, only pairs on which one
metric is right and the other wrong change anything, by one up or one down. So a trial is, for each
group, a binomial number of such pairs.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.meta.differences import NAMES, Difference, shared
from rapidbleu.meta.figures import Groups, Question, figure_of
from rapidbleu.meta.scores import SystemScores, means_of
from rapidbleu.meta.soft import SoftAccuracy, whole_segments
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.significance.resamples import Draws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rapidbleu.meta.scores import _SystemSource
    from rapidbleu.typing import Array, FloatArray, Progress

SWAPS = ("scores", "segments", "systems", "pairs")
SLACK = 1e-12  # figures that differ by less are equal
BLOCK = 32  # trials, which start at a whole word of coins
CELLS = 1 << 20  # of pairs, or of trials and groups, at a time


def permutation_test(
    human: _SystemSource,
    one: _SystemSource,
    other: _SystemSource,
    figure: str = "pearson",
    by: str = "none",
    *,
    swap: str = "scores",
    n: int = 1000,
    seed: int | None = 12345,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Difference:
    """Test whether one metric agrees better with people than another, by swapping their scores.

    Parameters
    ----------
    human, one, other, figure, by, epsilon, min_difference
        As in `correlate`. With ``by="means"`` scores of systems are swapped, unless both metrics
        have scores of the same segments.
    swap : {"scores", "segments", "systems", "pairs"}
        What a coin decides on: each score alone (PERM-BOTH), all scores of a segment (PERM-INPUTS)
        or of a system (PERM-SYSTEMS); or, for "accuracy" and "accuracy_eq", whether the two
        metrics' verdicts on a pair of scores change sides, each with its own best threshold.
    n : int
        Trials.

    Returns
    -------
    Difference
        `p` is ``(count + 1) / (n + 1)`` for the trials whose difference is at least that of the
        metrics. Scores that people or one of the metrics lack do not count.

    Notes
    -----
    Both metrics are standardized first, so that their scales do not matter. Takes two figures a
    trial. "accuracy_eq" finds the best threshold anew in each trial, unless pairs are swapped.
    Ctrl-C ends it.

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
    >>> permutation_test(human, good, bad, "kendall", "segment").p
    0.000999000999000999
    """
    check_progress(progress)
    question = Question(figure, by, epsilon, min_difference)
    check_swap(swap, question)
    check_count("n", n, 1)
    check_seed(seed)
    n_threads = check_threads(threads)
    wanted, metrics = question.match(human, {"one": one, "other": other})
    return tested(question, wanted, metrics, NAMES, swap, n, seed, n_threads, progress)


def tested(
    question: Question,
    human: SystemScores,
    metrics: list[SystemScores],
    names: Sequence[str | None],
    swap: str,
    n: int,
    seed: int | None,
    threads: int,
    progress: Progress | None = None,
) -> Difference:
    """Return the result for two metrics whose scores are matched; `names` as in `figure_of`."""
    if question.by == "means":
        metrics = _alike(metrics, swap)
    metrics = shared(metrics)
    figures = [
        figure_of(question, human, own, name) for name, own in zip(names, metrics, strict=True)
    ]
    matrices = [own.values for own in metrics]
    if swap == "pairs":
        epsilons = [figure.epsilon for figure in figures]
        real, found = _swapped_verdicts(
            question, human.values, matrices, epsilons, n, seed, progress
        )
    else:
        real, found = _swapped_scores(
            question, human.values, matrices, swap, n, seed, threads, progress
        )
    count = int((found >= real - SLACK).sum())
    p = (count + 1) / (n + 1) if real == real else float("nan")
    first, second = (figure.value for figure in figures)
    return Difference(
        f"permutation of {swap}", question.figure, question.by, first, second, p, n, count,
        differences=found,
    )  # fmt: skip


def check_swap(swap: str, question: Question) -> None:
    """Refuse swaps that do not exist, or not for this figure.

    Examples
    --------
    >>> check_swap("pairs", Question("pearson", "none"))
    Traceback (most recent call last):
        ...
    ValueError: swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only, got 'pearson'
    """
    if not isinstance(swap, str):
        raise TypeError(f"swap: expected str, got {type(swap).__name__}")
    if swap not in SWAPS:
        raise ValueError(f"swap: expected one of {', '.join(SWAPS)}, got {swap!r}")
    if swap == "pairs" and question.figure not in ("accuracy", "accuracy_eq"):
        raise ValueError(
            f"swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only, got {question.figure!r}"
        )
    if swap != "pairs" and question.epsilon:
        raise ValueError(
            f"epsilon: expected 0 unless pairs are swapped, as swapped scores are standardized, "
            f"got {question.epsilon}"
        )


def _alike(metrics: list[SystemScores], swap: str) -> list[SystemScores]:
    """Return metrics with scores of the same segments, or else with the means of systems."""
    n, m = (own.values.shape[1] for own in metrics)
    if n != m:
        metrics = [
            SystemScores._like(own.means().reshape(-1, 1), own.systems, None) for own in metrics
        ]
    if swap == "segments" and metrics[0].values.shape[1] == 1:
        raise ValueError(
            "swap: expected 'scores' or 'systems', as there is a score for each system, got "
            "'segments'"
        )
    return metrics


def _swapped_scores(
    question: Question,
    human: FloatArray,
    metrics: list[FloatArray],
    swap: str,
    n: int,
    seed: int | None,
    threads: int,
    progress: Progress | None,
) -> tuple[float, FloatArray]:
    """Return the difference of the standardized metrics, and those of the hybrids of n trials."""
    hybrids = _Hybrids(question, human, metrics, swap)
    left, right = np.full(n, np.nan), np.full(n, np.nan)
    if not hybrids.n_units:
        return float("nan"), left
    draws = Draws(seed, hybrids.n_units)
    unswapped = np.full((hybrids.n_units + 31) // 32, -1, np.int32).view(np.uint32)
    one, other = np.empty(1), np.empty(1)
    hybrids.figures(unswapped, one, other, [])

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for block in range(begin, end):
            first, last = block * BLOCK, min((block + 1) * BLOCK, n)
            coins = draws.coins(first, last - first)
            hybrids.figures(coins, left[first:last], right[first:last], stop)

    in_parts(work, -(-n // BLOCK), threads, 1, teller(progress, n, BLOCK))
    found: FloatArray = left - right
    return float(one[0] - other[0]), found


class _Hybrids:
    """Two metrics, standardized, whose scores `n_units` coins swap in each trial."""

    def __init__(
        self, question: Question, human: FloatArray, metrics: list[FloatArray], swap: str
    ) -> None:
        self._question = question
        groups = Groups(human, metrics, question.by)
        systems, segments = groups.systems, groups.segments
        self._begins = None
        if question.by == "means":  # of which scores of segments are swapped
            there = ~np.isnan(metrics[0])
            if question.figure == "soft_accuracy":
                there &= whole_segments([human, *metrics])
            there[np.isnan(means_of(human))] = False
            systems, segments = (own.astype(np.int32) for own in np.nonzero(there))
            starts = np.flatnonzero(np.diff(systems, prepend=-1))
            self._begins = np.append(starts, len(systems)).astype(np.int64)
        self._one, self._other = (_standardized(own[systems, segments]) for own in metrics)
        units: Array = {"segments": segments, "systems": systems}.get(swap, np.arange(len(systems)))
        self._units = units.astype(np.int32)
        self.n_units = int(units.max()) + 1 if len(units) else 0
        if question.figure == "soft_accuracy":
            self._soft = SoftAccuracy(human[:, np.unique(segments)])
            self._shape = len(human), -1
        else:
            self._gold = question.gold(groups)

    def figures(
        self, coins: Array, left: FloatArray, right: FloatArray, stop: list[BaseException]
    ) -> None:
        """Write the figures of both hybrids in as many trials as `left` has items."""
        if self._question.in_core:
            self._gold.swapped(
                self._one, self._other, self._units, self.n_units, self._begins, coins,
                left, right, stop,
            )  # fmt: skip
            return
        bits = np.unpackbits(coins.astype("<u4").view(np.uint8), bitorder="little")
        for trial in range(len(left)):
            begin = trial * self.n_units
            heads = bits[begin : begin + self.n_units][self._units] == 1
            left[trial] = self._figure(np.where(heads, self._one, self._other), stop)
            right[trial] = self._figure(np.where(heads, self._other, self._one), stop)

    def _figure(self, scores: FloatArray, stop: list[BaseException]) -> float:
        """Return the figure of a hybrid that the core does not compute by groups."""
        if stop:
            raise stop[0]
        if self._question.figure == "soft_accuracy":
            return self._soft.of(scores.reshape(self._shape))
        if self._begins is not None:
            scores = np.add.reduceat(scores, self._begins[:-1]) / np.diff(self._begins)
        return self._gold.best_epsilon(scores, stop)[0]


def _standardized(values: FloatArray) -> FloatArray:
    """Return scores less their mean, in units of their standard deviation.

    Examples
    --------
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
    epsilons: list[float],
    n: int,
    seed: int | None,
    progress: Progress | None,
) -> tuple[float, FloatArray]:
    """Return the difference of two metrics' accuracies, and those of n trials."""
    groups = Groups(human, metrics, question.by)
    sizes = np.diff(groups.offsets)
    counts = np.zeros((2, len(sizes)), np.int64)
    for g in np.flatnonzero(sizes > 1).tolist():
        part = slice(groups.offsets[g], groups.offsets[g + 1])
        one, other = (own[part] for own in groups.metrics)
        counts[:, g] = only_one_right(groups.human[part], one, other, epsilons)
    with_pairs = sizes > 1
    pairs, only = sizes[with_pairs], counts[:, with_pairs]
    weights = 2.0 / (pairs * (pairs - 1)) / max(len(pairs), 1)
    found = np.full(n, np.nan)
    if not len(pairs):
        return float("nan"), found
    generator = np.random.default_rng(seed)
    torn = only.sum(axis=0)
    step = max(1, CELLS // len(pairs))
    for first in range(0, n, step):
        last = min(first + step, n)
        up = generator.binomial(torn, 0.5, size=(last - first, len(pairs)))
        found[first:last] = (2 * up - torn) @ weights
        if progress is not None:
            progress(last, n)
    return float((only[0] - only[1]) @ weights), found


def only_one_right(
    human: FloatArray, one: FloatArray, other: FloatArray, epsilons: list[float]
) -> tuple[int, int]:
    """Return how many pairs only the first metric has right, and how many only the second.

    Examples
    --------
    >>> import numpy as np
    >>> human, one, other = (np.array(x, float) for x in ([1, 2, 2], [1, 2, 3], [2, 1, 1]))
    >>> only_one_right(human, one, other, [0.0, 0.0])
    (2, 1)
    """
    n, ours, theirs = len(human), 0, 0
    step = max(1, CELLS // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        earlier = np.arange(n) < rows[:, np.newaxis]
        ordered = np.sign(human[rows, np.newaxis] - human)
        verdicts = [
            _right(ordered, own[rows, np.newaxis] - own, epsilon) & earlier
            for own, epsilon in zip((one, other), epsilons, strict=True)
        ]
        ours += int((verdicts[0] & ~verdicts[1]).sum())
        theirs += int((verdicts[1] & ~verdicts[0]).sum())
    return ours, theirs


def _right(ordered: FloatArray, differences: FloatArray, epsilon: float) -> Array:
    tied = np.abs(differences) <= epsilon
    return np.where(ordered == 0.0, tied, ~tied & (differences * ordered > 0.0))
