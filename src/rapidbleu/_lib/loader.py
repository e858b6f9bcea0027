"""The only way in which the package loads modules later than itself.

If a signal handler interrupts an import, Python leaves the handler with a half-made module; in a
child forked while another thread imports, the module stays locked forever. So a fork waits for
loads, and where handlers may run, loads have a thread of their own: a handler interrupts only the
wait for them. Signals blocked in this thread would reach its handlers through the other threads.
"""

from __future__ import annotations

import os
import sys
from _signal import NSIG, default_int_handler, getsignal  # type: ignore[import-not-found]
from _thread import RLock, allocate_lock, start_new_thread

__all__ = ["Lazy", "late_names", "load", "np", "undisturbed"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType
    from typing import Any, TypeVar

    _T = TypeVar("_T")
    _Key = tuple[str, str]

# Held by the thread that loads or forks. A thread in the middle of an import holds locks that a
# load may wait for, so it must not wait for this one: Python detects no deadlock across both kinds.
_lock = RLock()

SIGNALS = range(1, NSIG)
# Seconds until a waiting thread checks whether it is in a child, with the load in its parent
LOOK = 0.05
# Maximum seconds that a fork waits: a lock which the program acquired before may block a load.
PATIENCE = 20


def load(module: str, name: str = "") -> Any:
    """Return a module, or its attribute `name`, imported on the first call.

    A following import statement finds the module loaded. Intended for modules of this package, of
    Python, and of libraries that import only these and NumPy.
    >>> load("math").isqrt(10), load("math", "isqrt")(10)
    (3, 3)
    """
    found = sys.modules.get(module)
    # The flag of `importlib`, by which an import statement also recognizes whole modules
    if found and not getattr(getattr(found, "__spec__", None), "_initializing", False):
        return getattr(found, name) if name else found
    key = module, name
    return undisturbed(lambda: _load_here(key), module)


def undisturbed(work: Callable[[], _T], module: str) -> _T:
    """Return the result of a function that imports, in a thread that no signal handler interrupts.

    It may import `module`. A fork waits for its end.
    """
    if _lock._is_owned() or _is_importing(module):  # type: ignore[attr-defined]
        return work()  # with modules that may be half made
    if any(callable(own) and own is not default_int_handler for own in map(getsignal, SIGNALS)):
        return _work_elsewhere(work)
    with _lock:
        return work()


class Lazy:
    """A module that is loaded on first use; used names become attributes."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(load(self._module), name)
        setattr(self, name, value)
        return value


# NumPy takes longer to load than all of rapidbleu, which scores most corpora without it. Until a
# name is used, importing `np` from here costs nothing. Type checkers see NumPy itself.
if TYPE_CHECKING:
    import numpy as np
else:
    np = Lazy("numpy")


def late_names(
    package: dict[str, Any],
    modules: Mapping[str, str],
    *needs: str,
    packages: Sequence[str] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package, given its globals.

    `modules` maps names to their modules, relative to the package or absolute. `needs` are loaded
    first, because functions found there import them when called. `packages` are names of submodules
    that are also loaded on first use. `elsewhere` maps further names to the package that contains
    them, for the error message.

    >>> package = {"__name__": "rapidbleu"}
    >>> find, names = late_names(package, {"compare": "comparison"})
    >>> find("compare").__module__, "compare" in package, names()
    ('rapidbleu.comparison.comparing', True, ['compare'])
    >>> find("comparf")
    Traceback (most recent call last):
    AttributeError: module 'rapidbleu' has no attribute 'comparf'
    """

    def load_name(name: str) -> Any:
        if name in packages:
            return load(f"{package['__name__']}.{name}")
        if name not in modules:
            hint = f"; {elsewhere[name]} has it" if elsewhere and name in elsewhere else ""
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}{hint}")
        module = modules[name]
        if not module.startswith("rapidbleu."):
            module = f"{package['__name__']}.{module}"
        for need in needs:
            load(need)
        return package.setdefault(name, load(module, name))

    return load_name, lambda: sorted([*package.get("__all__", modules), *packages])


def _load_here(key: _Key) -> Any:
    module, name = key
    imported = __import__(module, fromlist=["__name__"])
    return getattr(imported, name) if name else imported


def _is_importing(module: str) -> bool:
    """Return whether this thread is importing something that loading a module may need.

    If so, it runs a handler that interrupted one of the program's own imports.
    """
    roots = "rapidbleu", "numpy", module.partition(".")[0]
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "_find_and_load":
            root = str(frame.f_locals.get("name")).partition(".")[0]
            if root in roots or root in sys.stdlib_module_names:
                return True
        frame = frame.f_back
    return False


def _work_elsewhere(work: Callable[[], _T]) -> _T:
    """Work in a separate thread, or in this one if none can be started."""
    import threading  # noqa: F401  # before Python 3.13 it takes its importer for the main thread

    process, done = os.getpid(), allocate_lock()
    failures: list[BaseException] = []
    results: list[_T] = []

    def work_there() -> None:
        try:
            with _lock:
                results.append(work())
        except BaseException as error:
            failures.append(error)
        finally:
            done.release()

    done.acquire()
    try:
        start_new_thread(work_there, ())
    except RuntimeError as error:
        if error.__traceback__ and error.__traceback__.tb_next:  # raised by a handler
            raise
        with _lock:
            return work()
    while not done.acquire(timeout=LOOK):
        if os.getpid() != process:  # a handler forked
            return undisturbed(work, "rapidbleu")
    if failures:
        raise failures[0]
    return results[0]


def _before_fork() -> None:
    if not _lock.acquire(blocking=False):
        # The load may need the lock of logging, whose own fork hook may have acquired it already.
        other: Any = getattr(sys.modules.get("logging"), "_lock", None)
        owned = other is not None and other._is_owned()
        if owned:
            other.release()
        _lock.acquire(timeout=PATIENCE)
        if owned:
            other.acquire()


def _after_fork() -> None:
    if _lock._is_owned():  # type: ignore[attr-defined]
        _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
