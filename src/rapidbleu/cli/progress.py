"""A progress bar for work that takes long enough to wonder."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

# Segments from which on a bar is shown: below, the work is over before the eye is there.
LONG = 200_000


@contextmanager
def progress_bar(n_segments: int, quiet: bool) -> Iterator[Any]:
    """Show a bar on stderr if that is a terminal, tqdm is installed and there is much to do.

    Yields tqdm's bar, or None where none is shown.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    tqdm = None if quiet or not terminal or n_segments <= LONG else _tqdm()
    if tqdm is None:
        yield None
        return
    with tqdm(total=n_segments, unit=" segments", unit_scale=True, leave=False) as bar:
        yield bar


def _tqdm() -> Any:
    try:
        return import_module("tqdm").tqdm
    except ImportError:
        return None
