"""What the command line says beside its results: lines on stderr that begin with ``rapidbleu:``."""

from __future__ import annotations

import os
import sys

from rapidbleu.printing.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class CommandError(Exception):
    """The end of a command: what to tell the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Terminal:
    """Standard output on a terminal, on which control characters of texts and names are harmless.

    Parameters
    ----------
    file : text file
    """

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
    """Return whether to color the output: a terminal whose user does not object."""
    return not disabled and not os.environ.get("NO_COLOR") and stream.isatty()


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
