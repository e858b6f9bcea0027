"""Exceptions that are what sacrebleu raises and what the input deserves, both at once.

sacrebleu stumbles over wrong input somewhere inside, and programs catch what comes out.
"""


class EmptyInputError(ValueError, IndexError):
    """No segments, or no references; sacrebleu's is an IndexError."""


class SegmentTypeError(TypeError, AttributeError):
    """A segment is not a str; sacrebleu's is an AttributeError, unless the first one is wrong."""


class NoReferenceError(ValueError, TypeError, ZeroDivisionError, IndexError):
    """A segment has no reference; sacrebleu's type depends on the metric."""
