"""CIDEr-D against its slow oracle and pycocoevalcap."""

from random import Random

import numpy as np
import pytest

from rapidbleu import CIDErD
from reference.family import cider as oracle
from support.selection import few

LENGTHS = [0, 1, 2, 5, 12, 30, 64, 65, 130]


def corpus(rng: Random, n: int, n_refs: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    words = [f"w{i}" for i in range(rng.choice([2, 10, 60]))] + ["a-long-token"]
    texts = [
        [rng.choices(words, k=rng.choice(LENGTHS[: rng.randint(2, 9)])) for _ in range(n_refs + 1)]
        for _ in range(n)
    ]
    for several in texts:
        if rng.random() < 0.5:
            several[0] = [word for word in several[1] if rng.random() > 0.2]
    return [several[0] for several in texts], [several[1:] for several in texts]


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_scores_are_those_of_the_oracle(seed: int) -> None:
    rng = Random(f"cider {seed}")
    hyps, refs = corpus(rng, rng.choice([1, 5, 40]), rng.randint(1, 4))
    for order, sigma in ((4, 6.0), (1, 0.5), (6, 100.0)):
        metric = CIDErD(max_ngram_order=order, sigma=sigma)
        expected = oracle.cider(hyps, refs, order, sigma)
        scores = metric.segment_scores(hyps, refs, layout="segment")
        assert scores.tolist() == pytest.approx(expected, rel=1e-11, abs=1e-13)
        found = metric.corpus_score(hyps, refs, layout="segment")
        assert found.score == pytest.approx(np.mean(expected), rel=1e-11, abs=1e-13)


def test_scores_are_those_of_pycocoevalcap() -> None:
    peer = pytest.importorskip("pycocoevalcap.cider.cider_scorer")
    hyps, refs = corpus(Random("coco"), 60, 3)
    scorer = peer.CiderScorer()
    for hyp, several in zip(hyps, refs, strict=True):
        scorer += (" ".join(hyp), [" ".join(ref) for ref in several])
    mean, scores = scorer.compute_score()
    found = CIDErD().segment_scores(hyps, refs, layout="segment")
    assert np.abs(found - scores).max() <= 2.0**-49
    assert CIDErD().corpus_score(hyps, refs, layout="segment").score == pytest.approx(mean)


def test_given_information() -> None:
    rng = Random("given")
    hyps, refs = corpus(rng, 30, 2)
    _, others = corpus(rng, 50, 2)
    metric = CIDErD(information=CIDErD().prepare(others, layout="segment"))
    expected = oracle.cider(hyps, refs, information=others)
    found = metric.segment_scores(hyps, refs, layout="segment")
    assert found.tolist() == pytest.approx(expected, rel=1e-11, abs=1e-13)
    again = CIDErD().with_information(others, layout="segment")
    assert again.segment_scores(hyps, refs, layout="segment").tolist() == found.tolist()
    assert str(metric.get_signature()).count("|info:50-") == 1


def test_own_and_equal_information() -> None:
    hyps, refs = corpus(Random("own"), 60, 3)
    rows = CIDErD().segment_stats(hyps, refs, layout="segment").tolist()
    given = CIDErD().with_information(refs, layout="segment")
    assert given.segment_stats(hyps, refs, layout="segment").tolist() == rows


def test_what_all_segments_have_weighs_nothing() -> None:
    assert CIDErD().corpus_score(["a b"], [["a b"]]).score == 0
    assert CIDErD().corpus_score(["a b", "a b"], [["a b", "a b"]]).score == 0
    assert CIDErD().corpus_score(["a", "b"], [["a", "b"]]).score == pytest.approx(2.5)


def test_weights_that_are_all_0_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = CIDErD()
    for _ in range(2):
        assert metric.corpus_score(["a b"], [["a b"]]).score == 0
    (record,) = caplog.records
    assert record.name == "rapidbleu"
    assert "All n-grams of the references weigh 0, so CIDErD is 0" in record.getMessage()
    caplog.clear()
    CIDErD().corpus_score([""], [[""]])
    CIDErD().corpus_score(["a b", "c"], [["a b", "c"]])
    assert not caplog.records
    CIDErD(information=[["a b"]])
    assert len(caplog.records) == 1
