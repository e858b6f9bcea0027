"""NLTK's METEOR and RIBES, which align words: equal numbers and errors as the installed NLTK."""

from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from rapidbleu.nltk import meteor_score, ribes_score

pytest.importorskip("nltk")
from nltk.stem.porter import PorterStemmer
from nltk.translate import meteor_score as peers_meteor
from nltk.translate import ribes_score as peers_ribes

from support.typed import typed


def outcome(module: Any, function: str, *args: Any, **options: Any) -> Any:
    try:
        return typed(getattr(module, function)(*args, **options))
    except Exception as error:
        return type(error)


def same(function: str, *args: Any, **options: Any) -> None:
    modules = (meteor_score, peers_meteor) if "meteor" in function else (ribes_score, peers_ribes)
    found, expected = (outcome(module, function, *args, **options) for module in modules)
    assert found == expected, (args, options)


def text(rng: Random, words: list[Any], longest: int = 12) -> list[Any]:
    return rng.choices(words, k=rng.randint(0, longest))


SETS = [["cat", "dog", "big_cat"], ["walk", "run", "Go"], ["walk", "stroll"], ["quick", "fast"]]
WORDS = [
    ["the", "The", "cat", "cats"],
    ["walking", "walks", "ran", "run", "go", "Go", "stroll", "quickly", "fast", "the", "a"],
    ["dogs", "dog", "cat", "big_cat", "flies", "dying", "a", "b"],
    [f"word{i}" for i in range(12)],
]


class WordNet:
    """A WordNet of four sets."""

    def synsets(self, word: str) -> list[Any]:
        return [
            SimpleNamespace(
                lemmas=lambda names=names: [
                    SimpleNamespace(name=lambda name=name: name) for name in names
                ]
            )
            for names in SETS
            if word in names
        ]


OPTIONS: dict[str, Any] = {"stemmer": PorterStemmer(), "wordnet": WordNet()}


@pytest.mark.parametrize("seed", range(4))
def test_meteor(seed: int) -> None:
    rng = Random(seed)
    for _ in range(400):
        words = rng.choice(WORDS)
        refs, hyp = [text(rng, words, 14) for _ in range(rng.randint(1, 3))], text(rng, words, 14)
        if rng.random() < 0.5:
            refs[0] = rng.sample(hyp, len(hyp))
        options: dict[str, Any] = dict(OPTIONS)
        if rng.random() < 0.3:
            options |= {"preprocess": str, "alpha": rng.choice([0, 0.5, 1]), "beta": 1, "gamma": 2}
        same("meteor_score", refs, hyp, **options)
        same("single_meteor_score", refs[0], hyp, **options)


class Loud(str):
    def lower(self) -> str:
        return "loud"


def test_lowercase_of_all_kinds_of_tokens() -> None:
    rng = Random("lower")
    words = [
        "a",
        "A",
        "Z",
        "z",
        "[",
        "@",
        "\u00c9",
        "\u00e9",
        "\u0130",
        "a\0B",
        "aB" * 50,
        "",
        Loud("X"),
        "x",
    ]
    for longest in [3, 9, 65, 300]:
        for kind in (list, tuple, iter):
            hyp, ref = text(rng, words, longest), text(rng, words, longest)
            for options in (OPTIONS, OPTIONS | {"preprocess": str.upper}):
                found, expected = (
                    outcome(module, "single_meteor_score", kind(ref), kind(hyp), **options)
                    for module in (meteor_score, peers_meteor)
                )
                assert found == expected
    same("meteor_score", [["a", 1]], ["a"], **OPTIONS)
    same("meteor_score", [["a", "b"]], [["c"]], **OPTIONS)


def test_words_of_nltk_are_the_default() -> None:
    hyp, ref = ["flies", "quickly", "Walks"], ["fly", "flying", "quick", "walking"]
    same("meteor_score", [ref], hyp, wordnet=OPTIONS["wordnet"])
    same("meteor_score", [["a"]], ["b"])


def test_errors_of_meteor() -> None:
    for refs, hyp in ((["a text"], ["a"]), ([["a"]], "a text"), ([], ["a"]), ([["a"]], [1])):
        same("meteor_score", refs, hyp, **OPTIONS)


def test_each_word_is_looked_up_once() -> None:
    asked = []

    def stem(word: str) -> str:
        asked.append(word)
        return word

    stemmer = SimpleNamespace(stem=stem)
    for _ in range(3):
        meteor_score.meteor_score(
            [["a", "b"]], ["b", "c"], stemmer=stemmer, wordnet=OPTIONS["wordnet"]
        )
    assert asked == ["c", "a"]


TOKENS: list[list[Any]] = [
    ["a", "b"],
    ["a", "b", "c", "a very long token"],
    [f"word{i}" for i in range(12)],
    [1, 2, 3, 2**70],
    [1, "1", (1,), None, 1.5],
    [[1], [2], "a"],
]


@pytest.mark.parametrize("tokens", TOKENS, ids=str)
def test_segments(tokens: list[Any]) -> None:
    rng = Random(str(tokens))
    for _ in range(300):
        refs, hyp = [text(rng, tokens) for _ in range(rng.randint(0, 3))], text(rng, tokens)
        if refs and rng.random() < 0.3:
            refs[0] = [*hyp[2:], *hyp[:2]]
        same("sentence_ribes", refs, hyp)
        same("sentence_ribes", refs, hyp, alpha=rng.random(), beta=rng.random())


def test_corpora() -> None:
    rng = Random("corpora")
    for k in range(60):
        tokens = rng.choice(TOKENS)
        hyps = [text(rng, tokens, 30) for _ in range(k % 7)]
        refs = [[text(rng, tokens, 30) for _ in range(rng.randint(1, 3))] for _ in hyps]
        same("corpus_ribes", refs, hyps)
        same("corpus_ribes", refs, hyps, 0.5, 0.2)
    same("corpus_ribes", [[["a"]]], [["a"], ["b"]])
    same("sentence_ribes", ["a b a", "b a"], "a b")
    same("sentence_ribes", [("a", "b")], ("b", "a"))


def test_references_are_read_once() -> None:
    refs: Any = [["a", "b", "c"], ["b", "a"]], [["c", "b"]]
    hyps = [["a", "c", "b"], ["b", "c"]]
    expected = peers_ribes.corpus_ribes([iter(several) for several in refs], hyps)
    once: Any = [iter(several) for several in refs]
    assert ribes_score.corpus_ribes(once, hyps) == expected > 0.0


def test_empty_iterators() -> None:
    refs: Any = [iter(()), [["a"]], (), [["b", "a"]]], [["a"], [], ["b"], ["a", "b"]]
    expected = [-1.0, 0.0, 0.0, peers_ribes.sentence_ribes([["b", "a"]], ["a", "b"])]
    assert peers_ribes.sentence_ribes(iter(()), ["a"]) == expected[0]  # type: ignore[arg-type]
    assert ribes_score.corpus_ribes(*refs) == sum(expected) / 4


@pytest.mark.parametrize("option", [1, True, -0.5, float("inf"), Fraction(1, 3), 1j, "x"])
def test_exponents_that_are_not_floats(option: Any) -> None:
    for hyp in ["b", "a", "c"], ["x"]:
        same("sentence_ribes", [["a", "b", "c", "d"]], hyp, alpha=option)
        same("corpus_ribes", [[["a", "b", "c", "d"]]], [hyp], beta=option)


def test_limits_of_length(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random("limits")
    for k in (62, 63, 64, 65, 66):
        for words in ("ab", "abcdefgh", range(100)):
            same(
                "corpus_ribes",
                [[rng.choices(words, k=k)], [rng.choices(words, k=64)]],
                [rng.choices(words, k=64), rng.choices(words, k=k)],
            )
    monkeypatch.setattr(ribes_score, "MAX_ALIGNMENT_LEN", 2**70)
    assert ribes_score.sentence_ribes([["a"] * 2001], ["a"]) == 0.0
    monkeypatch.setattr(ribes_score, "MAX_ALIGNMENT_LEN", 2)
    with pytest.raises(ValueError, match="expected at most 2 tokens in a text"):
        ribes_score.sentence_ribes([["a"], ["b", "c", "d"]], ["a"])


def test_long_texts() -> None:
    rng = Random("long")
    hyp, ref = (rng.choices("abcdefgh", k=150) for _ in range(2))
    same("sentence_ribes", [ref], hyp)
    same("sentence_ribes", [["a"] * 2001], ["a"])
    same("corpus_ribes", [[["a"]]], [["a"] * 2001])


def test_steps_are_those_of_nltk() -> None:
    for name in ("kendall_tau", "spearman_rho", "word_rank_alignment", "position_of_ngram"):
        assert getattr(ribes_score, name) is getattr(peers_ribes, name)
    assert meteor_score.align_words is peers_meteor.align_words
