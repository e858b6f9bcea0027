"""What callers pass as a corpus, brought into one form."""

from collections.abc import Iterator

from rapidbleu.metrics.bleu import SUSPICIOUS
from rapidbleu.sacrebleu.errors import NoReferenceError
from rapidbleu.sacrebleu.logger import sacrelogger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_segments(source: "Any") -> "list[Any] | tuple[Any, ...]":
    """Return the segments of a stream; a str is a stream of characters."""
    return source if isinstance(source, (list, tuple)) else list(source)


def as_streams(references: "Any") -> "list[list[Any] | tuple[Any, ...]]":
    """Return the streams of references."""
    return [as_segments(stream) for stream in references]


def check_lengths(name: str, n_hyps: int, n_refs: "list[int]") -> None:
    """Refuse streams of references that are not as long as the hypotheses."""
    for i, n in enumerate(n_refs):
        if n != n_hyps:
            raise ValueError(
                f"{name}: `refs[{i}]` should have {n_hyps} segments, as many as `hyps`, got {n}; "
                f"references are [stream][segment]."
            )


def references_of_segments(references: "Any") -> "Iterator[list[Any]]":
    """Yield the references that each segment has."""
    streams = as_streams(references)
    for i, stream in enumerate(streams):
        if len(stream) != len(streams[0]):
            raise ValueError(
                f"`refs[{i}]` should have {len(streams[0])} segments, as many as `refs[0]`, "
                f"got {len(stream)}; references are [stream][segment]."
            )
    for refs in zip(*streams, strict=True):
        yield [ref for ref in refs if ref is not None]


def refuse_no_reference(name: str) -> None:
    """Raise for a segment without references."""
    raise NoReferenceError(f"{name}: a segment has no reference.")


def warn_of_tokenized_periods(count: int) -> None:
    """Say what sacrebleu says when many hypotheses end in ' .'."""
    if count < SUSPICIOUS:
        return
    warn = sacrelogger.warning
    warn("That's 100 lines that end in a tokenized period ('.')")
    warn(
        "It looks like you forgot to detokenize your test data, which may hurt your score."
    )
    warn(
        "If you insist your data is detokenized, or don't care, you can suppress this message "
        "with the `force` parameter."
    )
