"""Repeat calls and print what grows; a program of test_leaks.py.

    leaks.py operations FOLDER    every public operation
    leaks.py refusals FOLDER      every call that is refused

Rounds of the same calls are compared by the interpreter's counts: memory blocks, bytes of every
allocator, objects, references. A cache may grow in one round, a leak grows in all of them. Prints
the call that leaks, or that none does.
"""

import gc
import logging
import sys
import tracemalloc
import warnings
from array import array
from collections.abc import Callable
from itertools import compress, repeat
from operator import not_
from pathlib import Path
from typing import Any

import numpy as np

from support.calls.bad_calls import REFUSALS, bad_calls
from support.calls.operations import all_operations

NOTHING = "nothing leaks"

ROUNDS = 3
CLEAR_CACHES = getattr(sys, "_clear_internal_caches", None) or getattr(
    sys, "_clear_type_cache", gc.collect
)


def all_references() -> int:
    """Count the references of all heap objects, except to types.

    `numpy.empty(n)` keeps one to the type of its items, and Cython's functions to their own.
    """
    things = gc.get_referents(*gc.get_objects())
    held = dict(zip(map(id, things), things, strict=True)).values()
    are_types = map(isinstance, held, repeat((type, np.dtype)))
    return sum(map(sys.getrefcount, compress(held, map(not_, are_types))))


def measure(counts: "array[int]", place: int) -> None:
    """Write all counts to an array, which keeps no objects of its own."""
    gc.collect()
    CLEAR_CACHES()  # the type cache keeps attribute names, each pickle's own
    counts[place] = tracemalloc.get_traced_memory()[0]
    counts[place + 1] = sys.getallocatedblocks()
    counts[place + 2] = len(gc.get_objects())
    counts[place + 3] = all_references()


def leaks(calls: list[Callable[[], Any]]) -> dict[str, list[int]]:
    """Return the counts that grow in every round of calls, and by how much in each."""
    counts = array("q", [0] * 4 * (ROUNDS + 2))
    for i in range(ROUNDS + 2):
        for call in calls:
            call()
        measure(counts, 4 * i)
    growth = {
        name: [counts[4 * i + j] - counts[4 * i + j - 4] for i in range(2, ROUNDS + 2)]
        for j, name in enumerate(("bytes", "blocks", "objects", "references"))
    }
    return {name: each for name, each in growth.items() if min(each) > 0}


def culprit(calls: dict[str, Callable[[], Any]]) -> tuple[str, dict[str, list[int]]] | None:
    """Return the first call that leaks, and what, by bisection.

    None also if all together seem to leak, but not twice, or none alone: caches grow at any time.
    """
    names = list(calls)
    if not leaks(list(calls.values())) or not leaks(list(calls.values())):
        return None
    while len(names) > 1:
        half = names[: len(names) // 2]
        names = half if leaks([calls[name] for name in half]) else names[len(half) :]
    found = leaks([calls[names[0]]])
    return (names[0], found) if found else None


def refused(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return the refused calls, with their exceptions caught."""
    n_refused = 0

    def attempt(call: Callable[[], Any]) -> None:
        nonlocal n_refused
        try:
            call()
        except REFUSALS:
            n_refused += 1

    calls = bad_calls(folder)
    for call in calls.values():
        attempt(call)
    assert n_refused > 0.95 * len(calls)
    return {name: lambda c=call: attempt(c) for name, call in calls.items()}


def main(kind: str, folder: str) -> None:
    logging.getLogger().addHandler(logging.NullHandler())  # messages are formatted, but not shown
    if kind == "refusals":
        warnings.simplefilter("ignore")
        calls = refused(Path(folder))
    else:
        warnings.simplefilter("error")
        calls = all_operations(Path(folder))
        calls.pop("pro", None)  # the working memory of scipy's optimizer varies
    gc.collect()
    tracemalloc.start()
    print(culprit(calls) or NOTHING)


if __name__ == "__main__":
    main(*sys.argv[1:])
