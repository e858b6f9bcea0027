"""jiwer's measures beside jiwer: every number and every word, and what is refused."""

from random import Random
from typing import Any

import pytest

from rapidbleu.adapters import jiwer as ours
from support.corpora import KINDS, random_corpus
from support.peers import need

MEASURES = ("wer", "mer", "wil", "wip", "cer")
COUNTS = ("hits", "substitutions", "deletions", "insertions")
# Texts in which words end in many ways, or do not.
SPACES = (
    "", " ", "a", " a ", "a b", "a  b", "a\tb", "a\t\tb", "a \n b", "a\n", "\na b", "a\xa0b",
    "a \xa0 b", "\u3000a b", "a\u2028b", "a \x1f", "a\x00b", "b a b a", "\u200b",
)  # fmt: skip


def same(reference: Any, hypothesis: Any, *transforms: Any) -> None:
    """Both give equal measures, counts, words and alignments."""
    theirs = need("jiwer")
    for name in MEASURES:
        expected = getattr(theirs, name)(reference, hypothesis, *transforms)
        assert getattr(ours, name)(reference, hypothesis, *transforms) == expected, name
    for name in ("process_words", "process_characters"):
        output, expected = (
            getattr(module, name)(reference, hypothesis, *transforms) for module in (ours, theirs)
        )
        for field in (*COUNTS, "references", "hypotheses"):
            assert getattr(output, field) == getattr(expected, field), (name, field)
        chunks = [[tuple(vars(chunk).values()) for chunk in own] for own in expected.alignments]
        assert output.alignments == chunks, name


@pytest.mark.parametrize("kind", KINDS)
def test_texts(kind: str) -> None:
    need("jiwer")
    hyps, (refs,) = random_corpus(Random(f"jiwer {kind}"), 60, kind=kind, n_refs=1)
    same(refs, hyps)
    same([f"{ref}\n" for ref in refs], [f" {hyp}" for hyp in hyps])
    for hyp, ref in zip(hyps, refs, strict=True):
        same(ref, hyp)


def test_white_space() -> None:
    need("jiwer")
    for ref in SPACES:
        for hyp in SPACES:
            same(ref, hyp)
    same(list(SPACES), list(reversed(SPACES)))


def test_empty_texts() -> None:
    need("jiwer")
    same([], [])
    same("", "a b")
    same(["a", ""], ["", ""])
    assert ours.wer("", "a b") == 2  # insertions; there is no length to divide by
    assert ours.process_words("", "").wip == 1


def test_transformations() -> None:
    theirs = need("jiwer")
    hyps, (refs,) = random_corpus(Random("jiwer"), 30, kind="mixed", n_refs=1)
    steps = [theirs.RemoveMultipleSpaces(), theirs.Strip()]
    words, letters = theirs.ReduceToListOfListOfWords(), theirs.ReduceToListOfListOfChars()
    for transform in (
        theirs.wer_default, theirs.cer_default, theirs.wer_contiguous, theirs.wer_standardize,
        theirs.Compose([theirs.ToLowerCase(), theirs.RemovePunctuation(), *steps, words]),
        theirs.Compose([theirs.ToUpperCase(), letters]), lambda texts: [["", "a b", ""]],
    ):  # fmt: skip
        same(refs, hyps, transform, transform)
    for name in MEASURES:
        options = {"hypothesis_transform": theirs.wer_standardize}
        expected = getattr(theirs, name)(refs, hyps, **options)
        assert getattr(ours, name)(refs, hyps, **options) == expected
    same(["a b", "c"], ["a", "b", "c"], theirs.wer_contiguous, theirs.wer_contiguous)
    same([], [], theirs.ReduceToSingleSentence(), theirs.ReduceToSingleSentence())


@pytest.mark.parametrize(
    ("reference", "hypothesis", "options", "error", "message"),
    [
        (["a"], ["a", "b"], {}, ValueError, "hypothesis: expected 1 segments, as many as ref"),
        (["a", None], ["a", "b"], {}, TypeError, r"reference\[1\]: expected str, got NoneType"),
        (["a"], [b"a"], {}, TypeError, r"hypothesis\[0\]: expected str, got bytes"),
        (None, ["a"], {}, ValueError, "reference: expected a str or a list of str, got NoneType"),
        ("a", {"a"}, {}, ValueError, "hypothesis: expected a str or a list of str, got set"),
        (["a"], ["a"], {"reference_transform": tuple}, ValueError, "expected it to return a list"),
        (["a"], ["a"], {"hypothesis_transform": list}, ValueError, r"of str; \[0\] is not one"),
    ],
)  # fmt: skip
def test_errors(
    reference: Any, hypothesis: Any, options: Any, error: type[Exception], message: str
) -> None:
    for call in (ours.wer, ours.cer):
        with pytest.raises(error, match=message):
            call(reference, hypothesis, **options)
