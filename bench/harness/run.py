"""The topics, and what is done with them."""

import importlib
from collections.abc import Iterable
from pathlib import Path

from bench.harness import report
from bench.harness.corpora import N_COPIES, Corpora
from bench.harness.measure import BRIEF, FULL, QUICK, Case, Difference, Record

__all__ = ["TOPICS", "Difference", "check", "measure"]

_FOLDERS = {
    "calls": (
        "cold", "prepared", "segments", "latency", "tokenizers", "options", "length", "size",
        "threads", "memory", "streams", "startup",
    ),
    "metrics": ("chrf", "ter", "edits", "family", "meteor"),
    "dropins": ("nltk", "adapters"),
    "rows": ("nbest", "running", "pairwise", "significance", "comparison"),
    "tuning": (
        "extractor", "evaluate", "line_search", "mert", "learners", "generalisation", "cures",
    ),
    "judging": ("agreement", "alignment"),
}  # fmt: skip
TOPICS = {topic: folder for folder, topics in _FOLDERS.items() for topic in topics}
_BRIEF = (  # slow peers, or large corpora
    "streams", "edits", "family", "meteor", "adapters", "agreement", "comparison",
)  # fmt: skip
_SMALL = 60
_FEW = 3


def check(topics: Iterable[str], n_segments: int = _SMALL) -> None:
    """Compare all contenders on small corpora; one line a topic."""
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
    """Compare and then measure on full corpora; write the results once all of it is done."""
    corpora = Corpora(n_copies=n_copies)
    records: list[Record] = []
    print(report.header(), flush=True)
    for topic in topics:
        effort = QUICK if quick else BRIEF if topic in _BRIEF else FULL
        for case in _cases(topic, corpora):
            case.check()
            new = case.measure(effort)
            records += new
            for record in new:
                print(report.line(record), flush=True)
    if output is not None:
        report.save(records, output)


def _cases(topic: str, corpora: Corpora) -> Iterable[Case]:
    cases: Iterable[Case] = importlib.import_module(
        f"bench.topics.{TOPICS[topic]}.{topic}"
    ).cases(corpora)
    return cases
