"""The metric in docs/development/architecture.md compiles, and all generic code works with it."""

import re
from collections import Counter
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rapidbleu import significance, tuning
from support.corpora import random_corpus
from support.places import REPO

pytestmark = pytest.mark.slow  # compiles a metric

PAGE = REPO / "docs" / "development" / "architecture.md"
HYPS, REFS = random_corpus(Random("jaccard"), 30, kind="ascii", n_refs=2)


@pytest.fixture(scope="module")
def jaccard(probe: Callable[..., ModuleType]) -> Any:
    if not PAGE.exists():
        pytest.skip("the pages are not here")
    (block,) = re.findall(r"^```cython\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    return probe("jaccard", block).Jaccard(tokenize="none")


def row_of(hyp: str, refs: list[str]) -> list[int]:
    """Return common words and words of either text, for the first of the best references."""
    rows = []
    for ref in refs:
        a, b = Counter(hyp.split()), Counter(ref.split())
        rows.append([(a & b).total(), (a | b).total()])
    return max(rows, key=lambda row: row[0] / row[1] if row[1] else 0.0)


def test_rows_and_scores(jaccard: Any) -> None:
    rows = np.array([row_of(hyp, list(refs)) for hyp, *refs in zip(HYPS, *REFS, strict=True)])
    assert jaccard.segment_stats(HYPS, REFS).tolist() == rows.tolist()
    scores = [100.0 * common / words if words else 0.0 for common, words in rows.tolist()]
    assert jaccard.segment_scores(HYPS, REFS).tolist() == scores
    common, words = rows.sum(axis=0).tolist()
    assert jaccard.corpus_score(HYPS, REFS).score == 100.0 * common / words


def test_what_is_generic(jaccard: Any) -> None:
    running = jaccard.running(REFS, HYPS)
    running.replace(3, HYPS[4])
    changed = [*HYPS[:3], HYPS[4], *HYPS[4:]]
    assert running.score == jaccard.corpus_score(changed, REFS).score
    assert jaccard.select(["a b c", "a b", "a b d"]) == 1
    assert jaccard.pairwise(["a b", "b c d"]).tolist() == [[100.0, 25.0], [25.0, 100.0]]
    resampled = significance.bootstrap(HYPS, REFS, jaccard, n_resamples=50)
    low, high = resampled.interval
    assert low <= resampled.score <= high
    lists = [[hyp, other] for hyp, other in zip(HYPS, reversed(HYPS), strict=True)]
    features = [[1.0, 0.2], [0.3, 1.0]] * len(lists)
    nbest = tuning.NBestList.from_lists(lists, features, REFS, metric=jaccard)
    assert tuning.mert(nbest).score > nbest.evaluate([1.0, 1.0])
