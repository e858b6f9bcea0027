"""The edits of TER in plain Python against sacrebleu's, and the compiled ones."""

from random import Random

import pytest

from support.dropin import PACKAGES, ours

LIBRARIES = {
    name: __import__(f"{package.__name__}.metrics.lib_ter", fromlist=["x"])
    for name, package in PACKAGES.items()
}


def words(rng: Random, n: int, vocabulary: int) -> list[str]:
    return [chr(97 + rng.randrange(vocabulary)) for _ in range(n)]


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_constants() -> None:
    theirs, own = LIBRARIES.values()
    names = [name for name, value in vars(theirs).items() if isinstance(value, (int, str, dict))]
    names = [name for name in names if not name.startswith("__")]
    assert len(names) == 15
    assert {name: getattr(own, name) for name in names} == {
        name: getattr(theirs, name) for name in names
    }


def test_parts_of_the_search() -> None:
    rng = Random(5)
    for n in [*range(20), 60]:
        hyp, ref = words(rng, n, 3), words(rng, rng.randrange(1, n + 8), 3)
        theirs, own = LIBRARIES.values()
        assert list(own._find_shifted_pairs(hyp, ref)) == list(theirs._find_shifted_pairs(hyp, ref))
        distances = [lib.BeamEditDistance(ref) for lib in (theirs, own)]
        n_tried = rng.choice([0, 3, 990])
        shifts = [
            lib._shift(hyp, ref, distance, n_tried)
            for lib, distance in zip((theirs, own), distances, strict=True)
        ]
        assert shifts[0] == shifts[1]
        trace = distances[0](hyp)[1]
        assert own._flip_trace(trace) == theirs._flip_trace(trace)
        start = rng.randrange(n + 1)
        length = rng.randrange(n - start + 1)
        for target in range(n + 1):
            assert own._perform_shift(hyp, start, length, target) == theirs._perform_shift(
                hyp, start, length, target
            )


def test_rows_of_edit_distances() -> None:
    rng = Random(6)
    for n_ref in (0, 1, 7, 40, 120):
        ref = words(rng, n_ref, 5)
        distances = [lib.BeamEditDistance(ref) for lib in LIBRARIES.values()]
        n_hyp = rng.randrange(12)  # all alike, as rows depend on it, and shifts do not change it
        for _ in range(20):
            hyp = words(rng, n_hyp, 2)
            found = [distance._find_cache(hyp) for distance in distances]
            assert found[0] == found[1]
            rows = [d._edit_distance(hyp, *own) for d, own in zip(distances, found, strict=True)]
            assert rows[0] == rows[1]
            whole = [d._edit_distance(hyp, 0, [d._initial_row]) for d in distances]
            assert whole[0] == whole[1]
            for distance, (_, missing, _) in zip(distances, rows, strict=True):
                distance._add_cache(hyp, missing)
            assert vars(distances[0]) == vars(distances[1])


def test_cache_stops_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    ref = ["a", "b"]
    sizes = []
    for lib in LIBRARIES.values():
        monkeypatch.setattr(lib, "_MAX_CACHE_SIZE", 3)
        distance = lib.BeamEditDistance(ref)
        for hyp in (["a", "b"], ["c", "d"], ["e"]):
            distance(hyp)
        sizes.append((distance._cache_size, distance._cache))
    assert sizes[0] == sizes[1] and sizes[0][0] == 4
