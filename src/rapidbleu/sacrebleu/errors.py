"""Exceptions that are also of the class that sacrebleu raises, for programs that catch that.

sacrebleu does not check its input: it fails somewhere inside, with whatever exception that gives.
"""


class EmptyInputError(ValueError, IndexError):
    """No segments, or no references; sacrebleu's is an IndexError."""


class SegmentTypeError(TypeError, AttributeError):
    """A segment is not a str; sacrebleu's is an AttributeError, unless the first one is wrong."""


class NoReferenceError(ValueError, TypeError, ZeroDivisionError, IndexError):
    """A segment has no reference; sacrebleu's type depends on the metric."""
