"""Failing memory: every allocation of every public operation, refused alone and with all after it.

Whatever fails, the caller gets a MemoryError and can go on with the same objects; nothing leaks.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CPYTHON = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="built and tried on POSIX systems"),
    pytest.mark.skipif(not CPYTHON, reason="no allocators to replace"),
]


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command that must succeed."""
    result = subprocess.run(
        [sys.executable, *map(str, command)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1200,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:]
    return result.stdout


def check(output: str) -> None:
    """Most operations do fail when they are refused something."""
    counts = [line.split(": ")[1].split() for line in output.splitlines()]
    assert sum(int(failures) > 0 for _, _, failures, _ in counts) > 200


def test_every_raw_allocation_may_fail(tmp_path: Path) -> None:
    """All memory of the core: the interpreter's objects come from elsewhere here."""
    pytest.importorskip("Cython")
    shutil.copy(TESTS / "raw_memory.pyx", tmp_path)
    run("-m", "Cython.Build.Cythonize", "-i", "-q", tmp_path / "raw_memory.pyx")
    check(run(TESTS / "allocations.py", "raw", tmp_path, PYTHONMALLOC="malloc"))


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="later interpreters crash where they have no memory"
)
def test_every_allocation_may_fail(tmp_path: Path) -> None:
    """Those of Python objects too."""
    pytest.importorskip("_testcapi")
    check(run(TESTS / "allocations.py", "all", tmp_path))
