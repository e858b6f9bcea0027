"""What is said where a figure means little."""


class MetaWarning(UserWarning):
    """A figure has no value, or says less than it seems to."""
