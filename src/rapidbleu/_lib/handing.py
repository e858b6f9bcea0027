"""Handing a call back to the library whose function a switched one replaces."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType

# Libraries that our code calls. An exception from frames of these and of Python alone is ours.
_CALLED = {
    "rapidbleu", "numpy", "nltk", "sacrebleu", "rouge_score", "jiwer", "rapidfuzz", "fastchrf",
    "torchmetrics", "torch", "six", "builtins", "",
}  # fmt: skip
# Parts of Python from which a program may raise exceptions in signal handlers and trace functions.
_CALLING = {
    "__main__", "asyncio", "bdb", "concurrent", "faulthandler", "multiprocessing", "pdb", "profile",
    "sched", "signal", "socketserver", "subprocess", "threading", "trace", "unittest",
}  # fmt: skip
# Builtin exceptions that may have no text. Another one without text comes from a thread.
_BARE = (AssertionError, MemoryError, StopIteration)

switched_codes: set[CodeType] = set()
"""Codes of switched functions."""


class HandBack(Exception):
    """Raised if the other library has to answer a call. The text is the reason."""


def hand_back(reason: str) -> None:
    """Hand back a served call, before our code would query the library or warn in its place."""
    if switched_codes and is_serving():
        raise HandBack(reason)


def is_serving() -> bool:
    """Return whether a switched function called the code that calls this."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _root(frame.f_globals) == "rapidbleu":
        frame = frame.f_back
    return frame.f_code in switched_codes


def is_ours(error: BaseException) -> bool:
    """Return whether our code failed, not a signal handler or callable of the program.

    The frames of its traceback show this. A handler may run between any two of our instructions.
    """
    if not isinstance(error, Exception) or isinstance(error, TimeoutError):
        return False
    home = type(error).__module__.partition(".")[0]
    if not _is_called(home):
        return False
    if home == "builtins" and not error.args and not isinstance(error, _BARE):
        return False
    trace = error.__traceback__
    while trace is not None:
        if not is_called(trace):
            return False
        trace = trace.tb_next
    return True


def is_called(trace: TracebackType) -> bool:
    """Return whether an entry of a traceback is of our code or what it calls."""
    return _is_called(_root(trace.tb_frame.f_globals))


def _root(names: dict[str, object]) -> str:
    return str(names.get("__name__") or "").partition(".")[0]


def _is_called(root: str) -> bool:
    if root in _CALLED or root.startswith("namedtuple_"):
        return True
    return root in sys.stdlib_module_names and root not in _CALLING
