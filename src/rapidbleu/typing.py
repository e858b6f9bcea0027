"""Types of arguments and options, to annotate code that passes them on.

Loaded on first use, because `typing` takes longer to load than the package.

Examples
--------
>>> from rapidbleu.typing import Hypotheses, ReferenceStreams
>>> def lengths(hypotheses: Hypotheses, references: ReferenceStreams) -> list[int]: ...
"""

from typing import TypeAlias

from rapidbleu import _types

__all__ = [
    "Bounds",
    "Hypotheses",
    "Layout",
    "Method",
    "NBestHypotheses",
    "Path",
    "Progress",
    "ReferenceStreams",
    "Segment",
    "SmoothMethod",
    "Texts",
    "TokenizerName",
    "Vector",
    "Weights",
]

Segment: TypeAlias = _types.Segment
"""A text, or its tokens, or their ids."""

Texts: TypeAlias = _types.Texts
"""A segment for each segment of a corpus."""

Hypotheses: TypeAlias = _types.Hypotheses
"""A segment for each segment of a corpus, which may be read lazily; or prepared texts."""

ReferenceStreams: TypeAlias = _types.ReferenceStreams
"""``[stream][segment]``, or with ``layout="segment"`` ``[segment][reference]``; or prepared."""

NBestHypotheses: TypeAlias = _types.NBestHypotheses
"""A list of hypotheses for each segment; or hypotheses together with their segment indices."""

Vector: TypeAlias = _types.Vector
"""A number for each feature, in their order or by name."""

Weights: TypeAlias = _types.Weights
"""A number for each feature, or several such vectors."""

Bounds: TypeAlias = _types.Bounds
"""The minimum and the maximum weight of each feature, by name, or in two columns."""

Layout: TypeAlias = _types.Layout
"""References by stream or by segment."""

SmoothMethod: TypeAlias = _types.SmoothMethod
"""The replacement of zero matches in BLEU."""

Method: TypeAlias = _types.Method
"""Names of tuning methods."""

TokenizerName: TypeAlias = _types.TokenizerName
"""Names of tokenizers."""

Path: TypeAlias = _types.Path
"""A file name."""

Progress: TypeAlias = _types.Progress
"""A callback that receives the amount of work done, and the total."""
