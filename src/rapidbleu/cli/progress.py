"""Bars for long work: none in the first second of a command, then one of what is being done.

They are on stderr, if that is a terminal and tqdm is installed, and go when the work is done. A
thread draws them, so that they come in time however seldom the work tells how far it is.
"""

import sys
from importlib import import_module
from time import monotonic

from rapidbleu.printing.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event
    from typing import Any, Self

DELAY = 1.0  # seconds of a command before the first bar
EVERY = 0.1  # seconds from one drawing to the next

_begun = monotonic()


def begin() -> None:
    """Count the seconds of a command from now on."""
    global _begun
    _begun = monotonic()


class Bar:
    """A bar of things done, to be called with how many these are, and how many there are.

    As a context it is None where no bar can be shown, and work need not tell what is done.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    n : int
        How many things there are, for `update`.
    **options
        Of tqdm.
    """

    def __init__(self, quiet: bool, n: int = 0, **options: "Any") -> None:
        self._quiet, self._options = quiet, options
        self._done, self._n = 0, n
        self._ends: list[Any] = []

    def __enter__(self) -> "Self | None":
        if self._quiet or sys.stderr is None or not sys.stderr.isatty():
            return None
        from threading import Event, Thread

        end = Event()
        thread = Thread(target=self._draw, args=(end, monotonic()), daemon=True)
        thread.start()
        self._ends = [end.set, thread.join]
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            end()

    def update(self, n: int) -> None:
        """Tell that n more are done."""
        self._done += n

    def __call__(self, done: int, n: int) -> None:
        self._done, self._n = done, n

    def _draw(self, end: "Event", begun: float) -> None:
        for share in (0.5, 1.0):  # tqdm is there in time, though the work slows its import
            left = _begun + share * DELAY - monotonic()
            if left > 0 and end.wait(left):
                return
            try:
                tqdm = import_module("tqdm").tqdm
            except ImportError:
                return
        with tqdm(total=self._n or None, leave=False, **self._options) as bar:
            bar.start_t -= monotonic() - begun
            while True:
                bar.n, bar.total = self._done, self._n or None
                bar.refresh()
                if end.wait(EVERY):
                    return


def progress_bar(what: str, n_segments: int, quiet: bool) -> Bar:
    """Return a bar of segments, to be told of them by `Bar.update` or all at a time."""
    return Bar(quiet, n_segments, desc=harmless(what), unit=" segments", unit_scale=True)


def progress_callback(unit: str, quiet: bool) -> Bar:
    """Return a bar of things such as runs."""
    return Bar(quiet, unit=f" {unit}")


def reading_bar(quiet: bool) -> Bar:
    """Return a bar of the bytes of files that are read."""
    return Bar(quiet, desc="reading", unit="B", unit_scale=True)


def waiting(what: str, quiet: bool) -> Bar:
    """Return what shows that something goes on that tells nothing, and for how long."""
    return Bar(quiet, bar_format=f"{what}: {{elapsed}}")
