"""Selection of a metric's setting on one half of the segments, and its test on the other half."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.checks import seed_or_fresh
from rapidbleu._lib.lazy import np
from rapidbleu.meta.figures import TITLES, Question, figure_of
from rapidbleu.meta.scores import (
    Column,
    SystemScores,
    as_scores,
    by_argument,
    counted,
    matched,
    names_of,
)
from rapidbleu.parallel import check_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from rapidbleu._types import IntArray, Progress
    from rapidbleu.meta.figures import Agreement
    from rapidbleu.meta.scores import _Names, _ScoreSource, _SystemSource

    _Setting: TypeAlias = _ScoreSource | Callable[[IntArray], _SystemSource]


@dataclass(eq=False, repr=False)
class MetricFit:
    """The setting of a metric that agrees best with humans; returned by `fit_metric`.

    Attributes
    ----------
    statistic, by : str
        As in `correlate`.
    name : str
        The chosen setting.
    train, test : Agreement
        Its agreement on the half it was chosen on, and on the other half.
    values : dict of str to float
        Agreement of each setting on the first half.
    train_segments, test_segments : int64 arrays
        Segments of both halves, ascending.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 20))
    >>> found = fit_metric(human, {"a": human + rng.normal(size=(12, 20)), "b": human})
    >>> found.name, found.test.value > 0.99, len(found.train_segments)
    ('b', True, 10)
    """

    statistic: str
    by: str
    name: str
    train: Agreement
    test: Agreement
    values: dict[str, float]
    train_segments: IntArray
    test_segments: IntArray
    seed: int

    def __repr__(self) -> str:
        n_train, n_test = (
            counted(len(segments), "segment")
            for segments in (self.train_segments, self.test_segments)
        )
        return (
            f"{self.name}: {TITLES[self.statistic]} = {self.test.value:.4f} on {n_test}, chosen "
            f"from {len(self.values)} by {self.train.value:.4f} on {n_train}"
        )


def fit_metric(
    human: _ScoreSource,
    metrics: Mapping[str, _Setting],
    statistic: str = "pearson",
    by: str = "none",
    *,
    documents: _Names | None = None,
    seed: int | None = 12345,
    epsilon: float = 0.0,
    min_difference: float = 25.0,
    progress: Progress | None = None,
) -> MetricFit:
    """Choose a metric's setting on half of the segments and report its agreement on the rest.

    The rest is needed because agreement on the segments that selected a setting is too high. Ties
    go to the first setting. Raises ValueError if every statistic is undefined on the first half.

    Parameters
    ----------
    human, statistic, by, epsilon, min_difference
        As in `correlate`; scores of segments. Segments without a human score are ignored.
    metrics : mapping of str to scores of segments, or to callable
        Scores of each setting, as in `correlate`. With ``by="means"``, for metrics such as BLEU
        whose system score is not the mean of its segment scores, also a function that receives the
        segments of a half (an int64 array) and returns a score per system.
    documents : sequence of str or int, optional
        Document of each segment; documents are not split.
    seed : int or None
        Seed of the random split; None draws one, which the result reports.
    progress : callable, optional
        Called with the number of settings compared and the total.

    References
    ----------
    Lita, Rogati and Lavie 2005, "BLANC: Learning Evaluation Metrics for MT".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(12, 50))
    >>> settings = {f"noise={noise:g}": human + noise * rng.normal(size=(12, 50))
    ...             for noise in (4.0, 0.5, 2.0)}
    >>> fit_metric(human, settings, "kendall", by="segment")
    noise=0.5: Kendall's tau-b = 0.6824 on 25 segments, chosen from 3 by 0.6994 on 25 segments
    """
    question = Question(statistic, by, epsilon, min_difference)
    seed = seed_or_fresh(seed)
    check_progress(progress)
    people = as_scores(human, "human")
    train, test = _halves(people, documents, seed)
    sides = [_segments_of(people, segments) for segments in (train, test)]
    sources = by_argument(metrics)  # type: ignore[arg-type]

    def agreement(where: str, half: int) -> Agreement:
        source, segments = sources[where], (train, test)[half]
        if not callable(source):
            [scores] = matched(people, {where: source})[1]
            return figure_of(question, sides[half], _segments_of(scores, segments), where)
        if not question.by_system:
            raise TypeError(f"{where}: expected scores of segments; got a function")
        side, [scores] = question.match(sides[half], {where: source(segments)})
        return figure_of(question, side, scores, where)

    found = []
    for done, where in enumerate(sources, 1):
        found.append(agreement(where, 0))
        if progress is not None:
            progress(done, len(sources))
    values = {name: own.value for name, own in zip(metrics, found, strict=True)}
    valid = [i for i, own in enumerate(found) if own.value == own.value]
    if not valid:
        raise ValueError(f"metrics: expected one with a value of {statistic!r}; got none")
    best = max(valid, key=lambda i: found[i].value)
    tested = agreement(list(sources)[best], 1)
    return MetricFit(
        statistic, by, list(metrics)[best], found[best], tested, values, train, test, seed
    )


def _halves(human: SystemScores, documents: _Names | None, seed: int) -> tuple[IntArray, IntArray]:
    """Return the segments of two random halves of the documents that humans judged."""
    n_segments = human.values.shape[1]
    judged = np.flatnonzero(~np.isnan(human.values).all(axis=0))
    codes, what = np.arange(len(judged)), "segments"
    if documents is not None:
        names = names_of(documents, "documents")
        if len(names) != n_segments:
            raise ValueError(
                f"documents: expected {n_segments}, one for each segment; got {len(names)}"
            )
        codes, what = Column.of([names[i] for i in judged.tolist()]).codes, "documents"
    n = int(codes.max(initial=-1)) + 1
    if n < 2:
        where = "documents" if documents is not None else "human"
        raise ValueError(f"{where}: expected at least two judged {what}; got {n}")
    chosen = np.zeros(n, bool)
    chosen[np.random.default_rng(seed).permutation(n)[: n // 2]] = True
    return judged[chosen[codes]], judged[~chosen[codes]]


def _segments_of(scores: SystemScores, segments: IntArray) -> SystemScores:
    return SystemScores._like(scores.values[:, segments], scores.systems, None)
