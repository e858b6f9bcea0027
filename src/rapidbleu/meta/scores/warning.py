"""The warning that a figure, or a score, means little."""


class MetaWarning(UserWarning):
    """A figure is not defined, or means little; the text says which, and why."""
