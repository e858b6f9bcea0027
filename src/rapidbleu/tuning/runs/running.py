"""Runs of tuning methods, passed by name or as callables, in threads."""

from __future__ import annotations

from _thread import allocate_lock

from rapidbleu.parallel import in_parts
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import NBestList
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pro
from rapidbleu.tuning.search.risk import risk
from rapidbleu.tuning.search.shared import TuningResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rapidbleu._types import FloatArray, Progress, Vector

# Methods of this package, which stop when `progress` raises and accept counted lists.
METHODS: dict[str, Callable[..., Any]] = {"mert": mert, "pro": pro, "mira": mira, "risk": risk}


def find_method(
    method: str | Callable[..., Any],
    where: str = "method",
    methods: Mapping[str, Callable[..., Any]] = METHODS,
) -> tuple[Callable[..., Any], str]:
    """Return the function of a method and its name; `where` names the argument in errors."""
    if callable(method):
        function = getattr(method, "func", method)  # if it is a partial
        return method, getattr(function, "__name__", type(function).__name__)
    expected = f"{where}: expected one of {', '.join(methods)}, or a callable; got "
    if not isinstance(method, str):
        raise TypeError(f"{expected}{type(method).__name__}")
    if method not in methods:
        raise ValueError(f"{expected}{method!r}")
    return methods[method], method


def is_ours(method: Callable[..., Any]) -> bool:
    """Return whether a method, or the function of a `partial`, is one of this package."""
    return getattr(method, "func", method) in METHODS.values()


def tells_progress(method: Any) -> Any:
    """Mark a method that stops when its `progress` raises."""
    method.tells_progress = True
    return method


def as_result(outcome: TuningResult | Vector, nbest: NBestList, name: str) -> TuningResult:
    """Return a method's outcome as a TuningResult."""
    if isinstance(outcome, TuningResult):
        return outcome
    weights = check_vector(outcome, nbest.names, f"weights of {name}")
    return TuningResult(weights, nbest.names, nbest.evaluate(weights), name, [])


def run_method(
    method: Callable[..., Any], nbest: NBestList, stop: list[BaseException], **options: Any
) -> FloatArray:
    """Call a method with the list and the options, and return its weights.

    After `stop` gets an item, methods of this package stop within a climb or an epoch. Raises
    KeyboardInterrupt if the method was interrupted.
    """

    def watch(done: int, n: int) -> None:
        if stop:
            raise KeyboardInterrupt

    listens = is_ours(method) or hasattr(getattr(method, "func", method), "tells_progress")
    if listens and "progress" not in getattr(method, "keywords", {}):
        options["progress"] = watch
    outcome = method(nbest, **options)
    if not isinstance(outcome, TuningResult):
        return check_vector(outcome, nbest.names, f"weights of {find_method(method)[1]}")
    if outcome.interrupted:
        raise KeyboardInterrupt
    return outcome.weights


def run_all(
    run: Callable[[int, list[BaseException], Callable[[], None]], None],
    n: int,
    threads: int,
    progress: Progress | None,
    steps: int = 1,
) -> tuple[list[int], bool]:
    """Call ``run(i, stop, end_step)`` for each i below n, in threads.

    Each call runs `steps` steps and calls ``end_step()`` after each; `progress` is called with the
    steps done and the total, one call at a time. Returns the finished calls, ascending, and whether
    Ctrl-C stopped the rest; if none has finished, raises KeyboardInterrupt.

    >>> run_all(lambda i, stop, end_step: end_step(), 2, 1, print)
    1 2
    2 2
    ([0, 1], False)
    """
    lock, n_steps = allocate_lock(), 0
    done: list[int] = []

    def end_step() -> None:
        nonlocal n_steps
        with lock:
            n_steps += 1
            if progress is not None:
                progress(n_steps, n * steps)

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for i in range(begin, end):
            if stop:
                return
            run(i, stop, end_step)
            done.append(i)

    interrupted = False
    try:
        in_parts(work, n, threads, 1)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    return sorted(done), interrupted
