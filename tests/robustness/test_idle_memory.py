"""What a metric keeps between calls for the next one does not grow from call to call."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, TER

HYPS = ["The cat, it sat.", "It sat, the cat did not."]
REFS = [["The cat sat.", "It did not."], ["A cat sat.", "It sat."], ["The cat.", "No."]]

CALLS: dict[str, Callable[[Any], object]] = {
    "corpus_score": lambda metric: metric.corpus_score(HYPS, REFS),
    "sentence_score": lambda metric: metric.sentence_score(HYPS[0], ["The cat sat.", "A cat."]),
    "segment_stats": lambda metric: metric.segment_stats(iter(HYPS), REFS),
    "nbest_stats": lambda metric: metric.nbest_stats([HYPS, HYPS], REFS),
    "prepare": lambda metric: metric.prepare(REFS),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("metric", [BLEU(force=True), CHRF(), TER()], ids=["BLEU", "chrF", "TER"])
def test_kept_memory_does_not_grow(metric: Any, name: str) -> None:
    held = []
    tracemalloc.start()
    try:
        for _ in range(30):
            CALLS[name](metric)
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(held[10:]) - min(held[10:]) < 4096  # doubled at every call: megabytes
