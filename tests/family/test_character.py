"""CharacTER against the definition, hand-made examples and the package `cer`."""

from random import Random

import pytest

from rapidbleu import CharacTER
from reference.family import character as oracle
from support.corpora import random_corpus, wmt17, wmt17_reference
from support.selection import few

# Short and long words, some with common prefixes, and characters of all lengths in UTF-8.
VOCABULARIES = [
    ["a", "b"],
    ["a", "b", "c", "dd", "eee"],
    ["a", "\u00fc", "\u6f22\u5b57", "\U0001f600", "z\x00z", "\ud800x", "longer-word", "longer-x"],
    list("abcdefghijklmnop"),
]

# Hypothesis, reference, words after all moves, and score.
EXAMPLES = [
    (
        "he read the book because he was interested in world history",
        "he was interested in world history because he read the book",
        "he was interested in world history because he read the book",
        (7.5 + 2 / 3) / 59,
    ),
    ("the cat sat on the mat", "the cat is on the mat", "the cat sat on the mat", 3 / 22),
    ("a b c d x", "c d a b e f", "c d a b x", (3 + 1) / 9),
    ("long word a", "a long word", "a long word", 4 / 11),
    ("x", "x", "x", 0),
    ("a", "a b", "a", 1),
    ("", "a b", "", 1),
    ("a b", "", "a b", 1),
    ("", "", "", 1),
]


def pairs(rng: Random, n: int, longest: int) -> list[tuple[list[str], list[str]]]:
    """Return unrelated texts, reordered texts, and texts with swapped runs."""
    found = []
    for _ in range(n):
        words = rng.choice(VOCABULARIES)
        hyp = rng.choices(words, k=rng.randint(0, longest))
        ref = rng.choices(words, k=rng.randint(0, longest))
        kind = rng.randrange(3)
        if kind == 1:
            ref = rng.sample(hyp, len(hyp))
        elif kind == 2:
            i, j = sorted(rng.randint(0, len(hyp)) for _ in range(2))
            ref = hyp[i:j] + hyp[:i] + ref[:1] + hyp[j:]
        found.append((hyp, ref))
    return found


@pytest.mark.parametrize(("hyp", "ref", "moved", "score"), EXAMPLES)
def test_examples(hyp: str, ref: str, moved: str, score: float) -> None:
    assert oracle.shifted(hyp.split(), ref.split()) == moved.split()
    assert oracle.score(hyp.split(), ref.split()) == pytest.approx(score, rel=1e-15)
    found = CharacTER().sentence_score(hyp, [ref]).score
    assert found == pytest.approx(100 * score, rel=1e-12)


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_scores_are_those_of_the_definition(seed: int) -> None:
    texts = pairs(Random(seed), 400, 12)
    hyps, refs = zip(*texts, strict=True)
    scores = CharacTER().segment_scores(hyps, [refs])
    expected = [100 * oracle.score(hyp, ref) for hyp, ref in texts]
    assert scores.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.slow
def test_long_texts() -> None:
    rng = Random("long")
    words = [
        "".join(chr(rng.randint(0x4E00, 0x4FFF)) for _ in range(rng.randint(1, 9)))
        for _ in range(50)
    ]
    for _ in range(6):
        hyp = rng.choices(words, k=rng.randint(60, 75))
        ref = hyp[20:] + rng.choices(words, k=rng.randint(0, 9)) + hyp[:20]
        found = CharacTER().sentence_score(hyp, [ref]).score
        assert found == pytest.approx(100 * oracle.score(hyp, ref), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["a", "b"], ["a", "ab", "b"], list("abcdefgh")])
def test_long_texts_of_few_words(words: list[str]) -> None:
    """Beyond 64 words, bounds rule moves out."""
    rng = Random(f"few {words}")
    for n in (64, 65):
        hyp = rng.choices(words, k=n)
        ref = [rng.choice([word] * 9 + words) for word in hyp[40:] + hyp[:40]]
        found = CharacTER().sentence_score(hyp, [ref]).score
        assert found == pytest.approx(100 * oracle.score(hyp, ref), rel=1e-12)


def test_bounds_rule_out_no_move_that_is_made() -> None:
    rng = Random("bounds")
    words = [f"w{i}" for i in range(30)]
    hyp = rng.choices(words, k=65)
    runs = [hyp[i : i + 13] for i in range(0, 65, 13)]
    rng.shuffle(runs)
    ref = [rng.choice([word] * 6 + words[:1]) for run in runs for word in run]
    found = CharacTER().sentence_score(hyp, [ref]).score
    assert found == pytest.approx(100 * oracle.score(hyp, ref), rel=1e-12)


@pytest.mark.parametrize(
    ("low", "high"), [("a", "b"), ("a", "aa"), ("z", "\u00e4"), ("\uffff", "\U00010000")]
)
def test_words_are_ordered_by_code_points(low: str, high: str) -> None:
    """Among moves that save equally many edits, the lexicographically last words win."""
    scores = []
    for one, other in ((low, high), (high, low)):
        hyp, ref = [one, other, one, other], [other, one, one, one]
        score = CharacTER().sentence_score(hyp, [ref]).score
        assert score == pytest.approx(100 * oracle.score(hyp, ref), rel=1e-12)
        scores.append(score)
    assert scores[0] != scores[1]


def test_several_references_and_means() -> None:
    hyps, streams = random_corpus(Random("several"), 30, kind="mixed", n_refs=3)
    hyps, *streams = ([text[:60] for text in texts] for texts in (hyps, *streams))
    expected = [
        min(oracle.score(hyp.split(), ref.split()) for ref in refs)
        for hyp, *refs in zip(hyps, *streams, strict=True)
    ]
    score = CharacTER().corpus_score(hyps, streams)
    assert score.score == pytest.approx(100 * sum(expected) / 30, rel=1e-12)
    assert score.n_segments == 30


def test_equal_words_end_the_search_early() -> None:
    """A thousand equal words have a million moves, none of which saves an edit."""
    assert CharacTER().sentence_score("a " * 1500, ["a " * 1400]).score < 7


def test_options() -> None:
    assert CharacTER(lowercase=True).sentence_score("A B", ["a b"]).score == 0
    assert CharacTER(tokenize="13a").sentence_score("a.", ["a ."]).score == 0
    assert CharacTER().sentence_score("a.", ["a ."]).score == 50
    assert str(CharacTER().corpus_score(["a"], [["b"]])) == "CharacTER = 100.00"
    assert not CharacTER().higher_is_better


def test_scores_are_those_of_the_package() -> None:
    """Its quotients are doubles with rounding errors, so some of its moves gain nothing."""
    cer = pytest.importorskip("cer")
    rng = Random("peer")
    n_equal = 0
    texts = [(hyp, ref) for hyp, ref in pairs(rng, 400, 9) if hyp and ref]
    for hyp, ref in texts:
        expected = cer.calculate_cer(hyp, ref)
        score = CharacTER().sentence_score(hyp, [ref]).score
        n_equal += score == pytest.approx(100 * expected, rel=1e-9, abs=1e-9)
    assert n_equal >= 0.98 * len(texts)


@pytest.mark.slow
def test_the_score_of_a_real_corpus() -> None:
    """The expected score is from the authors' script."""
    hyps, ref = wmt17(0), wmt17_reference()
    if hyps is None or ref is None:
        pytest.skip("no WMT17 data")
    score = CharacTER().corpus_score(hyps, [ref]).score
    assert score == pytest.approx(47.83373600035757, rel=1e-12)
