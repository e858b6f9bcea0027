"""GTM, RIBES and skip n-grams against their slow oracles and NLTK."""

from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import GTM, RIBES, SkipNgramF
from reference.family import gtm, ribes, skip_ngrams
from support.selection import few

Corpus = tuple[list[list[str]], list[list[list[str]]]]


def corpus(rng: Random, n: int, n_refs: int, longest: int) -> Corpus:
    """Return texts of few and many words; half of the hypotheses are reordered references."""
    hyps, refs = [], []
    for _ in range(n):
        words = [f"w{i}" for i in range(rng.choice([1, 2, 4, 12, 100]))]
        several = [rng.choices(words, k=rng.randint(0, longest)) for _ in range(n_refs + 1)]
        if rng.random() < 0.5:
            cut = rng.randint(0, len(several[1]))
            several[0] = several[1][cut:] + several[1][:cut]
        hyps.append(several[0])
        refs.append(several[1:])
    return hyps, refs


@pytest.mark.parametrize("exponent", [1, 2, 1.5])
@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_gtm_is_that_of_the_oracle(seed: int, exponent: float) -> None:
    rng = Random(f"gtm {seed}")
    hyps, refs = corpus(rng, 60, rng.randint(1, 3), 16)
    metric = GTM(exponent=exponent)
    rows = [gtm.row(hyp, several, exponent) for hyp, several in zip(hyps, refs, strict=True)]
    scores = metric.segment_scores(hyps, refs, layout="segment")
    assert scores.tolist() == pytest.approx([100 * gtm.score(*row) for row in rows], rel=1e-12)
    if exponent == 1.5:  # rounding decides between equally good references
        return
    size, hyp_len, ref_len = (sum(column) for column in zip(*rows, strict=True))
    found = metric.corpus_score(hyps, refs, layout="segment")
    assert (found.hyp_len, found.ref_len) == (hyp_len, ref_len)
    assert found.size == pytest.approx(size, rel=1e-12)
    assert found.score == pytest.approx(200 * size / (hyp_len + ref_len), rel=1e-12)
    assert found.precision == pytest.approx(100 * size / hyp_len, rel=1e-12)
    assert found.recall == pytest.approx(100 * size / ref_len, rel=1e-12)


def test_gtm_without_weight_of_runs_counts_words() -> None:
    rng = Random("words")
    hyps, refs = corpus(rng, 50, 1, 40)
    for hyp, (ref,) in zip(hyps, refs, strict=True):
        common = sum(min(hyp.count(word), ref.count(word)) for word in set(hyp))
        found = GTM().sentence_score(hyp, [ref])
        assert found.size == common
        assert GTM(exponent=3).sentence_score(hyp, [ref]).size <= common


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_ribes_is_that_of_the_oracle(seed: int) -> None:
    rng = Random(f"ribes {seed}")
    hyps, refs = corpus(rng, 80, rng.randint(1, 3), 16)
    for alpha, beta in ((0.25, 0.1), (0, 0), (1, 2.5)):
        metric = RIBES(alpha=alpha, beta=beta)
        pairs = list(zip(hyps, refs, strict=True))
        expected = [100 * ribes.segment(hyp, several, alpha, beta) for hyp, several in pairs]
        scores = metric.segment_scores(hyps, refs, layout="segment")
        assert scores.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)
        found = metric.corpus_score(hyps, refs, layout="segment")
        assert found.score == pytest.approx(np.mean(expected), rel=1e-12)
        assert found.n_segments == len(hyps)


def test_ribes_is_that_of_nltk_where_words_are_unique() -> None:
    nltk = pytest.importorskip("nltk.translate.ribes_score")
    rng = Random("unique")
    words = [f"w{i}" for i in range(40)]
    for _ in range(200):
        hyp, ref = (rng.sample(words, rng.randint(12, 30)) for _ in range(2))
        if sum(word in ref for word in hyp) < 2:
            continue
        expected = nltk.sentence_ribes([ref], hyp)
        found = RIBES().sentence_score(hyp, [ref])
        assert found.score == pytest.approx(100 * expected, rel=1e-12)


@pytest.mark.parametrize("n_words", [1, 2, 5, 40, 1000])
def test_ribes_of_bits_is_that_of_runs(n_words: int) -> None:
    """Words that the references lack make a text too long for words of bits."""
    rng = Random(f"bits {n_words}")
    words = [f"w{i}" for i in range(n_words)] + ["a-long-token", "a-long-taken", "\0", "\U0001f600"]
    texts = [rng.choices(words, k=k) for k in (0, 1, 2, 5, 31, 32, 33, 62, 63, 64) * 6]
    others = [sorted(text, key=lambda _: rng.random() < 0.8) for text in texts]
    hyps = [own if rng.random() < 0.5 else rng.choice(texts) for own in others]
    longer = [[*hyp, *(f"other{i}" for i in range(65))] for hyp in hyps]
    metric = RIBES(alpha=0, beta=0)
    scores, same = (metric.segment_scores(own, [texts]).tolist() for own in (hyps, longer))
    assert scores == same
    assert len(set(scores)) > 1


def test_ribes_edges() -> None:
    for hyp, ref, expected in (
        ("", "", 0),
        ("", "a", 0),
        ("a", "", 0),
        ("a", "a", 100),
        ("a", "a b", 0),
        ("a b", "a", 100),
        ("b a", "a b", 0),
        ("a b", "a b", 100),
    ):
        found = RIBES(alpha=0, beta=0).sentence_score(hyp, [ref])
        wanted = 100 * ribes.segment(hyp.split(), [ref.split()], 0, 0)
        assert found.score == pytest.approx(wanted)
        assert wanted == expected


@pytest.mark.parametrize("decay", [0.5, 1.0, 0.0, 0.3])
@pytest.mark.parametrize("seed", few(range(5), [0]))
def test_skip_ngrams_are_those_of_the_oracle(seed: int, decay: float) -> None:
    rng = Random(f"skip {seed}")
    hyps, refs = corpus(rng, 25, rng.randint(1, 2), 7)
    for max_order in (1, 2, 4):
        options = {"decay": decay} if max_order > 1 else {}  # single words skip nothing
        metric = SkipNgramF(max_ngram_order=max_order, **options)
        pairs = list(zip(hyps, refs, strict=True))
        expected = np.array(
            [skip_ngrams.segment(hyp, several, max_order, decay) for hyp, several in pairs]
        )
        scores = metric.segment_scores(hyps, refs, layout="segment")
        assert np.allclose(scores, 100 * expected[:, 0], rtol=1e-12, atol=1e-12)
        found = metric.corpus_score(hyps, refs, layout="segment")
        means = 100 * expected.mean(axis=0)
        assert found.score == pytest.approx(means[0], rel=1e-12)
        assert found.precision == pytest.approx(means[1], rel=1e-12)
        assert found.recall == pytest.approx(means[2], rel=1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.5, 3.0, float("inf")])
@pytest.mark.parametrize("weights", [None, (1, 2, 0), (0, 0, 5), (0.25, 0.0, 0.0)])
def test_skip_ngrams_weighted_as_blancs_are_those_of_the_oracle(
    beta: float, weights: tuple[float, ...] | None
) -> None:
    rng = Random(f"weighted {beta} {weights}")
    hyps, refs = corpus(rng, 40, 2, 7)
    metric = SkipNgramF(max_ngram_order=3, decay=0.5, beta=beta, order_weights=weights)
    pairs = list(zip(hyps, refs, strict=True))
    expected = np.array(
        [skip_ngrams.segment(hyp, several, 3, 0.5, beta, weights) for hyp, several in pairs]
    )
    scores = metric.segment_scores(hyps, refs, layout="segment")
    assert np.allclose(scores, 100 * expected[:, 0], rtol=1e-12, atol=1e-12)
    found = metric.corpus_score(hyps, refs, layout="segment")
    means = 100 * expected.mean(axis=0)
    assert [found.score, found.precision, found.recall] == pytest.approx(means, rel=1e-12)
    if beta in (0.0, float("inf")):
        assert found.score == (found.recall if beta else found.precision)


def test_only_ratios_of_the_weights_of_orders_matter() -> None:
    texts, refs = corpus(Random("ratios"), 20, 1, 9)
    first, second = (
        SkipNgramF(max_ngram_order=2, order_weights=weights).segment_scores(
            texts, refs, layout="segment"
        )
        for weights in ((1, 3), (0.5, 1.5))
    )
    assert first.tolist() == pytest.approx(second.tolist(), rel=1e-15)
    assert (
        SkipNgramF(max_ngram_order=2, order_weights=[1, 1])
        .segment_scores(texts, refs, layout="segment")
        .tolist()
        == SkipNgramF(max_ngram_order=2).segment_scores(texts, refs, layout="segment").tolist()
    )


@pytest.mark.parametrize(
    ("beta", "expected"), [(0, 100.0), (0.5, 0.0), (1, 0.0), (float("inf"), 0.0)]
)
def test_repeated_words_count_no_more_than_all(beta: float, expected: float) -> None:
    """K of order 16 is above 1e40 here, far beyond the range of a statistics row."""
    metric = SkipNgramF(max_ngram_order=16, decay=1, beta=beta, order_weights=[0] * 15 + [1])
    found = metric.sentence_score("a " * 16, ["a " * 3000])
    assert found.score == pytest.approx(expected)
    assert (found.precision, found.recall) == pytest.approx((100.0, 0.0))


def test_signatures_of_skip_ngrams_have_all_options() -> None:
    metric = SkipNgramF(max_ngram_order=2, beta=3, order_weights=[1, 2.5])
    for own, expected in ((metric, "beta:3|weights:1,2.5"), (SkipNgramF(), "beta:1")):
        own.corpus_score(["a b"], [["a c"]])
        signature = str(own.get_signature())
        assert f"|n:{own.max_ngram_order}|decay:0.5|{expected}|version" in signature
    assert repr(metric) == "SkipNgramF(max_ngram_order=2, beta=3.0, order_weights=(1.0, 2.5))"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": -1}, ValueError, "^beta: expected 0 to inf; got -1$"),
        ({"beta": float("nan")}, ValueError, "beta: expected 0 to inf; got nan$"),
        ({"beta": "1"}, TypeError, "beta: expected a number; got str$"),
        ({"order_weights": [1, 1]}, ValueError, "order_weights: expected 4, one an order"),
        ({"order_weights": [0] * 4}, ValueError, "order_weights: expected at least one above 0; "),
        ({"order_weights": [1, -1, 1, 1]}, ValueError, r"order_weights\[1\]: expected 0 to 1e"),
        ({"order_weights": [1, None, 1, 1]}, TypeError, r"order_weights\[1\]: expected a number; "),
        ({"order_weights": 1}, TypeError, "order_weights: expected a sequence of numbers"),
    ],
)
def test_bad_options_of_skip_ngrams(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SkipNgramF(**options)


def test_skip_ngrams_of_equal_texts_are_100() -> None:
    rng = Random("equal")
    texts = [text for text in corpus(rng, 40, 1, 200)[0] if text]
    for decay in (0.0, 0.5, 1.0):
        scores = SkipNgramF(decay=decay, max_ngram_order=16).segment_scores(texts, [texts])
        assert scores.tolist() == pytest.approx([100.0] * len(texts), rel=1e-12)


def test_options_out_of_range() -> None:
    for make, message in (
        (lambda: GTM(exponent=0.5), "exponent: expected 1 to 100; got 0.5"),
        (lambda: RIBES(alpha=-1), "alpha: expected 0 to 100; got -1"),
        (lambda: SkipNgramF(max_ngram_order=17), "max_ngram_order: expected at most 16; got 17"),
        (lambda: SkipNgramF(decay=1.5), "decay: expected 0 to 1; got 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
    with pytest.raises(TypeError, match="exponent: expected a number; got str"):
        GTM(exponent="2")  # type: ignore[arg-type]
