"""jiwer's measures compared with jiwer: every number and every word, and refusals."""

import copy
import pickle
import subprocess
import sys
from dataclasses import asdict
from random import Random
from typing import Any

import pytest

from rapidbleu._core.edits.rates import has_only_blanks
from rapidbleu.adapters import jiwer as ours
from support.corpora import KINDS, random_corpus
from support.peers import need
from support.typed import assert_identical

MEASURES = ("wer", "mer", "wil", "wip", "cer")
COUNTS = ("hits", "substitutions", "deletions", "insertions")
# Texts with and without many kinds of word endings.
SPACES = (
    "",
    " ",
    "a",
    " a ",
    "a b",
    "a  b",
    "a\tb",
    "a\t\tb",
    "a \n b",
    "a\n",
    "\na b",
    "a\xa0b",
    "a \xa0 b",
    "\u3000a b",
    "a\u2028b",
    "a \x1f",
    "a\x00b",
    "b a b a",
    "\u200b",
)


def same(reference: Any, hypothesis: Any, *transforms: Any) -> None:
    """Check that measures, counts, words and alignments are equal."""
    theirs = need("jiwer")
    for name in MEASURES:
        expected = getattr(theirs, name)(reference, hypothesis, *transforms)
        assert_identical(getattr(ours, name)(reference, hypothesis, *transforms), expected, name)
    for name in ("process_words", "process_characters"):
        output, expected = (
            getattr(module, name)(reference, hypothesis, *transforms) for module in (ours, theirs)
        )
        rates = MEASURES[:4] if name == "process_words" else ["cer"]
        for field in (*COUNTS, *rates, "references", "hypotheses", "alignments"):
            assert_identical(getattr(output, field), getattr(expected, field), (name, field))
        for show in (theirs.visualize_alignment, theirs.visualize_error_counts):
            assert show(output) == show(expected), (name, show)
        counts = ours.collect_error_counts(output), theirs.collect_error_counts(expected)
        assert_identical(*counts)


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


def test_white_space_of_every_code_point() -> None:
    for code in [*range(0x3100), *range(0xD7F0, 0xE010), 0xFEFF, 0x10FFFF]:
        space = chr(code)
        for rest in ("", "a" * 20, "\u201c" * 9, "\U0001f600" * 5):
            found = has_only_blanks([rest + " ", rest + space + rest])
            assert found == (code == 32 or not space.isspace()), hex(code)
    assert has_only_blanks(())
    assert not has_only_blanks(["a", 5])
    assert not has_only_blanks([type("Text", (str,), {})("a")])


def test_empty_texts() -> None:
    need("jiwer")
    same([], [])
    same("", "a b")
    same(["a", ""], ["", ""])
    same("a", "")
    same([" "], ["and and"])
    assert repr(ours.wer("", "a b")) == "2"  # insertions only; no length to divide by
    assert repr(ours.process_words("", "").wip) == "1"


def test_transformations() -> None:
    theirs = need("jiwer")
    hyps, (refs,) = random_corpus(Random("jiwer"), 30, kind="mixed", n_refs=1)
    steps = [theirs.RemoveMultipleSpaces(), theirs.Strip()]
    words, letters = theirs.ReduceToListOfListOfWords(), theirs.ReduceToListOfListOfChars()
    for transform in (
        theirs.wer_default,
        theirs.cer_default,
        theirs.wer_contiguous,
        theirs.wer_standardize,
        theirs.Compose([theirs.ToLowerCase(), theirs.RemovePunctuation(), *steps, words]),
        theirs.Compose([theirs.ToUpperCase(), letters]),
        lambda texts: [["", "a b", ""]],
    ):
        same(refs, hyps, transform, transform)
    for name in MEASURES:
        options = {"hypothesis_transform": theirs.wer_standardize}
        expected = getattr(theirs, name)(refs, hyps, **options)
        assert_identical(getattr(ours, name)(refs, hyps, **options), expected)
    same(["a b", "c"], ["a", "b", "c"], theirs.wer_contiguous, theirs.wer_contiguous)
    same([], [], theirs.ReduceToSingleSentence(), theirs.ReduceToSingleSentence())


@pytest.mark.parametrize(
    ("reference", "hypothesis", "options", "error", "message"),
    [
        (["a"], ["a", "b"], {}, ValueError, "hypothesis: expected 1 segments, as many as ref"),
        (["a", None], ["a", "b"], {}, TypeError, r"reference\[1\]: expected str; got NoneType"),
        (["a"], [b"a"], {}, TypeError, r"hypothesis\[0\]: expected str; got bytes"),
        (None, ["a"], {}, ValueError, "reference: expected a str or a list of str; got NoneType"),
        ("a", {"a"}, {}, ValueError, "hypothesis: expected a str or a list of str; got set"),
        (["a"], ["a"], {"reference_transform": tuple}, ValueError, "expected it to return a list"),
        (["a"], ["a"], {"hypothesis_transform": list}, ValueError, r"of str; \[0\] is not one"),
    ],
)
def test_errors(
    reference: Any, hypothesis: Any, options: Any, error: type[Exception], message: str
) -> None:
    for call in (ours.wer, ours.cer):
        with pytest.raises(error, match=message):
            call(reference, hypothesis, **options)


def test_results_are_those_of_jiwers_classes() -> None:
    """jiwer's functions accept our results, because they are instances of its classes."""
    theirs = need("jiwer")
    hyps, (refs,) = random_corpus(Random("classes"), 20, kind="mixed", n_refs=1)
    for name in ("process_words", "process_characters"):
        output, expected = (getattr(module, name)(refs, hyps) for module in (ours, theirs))
        assert isinstance(output, type(expected))
        assert type(output.alignments[0][0]) is theirs.AlignmentChunk
        fields, values = (asdict(each) for each in (output, expected))
        assert_identical(fields, values)
        for twin in (copy.copy(output), pickle.loads(pickle.dumps(output))):
            assert asdict(twin) == values
    lone = ours.process_words("is a b", "was one b")
    assert theirs.visualize_error_counts(lone).splitlines()[1] == "is a    --> was one = 1x"


def test_names_of_jiwer() -> None:
    theirs = need("jiwer")
    for name in ("visualize_alignment", "wer_standardize", "ToLowerCase", "Compose"):
        assert getattr(ours, name) is getattr(theirs, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        ours.nothing  # noqa: B018


def test_without_jiwer() -> None:
    program = """
import sys
sys.modules["jiwer"] = None
from rapidbleu.adapters import jiwer
chunks = jiwer.process_words("a b", "a c").alignments[0]
print(chunks, hasattr(jiwer, "visualize_alignment"), isinstance(chunks[0], jiwer.AlignmentChunk))
"""
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    first = "AlignmentChunk(type='equal', ref_start_idx=0, ref_end_idx=1, hyp_start_idx=0, hyp_end"
    assert run.stdout.startswith(f"[{first}") and run.stdout.endswith(" False True\n")
