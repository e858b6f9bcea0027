"""Figures of agreement of a metric with people: one call for all of them."""

from rapidbleu._core.meta.figures import Gold
from rapidbleu.meta.figures.cautions import (
    about_missing,
    about_systems,
    about_ties,
    about_value,
)
from rapidbleu.meta.figures.figure import Figure
from rapidbleu.meta.figures.groups import Groups, matched_systems
from rapidbleu.meta.figures.names import check_figure
from rapidbleu.meta.figures.soft import soft_figure
from rapidbleu.meta.scores.matching import matched
from rapidbleu.meta.scores.warning import caution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.meta.scores.table import SystemScores
    from rapidbleu.typing import FloatArray


class Question:
    """A figure, with all that goes with it, to be asked of many scores.

    Parameters
    ----------
    figure, by, epsilon, min_difference
        As in `correlate`; checked.
    """

    def __init__(
        self, figure: str, by: str, epsilon: float = 0.0, min_difference: float = 25.0
    ) -> None:
        check_figure(figure, by, epsilon, min_difference)
        self.figure = figure
        self.by = by
        self.epsilon = float(epsilon)
        self.min_difference = float(min_difference)

    def match(
        self, human: "Any", metrics: "dict[str, Any]"
    ) -> "tuple[SystemScores, list[SystemScores]]":
        """Return scores of the same systems, and of the same segments unless means are asked for.

        Parameters
        ----------
        human : as in `correlate`
        metrics : dict of str to scores as in `correlate`
            The key names the argument in errors.
        """
        if self.by == "means" and self.figure != "soft_accuracy":
            return matched_systems(human, metrics)
        return matched(human, metrics)

    @property
    def in_core(self) -> bool:
        """Whether the core computes it for each group."""
        return self.figure not in ("accuracy_eq", "soft_accuracy")

    def gold(self, groups: Groups) -> Gold:
        """Return the human side, prepared."""
        name = "accuracy" if self.figure == "accuracy_eq" else self.figure
        human = scaled(groups.human) if name in ("pearson", "r2") else groups.human
        return Gold(human, groups.offsets, name, self.min_difference)

    def parts(
        self, gold: Gold, metric: "FloatArray", n_groups: int
    ) -> "tuple[FloatArray, FloatArray]":
        """Return the numerator and denominator of each group."""
        import numpy as np

        up, down = np.empty(n_groups), np.empty(n_groups)
        values = scaled(metric) if self.figure in ("pearson", "r2") else metric
        gold.figures(values, up, down, self.epsilon)
        return up, down


def scaled(values: "FloatArray") -> "FloatArray":
    """Return scores times a power of two, which makes their squares neither overflow nor vanish.

    Examples
    --------
    >>> import numpy as np
    >>> scaled(np.array([1e300, -2e300])).round(3)
    array([ 0.373, -0.747])
    """
    import numpy as np

    most = np.abs(values).max(initial=0.0)
    found: FloatArray = np.ldexp(values, -int(np.frexp(most)[1]))
    return found


def correlate(
    human: "_SystemSource",
    metric: "_SystemSource",
    figure: str = "pearson",
    by: str = "none",
    *,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
) -> Figure:
    """Say how far the scores of a metric agree with those of people.

    Parameters
    ----------
    human, metric : SystemScores, array of shape (n_systems, n_segments), or dict of str to scores
        A dict has the scores of each system by name; nan or None: missing. With ``by="means"``
        also a score for each system: an array of shape (n_systems,), or a dict of str to float.
        If both have names, names say which systems belong together.
    figure : str
        "pearson", "spearman", "kendall" (tau-b) and "kendall_c": the coefficients of these names;
        "r2": Pearson's squared; "accuracy": the share of pairs that the metric orders, or calls
        equal, as people do; "accuracy_eq": the same with the best `epsilon`; "tau23": 2 * accuracy
        - 1; "kendall_like": the shared task's, of pairs that people set far apart;
        "soft_accuracy": that of the p-values of pairs of systems, see `soft_accuracy`.
    by : {"none", "segment", "system", "means"}
        What is compared: all scores together; those of each segment, or of each system, and the
        mean of the figures; or the systems' mean scores.
    epsilon : float
        Differences of the metric's scores up to it are ties; for "kendall", "accuracy", "tau23".
    min_difference : float
        Least difference of human scores for "kendall_like"; with 0, pairs of equal human scores
        count as wrongly ordered, as in mt-metrics-eval.

    Returns
    -------
    Figure
        A score that one side lacks counts on neither side; but with ``by="means"`` each side has
        the mean of its own scores. Segments and systems without a value, as their scores are all
        the same, do not count in a mean. "kendall_like" weighs segments by their pairs.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong: no such figure, other shapes, systems named on one side only.

    Warns
    -----
    MetaWarning
        Where the figure has no value, or says little: fewer than 10 systems, a system without a
        score, a threshold that calls all pairs ties.

    Notes
    -----
    Equal to mt-metrics-eval's to 1e-12, except that it calls a figure without a value 0. Time: n
    log n for n scores of a group, "kendall_like" and any `epsilon` n². Safe to call from several
    threads.

    References
    ----------
    Macháček & Bojar 2014, Results of the WMT14 Metrics Shared Task, section 4 ("kendall_like");
    Kocmi et al. 2021, To Ship or Not to Ship, section 3.3 ("accuracy", means); Deutsch et al.
    2023, Ties Matter, sections 2 and 6 ("accuracy", "tau23", "accuracy_eq"); Stuart 1953
    ("kendall_c").

    Examples
    --------
    >>> human = {"A": [80, 65, 90, 70], "B": [60, 60, 85, 40], "C": [75, 70, None, 80]}
    >>> metric = {"A": [0.7, 0.6, 0.8, 0.6], "B": [0.5, 0.6, 0.7, 0.5], "C": [0.6, 0.8, 0.9, 0.6]}
    >>> correlate(human, metric)
    Pearson's r = 0.7154 (11 scores)
    >>> correlate(human, metric, "accuracy", by="segment")
    pairwise accuracy = 0.8333 (4 segments)
    """
    question = Question(figure, by, epsilon, min_difference)
    wanted, [own] = question.match(human, {"metric": metric})
    return figure_of(question, wanted, own, "metric")


def figure_of(
    question: Question,
    human: "SystemScores",
    metric: "SystemScores",
    where: str,
    tell: "Callable[[str], None]" = caution,
) -> Figure:
    """Return the figure of matched scores, and tell what it lacks; `where` names the metric."""
    import numpy as np

    figure, by = question.figure, question.by
    about_missing(human, "human", tell)
    about_missing(metric, where, tell)
    if figure == "soft_accuracy":
        return soft_figure(human, metric, tell=tell)
    groups = grouped(human, [metric], by)
    n_groups = len(groups.offsets) - 1
    gold = question.gold(groups)
    [scores] = groups.metrics
    with_pairs = np.diff(groups.offsets) > 1
    epsilon = question.epsilon
    if figure == "accuracy_eq":
        value, epsilon, widest = gold.best_epsilon(scores)
        n_with = int(with_pairs.sum())
        if n_with:
            about_ties(epsilon, widest, where, tell)
    else:
        up, down = question.parts(gold, scores, n_groups)
        n_with = int(np.count_nonzero(down))
        value = float(up.sum() / down.sum()) if n_with else float("nan")
    about_value(value, figure, groups, scores, where, tell)
    if by == "means":
        about_systems(len(groups.human), figure, tell)
    if by in ("none", "means"):
        return Figure(value, figure, by, len(groups.human), 0, epsilon)
    return Figure(value, figure, by, n_with, n_groups - n_with, epsilon)


def grouped(human: "SystemScores", metrics: "list[SystemScores]", by: str) -> Groups:
    """Return matched scores in groups; the means of systems are one group."""
    if by != "means":
        return Groups(human.values, [metric.values for metric in metrics], by)
    means = [scores.means().reshape(-1, 1) for scores in (human, *metrics)]
    return Groups(means[0], means[1:], "none")
