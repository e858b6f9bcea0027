"""A progress bar for long work."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

# Segments of BLEU from which on a bar is shown: below, the work is over before the eye is there.
LONG = 200_000


@contextmanager
def progress_bar(what: str, n_segments: int, cost: int, quiet: bool) -> Iterator[Any]:
    """Show a bar on stderr if that is a terminal, tqdm is installed and there is much to do.

    Yields tqdm's bar, or None where none is shown. `cost` is that of a segment.
    """
    tqdm = _tqdm(quiet or n_segments * cost <= LONG)
    if tqdm is None:
        yield None
        return
    with tqdm(desc=what, total=n_segments, unit=" segments", unit_scale=True, leave=False) as bar:
        yield bar


@contextmanager
def progress_callback(unit: str, hidden: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar of things done if stderr is a terminal, tqdm is installed, and it is not hidden.

    Yields what is to be called with how many are done and how many there are; None without a bar.
    """
    tqdm = _tqdm(hidden)
    if tqdm is None:
        yield None
        return
    with tqdm(total=0, unit=f" {unit}", leave=False) as bar:

        def show(done: int, n: int) -> None:
            bar.total, bar.n = n, done
            bar.refresh()

        yield show


def _tqdm(hidden: bool) -> Any:
    """Return the class of bars; None if it is not there, or stderr is no terminal."""
    if hidden or sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        return import_module("tqdm").tqdm
    except ImportError:
        return None
