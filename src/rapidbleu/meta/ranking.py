"""Which metrics agree best with people: tests of all pairs, and ranks."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.checks import check_count, check_level, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.meta.figures import TITLES, Question, figure_of
from rapidbleu.meta.permutation import check_swap, tested
from rapidbleu.meta.scores import by_argument
from rapidbleu.parallel import check_progress, check_threads, teller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rapidbleu.meta.scores import SystemScores, _SystemSource
    from rapidbleu.typing import FloatArray, Progress


@dataclass(eq=False, repr=False)
class Ranking:
    """Metrics in the order of their agreement with people.

    Attributes
    ----------
    figure, by : str
        As in `correlate`.
    metrics : tuple of str
        The best first; equal ones by name.
    values : float64 array of shape (n_metrics,)
        Their figures.
    p : float64 array of shape (n_metrics, n_metrics)
        ``p[i, j]`` for i < j: of the one-sided test whether metric i is better than j; else nan.
    alpha : float
        p-values up to it are significant.
    ranks : tuple of int
        From 1 on. No metric of a rank is significantly better than another one of it.
    """

    figure: str
    by: str
    metrics: tuple[str, ...]
    values: FloatArray
    p: FloatArray
    alpha: float

    def __post_init__(self) -> None:
        self.ranks = ranks_of(self.p, self.alpha)

    def __repr__(self) -> str:
        width = max(map(len, self.metrics))
        lines = [f"{TITLES[self.figure]} (by {self.by})"]
        for rank, name, value in zip(self.ranks, self.metrics, self.values, strict=True):
            lines.append(f"{rank:3}  {name:{width}}  {value:.4f}")
        return "\n".join(lines)


def ranks_of(p: FloatArray, alpha: float) -> tuple[int, ...]:
    """Return ranks: a new one begins where a metric is significantly worse than one of the last.

    Examples
    --------
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
    figure: str = "pearson",
    by: str = "none",
    *,
    swap: str = "scores",
    n: int = 1000,
    seed: int | None = 12345,
    alpha: float = 0.05,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Ranking:
    """Rank metrics by their agreement with people, with permutation tests of all pairs.

    Parameters
    ----------
    human, figure, by, epsilon, min_difference
        As in `correlate`.
    metrics : mapping of str to scores as in `correlate`
        At least one.
    swap, n, seed, threads
        As in `permutation_test`; all pairs have the same coins.
    alpha : float
        p-values up to it are significant.

    Returns
    -------
    Ranking

    Notes
    -----
    A test for each pair of metrics. p-values are not corrected for their number, as the shared
    task's are not. Metrics without a figure come last.

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
    check_progress(progress)
    question = Question(figure, by, epsilon, min_difference)
    check_level(alpha, "alpha")
    check_swap(swap, question)
    check_count("n", n, 1)
    check_seed(seed)
    n_threads = check_threads(threads)
    wanted, matched = question.match(human, by_argument(metrics))
    scores = dict(zip(metrics, matched, strict=True))
    tell = teller(progress, len(scores) * (len(scores) - 1) // 2)
    return ranked(question, wanted, scores, swap, n, seed, alpha, n_threads, tell)


def ranked(
    question: Question,
    human: SystemScores,
    metrics: Mapping[str, SystemScores],
    swap: str,
    n: int,
    seed: int | None,
    alpha: float,
    threads: int,
    tell: Callable[[int], object] | None,
) -> Ranking:
    """Return the ranking of metrics whose scores are matched; `tell` learns of the pairs done."""
    found = {
        name: figure_of(question, human, own, f"metric {name!r}").value
        for name, own in metrics.items()
    }
    last = float("-inf")
    names = sorted(
        found, key=lambda name: (-(last if np.isnan(found[name]) else found[name]), name)
    )
    p = np.full((len(names),) * 2, np.nan)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    for done, (i, j) in enumerate(pairs, 1):
        both = [metrics[names[i]], metrics[names[j]]]
        p[i, j] = tested(question, human, both, (None, None), swap, n, seed, threads).p
        if tell is not None:
            tell(done)
    values = np.array([found[name] for name in names])
    return Ranking(question.figure, question.by, tuple(names), values, p, alpha)
