"""The warning that a figure, or a score, means little, and how it is given."""


class MetaWarning(UserWarning):
    """A figure is not defined, or means little; the text says which, and why."""


def caution(message: str) -> None:
    """Warn; the warning names the line that called rapidbleu.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     caution("human: system 'A' has no score")
    >>> str(found[0].message)
    "human: system 'A' has no score"
    """
    import sys
    import warnings

    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("rapidbleu."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, MetaWarning, stacklevel=level)
