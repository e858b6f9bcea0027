"""GLEU of grammatical error correction against its slow oracle."""

from random import Random

import pytest

from rapidbleu import GECGLEU
from reference.family import corrections as oracle
from support.selection import few

Texts = list[list[str]]


def corpus(rng: Random, n: int, n_refs: int) -> tuple[Texts, Texts, list[Texts]]:
    words = [f"w{i}" for i in range(rng.choice([3, 12, 60]))]
    hyps, sources, refs = [], [], []

    def changed(text: list[str]) -> list[str]:
        kept = [rng.choice(words) if rng.random() < 0.15 else word for word in text]
        return [word for word in kept if rng.random() > 0.05]

    for _ in range(n):
        source = rng.choices(words, k=rng.choice([0, 1, 4, 9, 25, 80]))
        sources.append(source)
        hyps.append(changed(source))
        refs.append([changed(source) for _ in range(n_refs)])
    return hyps, sources, refs


@pytest.mark.parametrize("order", [4, 1, 6])
@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_scores_are_those_of_the_oracle(seed: int, order: int) -> None:
    rng = Random(f"gec {seed}")
    hyps, sources, refs = corpus(rng, 40, rng.randint(1, 3))
    texts = [[source, *several] for source, several in zip(sources, refs, strict=True)]
    rows = [
        oracle.best_row(hyp, source, several, order)
        for hyp, source, several in zip(hyps, sources, refs, strict=True)
    ]
    for smooth in (False, True):
        metric = GECGLEU(max_ngram_order=order, smooth=smooth)
        assert metric.segment_stats(hyps, texts, layout="segment").tolist() == rows
        scores = metric.segment_scores(hyps, texts, layout="segment")
        expected = [100 * oracle.score(row, smooth) for row in rows]
        assert scores.tolist() == pytest.approx(expected, rel=1e-12)
        sums = [sum(column) for column in zip(*rows, strict=True)]
        found = metric.corpus_score(hyps, texts, layout="segment")
        assert found.score == pytest.approx(100 * oracle.score(sums, smooth), rel=1e-12)
        assert [found.hyp_len, found.ref_len] == sums[:2]
        assert (found.matches, found.totals) == (sums[2::2], sums[3::2])


def test_drawn_scores_are_those_of_the_oracle() -> None:
    hyps, sources, refs = corpus(Random("drawn"), 30, 3)
    streams = [list(stream) for stream in zip(*refs, strict=True)]
    found = GECGLEU().draw_scores(hyps, sources, streams, n_draws=25)
    expected = oracle.drawn_scores(hyps, sources, refs, 25)
    assert found == pytest.approx([100 * score for score in expected], rel=1e-12)


def test_a_text_without_a_reference() -> None:
    with pytest.raises(ValueError, match="references: expected a source and at least one"):
        GECGLEU().corpus_score(["a"], [["a"]])
    with pytest.raises(ValueError, match="references: expected at least one stream"):
        GECGLEU().draw_scores(["a"], ["a"], [])
    with pytest.raises(ValueError, match="draws: expected at least 1; got 0"):
        GECGLEU().draw_scores(["a"], ["a"], [["a"]], n_draws=0)


def test_explanation_of_the_reference_that_counts() -> None:
    """The source comes first, and is not a reference."""
    source, reference = "the cat sit on a mat", "the cat sat on the mat"
    explanation = GECGLEU().explain("the cat sat on a mat", [source, reference])
    assert explanation.reference == 1
    several = [source, reference, "the cat sat on a mat"]
    explanation = GECGLEU().explain("the cat sat on a mat", several)
    assert explanation.reference == 2 and explanation.score.score == 100
