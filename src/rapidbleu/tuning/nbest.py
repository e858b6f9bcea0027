"""N-best lists: the hypotheses of each segment with their features and statistics.

Lists are immutable; merging lists and taking segments make new ones. A counted list stands for a
bag of segments: it shares all arrays with the whole list and stores how often each segment counts,
0 outside of the bag. It scores like a list of copies, to the last bit; `mert`, `mira` and `pro`
find the same weights on both, and `risk` nearly the same, because its units are computed from all
segments.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise

from rapidbleu._lib.checks import check_type
from rapidbleu._lib.files import replacing
from rapidbleu._lib.frozen import Unchangeable, frozen, read_only
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.nbest import check_filled, check_offsets, offsets_of
from rapidbleu.parallel import check_threads, in_parts
from rapidbleu.rows.archives import join_texts, new_archive, read_arrays, split_texts, write_array
from rapidbleu.score import RowScoring, Score, check_metric
from rapidbleu.tuning.checks import (
    check_counts,
    check_features,
    check_ids,
    check_names,
    check_stats,
    check_vector,
    check_weights,
    make_csr,
    named_features,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, overload

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu._types import (
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
    from rapidbleu.metrics import WeightedSum
    from rapidbleu.metrics.metric import Metric

PART = 200_000  # minimum number of feature sums per thread: a tenth of a millisecond of work
FEWEST = 10  # minimum number of segments to resample or divide
VALUES = 1 << 19  # counts and features per NumPy call, which signals cannot interrupt
LANES = 8  # items of a column are read together, so segments begin at multiples of it
MAPPED = ("features", "stats")  # arrays of a saved list that may stay in the file


class NBestList(Unchangeable):
    """N-best lists with a row of features and a row of statistics for each hypothesis.

    Lists are immutable, and any number of threads may use one. Features and statistics of the right
    type in C order are not copied: do not change them.

    Parameters
    ----------
    features : float32 or float64 array of shape (n, n_features), or SciPy CSR matrix
        Segment by segment, also as dicts by name; converted to float64 if needed. `mert` and
        `line_search` need arrays.
    stats : int64 or int32 array of shape (n, n_stats)
        Statistics of the hypotheses, as returned by `Metric.nbest_stats` or `SegmentScores.stats`.
    offsets : int array of shape (n_segments + 1,)
        Segment i has the hypotheses ``[offsets[i], offsets[i + 1])``, at least one.
    metric : metric, optional
        Metric of the statistics (default: ``BLEU()``).
    names : sequence of str, optional
        Unique feature names (default: F0, F1, ...).
    hypotheses : sequence of str, optional
        Texts of the hypotheses.
    ids : int array of shape (n_segments,), optional
        Unique segment numbers, by which lists are merged (default: 0, 1, ...).

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

    _counts: IntArray | None = None  # how often each segment counts; None: once
    _remedy = (
        "a list cannot be changed; make a new one with NBestList(nbest.features, nbest.stats, "
        "nbest.offsets, metric=nbest.metric, names=nbest.names, ids=nbest.ids)"
    )
    _columns: FeatureColumns | None = None  # built on demand, as the chooser
    _chooser: Chooser | None = None

    def __init__(
        self,
        features: Features,
        stats: Items[Integers],
        offsets: Integers,
        *,
        metric: RowScoring | None = None,
        names: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        ids: Integers | None = None,
    ) -> None:
        self.metric: RowScoring = check_metric(BLEU() if metric is None else metric)
        if isinstance(features, list) and features and isinstance(features[0], dict):
            features, names = named_features(features, "features[{}]".format)
        self._features, self.is_sparse = check_features(features)
        n, self.n_features = self._features.shape
        self.offsets = frozen(check_offsets(offsets, n, None))
        self.stats = read_only(check_stats(stats, n, self.metric._kernel, self.offsets))
        self.ids = frozen(check_ids(ids, len(self.offsets) - 1))
        self.names = check_names(names, self.n_features)
        if hypotheses is not None:
            if isinstance(hypotheses, str) or not hasattr(hypotheses, "__len__"):
                got = type(hypotheses).__name__
                raise TypeError(f"hypotheses: expected a sequence of str; got {got}")
            if (length := len(hypotheses)) != n:
                raise ValueError(f"hypotheses: expected {n}, as many as features; got {length}")
        self.hypotheses = hypotheses

    @classmethod
    def _made(
        cls,
        features: Array,
        stats: Array,
        offsets: IntArray,
        metric: RowScoring,
        names: tuple[str, ...],
        ids: IntArray,
        hypotheses: Sequence[str] | None,
    ) -> NBestList:
        """Return a list of dense parts that this package computed, which need no check."""
        for array in (features, stats):
            array.flags.writeable = False
        # Kernels index by these, so they are over bytes, which cannot become writeable.
        offsets, ids = (
            np.frombuffer(array.astype(np.int64).tobytes(), np.int64) for array in (offsets, ids)
        )
        made = cls.__new__(cls)
        vars(made).update(
            metric=metric,
            _features=features,
            is_sparse=False,
            n_features=features.shape[1],
            offsets=offsets,
            stats=stats,
            ids=ids,
            names=names,
            hypotheses=hypotheses,
        )
        return made

    @classmethod
    def from_lists(
        cls,
        hypotheses: NBestHypotheses,
        features: Features,
        references: ReferenceStreams | None,
        *,
        offsets: Integers | None = None,
        metric: Metric | WeightedSum | None = None,
        names: Sequence[str] | None = None,
        layout: Layout = "stream",
        threads: int = 1,
        progress: Progress | None = None,
    ) -> NBestList:
        """Make n-best lists from texts, computing their statistics.

        Parameters
        ----------
        hypotheses, references, offsets, layout, threads, progress
            As in `Metric.nbest_stats`.
        features, metric, names
            As in `NBestList`. Dicts of features by name may be in lists, one for each segment.
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
            check_filled(offsets, nested=True)
            texts = [hypothesis for several in texts for hypothesis in several]
            rows: Any = features
            first = rows[0] if isinstance(rows, list) and rows else None
            if isinstance(first, list) and any(isinstance(named, dict) for named in first):
                if offsets_of(rows) != offsets:
                    raise ValueError("features: expected one for each hypothesis of each segment")
                features = [named for several in rows for named in several]
        return cls(features, stats, offsets, metric=metric, names=names, hypotheses=texts)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_columns": None, "_chooser": None}  # rebuilt on demand

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = {name: state[name] for name in ("metric", "names", "hypotheses", "ids")}
        NBestList.__init__(self, state["_features"], state["stats"], state["offsets"], **parts)
        counts = state.get("_counts")
        if counts is not None:
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
        """The features, sharing memory with the list; a sparse matrix is a new object."""
        return copy(self._features) if self.is_sparse else self._features

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.offsets) - 1

    def _feature_columns(self) -> FeatureColumns:
        """Return the features in the layout of the searches, built on the first call."""
        if self.is_sparse:
            raise TypeError("nbest.features: expected a dense array; got a sparse matrix")
        if self._columns is None:
            self._columns = _make_columns(self._features, self.offsets)
        return self._columns

    def _make_chooser(self) -> Chooser:
        """Return the object that chooses hypotheses by weights, built on the first call."""
        if self._chooser is None:
            Chooser = load("rapidbleu._core.tuning.line_search", "Chooser")
            self._chooser = Chooser(self._feature_columns())
        return self._chooser

    def best(self, weights: Vector) -> IntArray:
        """Return the row of each segment with the highest weighted sum of features.

        Returns int64 row indices of shape (n_segments,); ties go to the first.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict of names to numbers
        """
        chosen: IntArray = self._choose(check_vector(weights, self.names)[np.newaxis])[0]
        return chosen

    def _choose(self, vectors: FloatArray) -> IntArray:
        chosen: IntArray = np.empty((len(vectors), self.n_segments), np.int64)
        if self.is_sparse:
            for i, vector in enumerate(vectors):
                chosen[i] = choose_sparse(self._features, self.offsets, vector)
        else:
            self._make_chooser().choose(vectors, chosen, 0, self.n_segments)
        return chosen

    if TYPE_CHECKING:

        @overload
        def evaluate(self, weights: Array, *, threads: int = 1) -> Any: ...
        @overload
        def evaluate(self, weights: Vector, *, threads: int = 1) -> float: ...
        @overload
        def evaluate(self, weights: Items[Items[float]], *, threads: int = 1) -> FloatArray: ...

    def evaluate(self, weights: Weights, *, threads: int = 1) -> float | FloatArray:
        """Score the corpora that weights choose.

        One call with many vectors takes a fraction of the time of many calls.

        Parameters
        ----------
        weights : float array of shape (n_features,) or (m, n_features), or dict
        threads : int
            Number of threads, 0 for all cores; does not change the result.

        Returns
        -------
        float or float64 array of shape (m,)
            In the unit of the metric: percent for BLEU.
        """
        vectors = check_weights(weights, self.names)
        n_threads = check_threads(threads)
        if vectors.ndim == 1:
            return self._score(vectors, n_threads)
        return self.metric.score_rows(self._totals(vectors, n_threads))

    def _score(self, weights: FloatArray, threads: int = 1) -> float:
        totals = self._totals(weights[np.newaxis], threads)
        score = np.empty(1)
        self.metric._kernel.score_rows(totals, score)
        return float(score[0])

    def score(self, weights: Vector) -> Score:
        """Return the score, with its parts, of the corpus that weights choose.

        Parameters
        ----------
        weights : float array of shape (n_features,), or dict
        """
        return self.metric.score(self._totals(check_vector(weights, self.names)[None], 1))

    def _totals(self, vectors: FloatArray, threads: int) -> IntArray:
        """Return the summed statistics of the corpus each vector chooses: int64[m, n_stats]"""
        stats, counts, shape = self.stats, self._counts, (len(vectors), self.stats.shape[1])
        if self.is_sparse:
            features = self._features
            offsets = self.offsets
            if counts is not None:  # multiply only the segments that count
                segments = np.flatnonzero(counts)
                rows, offsets = rows_of(offsets, segments)
                features = features[rows]
                stats = stats[rows]
                counts = counts[segments]
            totals: IntArray = np.empty(shape, np.int64)
            for i, vector in enumerate(vectors):
                totals[i] = summed(stats[choose_sparse(features, offsets, vector)], counts)
            return totals
        chooser = self._make_chooser()

        def work(begin: int, end: int, stop: list[BaseException]) -> IntArray:
            part = np.zeros(shape, np.int64)
            chooser.add_up(vectors, stats, part, begin, end, stop, counts)
            return part

        least = max(1, PART * self.n_segments // max(1, len(stats) * len(vectors)))
        sums: IntArray = np.sum(in_parts(work, self.n_segments, threads, least), axis=0)
        return sums

    def merge(self, *others: NBestList) -> NBestList:
        """Return the hypotheses of this and other lists without duplicates.

        A hypothesis is a duplicate of an earlier one of its segment with equal features and
        statistics. Sorts all hypotheses and polls for signals.

        Parameters
        ----------
        others : NBestList
            Lists with the same features, unless sparse, and the same kind of statistics. Segments
            match if their `ids` do; new ones are appended.
        """
        for i, other in enumerate(others):
            where = f"others[{i}]"
            check_type(where, other, NBestList)
            if other.is_sparse != self.is_sparse:
                expected, got = ("sparse" if one.is_sparse else "dense" for one in (self, other))
                raise ValueError(f"{where}: expected {expected} features; got {got} ones")
            check_alike(self, other, where, names=not self.is_sparse)
        return merged([self, *others], type(self))

    def save(self, path: Path) -> None:
        """Write the list without its metric to an uncompressed ``.npz`` file."""
        arrays: dict[str, Any] = {"stats": self.stats, "offsets": self.offsets, "ids": self.ids}
        arrays["names"] = join_texts(self.names)
        if self.is_sparse:
            matrix = self._features
            arrays.update(data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
        else:
            arrays["features"] = self._features
        if self.hypotheses is not None:
            arrays["hypotheses"] = join_texts(self.hypotheses)
        with replacing(path) as (file,), new_archive(file) as members:
            for name, array in arrays.items():
                write_array(members, name, array)

    @classmethod
    def load(cls, path: Path, *, metric: RowScoring | None = None, mmap: bool = False) -> NBestList:
        """Read a list that `save` wrote.

        Raises ValueError if the file does not contain one.

        Parameters
        ----------
        path : str or path
        metric : metric, optional
            Metric of the statistics (default: ``BLEU()``).
        mmap : bool
            Map features and statistics from the file; copies for searches go to temporary files.
        """
        with open(path, "rb") as file:
            try:
                parts = _parts_of(read_arrays(path, file, MAPPED if mmap else ()))
            except (ImportError, MemoryError):
                raise
            except Exception as error:  # broken archives have errors of many kinds
                what = f": {error}" if str(error) else f": {type(error).__name__}"
                if isinstance(error, KeyError):
                    what = f", found no {error}"
                raise ValueError(f"{path}: expected a saved n-best list{what}") from None
        try:
            return cls(metric=metric, **parts)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None


def _parts_of(arrays: dict[str, Any]) -> dict[str, Any]:
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


def _make_columns(features: Any, offsets: IntArray) -> FeatureColumns:
    """Return features as columns, with segments padded to full vectors.

    Columns of a memory-mapped list go to a temporary file.
    """
    from rapidbleu._core.tuning.line_search import FeatureColumns

    rows = padded_rows(offsets, len(features))
    shape = (features.shape[1], len(rows))

    def allocate(dtype: type) -> Array:
        if not isinstance(features, np.memmap):
            return np.empty(shape, dtype)
        with load("tempfile").TemporaryFile() as file:
            return np.memmap(file, dtype, "w+", shape=shape)

    exact = None
    if features.dtype == np.float64:
        exact = in_columns(features, rows, allocate(np.float64))
    return FeatureColumns(offsets, in_columns(features, rows, allocate(np.float32)), exact)


def padded_rows(offsets: IntArray, n: int) -> IntArray:
    """Return the row, of n, of each item of a column.

    Each segment ends with repetitions of its first row, up to a multiple of `LANES`.

    >>> import numpy as np
    >>> padded_rows(np.array([0, 2, 3]), 3).tolist()
    [0, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    lengths = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != n or (lengths < 1).any():
        raise ValueError(f"offsets: expected to rise from 0 to {n}, by a hypothesis at least")
    sizes = -(-lengths // LANES) * LANES
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places[places >= np.repeat(lengths, sizes)] = 0
    rows: IntArray = places + np.repeat(offsets[:-1], sizes)
    return rows


def in_columns(values: Any, rows: IntArray, columns: Array) -> Array:
    """Copy rows into columns, a block at a time, because neither may fit into memory."""
    with np.errstate(over="ignore"):
        step = max(1, VALUES // max(1, values.shape[1]))
        for begin in range(0, len(rows), step):
            block = slice(begin, begin + step)
            columns[:, block] = values[rows[block]].T
    return columns


def choose_sparse(features: Any, offsets: IntArray, weights: FloatArray) -> IntArray:
    """Return the row of each segment with the highest weighted sum; ties go to the first.

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


def summed(rows: Array, counts: IntArray | None) -> IntArray:
    """Return the sum of one row of statistics per segment, weighted by `counts`."""
    if counts is None:
        return np.asarray(rows.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ rows)


def rows_of(offsets: IntArray, segments: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of the hypotheses of some segments, and the offsets of the segments.

    >>> import numpy as np
    >>> rows_of(np.array([0, 2, 3]), np.array([1, 0]))
    (array([2, 0, 1]), array([0, 1, 3]))
    """
    sizes = np.diff(offsets)[segments]
    ends = np.append(0, np.cumsum(sizes))
    shifts = np.repeat(offsets[segments] - ends[:-1], sizes.astype(np.intp))
    return np.arange(ends[-1]) + shifts, ends


def spread(values: Sequence[int] | Array, offsets: IntArray) -> Array:
    """Repeat the value of each segment for each of its rows.

    >>> import numpy as np
    >>> spread([5, 2], np.array([0, 2, 3])).tolist()
    [5, 5, 2]
    """
    return np.repeat(values, np.diff(offsets).astype(np.intp))


def of_rows(
    nbest: NBestList, rows: IntArray, offsets: IntArray, ids: IntArray, texts: bool = False
) -> NBestList:
    """Return a list of copies of some rows, with or without texts."""
    features = nbest.features[rows]
    stats = nbest.stats[rows]
    hypotheses = None
    if texts and nbest.hypotheses is not None:
        hypotheses = [nbest.hypotheses[i] for i in rows.tolist()]
    metric = nbest.metric
    names = nbest.names
    if not nbest.is_sparse:
        return NBestList._made(features, stats, offsets, metric, names, ids, hypotheses)
    return NBestList(
        features, stats, offsets, metric=metric, names=names, hypotheses=hypotheses, ids=ids
    )


def taken(nbest: NBestList, segments: IntArray) -> NBestList:
    """Return the list of some segments in this order, each at most once."""
    return of_rows(nbest, *rows_of(nbest.offsets, segments), nbest.ids[segments], texts=True)


def draw_bags(n_segments: int, bags: int, seed: int) -> IntArray:
    """Return int64[bags, n_segments], 1 for each segment in a bag and 0 for each other one.

    In rounds of three bags, each bag leaves out another third of the segments; of two bags in all,
    another half.

    >>> draw_bags(5, 3, 0).tolist()
    [[1, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 1, 1, 1, 1]]
    """
    rng = np.random.default_rng(seed)
    n = min(bags, 3)
    rounds = [rng.permutation(n_segments) % n for _ in range(-(-bags // n))]
    return np.array([rounds[bag // n] != bag % n for bag in range(bags)], np.int64)


def counted(nbest: NBestList, counts: IntArray) -> NBestList:
    """Return a list that shares all arrays and in which segment i counts ``counts[i]`` times.

    Use it for scores and for this package's tuning methods, not for merging, saving or taking
    parts. Raises ValueError unless there is one count per segment, none negative and not all 0, and
    sums of statistics are at most 2**60.

    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores()
    >>> nbest = NBestList([[1.0], [2.0]], comet.stats([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> counted(nbest, np.array([3, 1])).evaluate([1.0])
    0.4375
    """
    checked = check_counts(counts, nbest.stats, nbest.offsets)
    bag = object.__new__(NBestList)
    vars(bag).update(vars(nbest))
    if not nbest.is_sparse:
        bag._columns = nbest._feature_columns()
        bag._chooser = nbest._make_chooser()
    bag._counts = checked
    return bag


def repeated(nbest: NBestList, counts: IntArray) -> NBestList:
    """Return a list with adjacent copies of the segments instead of counts."""
    copies = np.repeat(np.arange(nbest.n_segments), counts.astype(np.intp))
    return of_rows(nbest, *rows_of(nbest.offsets, copies), np.arange(len(copies)))


def counts_of(nbest: NBestList) -> IntArray:
    """Return how often each segment counts, 1 if the list is not a counted one."""
    return np.ones(nbest.n_segments, np.int64) if nbest._counts is None else nbest._counts


def copies_of(nbest: NBestList) -> IntArray:
    """Return the segments in order, each repeated as often as it counts."""
    counts = counts_of(nbest).astype(np.intp)
    return np.repeat(np.arange(nbest.n_segments, dtype=np.int64), counts)


def check_alike(first: NBestList, second: NBestList, where: str, names: bool = True) -> None:
    """Raise ValueError for a list with rows of another length or, with `names`, other features.

    Lists with different sparse features can be merged: a missing name is a 0.
    """
    if names:
        for i, (ours, theirs) in enumerate(zip(first.names, second.names, strict=False)):
            if ours != theirs:
                raise ValueError(f"{where}.names[{i}]: expected {ours!r}; got {theirs!r}")
        if second.n_features != first.n_features:
            expected = first.n_features
            got = second.n_features
            raise ValueError(f"{where}: expected {expected} features; got {got}")
    n_stats = first.stats.shape[1]
    n = second.stats.shape[1]
    if n != n_stats:
        raise ValueError(f"{where}: expected rows of {n_stats} counts; got {n}")


def merged(
    lists: list[NBestList], kind: type[NBestList] = NBestList, duplicates: bool = False
) -> NBestList:
    """Return lists that are alike as one, with or without duplicates.

    Segments match by id, in order of first appearance.
    """
    ids, segments = numbered(np.concatenate([spread(nbest.ids, nbest.offsets) for nbest in lists]))
    stats = np.concatenate([np.asarray(nbest.stats) for nbest in lists])
    names = lists[0].names
    is_sparse = any(nbest.is_sparse for nbest in lists)
    if is_sparse:
        names = tuple(dict.fromkeys(name for nbest in lists for name in nbest.names))
        matrices = [widened(nbest.features, nbest.names, names) for nbest in lists]
        features = load("scipy.sparse", "vstack")(matrices, format="csr")
        features.sort_indices()
    else:
        features = np.concatenate([np.asarray(nbest.features) for nbest in lists])
    if duplicates:
        kept = np.argsort(segments, kind="stable")
    else:
        if is_sparse:
            features.eliminate_zeros()
        kept = without_duplicates(segments, features, stats)
    hypotheses = None
    if all(nbest.hypotheses is not None for nbest in lists):
        texts = [text for nbest in lists for text in nbest.hypotheses or ()]
        hypotheses = [texts[i] for i in kept]
    return kind(
        features[kept] if is_sparse else _take(features, kept),
        _take(stats, kept),
        np.searchsorted(segments[kept], np.arange(len(ids) + 1)),
        metric=lists[0].metric,
        names=names,
        hypotheses=hypotheses,
        ids=ids,
    )


def numbered(values: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different values in order of first appearance, and the index of each value.

    >>> import numpy as np
    >>> numbered(np.array([5, 2, 5]))
    (array([5, 2]), array([0, 1, 0]))
    """
    different, first, indices = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return different[order], np.argsort(order)[indices]


def widened(features: Any, names: Sequence[str], all_names: Sequence[str]) -> Any:
    """Return features, dense or sparse, as a CSR matrix with a column for each of `all_names`."""
    csr_matrix = load("scipy.sparse", "csr_matrix")
    index = {name: i for i, name in enumerate(all_names)}
    moved = np.array([index[name] for name in names], np.int64)
    rows = csr_matrix(features)
    return csr_matrix((rows.data, moved[rows.indices], rows.indptr), (rows.shape[0], len(index)))


def without_duplicates(
    segments: IntArray, features: Any, stats: Array, values: int = VALUES
) -> IntArray:
    """Return, segment by segment, the rows that differ from all earlier rows of their segment.

    Each NumPy call handles about `values` numbers. Rows are equal if their bytes are; sets of bytes
    are keyed by a secret of the process, so crafted rows cannot collide.

    >>> import numpy as np
    >>> segments = np.array([0, 1, 0, 0])
    >>> features, stats = np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([[5], [5], [5], [5]])
    >>> without_duplicates(segments, features, stats)
    array([0, 3, 1])
    """
    is_sparse = hasattr(features, "tocsr")
    n = len(segments)
    width = stats.shape[1]
    width += features.nnz // max(1, n) if is_sparse else features.shape[1]
    order = np.argsort(segments, kind="stable")
    step = max(1, values // max(1, width))
    kept = []
    last = None
    seen = set[bytes]()
    for begin in range(0, n, step):
        rows = order[begin : begin + step]
        keys = _row_bytes(stats[rows])
        more = _sparse_bytes(features[rows]) if is_sparse else _row_bytes(features[rows] + 0)
        keep = np.ones(len(rows), bool)
        for i, segment in enumerate(segments[rows].tolist()):
            if segment != last:
                last = segment
                seen = set()
            key = keys[i] + more[i]
            keep[i] = key not in seen
            seen.add(key)
        kept.append(rows[keep])
    return np.concatenate(kept) if kept else order


def _row_bytes(rows: Array) -> list[bytes]:
    whole = np.dtype((np.void, rows.itemsize * rows.shape[1]))
    keys: list[bytes] = np.ascontiguousarray(rows).view(whole)[:, 0].tolist()
    return keys


def _sparse_bytes(matrix: Any) -> list[bytes]:
    """Return the bytes of each row's nonzero columns and values."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    kinds = [("column", matrix.indices.dtype), ("value", matrix.data.dtype)]
    pairs = np.empty(len(matrix.data), kinds)
    pairs["column"] = matrix.indices
    pairs["value"] = matrix.data
    cells = pairs.tobytes()
    ends = (matrix.indptr * np.int64(pairs.itemsize)).tolist()
    return [cells[begin:end] for begin, end in pairwise(ends)]


def _take(array: Array, rows: IntArray) -> Array:
    """Return some rows of an array, in parts because NumPy calls cannot be interrupted."""
    part = np.empty((len(rows), array.shape[1]), array.dtype)
    step = max(1, VALUES // max(1, array.shape[1]))
    for begin in range(0, len(rows), step):
        part[begin : begin + step] = array[rows[begin : begin + step]]
    return part
