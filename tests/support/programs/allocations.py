"""Try every operation with each of its allocations failing; a program of test_allocation.py.

    allocations.py raw FOLDER     the raw allocator, by `raw_memory` from the folder
    allocations.py all FOLDER     all of the interpreter's allocators

Prints the operations tried. A failed call must leave everything unchanged: the next one returns the
right result, and as many blocks of memory are held as before.
"""

import faulthandler
import gc
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.calls.operations import Operation, operations, plain

SECONDS = 120  # for one operation, far more than needed
ROUNDS = 5
NEVER = 2**31 - 1  # more than the allocations of any operation
QUIET = 30  # successful calls in a row, whose allocations come before those that fail

# Exceptions that libraries raise without memory, often without saying so.
OF_LIBRARIES = (SystemError, RuntimeError, TypeError, ValueError, OSError)


def is_fair(error: BaseException) -> bool:
    """Return whether it is a MemoryError, or comes from outside the compiled core."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    in_core = where is not None and where.tb_frame.f_code.co_filename.endswith(".pyx")
    pickling = type(error).__name__ == "PicklingError"
    return isinstance(error, MemoryError) or (
        not in_core and (pickling or isinstance(error, OF_LIBRARIES))
    )


def attempt(
    name: str,
    operation: Operation,
    expected: Any,
    refuse: Callable[[], None],
    allow: Callable[[], Any],
) -> bool:
    """Return whether the operation fails, as it may."""
    refuse()
    try:
        result = operation()
    except BaseException as error:
        allow()
        if not is_fair(error):
            raise
        return True  # keep no error: the interpreter has few MemoryErrors, whose tracebacks grow
    allow()
    assert plain(result) == expected, f"{name}: another result"
    return False


def try_raw(name: str, operation: Operation, hook: Any) -> tuple[int, int]:
    """Refuse raw allocations alone, then each and all that follow: first all, then a sample.

    Caches of the interpreter may grow meanwhile, but not in each of several rounds.
    """
    operation()
    expected = plain(operation())
    hook.refuse(0, 0)
    operation()
    n, failures = hook.allow(), 0
    gc.collect()
    held = hook.held()
    for _ in range(ROUNDS):
        for many in (1, 1 << 40):
            i = 0
            while i < n:
                failures += attempt(
                    name, operation, expected, lambda i=i, m=many: hook.refuse(i, m), hook.allow
                )
                i += 1 + i // 40
        operation()
        gc.collect()
        grown, held = hook.held() - held, hook.held()
        if grown <= 0 or "threads" in name:  # a thread that cannot start leaks
            break
    else:
        raise AssertionError(f"{name}: {grown} blocks more after each round of failures")
    assert plain(operation()) == expected, f"{name}: another result afterwards"
    return n, failures


def allow_all() -> None:
    """Refuse nothing from now on.

    The allocators stay replaced: threads that begin or end call them without the GIL, and would
    crash on a mixture of old and new ones.
    """
    while True:
        try:
            from _testcapi import set_nomemory

            return set_nomemory(NEVER, 0)
        except MemoryError:  # this call needed what was refused
            pass


def try_all(name: str, operation: Operation) -> tuple[int, int]:
    """Refuse allocations of any kind, one at a time: first all, then a sample."""
    from _testcapi import set_nomemory

    operation()
    expected = plain(operation())
    n = failures = quiet = 0
    while quiet < QUIET:
        failed = attempt(
            name,
            operation,
            expected,
            lambda n=n: set_nomemory(n, n + 1),
            allow_all,
        )
        failures += failed
        quiet = 0 if failed else quiet + 1
        n += 1 + n // 40
    assert plain(operation()) == expected, f"{name}: another result afterwards"
    return n, failures


def main(kind: str, folder: str) -> None:
    faulthandler.enable()
    logging.disable()
    sys.unraisablehook = lambda _: None
    hook: Any = None
    if kind == "raw":
        sys.path.insert(0, folder)
        import raw_memory as hook  # type: ignore[import-not-found, no-redef]

        hook.install()
    else:
        allow_all()
    tried = operations(Path(folder))
    gc.collect()
    gc.freeze()  # existing objects need not be traversed repeatedly
    for name, operation in tried.items():
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        print(f"{name}: ", end="", flush=True)
        n, failures = try_raw(name, operation, hook) if kind == "raw" else try_all(name, operation)
        print(f"{n} allocations, {failures} failures", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
