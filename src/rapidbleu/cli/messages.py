"""What the command line says beside its results: lines on stderr that begin with ``rapidbleu:``."""

import sys


class CommandError(Exception):
    """The end of a command: what to tell the user, and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def say(message: object) -> None:
    """Write a message to stderr, on one line whatever is in it."""
    if sys.stderr is not None:
        line = f"rapidbleu: {' '.join(str(message).splitlines())}"
        tqdm = sys.modules.get("tqdm")  # loaded if there is a bar, which makes room
        try:
            if tqdm is None:
                print(line, file=sys.stderr, flush=True)
            else:
                tqdm.tqdm.write(line, file=sys.stderr)
        except OSError:
            pass  # stderr is closed, or its reader is gone
