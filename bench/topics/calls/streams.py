"""Throughput and memory of a streamed corpus, compared with the same in lists.

A time ratio is the fraction of the throughput of in-memory lists, which need no reading.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import rapidbleu
from bench.harness import sources
from bench.harness.corpora import N_COPIES, Corpora, Corpus
from bench.harness.measure import Case, Comparison, Contender, Difference, Effort, Record
from bench.harness.places import REPOSITORY

TOPIC = "streams"
LIMITS = {
    f"x{N_COPIES}, {kind}, 1 thread": reason
    for kind, reason in {
        "iterators": "lists need no reading; strings are taken one by one",
        "generators": "resuming a generator takes as long as scoring its segment",
        "files of lines": "lists need no reading; lines are found, UTF-8 is checked",
        "TSV": "lists need no reading; fields are found, UTF-8 is checked",
        "JSON lines": "each line is parsed into Python objects",
        "Parquet": "pyarrow's decompression takes longer than scoring",
        "Parquet, uncompressed": "pyarrow decodes pages",
        "Arrow IPC": "lists need no reading; batches are mapped",
    }.items()
}
_MAX_TURNS = 3
_RESOLUTION = 100 * 1024


def cases(corpora: Corpora) -> Iterator[Case]:
    """Yield each source with one and two threads, then the memory of each in its own process."""
    corpus = _numbered(corpora.news, corpora.n_copies)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources.write(corpus, folder)
        sources.write(corpora.news.head(1), folder / "one")
        lists = sources.opener(sources.LISTS, folder)()
        for threads in (1, 2):
            for kind in sources.kinds():
                yield Comparison(
                    TOPIC,
                    f"x{corpora.n_copies}, {kind}, {_count(threads)}",
                    corpus.name,
                    _contender(kind, threads, _opener(kind, folder, lists)),
                    [_contender(sources.LISTS, threads, lambda: lists)],
                    len(corpus.hypotheses),
                    "segment",
                    quantity="wall ns",
                    headline=threads == 1,
                )
        if os.access("/proc/self/clear_refs", os.W_OK):
            for kind in sources.kinds():
                yield PeakCase(kind, folder, corpus, corpora.n_copies)


def _numbered(corpus: Corpus, n_copies: int) -> Corpus:
    """Copy a corpus so that no two segments are equal, because Parquet files repeat no string."""
    hyps, refs = (
        [f"{text} {k}" for k in range(n_copies) for text in side]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    return Corpus(corpus.name, hyps, [refs])


def _opener(kind: str, folder: Path, lists: Any) -> Any:
    """Return a function that creates arguments; iterators and generators are of the lists."""
    if kind == "iterators":
        return lambda: (iter(lists[0]), [iter(lists[1][0])])
    if kind == "generators":
        return lambda: ((text for text in lists[0]), [(text for text in lists[1][0])])
    return sources.opener(kind, folder)


def _count(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def _contender(name: str, threads: int, make: Any) -> Contender:
    metric = rapidbleu.BLEU()
    return Contender(
        name, lambda: metric.corpus_score(*make(), threads=threads), compared="score object: =="
    )


@dataclass(frozen=True)
class PeakCase:
    """One source and lists of the same strings, each read by a fresh process."""

    kind: str
    folder: Path
    corpus: Corpus
    n_copies: int

    def check(self) -> int:
        ours, theirs = (self._run(kind)["score"] for kind in (self.kind, sources.LISTS))
        if ours != theirs:
            raise Difference(f"{TOPIC}: {self.kind} and lists differ: {ours!r} and {theirs!r}")
        return 1

    def measure(self, effort: Effort) -> list[Record]:
        turns = min(effort.max_turns, _MAX_TURNS)
        ours, theirs = (
            max(_RESOLUTION, median(self._run(kind)["bytes"] for _ in range(turns)))
            for kind in (self.kind, sources.LISTS)
        )
        return [
            Record(
                TOPIC,
                f"peak memory, x{self.n_copies}, {self.kind}",
                self.corpus.name,
                "bytes",
                ours,
                len(self.corpus.hypotheses),
                "segment",
                turns,
                peer=sources.LISTS,
                theirs=theirs,
                ratio=theirs / ours,
                compared="score: ==",
            )
        ]

    def _run(self, kind: str) -> dict[str, float]:
        command = [sys.executable, "-m", "bench.harness.sources", kind, str(self.folder)]
        done = subprocess.run(command, stdout=subprocess.PIPE, cwd=REPOSITORY, check=True)
        result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return result
