"""Nothing is left behind by any public operation, nor by any call that is refused.

A process of its own counts: what a process has done before makes each count slower, and caches
that other tests fill hide what leaks.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.places import PYTHONPATH, TESTS
from support.programs.leaks import NOTHING

CPYTHON = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CPYTHON, reason="references are counted in CPython"),
]


@pytest.mark.parametrize("kind", ["operations", "refusals"])
def test_nothing_leaks(kind: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TESTS / "support" / "programs" / "leaks.py"), kind, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=1200,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, NOTHING)
