"""N-best lists: the hypotheses of each segment with their features and their statistics."""

from rapidbleu.counts import check_type
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.contract.nbest_input import check_offsets, offsets_of
from rapidbleu.scoring import RowScoring, check_metric
from rapidbleu.tuning.lists.checks import (
    check_counts,
    check_features,
    check_hypotheses,
    check_ids,
    check_names,
    check_stats,
)
from rapidbleu.tuning.lists.choosing import Choosing
from rapidbleu.tuning.lists.merging import merged
from rapidbleu.tuning.lists.saving import load_list, save_list
from rapidbleu.unchangeable import frozen, read_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu.metrics import Interpolation
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.typing import (
        Features,
        IntArray,
        Integers,
        Items,
        Layout,
        NBestHypotheses,
        Path,
        Progress,
        ReferenceStreams,
    )


class NBestList(Choosing):
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

    _counts: "IntArray | None" = None  # how often each segment counts; once, if None
    _fixed = frozenset(
        ("features", "stats", "offsets", "metric", "names", "hypotheses", "ids", "is_sparse",
         "n_features")
    )  # fmt: skip
    _remedy = (
        "a list cannot be changed; make a new one with NBestList(nbest.features, nbest.stats, "
        "nbest.offsets, metric=nbest.metric, names=nbest.names, ids=nbest.ids)"
    )

    def __init__(
        self, features: "Features", stats: "Items[Integers]", offsets: "Integers", *,
        metric: "RowScoring | None" = None, names: "Sequence[str] | None" = None,
        hypotheses: "Sequence[str] | None" = None, ids: "Integers | None" = None,
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
    def from_lists(
        cls, hypotheses: "NBestHypotheses", features: "Features",
        references: "ReferenceStreams | None", *, offsets: "Integers | None" = None,
        metric: "Metric | Interpolation | None" = None, names: "Sequence[str] | None" = None,
        layout: "Layout" = "stream", threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "NBestList":  # fmt: skip
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
            hypotheses, references, offsets=offsets, layout=layout, threads=threads,
            progress=progress,
        )
        if offsets is None:
            offsets = offsets_of(hypotheses)
            texts = [hypothesis for several in texts for hypothesis in several]
        return cls(features, stats, offsets, metric=metric, names=names, hypotheses=texts)

    def __getstate__(self) -> "dict[str, Any]":
        return {**vars(self), "_columns": None, "_chooser": None}  # made again when needed

    def __setstate__(self, state: "dict[str, Any]") -> None:
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
            check_type(f"others[{i}]", other, NBestList)
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
