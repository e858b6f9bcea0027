"""Minimum risk tuning: weights for the best expected score (Smith & Eisner 2006)."""

from __future__ import annotations

from rapidbleu._core.tuning.gradients import Expectation
from rapidbleu._lib.checks import check_count, items_of, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress
from rapidbleu.tuning.checks import check_number
from rapidbleu.tuning.nbest import in_columns, padded_rows
from rapidbleu.tuning.search.shared import (
    TuningResult,
    check_tunable,
    find_solver,
    make_learner_rows,
    start_weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import FloatArray, IntArray, Items, Progress, StepCallback, Vector
    from rapidbleu.tuning.nbest import NBestList

LEAST_GAIN = 1e-7  # of the solver: minimum gain per step
LEAST_SLOPE = 1e-5  # of the solver: slope at which it stops

# Kernels score integer rows, and scores are ratios of sums, so expected statistics are scored in
# the finest unit that int64 has room for, at most this. Constants that smoothing adds are lost, but
# they matter only to single segments.
FINEST_UNIT = 2.0**40
MOST_BITS = 61

# A price is the slope of the score over this fraction of a statistic on either side; its error is
# of the order of the square.
STEP = 2.0**-17


def risk(
    nbest: NBestList,
    start: Vector | None = None,
    *,
    l2: float = 1e-4,
    temperatures: Items[float] = (1.0,),
    max_steps: int = 100,
    seed: int | None = 12345,
    callback: StepCallback | None = None,
    progress: Progress | None = None,
) -> TuningResult:
    """Tune weights for the best score of the corpus's expected statistics.

    All hypotheses of a segment count, with probabilities exponential in their weighted features.
    The score of the expected statistics is smooth, so L-BFGS works where the score of the best
    hypotheses has a million plateaus; and lucky hypotheses matter less, so weights generalize.

    Weights are scaled to temperature 1; the history has a dict per step: step, temperature,
    expected (score), loss. After Ctrl-C, returns the weights of the last step, or the start. Raises
    ValueError if no features or no statistics differ within a segment, ImportError without SciPy.

    Parameters
    ----------
    nbest : NBestList
        Dense or sparse features, any metric.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        Direction of the start (default: equal probabilities of all hypotheses of a segment).
    l2 : float
        The loss includes half of it times the squared length of the weights. It means the same for
        all features and metrics: weights are in units of their feature's standard deviation in
        segments where it varies, and the loss in units of the gain from hypotheses one deviation
        better.
    temperatures : sequence of float
        Temperatures in order, each started from the last result. Probabilities are exponential in
        the weighted sums divided by the temperature: a high one smooths the function more.
    max_steps : int
        Maximum number of solver steps per temperature.
    seed : int or None
        Ignored; accepted because methods are called with one.
    callback : callable, optional
        Called with the history entry of each step.
    progress : callable, optional
        Called with the steps done and their maximum, at the end with the maximum for both.

    Notes
    -----
    This scores the expected statistics; the expected score has no short formula for a corpus
    metric. The gradient equals the linearized score's at the expected statistics, but stays
    exact wherever the weights go, as a solver with line searches requires.

    A step takes one or two passes over features and statistics, without the GIL. Memory: 8 bytes
    per hypothesis, and 2 for each statistic if all are below 65,536, else 8.

    References
    ----------
    David A. Smith and Jason Eisner. 2006. Minimum Risk Annealing for Training Log-Linear Models.
    COLING/ACL, sections 3 and 4. Antti-Veikko I. Rosti, Bing Zhang, Spyros Matsoukas and Richard
    Schwartz. 2010. BBN System Description for WMT10 System Combination Task. WMT (expected counts).

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> from rapidbleu.tuning import NBestList
    >>> hypotheses = [["a b c x", "a b c d e"], ["f g h", "e f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.0, 3], [-1.5, 4]]
    >>> nbest = NBestList.from_lists(hypotheses, features, [["a b c d e", "e f g h"]])
    >>> round(risk(nbest).score, 2)
    100.0
    """
    check_progress(progress)
    check_progress(callback, "callback")
    solve = find_solver("risk")
    penalty = check_number("l2", l2, 0.0)
    heats = [
        check_number(f"temperatures[{i}]", heat, 0.0, above=True)
        for i, heat in enumerate(items_of(temperatures, "temperatures", "numbers"))
    ]
    if not heats:
        raise ValueError("temperatures: expected at least one; got none")
    n_steps = check_count("max_steps", max_steps, 1)
    seed = seed_or_fresh(seed)
    first = start_weights(nbest, start)
    check_tunable(nbest)
    expected = ExpectedScore(nbest)
    units = expected.units
    current = np.divide(first, units, out=np.zeros_like(first), where=units > 0)
    length = float(np.linalg.norm(current))
    current = current / length if length > 0.0 else current
    history: list[dict[str, Any]] = []
    heat = heats[0]
    last = (0.0, 0.0)
    interrupted = False

    def loss_and_gradient(point: FloatArray) -> tuple[float, FloatArray]:
        nonlocal last
        score, gradient = expected(point, heat)
        last = score, 0.5 * penalty * float(point @ point) - score
        return last[1], penalty * point - gradient

    def after_step(point: FloatArray) -> None:
        nonlocal current
        current = point.copy()
        score = nbest.metric._gain(last[0] * expected.gain)
        history.append(
            {"step": len(history) + 1, "temperature": heat, "expected": score, "loss": last[1]}
        )
        if callback is not None:
            callback(history[-1])
        if progress is not None:
            progress(len(history), n_steps * len(heats))

    try:
        for temperature in heats:
            heat = temperature  # of the functions above
            solve(
                loss_and_gradient,
                current,
                method="L-BFGS-B",
                jac=True,
                callback=after_step,
                options={"maxiter": n_steps, "ftol": LEAST_GAIN, "gtol": LEAST_SLOPE},
            )
    except KeyboardInterrupt:
        interrupted = True
    if progress is not None and not interrupted and len(history) < n_steps * len(heats):
        progress(n_steps * len(heats), n_steps * len(heats))  # steps that were not needed
    weights = current * units / heat
    score = nbest.evaluate(weights)
    return TuningResult(weights, nbest.names, score, "risk", history, interrupted, seed)


def expectation_of(nbest: NBestList, counts: IntArray | None) -> Expectation:
    """Return the expected statistics of a list whose segments count so often.

    The columns of statistics take 2 bytes a count, or 8 if any exceeds 65,535.
    """
    columns = None if nbest.is_sparse else nbest._feature_columns()
    stats, rows = nbest.stats, padded_rows(nbest.offsets, len(nbest.stats))
    kind = np.uint16 if stats.min() >= 0 and stats.max() < 1 << 16 else np.float64
    turned = in_columns(stats, rows, np.empty((stats.shape[1], len(rows)), kind))
    return Expectation(columns, make_learner_rows(nbest), turned, counts)


class ExpectedScore:
    """The score of expected statistics.

    Weights are in units of their feature's spread within a segment, and scores in units of the gain
    if all hypotheses were one standard deviation better, at weights of zero; so both are
    independent of the scale of features and metric. `units` converts weights to weights for raw
    features, 0 for constant ones; `gain` is the unit of scores, 1 if scores do not differ.

    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import NBestList
    >>> comet = SegmentScores("COMET")
    >>> features, scores = [[1.0], [2.0], [3.0], [5.0]], comet.stats([0.25, 0.75, 0.5, 0.5])
    >>> score = ExpectedScore(NBestList(features, scores, [0, 2, 4], metric=comet))
    >>> score(np.zeros(1), 1.0)[0] * score.gain
    0.5
    """

    def __init__(self, nbest: NBestList) -> None:
        self._metric = nbest.metric
        counts = nbest._counts
        n_segments = nbest.n_segments if counts is None else int(counts.sum())
        largest = max(abs(int(nbest.stats.max())), abs(int(nbest.stats.min())), 1) * n_segments
        self._unit = min(FINEST_UNIT, 2.0 ** (MOST_BITS - largest.bit_length()))
        self._expectation = expectation_of(nbest, counts)
        spreads = np.empty(nbest.n_features)
        self._expectation.spreads(spreads)
        self.units = np.divide(1.0, spreads, out=np.zeros_like(spreads), where=spreads > 0)
        self._totals = np.empty(nbest.stats.shape[1])
        self._expectation.expect(np.zeros(nbest.n_features), self._totals)
        _, prices = self._priced()
        variance = self._expectation.gradient(prices, np.empty(nbest.n_features))
        self.gain = float(np.sqrt(variance * n_segments)) or 1.0

    def __call__(self, weights: FloatArray, temperature: float) -> tuple[float, FloatArray]:
        """Return the score, negated for an error rate, and its gradient.

        Weights are in units of their features' spread; probabilities are exponential in the
        weighted sums divided by the temperature.
        """
        units = self.units / temperature
        self._expectation.expect(weights * units, self._totals)
        score, prices = self._priced()
        self._expectation.gradient(prices, gradient := np.empty_like(weights))
        return score / self.gain, gradient * units / self.gain

    def _priced(self) -> tuple[float, FloatArray]:
        """Return the score of the expected statistics, and its slope by each of them."""
        totals = self._totals
        n = len(totals)
        steps = STEP * np.maximum(np.abs(totals), 1.0)
        above = totals + steps
        # Counts stay at 0 or above.
        below = np.where((totals >= 0.0) & (totals < steps), 0.0, totals - steps)
        rows = np.tile(totals, (2 * n + 1, 1))
        np.fill_diagonal(rows, above)
        np.fill_diagonal(rows[n:], below)
        scores = np.empty(len(rows))
        self._metric._kernel.score_rows(np.rint(rows * self._unit).astype(np.int64), scores)
        if not self._metric.higher_is_better:
            scores = -scores
        return float(scores[-1]), (scores[:n] - scores[n : 2 * n]) / (above - below)
