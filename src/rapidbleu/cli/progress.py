"""Bars for long work, on stderr if that is a terminal and tqdm is installed.

A bar is drawn when the work reports progress and the command has run for a second; it disappears
when the work is done.
"""

from __future__ import annotations

import sys
from importlib import import_module
from time import monotonic

from rapidbleu.printing.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

DELAY = 1.0  # seconds of a command before the first bar

_begun = monotonic()


def begin() -> None:
    """Count the seconds of a command from now on."""
    global _begun
    _begun = monotonic()


class Bar:
    """A bar to be called with the number of finished things and the number of all.

    As a context it is None where no bar can be shown, so that work need not report progress.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    n : int
        Number of all things, for `update`; 0 if it is not known.
    reports : bool
        Whether the work reports progress; otherwise the bar is drawn before it begins.
    **options
        Options of tqdm.
    """

    def __init__(self, quiet: bool, n: int = 0, reports: bool = True, **options: Any) -> None:
        self._quiet, self._reports, self._options = quiet, reports, options
        self._done, self._n = 0, n
        self._drawn: Any = None

    def __enter__(self) -> Self | None:
        if self._quiet or sys.stderr is None or not sys.stderr.isatty():
            return None
        self._entered = monotonic()
        if not self._reports:
            self(0, 0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.close()

    def update(self, n: int) -> None:
        """Report n more finished things."""
        self(self._done + n, self._n)

    def __call__(self, done: int, n: int) -> None:
        if self._drawn is not None:
            self._drawn.total = n or None
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
        self._drawn = tqdm(total=n or None, leave=False, **self._options)
        self._drawn.start_t = self._entered
        self._drawn.n = done
        self._drawn.refresh()


def progress_bar(what: str, n_segments: int, quiet: bool) -> Bar:
    """Return a bar of segments, reported by `Bar.update` or with the number of all."""
    return Bar(quiet, n_segments, desc=harmless(what), unit=" segments", unit_scale=True)


def progress_callback(unit: str, quiet: bool) -> Bar:
    """Return a bar of things such as runs."""
    return Bar(quiet, unit=f" {unit}")


def reading_bar(quiet: bool) -> Bar:
    """Return a bar of the bytes of files that are read."""
    return Bar(quiet, desc="reading", unit="B", unit_scale=True)


def waiting(what: str, quiet: bool) -> Bar:
    """Return a label of work that reports no progress."""
    return Bar(quiet, reports=False, bar_format=f"{what} ...")
