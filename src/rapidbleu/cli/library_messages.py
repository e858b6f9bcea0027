"""What the library logs while a command runs, shown among the command's own messages."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rapidbleu.cli.messages import say


class _Shown(logging.Handler):
    """Says each message of the library once, however many parts a corpus is scored in."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self.seen:
            self.seen.add(message)
            say(message)


@contextmanager
def library_messages(quiet: bool, name: str = "rapidbleu") -> Iterator[None]:
    """Show what a library logs under a name; of the quiet, only errors."""
    logger = logging.getLogger(name)
    before = logger.level
    handler = _Shown(logging.ERROR if quiet else logging.INFO)
    logger.addHandler(handler)
    logger.setLevel(handler.level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
