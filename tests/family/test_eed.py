"""EED against the definition, hand-made examples and torchmetrics."""

from random import Random

import pytest

from rapidbleu import EED
from rapidbleu.tokenizers.characters import EED_TOKENIZERS
from reference.family import eed as oracle
from support.corpora import random_corpus, wmt17, wmt17_reference
from support.selection import few

# Texts that the preparation changes, or nearly changes.
ODD = [
    "Dr. Smith, Mr Jones and Mrs. Brown paid 1,000.50 at 3.5 %!",
    "e.g. this, i.e. that, U.S. and U.S.A., U.S; e . g . and i . e . and U . S .",
    "Jr x Prof yGen  z  Mr",
    "",
    " ",
    "\t.\n,!?",
    "\u3000\u0661.\u0662 \u00a0Ms . \u0661 . \u0662",
    "a . b , 1 . 2 1 , 2 . 3",
    "\uff71\uff72\uff9e\u3000\uff21\uff22\u2460\u2026  ",
    "Mr \nx",
    "\x00\x00 \x01",
    "\ud800 \U0001f600",
]

COSTS = [{}, {"alpha": 0.7, "rho": 0.1, "deletion": 0.3, "insertion": 0.4}, {"alpha": 0, "rho": 0}]


def texts(rng: Random, n: int, longest: int) -> list[tuple[str, str]]:
    """Return pairs of random text, half of them with only a few changes."""
    found = []
    for _ in range(n):
        hyp = "".join(rng.choices("ab .,1\x00\u00fc", k=rng.randint(0, longest)))
        ref = "".join(rng.choices("ab .,1\x00\u00fc", k=rng.randint(0, longest)))
        if rng.random() < 0.5:
            i, j = sorted(rng.randint(0, len(hyp)) for _ in range(2))
            ref = hyp[i:j] + ref[:2] + hyp[:i] + hyp[j:]
        found.append((hyp, ref))
    return found


def test_examples() -> None:
    """x with " x ": the positions before and after cost 0.3 each, and one visit is missing."""
    assert oracle.distance("", "") == pytest.approx(1)
    assert oracle.distance("x", "x") == pytest.approx(0.3 / 1.3)
    assert oracle.distance("x", "y") == pytest.approx(1)
    for hyp, ref, en, ja in [
        ("the cat sat on the mat", "the cat is on the mat", 13 / 121, 0.1171171171171171),
        ("x", "x", 0.09090909090909091, 0.23076923076923075),
        ("", "a b", 0.6774193548387097, 1),
        ("a b", "", 0.5625, 1),
        ("", "", 0.13043478260869565, 1),
    ]:
        assert EED().sentence_score(hyp, [ref]).score == pytest.approx(100 * en, rel=1e-12)
        of_ja = EED(language="ja").sentence_score(hyp, [ref]).score
        assert of_ja == pytest.approx(100 * ja, rel=1e-12)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_preparation(language: str) -> None:
    corpus, _ = random_corpus(Random("text"), 100, kind="mixed", n_refs=1)
    for text in [*ODD, *corpus]:
        expected = oracle.PREPARED[language](text)
        assert "".join(EED_TOKENIZERS[language](text)) == expected


@pytest.mark.parametrize("seed", few(range(6), [0]))
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_scores_are_those_of_the_definition(
    seed: int, costs: dict[str, float], language: str
) -> None:
    metric, prepare = EED(language=language, **costs), oracle.PREPARED[language]  # type: ignore[arg-type]
    pairs = [(hyp, ref) for hyp, ref in texts(Random(seed), 150, 40) if prepare(ref)]
    pairs += [(hyp, ref) for hyp in ODD for ref in ODD[:3]]
    hyps, refs = zip(*pairs, strict=True)
    expected = [100 * oracle.distance(prepare(hyp), prepare(ref), **costs) for hyp, ref in pairs]
    found = metric.segment_scores(hyps, [refs]).tolist()
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_several_references_and_means() -> None:
    hyps, streams = random_corpus(Random("several"), 20, kind="ascii", n_refs=3)
    hyps, *streams = ([text[:40] for text in several] for several in (hyps, *streams))
    expected = [
        min(oracle.distance(oracle.prepared_en(hyp), oracle.prepared_en(ref)) for ref in refs)
        for hyp, *refs in zip(hyps, *streams, strict=True)
    ]
    score = EED().corpus_score(hyps, streams)
    assert score.score == pytest.approx(100 * sum(expected) / 20, rel=1e-12)
    assert score.n_segments == 20


def test_options() -> None:
    assert EED(lowercase=True).sentence_score("A", ["a"]).score < 10
    assert EED().sentence_score("A", ["a"]).score > 30
    assert EED(language="ja", rho=0).sentence_score("a", ["a"]).score == 0
    assert EED(language="ja", rho=0).sentence_score("", [""]).score == 100
    assert str(EED().corpus_score(["a"], [["a"]])) == "EED = 9.09"
    assert not EED().higher_is_better
    with pytest.raises(ValueError, match="language: expected one of en, ja; got 'de'"):
        EED(language="de")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rho: expected 0 to 100; got -1"):
        EED(rho=-1)
    with pytest.raises(TypeError, match="alpha: expected a number; got str"):
        EED(alpha="2")  # type: ignore[arg-type]


def test_scores_are_those_of_torchmetrics() -> None:
    pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.text")
    pairs = texts(Random("peer"), 60, 30) + [(hyp, ref) for hyp in ODD[:10] for ref in ODD[:3]]
    for language in ("en", "ja"):
        own = EED(language=language)  # type: ignore[arg-type]
        for hyp, ref in pairs:
            expected = float(functional.extended_edit_distance([hyp], [[ref]], language))
            score = own.sentence_score(hyp, [ref]).score
            assert score == pytest.approx(100 * expected, rel=1e-6, abs=1e-5)  # single precision


@pytest.mark.slow
def test_the_score_of_real_segments() -> None:
    hyps, ref = wmt17(0), wmt17_reference()
    if hyps is None or ref is None:
        pytest.skip("no WMT17 data")
    score = EED().corpus_score(hyps[:100], [ref[:100]]).score
    assert score == pytest.approx(35.204836465750367, rel=1e-12)
