"""Running scores: the score of a corpus whose hypotheses are replaced one by one."""

from __future__ import annotations

from rapidbleu._core.scoring.running import RunningTotals
from rapidbleu._lib.floats import digits_of
from rapidbleu._lib.loader import np
from rapidbleu.references import References
from rapidbleu.stats import rows_given, to_integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import IntArray, Integers, Items, Segment


class RunningScore(RunningTotals):
    """The score of a corpus, up to date after every change of a segment.

    Stores a row of statistics for each segment and their sum. Replacing a row and scoring the
    corpus takes a fraction of a microsecond, independent of its size. Scores equal those computed
    anew from `rows`, to the last bit, after any number of changes. Only `TER.corpus_score` may
    differ in the last bit, because it rounds as sacrebleu does if the number of references is not
    a power of two.

    Rows of 64-bit and 32-bit integers in C order are used in place, other integers are converted;
    counts and their sums must not exceed 2**60. `Metric.nbest_stats` turns hypotheses of integer
    ids into rows. An error leaves the object unchanged. Threads may read and change the same
    object: each method sees and leaves a consistent state.

    Parameters
    ----------
    metric : Metric
    rows : int array of shape (n, n_stats)
        A row for each segment, as returned by `Metric.segment_stats`.
    references : References, optional
        References of the rows, from `Metric.prepare`; with them, hypotheses can replace rows.
    segments : sequence of int, optional
        Index in the references of each row's segment, -1 for none; by default all in order.

    Attributes
    ----------
    score : float
        Score of all segments together, in the metric's unit: percent for BLEU.
    stats : int64 array of shape (n_stats,)
        Sum of the rows; a copy, as are the next two.
    rows : int64 array of shape (n, n_stats)
    segments : int64 array of shape (n,)

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=2)
    >>> running = RunningScore(bleu, [[6, 6, 4, 2, 6, 5], [5, 5, 5, 4, 5, 4]])
    >>> running
    <RunningScore of 2 segments, BLEU = 73.85>
    >>> alternatives = [[6, 6, 5, 3, 6, 5], [7, 6, 6, 5, 7, 6]]
    >>> running.score_if(0, alternatives).round(2)
    array([84.09, 90.83])
    >>> index, score = running.best_of(0, alternatives)
    >>> running.replace(0, alternatives[index]) == score == running.score
    True
    >>> running.stats
    array([12, 11, 11,  9, 12, 10])
    """

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.copy()  # a consistent snapshot while other threads make changes
        return type(self), (self.metric, whole.rows, self.references, whole.segments)

    def __add__(self, other: RunningScore) -> RunningScore:
        """Return the running score of the segments of both, `self` first.

        The metrics must have the same options. References are preserved if both objects share them
        or one has none; otherwise the sum has none and accepts only rows.
        """
        if not isinstance(other, RunningScore):
            return NotImplemented
        ours = _options(self.metric)
        theirs = _options(other.metric)
        if ours != theirs:
            names = [name for name in ours | theirs if ours.get(name) != theirs.get(name)]
            raise ValueError(f"metric: expected the same options; got another {', '.join(names)}")
        parts = self.copy(), other.copy()
        references = self.references if self.references is not None else other.references
        segments = None
        if references is not None:
            if other.references in (None, references):
                segments = np.concatenate([part.segments for part in parts])
            else:
                references = None
        rows = np.concatenate([part.rows for part in parts])
        return type(self)(self.metric, rows, references, segments)

    def __repr__(self) -> str:
        name = type(self.metric).__name__
        shown = f"{self.score:.{digits_of([self.score])}f}"
        return f"<RunningScore of {len(self)} segments, {name} = {shown}>"

    # The compiled base class calls these for arguments other than C-ordered integer arrays.

    def _row(self, new: Integers | Segment, i: int | None) -> IntArray:
        """Return the new row of segment i; None stands for a segment to be added."""
        n_stats = len(self.stats)
        empty = isinstance(new, (list, tuple)) and not new and self.references is not None
        if empty or _is_hypothesis(new):
            if i is None:
                raise TypeError("new: expected a row of counts for a new segment; got a hypothesis")
            of_one: IntArray = self._stats([new], [i])[0]
            return of_one
        row = to_integers(new, "new")
        if row.shape != (n_stats,):
            got = f"{len(row)}" if row.ndim == 1 else f"an array of shape {row.shape}"
            raise ValueError(f"new: expected {n_stats} counts; got {got}")
        return row

    def _rows(self, rows: Items[Integers | Segment], indices: int | Integers | None) -> IntArray:
        """Return rows for all `indices`, or for one; None stands for no known segment."""
        n_stats = len(self.stats)
        rows = rows_given(rows, self.metric, "rows")
        if getattr(getattr(rows, "dtype", None), "kind", "") in ("O", "T", "U"):
            rows = list(rows)
        if isinstance(rows, (list, tuple)):
            if any(_is_hypothesis(item) for item in rows):
                if indices is None:
                    raise TypeError("rows: expected rows of counts; got hypotheses")
                each: Any = indices if hasattr(indices, "__len__") else [indices] * len(rows)
                return self._stats(rows, each)
            for k, row in enumerate(rows):
                if hasattr(row, "__len__") and len(row) != n_stats:
                    raise ValueError(f"rows[{k}]: expected {n_stats} counts; got {len(row)}")
        array = to_integers(rows, "rows")
        if array.shape == (0,):
            return array.reshape(0, n_stats)
        if array.ndim != 2 or array.shape[1] != n_stats:
            raise ValueError(f"rows: expected shape (m, {n_stats}); got {array.shape}")
        return array

    def _stats(self, hypotheses: Items[Segment], indices: Items[int]) -> IntArray:
        if len(hypotheses) != len(indices):
            raise ValueError(f"rows: expected {len(indices)}, one an index; got {len(hypotheses)}")
        if self.references is None:
            raise ValueError("references: expected References for hypotheses; got None")
        segments = [self._source(i) for i in indices]
        for i, segment in zip(indices, segments, strict=True):
            if segment < 0:
                raise ValueError(f"segment {i}: expected a row of counts; it has no references")
        rows: IntArray = self.metric.nbest_stats(
            list(hypotheses), self.references, segments=segments
        )
        return rows

    def _integers(self, values: Integers, where: str) -> IntArray:
        """Return indices, offsets or segments as an array."""
        array = to_integers(values, where)
        if array.ndim != 1:
            raise ValueError(f"{where}: expected one dimension; got shape {array.shape}")
        return array

    def _sources(self, segments: Integers | None, n: int) -> IntArray:
        """Return the index in the references of each of n rows."""
        references = self.references
        if references is not None and not isinstance(references, References):
            raise TypeError(
                "references: expected References, which a metric's prepare makes; got "
                f"{type(references).__name__}"
            )
        n_refs = 0 if references is None else len(references)
        if segments is None:
            if references is None:
                return np.full(n, -1, np.int64)
            if n_refs != n:
                raise ValueError(f"references: expected {n}, as many as rows; got {n_refs}")
            return np.arange(n, dtype=np.int64)
        array = self._integers(segments, "segments")
        if len(array) != n:
            raise ValueError(f"segments: expected {n}, as many as rows; got {len(array)}")
        for k in np.flatnonzero((array < -1) | (array >= n_refs))[:1]:
            raise ValueError(
                f"segments[{k}]: expected one of {n_refs} segments, or -1; got {array[k]}"
            )
        return array


def _is_hypothesis(item: object) -> bool:
    """Return whether an item is text or a list of tokens."""
    if isinstance(item, (list, tuple)):
        return bool(item) and isinstance(item[0], str)
    return isinstance(item, str)


def _options(metric: Any) -> dict[str, Any]:
    """Return the class of a metric, and the options that determine its scores."""
    names = metric._fixed - {"force", "references", "tokenizer", "tokenizer_signature"}
    return {"class": type(metric)} | {name: getattr(metric, name, None) for name in names}
