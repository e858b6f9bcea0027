"""The edits of a segment as data, for TER, WER and CER: against oracles, scores and jiwer."""

import pickle
from array import array
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import CER, HTER, TER, WER, Alignment
from rapidbleu._core.edits.rates import trace_edits
from rapidbleu._core.ter.ter import trace_moves
from rapidbleu.metrics import Edit, Shift
from reference import ter as ter_oracle
from reference.family import edits as oracle
from support.corpora import random_corpus, wmt17, wmt17_reference
from support.selection import few

KINDS = {"replace": "substitute", "delete": "delete", "insert": "insert"}


def pair(rng: Random, longest: int, n_types: int) -> tuple[list[int], list[int]]:
    """Return two texts, the second unrelated, reordered, or locally edited."""
    hyp = [rng.randrange(n_types) for _ in range(rng.randint(0, longest))]
    kind = rng.randrange(3)
    if kind == 0:
        return hyp, [rng.randrange(n_types) for _ in range(rng.randint(0, longest))]
    if kind == 1:
        i, j = sorted(rng.randint(0, len(hyp)) for _ in range(2))
        return hyp, hyp[i:j] + hyp[:i] + hyp[j:]
    share = rng.random() / 3
    changes: list[Any] = [
        [token] if rng.random() > share else rng.choices(hyp, k=rng.randint(0, 2)) for token in hyp
    ]
    return hyp, [token for change in changes for token in change]


def after_shifts(alignment: Alignment) -> list[int]:
    """Return the indices of the hypothesis's tokens in their order after all shifts."""
    places = list(range(len(alignment.hypothesis)))
    for shift in alignment.shifts:
        block, rest = (
            places[shift.begin : shift.end],
            places[: shift.begin] + places[shift.end :],
        )
        assert block
        places = rest[: shift.target] + block + rest[shift.target :]
        assert places[shift.target : shift.target + len(block)] == block
    return places


def check(alignment: Alignment, hyp: Sequence[Any], ref: Sequence[Any]) -> None:
    """Check that every token of both texts occurs once, in order, with correct edit labels."""
    assert alignment.hypothesis == tuple(hyp)
    assert alignment.reference == tuple(ref)
    edits = alignment.edits
    assert [edit.hypothesis for edit in edits if edit.hypothesis is not None] == after_shifts(
        alignment
    )
    assert [edit.reference for edit in edits if edit.reference is not None] == [*range(len(ref))]
    for kind, i, j in edits:
        if kind == "insert":
            assert i is not None
            assert j is None
        elif kind == "delete":
            assert i is None
            assert j is not None
        else:
            assert i is not None
            assert j is not None
            assert kind == ("equal" if hyp[i] == ref[j] else "substitute")


@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_shifts_and_edits_are_those_of_the_score(seed: int) -> None:
    rng, ter = Random(seed), TER(case_sensitive=True)
    for _ in range(150):
        hyp, ref = pair(rng, rng.choice([4, 12, 30]), rng.choice([2, 5, 40]))
        found = ter.align(hyp, [ref])
        check(found, hyp, ref)
        assert found.num_edits == ter.sentence_score(hyp, [ref]).num_edits
        assert found.num_edits == ter_oracle.edits(hyp, ref)


def test_edits_after_shifts_are_those_of_the_oracle() -> None:
    rng = Random("walk")
    for _ in range(150):
        hyp, ref = pair(rng, 12, 5)
        found = TER(case_sensitive=True).align(hyp, [ref])
        order = after_shifts(found)
        align, hyp_wrong, ref_wrong = ter_oracle.alignment([hyp[i] for i in order], ref)
        theirs = [(order[i], j) for j, i in enumerate(align) if not ref_wrong[j]]
        assert [(i, j) for kind, i, j in found.edits if kind == "equal"] == theirs
        wrong = [i for kind, i, _ in found.edits if kind in ("substitute", "insert")]
        assert wrong == [i for i, is_wrong in zip(order, hyp_wrong, strict=True) if is_wrong]


def test_real_text() -> None:
    hyps, ref = wmt17(0), wmt17_reference()
    if hyps is None or ref is None:
        hyps, (ref,) = random_corpus(Random("real"), 300, kind="mixed", n_refs=1)
    for metric in (TER(), TER(normalized=True, no_punct=True, case_sensitive=True), WER()):
        for hyp, own in zip(hyps[:200], ref[:200], strict=True):
            found = metric.align(hyp, [own])
            check(found, found.hypothesis, found.reference)
            assert found.num_edits == metric.sentence_score(hyp, [own]).num_edits


def test_long_and_repetitive_texts() -> None:
    rng = Random("long")
    for hyp, ref in [
        ([1, 2] * 60, [2, 1, 1] * 40),
        ([rng.randrange(9) for _ in range(150)], [rng.randrange(9) for _ in range(90)]),
        ([rng.randrange(99) for _ in range(20)], [rng.randrange(99) for _ in range(160)]),
    ]:
        found = TER(case_sensitive=True).align(hyp, [ref])
        check(found, hyp, ref)
        score = TER(case_sensitive=True).sentence_score(hyp, [ref])
        assert found.num_edits == score.num_edits


def test_printed_alignments() -> None:
    found = TER().align("on the mat the cat sat", ["the cat sat on a mat today"])
    assert str(found).splitlines() == [
        "shift [3:6] to 0: the cat sat",
        "REF: the cat sat on a   mat today",
        "HYP: the cat sat on the mat *****",
        "                    S       D",
    ]
    assert str(WER().align("a b", ["a b"])) == "REF: a b\nHYP: a b"
    assert str(WER().align("", [""])) == ""
    assert str(WER().align([7], [[7, 8]])) == "REF: 7 8\nHYP: 7 *\n       D"


@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_edits_are_those_of_the_oracle(seed: int) -> None:
    rng = Random(seed)
    for _ in range(200):
        hyp, ref = pair(rng, rng.choice([5, 30, 70, 140]), rng.choice([2, 5, 40]))
        found = WER().align(hyp, [ref])
        check(found, hyp, ref)
        assert not found.shifts
        expected = [(KINDS[kind], i, j) for kind, j, i in oracle.editops(hyp, ref)]
        own = [edit for edit in found.edits if edit.kind != "equal"]
        assert [edit.kind for edit in own] == [kind for kind, _, _ in expected]
        for edit, (_, i, j) in zip(own, expected, strict=True):
            assert edit.hypothesis in (i, None)
            assert edit.reference in (j, None)


@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_long_texts_are_cut_as_rapidfuzz_cuts_them(seed: int) -> None:
    """A lower limit makes short texts long."""
    rng = Random(seed)
    letters = {"replace": "S", "delete": "D", "insert": "I"}
    n_other = 0
    for _ in range(40):
        hyp, ref = pair(rng, 220, rng.choice([2, 4, 20]))
        numbers: dict[int, int] = {}
        ref_ids = array("i", [numbers.setdefault(token, len(numbers) + 1) for token in ref])
        hyp_ids = array("i", [numbers.get(token, 0) for token in hyp])
        for limit in (512, 4096):
            steps = trace_edits(hyp_ids, ref_ids, limit).decode()
            theirs = [letters[kind] for kind, _, _ in oracle.editops(hyp, ref, limit)]
            assert steps.replace("=", "") == "".join(theirs)
            n_other += steps != trace_edits(hyp_ids, ref_ids).decode()
    assert n_other > 0


@pytest.mark.slow
def test_alignments_of_long_texts_are_those_of_rapidfuzz() -> None:
    distance = pytest.importorskip("rapidfuzz.distance")
    rng = Random("rapidfuzz")
    for n_types in (2, 20, 300, 3_000):
        hyp = [rng.randrange(n_types) for _ in range(rng.randint(2_050, 5_000))]
        for ref in (
            [rng.randrange(n_types) for _ in range(rng.randint(2_050, 5_000))],
            [token for token in hyp if rng.random() < 0.9] + hyp[:300],
        ):
            theirs = [
                (KINDS[edit.tag], edit.src_pos, edit.dest_pos)
                for edit in distance.Levenshtein.editops(ref, hyp)
            ]
            places = 0, 0
            own = []
            for kind, i, j in WER().align(hyp, [ref]).edits:
                if kind != "equal":
                    own.append((kind, places[1], places[0]))
                places = places[0] + (i is not None), places[1] + (j is not None)
            assert own == theirs
            ((_, *counts),) = WER().segment_stats([hyp], [[ref]]).tolist()
            kinds = [kind for kind, _, _ in theirs]
            assert counts == [kinds.count(kind) for kind in ("substitute", "delete", "insert")]


def chunks(alignment: Alignment) -> list[tuple[str, int, int, int, int]]:
    """Return runs of edits of a kind in jiwer's format: kind, reference range, hypothesis range."""
    found: list[tuple[str, int, int, int, int]] = []
    ref = hyp = 0
    for kind, i, j in alignment.edits:
        begin = found.pop() if found and found[-1][0] == kind else (kind, ref, ref, hyp, hyp)
        ref, hyp = ref + (j is not None), hyp + (i is not None)
        found.append((kind, begin[1], ref, begin[3], hyp))
    return found


def test_alignments_are_those_of_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    hyps, (refs,) = random_corpus(Random("jiwer"), 200, kind="mixed", n_refs=1)
    words = [[" ".join(text.split()) for text in texts] for texts in (hyps, refs)]
    for process, metric, texts in (
        (jiwer.process_words, WER(), words),
        (jiwer.process_characters, CER(), [hyps, refs]),
    ):
        for hyp, ref in zip(*texts, strict=True):
            (theirs,) = process(ref, hyp).alignments
            assert chunks(metric.align(hyp, [ref])) == [
                (c.type, c.ref_start_idx, c.ref_end_idx, c.hyp_start_idx, c.hyp_end_idx)
                for c in theirs
            ]


def test_the_reference_that_the_score_is_of() -> None:
    """The reference of fewest edits; on ties TER uses the first, WER the longest."""
    several = ["a b c d", "x y z", "a b c e", "a b c d e e"]
    assert TER().align("a b c", several).which == 0
    assert WER().align("a b c", several).which == 0
    assert WER().align("a b c d", ["a b c", "a b c d e"]).which == 1
    assert TER().align("a b c d", ["a b c", "a b c d e"]).which == 0
    assert HTER().align("a b c", ["x", "a b c"]).which == 0
    assert HTER(targeted=2).align("a b c", ["x", "a b c"]).which == 1
    hyps, streams = random_corpus(Random("several"), 60, kind="mixed", n_refs=3)
    for hyp, *refs in zip(hyps, *streams, strict=True):
        for metric in (TER(), WER(), CER(), HTER(), HTER(targeted=2)):
            score = metric.sentence_score(hyp, refs)
            assert metric.align(hyp, refs).num_edits == score.num_edits


def test_all_kinds_of_segments() -> None:
    words = ["the", "Cat"]
    found = WER().align(words, [["the", "cat"]])
    assert found.edits == (Edit("equal", 0, 0), Edit("substitute", 1, 1))
    assert WER(lowercase=True).align(words, [["the", "cat"]]).num_edits == 0
    assert WER().align((3, 2**64 - 1), [np.array([3, -1])]).num_edits == 0
    assert WER().align("The  cat.", ["The cat ."]).num_edits == 2
    assert WER(tokenize="13a").align("The cat.", ["The cat ."]).num_edits == 0
    assert WER(tokenize=lambda text: text.split("-")).align("a-b ", ["a-c"]).num_edits == 1
    assert CER(strip=False).align(" a ", ["a"]).num_edits == 2
    assert CER().align(" a ", ["a"]).num_edits == 0


@pytest.mark.parametrize("metric", [TER(), WER(), CER(), HTER()], ids=repr)
def test_wrong_segments_are_refused(metric: Any) -> None:
    with pytest.raises(TypeError, match=r"references: expected .*; got a single str"):
        metric.align("a", "a")
    with pytest.raises(TypeError, match=r"expected .*got NoneType"):
        metric.align(None, ["a"])
    with pytest.raises(TypeError, match=r"expected .*got int"):
        metric.align("a", [5])
    with pytest.raises(ValueError, match="reference"):
        metric.align("a", [])


def test_wrong_numbers_are_refused() -> None:
    for trace in (trace_edits, trace_moves):
        with pytest.raises(ValueError, match=r"hyp\[1\]: expected 0 to 1; got 2"):
            trace(array("i", [0, 2]), array("i", [1]))
        with pytest.raises(ValueError, match=r"ref\[0\]: expected 1 to 1; got 0"):
            trace(array("i", [0]), array("i", [0]))
        with pytest.raises(ValueError, match="hyp: expected 1 items of kind i32; got"):
            trace(array("d", [0]), array("i", [1]))


def test_alignments_are_data() -> None:
    found = TER().align("b a", ["a b"])
    assert found.shifts == (Shift(0, 1, 1),) or found.shifts == (Shift(1, 2, 0),)
    assert pickle.loads(pickle.dumps(found)) == found
    assert hash(found) == hash(TER().align("b a", ["a b"]))
