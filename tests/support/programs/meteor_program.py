"""METEOR's program, release 1.5, if Java and pycocoevalcap, which contains it, are installed."""

import shutil
import subprocess
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Self

JAVA = shutil.which("java")


def find_program() -> Path | None:
    """Return the jar, if it can be run."""
    spec = find_spec("pycocoevalcap")
    if spec is None or JAVA is None:
        return None
    for folder in spec.submodule_search_locations or ():
        jar = Path(folder) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    return None


QUICK = "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"  # for a program of a second or two


class MeteorProgram:
    """A running program that is queried line by line."""

    path = find_program()

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [str(JAVA), *QUICK, "-Xmx2G", "-jar", str(self.path), "-", "-", "-stdio", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, lines: Sequence[str], n_answers: int) -> list[str]:
        """Send lines, and read `n_answers`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        writer = Thread(target=self._write, args=[lines])
        writer.start()
        answers = [self.process.stdout.readline() for _ in range(n_answers)]
        writer.join()
        return answers

    def _write(self, lines: Sequence[str]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def statistics(self, hyps: Sequence[str], refs: Sequence[Sequence[str]]) -> list[list[int]]:
        """Return the 23 statistics of each segment."""
        lines = [
            " ||| ".join(["SCORE", *several, hyp or " "])
            for hyp, several in zip(hyps, refs, strict=True)
        ]
        return [[int(float(x)) for x in line.split()] for line in self.ask(lines, len(lines))]

    def scores(self, rows: Sequence[Sequence[int]]) -> tuple[list[float], float]:
        """Return the score of each segment, and of all together."""
        line = " ||| ".join(["EVAL", *(" ".join(f"{x}.0" for x in row) for row in rows)])
        *scores, whole = map(float, self.ask([line], len(rows) + 1))
        return scores, whole


def program_stems(words: Collection[str], language: str = "english") -> dict[str, str]:
    """Return the program's stems, from an older Snowball."""
    listed = sorted(words)
    done = subprocess.run(
        [str(JAVA), "-cp", str(MeteorProgram.path), "Stemmer", language],
        input="".join(f"{word}\n" for word in listed),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return dict(zip(listed, done.stdout.split("\n"), strict=False))
