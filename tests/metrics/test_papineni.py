"""The worked examples of Papineni et al. (2002) and of its readers through the public API."""

import math
from collections import Counter
from itertools import permutations

import pytest

from rapidbleu import BLEU, corpus_bleu
from reference.papers import (
    DO_REFERENCES,
    EXAMPLES,
    LAVIE_REFERENCES,
    OREJUELA_BLOCKS,
    OREJUELA_REFERENCES,
    PAPINENI_REFERENCES,
    Example,
)

BY_NAME = {example.name: example for example in EXAMPLES}

# The texts as printed, with their punctuation, for a tokenizer to separate.
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
    """The references of one segment as streams of length one."""
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
    """No order scores less; the paper has all 40,320 score the same, but a third score more."""
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
    """Single words do not decide between them, n-grams do."""
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
