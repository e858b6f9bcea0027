"""Programs that tests run in child processes, and conditions for such tests."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from rapidbleu._core.text.tokenize import simd_level

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and limits")
unsanitized = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="AddressSanitizer holds memory back, and slows some code more than other",
)
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="limits and fork as on Linux")
forks_with_threads = pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="a child may begin with a list locked that threads of its parent were reading",
)
frees_at_once = pytest.mark.skipif(
    sys.implementation.name != "cpython", reason="PyPy frees memory late and crashes without any"
)


# Without it, glibc keeps freed large blocks, and holes between them count towards the peak.
RETURNED = {"MALLOC_MMAP_THRESHOLD_": "131072"}


def run(program: str, *, timeout: float = 60.0, **variables: str) -> str:
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


# `resource.getrusage` reports at least the peak of the parent process.
PEAK = """
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
"""

INTERRUPTED = """
import os, signal, sys, threading, time
from rapidbleu import BLEU
{setup}
print("ready", flush=True)
started = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started, flush=True)
    score = bleu.corpus_score(["a b c d"], [["a b c d"]])
    print("still scores" if score.counts[:4] == [4, 3, 2, 1] else score)
else:
    print("finished in", time.monotonic() - started)
"""


LEVEL = simd_level()  # the highest level of vector code that the processor supports
LOWER_LEVELS = {"portable": [], "avx512": ["portable", "avx2"]}.get(LEVEL, ["portable"])


def repeat_at_level(
    level: str, files: Sequence[Path], selection: str, marked: str = "not slow"
) -> None:
    """Rerun the selected tests of files at a level of vector code."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", marked]
    result = subprocess.run(
        [*command, *map(str, files), "-k", selection],
        env={**os.environ, "RAPIDBLEU_SIMD": level},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout
    assert "passed" in result.stdout


def repeat_at_lower_levels(file: str, selection: str) -> None:
    """Rerun the selected tests of a file at all lower levels of vector code."""
    for level in LOWER_LEVELS:
        repeat_at_level(level, [Path(file)], selection)


OUT_OF_MEMORY = """
import pickle, resource, sysconfig
import numpy as np
import rapidbleu
# There objects are in address space that was reserved before, which the limit does not count.
reserves = sysconfig.get_config_var("Py_GIL_DISABLED")
{setup}
expected = str(metric.corpus_score(["a b c d"], [["a b c e"]]))
failures = 0
unlimited = resource.getrlimit(resource.RLIMIT_AS)
limits = [*range(0, {most}, {step}), 4 * 10**9]
for limit in limits:
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + limit, unlimited[1]))
    try:
        {call}
    except MemoryError:
        failures += 1
    resource.setrlimit(resource.RLIMIT_AS, unlimited)
    assert str(metric.corpus_score(["a b c d"], [["a b c e"]])) == expected
print((0 < failures or reserves) and failures < len(limits))
"""


def exhaust_memory(setup: str, call: str, *, most: int, step: int) -> None:
    """Run a call with `metric` under memory limits from 0 to `most` bytes above current use.

    Each limit makes another allocation fail; after it the metric must be as good as before.
    """
    program = OUT_OF_MEMORY.format(setup=setup, call=call, most=most, step=step)
    assert run(program, timeout=600.0).strip() == "True"


def interrupt(setup: str, call: str, delay: float) -> tuple[list[str], float]:
    """Return the output of a program interrupted `delay` seconds into its call, and its duration.

    The response should come within a second; tests allow three, because other processes and
    sanitizers delay it.
    """
    with subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", INTERRUPTED.format(setup=setup, call=call)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        line = process.stdout.readline()
        waited = time.monotonic() - started
        rest = process.stdout.read()
        errors = process.stderr.read()
    assert process.returncode == 0, errors
    return [line, *rest.splitlines()], waited
