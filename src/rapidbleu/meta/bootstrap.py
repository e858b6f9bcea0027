"""The bootstrap: figures of resampled segments, systems or both; intervals and paired tests."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.checks import check_count, check_level, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.meta.differences import NAMES, Difference, shared
from rapidbleu.meta.figures import TITLES, Groups, Question, figure_of
from rapidbleu.meta.soft import SoftAccuracy, whole_segments
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.scores import _SystemSource
    from rapidbleu.typing import Array, FloatArray, Progress

RESAMPLED = ("segments", "systems", "both")
BLOCK = 8  # resamples


@dataclass(eq=False, repr=False)
class FigureInterval:
    """A figure, and the interval of those of resamples.

    Attributes
    ----------
    value : float
    figure, by : str
        As in `correlate`.
    samples : float64 array of shape (n,)
        The figures of the resamples; nan where there is none.
    level : float
        Share of the resamples' figures in the interval.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> FigureInterval(0.5, "kendall", "segment", np.linspace(0.4, 0.6, 101), 0.9)
    Kendall's tau-b = 0.5000 [0.4100, 0.5900]
    """

    value: float
    figure: str
    by: str
    samples: FloatArray
    level: float

    def __post_init__(self) -> None:
        self.low, self.high = ends_of(self.samples, self.level)

    def __repr__(self) -> str:
        return f"{TITLES[self.figure]} = {self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def ends_of(samples: FloatArray, level: float) -> tuple[float, float]:
    """Return the ends of the interval that leaves the same share of samples out on both sides.

    Examples
    --------
    >>> import numpy as np
    >>> ends_of(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    there = samples[~np.isnan(samples)]
    if not len(there):
        return float("nan"), float("nan")
    low, high = np.quantile(there, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def bootstrap_test(
    human: _SystemSource,
    one: _SystemSource,
    other: _SystemSource,
    figure: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Difference:
    """Test whether one metric agrees better with people than another, by resampling.

    Parameters
    ----------
    human, one, other, figure, by, epsilon, min_difference
        As in `correlate`.
    resample : {"segments", "systems", "both"}
        What is drawn with replacement, the same for both metrics.
    n : int
        Resamples.
    level : float
        Share of the resamples' differences in the interval.

    Returns
    -------
    Difference
        With `interval`; `p` is ``(count + 1) / (n + 1)`` for the resamples in which `one` is not
        better. Scores that one of the metrics lacks do not count.

    Notes
    -----
    Takes two figures a resample, but if segments, or systems, are what is averaged over, only
    sums. Ctrl-C ends it.

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
    >>> bootstrap_test(human, good, bad, "kendall", "segment").p
    0.000999000999000999
    """
    check_progress(progress)
    check_level(level)
    question = Question(figure, by, epsilon, min_difference)
    n_threads = _check_resampling(resample, n, seed, threads)
    wanted, matched = question.match(human, {"one": one, "other": other})
    metrics = shared(matched)
    samples = resampled_figures(
        question, wanted.values, [own.values for own in metrics], resample, n, seed, n_threads,
        progress,
    )  # fmt: skip
    first, second = (
        figure_of(question, wanted, own, name).value
        for name, own in zip(NAMES, metrics, strict=True)
    )
    found = samples[0] - samples[1]
    count = n - int((found > 0.0).sum())
    p = (count + 1) / (n + 1) if first == first and second == second else float("nan")
    test, ends = f"bootstrap of {resample}", ends_of(found, level)
    return Difference(test, figure, by, first, second, p, n, count, ends, found)


def interval(
    human: _SystemSource,
    metric: _SystemSource,
    figure: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> FigureInterval:
    """Estimate an interval of a figure by resampling.

    Parameters
    ----------
    human, metric, figure, by, epsilon, min_difference
        As in `correlate`.
    resample, n, seed, level, threads, progress
        As in `bootstrap_test`.

    Returns
    -------
    FigureInterval

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> interval(human, human + rng.normal(size=(12, 50)), "kendall", "segment")
    Kendall's tau-b = 0.5461 [0.5079, 0.5818]
    """
    check_progress(progress)
    check_level(level)
    question = Question(figure, by, epsilon, min_difference)
    n_threads = _check_resampling(resample, n, seed, threads)
    wanted, [own] = question.match(human, {"metric": metric})
    [samples] = resampled_figures(
        question, wanted.values, [own.values], resample, n, seed, n_threads, progress
    )
    value = figure_of(question, wanted, own, "metric").value
    return FigureInterval(value, figure, by, samples, level)


def _check_resampling(resample: str, n: int, seed: int | None, threads: int) -> int:
    """Check what is common to resampling; return the number of threads."""
    if not isinstance(resample, str):
        raise TypeError(f"resample: expected str, got {type(resample).__name__}")
    if resample not in RESAMPLED:
        raise ValueError(f"resample: expected one of {', '.join(RESAMPLED)}, got {resample!r}")
    check_count("n", n, 1)
    check_seed(seed)
    return check_threads(threads)


def resampled_figures(
    question: Question,
    human: FloatArray,
    metrics: list[FloatArray],
    resample: str,
    n: int,
    seed: int | None,
    threads: int,
    progress: Progress | None = None,
) -> FloatArray:
    """Return figures[metric, resample] of n resamples, the same for all metrics; nan: none."""
    n_systems, n_segments = human.shape
    if resample != "systems":
        for own in metrics:
            if own.shape[1] != n_segments or n_segments == 1:
                raise ValueError(
                    f"resample: expected 'systems', as people and metrics have not scores of the "
                    f"same segments, got {resample!r}"
                )
    generator = np.random.default_rng(seed)
    columns = rows = None
    if resample != "systems":
        columns = generator.integers(n_segments, size=(n, n_segments), dtype=np.int32)
    if resample != "segments":
        rows = generator.integers(n_systems, size=(n, n_systems), dtype=np.int32)
    drawn = {"segment": columns, "system": rows}.get(question.by)
    if drawn is not None and resample != "both" and question.in_core:
        return np.array([_sums_of_groups(question, human, own, drawn) for own in metrics])
    sources = [human, *metrics]
    if question.figure == "soft_accuracy":
        whole = whole_segments(sources)
        sources = [values[:, whole] for values in sources]
        if columns is not None:
            columns = generator.integers(whole.sum(), size=(n, whole.sum()), dtype=np.int32)
    found = np.empty((len(metrics), n))

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for i in range(begin * BLOCK, min(end * BLOCK, n)):
            own = sources
            if rows is not None:
                own = [values[rows[i]] for values in own]
            if columns is not None:
                own = [values[:, columns[i]] for values in own]
            found[:, i] = _figures(question, own[0], own[1:], stop)

    in_parts(work, -(-n // BLOCK), threads, 1, teller(progress, n, BLOCK))
    return found


def _sums_of_groups(
    question: Question, human: FloatArray, metric: FloatArray, drawn: Array
) -> FloatArray:
    """Return figures of resamples of what is averaged over: groups keep their figures."""
    up, down = question.parts(Groups(human, [metric], question.by))
    found = np.empty(len(drawn))
    for i, chosen in enumerate(drawn):
        total = down[chosen].sum()
        found[i] = up[chosen].sum() / total if total else np.nan
    return found


def _figures(
    question: Question,
    human: FloatArray,
    metrics: list[FloatArray],
    stop: list[BaseException],
) -> list[float]:
    """Return the figures of metrics in one resample."""
    if stop:
        raise stop[0]
    if question.figure == "soft_accuracy":
        judged = SoftAccuracy(human)
        return [judged.of(own) for own in metrics]
    return [question.value(Groups(human, [own], question.by), stop)[0] for own in metrics]
