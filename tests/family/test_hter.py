"""HTER against its definition."""

from random import Random

import pytest

from rapidbleu import HTER, TER
from reference.family import hter as oracle
from support.corpora import random_corpus
from support.selection import few

TARGETED = "a mat"
OTHERS = ["the cat is on the mat", "there is a cat on the mat"]


def lists(rng: Random, n: int, n_refs: int) -> list[list[str]]:
    """Return references of segments, the hypothesis first, each of up to ten words."""
    return [
        [" ".join(rng.choices("abcdef", k=rng.randint(0, 10))) for _ in range(n_refs + 1)]
        for _ in range(n)
    ]


def test_example() -> None:
    score = HTER().sentence_score("the cat sat on a mat", [TARGETED, *OTHERS])
    assert (score.num_edits, score.ref_length) == (4, 6.5)
    assert score.score == pytest.approx(100 * 4 / 6.5, rel=1e-15)
    assert str(score) == "HTER = 61.54"


@pytest.mark.parametrize("seed", few(range(4), [0]))
@pytest.mark.parametrize(("targeted", "n_refs"), [(1, 1), (1, 2), (1, 4), (2, 3), (2, 8), (3, 2)])
def test_scores_are_those_of_the_definition(seed: int, targeted: int, n_refs: int) -> None:
    texts = lists(Random(seed), 60, n_refs)
    hyps, *streams = (list(column) for column in zip(*texts, strict=True))
    rows = [
        oracle.stats(hyp, refs[:targeted], refs[targeted:])
        for hyp, *refs in ([text.split() for text in several] for several in texts)
    ]
    metric = HTER(targeted=targeted)
    stats = metric.segment_stats(hyps, streams)
    assert stats[:, 0].tolist() == [edits for edits, _ in rows]
    lengths = stats[:, 1] + (stats[:, 2] + stats[:, 3] / 1882020540) / 1862340480
    assert lengths.tolist() == pytest.approx([float(length) for _, length in rows], rel=1e-15)
    expected = [100 * oracle.score([row]) for row in rows]
    assert metric.segment_scores(hyps, streams).tolist() == pytest.approx(expected, rel=1e-15)
    score = metric.corpus_score(hyps, streams)
    assert score.score == pytest.approx(100 * oracle.score(rows), rel=1e-15)
    assert metric.score(stats).score == score.score
    assert type(score) is type(metric.score(stats)) is type(metric.sentence_score("a", ["b"]))
    assert score.name == "HTER"


def test_without_others_it_is_ter() -> None:
    hyps, streams = random_corpus(Random("ter"), 40, kind="mixed", n_refs=2)
    rows = TER().segment_stats(hyps, streams).tolist()
    assert HTER(targeted=2).segment_stats(hyps, streams).tolist() == rows
    assert HTER(targeted=9).segment_stats(hyps, streams).tolist() == rows


def test_the_first_references_that_a_segment_has_are_targeted() -> None:
    hyps, streams = ["a b", "a b"], [["a b", None], ["a b c", "b"], ["d", "c d e"]]
    rows = HTER().segment_stats(hyps, streams)
    assert rows[:, :2].tolist() == [[0, 2], [1, 3]]


def test_empty_texts() -> None:
    for hyp, targeted, other, score in [
        ("", "", "", 0),
        ("a", "", "", 100),
        ("", "a b", "a b c d", 50),
        ("a b", "", "a", 200),
    ]:
        assert HTER().sentence_score(hyp, [targeted, other]).score == score


def test_options() -> None:
    hter = HTER(normalized=True, targeted=2)
    assert repr(hter) == "HTER(normalized=True, targeted=2)"
    hter.corpus_score(["a."], [["a ."], ["b"], ["c d"]])
    assert str(hter.get_signature()).startswith("nrefs:3|targeted:2|case:lc|tok:tercom|norm:yes|")
    assert hter.get_signature().format(short=True).startswith("#:3|tg:2|c:lc|t:tercom|nr:yes|")
    for value, error in ((0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="targeted: expected"):
            HTER(targeted=value)  # type: ignore[arg-type]
