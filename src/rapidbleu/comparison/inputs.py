"""Validation of the input of comparisons: texts, labels and segment scores."""

from __future__ import annotations

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import check_layout, is_ordered, items_of
from rapidbleu.metrics.mean import SegmentScores
from rapidbleu.references import References
from rapidbleu.significance.paired import named_systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rapidbleu._types import IntArray, Items, Layout, ReferenceStreams, Texts

    _Outputs = Mapping[str, Texts] | Items[tuple[str, Texts]]
    _External = Mapping[str, Mapping[str, Items[float]]]


def check_texts(
    systems: _Outputs, references: ReferenceStreams, layout: Layout
) -> tuple[dict[str, list[Any]], list[list[Any]]]:
    """Return the segments of each system, and the references of each segment, at least one."""
    outputs: dict[str, list[Any]] = {}
    for name, source in named_systems(systems, least=1).items():
        where = f"systems[{name!r}]"
        outputs[name] = _plain(items_of(source, where, "segments"))
        Column(outputs[name], where)
        if not outputs[name]:
            raise ValueError(f"{where}: expected at least one segment; got none")
    by_segment = _reference_lists(references, layout)
    n_segments = len(by_segment)
    for name, segments in outputs.items():
        if len(segments) != n_segments:
            raise ValueError(
                f"systems[{name!r}]: expected {n_segments} segments, as many as there are "
                f"references for; got {len(segments)}"
            )
    return outputs, by_segment


def _plain(segments: list[Any]) -> list[Any]:
    """Return segments as str, lists and tuples; any other types unchanged."""
    if set(map(type, segments)) <= {str, list, tuple}:
        return segments
    return [
        list(segment) if is_ordered(segment) and not isinstance(segment, list | tuple) else segment
        for segment in segments
    ]


def _reference_lists(references: ReferenceStreams, layout: Layout) -> list[list[Any]]:
    if isinstance(references, References):
        raise TypeError(f"references: expected texts; got {references!r}, which has none")
    check_layout(layout)
    if hasattr(references, "__arrow_c_stream__") or hasattr(references, "__arrow_c_array__"):
        layout = "segment"
    streams = items_of(references, "references", "streams of references")
    lists = [
        _plain(items_of(own, f"references[{i}]", "segments")) if is_ordered(own) else own
        for i, own in enumerate(streams)
    ]
    ReferenceColumns(lists, layout)
    by_segment = lists if layout == "segment" else zip(*lists, strict=True)
    return [[text for text in several if text is not None] for several in by_segment]


def check_name(where: str, name: object, known: Sequence[str]) -> None:
    """Refuse an unknown name.

    >>> check_name("metric", "TER", ["BLEU", "chrF2"])
    Traceback (most recent call last):
        ...
    ValueError: metric: expected one of BLEU, chrF2; got 'TER'
    """
    if name not in known:
        raise ValueError(f"{where}: expected one of {', '.join(known)}; got {name!r}")


def check_pair(a: str, b: str, systems: Sequence[str]) -> None:
    """Refuse names of unknown or equal systems."""
    check_name("a", a, systems)
    check_name("b", b, systems)
    if a == b:
        raise ValueError(f"b: expected another system than {a!r}")


def check_pairs(
    pairs: Items[tuple[str, str]], systems: Sequence[str], baseline: str | None
) -> list[tuple[str, str]]:
    """Return pairs of two different systems, without repetition."""
    if baseline is not None:
        raise ValueError(f"pairs: expected no baseline with them; got {baseline!r}")
    checked: list[tuple[str, str]] = []
    for i, pair in enumerate(items_of(pairs, "pairs", "pairs of systems")):
        where = f"pairs[{i}]"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{where}: expected two systems; got {pair!r}")
        a, b = pair
        check_name(where, a, systems)
        check_name(where, b, systems)
        if a == b or (a, b) in checked or (b, a) in checked:
            raise ValueError(f"{where}: expected another pair of two systems; got {a!r} and {b!r}")
        checked.append((a, b))
    if not checked:
        raise ValueError("pairs: expected at least one; got none")
    return checked


def texts_for(
    given: Items[str] | None, where: str, expected: str, n_segments: int
) -> list[str] | None:
    """Return one text per segment, or None."""
    if given is None:
        return None
    items = items_of(given, where, expected)
    for i, item in enumerate(items):
        if not isinstance(item, str):
            raise TypeError(f"{where}[{i}]: expected str; got {type(item).__name__}")
    if len(items) != n_segments:
        raise ValueError(
            f"{where}: expected one for each of {n_segments} segments; got {len(items)}"
        )
    return items


def external_rows(
    scores: _External | None, systems: list[str], n_segments: int
) -> dict[str, tuple[SegmentScores, list[IntArray]]]:
    """Return a metric for each name of external segment scores, and its rows for each system."""
    external: dict[str, tuple[SegmentScores, list[IntArray]]] = {}
    if scores is None:
        return external
    if not hasattr(scores, "items"):
        raise TypeError(f"scores: expected a dict by metric; got {type(scores).__name__}")
    for metric, given in scores.items():
        if not isinstance(metric, str):
            raise TypeError(f"scores: expected names of metrics; got {type(metric).__name__}")
        where = f"scores[{metric!r}]"
        if not hasattr(given, "items"):
            raise TypeError(f"{where}: expected a dict by system; got {type(given).__name__}")
        for name in given:
            if name not in systems:
                raise ValueError(f"{where}: expected systems; got {name!r}, which is none")
        mean, rows = SegmentScores(metric), []
        for name in systems:
            if name not in given:
                raise ValueError(f"{where}: expected scores of {name!r}; got none")
            try:
                rows.append(mean.stats(given[name]))
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                message = str(error).removeprefix("scores")
                raise kind(f"{where}[{name!r}]{message}") from None
            if len(rows[-1]) != n_segments:
                raise ValueError(
                    f"{where}[{name!r}]: expected {n_segments} scores; got {len(rows[-1])}"
                )
        external[metric] = mean, rows
    return external


def text_of(segment: Any) -> str:
    """Return a segment as text, with spaces between tokens or ids.

    >>> text_of(["a", "b"]), text_of([1, 2]), text_of("a b")
    ('a b', '1 2', 'a b')
    """
    return segment if isinstance(segment, str) else " ".join(map(str, segment))
