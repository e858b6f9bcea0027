"""What the command line says beside its results: lines on stderr that begin with ``rapidbleu:``."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class CommandError(Exception):
    """The end of a command: what to tell the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def say(message: object) -> None:
    """Write a message to stderr, on one line whatever is in it."""
    if sys.stderr is not None:
        with suppress(OSError):
            print("rapidbleu:", " ".join(str(message).splitlines()), file=sys.stderr, flush=True)


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
