"""No input makes scoring superlinear: instructions of jobs of `flooding`, counted by callgrind.

Exceptions: the functions of NLTK put tokens that are neither strings nor integers of 64 bits into
a dictionary of Python's, and a chosen `__hash__` of such tokens can make that slow, as in NLTK.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.places import PYTHONPATH, TESTS
from support.programs.flooding import JOBS

pytestmark = pytest.mark.slow

MOST = 2.7  # times the instructions for twice the input; 4 is quadratic
SEED = "20"  # of Python's hashes, on which nothing here may depend


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    """Instructions of each job for n and for 2n."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    out = tmp_path_factory.mktemp("callgrind") / "out"
    program = [sys.executable, TESTS / "support" / "programs" / "flooding.py"]
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-before=getppid"]
    done = subprocess.run(
        [*tool, *program],
        env={**os.environ, "PYTHONHASHSEED": SEED, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = []
    for i in range(4 * len(JOBS)):  # before, n, between, 2n
        total = re.search(r"^totals: (\d+)", Path(f"{out}.{i + 1}").read_text(), re.M)
        assert total is not None
        found.append(int(total[1]))
    return {name: (found[4 * i + 1], found[4 * i + 3]) for i, name in enumerate(JOBS)}


@pytest.mark.parametrize("name", JOBS)
def test_twice_as_much_takes_about_twice_as_long(
    counts: dict[str, tuple[int, int]], name: str
) -> None:
    one, two = counts[name]
    assert 0 < two < MOST * one, (one, two)


COLLIDING = """
import os, sys, time
key = "abcdefga"
if sys.argv[1] == "known":
    os.urandom = lambda n: (key.encode() * n)[:n]
from rapidbleu import BLEU

def duration(start):
    words = [f"{start}{i:08d}" for i in range(8000)]
    begin = time.process_time()
    BLEU().segment_stats([words], [[words[::-1]]])
    return time.process_time() - begin

duration("warm-up!")
print(duration(key) / duration("abcdefgb"))
"""


@pytest.mark.parametrize("keys", ["known", "secret"])
def test_keys_come_from_the_operating_system(keys: str) -> None:
    """Words that collide under one key make scoring slow if `os.urandom` returns that key."""
    ratio = float(
        subprocess.run(
            [sys.executable, "-c", COLLIDING, keys],
            env={**os.environ, "PYTHONHASHSEED": SEED},
            capture_output=True, text=True, check=True,
        ).stdout
    )  # fmt: skip
    assert (ratio > 10) == (keys == "known"), ratio
