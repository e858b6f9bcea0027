"""Runs of a method on several lists: how it is called, how it is stopped, how many are done."""

from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.result import TuningResult
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pro
from rapidbleu.tuning.search.risk import risk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import FloatArray, Progress

OURS = (mert, mira, pro, risk)  # which listen to what `progress` raises, and take counted lists


class Runs:
    """Counts runs, and tells progress, one call at a time.

    Examples
    --------
    >>> runs = Runs(print, 2)
    >>> runs.end_one()
    1 2
    """

    def __init__(self, progress: "Progress | None", n: int) -> None:
        from _thread import allocate_lock

        self._progress = progress
        self._n = n
        self._done = 0
        self._lock = allocate_lock()

    def end_one(self) -> None:
        """Count one more."""
        with self._lock:
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._n)


def run_method(
    method: "Callable[..., Any]", nbest: "NBestList", stop: "list[BaseException]", **options: "Any"
) -> "FloatArray":
    """Return the weights that a method finds.

    Parameters
    ----------
    method : callable
        Called with the list and the options; returns a `TuningResult`, or weights.
    nbest : NBestList
    stop : list of exception
        No longer empty: end, which this package's own methods do within a climb or an epoch.
    **options
        Of the method.

    Raises
    ------
    KeyboardInterrupt
        If the method was interrupted.
    """

    def watch(done: int, n: int) -> None:
        if stop:
            raise KeyboardInterrupt

    if listens(method):
        options["progress"] = watch
    outcome = method(nbest, **options)
    if not isinstance(outcome, TuningResult):
        return check_vector(outcome, nbest.names)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return outcome.weights


def is_ours(method: "Callable[..., Any]") -> bool:
    """Return whether a method is one of this package, be it with options of a `partial`.

    Examples
    --------
    >>> from functools import partial
    >>> is_ours(partial(mert, restarts=0)), is_ours(print)
    (True, False)
    """
    return getattr(method, "func", method) in OURS


def listens(method: "Callable[..., Any]") -> bool:
    """Return whether a method takes a callback for progress, and has none yet.

    Examples
    --------
    >>> from functools import partial
    >>> listens(mert), listens(partial(mert, restarts=0)), listens(partial(mert, progress=print))
    (True, True, False)
    """
    options: dict[str, Any] = getattr(method, "keywords", {})
    known = getattr(method, "func", method)
    return (is_ours(method) or hasattr(known, "tells_progress")) and "progress" not in options
