"""A study: several metrics and figures at once, with intervals and ranks, as one table."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.checks import check_count, check_level, check_seed
from rapidbleu.meta.bootstrap import FigureInterval, resampled_figures
from rapidbleu.meta.figures import TITLES, Question, outlying
from rapidbleu.meta.ranking import Ranking, ranked
from rapidbleu.meta.scores import as_scores, by_argument
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rapidbleu.meta.scores import _SystemSource
    from rapidbleu.typing import Progress

FIGURES_OF_A_STUDY = (
    ("pearson", "means"),
    ("accuracy", "means"),
    ("kendall", "segment"),
    ("accuracy_eq", "segment"),
)


@dataclass(eq=False)
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

    figure: str
    by: str
    left_out: tuple[str, ...]
    ranking: Ranking
    intervals: dict[str, FigureInterval]

    @property
    def title(self) -> str:
        """The figure, what it is averaged over, and whether outliers are left out."""
        parts = [TITLES[self.figure]]
        if self.by != "none":
            parts.append("of systems" if self.by == "means" else f"by {self.by}")
        if self.left_out:
            parts.append(f"without {', '.join(self.left_out)}")
        return ", ".join(parts)


@dataclass(eq=False, repr=False)
class Study:
    """Figures of several metrics.

    Attributes
    ----------
    metrics : tuple of str
        In the order of the argument.
    columns : list of StudyColumn
    """

    metrics: tuple[str, ...]
    columns: list[StudyColumn]

    def __repr__(self) -> str:
        width = max(map(len, self.metrics))
        lines = []
        for column in self.columns:
            lines.append(column.title)
            for rank, name in zip(column.ranking.ranks, column.ranking.metrics, strict=True):
                own = column.intervals[name]
                ends = f"[{own.low:7.4f}, {own.high:7.4f}]"
                lines.append(f"{rank:3}  {name:{width}}  {own.value:7.4f}  {ends}")
        return "\n".join(lines)


def study(
    human: _SystemSource,
    metrics: Mapping[str, _SystemSource],
    figures: Iterable[tuple[str, str]] = FIGURES_OF_A_STUDY,
    *,
    system_scores: Mapping[str, _SystemSource] | None = None,
    n: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    alpha: float = 0.05,
    threads: int = 1,
    progress: Progress | None = None,
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
    level : float
        Share of the resamples' figures in an interval.
    alpha : float
        p-values up to it are significant.

    Returns
    -------
    Study
        A column for each figure; of those by "means" also one without outliers, if there are any.

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
    check_progress(progress)
    questions = _questions(figures)
    check_count("n", n, 1)
    check_seed(seed)
    check_level(level)
    check_level(alpha, "alpha")
    n_threads = check_threads(threads)
    by_argument(metrics)
    of_systems = dict(metrics)
    if system_scores is not None and not hasattr(system_scores, "items"):
        raise TypeError(f"system_scores: expected a mapping, got {type(system_scores).__name__}")
    for name, scores in (system_scores or {}).items():
        if name not in metrics:
            raise ValueError(f"system_scores: expected names of metrics, got {name!r}")
        of_systems[name] = scores
    people = as_scores(human, "human", by_system=True)
    out = outlying(people.means())
    tasks: list[tuple[Question, list[int]]] = []
    for question in questions:
        tasks += [(question, [])] + [(question, out)] * (question.by == "means" and bool(out))
    n_metrics = len(metrics)
    n_pairs = n_metrics * (n_metrics - 1) // 2
    steps = n_pairs + n_metrics  # tests and intervals of a column
    columns = []
    for i, (question, left_out) in enumerate(tasks):
        tell = teller(progress, len(tasks) * steps, before=i * steps)
        sources = of_systems if question.by_system else metrics
        judged, others = question.match(human, by_argument(sources))
        rows = [row for row in range(len(people.values)) if row not in left_out]
        judged = judged._rows(rows)
        by_name = {name: own._rows(rows) for name, own in zip(sources, others, strict=True)}
        ranking = ranked(question, judged, by_name, "scores", n, seed, alpha, n_threads, tell)
        values = dict(zip(ranking.metrics, ranking.values.tolist(), strict=True))
        intervals = {}
        for done, (name, scores) in enumerate(by_name.items(), n_pairs + 1):
            # Of metrics without scores of the same segments, systems are drawn.
            same = judged.values.shape == scores.values.shape and scores.values.shape[1] > 1
            [samples] = resampled_figures(
                question, judged.values, [scores.values], "segments" if same else "systems", n,
                seed, n_threads,
            )  # fmt: skip
            intervals[name] = FigureInterval(
                values[name], question.figure, question.by, samples, level
            )
            if tell is not None:
                tell(done)
        names = tuple(people.name(row) for row in left_out)
        columns.append(StudyColumn(question.figure, question.by, names, ranking, intervals))
    return Study(tuple(metrics), columns)


def _questions(figures: Iterable[tuple[str, str]]) -> list[Question]:
    found = []
    for i, pair in enumerate(items_of(figures, "figures", "figures")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"figures[{i}]: expected a figure and what it is averaged by")
        found.append(Question(*pair))
    if not found:
        raise ValueError("figures: expected at least one, got none")
    return found
