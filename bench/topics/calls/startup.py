"""Import time of the package, beyond the start of the interpreter."""

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Difference, Effort, Record
from bench.harness.places import REPOSITORY

TOPIC = "startup"
_NO_NUMPY = "import rapidbleu, sys; sys.exit('numpy' in sys.modules)"


def cases(_: Corpora) -> Iterator["ImportCase"]:
    yield ImportCase()


class ImportCase:
    def check(self) -> int:
        """Raise `Difference` if our import loads NumPy."""
        if _start(_NO_NUMPY):
            raise Difference("import: `import rapidbleu` fails or loads numpy")
        return 1

    def measure(self, effort: Effort) -> list[Record]:
        turns = effort.max_turns
        names = [name for name in ("sacrebleu", "nltk") if peers.load(name)]
        programs = ["pass", "import rapidbleu", *(f"import {name}" for name in names)]
        rows = []
        for _ in range(turns):
            bare, *rest = (_seconds(program) for program in programs)
            rows.append([1e9 * (seconds - bare) for seconds in rest])
        columns = list(zip(*rows, strict=True))
        ours = median(columns[0])
        common = (TOPIC, "import", "", "wall ns", ours, 1, "import", turns)
        return [
            Record(*common, peer=name, theirs=median(column), ratio=median(column) / ours,
                   headline=name == "sacrebleu")
            for name, column in zip(names, columns[1:], strict=True)
        ] or [Record(*common, headline=True)]  # fmt: skip


def _start(program: str) -> int:
    return subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY).returncode


def _seconds(program: str) -> float:
    start = time.perf_counter()
    _start(program)
    return time.perf_counter() - start
