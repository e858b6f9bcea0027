"""The logger called ``sacrebleu``, which programs silence by that name."""

from rapidbleu.loading.loader import load

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
        self.__dict__["_name"] = name

    def _logger(self) -> "Any":
        logging = load("logging")
        return logging.getLogger(self.__dict__["_name"])

    def __getattr__(self, attribute: str) -> "Any":
        return getattr(self._logger(), attribute)

    def __setattr__(self, attribute: str, value: "Any") -> None:
        setattr(self._logger(), attribute, value)


sacrelogger = LazyLogger("sacrebleu")
