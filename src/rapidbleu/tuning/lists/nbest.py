"""N-best lists: the hypotheses of each segment with their features and their statistics."""

from rapidbleu.metrics import BLEU
from rapidbleu.metrics.contract.nbest_input import check_offsets, offsets_of
from rapidbleu.parallel import check_threads
from rapidbleu.score import Score
from rapidbleu.scoring import RowScoring
from rapidbleu.tuning.lists.checks import (
    check_features,
    check_hypotheses,
    check_ids,
    check_names,
    check_stats,
    check_vector,
    check_weights,
)
from rapidbleu.tuning.lists.columns import choose_sparse, chosen_totals, make_columns, sparse_totals
from rapidbleu.tuning.lists.merging import merged
from rapidbleu.tuning.lists.saving import load_list, save_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, overload

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu.metrics import Interpolation
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.typing import (
        Array,
        Features,
        FloatArray,
        IntArray,
        Integers,
        Items,
        Layout,
        NBestHypotheses,
        Path,
        ReferenceStreams,
        Vector,
        Weights,
    )


class NBestList:
    """N-best lists with what tuning needs of each hypothesis: a row of features, one of statistics.

    Parameters
    ----------
    features : float32 or float64 array of shape (n, n_features), or SciPy CSR matrix
        Of all hypotheses, segment by segment; other numbers are converted to float64. Sparse
        features are for `pro` and `mira`.
    stats : int64 or int32 array of shape (n, n_stats)
        Of the same hypotheses, such as `Metric.nbest_stats` or `MeanScore.rows` returns.
    offsets : int array of shape (n_segments + 1,)
        The hypotheses of segment i are ``[offsets[i], offsets[i + 1])``; each has at least one.
    metric : metric, optional
        Whose statistics they are; ``BLEU()`` by default.
    names : sequence of str, optional
        Of the features, all different; F0, F1, ... by default.
    hypotheses : sequence of str, optional
        Their texts.
    ids : int array of shape (n_segments,), optional
        Numbers of the segments, all different, by which lists are merged; 0, 1, ... by default.

    Raises
    ------
    TypeError, ValueError
        If something is no number, not finite, or does not fit to the rest; the message names its
        place.

    Notes
    -----
    Arrays of the right type in C order are used in place and must not be changed. Any number of
    threads may use a list.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> from rapidbleu.tuning import NBestList
    >>> hypotheses = [["a b c x", "a b c d e"], ["e f g h", "f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.5, 4], [-1.0, 3]]
    >>> references = [["a b c d e", "e f g h"]]
    >>> nbest = NBestList.from_lists(hypotheses, features, references, names=["lm", "length"])
    >>> nbest
    <NBestList of 2 segments, 4 hypotheses, 2 features>
    >>> nbest.evaluate([[1, 0], [1, 1]]).round(2)
    array([51.96, 63.82])
    """

    _counts: "IntArray | None" = None  # how often each segment counts; once, if None

    def __init__(
        self, features: "Features", stats: "Items[Integers]", offsets: "Integers", *,
        metric: "RowScoring | None" = None, names: "Sequence[str] | None" = None,
        hypotheses: "Sequence[str] | None" = None, ids: "Integers | None" = None,
    ) -> None:  # fmt: skip
        self.metric = BLEU() if metric is None else metric
        if not isinstance(self.metric, RowScoring):
            raise TypeError(f"metric: expected a metric, got {type(metric).__name__}")
        self.features, self.is_sparse = check_features(features)
        n, self.n_features = self.features.shape
        self.offsets = check_offsets(offsets, n, None)
        self.stats = check_stats(stats, n, self.metric._kernel, self.offsets)
        self.ids = check_ids(ids, len(self.offsets) - 1)
        self.names = check_names(names, self.n_features)
        self.hypotheses = check_hypotheses(hypotheses, n)
        self._columns: FeatureColumns | None = None
        self._chooser: Chooser | None = None

    @classmethod
    def from_lists(
        cls, hypotheses: "NBestHypotheses", features: "Features",
        references: "ReferenceStreams | None", *, offsets: "Integers | None" = None,
        metric: "Metric | Interpolation | None" = None, names: "Sequence[str] | None" = None,
        layout: "Layout" = "stream", threads: "int | None" = None,
    ) -> "NBestList":  # fmt: skip
        """Make n-best lists of texts, computing their statistics.

        Parameters
        ----------
        hypotheses, references, offsets, layout, threads
            As in `Metric.nbest_stats`.
        features, metric, names
            As in `NBestList`.

        Returns
        -------
        NBestList
        """
        metric = BLEU() if metric is None else metric
        texts: Any = hypotheses
        stats = metric.nbest_stats(
            hypotheses, references, offsets=offsets, layout=layout, threads=threads
        )
        if offsets is None:
            offsets = offsets_of(hypotheses)
            texts = [hypothesis for several in texts for hypothesis in several]
        return cls(features, stats, offsets, metric=metric, names=names, hypotheses=texts)

    def __getstate__(self) -> "dict[str, Any]":
        return {**vars(self), "_columns": None, "_chooser": None}  # made again when needed

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        return (
            f"<NBestList of {self.n_segments} segments, {len(self)} hypotheses, "
            f"{self.n_features} features>"
        )

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.offsets) - 1

    def columns(self) -> "FeatureColumns":
        """Return the features as the searches read them, made at the first call."""
        if self.is_sparse:
            raise TypeError("features: expected dense ones, got a sparse matrix")
        if self._columns is None:
            self._columns = make_columns(self.features, self.offsets)
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
            return choose_sparse(self.features, self.offsets, vector)
        chosen: IntArray = np.empty(self.n_segments, np.int64)
        self._make_chooser().choose(vector, chosen, 0, self.n_segments)
        return chosen

    def _make_chooser(self) -> "Chooser":
        """Return what chooses hypotheses by weights, made at the first call."""
        if self._chooser is None:
            from rapidbleu._core.tuning.line_search import Chooser

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
        totals = self._totals(vectors.reshape(-1, self.n_features), check_threads(threads))
        scores = self.metric.score_rows(totals)
        return float(scores[0]) if vectors.ndim == 1 else scores

    def _totals(self, vectors: "FloatArray", threads: int) -> "IntArray":
        """Return the summed statistics of what each vector of weights chooses."""
        if self.is_sparse:
            return sparse_totals(self.features, self.offsets, vectors, self.stats, self._counts)
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

    def merge(self, *others: "NBestList") -> "NBestList":
        """Return the hypotheses of this list and of others, without those that are there already.

        Parameters
        ----------
        others : NBestList
            With the same features, unless they are sparse, and the same kind of statistics.
            Segments are the same if their `ids` are; new ones come behind.

        Returns
        -------
        NBestList
            A hypothesis is left out if an earlier one of its segment has equal features and equal
            statistics.

        Notes
        -----
        Takes a sort of all hypotheses, and polls for signals.
        """
        for i, other in enumerate(others):
            if not isinstance(other, NBestList):
                raise TypeError(f"others[{i}]: expected NBestList, got {type(other).__name__}")
        return type(self)(metric=self.metric, **merged([self, *others]))

    def save(self, path: "Path") -> None:
        """Write the list, but not its metric, to an ``.npz`` file at `path`, uncompressed."""
        save_list(path, self)

    @classmethod
    def load(
        cls, path: "Path", *, metric: "RowScoring | None" = None, mmap: bool = False
    ) -> "NBestList":
        """Read a list that `save` wrote.

        Parameters
        ----------
        path : str or path
        metric : metric, optional
            Whose statistics they are; ``BLEU()`` by default.
        mmap : bool
            Leave features and statistics in the file; what searches make goes into a temporary one.

        Returns
        -------
        NBestList

        Raises
        ------
        ValueError
            If the file is no such list.
        """
        parts = load_list(path, mmap)
        try:
            return cls(metric=metric, **parts)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None
