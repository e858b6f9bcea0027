"""The permutation test: is a metric better by more than swaps of scores at random explain?"""

from rapidbleu.counts import check_count
from rapidbleu.meta.differences.difference import Difference
from rapidbleu.meta.differences.hybrids import Hybrids
from rapidbleu.meta.differences.sharing import NAMES, shared
from rapidbleu.meta.differences.verdicts import swapped_verdicts
from rapidbleu.meta.figures.correlation import Question, figure_of
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import caution
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.significance.checks import check_seed
from rapidbleu.significance.draws import Draws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.typing import FloatArray, Progress

SWAPS = ("scores", "segments", "systems", "pairs")
SLACK = 1e-12  # figures that differ by less are equal
BLOCK = 32  # trials, which start at a whole word of coins


def permutation_test(
    human: "_SystemSource",
    one: "_SystemSource",
    other: "_SystemSource",
    figure: str = "pearson",
    by: str = "none",
    *,
    swap: str = "scores",
    n: int = 1000,
    seed: "int | None" = 12345,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: "Progress | None" = None,
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
    seed : int or None
        None: another one each time.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the trials done and all of them.

    Returns
    -------
    Difference
        `p` is ``(count + 1) / (n + 1)`` for the trials whose difference is at least that of the
        metrics. Scores that people or one of the metrics lack do not count.

    Raises
    ------
    TypeError, ValueError
        Before anything is swapped, if an argument is wrong.

    Warns
    -----
    MetaWarning
        As `correlate`.

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
    metrics: "list[SystemScores]",
    names: "tuple[str, ...]",
    swap: str,
    n: int,
    seed: "int | None",
    threads: int,
    progress: "Progress | None" = None,
    tell: "Callable[[str], None]" = caution,
) -> Difference:
    """Return the result for two metrics whose scores are matched; cautions have their names."""
    if question.by == "means":
        metrics = _alike(metrics, swap)
    metrics = shared(metrics)
    values = [
        figure_of(question, human, own, name, tell)
        for name, own in zip(names, metrics, strict=True)
    ]
    if swap == "pairs":
        epsilons = [value.epsilon for value in values]
        real, found = swapped_verdicts(question, human, metrics, epsilons, n, seed, progress)
    else:
        real, found = swapped_scores(question, human, metrics, swap, n, seed, threads, progress)
    count = int((found >= real - SLACK).sum())
    p = (count + 1) / (n + 1) if real == real else float("nan")
    first, second = (value.value for value in values)
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
            f"swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only, "
            f"got {question.figure!r}"
        )
    if swap != "pairs" and question.epsilon:
        raise ValueError(
            f"epsilon: expected 0 unless pairs are swapped, as swapped scores are standardized, "
            f"got {question.epsilon}"
        )


def _alike(metrics: "list[SystemScores]", swap: str) -> "list[SystemScores]":
    """Return metrics with scores of the same segments, or else with the means of systems."""
    n, m = (own.values.shape[1] for own in metrics)
    if n != m:
        metrics = [SystemScores(own.means().reshape(-1, 1), own.systems) for own in metrics]
    if swap == "segments" and metrics[0].values.shape[1] == 1:
        raise ValueError(
            "swap: expected 'scores' or 'systems', as there is a score for each system, got "
            "'segments'"
        )
    return metrics


def swapped_scores(
    question: Question,
    human: SystemScores,
    metrics: "list[SystemScores]",
    swap: str,
    n: int,
    seed: "int | None",
    threads: int,
    progress: "Progress | None",
) -> "tuple[float, FloatArray]":
    """Return the difference of the standardized metrics, and those of the hybrids of n trials."""
    import numpy as np

    hybrids = Hybrids(question, human, metrics, swap)
    left, right = np.full(n, np.nan), np.full(n, np.nan)
    if not hybrids.n_units:
        return float("nan"), left
    draws = Draws(seed, hybrids.n_units)
    unswapped = np.full((hybrids.n_units + 31) // 32, -1, np.int32).view(np.uint32)
    one, other = np.empty(1), np.empty(1)
    hybrids.figures(unswapped, one, other, [])

    def work(begin: int, end: int, stop: "list[BaseException]") -> None:
        for block in range(begin, end):
            first, last = block * BLOCK, min((block + 1) * BLOCK, n)
            coins = draws.coins(n, first, last - first)
            hybrids.figures(coins, left[first:last], right[first:last], stop)

    in_parts(work, -(-n // BLOCK), threads, 1, teller(progress, n, BLOCK))
    found: FloatArray = left - right
    return float(one[0] - other[0]), found
