"""Oracle selection: the hypotheses of n-best lists that together have the best corpus score.

A corpus score is not the mean of segment scores, so the best hypothesis of a segment depends on
the choices for all other segments. Both searches are a few lines on top of `RunningScore`, which
scores an alternative for a segment in a dozen nanoseconds.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, seed_or_fresh
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.nbest import check_filled, check_offsets, offsets_of
from rapidbleu.parallel import check_progress, part_of
from rapidbleu.running import RunningScore
from rapidbleu.score import check_metric
from rapidbleu.stats import check_rows, rows_given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from rapidbleu._types import (
        IntArray,
        Integers,
        Items,
        Layout,
        NBestHypotheses,
        Progress,
        ReferenceStreams,
    )
    from rapidbleu.score import Score

GIVEN = 2  # number of climbs from fixed starts


class Oracle:
    """The result of an oracle selection.

    Attributes
    ----------
    score : Score
        Score of the corpus of chosen hypotheses.
    choices : int64 array of shape (n_segments,)
        Index of the chosen hypothesis of each segment.
    seed : int or None
        Seed of the climbs; None for `select_greedily`, which is deterministic.
    """

    def __init__(self, score: Score, choices: IntArray, seed: int | None = None) -> None:
        self.score = score
        self.choices = choices
        self.seed = seed

    def __repr__(self) -> str:
        return f"<Oracle of {len(self.choices)} segments, {self.score}>"


def select_oracle(
    hypotheses: NBestHypotheses,
    references: ReferenceStreams | None,
    *,
    offsets: Integers | None = None,
    metric: Metric | None = None,
    layout: Layout = "stream",
    restarts: int = 8,
    seed: int | None = 12345,
    threads: int = 1,
    progress: Progress | None = None,
) -> Oracle:
    """Return the `Oracle` of n-best lists: the hypotheses with the best corpus score.

    Parameters
    ----------
    hypotheses, references, offsets, layout, threads
        As in `Metric.nbest_stats`.
    metric : Metric, optional
        Metric to maximize, or minimize for an error rate (default: ``BLEU()``).
    restarts, seed
        As in `select_by_stats`.
    progress : callable, optional
        Called with the number of hypotheses read and the total. Each is read once for its
        statistics and once per climb.

    Examples
    --------
    >>> nbest = [["a b c d", "a b d c"], ["e f g x", "e f g h i"]]
    >>> oracle = select_oracle(nbest, [["a b c d e", "e f g h"]])
    >>> oracle.choices
    array([0, 1])
    """
    metric = check_metric(BLEU() if metric is None else metric, method="nbest_stats")
    check_progress(progress)
    passes = 1 + check_count("restarts", restarts, 0) + GIVEN
    rows = metric.nbest_stats(
        hypotheses,
        references,
        offsets=offsets,
        layout=layout,
        threads=threads,
        progress=part_of(progress, 0, passes),
    )
    if offsets is None:
        offsets = offsets_of(hypotheses)
        check_filled(offsets, nested=True)
    n = len(rows)
    told = None if progress is None else lambda done, _: progress(n * (1 + done), n * passes)
    return select_by_stats(metric, rows, offsets, restarts=restarts, seed=seed, progress=told)


def select_by_stats(
    metric: Metric,
    rows: Items[Integers],
    offsets: Integers,
    *,
    restarts: int = 8,
    seed: int | None = 12345,
    progress: Progress | None = None,
) -> Oracle:
    """Choose from rows of statistics by hill climbing.

    `rows`, int of shape (n, n_stats), contains the rows of all hypotheses, segment by segment;
    `offsets` contains the index of each segment's first row, and n. Climbs start from the greedy
    selection, from the first hypotheses, and from `restarts` random choices. The result depends
    only on the seed, and is at least as good as `select_greedily` and as the first hypotheses. A
    climb changes one segment at a time, so it may miss the best corpus.

    >>> bleu = BLEU(max_ngram_order=2)
    >>> rows = [[4, 5, 4, 3, 4, 3], [5, 5, 4, 2, 5, 4], [3, 4, 2, 1, 3, 2], [4, 4, 3, 2, 4, 3]]
    >>> oracle = select_by_stats(bleu, rows, [0, 2, 4])
    >>> oracle.choices, round(oracle.score.score, 2)
    (array([0, 1]), 75.36)
    """
    Random = load("random", "Random")
    check_count("restarts", restarts, 0)
    check_progress(progress)
    alternatives = _split(metric, rows, offsets)
    seed = seed_or_fresh(seed)
    random = Random(seed)
    starts = [
        _choose_greedily(metric, alternatives),
        np.zeros(len(alternatives), np.int64),
        *(
            np.array([random.randrange(len(several)) for several in alternatives], np.int64)
            for _ in range(restarts)
        ),
    ]
    best = -np.inf
    for done, start in enumerate(starts, 1):
        running = RunningScore(metric, _rows_of(alternatives, start))
        _climb(running, alternatives, start, random)
        if (gain := metric._gain(running.score)) > best:
            best = gain
            choices = start
            stats = running.stats
        if progress is not None:
            progress(done, len(starts))
    return Oracle(metric.score(stats), choices, seed)


def select_greedily(metric: Metric, rows: Items[Integers], offsets: Integers) -> Oracle:
    """Choose from rows of statistics in one pass, always the best so far."""
    alternatives = _split(metric, rows, offsets)
    choices = _choose_greedily(metric, alternatives)
    return Oracle(metric.score(_rows_of(alternatives, choices)), choices)


def _choose_greedily(metric: Metric, alternatives: list[IntArray]) -> IntArray:
    """Return choices made in one pass, with all later segments empty."""
    choices = np.zeros(len(alternatives), np.int64)
    running = RunningScore(metric, np.zeros((len(alternatives), alternatives[0].shape[1]), int))
    for i, options in enumerate(alternatives):
        choices[i], _ = running.best_of(i, options)
        running.replace(i, options[choices[i]])
    return choices


def _climb(
    running: RunningScore, alternatives: list[IntArray], choices: IntArray, random: Random
) -> None:
    """Improve one segment at a time until a full pass finds no improvement."""
    metric = running.metric
    order = list(range(len(alternatives)))
    score = running.score
    unchanged = 0
    while unchanged < len(order):
        random.shuffle(order)
        for i in order:
            k, what_if = running.best_of(i, alternatives[i])
            unchanged += 1
            if metric._gain(what_if) > metric._gain(score):
                score = running.replace(i, alternatives[i][k])
                choices[i], unchanged = k, 0


def _rows_of(alternatives: list[IntArray], choices: IntArray) -> IntArray:
    return np.stack([options[k] for options, k in zip(alternatives, choices, strict=True)])


def _split(metric: Metric, rows: Items[Integers], offsets: Integers) -> list[IntArray]:
    table = check_rows(rows_given(rows, metric, "rows"), metric._kernel, "rows")
    ends = check_offsets(offsets, len(table), None)
    check_filled(ends)
    return np.split(table, ends[1:-1])
