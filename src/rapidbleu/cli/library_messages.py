"""What the library logs and warns of while a command runs, among the command's own messages."""

import logging
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rapidbleu.cli.messages import say
from rapidbleu.metrics.corpus import LAYOUT_LOGGER


class _Shown(logging.Handler):
    """Says each message of the library once, however many parts a corpus is scored in."""

    def __init__(self, level: int, options: Mapping[str, str]) -> None:
        super().__init__(level)
        self.options = options
        self.seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = re.sub(
            r"`(\w+)`", lambda found: self.options.get(found[1], found[0]), record.getMessage()
        )
        if message not in self.seen and record.name != LAYOUT_LOGGER:
            self.seen.add(message)
            say(message)


@contextmanager
def library_messages(
    quiet: bool, name: str = "rapidbleu", options: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Show what a library logs under a name, only errors if `quiet`; `options` rename options."""
    logger = logging.getLogger(name)
    before = logger.level
    handler = _Shown(logging.ERROR if quiet else logging.INFO, options or {})
    logger.addHandler(handler)
    logger.setLevel(handler.level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@contextmanager
def library_warnings(wanted: type[Warning], quiet: bool) -> Iterator[None]:
    """Show the library's warnings of a category, each once; none to the quiet."""
    seen: set[str] = set()
    with warnings.catch_warnings():
        show: Any = warnings.showwarning

        def say_once(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if not issubclass(category, wanted):
                show(message, category, *place)
            elif str(message) not in seen:
                seen.add(str(message))
                say(message)

        warnings.showwarning = say_once  # type: ignore[assignment]
        warnings.simplefilter("ignore" if quiet else "always", wanted)
        yield
