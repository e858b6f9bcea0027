"""Speedup from a second core, in wall-clock time."""

from collections.abc import Iterator
from dataclasses import replace

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison
from bench.topics.calls.size import copies

TOPIC = "threads"
LIMITS = dict.fromkeys(
    ("corpus, 13a, x1, 2 threads", "corpus, 13a, x4, 2 threads"),
    "two cores give 2x at most; starting a thread takes 30 µs, and checks run in one thread",
)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    for factor in (1, 4):
        corpus = copies(corpora.news, factor)
        one = replace(peers.corpus_ours(corpus), name="rapidbleu, 1 thread")
        theirs = [replace(peer, timed=False) for peer in peers.corpus_sacrebleu(corpus)]
        yield Comparison(
            TOPIC,
            f"corpus, 13a, x{factor}, 2 threads",
            corpus.name,
            peers.corpus_ours(corpus, threads=2),
            [one, *theirs] if factor == 1 else [one],
            len(corpus.hypotheses),
            "segment",
            quantity="wall ns",
            headline=True,
        )
