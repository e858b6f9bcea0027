"""Peak memory of scoring a corpus, beyond the caller's strings.

Linux counts resident pages in batches per core, so a peak is accurate to about 100 KiB, and lower
values are reported as 100 KiB.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Difference, Effort, Record
from bench.harness.places import REPOSITORY

TOPIC = "memory"
_MAX_TURNS = 5
_RESOLUTION = 100 * 1024


def cases(corpora: Corpora) -> Iterator["MemoryCase"]:
    """Yield one corpus, or nothing where the system does not report peaks."""
    if os.access("/proc/self/clear_refs", os.W_OK):
        yield MemoryCase(corpora.news)
    else:
        print("memory: needs Linux's /proc/self/clear_refs, left out", flush=True)


@dataclass(frozen=True)
class MemoryCase:
    corpus: Corpus

    def check(self) -> int:
        if not peers.load("sacrebleu"):
            return 0
        ours, theirs = (self._run(name)["score"] for name in ("rapidbleu", "sacrebleu"))
        if ours != theirs:
            raise Difference(f"memory: rapidbleu and sacrebleu differ: {ours!r} and {theirs!r}")
        return 1

    def measure(self, effort: Effort) -> list[Record]:
        turns = min(effort.max_turns, _MAX_TURNS)
        names = ["rapidbleu", "sacrebleu"] if peers.load("sacrebleu") else ["rapidbleu"]
        peaks = [[self._run(name)["bytes"] for name in names] for _ in range(turns)]
        ours, *rest = (max(_RESOLUTION, median(column)) for column in zip(*peaks, strict=True))
        theirs = rest[0] if rest else None
        record = Record(
            TOPIC,
            "peak memory, corpus, 13a",
            self.corpus.name,
            "bytes",
            ours,
            len(self.corpus.hypotheses),
            "segment",
            turns,
            headline=True,
            peer="sacrebleu" if rest else None,
            theirs=theirs,
            ratio=theirs / ours if theirs is not None else None,
            compared="score: ==" if rest else None,
        )
        return [record]

    def _run(self, name: str) -> dict[str, float]:
        texts = [*self.corpus.hypotheses, *self.corpus.references[0]]
        done = subprocess.run(
            [sys.executable, "-m", "bench.harness.peak", name],
            input="".join(f"{text}\n" for text in texts).encode(),
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            check=True,
        )
        result: dict[str, float] = json.loads(done.stdout)
        return result
