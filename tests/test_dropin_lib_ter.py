"""The edits of TER in plain Python against sacrebleu's, and the compiled ones."""

from random import Random

import pytest

from dropin import PACKAGES, ours

LIBRARIES = {
    name: __import__(f"{package.__name__}.metrics.lib_ter", fromlist=["x"])
    for name, package in PACKAGES.items()
}


def words(rng: Random, n: int, vocabulary: int) -> list[str]:
    return [chr(97 + rng.randrange(vocabulary)) for _ in range(n)]


@pytest.mark.parametrize("vocabulary", [1, 2, 4, 12])
def test_random_words(vocabulary: int) -> None:
    rng = Random(vocabulary)
    for _ in range(120):
        hyp = words(rng, rng.randrange(20), vocabulary)
        ref = words(rng, rng.randrange(20), vocabulary)
        if rng.random() < 0.5:
            cut = rng.randrange(len(ref) + 1)
            hyp = ref[cut:] + ref[:cut]
        theirs, own = (lib.translation_edit_rate(hyp, ref) for lib in LIBRARIES.values())
        assert own == theirs
        traces = [lib.BeamEditDistance(ref)(hyp) for lib in LIBRARIES.values()]
        assert traces[0] == traces[1]
        theirs, own = (lib.trace_to_alignment(traces[0][1]) for lib in LIBRARIES.values())
        assert own == theirs
        row = ours.TER()._extract_corpus_statistics([" ".join(hyp)], [[" ".join(ref)]])
        assert row == [list(map(float, LIBRARIES["rapidbleu"].translation_edit_rate(hyp, ref)))]


@pytest.mark.parametrize(("n_hyp", "n_ref"), [(3, 90), (90, 3), (70, 75), (1, 200), (0, 5), (5, 0)])
def test_beam(n_hyp: int, n_ref: int) -> None:
    rng = Random(n_hyp)
    hyp, ref = words(rng, n_hyp, 30), words(rng, n_ref, 30)
    results = [
        (lib.BeamEditDistance(ref)(hyp), lib.translation_edit_rate(hyp, ref))
        for lib in LIBRARIES.values()
    ]
    assert results[0] == results[1]


def test_one_reference_many_hypotheses() -> None:
    rng = Random(3)
    ref = words(rng, 15, 4)
    distances = [lib.BeamEditDistance(ref) for lib in LIBRARIES.values()]
    for _ in range(200):
        hyp = words(rng, 15, 4)
        theirs, own = (distance(hyp) for distance in distances)
        assert own == theirs


def test_unknown_operation() -> None:
    for lib in LIBRARIES.values():
        with pytest.raises(Exception, match=r"^unknown operation 'x'$"):
            lib.trace_to_alignment(" x")
