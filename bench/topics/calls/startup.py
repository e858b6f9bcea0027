"""Processor time of import and first score, and of the command, beyond a bare interpreter."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Difference, Effort, Record
from bench.harness.places import REPOSITORY

TOPIC = "startup"
LIMITS = {
    "import, first score": "loading 44 modules; `import rapidbleu` alone takes about a millisecond",
    "the command, 3 lines": "loading a module takes 170 µs; fewer modules would save 15 ms",
}
_SCORE = "print({0}.corpus_bleu(['a b c d e'], [['a b c d e']]).score)"
_FIRST = {  # the import that programs write, and a score
    "rapidbleu": f"import rapidbleu; {_SCORE.format('rapidbleu')}",
    "sacrebleu": f"import sacrebleu; {_SCORE.format('sacrebleu')}",
}
_NO_NUMPY = "import rapidbleu, sys; sys.exit('numpy' in sys.modules)"
_BARE = [sys.executable, "-c", "pass"]


def cases(corpora: Corpora) -> Iterator["StartCase"]:
    names = [name for name in _FIRST if peers.load(name)]
    yield StartCase(
        "import, first score", {name: [sys.executable, "-c", _FIRST[name]] for name in names}
    )
    scripts = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("ref", "hyp")]
        sides = corpora.news.references[0], corpora.news.hypotheses
        for file, texts in zip(files, sides, strict=True):
            file.write_text("".join(f"{text}\n" for text in texts[:3]), encoding="utf-8")
        yield StartCase(
            "the command, 3 lines",
            {
                name: [str(scripts / name), str(files[0]), "-i", str(files[1]), "-b"]
                for name in names
                if (scripts / name).is_file()
            },
        )


@dataclass(frozen=True)
class StartCase:
    job: str
    programs: dict[str, list[str]]

    def check(self) -> int:
        """Raise `Difference` if outputs differ, or our import loads NumPy."""
        outputs = {name: _start(program)[0] for name, program in self.programs.items()}
        if len(set(outputs.values())) > 1:
            raise Difference(f"{self.job}: {outputs}")
        if subprocess.run([sys.executable, "-c", _NO_NUMPY], cwd=REPOSITORY).returncode:
            raise Difference("import: `import rapidbleu` fails or loads numpy")
        return len(outputs)

    def measure(self, effort: Effort) -> list[Record]:
        turns, rows = effort.max_turns, []
        for _ in range(turns):
            bare, *rest = (_start(program)[1] for program in (_BARE, *self.programs.values()))
            rows.append([1e9 * (seconds - bare) for seconds in rest])
        ours, *theirs = map(median, zip(*rows, strict=True))
        common = (TOPIC, self.job, "", "CPU ns", ours, 1, "start", turns)
        return [
            Record(*common, peer=name, theirs=time, ratio=time / ours, headline=True)
            for name, time in zip(list(self.programs)[1:], theirs, strict=True)
        ] or [Record(*common, headline=True)]


def _start(program: list[str]) -> tuple[bytes, float]:
    """Return the output and the processor time of a process, which may store its bytecode."""
    from resource import RUSAGE_CHILDREN, getrusage  # not on Windows

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(program, cwd=REPOSITORY, env=environment, capture_output=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return done.stdout, sum(after[:2]) - sum(before[:2])  # in user mode and in the system
