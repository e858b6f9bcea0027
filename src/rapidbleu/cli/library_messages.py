"""What the library logs and warns of while a command runs, among the command's own messages."""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rapidbleu.cli.messages import say
from rapidbleu.metrics.corpus import LAYOUT_LOGGER

# What the command line calls the options that messages of the library name.
OPTIONS = {
    "force": "--force",
    "tokenize": "--tokenize",
    "data": "--meteor-data",
    "smooth_value": "--smooth-value",
    "smooth_method": "--smooth-method",
    "max_ngram_order": "--max-ngram-order",
    "asian_support": "--ter-asian-support",
    "normalized": "--ter-normalized",
    "no_punct": "--ter-no-punct",
    "char_order": "--chrf-char-order",
    "mean": "--mean",
    "whitespace": "--chrf-whitespace",
}


def in_options(message: str) -> str:
    """Return a message of the library with the command line's names of options.

    Examples
    --------
    >>> in_options("Was the output not detokenized? `force` silences this message.")
    'Was the output not detokenized? --force silences this message.'
    """
    return re.sub(r"`(\w+)`", lambda found: OPTIONS.get(found[1], found[0]), message)


class _Shown(logging.Handler):
    """Says each message of the library once, however many parts a corpus is scored in."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = in_options(record.getMessage())
        if message not in self.seen and record.name != LAYOUT_LOGGER:
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
