"""Instruction counts of all jobs under callgrind, as `.ci/count_instructions.py` counts.

Every job of our code with one thread is counted on small synthetic corpora. Peers are not loaded.
"""

import gc
import importlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison
from bench.harness.places import REPOSITORY, RESULTS

STORED = RESULTS / "instructions_of_bench.json"
N_SEGMENTS, N_SYSTEMS, N_COPIES = 60, 3, 2
_NEEDED = ("Stemmer", "pyarrow")  # by our own code
_UNCOUNTED = ("generalisation", "cures", "memory", "startup", "threads")  # none of one thread


def count(topics: Sequence[str], *, store: bool) -> None:
    """Print the counts of topics and their ratio to the stored ones; store them if asked to."""
    tool = _tool()
    environment = tool.environment_of(sys.executable)
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {"environment": None}
    comparable = stored["environment"] == environment
    if not comparable:
        print("the stored counts are of another compiler, interpreter or library: not compared")
    tasks = [(topic, level) for level in tool.LEVELS for topic in topics if topic not in _UNCOUNTED]
    found: dict[str, dict[str, int]] = {level: {} for level in tool.LEVELS}
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for (_, level), counts in zip(
            tasks, threads.map(lambda task: _counted(tool, *task), tasks), strict=True
        ):
            found[level].update(counts)
            before = stored.get(level, {}) if comparable else {}
            print(level)
            tool.slower(counts, {name: before.get(name, n) for name, n in counts.items()})
    if store:
        text = json.dumps({"environment": environment, **found}, indent=1, ensure_ascii=False)
        STORED.write_text(f"{text}\n", encoding="utf-8")


def _tool() -> ModuleType:
    spec: Any = spec_from_file_location("tool", REPOSITORY / ".ci" / "count_instructions.py")
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def _counted(tool: Any, topic: str, level: str) -> dict[str, int]:
    program = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
    program += f"from bench.harness import counts; counts.run_jobs({topic!r})"
    with tempfile.TemporaryDirectory() as folder:
        counts = tool.dumps([sys.executable, "-c", program], folder, level)
        names = json.loads(Path(folder, "names.json").read_text("utf-8"))
    return dict(zip(names, counts, strict=True))


def run_jobs(topic: str) -> None:
    """Run each job twice; callgrind writes its counts before and after the second time."""
    gc.disable()
    os.environ["RAPIDBLEU_DATA"] = "none"
    os.urandom = random.Random(7).randbytes
    load = peers.load
    peers.load = lambda name: load(name) if name in _NEEDED else None  # type: ignore[assignment]
    names: dict[str, None] = {}
    run: Any = importlib.import_module("bench.harness.run")
    for case in run._cases(topic, Corpora(N_SEGMENTS, N_SYSTEMS, N_COPIES)):
        name = f"{topic}: {case.job}, {case.corpus}" if isinstance(case, Comparison) else ""
        if name and name not in names and "2 threads" not in name:
            ours = case.ours
            for again in (False, True):
                if ours.before:
                    ours.before()
                if again:
                    os.getppid()
                ours.run()
            os.getppid()
            names[name] = None
    Path("names.json").write_text(json.dumps(list(names)), encoding="utf-8")
