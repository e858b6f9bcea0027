"""The drop-in for NLTK's RIBES beside the installed NLTK: the same numbers and errors."""

from random import Random
from typing import Any

import pytest

from rapidbleu.nltk import ribes_score as ours

theirs = pytest.importorskip("nltk.translate.ribes_score")

WORDS: list[list[Any]] = [
    ["a", "b"],
    ["a", "b", "c", "a very long token"],
    [f"word{i}" for i in range(12)],
    [1, 2, 3, 2**70],
    [1, "1", (1,), None, 1.5],
    [[1], [2], "a"],
]


def outcome(module: Any, function: str, *args: Any, **options: Any) -> Any:
    try:
        return repr(getattr(module, function)(*args, **options))
    except Exception as error:
        return type(error)


def same(function: str, *args: Any, **options: Any) -> None:
    found = outcome(ours, function, *args, **options)
    assert found == outcome(theirs, function, *args, **options), (args, options)


def text(rng: Random, words: list[Any], longest: int = 12) -> list[Any]:
    return [rng.choice(words) for _ in range(rng.randint(0, longest))]


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_segments(words: list[Any]) -> None:
    rng = Random(str(words))
    for _ in range(300):
        refs, hyp = [text(rng, words) for _ in range(rng.randint(0, 3))], text(rng, words)
        if refs and rng.random() < 0.3:
            refs[0] = [*hyp[2:], *hyp[:2]]
        same("sentence_ribes", refs, hyp)
        same("sentence_ribes", refs, hyp, alpha=rng.random(), beta=rng.random())
        for ref in refs:
            same("word_rank_alignment", ref, hyp)


def test_corpora() -> None:
    rng = Random("corpora")
    for k in range(60):
        words = rng.choice(WORDS)
        hyps = [text(rng, words, 30) for _ in range(k % 7)]
        refs = [[text(rng, words, 30) for _ in range(rng.randint(1, 3))] for _ in hyps]
        same("corpus_ribes", refs, hyps)
        same("corpus_ribes", refs, hyps, 0.5, 0.2)
    same("corpus_ribes", [[["a"]]], [["a"], ["b"]])
    same("sentence_ribes", ["a b a", "b a"], "a b")
    same("sentence_ribes", [("a", "b")], ("b", "a"))


def test_references_are_read_once() -> None:
    refs, hyps = [[["a", "b", "c"], ["b", "a"]], [["c", "b"]]], [["a", "c", "b"], ["b", "c"]]
    expected = theirs.corpus_ribes([iter(several) for several in refs], hyps)
    assert ours.corpus_ribes([iter(several) for several in refs], hyps) == expected > 0.0


def test_long_texts() -> None:
    rng = Random("long")
    hyp, ref = ([rng.choice("abcdefgh") for _ in range(300)] for _ in range(2))
    same("sentence_ribes", [ref], hyp)
    same("sentence_ribes", [["a"] * 2001], ["a"])
    same("corpus_ribes", [[["a"]]], [["a"] * 2001])


def test_places() -> None:
    rng = Random("places")
    for _ in range(300):
        places = [rng.randint(0, 9) for _ in range(rng.randint(0, 12))]
        for normalize in (True, False):
            same("kendall_tau", places, normalize)
            same("spearman_rho", places, normalize)
        assert [*ours.find_increasing_sequences(places)] == [
            *theirs.find_increasing_sequences(places)
        ]
        n = rng.randint(1, 3)
        same("position_of_ngram", tuple(places[:n]), [rng.randint(0, 3) for _ in range(9)])
