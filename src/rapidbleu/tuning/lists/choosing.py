"""Which hypotheses of n-best lists weights choose, and how these score."""

from rapidbleu.loading.loader import load
from rapidbleu.parallel import check_threads
from rapidbleu.score import Score
from rapidbleu.tuning.lists.checks import check_vector, check_weights
from rapidbleu.tuning.lists.columns import choose_sparse, chosen_totals, make_columns, sparse_totals
from rapidbleu.unchangeable import Unchangeable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, overload

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import Array, FloatArray, IntArray, Items, Vector, Weights


class Choosing(Unchangeable):
    """What weights do with n-best lists."""

    if TYPE_CHECKING:  # supplied by the list
        _features: Any
        is_sparse: bool
        n_features: int
        names: tuple[str, ...]
        offsets: IntArray
        stats: Array
        metric: RowScoring
        _columns: FeatureColumns | None
        _chooser: Chooser | None
        _counts: IntArray | None

    @property
    def features(self) -> "Any":
        """The features, which share the list's memory; a sparse matrix is an object of its own."""
        if not self.is_sparse:
            return self._features
        from copy import copy

        return copy(self._features)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.offsets) - 1

    def columns(self) -> "FeatureColumns":
        """Return the features as the searches read them, made at the first call."""
        if self.is_sparse:
            raise TypeError("features: expected dense ones, got a sparse matrix")
        if self._columns is None:
            self._columns = make_columns(self._features, self.offsets)
        return self._columns

    def best(self, weights: "Vector") -> "IntArray":
        """Choose the hypothesis of each segment that has the highest weighted sum of features.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict of names to numbers

        Returns
        -------
        int64 array of shape (n_segments,)
            Numbers of rows; of equal ones the first.
        """
        import numpy as np

        vector = check_vector(weights, self.names)
        if self.is_sparse:
            return choose_sparse(self._features, self.offsets, vector)
        chosen: IntArray = np.empty(self.n_segments, np.int64)
        self._make_chooser().choose(vector, chosen, 0, self.n_segments)
        return chosen

    def _make_chooser(self) -> "Chooser":
        """Return what chooses hypotheses by weights, made at the first call."""
        if self._chooser is None:
            Chooser = load("rapidbleu._core.tuning.line_search", "Chooser")
            self._chooser = Chooser(self.columns())
        return self._chooser

    if TYPE_CHECKING:
        @overload
        def evaluate(self, weights: Array, *, threads: int = 1) -> Any: ...
        @overload
        def evaluate(self, weights: Vector, *, threads: int = 1) -> float: ...
        @overload
        def evaluate(self, weights: Items[Items[float]], *, threads: int = 1) -> FloatArray: ...

    def evaluate(self, weights: "Weights", *, threads: int = 1) -> "float | FloatArray":
        """Score the corpora that weights choose.

        Parameters
        ----------
        weights : float array of shape (n_features,) or (m, n_features), or dict
        threads : int
            0 for all cores. The result is the same.

        Returns
        -------
        float or float64 array of shape (m,)
            In the unit of the metric: percent for BLEU.

        Notes
        -----
        Many vectors in one call take a fraction of the time of one after the other.
        """
        vectors = check_weights(weights, self.names)
        n_threads = check_threads(threads)
        if vectors.ndim == 1:
            return self._score(vectors, n_threads)
        return self.metric.score_rows(self._totals(vectors, n_threads))

    def _score(self, weights: "FloatArray", threads: int = 1) -> float:
        """Return the score of the corpus that a vector of weights chooses."""
        import numpy as np

        totals = self._totals(weights[np.newaxis], threads)
        self.metric._kernel.score_rows(totals, score := np.empty(1))
        return float(score[0])

    def _totals(self, vectors: "FloatArray", threads: int) -> "IntArray":
        """Return the summed statistics of what each vector of weights chooses."""
        if self.is_sparse:
            return sparse_totals(self._features, self.offsets, vectors, self.stats, self._counts)
        return chosen_totals(self._make_chooser(), vectors, self.stats, self._counts, threads)

    def score(self, weights: "Vector") -> Score:
        """Return the score of the corpus that weights choose, with its parts.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict

        Returns
        -------
        Score
        """
        return self.metric.score(self._totals(check_vector(weights, self.names)[None], 1))
