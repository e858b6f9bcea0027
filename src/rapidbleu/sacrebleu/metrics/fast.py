"""Compiled metrics in place of sacrebleu's methods, for the stand-in and for `patch`.

A `Finder` finds the compiled form of a metric with its current options. If these are unusual, or a
relevant method was replaced, sacrebleu's own methods do the work.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from copy import copy
from functools import lru_cache

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.installed_sacrebleu import method_of
from rapidbleu._lib.loader import np
from rapidbleu.metrics.bleu import SMOOTH_DEFAULTS, SUSPICIOUS
from rapidbleu.sacrebleu.utils import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.metric import Metric as NativeMetric

    _Segments = list[Any] | tuple[Any, ...]
    _References = list[_Segments] | PreparedReferences


# sacrebleu does not check its input and fails somewhere inside with any exception. These errors
# also have its classes, for programs that catch them.


class EmptyInputError(ValueError, IndexError):
    """No segments, or no references; sacrebleu's is an IndexError."""


class SegmentTypeError(TypeError, AttributeError):
    """A segment is not a str; sacrebleu's is an AttributeError, unless the first one is wrong."""


class NoReferenceError(ValueError, TypeError, ZeroDivisionError, IndexError):
    """A segment has no reference; sacrebleu's type depends on the metric."""


def as_segments(source: Any) -> _Segments:
    """Return the segments of a stream; a str is a stream of characters."""
    return source if isinstance(source, (list, tuple)) else list(source)


def as_streams(references: Any) -> list[_Segments]:
    return [as_segments(stream) for stream in references]


def check_lengths(name: str, expected: int, n_refs: list[int], like: str = "hyps") -> None:
    """Raise ValueError for a stream of references that is not as long as the hypotheses."""
    for i, n in enumerate(n_refs):
        if n != expected:
            raise ValueError(
                f"{name}: `refs[{i}]` should have {expected} segments, as many as `{like}`; "
                f"got {n}; references are [stream][segment]."
            )


class Fast:
    """A compiled metric at work for a metric of the stand-in or of sacrebleu.

    `preparation` contains all options that determine how references are prepared.
    """

    adds = True
    """Whether the score of a corpus is that of the sum of the integer rows."""

    def __init__(self, native: NativeMetric, preparation: tuple[Any, ...]) -> None:
        self.native = native
        self.preparation = preparation
        self.extractor = native._extractor
        self.kernel = native._extractor.kernel
        self.extract_one = native._extractor.extract_one

    def rows(
        self, metric: Any, hyps: _Segments, references: _References
    ) -> tuple[list[list[Any]], int]:
        """Return all rows, and the number of references per segment, -1 if it varies."""
        column, refs = _read(metric, hyps, references)
        return self._rows(column, refs), refs.num_refs if hyps else -1

    def sums(
        self, metric: Any, hyps: _Segments, streams: list[_Segments]
    ) -> tuple[tuple[Any, ...], int]:
        """Return the parts of the score of a corpus, and the number of references per segment."""
        column, refs = _read(metric, hyps, streams)
        sums = self.extractor.extract(column, refs, 0, len(column))
        return self.kernel.describe(sums), refs.num_refs

    def integer_rows(self, stats: Any) -> Any:
        """Return rows of sacrebleu in the compiled form, as an int64 array, or None."""
        rows = np.array(stats)
        return rows.astype(np.int64, copy=False) if rows.dtype.kind == "i" else None

    def _rows(self, hyps: Column, refs: ReferenceColumns | PreparedReferences) -> list[list[Any]]:
        width = self.kernel.n_stats
        cells = array("q", bytes(8 * width * len(hyps)))
        self.extractor.extract(hyps, refs, 0, len(hyps), cells)
        flat = cells.tolist()
        return [flat[i : i + width] for i in range(0, len(flat), width)]


class FastTER(Fast):
    """Compiled TER; the lengths in its rows are doubles, to be added one by one."""

    adds = False

    def integer_rows(self, stats: Any) -> Any:
        lengths = np.array([row[1] for row in stats], np.float64)
        if (lengths != np.floor(lengths)).any():
            return None
        rows = np.zeros((len(stats), self.kernel.n_stats), np.int64)
        rows[:, 0] = [row[0] for row in stats]
        rows[:, 1] = lengths
        return rows

    def _rows(self, hyps: Column, refs: ReferenceColumns | PreparedReferences) -> list[list[Any]]:
        describe = self.kernel.describe
        return [
            [row[0], describe(row)[2] if row[2] or row[3] else float(row[1])]
            for row in super()._rows(hyps, refs)
        ]


def _read(metric: Any, hyps: _Segments, references: _References) -> tuple[Column, Any]:
    name = type(metric).__name__
    streams = references if isinstance(references, list) else None
    lengths = [len(references)] if streams is None else [len(stream) for stream in streams]
    check_lengths(name, len(hyps), lengths)
    if hyps and not isinstance(hyps[0], str):
        raise SegmentTypeError(f"{name}: hyps[0]: expected str; got {type(hyps[0]).__name__}")
    try:
        column = Column(hyps, "hyps")
    except TypeError as error:
        if not is_ours(error):
            raise
        raise SegmentTypeError(f"{name}: {error}") from None
    refs = references if streams is None else _read_references(streams)
    if not metric._force and column.count_tokenized_periods(SUSPICIOUS) >= SUSPICIOUS:
        _warn_of_tokenized_periods()
    return column, refs


def _read_references(streams: list[_Segments]) -> ReferenceColumns:
    for stream in streams:
        if stream and stream[0] is not None and not isinstance(stream[0], str):
            raise SegmentTypeError(f"refs: expected str; got {type(stream[0]).__name__}")
    try:
        return ReferenceColumns(streams, "stream", "refs")
    except TypeError as error:
        if not is_ours(error):
            raise
        raise SegmentTypeError(str(error)) from None
    except ValueError as error:
        if len({len(stream) for stream in streams}) > 1 or not is_ours(error):
            raise
        raise NoReferenceError(str(error)) from None


def _warn_of_tokenized_periods() -> None:
    for line in (
        "That's 100 lines that end in a tokenized period ('.')",
        "It looks like you forgot to detokenize your test data, which may hurt your score.",
        "If you insist your data is detokenized, or don't care, you can suppress this message "
        "with the `force` parameter.",
    ):
        warn(line)


_infos_of = method_of("metrics.base", "Metric", "_cache_references")


class ReferenceCache(Sequence["dict[str, Any]"]):
    """A sequence of a metric's `_extract_reference_info` for each segment.

    The dicts are created at the first access. Callers may change them, so from then on the
    references of `fast`, the compiled form, are not used any more.
    """

    def __init__(self, metric: Any, fast: Fast, references: list[_Segments]) -> None:
        self._streams: list[_Segments] = [tuple(stream) for stream in references]
        self._metric = copy(metric)  # because its options, and its tokenizer's, may change
        if hasattr(metric, "tokenizer"):
            self._metric.tokenizer = copy(metric.tokenizer)
        self._preparation = fast.preparation
        self._infos: list[dict[str, Any]] | None = None
        self.prepared = fast.extractor.prepare(_read_references(self._streams))

    def serves(self, fast: Fast) -> bool:
        """Return whether the compiled references fit `fast`."""
        return self._infos is None and self._preparation == fast.preparation

    def __len__(self) -> int:
        return len(self.prepared)

    def __getitem__(self, index: Any) -> Any:
        if self._infos is None:
            self._infos = _infos_of(self._metric, self._streams)
        return self._infos[index]

    def __repr__(self) -> str:
        return repr(list(self))


def remember_number(metric: Any, num_refs: int) -> None:
    """Show the number of references per segment in signatures; in ours, for this thread only."""
    metric.__dict__["num_refs"] = num_refs
    calls = getattr(metric, "_calls", None)
    if calls is not None:
        calls.remember_number(num_refs)


# Raised by options that are missing, or that the compiled metrics do not accept.
_UNFIT = (AttributeError, TypeError, ValueError)

# Methods that make rows and that score them, of all metrics and of each.
_ROWS = (
    "_cache_references",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_preprocess_segment",
)
_ROWS_OF: dict[str, tuple[str, ...]] = {
    "": (),
    "BLEU": ("_get_closest_ref_len",),
    "CHRF": ("_PUNCTS", "_compute_f_score", "_get_match_statistics", "_remove_punctuation"),
    "TER": (),
}
_SCORES = ("_aggregate_and_compute", "_compute_score_from_stats", "_extract_corpus_statistics")
_SCORES_OF: dict[str, tuple[str, ...]] = {"": (), "BLEU": ("compute_bleu",), "CHRF": (), "TER": ()}


def row_methods(cls: type) -> tuple[str, ...]:
    """Return the attributes of BLEU, CHRF or TER that compiled rows replace."""
    return *_ROWS, *_ROWS_OF[cls.__name__]


class Finder:
    """Finds the compiled form of metrics of a class, if any.

    `cls` is BLEU, CHRF or TER; its current methods count as unmodified. `name_of` returns the name
    of a tokenizer's compiled twin, or None.

    Examples
    --------
    >>> from rapidbleu.sacrebleu import BLEU
    >>> bleu = BLEU()
    >>> bleu._FINDER.rows(bleu) is not None
    True
    >>> bleu._preprocess_segment = str.upper
    >>> bleu._FINDER.rows(bleu) is None
    True
    """

    def __init__(self, cls: type | None = None, name_of: Callable[[Any], Any] = type) -> None:
        kind = "" if cls is None else cls.__name__
        self._make = _MAKERS.get(kind)
        self._name_of = name_of
        self._rows = {name: getattr(cls, name) for name in row_methods(cls)} if cls else {}
        self._scores = {name: getattr(cls, name) for name in (*_SCORES, *_SCORES_OF[kind]) if cls}

    def rows(self, metric: Any) -> Fast | None:
        """Return the compiled metric with the same rows, or None."""
        try:
            if self._make is None or not _is_untouched(metric, self._rows):
                return None
            bool(metric._force)  # raises now if it is missing
            fast: Fast = self._make(metric, self._name_of)
        except _UNFIT as error:
            if not is_ours(error):
                raise
            return None
        return fast

    def scores(self, metric: Any) -> Fast | None:
        """Return the compiled metric with the same rows and scores, or None."""
        return self.rows(metric) if _is_untouched(metric, self._scores) else None

    def extract(self, metric: Any, hypotheses: Any, references: Any) -> list[list[Any]] | None:
        """Return the rows of all segments, or None to leave them to sacrebleu."""
        fast = self.rows(metric)
        if fast is None:
            return None
        if references:
            rows, num_refs = fast.rows(metric, as_segments(hypotheses), as_streams(references))
            remember_number(metric, num_refs)
            return rows
        cache = metric._ref_cache
        if isinstance(cache, ReferenceCache) and cache.serves(fast):
            return fast.rows(metric, as_segments(hypotheses), cache.prepared)[0]
        return None

    def cache(self, metric: Any, streams: list[_Segments]) -> ReferenceCache | None:
        """Return prepared references of a metric, or None to leave them to sacrebleu."""
        fast = self.rows(metric)
        if fast is None or not any(streams):
            return None
        cache = ReferenceCache(metric, fast, streams)
        remember_number(metric, cache.prepared.num_refs)
        return cache


def _is_untouched(metric: Any, methods: dict[str, Any]) -> bool:
    """Return whether no method is replaced, in the metric or in its class."""
    if not metric.__dict__.keys().isdisjoint(methods):
        return False
    cls = type(metric)
    return all(getattr(cls, name) is method for name, method in methods.items())


def _bleu_of(metric: Any, name_of: Callable[[Any], str | None]) -> Any:
    return _bleu(
        name_of(metric.tokenizer) or metric.tokenizer,
        bool(metric.lowercase),
        metric.max_ngram_order,
        metric.smooth_method,
        metric.smooth_value,
        bool(metric.effective_order),
    )


def _chrf_of(metric: Any, name_of: Callable[[Any], str | None]) -> Any:
    if metric.order != metric.char_order + metric.word_order:
        raise ValueError("order")
    return _chrf(
        metric.char_order,
        metric.word_order,
        metric.beta,
        bool(metric.lowercase),
        bool(metric.whitespace and metric.char_order),
        bool(metric.eps_smoothing),
    )


def _ter_of(metric: Any, name_of: Callable[[Any], str | None]) -> Any:
    tokenizer = metric.tokenizer  # determines the score by itself
    if name_of(tokenizer) != "tercom":
        raise ValueError("tokenizer")
    return _ter(
        bool(tokenizer._normalized),
        bool(tokenizer._no_punct),
        bool(tokenizer._asian_support and tokenizer._normalized),
        bool(tokenizer._case_sensitive),
    )


_MAKERS = {"BLEU": _bleu_of, "CHRF": _chrf_of, "TER": _ter_of}


def _shared(make: Callable[..., Fast]) -> Any:
    """Cache recent metrics, so that a loop over `sentence_bleu` creates one, not thousands.

    Numbers of different types are different options: 1 and 1.0 smooth to counts of other types.
    """
    return lru_cache(64, typed=True)(make)


@_shared
def _bleu(
    tokenizer: Any,
    lowercase: bool,
    order: int,
    smooth_method: Any,
    smooth_value: Any,
    effective_order: bool,
) -> Fast:
    from rapidbleu.metrics.bleu import BLEU

    if smooth_method not in SMOOTH_DEFAULTS:  # one of NLTK's
        raise ValueError("smooth_method")
    _check_mixes(smooth_value or 0)
    if SMOOTH_DEFAULTS[smooth_method] is None:
        smooth_value = None  # has no effect, of which the metric would warn
    tokenize: Any = (
        tokenizer if isinstance(tokenizer, str) else lambda line: tokenizer(line).split()
    )
    native = BLEU(
        lowercase=lowercase,
        force=True,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        max_ngram_order=order,
        effective_order=effective_order,
    )
    return Fast(native, (tokenizer, lowercase, order, type(order)))


@_shared
def _chrf(*options: Any) -> Fast:
    from rapidbleu.metrics.chrf import CHRF

    _check_mixes(options[2])
    return Fast(CHRF(*options), (*options, *map(type, options)))


@_shared
def _ter(*options: Any) -> Fast:
    from rapidbleu.metrics.edits.ter import TER

    return FastTER(TER(*options), options)


def _check_mixes(number: Any) -> None:
    """Raise TypeError if a number cannot be multiplied by a float, as in sacrebleu's formulas."""
    0.0 * number
