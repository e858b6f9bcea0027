"""The score of the statistics that are expected of a corpus, as a smooth function of weights."""

from rapidbleu._core.learning.expectation import Expectation
from rapidbleu.tuning.search.learners import make_learner_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import FloatArray

# Kernels score rows of integers, and scores are ratios of sums, so expected statistics are scored
# in as small a unit as int64 has room for, at most this. Constants that smoothing adds to counts
# are lost; they matter to single segments.
FINEST_UNIT = 2.0**40
MOST_BITS = 61

# A price is the slope of the score over this part of a statistic on either side: the error of the
# slope is of the order of its square.
STEP = 2.0**-17


class ExpectedScore:
    """The score of expected statistics.

    Weights are in units of the spread that their feature has within a segment, scores in units of
    what all hypotheses one standard deviation better are worth, at weights of zero. So both are the
    same whatever features and metric are measured in.

    Parameters
    ----------
    nbest : NBestList

    Attributes
    ----------
    units : float64 array of shape (n_features,)
        Weights for features as they are, for each of these; 0 for a feature that does not vary.
    gain : float
        The unit of scores; 1 if all hypotheses of a segment are worth the same.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList
    >>> comet = MeanScore("COMET")
    >>> features, scores = [[1.0], [2.0], [3.0], [5.0]], comet.rows([0.25, 0.75, 0.5, 0.5])
    >>> score = ExpectedScore(NBestList(features, scores, [0, 2, 4], metric=comet))
    >>> score(np.zeros(1), 1.0)[0] * score.gain
    0.5
    """

    def __init__(self, nbest: "NBestList") -> None:
        import numpy as np

        self._metric = nbest.metric
        counts = nbest._counts
        n_segments = nbest.n_segments if counts is None else int(counts.sum())
        largest = max(abs(int(nbest.stats.max())), abs(int(nbest.stats.min())), 1) * n_segments
        self._unit = min(FINEST_UNIT, 2.0 ** (MOST_BITS - largest.bit_length()))
        columns = None if nbest.is_sparse else nbest.columns()
        self._expectation = Expectation(columns, make_learner_rows(nbest), counts)
        spreads = np.empty(nbest.n_features)
        self._expectation.spreads(spreads)
        self.units = np.divide(1.0, spreads, out=np.zeros_like(spreads), where=spreads > 0)
        self._totals = np.empty(nbest.stats.shape[1])
        self._expectation.expect(np.zeros(nbest.n_features), self._totals)
        _, prices = self._priced()
        variance = self._expectation.gradient(prices, np.empty(nbest.n_features))
        self.gain = float(np.sqrt(variance * n_segments)) or 1.0

    def __call__(
        self, weights: "FloatArray", temperature: float
    ) -> "tuple[float, FloatArray]":
        """Return the score, above 0 for the better, and its gradient.

        Parameters
        ----------
        weights : float64 array of shape (n_features,)
            In units of their features' spread.
        temperature : float
            Probabilities are exponential in the weighted sums over this.
        """
        import numpy as np

        units = self.units / temperature
        self._expectation.expect(weights * units, self._totals)
        score, prices = self._priced()
        self._expectation.gradient(prices, gradient := np.empty_like(weights))
        return score / self.gain, gradient * units / self.gain

    def _priced(self) -> "tuple[float, FloatArray]":
        """Return the score of the expected statistics, and its slope by each of them."""
        import numpy as np

        totals = self._totals
        n = len(totals)
        steps = STEP * np.maximum(np.abs(totals), 1.0)
        above = totals + steps
        # A count does not go below 0.
        below = np.where((totals >= 0.0) & (totals < steps), 0.0, totals - steps)
        rows = np.tile(totals, (2 * n + 1, 1))
        np.fill_diagonal(rows, above)
        np.fill_diagonal(rows[n:], below)
        scores = np.empty(len(rows))
        self._metric._kernel.score_rows(np.rint(rows * self._unit).astype(np.int64), scores)
        if not self._metric.higher_is_better:
            scores = -scores
        return float(scores[-1]), (scores[:n] - scores[n : 2 * n]) / (above - below)
