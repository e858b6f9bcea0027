"""The library's loggers. The first message loads `logging`, which takes longer than the package."""

from __future__ import annotations

from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

begin: list[Callable[[], object]] = []  # called before the first message


def logger(name: str = "rapidbleu") -> Logger:
    found: Logger = load("logging").getLogger(name)
    while begin:
        begin.pop()()
    return found
