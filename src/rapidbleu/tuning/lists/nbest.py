"""N-best lists: the hypotheses of each segment with their features and their statistics."""

from __future__ import annotations

from rapidbleu._lib.checks import check_type
from rapidbleu._lib.files import replacing
from rapidbleu._lib.frozen import Unchangeable, frozen, read_only
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.nbest import check_offsets, offsets_of
from rapidbleu.parallel import check_threads, in_parts
from rapidbleu.rows.archives import join_texts, new_archive, read_arrays, split_texts, write_array
from rapidbleu.score import Score
from rapidbleu.scoring import RowScoring, check_metric
from rapidbleu.tuning.lists.checks import (
    check_counts,
    check_features,
    check_hypotheses,
    check_ids,
    check_names,
    check_stats,
    check_vector,
    check_weights,
)
from rapidbleu.tuning.lists.merging import merged
from rapidbleu.tuning.lists.segments import rows_of
from rapidbleu.tuning.lists.sparse import make_csr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, overload

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu.metrics import Interpolation
    from rapidbleu.metrics.metric import Metric
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
        Progress,
        ReferenceStreams,
        Vector,
        Weights,
    )

# Sums of features that one thread makes at least: a tenth of a millisecond of work.
PART = 200_000

# Arrays of a saved list that may stay in the file.
MAPPED = ("features", "stats")


class NBestList(Unchangeable):
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
    A list cannot be changed; make a new one of its parts. Features and statistics of the right type
    in C order are used in place: do not change them. Any number of threads may use a list.

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

    _counts: IntArray | None = None  # how often each segment counts; once, if None
    _fixed = frozenset(
        ("features", "stats", "offsets", "metric", "names", "hypotheses", "ids", "is_sparse",
         "n_features")
    )  # fmt: skip
    _remedy = (
        "a list cannot be changed; make a new one with NBestList(nbest.features, nbest.stats, "
        "nbest.offsets, metric=nbest.metric, names=nbest.names, ids=nbest.ids)"
    )

    def __init__(
        self, features: Features, stats: Items[Integers], offsets: Integers, *,
        metric: RowScoring | None = None, names: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None, ids: Integers | None = None,
    ) -> None:  # fmt: skip
        self.metric: RowScoring = check_metric(BLEU() if metric is None else metric)
        self._features, self.is_sparse = check_features(features)
        n, self.n_features = self._features.shape
        self.offsets = frozen(check_offsets(offsets, n, None))
        self.stats = read_only(check_stats(stats, n, self.metric._kernel, self.offsets))
        self.ids = frozen(check_ids(ids, len(self.offsets) - 1))
        self.names = check_names(names, self.n_features)
        self.hypotheses = check_hypotheses(hypotheses, n)
        self._columns: FeatureColumns | None = None
        self._chooser: Chooser | None = None

    @classmethod
    def _made(
        cls, features: Array, stats: Array, offsets: IntArray, metric: RowScoring,
        names: tuple[str, ...], ids: IntArray, hypotheses: Sequence[str] | None,
    ) -> NBestList:  # fmt: skip
        """Return a list of dense parts that this package has made, which need no check."""
        made = cls.__new__(cls)
        vars(made).update(
            metric=metric, _features=read_only(features), is_sparse=False,
            n_features=features.shape[1], offsets=frozen(offsets), stats=read_only(stats),
            ids=frozen(ids), names=names, hypotheses=hypotheses, _columns=None, _chooser=None,
        )  # fmt: skip
        return made

    @classmethod
    def from_lists(
        cls, hypotheses: NBestHypotheses, features: Features,
        references: ReferenceStreams | None, *, offsets: Integers | None = None,
        metric: Metric | Interpolation | None = None, names: Sequence[str] | None = None,
        layout: Layout = "stream", threads: int = 1,
        progress: Progress | None = None,
    ) -> NBestList:  # fmt: skip
        """Make n-best lists of texts, computing their statistics.

        Parameters
        ----------
        hypotheses, references, offsets, layout, threads, progress
            As in `Metric.nbest_stats`.
        features, metric, names
            As in `NBestList`.

        Returns
        -------
        NBestList
        """
        metric = check_metric(BLEU() if metric is None else metric, method="nbest_stats")
        texts: Any = hypotheses
        stats = metric.nbest_stats(
            hypotheses,
            references,
            offsets=offsets,
            layout=layout,
            threads=threads,
            progress=progress,
        )
        if offsets is None:
            offsets = offsets_of(hypotheses)
            texts = [hypothesis for several in texts for hypothesis in several]
        return cls(features, stats, offsets, metric=metric, names=names, hypotheses=texts)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_columns": None, "_chooser": None}  # made again when needed

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = {name: state[name] for name in ("metric", "names", "hypotheses", "ids")}
        NBestList.__init__(self, state["_features"], state["stats"], state["offsets"], **parts)
        if (counts := state.get("_counts")) is not None:
            self._counts = check_counts(counts, self.stats, self.offsets)
        known = vars(self)
        known.update({name: state[name] for name in state.keys() - known.keys()})  # a subclass's

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        return (
            f"<NBestList of {self.n_segments} segments, {len(self)} hypotheses, "
            f"{self.n_features} features>"
        )

    @property
    def features(self) -> Any:
        """The features, which share the list's memory; a sparse matrix is an object of its own."""
        if not self.is_sparse:
            return self._features
        from copy import copy

        return copy(self._features)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.offsets) - 1

    def columns(self) -> FeatureColumns:
        """Return the features as the searches read them, made at the first call."""
        if self.is_sparse:
            raise TypeError("features: expected dense ones, got a sparse matrix")
        if self._columns is None:
            self._columns = make_columns(self._features, self.offsets)
        return self._columns

    def best(self, weights: Vector) -> IntArray:
        """Choose the hypothesis of each segment that has the highest weighted sum of features.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict of names to numbers

        Returns
        -------
        int64 array of shape (n_segments,)
            Numbers of rows; of equal ones the first.
        """
        vector = check_vector(weights, self.names)
        if self.is_sparse:
            return choose_sparse(self._features, self.offsets, vector)
        chosen: IntArray = np.empty(self.n_segments, np.int64)
        self._make_chooser().choose(vector, chosen, 0, self.n_segments)
        return chosen

    def _make_chooser(self) -> Chooser:
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

    def evaluate(self, weights: Weights, *, threads: int = 1) -> float | FloatArray:
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

    def _score(self, weights: FloatArray, threads: int = 1) -> float:
        """Return the score of the corpus that a vector of weights chooses."""
        totals = self._totals(weights[np.newaxis], threads)
        self.metric._kernel.score_rows(totals, score := np.empty(1))
        return float(score[0])

    def _totals(self, vectors: FloatArray, threads: int) -> IntArray:
        """Return the summed statistics of what each vector of weights chooses."""
        if self.is_sparse:
            return sparse_totals(self._features, self.offsets, vectors, self.stats, self._counts)
        return chosen_totals(self._make_chooser(), vectors, self.stats, self._counts, threads)

    def score(self, weights: Vector) -> Score:
        """Return the score of the corpus that weights choose, with its parts.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict

        Returns
        -------
        Score
        """
        return self.metric.score(self._totals(check_vector(weights, self.names)[None], 1))

    def merge(self, *others: NBestList) -> NBestList:
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
            check_type(f"others[{i}]", other, NBestList)
        return type(self)(metric=self.metric, **merged([self, *others]))

    def save(self, path: Path) -> None:
        """Write the list, but not its metric, to an ``.npz`` file at `path`, uncompressed."""
        arrays: dict[str, Any] = {"stats": self.stats, "offsets": self.offsets, "ids": self.ids}
        arrays["names"] = join_texts(self.names)
        if self.is_sparse:
            matrix = self.features
            arrays.update(data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
        else:
            arrays["features"] = self.features
        if self.hypotheses is not None:
            arrays["hypotheses"] = join_texts(self.hypotheses)
        with replacing(path) as (file,), new_archive(file) as members:
            for name, array in arrays.items():
                write_array(members, name, array)

    @classmethod
    def load(cls, path: Path, *, metric: RowScoring | None = None, mmap: bool = False) -> NBestList:
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
        parts = _load_parts(path, mmap)
        try:
            return cls(metric=metric, **parts)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None


def make_columns(features: Any, offsets: IntArray) -> FeatureColumns:
    """Return features as columns, segments padded to full vectors.

    Those of a memory-mapped list go into a temporary file.
    """
    from rapidbleu._core.tuning.line_search import FeatureColumns, padded

    shape = (features.shape[1], padded(offsets))

    def allocate(dtype: type) -> Array:
        if not isinstance(features, np.memmap):
            return np.empty(shape, dtype)
        import tempfile

        with tempfile.TemporaryFile() as file:
            return np.memmap(file, dtype, "w+", shape=shape)

    exact = allocate(np.float64) if features.dtype == np.float64 else None
    return FeatureColumns(features, offsets, allocate(np.float32), exact)


def chosen_totals(
    chooser: Chooser, weights: FloatArray, stats: Array, counts: IntArray | None,
    threads: int,
) -> IntArray:  # fmt: skip
    """Return the summed statistics of what each vector of weights chooses: int64[m, n_stats].

    `counts` says how often each segment counts, if not once.
    """
    n_segments = chooser.columns.n_segments
    shape = len(weights), stats.shape[1]

    def work(begin: int, end: int, stop: list[BaseException]) -> IntArray:
        totals = np.zeros(shape, np.int64)
        chooser.add_up(weights, stats, totals, begin, end, stop, counts)
        return totals

    least = max(1, PART * n_segments // max(1, len(stats) * len(weights)))
    sums: IntArray = np.sum(in_parts(work, n_segments, threads, least), axis=0)
    return sums


def sparse_totals(
    features: Any, offsets: IntArray, weights: FloatArray, stats: Array,
    counts: IntArray | None,
) -> IntArray:  # fmt: skip
    """Return what `chosen_totals` does, for sparse features."""
    if counts is not None:  # only those that count are multiplied by the weights
        segments = np.flatnonzero(counts)
        rows, offsets = rows_of(offsets, segments)
        features, stats, counts = features[rows], stats[rows], counts[segments]
    totals = np.empty((len(weights), stats.shape[1]), np.int64)
    for i, row in enumerate(weights):
        totals[i] = summed(stats[choose_sparse(features, offsets, row)], counts)
    return totals


def summed(rows: Array, counts: IntArray | None) -> IntArray:
    """Return the sum of a row of statistics for each segment, each as often as it counts.

    Examples
    --------
    >>> import numpy as np
    >>> summed(np.array([[1, 2], [3, 4]]), np.array([1, 2]))
    array([ 7, 10])
    """
    if counts is None:
        return np.asarray(rows.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ rows)


def choose_sparse(features: Any, offsets: IntArray, weights: FloatArray) -> IntArray:
    """Return the row of each segment with the highest weighted sum of features, of equal the first.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    >>> choose_sparse(features, np.array([0, 2, 3]), np.array([1.0, 1.0]))
    array([0, 2])
    """
    scores = features.astype(np.float64, copy=False) @ weights
    bounds = offsets.astype(np.intp)
    tops = np.repeat(np.maximum.reduceat(scores, bounds[:-1]), np.diff(bounds))
    candidates = np.flatnonzero(scores == tops)
    first = np.searchsorted(candidates, offsets[:-1])
    return np.asarray(candidates[first], np.int64)


def _load_parts(path: Path, mmap: bool) -> dict[str, Any]:
    """Read the parts of an n-best list; with `mmap` the large ones stay in the file."""
    with open(path, "rb") as file:
        try:
            return _parts_of(read_arrays(path, file, MAPPED if mmap else ()))
        except (ImportError, MemoryError):
            raise
        except KeyError as error:
            raise ValueError(f"{path}: expected a saved n-best list, found no {error}") from None
        except Exception as error:  # broken archives have errors of many kinds
            what = str(error) or type(error).__name__
            raise ValueError(f"{path}: expected a saved n-best list: {what}") from None


def _parts_of(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return what `NBestList` is made of."""
    parts: dict[str, Any] = {name: arrays[name] for name in ("stats", "offsets", "ids")}
    parts["names"] = split_texts(arrays["names"], "names")
    if "hypotheses" in arrays:
        parts["hypotheses"] = split_texts(arrays["hypotheses"], "hypotheses")
    if "data" in arrays:
        data = arrays["data"], arrays["indices"], arrays["indptr"]
        shape = len(parts["stats"]), len(parts["names"])
        parts["features"] = make_csr(*data, shape, "features")
    else:
        parts["features"] = arrays["features"]
    return parts
