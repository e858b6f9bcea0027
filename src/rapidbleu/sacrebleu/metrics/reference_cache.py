"""The references a metric was made with: compiled, and as dicts once one of them is asked for."""

from collections.abc import Iterator, Sequence
from copy import copy

from rapidbleu.sacrebleu.metrics.inputs import as_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.sacrebleu.metrics.fast import Fast


class ReferenceCache(Sequence["dict[str, Any]"]):
    """A sequence of what `_extract_reference_info` says of each segment.

    The dicts are made when one is first asked for. From then on callers may change them, so the
    compiled references, which do not know of that, are not used any more.

    Parameters
    ----------
    metric : Metric
    fast : Fast
        The compiled form of `metric`.
    references : sequence of streams
    cache_references : function, optional
        What makes the dicts; by default the method of the metric.
    """

    def __init__(
        self,
        metric: "Any",
        fast: "Fast",
        references: "Any",
        cache_references: "Callable[[Any, Any], Any] | None" = None,
    ) -> None:
        self._streams = [tuple(stream) for stream in as_streams(references)]
        self._metric = copy(metric)  # whose options may change, and those of its tokenizer
        if hasattr(metric, "tokenizer"):
            self._metric.tokenizer = copy(metric.tokenizer)
        self._preparation = fast.preparation
        self._cache_references = cache_references or type(metric)._cache_references
        self._infos: list[dict[str, Any]] | None = None
        self.prepared: PreparedReferences = fast.prepare(list(self._streams))
        self.num_refs = self.prepared.num_refs

    def serves(self, fast: "Fast") -> bool:
        """Tell whether the compiled references are good for `fast`."""
        return self._infos is None and self._preparation == fast.preparation

    def _materialize(self) -> "list[dict[str, Any]]":
        if self._infos is None:
            self._infos = self._cache_references(self._metric, self._streams)
        return self._infos

    def __len__(self) -> int:
        return len(self.prepared)

    def __getitem__(self, index: "Any") -> "Any":
        return self._materialize()[index]

    def __iter__(self) -> "Iterator[dict[str, Any]]":
        return iter(self._materialize())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReferenceCache):
            other = other._materialize()
        return self._materialize() == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._materialize())
