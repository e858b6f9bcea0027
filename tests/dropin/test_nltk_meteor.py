"""The drop-in for NLTK's METEOR beside the installed NLTK: the same numbers and errors."""

from random import Random
from typing import Any

import pytest

from rapidbleu._core.nltk.meteor import porter_stem
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


PARTS = """
    al ance ence er ic able ible ant ement ment ent ion s t ou ism ate iti ous ive ize icate ative
    alize iciti ical ful ness ational tional enci anci izer bli alli entli eli ousli ization ation
    ator alism iveness fulness ousness aliti iviti biliti fulli logi ed ing eed ied ies sses ss e l
    ll y a i o u b c d n z w x yy tt at bl iz Sky innings \u00e9 \u00df \u0130 \u03a3 \U0001f600
"""


def test_stems_are_those_of_nltk() -> None:
    rng = Random("stems")
    words = ["", "ied", "ies", "eed", "ing", "dying", "flies", "Proceed", "a" * 70, "yyy"]
    parts = PARTS.split()
    words += ["".join(rng.choices(parts, k=rng.randint(1, 5))) for _ in range(15000)]
    expected = [STEMMER.stem(word) for word in words]
    assert [porter_stem(word) for word in words] == expected
    assert [ours.remember_stems(STEMMER)[word] for word in words[:50]] == expected[:50]


def test_other_stemmers_are_asked() -> None:
    original = porter.PorterStemmer(mode="ORIGINAL_ALGORITHM")
    assert ours.remember_stems(original)["flies"] == original.stem("flies") == "fli"
    assert ours.remember_stems(original)["dying"] == original.stem("dying") == "dy"
    changed = porter.PorterStemmer()
    changed.pool = {}
    assert ours.remember_stems(changed)["sky"] == changed.stem("sky") == "ski"
    assert ours.is_porter(STEMMER)
    assert not ours.is_porter(changed)


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
