"""BLEU and its oracle: worked examples of papers, smoothings, means, single orders."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, corpus_bleu
from reference import bleu
from reference import smoothing as oracle
from reference.papers import (
    DO_REFERENCES,
    EXAMPLES,
    LAVIE_REFERENCES,
    OREJUELA_BLOCKS,
    OREJUELA_REFERENCES,
    PAPINENI_REFERENCES,
    Example,
)
from support.corpora import KINDS, random_corpus
from support.peers import need
from support.selection import few

BY_NAME = {example.name: example for example in EXAMPLES}

# The texts as printed, with punctuation for a tokenizer to separate.
PRINTED = {
    "candidate 1": "It is a guide to action which ensures that the military always obeys the "
    "commands of the party.",
    "candidate 2": "It is to insure the troops forever hearing the activity guidebook that party "
    "direct.",
}
PRINTED_REFERENCES = [f"{text}." for text in PAPINENI_REFERENCES]


def fold(text: str) -> list[str]:
    return text.lower().split()


def row_of(example: Example) -> list[int]:
    return [example.total[0], example.closest, *example.correct, *example.total]


def streams(references: tuple[str, ...]) -> list[list[str]]:
    return [[reference] for reference in references]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_counts_from_text(example: Example) -> None:
    metric = BLEU(tokenize="none", lowercase=True)
    rows = metric.segment_stats([example.hypothesis], streams(example.references))
    assert rows.tolist() == [row_of(example)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_counts_from_tokens(example: Example) -> None:
    references = [[fold(reference)] for reference in example.references]
    rows = BLEU().segment_stats([fold(example.hypothesis)], references)
    assert rows.tolist() == [row_of(example)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_scores(example: Example) -> None:
    metric = BLEU(tokenize="none", lowercase=True, smooth_method="none")
    score = metric.corpus_score([example.hypothesis], streams(example.references))
    assert math.isclose(score.score, 100 * example.bleu, rel_tol=1e-14, abs_tol=1e-300)
    assert score.counts == list(example.correct)
    assert score.totals == list(example.total)
    # Without any match sacrebleu reports no precision at all; every example here has one.
    assert score.precisions == [
        100.0 * correct / total if total else 0.0
        for correct, total in zip(example.correct, example.total, strict=True)
    ]


def test_the_corpus_of_all_examples_sums_its_segments() -> None:
    n_streams = max(len(example.references) for example in EXAMPLES)
    references: list[list[str | None]] = [
        [
            example.references[stream] if stream < len(example.references) else None
            for example in EXAMPLES
        ]
        for stream in range(n_streams)
    ]
    metric = BLEU(tokenize="none", lowercase=True)
    hypotheses = [example.hypothesis for example in EXAMPLES]
    sums = [sum(column) for column in zip(*map(row_of, EXAMPLES), strict=True)]
    assert metric.corpus_stats(hypotheses, references).tolist() == sums
    score = metric.corpus_score(hypotheses, references)
    assert [score.sys_len, score.ref_len, *score.counts, *score.totals] == sums


def test_example_1_ranks_candidate_1_higher() -> None:
    score_1, score_2 = (
        corpus_bleu([text], [[reference] for reference in PRINTED_REFERENCES])
        for text in PRINTED.values()
    )
    assert score_1.score > score_2.score > 0


def test_example_1_with_the_full_stop_as_a_token() -> None:
    metric = BLEU(lowercase=True, max_ngram_order=2)
    rows = metric.segment_stats(
        list(PRINTED.values()), [[reference] * 2 for reference in PRINTED_REFERENCES]
    )
    assert rows.tolist() == [[19, 19, 18, 11, 19, 18], [15, 17, 9, 1, 15, 14]]


def test_example_2_needs_case_folding() -> None:
    example = BY_NAME["Papineni 2"]
    for lowercase, correct in ((True, 2), (False, 1)):
        metric = BLEU(tokenize="none", lowercase=lowercase, max_ngram_order=1)
        rows = metric.segment_stats([example.hypothesis], streams(example.references))
        assert rows.tolist() == [[7, 7, correct, 7]]


def test_example_4_rewards_the_better_candidate() -> None:
    metric = BLEU(tokenize="none", lowercase=True, max_ngram_order=2)
    references = list(DO_REFERENCES)
    recalls_all = metric.sentence_score(BY_NAME["Papineni 4, candidate 1"].hypothesis, references)
    recalls_one = metric.sentence_score(BY_NAME["Papineni 4, candidate 2"].hypothesis, references)
    assert math.isclose(recalls_all.score, 100 * math.sqrt(2 / 4), rel_tol=1e-14)
    assert math.isclose(recalls_one.score, 100, rel_tol=1e-14)


@pytest.mark.parametrize(
    ("policy", "ref_len"), [("closest", 12), ("shortest", 12), ("longest", 17), ("average", 14)]
)
def test_best_match_length(policy: str, ref_len: int) -> None:
    hypothesis = [f"word {i}" for i in range(12)]
    references = [[hypothesis + ["more"] * (length - 12)] for length in (15, 12, 17)]
    score = BLEU(ref_len=policy).corpus_score([hypothesis], references)
    assert (score.sys_len, score.ref_len) == (12, ref_len)
    assert score.bp == (1.0 if ref_len == 12 else math.exp(1 - ref_len / 12))


def test_a_tie_of_the_closest_lengths_takes_the_shorter() -> None:
    tokens = ["a", "b", "c", "d", "e", "f", "g"]
    for lengths in ((3, 7), (7, 3)):
        references = [[tokens[:length]] for length in lengths]
        assert BLEU().segment_stats([tokens[:5]], references)[0, 1] == 3


def test_lavie_brevity_with_the_average_length() -> None:
    example = BY_NAME["Lavie, brevity"]
    metric = BLEU(tokenize="none", smooth_method="none", ref_len="average")
    score = metric.corpus_score([example.hypothesis], streams(LAVIE_REFERENCES))
    assert score.ref_len == 13
    assert math.isclose(score.score, 10.539922456186433, rel_tol=1e-14)


def test_callison_burch_with_printed_punctuation() -> None:
    def printed(text: str) -> str:
        return text.replace(" ,", ",").replace(" .", ".")

    example = BY_NAME["Callison-Burch, Table 1"]
    references = [[printed(text)] for text in OREJUELA_REFERENCES]
    rows = BLEU(lowercase=True).segment_stats([printed(example.hypothesis)], references)
    assert rows.tolist() == [row_of(example)]


def test_callison_burch_in_every_order_of_the_blocks() -> None:
    """No order scores lower; in the paper all 40,320 score the same, but a third score higher."""
    hypotheses = [" ".join(order) for order in permutations(OREJUELA_BLOCKS)]
    assert len(set(hypotheses)) == len(hypotheses) == math.factorial(18 - 10)
    metric = BLEU(tokenize="none", lowercase=True)
    references = [list(OREJUELA_REFERENCES)] * len(hypotheses)
    rows = metric.segment_stats(hypotheses, references, layout="segment")
    assert Counter(map(tuple, rows[:, 2:6].tolist())) == {
        (15, 10, 5, 3): 26_640,
        (15, 11, 5, 3): 8_640,
        (15, 11, 7, 5): 3_600,
        (15, 12, 7, 5): 1_440,
    }


@pytest.mark.parametrize(
    ("name", "penalty"),
    [
        ("Papineni 1, candidate 2", 0.86688),
        ("Lavie, brevity", 0.13534),
        ("Kauchak, candidate 3", 8.3153e-7),
        ("Kauchak, candidate 4", 0.018316),
    ],
)
def test_brevity(name: str, penalty: float) -> None:
    example = BY_NAME[name]
    metric = BLEU(tokenize="none", lowercase=True, max_ngram_order=1)
    score = metric.corpus_score([example.hypothesis], streams(example.references))
    assert score.bp == pytest.approx(penalty, rel=1e-4)
    assert score.score == pytest.approx(score.bp * score.precisions[0], rel=1e-14)


def test_kauchak_prefers_the_wrong_name() -> None:
    right, wrong = (BY_NAME[f"Kauchak, {name} name"].hypothesis for name in ("right", "wrong"))
    for order in (1, 2, 3, 4):
        metric = BLEU(max_ngram_order=order)
        scores = [metric.sentence_score(text, ["gave it to Albright"]) for text in (right, wrong)]
        assert (scores[0].score < scores[1].score) == (order > 1)
        assert scores[0].precisions[0] == scores[1].precisions[0] == 75


def test_weighted_geometric_mean() -> None:
    example = BY_NAME["Papineni 1, candidate 1"]
    weights = (0.4, 0.3, 0.2, 0.1)
    metric = BLEU(tokenize="none", lowercase=True, weights=weights)
    score = metric.corpus_score([example.hypothesis], streams(example.references))
    expected = math.prod(
        (correct / total) ** weight
        for correct, total, weight in zip(example.correct, example.total, weights, strict=True)
    )
    assert math.isclose(score.score, 100 * expected, rel_tol=1e-13)


VALUES = {1: 0.1, 2: 0.0, 3: 0.0, 4: 5.0, 5: 0.0, 6: 5.0, 7: 5.0}


def corpus(rng: Random, n: int, n_refs: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    hyps, refs = [], []
    for _ in range(n):
        words = [f"w{i}" for i in range(rng.choice([1, 3, 10, 60]))]
        several = [rng.choices(words, k=rng.choice([0, 1, 2, 3, 5, 9, 30])) for _ in range(n_refs)]
        kept = [word for word in several[0] if rng.random() > 0.15]
        hyps.append(kept if rng.random() < 0.7 else rng.choices(words, k=rng.randint(0, 12)))
        refs.append(several)
    return hyps, refs


@pytest.mark.parametrize("method", range(1, 8))
@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_smoothings_are_those_of_the_oracle(seed: int, method: int) -> None:
    rng = Random(f"smoothing {seed}")
    hyps, refs = corpus(rng, 150, rng.randint(1, 3))
    for order in (4, 3, 2, 6):
        for value in {VALUES[method], 2.5 if VALUES[method] else 0.0}:
            bleu = BLEU(smooth_method=f"nltk{method}", smooth_value=value, max_ngram_order=order)  # type: ignore[arg-type]
            rows = [oracle.row(*pair, order) for pair in zip(hyps, refs, strict=True)]
            found = bleu.segment_stats(hyps, refs, layout="segment")
            assert found.tolist() == [
                [row.hyp_len, row.ref_len, *row.correct, *row.totals] for row in rows
            ]
            expected = [100 * oracle.score(row, method, value) for row in rows]
            scores = bleu.segment_scores(hyps, refs, layout="segment")
            assert scores.tolist() == pytest.approx(expected, rel=1e-14)
            for row, text, several in zip(rows[:20], hyps, refs, strict=False):
                score = bleu.sentence_score(text, several)
                assert (score.counts, score.totals) == (row.correct[:-1], row.totals[:-1])
                if row.correct[0]:
                    precisions = [100 * float(p) for p in oracle.smoothed(row, method, value)]
                    assert score.precisions == pytest.approx(precisions, rel=1e-14)


@pytest.mark.parametrize("method", range(1, 8))
def test_smoothings_are_those_of_nltk(method: int) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    smoothing: Any = getattr(nltk.SmoothingFunction(), f"method{method}")
    bleu = BLEU(smooth_method=f"nltk{method}")  # type: ignore[arg-type]
    hyps, refs = corpus(Random("nltk"), 300, 2)
    scores = bleu.segment_scores(hyps, refs, layout="segment")
    n_equal = 0
    for hyp, several, score in zip(hyps, refs, scores, strict=True):
        try:
            expected = nltk.sentence_bleu(several, hyp, smoothing_function=smoothing)
        except (AssertionError, ZeroDivisionError):  # method 6 needs common trigrams
            continue
        assert score == pytest.approx(100 * expected, rel=1e-14)
        n_equal += 1
    assert n_equal > 150


def test_the_arithmetic_mean() -> None:
    hyps, refs = corpus(Random("mean"), 100, 2)
    bleu = BLEU(average="arithmetic", smooth_method="none")
    scores = bleu.segment_scores(hyps, refs, layout="segment")
    for hyp, several, score in zip(hyps, refs, scores, strict=True):
        row = oracle.row(hyp, several, 3)
        mean = sum(m / max(1, t) for m, t in zip(row.correct, row.totals, strict=True)) / 4
        penalty = np.exp(min(0.0, 1 - row.ref_len / row.hyp_len)) if row.hyp_len else 0.0
        assert score == pytest.approx(100 * penalty * mean, rel=1e-13)
    geometric = BLEU(smooth_method="none").segment_scores(hyps, refs, layout="segment")
    assert (scores >= geometric * (1 - 1e-12)).all()


def test_the_arithmetic_mean_of_options() -> None:
    text, refs = "the cat sat", ["the cat slept"]
    plain = BLEU(average="arithmetic", smooth_method="none")
    assert plain.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 4)
    effective = BLEU(average="arithmetic", smooth_method="none", effective_order=True)
    assert effective.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)
    floor = BLEU(average="arithmetic", smooth_method="floor", effective_order=True)
    expected = 100 * (2 / 3 + 1 / 2 + 0.1 / 1) / 3
    assert floor.sentence_score(text, refs).score == pytest.approx(expected)
    weighted = BLEU(average="arithmetic", smooth_method="none", weights=[0.5, 0.5, 0, 0])
    assert weighted.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 2)
    assert plain.sentence_score("x", ["y"]).score == 0
    assert str(plain.get_signature()).count("mean:arithmetic") == 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "floor", "effective_order": True},
        {"smooth_method": "nltk5"},
        {"average": "arithmetic"},
        {"weights": [0.4, 0.3, 0.2, 0.1]},
        {"max_ngram_order": 6},
    ],
)
def test_orders_are_those_of_lower_orders(options: dict[str, Any]) -> None:
    hyps, refs = corpus(Random("orders"), 60, 2)
    bleu = BLEU(force=True, **options)
    rows = bleu.segment_stats(hyps, refs, layout="segment")
    found = bleu.order_scores(rows)
    highest = options.get("max_ngram_order", 4)
    assert found.shape == (60, highest)
    assert found[:, -1].tolist() == bleu.score_rows(rows).tolist()
    corpus_scores = bleu.order_scores(rows.sum(axis=0, keepdims=True))
    for order in range(1, highest + 1):
        own = {**options, "max_ngram_order": order}
        if "weights" in options and order < highest:
            total = sum(options["weights"][:order])
            own["weights"] = [weight / total for weight in options["weights"][:order]]
        lower = BLEU(force=True, **own)
        expected = lower.segment_scores(hyps, refs, layout="segment")
        assert found[:, order - 1].tolist() == expected.tolist()
        whole = lower.corpus_score(hyps, refs, layout="segment").score
        assert corpus_scores[0, order - 1] == whole


def test_wrong_options() -> None:
    with pytest.raises(ValueError, match="average: expected one of geometric, arithmetic; got 'x'"):
        BLEU(average="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="average: expected geometric with nltk1; got arithmetic"):
        BLEU(average="arithmetic", smooth_method="nltk1")
    bleu = BLEU(weights=[0, 0, 0, 1])
    rows = bleu.segment_stats(["a"], [["a"]])
    with pytest.raises(ValueError, match="weights: expected some of the first 1 above 0"):
        bleu.order_scores(rows)


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


def stats_of(example: Example, **options: object) -> list[int]:
    references = [fold(reference) for reference in example.references]
    return bleu.segment_stats(fold(example.hypothesis), references, **options)


def clipped_sum(hypothesis: str, references: Sequence[str], n: int) -> int:
    clipped = bleu.clipped_counts(fold(hypothesis), [fold(text) for text in references], n)
    return sum(clipped.values())


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


def test_lengths_of_a_corpus_are_summed_before_the_penalty() -> None:
    rows = [[4, 12, 4, 3, 4, 3], [20, 12, 12, 11, 20, 19]]
    assert bleu.corpus_stats(rows) == [24, 24, 16, 14, 24, 22]
    assert bleu.score_from_stats(bleu.corpus_stats(rows)).bp == 1.0
    assert bleu.score_from_stats(rows[0]).bp == math.exp(-2)


def test_the_oracle_of_lavie_brevity() -> None:
    example = next(example for example in EXAMPLES if example.name == "Lavie, brevity")
    stats = stats_of(example, ref_len="average")
    assert stats[1] == sum(len(text.split()) for text in LAVIE_REFERENCES) // 2 == 13
    score = bleu.score_from_stats(stats).score
    assert math.isclose(score, 10.539922456186433, rel_tol=1e-14)


def test_kauchak_bigrams_are_those_of_the_reference_in_the_paper() -> None:
    candidate = next(example for example in EXAMPLES if example.name == "Kauchak, candidate 2")
    assert clipped_sum(candidate.hypothesis, candidate.references, 2) == 3
    assert clipped_sum(candidate.hypothesis, PAPINENI_REFERENCES, 2) == 4  # the slides' 4/13
    assert clipped_sum(candidate.hypothesis, PAPINENI_REFERENCES, 3) == 0  # the slides have 1/12


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
    """Return a possible row: counts fall with the order; zeros and short texts are frequent."""
    max_order = rng.randint(1, 8)
    hyp_len = rng.choice((0, 1, 2, 3, rng.randint(4, 60), rng.randint(4, 100_000)))
    ref_len = max(0, hyp_len + rng.randint(-3, 3)) if rng.random() < 0.7 else rng.randint(0, 100)
    total = [max(0, hyp_len - n) for n in range(max_order)]
    correct: list[int] = []
    for n in range(max_order):
        most = min(total[n], correct[-1] if correct else total[n])
        correct.append(rng.choice((0, rng.randint(0, most), rng.randint(0, most), most)))
    return [hyp_len, ref_len, *correct, *total]
