"""The short cut: a compiled metric behind sacrebleu's protocol, and when it may be taken."""

from array import array

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu.metrics.bleu import SUSPICIOUS
from rapidbleu.metrics.recent import Recent
from rapidbleu.sacrebleu.errors import NoReferenceError, SegmentTypeError
from rapidbleu.sacrebleu.metrics.inputs import check_lengths, warn_of_tokenized_periods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.contract.base import Metric as NativeMetric

    _Segments = list[Any] | tuple[Any, ...]

# Compiled metrics of recent options, so that a loop over sentence_bleu makes one, not thousands.
_recent: "dict[Any, Fast]" = {}
_MOST = 64


class Fast:
    """A compiled metric at work for an object of the drop-in.

    Parameters
    ----------
    native : rapidbleu metric
    preparation : tuple
        All options that decide how references are prepared.
    """

    adds = True
    """Whether the score of a corpus is that of the sum of the integer rows."""

    def __init__(self, native: "NativeMetric", preparation: "tuple[Any, ...]") -> None:
        self.preparation = preparation
        self._extractor = native._extractor
        self.kernel = native._extractor.kernel
        self.extract_one = native._extractor.extract_one

    def rows(
        self, metric: "Any", hyps: "_Segments", streams: "list[_Segments]"
    ) -> "tuple[list[list[Any]], int]":
        """Return the rows of all segments, and how many references these have, -1 if it varies."""
        column, refs = self._check(metric, hyps, streams)
        return self._rows(column, refs), refs.num_refs if hyps else -1

    def rows_of_cache(
        self, metric: "Any", hyps: "_Segments", prepared: "PreparedReferences"
    ) -> "list[list[Any]]":
        """Return the rows of all segments against references that were prepared before."""
        column = _check_hypotheses(metric, hyps, [len(prepared)])
        return self._rows(column, prepared)

    def sums(
        self, metric: "Any", hyps: "_Segments", streams: "list[_Segments]"
    ) -> "tuple[tuple[Any, ...], int]":
        """Return the parts of the score of a corpus, and how many references segments have."""
        column, refs = self._check(metric, hyps, streams)
        sums = self._extractor.extract(column, refs, 0, len(column))
        return self.kernel.describe(sums), refs.num_refs

    def prepare(self, streams: "list[_Segments]") -> "PreparedReferences":
        """Return references prepared for any number of systems."""
        return self._extractor.prepare(_check_references(streams))

    def integer_rows(self, stats: "Any") -> "Any":
        """Return rows of the protocol as an array of those of the compiled metric.

        None if they are not integers.
        """
        import numpy as np

        rows = np.array(stats)
        return rows.astype(np.int64, copy=False) if rows.dtype.kind == "i" else None

    def _check(
        self, metric: "Any", hyps: "_Segments", streams: "list[_Segments]"
    ) -> "tuple[Column, ReferenceColumns]":
        column = _check_hypotheses(metric, hyps, [len(stream) for stream in streams])
        return column, _check_references(streams)

    def _rows(
        self, hyps: Column, refs: "ReferenceColumns | PreparedReferences"
    ) -> "list[list[Any]]":
        width = self.kernel.n_stats
        cells = array("q", bytes(8 * width * len(hyps)))
        self._extractor.extract(hyps, refs, 0, len(hyps), cells)
        flat = cells.tolist()
        return [flat[i : i + width] for i in range(0, len(flat), width)]


def _check_hypotheses(metric: "Any", hyps: "_Segments", lengths: "list[int]") -> Column:
    name = type(metric).__name__
    check_lengths(name, len(hyps), lengths)
    if hyps and not isinstance(hyps[0], str):
        raise SegmentTypeError(f"{name}: hyps[0]: expected str, got {type(hyps[0]).__name__}")
    try:
        column = Column(hyps, "hyps")
    except TypeError as error:
        raise SegmentTypeError(f"{name}: {error}") from None
    if not metric._force and column.count_tokenized_periods(SUSPICIOUS) >= SUSPICIOUS:
        warn_of_tokenized_periods(SUSPICIOUS)
    return column


def _check_references(streams: "list[_Segments]") -> ReferenceColumns:
    for stream in streams:
        if stream and stream[0] is not None and not isinstance(stream[0], str):
            raise SegmentTypeError(f"refs: expected str, got {type(stream[0]).__name__}")
    try:
        return ReferenceColumns(streams, "stream", "refs")
    except TypeError as error:
        raise SegmentTypeError(str(error)) from None
    except ValueError as error:
        if len({len(stream) for stream in streams}) > 1:
            raise
        raise NoReferenceError(str(error)) from None


def methods_of(cls: type, *names: str) -> "dict[str, Any]":
    """Return methods of a class as they are now, for `is_untouched`."""
    return {name: getattr(cls, name) for name in names}


def is_untouched(metric: "Any", methods: "dict[str, Any]") -> bool:
    """Tell whether a metric's methods are those: none replaced in its class or in itself.

    Examples
    --------
    >>> from rapidbleu.sacrebleu import BLEU
    >>> methods = methods_of(BLEU, "_preprocess_segment")
    >>> bleu = BLEU()
    >>> is_untouched(bleu, methods)
    True
    >>> bleu._preprocess_segment = str.upper
    >>> is_untouched(bleu, methods)
    False
    """
    if not metric.__dict__.keys().isdisjoint(methods):
        return False
    cls = type(metric)
    return all(getattr(cls, name) is method for name, method in methods.items())


def compiled_name(tokenizer: "Any") -> "str | None":
    """Return the name of a tokenizer's compiled twin, or None for a subclass or a stranger."""
    cls = type(tokenizer)
    compiled = cls.__dict__.get("compiled")
    if compiled is None or cls.__dict__.get("__call__") is not compiled[1]:
        return None
    name: str = compiled[0]
    return name


class Slot:
    """The compiled form of a metric and its options; a pickle or a deep copy of it is empty."""

    def __init__(self, key: "Any" = None, fast: "Fast | None" = None) -> None:
        self.key = key
        self.fast = fast

    def __reduce__(self) -> "tuple[Any, ...]":
        return Slot, ()


def recall(
    metric: "Any", recent: "Recent[Any]", key: "tuple[Any, ...]", share: bool
) -> "Fast | None":
    """Return the compiled metric for these options, made when first asked for.

    Parameters
    ----------
    metric : Metric
        Remembers it, too.
    recent : Recent
        Those of other metrics.
    key : tuple
        The options.
    share : bool
        Other metrics with these options may have it.

    Returns
    -------
    Fast or None
        None if the compiled metric knows no such options.
    """
    bool(metric._force)  # what is read later must be there
    slot: Slot | None = getattr(metric, "_compiled", None)
    if slot is not None and slot.key == key:
        return slot.fast
    fast: Fast | None
    try:
        fast = recent[key] if share else recent.make(*key)
    except (TypeError, ValueError):  # a smooth_value that is no number, an order of 0
        fast = None
    metric._compiled = Slot(key, fast)
    return fast
