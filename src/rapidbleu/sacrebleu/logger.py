"""The logger called ``sacrebleu``, which programs silence by that name."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LazyLogger:
    """A logger that is fetched when first used: `logging` is slow to import.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> sacrelogger.name
    'sacrebleu'
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> "Any":
        import logging

        return getattr(logging.getLogger(self.__dict__["_name"]), attribute)


sacrelogger = LazyLogger("sacrebleu")
