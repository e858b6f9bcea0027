"""Counts of calls in all processes of `rapidbleu run --report`.

Each process writes a file in a folder of the run: slots of a number of calls, nanoseconds and a
text, in memory that is mapped, so that a killed process loses nothing. A forked child begins a file
of its own. Pythons without rapidbleu leave a file with their path. Errors of the disk are ignored,
because the program must not notice them; the file is written in full before it is mapped, because
a full disk would otherwise end the process later.
"""

from __future__ import annotations

import os
import sys
from struct import Struct
from time import thread_time_ns

from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SLOT, N_SLOTS = 256, 128  # bytes, slots of a file
NUMBERS = Struct("<QQ")  # calls and nanoseconds, before the text
OTHER = "other\tother\tother"


class Recorder:
    """The counts of this process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names: dict[Any, str] = {}
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._map: Any = None
        self._failed = False
        self._slots: dict[str, list[int]] = {}  # number of the slot, calls, nanoseconds

    def watch(self, module: str, functions: list[Any]) -> None:
        """Record the calls of switched functions."""
        library = module.partition(".")[0]
        for function in functions:
            self._names[function] = f"{library}\t{module}.{function.name}"
            function.clock = thread_time_ns
            function.recorder = self._record

    def _record(self, function: Any, reason: str | None, time: int) -> None:
        if self._failed:
            return
        slots, text = self._slots, f"{self._names[function]}\t{reason or ''}"
        slot = slots.get(text)
        if slot is None:
            if len(slots) >= N_SLOTS - 1:
                text = OTHER
            slot = slots.setdefault(text, [len(slots), 0, 0])
        # No other thread or handler runs within one of these statements.
        slot[1] += 1
        slot[2] += time
        try:
            self._write(slot, text)
        except (OSError, ValueError):
            self._failed = True

    def _write(self, slot: list[int], text: str) -> None:
        if self._map is None:
            self._map = self._new_map()
        begin = slot[0] * SLOT
        if slot[1] == 1:
            coded = text.encode()[: SLOT - NUMBERS.size]
            self._map[begin + NUMBERS.size : begin + NUMBERS.size + len(coded)] = coded
        NUMBERS.pack_into(self._map, begin, *slot[1:])

    def _new_map(self) -> Any:
        mmap: Any = load("mmap")
        name = f"{os.getpid()}-{os.urandom(8).hex()}.calls"
        with open(os.path.join(self._folder, name), "xb+", buffering=0) as file:
            file.write(bytes(SLOT * N_SLOTS))
            return mmap.mmap(file.fileno(), SLOT * N_SLOTS)


_recorders: dict[str, Recorder] = {}


def watch(folder: str, module: str, functions: list[Any]) -> None:
    """Record the calls of a module's switched functions in a folder."""
    if folder not in _recorders:
        _recorders[folder] = Recorder(folder)
    _recorders[folder].watch(module, functions)


def summary_of(folder: str) -> dict[str, Any]:
    """Return the counts of all processes of a run together, as they are in JSON."""
    functions: dict[tuple[str, str], dict[str, Any]] = {}
    without: dict[str, int] = {}
    n_processes = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        if name.endswith(".calls"):
            n_processes += 1
            _add_calls(functions, content)
        else:
            python = content.decode("utf-8", "replace")
            without[python] = without.get(python, 0) + 1
    return {
        "processes": n_processes,
        "functions": [functions[key] for key in sorted(functions)],
        "without_rapidbleu": without,
    }


def write(folder: str, path: str) -> None:
    """Write what a run left in its folder: as JSON to a file, or to stderr if `path` is empty."""
    summary = summary_of(folder)
    if path:
        with load("rapidbleu._lib.files").replacing_text(path) as file:
            load("json").dump(summary, file, indent=2)
            file.write("\n")
    elif sys.stderr is not None:
        sys.stderr.write("\n".join([*_lines(summary), ""]))


def _add_calls(functions: dict[tuple[str, str], dict[str, Any]], content: bytes) -> None:
    for begin in range(0, len(content) - SLOT + 1, SLOT):
        calls, time = NUMBERS.unpack_from(content, begin)
        if not calls:
            break
        text = content[begin + NUMBERS.size : begin + SLOT].rstrip(b"\0").decode("utf-8", "replace")
        library, function, reason = [*text.split("\t"), "", ""][:3]
        row = functions.setdefault(
            (library, function),
            {
                "library": library,
                "function": function,
                "served": 0,
                "handed_back": {},
                "seconds": 0.0,
            },
        )
        if reason:
            row["handed_back"][reason] = row["handed_back"].get(reason, 0) + calls
        else:
            row["served"] += calls
            row["seconds"] += time / 1e9


def _lines(summary: dict[str, Any]) -> list[str]:
    """Return the lines of the table."""
    rows = []
    for row in summary["functions"]:
        name = row["function"].removeprefix(f"{row['library']}.")
        back = row["handed_back"]
        numbers = str(row["served"]), str(sum(back.values())), f"{row['seconds']:.3f}"
        rows.append((row["library"], name, *numbers))
        rows += [("", f"  {reason}", "", str(n), "") for reason, n in sorted(back.items())]
    lines = [f"rapidbleu: processes that called accelerated functions: {summary['processes']}"]
    if rows:
        headers = ["library", "function", "served", "handed back", "seconds"]
        columns = [list(column) for column in zip(*rows, strict=True)]
        right = [False, False, True, True, True]
        lines.append(load("rapidbleu.table", "plain_table")(headers, columns, right))
    for python, n in summary["without_rapidbleu"].items():
        lines.append(f"without rapidbleu, processes: {n}: {python}")
    return lines
