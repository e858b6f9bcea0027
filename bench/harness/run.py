"""Run topics, each in a process of its own.

After other topics in the same process, a call of 60 ns took 130 ns.
"""

import importlib
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bench.harness import report
from bench.harness.corpora import N_COPIES, Corpora
from bench.harness.measure import BRIEF, FULL, QUICK, Case, Difference, Effort, Record

__all__ = ["TOPICS", "Difference", "check", "measure"]

_FOLDERS = {
    "calls": (
        "cold",
        "prepared",
        "segments",
        "latency",
        "tokenizers",
        "options",
        "ids",
        "length",
        "size",
        "threads",
        "memory",
        "streams",
        "startup",
    ),
    "metrics": ("chrf", "ter", "edits", "family", "meteor"),
    "dropins": ("nltk", "adapters"),
    "rows": ("nbest", "running", "pairwise", "significance", "comparison"),
    "tuning": (
        "extractor",
        "evaluate",
        "line_search",
        "mert",
        "learners",
        "generalisation",
        "cures",
    ),
    "judging": ("agreement", "alignment"),
}
TOPICS = {topic: folder for folder, topics in _FOLDERS.items() for topic in topics}
_BRIEF = (  # slow peers, or large corpora
    "streams",
    "edits",
    "family",
    "meteor",
    "adapters",
    "agreement",
    "comparison",
)
_SMALL = 60
_FEW = 3


def check(topics: Iterable[str], n_segments: int = _SMALL) -> None:
    corpora = Corpora(n_segments, n_systems=_FEW)
    for topic in topics:
        n_compared = sum(case.check() for case in _cases(topic, corpora))
        if n_compared:
            print(f"ok {topic}: {n_compared} compared", flush=True)
        else:
            print(f"skipped {topic}: no peer to compare with", flush=True)


def measure(
    topics: Iterable[str], *, quick: bool, output: Path | None, n_copies: int = N_COPIES
) -> None:
    """Compare and measure on full corpora; write the results at the end."""
    records: list[Record] = []
    print(report.header(), flush=True)
    for topic in topics:
        effort = QUICK if quick else BRIEF if topic in _BRIEF else FULL
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            records += process.submit(_measured, topic, effort, n_copies).result()
    if output is not None:
        report.save(records, output)


def _measured(topic: str, effort: Effort, n_copies: int) -> list[Record]:
    records = []
    for case in _cases(topic, Corpora(n_copies=n_copies)):
        case.check()
        new = case.measure(effort)
        records += new
        for record in new:
            print(report.line(record), flush=True)
    return records


def _cases(topic: str, corpora: Corpora) -> Iterable[Case]:
    cases: Iterable[Case] = importlib.import_module(f"bench.topics.{TOPICS[topic]}.{topic}").cases(
        corpora
    )
    return cases
