"""The bootstrap: figures of resampled segments, systems or both; intervals and paired tests."""

from rapidbleu.counts import check_count
from rapidbleu.meta.differences.difference import Difference, FigureInterval, ends_of
from rapidbleu.meta.differences.sharing import NAMES, shared
from rapidbleu.meta.figures.cautions import silence
from rapidbleu.meta.figures.correlation import Question, figure_of, grouped
from rapidbleu.meta.figures.soft import SoftAccuracy, whole_segments
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.significance.checks import check_level, check_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.typing import Array, FloatArray, Progress

RESAMPLED = ("segments", "systems", "both")
BLOCK = 8  # resamples


def bootstrap_test(
    human: "_SystemSource",
    one: "_SystemSource",
    other: "_SystemSource",
    figure: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n: int = 1000,
    seed: "int | None" = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: "Progress | None" = None,
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
    seed : int or None
        None: another one each time.
    level : float
        Share of the resamples' differences in the interval.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the resamples done and all of them.

    Returns
    -------
    Difference
        With `interval`; `p` is ``(count + 1) / (n + 1)`` for the resamples in which `one` is not
        better. Scores that one of the metrics lacks do not count.

    Raises
    ------
    TypeError, ValueError
        Before anything is drawn, if an argument is wrong.

    Warns
    -----
    MetaWarning
        As `correlate`.

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
    n_threads = check_resampling(resample, n, seed, threads)
    wanted, matched = question.match(human, {"one": one, "other": other})
    metrics = shared(matched)
    samples = resampled_figures(question, wanted, metrics, resample, n, seed, n_threads, progress)
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
    human: "_SystemSource",
    metric: "_SystemSource",
    figure: str = "pearson",
    by: str = "none",
    *,
    resample: str = "segments",
    n: int = 1000,
    seed: "int | None" = 12345,
    level: float = 0.95,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    threads: int = 1,
    progress: "Progress | None" = None,
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

    Raises
    ------
    TypeError, ValueError
        Before anything is drawn, if an argument is wrong.

    Warns
    -----
    MetaWarning
        As `correlate`.

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
    n_threads = check_resampling(resample, n, seed, threads)
    wanted, [own] = question.match(human, {"metric": metric})
    [samples] = resampled_figures(question, wanted, [own], resample, n, seed, n_threads, progress)
    value = figure_of(question, wanted, own, "metric").value
    return FigureInterval(value, figure, by, samples, level)


def check_resampling(resample: str, n: int, seed: "int | None", threads: int) -> int:
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
    human: SystemScores,
    metrics: "list[SystemScores]",
    resample: str,
    n: int,
    seed: "int | None",
    threads: int,
    progress: "Progress | None" = None,
) -> "FloatArray":
    """Return the figures of metrics in n resamples, the same for all.

    Returns
    -------
    float64 array of shape (n_metrics, n)
        nan where there is none.
    """
    import numpy as np

    n_systems, n_segments = human.values.shape
    if resample != "systems":
        for own in metrics:
            if own.values.shape[1] != n_segments or n_segments == 1:
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
        return _sums_of_groups(question, human, metrics, drawn)
    sources = [human.values, *(own.values for own in metrics)]
    if question.figure == "soft_accuracy":
        whole = whole_segments(human, metrics, silence)
        sources = [values[:, whole] for values in sources]
        if columns is not None:
            columns = generator.integers(whole.sum(), size=(n, whole.sum()), dtype=np.int32)
    found = np.empty((len(metrics), n))

    def work(begin: int, end: int, stop: "list[BaseException]") -> None:
        for i in range(begin * BLOCK, min(end * BLOCK, n)):
            own = [
                _drawn(values, None if rows is None else rows[i],
                       None if columns is None else columns[i])
                for values in sources
            ]  # fmt: skip
            found[:, i] = _figures(question, own, stop)

    in_parts(work, -(-n // BLOCK), threads, 1, teller(progress, n, BLOCK))
    return found


def _drawn(values: "FloatArray", rows: "Array | None", columns: "Array | None") -> "FloatArray":
    if rows is not None:
        values = values[rows]
    return values if columns is None else values[:, columns]


def _sums_of_groups(
    question: Question, human: SystemScores, metrics: "list[SystemScores]", drawn: "Array"
) -> "FloatArray":
    """Return figures of resamples of what is averaged over: groups keep their figures."""
    import numpy as np

    found = np.empty((len(metrics), len(drawn)))
    for k, own in enumerate(metrics):
        groups = grouped(human, [own], question.by)
        gold = question.gold(groups)
        up, down = question.parts(gold, groups.metrics[0], len(groups.offsets) - 1)
        for i, chosen in enumerate(drawn):
            total = down[chosen].sum()
            found[k, i] = up[chosen].sum() / total if total else np.nan
    return found


def _figures(
    question: Question, sources: "list[FloatArray]", stop: "list[BaseException]"
) -> "list[float]":
    """Return the figures of metrics in one resample, without warnings."""
    if stop:
        raise stop[0]
    human, metrics = sources[0], sources[1:]
    if question.figure == "soft_accuracy":
        judged = SoftAccuracy(human)
        return [judged.of(own) for own in metrics]
    found = []
    for own in metrics:
        groups = grouped(SystemScores(human), [SystemScores(own)], question.by)
        gold = question.gold(groups)
        if question.figure == "accuracy_eq":
            found.append(gold.best_epsilon(groups.metrics[0], stop)[0])
            continue
        up, down = question.parts(gold, groups.metrics[0], len(groups.offsets) - 1)
        total = down.sum()
        found.append(float(up.sum() / total) if total else float("nan"))
    return found
