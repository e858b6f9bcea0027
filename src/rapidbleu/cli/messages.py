"""What the command line shows beside its results: messages and bars, on stderr.

Messages begin with ``rapidbleu:``; messages and warnings of the library are among them. Bars are
shown if stderr is a terminal and tqdm is installed, when work reports progress and the command has
run for a second; they disappear when the work is done.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from time import monotonic

from rapidbleu._lib.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Self

DELAY = 1.0  # seconds of a command before the first bar

_begun = monotonic()


class CommandError(Exception):
    """The end of a command: what to tell the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Terminal:
    """A terminal, on which control characters of texts and names are harmless."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> int:
        written: int = self._file.write(harmless(text, colored=True))
        return written

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def use_color(stream: Any, disabled: bool) -> bool:
    """Return whether to color the output: on a terminal, unless the user objects.

    FORCE_COLOR colors pipes as well and prevails over NO_COLOR; None, a file, has no color.
    """
    if disabled or stream is None or os.environ.get("FORCE_COLOR"):
        return not (disabled or stream is None)
    dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not dumb and bool(stream.isatty())


def terminal_width(stream: Any) -> int | None:
    """Return the columns of a terminal, by COLUMNS or as it says; None if it is not one."""
    is_one = stream is not None and stream.isatty()
    return int(import_module("shutil").get_terminal_size().columns) if is_one else None


# Messages


def say(message: object) -> None:
    """Write a message to stderr, on one line and without control characters."""
    if sys.stderr is not None:
        line = harmless(f"rapidbleu: {' '.join(str(message).splitlines())}")
        tqdm = sys.modules.get("tqdm")  # loaded if there is a bar, which makes room
        try:
            if tqdm is None:
                print(line, file=sys.stderr, flush=True)
            else:
                tqdm.tqdm.write(line, file=sys.stderr)
        except OSError:
            pass  # stderr is closed, or its reader is gone


class library_messages:  # used as a function
    """A context in which each message that the library logs is shown once; if quiet, only errors.

    `options` maps options that the library names in backticks to options of the command line.
    """

    # Logging calls `handle` for messages of at least this level; a subclass of its Handler would
    # load all of it for a command that is over soon.

    def __init__(
        self, quiet: bool, name: str = "rapidbleu", options: Mapping[str, str] | None = None
    ) -> None:
        self.level = 40 if quiet else 20  # ERROR and INFO
        self._name = name
        self._options = options or {}
        self._seen: set[str] = set()

    def __enter__(self) -> None:
        self._logger: Any = import_module("logging").getLogger(self._name)
        self._before = self._logger.level
        self._logger.addHandler(self)
        self._logger.setLevel(self.level)

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self)
        self._logger.setLevel(self._before)

    def handle(self, record: Any) -> None:
        """Show a message."""
        message = record.getMessage()
        for option, flag in self._options.items():
            message = message.replace(f"`{option}`", flag)
        if message not in self._seen and record.name != "rapidbleu.layout":
            self._seen.add(message)
            say(message)


# Bars


def begin() -> None:
    """Count the seconds of a command from now on."""
    global _begun
    _begun = monotonic()


class Bar:
    """A bar of tqdm, to be called with the number of finished things and the number of all.

    As a context it is None where no bar can be shown, so that work need not report progress. `n` is
    the number of all things where work does not report it, or a function that counts them, called
    as the bar is drawn; 0: it is not known.
    """

    def __init__(self, quiet: bool, n: int | Callable[[], int] = 0, **options: Any) -> None:
        self._quiet, self._options = quiet, options
        self._done, self._n = 0, n
        self._drawn: Any = None

    def __enter__(self) -> Self | None:
        if self._quiet or sys.stderr is None or not sys.stderr.isatty():
            return None
        self._entered = monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.close()

    def update(self, n: int) -> None:
        """Report n more finished things."""
        self(self._done + n, 0)

    def __call__(self, done: int, n: int) -> None:
        if self._drawn is not None:
            self._drawn.total = n or self._n or None
            self._drawn.update(done - self._done)
        elif not self._quiet and monotonic() >= _begun + DELAY:
            self._draw(done, n)
        self._done = done

    def _draw(self, done: int, n: int) -> None:
        try:
            tqdm = import_module("tqdm").tqdm
        except ImportError:
            self._quiet = True
            return
        name = harmless(self._options.pop("desc", ""))
        self._n = self._n() if callable(self._n) else self._n
        n = n or self._n
        self._drawn = tqdm(total=n or None, leave=False, desc=name or None, **self._options)
        self._drawn.start_t -= monotonic() - self._entered  # the clock of tqdm is another
        self._drawn.n = done
        self._drawn.refresh()


def progress_bar(what: str, n_segments: int | Callable[[], int], quiet: bool) -> Bar:
    """Return a bar of segments, reported by `Bar.update` or with the number of all."""
    return Bar(quiet, n_segments, desc=what, unit=" segments", unit_scale=True)


def progress_callback(unit: str, quiet: bool) -> Bar:
    """Return a bar of things such as runs."""
    return Bar(quiet, unit=f" {unit}")


def reading_bar(quiet: bool) -> Bar:
    """Return a bar of the bytes of files that are read."""
    return Bar(quiet, desc="reading", unit="B", unit_scale=True)
