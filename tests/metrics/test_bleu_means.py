"""BLEU with NLTK's smoothings, with an arithmetic mean, and of each order."""

from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from reference import smoothing as oracle
from support.selection import few

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
        except (AssertionError, ZeroDivisionError):  # method 6 wants trigrams in common
            continue
        assert score == pytest.approx(100 * expected, rel=1e-14)
        n_equal += 1
    assert n_equal > 150


def test_the_arithmetic_mean() -> None:
    hyps, refs = corpus(Random("mean"), 100, 2)
    bleu = BLEU(mean="arithmetic", smooth_method="none")
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
    plain = BLEU(mean="arithmetic", smooth_method="none")
    assert plain.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 4)
    effective = BLEU(mean="arithmetic", smooth_method="none", effective_order=True)
    assert effective.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)
    floor = BLEU(mean="arithmetic", smooth_method="floor", effective_order=True)
    expected = 100 * (2 / 3 + 1 / 2 + 0.1 / 1) / 3
    assert floor.sentence_score(text, refs).score == pytest.approx(expected)
    weighted = BLEU(mean="arithmetic", smooth_method="none", weights=[0.5, 0.5, 0, 0])
    assert weighted.sentence_score(text, refs).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 2)
    assert plain.sentence_score("x", ["y"]).score == 0
    assert str(plain.get_signature()).count("mean:arithmetic") == 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "floor", "effective_order": True},
        {"smooth_method": "nltk5"},
        {"mean": "arithmetic"},
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
    with pytest.raises(ValueError, match="mean: expected one of geometric, arithmetic; got 'x'"):
        BLEU(mean="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mean: expected geometric with nltk1, got arithmetic"):
        BLEU(mean="arithmetic", smooth_method="nltk1")
    bleu = BLEU(weights=[0, 0, 0, 1])
    rows = bleu.segment_stats(["a"], [["a"]])
    with pytest.raises(ValueError, match="weights: expected some of the first 1 above 0"):
        bleu.order_scores(rows)
