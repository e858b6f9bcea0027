"""The drop-in for NLTK's METEOR beside the installed NLTK: the same numbers and errors."""

from random import Random
from typing import Any

import pytest

from rapidbleu.nltk import meteor_score as ours

theirs = pytest.importorskip("nltk.translate.meteor_score")
porter = pytest.importorskip("nltk.stem.porter")

SETS = [["cat", "dog", "big_cat"], ["walk", "run", "Go"], ["walk", "stroll"], ["quick", "fast"]]
WORDS = [
    ["the", "The", "cat", "cats"],
    ["walking", "walks", "ran", "run", "go", "Go", "stroll", "quickly", "fast", "the", "a"],
    ["dogs", "dog", "cat", "big_cat", "flies", "dying", "a", "b"],
    [f"word{i}" for i in range(12)],
]


class Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class Synset:
    def __init__(self, names: list[str]) -> None:
        self._lemmas = [Lemma(name) for name in names]

    def lemmas(self) -> list[Lemma]:
        return self._lemmas


class WordNet:
    """A word net of four sets."""

    def synsets(self, word: str) -> list[Synset]:
        return [Synset(names) for names in SETS if word in names]


WORDNET = WordNet()
STEMMER = porter.PorterStemmer()


def outcome(module: Any, function: str, *args: Any, **options: Any) -> Any:
    try:
        return getattr(module, function)(*args, **options)
    except Exception as error:
        return type(error), str(error)


def same(function: str, *args: Any, **options: Any) -> None:
    found = outcome(ours, function, *args, **options)
    assert repr(found) == repr(outcome(theirs, function, *args, **options))


def text(rng: Random) -> list[str]:
    words = rng.choice(WORDS)
    return [rng.choice(words) for _ in range(rng.randint(0, 14))]


@pytest.mark.parametrize("seed", range(4))
def test_scores(seed: int) -> None:
    rng = Random(seed)
    for _ in range(400):
        refs, hyp = [text(rng) for _ in range(rng.randint(1, 3))], text(rng)
        if rng.random() < 0.5:
            refs[0] = rng.sample(hyp, len(hyp))
        options: dict[str, Any] = {"stemmer": STEMMER, "wordnet": WORDNET}
        if rng.random() < 0.3:
            options |= {"preprocess": str, "alpha": rng.choice([0, 0.5, 1]), "beta": 1, "gamma": 2}
        same("meteor_score", refs, hyp, **options)
        same("single_meteor_score", refs[0], hyp, **options)


def test_stems_of_nltk_are_the_default() -> None:
    hyp, ref = ["flies", "quickly", "Walks"], ["fly", "flying", "quick", "walking"]
    same("meteor_score", [ref], hyp, wordnet=WORDNET)
    same("single_meteor_score", ref, hyp, stemmer=STEMMER, wordnet=WORDNET)


def test_word_net_of_nltk_is_the_default() -> None:
    """Where its corpus is not installed, both say so."""
    found = outcome(ours, "meteor_score", [["a"]], ["b"])
    expected = outcome(theirs, "meteor_score", [["a"]], ["b"])
    assert found == expected or (found[0] is expected[0] is LookupError)


def test_errors() -> None:
    options = {"stemmer": STEMMER, "wordnet": WORDNET}
    same("meteor_score", ["a text"], ["a"], **options)
    same("meteor_score", [["a"]], "a text", **options)
    same("meteor_score", [], ["a"], **options)
    same("meteor_score", [["a"]], [1], **options)


def test_each_word_is_looked_up_once() -> None:
    asked = []

    class Remembers:
        def stem(self, word: str) -> str:
            asked.append(word)
            return word

    stemmer = Remembers()
    for _ in range(3):
        ours.meteor_score([["a", "b"]], ["b", "c"], stemmer=stemmer, wordnet=WORDNET)
    assert asked == ["c", "a"]
