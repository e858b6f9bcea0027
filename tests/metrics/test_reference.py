"""The oracle itself: against the numbers of the papers, and against an installed sacrebleu."""

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from types import ModuleType

import pytest

from reference import bleu
from reference.papers import (
    EXAMPLES,
    LAVIE_REFERENCES,
    OREJUELA_REFERENCES,
    PAPINENI_REFERENCES,
    Example,
)
from support.corpora import KINDS, random_corpus
from support.peers import need

SMOOTHING = [
    ("none", None),
    ("exp", None),
    ("exp", 0.3),  # ignored
    ("floor", None),
    ("floor", 0.0),
    ("floor", 0.5),
    ("add-k", None),
    ("add-k", 0),
    ("add-k", 0.5),
    ("add-k", 3),
]


def fold(text: str) -> list[str]:
    return text.lower().split()


def stats_of(example: Example, **options: object) -> list[int]:
    references = [fold(reference) for reference in example.references]
    return bleu.segment_stats(fold(example.hypothesis), references, **options)


def clipped_sum(hypothesis: str, references: Sequence[str], n: int) -> int:
    clipped = bleu.clipped_counts(fold(hypothesis), [fold(text) for text in references], n)
    return sum(clipped.values())


# The papers


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_counts_of_the_papers(example: Example) -> None:
    hyp_len = example.total[0]
    expected = [hyp_len, example.closest, *example.correct, *example.total]
    assert stats_of(example) == expected


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_scores_of_the_papers(example: Example) -> None:
    score = bleu.score_from_stats(stats_of(example), smooth_method="none")
    assert math.isclose(score.score, 100 * example.bleu, rel_tol=1e-14, abs_tol=1e-300)
    for precision, correct, total in zip(
        score.precisions, example.correct, example.total, strict=True
    ):
        exact = Fraction(100 * correct, total) if total else Fraction(0)
        assert precision == float(exact)


def test_papineni_needs_case_folding() -> None:
    example = next(example for example in EXAMPLES if example.name == "Papineni 2")
    hypothesis = example.hypothesis.split()
    references = [text.split() for text in example.references]
    assert sum(bleu.clipped_counts(hypothesis, references, 1).values()) == 1
    assert sum(bleu.ngrams(hypothesis, 1).values()) == 7


def test_clipping_takes_the_maximum_over_references_not_the_sum() -> None:
    references = [["a", "a", "b"], ["a", "b", "b"]]
    assert bleu.clipped_counts(["a"] * 4 + ["b"] * 4 + ["c"], references, 1) == {
        ("a",): 2,
        ("b",): 2,
        ("c",): 0,
    }


def test_ngrams_overlap_and_end_with_the_last_token() -> None:
    assert bleu.ngrams(["a", "a", "a", "b"], 2) == {("a", "a"): 2, ("a", "b"): 1}
    assert bleu.ngrams(["a", "b"], 2) == {("a", "b"): 1}
    assert bleu.ngrams(["a", "b"], 3) == {}


def test_best_match_length_of_the_paper() -> None:
    assert bleu.effective_ref_len(12, [12, 15, 17]) == 12
    assert bleu.brevity_penalty(12, 12) == 1.0
    average = bleu.effective_ref_len(12, [12, 15, 17], "average")
    assert average == 14  # 44 / 3, rounded down
    assert bleu.brevity_penalty(12, average) == math.exp(1 - 14 / 12)


@pytest.mark.parametrize(
    ("policy", "expected"), [("closest", 8), ("shortest", 2), ("longest", 12), ("average", 7)]
)
def test_reference_length_policies(policy: str, expected: int) -> None:
    for ref_lens in ([12, 8, 2], [2, 8, 12], [8, 12, 2]):
        assert bleu.effective_ref_len(10, ref_lens, policy) == expected  # 8 and 12 tie


def test_reference_length_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="median"):
        bleu.effective_ref_len(3, [3], "median")
    with pytest.raises(ValueError, match="at least one"):
        bleu.effective_ref_len(3, [])


def test_lengths_of_a_corpus_are_summed_before_the_penalty() -> None:
    rows = [[4, 12, 4, 3, 4, 3], [20, 12, 12, 11, 20, 19]]
    assert bleu.corpus_stats(rows) == [24, 24, 16, 14, 24, 22]
    assert bleu.score_from_stats(bleu.corpus_stats(rows)).bp == 1.0
    assert bleu.score_from_stats(rows[0]).bp == math.exp(-2)


def test_lavie_brevity_with_the_average_length() -> None:
    example = next(example for example in EXAMPLES if example.name == "Lavie, brevity")
    stats = stats_of(example, ref_len="average")
    assert stats[1] == sum(len(text.split()) for text in LAVIE_REFERENCES) // 2 == 13
    score = bleu.score_from_stats(stats).score
    assert math.isclose(score, 10.539922456186433, rel_tol=1e-14)


def test_kauchak_bigrams_are_those_of_the_reference_in_the_paper() -> None:
    candidate = next(example for example in EXAMPLES if example.name == "Kauchak, candidate 2")
    assert clipped_sum(candidate.hypothesis, candidate.references, 2) == 3
    assert clipped_sum(candidate.hypothesis, PAPINENI_REFERENCES, 2) == 4  # the slides' 4/13
    assert clipped_sum(candidate.hypothesis, PAPINENI_REFERENCES, 3) == 0  # the slides say 1/12


def test_callison_burch_table_2_has_as_many_ngrams() -> None:
    references = [text.split() for text in OREJUELA_REFERENCES]
    merged = [bleu.ngrams(references[0], n) for n in (1, 2, 3)]
    for reference in references[1:]:
        merged = [counts | bleu.ngrams(reference, n) for n, counts in enumerate(merged, start=1)]
    assert [sum(counts.values()) for counts in merged] == [31, 38, 43]
    assert len(merged[0]) == 28
    assert merged[0][("to",)] == 3


def test_substrings_count_where_they_overlap() -> None:
    """Examples of a blog on BLEU of characters, whose program counts `aa` twice in `aaaa`."""
    assert bleu.ngrams("abcbab", 2)["a", "b"] == 2
    assert set(bleu.ngrams("abab", 2)) == {("a", "b"), ("b", "a")}
    assert bleu.ngrams("aaaa", 2)["a", "a"] == 3


def test_weights_lead_to_the_weighted_geometric_mean() -> None:
    stats = [20, 20, 10, 5, 20, 19]
    p1, p2 = 10 / 20, 5 / 19
    for weights in [(0.5, 0.5), (0.9, 0.1), (0.25, 0.75)]:
        score = bleu.score_from_stats(stats, weights=weights).score
        assert math.isclose(score, 100 * p1 ** weights[0] * p2 ** weights[1], rel_tol=1e-13)


def test_weights_of_missing_orders_are_shared_out() -> None:
    stats = [2, 2, 1, 1, 0, 0, 2, 1, 0, 0]  # a hypothesis of two tokens has no trigrams
    weights = (0.4, 0.1, 0.3, 0.2)
    score = bleu.score_from_stats(stats, weights=weights, effective_order=True).score
    assert math.isclose(score, 100 * 0.5**0.8, rel_tol=1e-13)
    assert bleu.score_from_stats(stats, weights=weights).score == 0.0


# sacrebleu


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    return need("sacrebleu")


@pytest.mark.parametrize("n_refs", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_stats_equal_sacrebleu(peer: ModuleType, kind: str, n_refs: int) -> None:
    rng = Random(f"oracle {kind} {n_refs}")
    hypotheses, streams = random_corpus(rng, 100, kind=kind, n_refs=n_refs)
    for max_order in (4, rng.choice((1, 2, 3, 5, 6, 7, 8))):
        metric = peer.BLEU(tokenize="none", max_ngram_order=max_order, force=True)
        expected = metric._extract_corpus_statistics(hypotheses, streams)
        rows = [
            bleu.segment_stats(hypothesis.split(), [text.split() for text in texts], max_order)
            for hypothesis, texts in zip(hypotheses, zip(*streams, strict=True), strict=True)
        ]
        assert rows == expected
        assert any(row[2] for row in rows)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_scores_equal_sacrebleu(
    peer: ModuleType, method: str, value: float | None, effective_order: bool
) -> None:
    rng = Random(f"scores {method} {value} {effective_order}")
    for _ in range(1500):
        stats = random_stats(rng)
        max_order = (len(stats) - 2) // 2
        expected = peer.BLEU.compute_bleu(
            correct=stats[2 : 2 + max_order],
            total=stats[2 + max_order :],
            sys_len=stats[0],
            ref_len=stats[1],
            smooth_method=method,
            smooth_value=value,
            effective_order=effective_order,
            max_ngram_order=max_order,
        )
        score = bleu.score_from_stats(
            stats, smooth_method=method, smooth_value=value, effective_order=effective_order
        )
        assert score.score == expected.score, stats
        assert score.precisions == expected.precisions, stats
        assert score.bp == expected.bp, stats
        assert score.counts == expected.counts, stats
        assert score.totals == expected.totals, stats


def random_stats(rng: Random) -> list[int]:
    """A possible row: counts fall with the order, zeros and short hypotheses are frequent."""
    max_order = rng.randint(1, 8)
    hyp_len = rng.choice((0, 1, 2, 3, rng.randint(4, 60), rng.randint(4, 100_000)))
    ref_len = max(0, hyp_len + rng.randint(-3, 3)) if rng.random() < 0.7 else rng.randint(0, 100)
    total = [max(0, hyp_len - n) for n in range(max_order)]
    correct: list[int] = []
    for n in range(max_order):
        most = min(total[n], correct[-1] if correct else total[n])
        correct.append(rng.choice((0, rng.randint(0, most), rng.randint(0, most), most)))
    return [hyp_len, ref_len, *correct, *total]
