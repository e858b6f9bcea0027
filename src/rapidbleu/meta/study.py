"""A study: several metrics and figures at once, with intervals and ranks, as one table."""

from rapidbleu.counts import check_count
from rapidbleu.meta.differences.bootstrap import resampled_figures
from rapidbleu.meta.differences.difference import FigureInterval
from rapidbleu.meta.differences.ranking import named, rank_metrics
from rapidbleu.meta.figures.correlation import Question
from rapidbleu.meta.figures.figure import title_of
from rapidbleu.meta.figures.groups import with_systems
from rapidbleu.meta.figures.names import check_figure
from rapidbleu.meta.figures.outliers import outlying
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.sequences import items_of
from rapidbleu.significance.checks import check_level, check_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rapidbleu.meta.differences.ranking import Ranking
    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.typing import Progress

FIGURES_OF_A_STUDY = (
    ("pearson", "means"),
    ("accuracy", "means"),
    ("kendall", "segment"),
    ("accuracy_eq", "segment"),
)


class StudyColumn:
    """One figure of all metrics.

    Attributes
    ----------
    figure, by : str
        As in `correlate`.
    left_out : tuple of str
        Systems that were left out as outliers.
    ranking : Ranking
    intervals : dict of str to FigureInterval
        For each metric.
    """

    def __init__(
        self,
        figure: str,
        by: str,
        left_out: "tuple[str, ...]",
        ranking: "Ranking",
        intervals: "dict[str, FigureInterval]",
    ) -> None:
        self.figure = figure
        self.by = by
        self.left_out = left_out
        self.ranking = ranking
        self.intervals = intervals

    @property
    def title(self) -> str:
        """The figure, what it is averaged over, and whether outliers are left out."""
        parts = [title_of(self.figure)]
        if self.by != "none":
            parts.append("of systems" if self.by == "means" else f"by {self.by}")
        if self.left_out:
            parts.append(f"without {', '.join(self.left_out)}")
        return ", ".join(parts)


class Study:
    """Figures of several metrics.

    Attributes
    ----------
    metrics : tuple of str
        As they were given.
    columns : list of StudyColumn
    """

    def __init__(self, metrics: "tuple[str, ...]", columns: "list[StudyColumn]") -> None:
        self.metrics = metrics
        self.columns = columns

    def __repr__(self) -> str:
        width = max(map(len, self.metrics))
        lines = []
        for column in self.columns:
            lines.append(column.title)
            ranking = column.ranking
            for rank, name, value in zip(
                ranking.ranks, ranking.metrics, ranking.values, strict=True
            ):
                found = column.intervals[name]
                ends = f"[{found.low:7.4f}, {found.high:7.4f}]"
                lines.append(f"{rank:3}  {name:{width}}  {value:7.4f}  {ends}")
        return "\n".join(lines)


def study(
    human: "_SystemSource",
    metrics: "Mapping[str, _SystemSource]",
    figures: "Iterable[tuple[str, str]]" = FIGURES_OF_A_STUDY,
    *,
    system_scores: "Mapping[str, _SystemSource] | None" = None,
    n: int = 1000,
    seed: "int | None" = 12345,
    level: float = 0.95,
    alpha: float = 0.05,
    threads: int = 1,
    progress: "Progress | None" = None,
) -> Study:
    """Compare metrics with people by several figures.

    Parameters
    ----------
    human : as in `correlate`
    metrics : mapping of str to scores as in `correlate`
    figures : iterable of (figure, by)
        As in `correlate`.
    system_scores : mapping of str to scores of systems, optional
        Of metrics whose score of a system is not the mean of its segments', such as BLEU; for
        figures by "means".
    n : int
        Trials of each test, and resamples of each interval: of segments, but of systems where a
        metric has no score of segments.
    seed : int or None
        None: another one each time.
    level : float
        Share of the resamples' figures in an interval.
    alpha : float
        p-values up to it are significant.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the tests and intervals done and all of them.

    Returns
    -------
    Study
        A column for each figure; of those by "means" also one without outliers, if there are any.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.

    Warns
    -----
    MetaWarning
        As `correlate`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> noisy = {name: human + size * rng.normal(size=(12, 50))
    ...          for name, size in (("good", 1.0), ("better", 0.5))}
    >>> study(human, noisy, [("kendall", "segment"), ("pearson", "segment")], n=200)
    Kendall's tau-b, by segment
      1  better   0.6909  [ 0.6557,  0.7243]
      2  good     0.5461  [ 0.5174,  0.5819]
    Pearson's r, by segment
      1  better   0.8734  [ 0.8474,  0.8939]
      2  good     0.7338  [ 0.7033,  0.7747]
    """
    import numpy as np

    check_progress(progress)
    questions = _checked(figures)
    check_count("n", n, 1)
    check_seed(seed)
    check_level(level)
    n_threads = check_threads(threads)
    named(metrics)
    of_systems = dict(metrics)
    if system_scores is not None and not hasattr(system_scores, "items"):
        raise TypeError(f"system_scores: expected a mapping, got {type(system_scores).__name__}")
    for name, scores in (system_scores or {}).items():
        if name not in metrics:
            raise ValueError(f"system_scores: expected names of metrics, got {name!r}")
        of_systems[name] = scores
    people = with_systems(human, "human")
    out = outlying(people.means())
    tasks: list[tuple[str, str, list[int]]] = []
    for figure, by in questions:
        tasks.append((figure, by, []))
        if by == "means" and out:
            tasks.append((figure, by, out))
    n_metrics = len(metrics)
    steps = n_metrics * (n_metrics - 1) // 2 + n_metrics  # tests and intervals of a column
    columns = []
    for i, (figure, by, left_out) in enumerate(tasks):
        tell = teller(progress, len(tasks) * steps, before=i * steps)
        by_system = by == "means" and figure != "soft_accuracy"
        sources = of_systems if by_system else metrics
        question = Question(figure, by)
        match = question.match(human, named(sources))
        kept = np.delete(np.arange(len(people.values)), left_out).tolist()
        judged, *own = (scores.kept(kept) for scores in (match[0], *match[1]))
        by_name = dict(zip(sources, own, strict=True))
        ranking = rank_metrics(
            judged, by_name, figure, by, n=n, seed=seed, alpha=alpha, threads=threads,
            progress=None if tell is None else _of_a_column(tell),
        )  # fmt: skip
        values = dict(zip(ranking.metrics, ranking.values.tolist(), strict=True))
        intervals = {}
        for done, (name, scores) in enumerate(by_name.items(), 1):
            [samples] = resampled_figures(
                question, judged, [scores], _resampled(judged, scores), n, seed, n_threads
            )
            intervals[name] = FigureInterval(values[name], figure, by, samples, level)
            if tell is not None:
                tell(steps - n_metrics + done)
        names = tuple(people.name(i) for i in left_out)
        columns.append(StudyColumn(figure, by, names, ranking, intervals))
    return Study(tuple(metrics), columns)


def _of_a_column(tell: "Callable[[int], object]") -> "Progress":
    """Return progress that is told of tests only."""

    def progress(done: int, n: int) -> None:
        tell(done)

    return progress


def _checked(figures: "Iterable[tuple[str, str]]") -> "list[tuple[str, str]]":
    found = []
    for i, pair in enumerate(items_of(figures, "figures", "figures")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"figures[{i}]: expected a figure and what it is averaged by")
        check_figure(*pair)
        found.append((pair[0], pair[1]))
    if not found:
        raise ValueError("figures: expected at least one, got none")
    return found


def _resampled(human: SystemScores, metric: SystemScores) -> str:
    """Return what is drawn for an interval: systems, if there is only a score for each."""
    same = human.values.shape == metric.values.shape
    return "segments" if same and human.values.shape[1] > 1 else "systems"
