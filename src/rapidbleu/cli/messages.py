"""Messages and progress bars of the command line, on stderr.

Messages begin with ``rapidbleu:`` and include the messages and warnings of the library. If stderr
is a terminal and tqdm is installed, a bar shows the progress of work after a second, and disappears
at its end.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from time import monotonic

from rapidbleu._lib import logs
from rapidbleu._lib.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Self

NOT_EXECUTABLE = 126  # exit statuses in shells, for programs that a command starts
NOT_FOUND = 127
DELAY = 1.0  # seconds before the first bar of a command
OPTIONS = {"force": "-m bleu:force=yes"}  # those that messages of the library name

named: dict[str, str] = {}  # names of temporary files in messages

_begun = monotonic()


class CommandError(Exception):
    """The end of a command: a message for the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Terminal:
    """A terminal on which control characters in texts and names are harmless."""

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

    FORCE_COLOR also colors pipes and overrides NO_COLOR; None, a file, has no color.
    """
    if disabled or stream is None or os.environ.get("FORCE_COLOR"):
        return not (disabled or stream is None)
    dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not dumb and bool(stream.isatty())


def terminal_width(stream: Any) -> int | None:
    """Return the columns of a terminal, by COLUMNS or its own size; None for other streams."""
    is_one = stream is not None and stream.isatty()
    return int(import_module("shutil").get_terminal_size().columns) if is_one else None


def as_named(text: str) -> str:
    """Return a text with the names of temporary files in place of their paths."""
    for path, name in named.items():
        text = text.replace(path, name)
    return text


def as_json(content: dict[str, Any]) -> str:
    """Return an entry of results as JSON."""
    text: str = import_module("json").dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return text


def say(message: object) -> None:
    """Write a message to stderr, on one line without control characters."""
    if sys.stderr is not None:
        line = harmless(f"rapidbleu: {' '.join(as_named(str(message)).splitlines())}")
        tqdm = sys.modules.get("tqdm")  # loaded if there is a bar, which makes space
        try:
            if tqdm is None:
                print(line, file=sys.stderr, flush=True)
            else:
                tqdm.tqdm.write(line, file=sys.stderr)
        except OSError:
            pass  # stderr is closed or has no reader


class library_messages:  # used as a function
    """A context that shows each message logged by the library once; if quiet, only errors.

    `options` maps options in backticks, as named by the library, to options of the command line.
    """

    # Logging calls `handle` for messages of at least this level; a subclass of its Handler, or
    # adding one before the first message, would slow down short commands by loading all of it.

    def __init__(
        self, quiet: bool, name: str = "rapidbleu", options: Mapping[str, str] | None = None
    ) -> None:
        self.level = 40 if quiet else 20  # ERROR and INFO
        self._name = name
        self._options = options or OPTIONS
        self._seen: set[str] = set()

    def __enter__(self) -> None:
        logs.begin.append(self._attach)
        if self._name != "rapidbleu" or "logging" in sys.modules:
            logs.logger()

    def _attach(self) -> None:
        self._logger = logs.logger(self._name)
        self._before = self._logger.level
        self._logger.addHandler(self)  # type: ignore[arg-type]
        self._logger.setLevel(self.level)

    def __exit__(self, *_: object) -> None:
        if self._attach in logs.begin:  # without a message
            logs.begin.remove(self._attach)
        else:
            self._logger.removeHandler(self)  # type: ignore[arg-type]
            self._logger.setLevel(self._before)

    def handle(self, record: Any) -> None:
        message = record.getMessage()
        for option, flag in self._options.items():
            message = message.replace(f"`{option}`", flag)
        if message not in self._seen and record.name != "rapidbleu.layout":
            self._seen.add(message)
            say(message)


def begin() -> None:
    """Start the clock of a command."""
    global _begun
    _begun = monotonic()


class Bar:
    """A bar of tqdm, called with the numbers of finished and of all things.

    As a context it is None if no bar can be shown, so that work need not report progress. `n` is
    the number of all things if the work does not report it, or a function that counts them when the
    bar is drawn; 0 if unknown.
    """

    def __init__(self, quiet: bool, n: int | Callable[[], int] = 0, **options: Any) -> None:
        self._quiet = quiet
        self._options = options
        self._done = 0
        self._n = n
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

    def part(self, k: int) -> Callable[[int, int], None]:
        """Return a progress callback for the next of k equal parts of the work."""
        before = self._done
        return lambda done, n: self(before + done, k * n)

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
        self._drawn.start_t -= monotonic() - self._entered  # tqdm has a different clock
        self._drawn.n = done
        self._drawn.refresh()


def progress_bar(what: str, n_segments: int | Callable[[], int], quiet: bool) -> Bar:
    """Return a bar of segments, reported by `Bar.update` or together with their total."""
    return Bar(quiet, n_segments, desc=what, unit=" segments", unit_scale=True)


def progress_callback(unit: str, quiet: bool) -> Bar:
    """Return a bar for units such as runs."""
    return Bar(quiet, unit=f" {unit}")


def reading_bar(quiet: bool) -> Bar:
    return Bar(quiet, desc="reading", unit="B", unit_scale=True)
