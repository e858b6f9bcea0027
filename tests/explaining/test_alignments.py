"""Alignments of METEOR, ROUGE-L and CDER against their compiled statistics."""

from random import Random
from typing import Any

import pytest

from rapidbleu import CDER, METEOR, ROUGE, TER
from rapidbleu.explanation import EditExplanation
from rapidbleu.metrics.explaining import trace_steps
from rapidbleu.metrics.matching.rouge import ROUGECounts

WORDS = ["a", "b", "c", "d", "e", "cats", "cat", "walks", "walk"]
MODULES = ("exact", "stem")


def unstemmed(word: str) -> str:
    return word.removesuffix("s")


def pairs() -> list[tuple[list[str], list[str]]]:
    """Return short, long and empty texts, and texts with moved blocks."""
    rng = Random("alignments")

    def text(most: int) -> list[str]:
        return [rng.choice(WORDS) for _ in range(rng.randrange(most))]

    found = [(text(8), text(8)) for _ in range(400)] + [(text(90), text(90)) for _ in range(20)]
    for _ in range(50):
        begin, end = text(6), text(6)
        found.append((begin + end, end + begin))
    return [*found, ([], []), (["a"], []), ([], ["a"])]


def edits_of(metric: Any, hyp: list[str], ref: list[str]) -> tuple[EditExplanation, list[Any]]:
    found = metric.explain(hyp, [ref])
    assert isinstance(found, EditExplanation)
    alignment = found.alignment
    assert (list(alignment.hypothesis), list(alignment.reference)) == (hyp, ref)
    assert [own.reference for own in alignment.edits if own.reference is not None] == [
        *range(len(ref))
    ]
    for own in alignment.edits:
        if own.kind in ("equal", "exact"):
            assert hyp[own.hypothesis] == ref[own.reference]
    return found, list(alignment.edits)


def test_rouge_l_is_a_longest_common_subsequence() -> None:
    metric = ROUGECounts("L", tokenize="none")
    for hyp, ref in pairs():
        found, edits = edits_of(metric, hyp, ref)
        assert [own.hypothesis for own in edits if own.hypothesis is not None] == [*range(len(hyp))]
        kinds = [own.kind for own in edits]
        assert kinds.count("equal") == found.statistics["matches"]
        assert {*kinds} <= {"equal", "insert", "delete"}


def test_cder_has_as_many_edits() -> None:
    """Indices are consecutive except for jumps, from the first token to the end."""
    metric = CDER(tokenize="none")
    for hyp, ref in pairs():
        found, edits = edits_of(metric, hyp, ref)
        assert found.alignment.num_edits == found.statistics["edits"] == found.score.num_edits
        at = 0
        for own in edits:
            if own.kind == "jump":
                assert own.hypothesis != at
                at = own.hypothesis
            elif own.hypothesis is not None:
                assert own.hypothesis == at
                at += 1
        assert at == len(hyp)


def test_meteor_has_the_matches_and_chunks_of_its_row() -> None:
    metric = METEOR(stem=unstemmed)
    for hyp, ref in pairs():
        found, edits = edits_of(metric, hyp, ref)
        places = [own.hypothesis for own in edits if own.kind != "jump"]
        assert sorted(places, key=lambda place: (place is None, place)) == (
            [*range(len(hyp))] + [None] * places.count(None)
        )
        kinds = [own.kind for own in edits]
        assert [kinds.count(kind) for kind in MODULES] == [
            found.statistics[f"hyp_content_{k}"] for k in (1, 2)
        ]
        matched = [(own.hypothesis, own.reference) for own in edits if own.kind in MODULES]
        chunks = sum(
            i == 0 or matched[i] != (matched[i - 1][0] + 1, matched[i - 1][1] + 1)
            for i in range(len(matched))
        )
        perfect = chunks == 1 and len(matched) == len(hyp) == len(ref)
        assert found.statistics["chunks"] == (0 if perfect else chunks)


def test_meteor_s_phrases_are_pairs_of_words() -> None:
    from rapidbleu.metrics.explaining import trace_matches

    steps = trace_matches([("paraphrase", 1, 1, 0, 2), ("exact", 0, 1, 2, 1)], 3, 4)
    assert steps == [
        ("jump", 1, None),
        ("paraphrase", 1, 0),
        ("paraphrase", None, 1),
        ("insert", 2, None),
        ("jump", 0, None),
        ("exact", 0, 2),
        ("delete", None, 3),
    ]


@pytest.mark.parametrize("jumps", [False, True])
def test_steps_cost_least(jumps: bool) -> None:
    """The cheapest of all paths through short texts."""

    def least(hyp: str, ref: str) -> int:
        best = {(0, 0): 0}
        todo = [(0, 0)]
        while todo:
            i, j = todo.pop(0)
            price = best[i, j]
            steps = [(i + 1, j, 1), (i, j + 1, 1)]
            if i < len(hyp) and j < len(ref) and (jumps or hyp[i] == ref[j]):
                steps.append((i + 1, j + 1, int(hyp[i] != ref[j])))
            if jumps:
                steps += [(k, j, 1) for k in range(len(hyp) + 1)]
            for k, m, own in steps:
                if k <= len(hyp) and m <= len(ref) and price + own < best.get((k, m), 99):
                    best[k, m] = price + own
                    todo.append((k, m))
        return best[len(hyp), len(ref)]

    rng = Random("steps")
    for _ in range(300):
        hyp, ref = ("".join(rng.choices("abc", k=rng.randrange(6))) for _ in range(2))
        steps = trace_steps(hyp, ref, jumps)
        assert sum(kind != "equal" for kind, _, _ in steps) == least(hyp, ref)


def test_the_reference_that_counts_is_the_one_that_is_aligned() -> None:
    references = ["nothing here", "the cat sat on the mat", "the mat"]
    for metric in (METEOR(modules=["exact"]), CDER(), ROUGE("L"), TER()):
        found = metric.explain("on the mat the cat sat", references)
        assert found.alignment.which == found.reference
        assert found.reference == (2 if isinstance(metric, CDER) else 1)
        assert f"against REF {found.reference + 1}\n" in str(found)


@pytest.mark.parametrize(
    "metric",
    [ROUGE("Lsum"), ROUGE("W"), ROUGE("L", perl_compat=True), ROUGE("L", aggregate="pooled")],
)
def test_what_has_no_single_alignment(metric: Any) -> None:
    found = metric.explain("the cat sat", ["a cat sat", "the cat"])
    assert not isinstance(found, EditExplanation)


def test_text_of_alignments() -> None:
    text = str(CDER().explain("on the mat the cat sat", ["the cat sat on the mat"]))
    assert "\n\nJ HYP goes on at that word, counted from 0\n\n3 jumps, 0 substitutions, " in text
    assert (
        "REF: ** the cat sat ** on the mat **\n"
        "HYP: →3 the cat sat →0 on the mat →6\n"
        "     J              J             J\n"
    ) in text
    text = str(METEOR(stem=unstemmed).explain("the cats sat", ["the cat sat down"]))
    assert "\n\nT same stem   D only in REF\n\n2 exact matches, 1 stem match, 1 deletion " in text
    assert "REF: the cat  sat down\nHYP: the cats sat ****\n         T        D\n" in text
