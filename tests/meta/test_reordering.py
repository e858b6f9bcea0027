"""Texts of equal BLEU: they score what they should, and the paper's are among what is possible."""

from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu.meta import drawn_variants, equal_variants
from rapidbleu.meta.orders import CutHypothesis
from reference import bleu as oracle
from support.orders import FOLDED, HYPOTHESIS, REFERENCES, random_case
from support.processes import interrupt, posix_only

FUNCTIONS = [equal_variants, drawn_variants]

# Section 3.2 of the paper.
DRAWN = "was being led to the calm as he was would take carry him seemed quite when taken"


def rows(metric: BLEU, texts: list[Any], references: list[Any]) -> Any:
    return metric.segment_stats(texts, [references] * len(texts), layout="segment")


@pytest.mark.parametrize("make", FUNCTIONS)
def test_variants_of_the_paper(make: Any) -> None:
    [own] = rows(FOLDED, [HYPOTHESIS], REFERENCES)
    found = make(HYPOTHESIS, REFERENCES, 50, FOLDED)
    assert len(found) == len(set(found)) == 50
    assert (rows(FOLDED, found, REFERENCES) == own).all()
    assert make(HYPOTHESIS, REFERENCES, 50, FOLDED, threads=2) == found
    assert make(HYPOTHESIS, REFERENCES, 20, FOLDED) == found[:20]
    assert make(HYPOTHESIS, REFERENCES, 50, FOLDED, seed=1) != found
    words = sorted(FOLDED.tokenizer(HYPOTHESIS))
    assert {sorted(text.split()) == words for text in found} == {make is equal_variants}
    assert all({"when", "taken"} <= {*text.split()} for text in found)  # in no reference


def test_the_drawn_text_that_the_paper_prints() -> None:
    """It has the matches that the paper says, but one word less, and so a lower score."""
    one, other = rows(FOLDED, [HYPOTHESIS, DRAWN], REFERENCES).tolist()
    assert one[2:6] == other[2:6] == [15, 10, 5, 3]
    assert (one[0], other[0]) == (18, 17)


@pytest.mark.parametrize("make", FUNCTIONS)
def test_random_variants(make: Any) -> None:
    rng = Random("variants")
    n_found = 0
    for _ in range(60):
        words, references = random_case(rng, 12)
        own = oracle.segment_stats(words, references)
        found = make(words, references, 5, tries=2_000, seed=rng.randrange(1000))
        assert len({tuple(variant) for variant in found} | {tuple(words)}) == len(found) + 1
        for variant in found:
            assert oracle.segment_stats(variant, references) == own
            if make is equal_variants:
                assert sorted(variant) == sorted(words)
        n_found += len(found)
    assert n_found > 50


@pytest.mark.parametrize("make", FUNCTIONS)
def test_gains(make: Any) -> None:
    """Same or higher; some are higher."""
    [own] = FOLDED.score_rows(rows(FOLDED, [HYPOTHESIS], REFERENCES))
    found = make(HYPOTHESIS, REFERENCES, 200, FOLDED, gains=True)
    scores = FOLDED.score_rows(rows(FOLDED, found, REFERENCES))
    assert scores.min() >= own * (1 - 1e-12)
    assert scores.max() > own


def test_all_there_are() -> None:
    """Of six blocks that join nowhere all other orders, each once and in no order."""
    found = equal_variants([*"abcdef"], [["a", "x", "b"]], 1000, tries=1)
    assert len(found) == len(set(map(tuple, found))) == 719
    assert found != sorted(found)
    assert equal_variants("a b", ["a b"]) == []
    assert equal_variants("", ["a b"]) == drawn_variants("", ["a b"]) == []
    assert equal_variants([1, 2, 3], [[1, 2, 4]]) == [[3, 1, 2]]


def test_text_is_read_again() -> None:
    """Words that the tokenizer does not find in the text again are no variant."""
    dashes = BLEU(tokenize=lambda text: text.split("-"))
    assert equal_variants("a-b-c", ["x"], metric=dashes, tries=100) == []
    assert len(equal_variants(["a", "b", "c"], [["x"]], metric=dashes, tries=100)) == 5


def test_words_stay_as_they_are_written() -> None:
    found = equal_variants(HYPOTHESIS, REFERENCES, 10, FOLDED)
    assert all("Appeared calm" in text and "American plane" in text for text in found)


def test_blocks_longer_than_references() -> None:
    """A chain through two references is no part of either: it stays."""
    words = ["a", "b", "c", "d"]
    cut = CutHypothesis(words, [["a", "b"], ["b", "c", "d"]])
    assert cut.lengths.tolist() == [4]
    assert drawn_variants(words, [["a", "b"], ["b", "c", "d"]]) == []


@pytest.mark.parametrize("make", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("a", ["a"], 0), {}, ValueError, "n: expected at least 1, got 0"),
        (("a", ["a"], 1.5), {}, TypeError, "n: expected int, got float"),
        (("a", ["a"]), {"tries": 0}, ValueError, "tries: expected at least 1"),
        (("a", ["a"]), {"seed": "x"}, TypeError, "seed"),
        (("a", ["a"]), {"threads": -1}, ValueError, "threads"),
        (("a", ["a"], 1, CHRF()), {}, TypeError, "metric: expected BLEU, got CHRF"),
        (("a", []), {}, ValueError, "no reference"),
        ((None, ["a"]), {}, TypeError, "hypotheses"),
    ],
)
def test_bad_calls(
    make: Any, arguments: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(*arguments, **options)


def test_seeds() -> None:
    words = list(range(30))
    assert equal_variants(words, [[99]], 3) == equal_variants(words, [[99]], 3)
    assert equal_variants(words, [[99]], 3, seed=None) != equal_variants(words, [[99]], 3)
    assert np.shape(equal_variants(words, [[99]], 3)) == (3, 30)


@posix_only
def test_interrupt() -> None:
    setup = "from rapidbleu.meta import drawn_variants; bleu = BLEU()"
    call = "drawn_variants('a b', ['b a'], tries=10**9)"
    (line, *rest), waited = interrupt(setup, call, 0.6)
    assert line.startswith("interrupted"), line
    assert waited < 3.0
    assert rest == ["still scores"]
