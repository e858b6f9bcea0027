"""The headers of `_core/metrics` and `_core/moves`, called directly."""

from collections.abc import Callable, Iterator
from itertools import accumulate, product
from math import fsum
from random import Random
from types import ModuleType

import pytest

from reference import ter

Probe = Callable[[str], ModuleType]

# Around the width of the beam, and so different that it widens or hides the best alignment.
LENGTHS = [0, 1, 2, 24, 25, 26, 27, 52, 53, 80]
SHORT = [1, 2, 24, 31, 32, 33, 63, 64]
POLL_CELLS = 1 << 22


def texts(rng: Random, n_hyp: int, n_ref: int, n_words: int) -> tuple[list[int], list[int]]:
    """Numbers of tokens, 0 for those that the reference has not."""
    ref = [rng.randint(1, min(n_words, n_ref)) for _ in range(n_ref)]
    hyp = [rng.choice([0, *ref]) if rng.random() < 0.5 else -i for i in range(n_hyp)]
    for i in range(min(n_hyp, n_ref)):
        if hyp[i] < 0:
            hyp[i] = ref[i]
    return [max(word, 0) for word in hyp], ref


def aligned(hyp: list[int], ref: list[int]) -> tuple[list[int], list[int], list[int]]:
    """What the oracle says."""
    align, hyp_wrong, ref_wrong = ter.alignment(hyp, ref)
    return align, [0, *accumulate(hyp_wrong)], [0, *accumulate(ref_wrong)]


def variants(
    rng: Random, hyp: list[int], ref: list[int]
) -> Iterator[tuple[list[int], int, list[int]]]:
    """Words in the place of others, where they begin, and the hypothesis with them."""
    n = len(hyp)
    for begin, end in [(0, 1), (n - 1, n), (0, n), (n // 3, n // 2 + 1)]:
        words = [rng.choice([0, *ref]) for _ in range(begin, end)]
        yield words, begin, [*hyp[:begin], *words, *hyp[end:]]


# Edit distance


@pytest.mark.parametrize("n_hyp", LENGTHS)
def test_distances_and_alignments_within_the_beam(probe: Probe, n_hyp: int) -> None:
    rng = Random(n_hyp)
    for n_ref in [*LENGTHS, 60 * n_hyp + 7]:
        hyp, ref = texts(rng, n_hyp, n_ref, rng.choice([2, 5, 100]))
        beam = probe("probe_metrics").Beam(hyp, ref)
        assert beam.forward() == ter.distances(hyp, ref)[-1][-1]
        assert beam.align() == aligned(hyp, ref)
        assert beam.stays_within()


@pytest.mark.parametrize("n_hyp", [n for n in LENGTHS if n])
def test_distances_of_variants_within_the_beam(probe: Probe, n_hyp: int) -> None:
    """Any stretch may be replaced, by tokens of either text."""
    rng = Random(n_hyp)
    for n_ref in [*LENGTHS, 30 * n_hyp]:
        hyp, ref = texts(rng, n_hyp, n_ref, 5)
        beam = probe("probe_metrics").Beam(hyp, ref)
        beam.forward()
        beam.backward()
        for words, begin, variant in variants(rng, hyp, ref):
            assert beam.replaced(words, begin) == ter.distances(variant, ref)[-1][-1]
        assert beam.stays_within()


@pytest.mark.parametrize("n_hyp", SHORT)
def test_bits_are_those_of_an_endless_beam(
    probe: Probe, n_hyp: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ter, "BEAM", 100)
    rng = Random(n_hyp)
    for n_ref, n_words in product(SHORT, [1, 2, 5, 100]):
        hyp, ref = texts(rng, n_hyp, n_ref, n_words)
        bits = probe("probe_metrics").Bits(hyp, ref)
        assert bits.forward() == ter.distances(hyp, ref)[-1][-1]
        assert bits.align() == aligned(hyp, ref)
        for words, begin, variant in variants(rng, hyp, ref):
            assert bits.replaced(words, begin) == ter.distances(variant, ref)[-1][-1]
        assert bits.stays_within()


def test_work_is_counted_and_ends_when_told(probe: Probe) -> None:
    probes = probe("probe_metrics")
    stop = [RuntimeError("elsewhere")]
    # Cells of ten rows: 11, one on each side, and 7 behind; or those of a word.
    for make, cells in [(probes.Beam, 20), (probes.Bits, 64)]:
        distance = make([1] * 10, [1] * 10)
        distance.forward()
        assert distance.work == 10 * cells
        for work, call in [(0, "forward"), (20, "backward"), (20, "align"), (20, "replaced")]:
            if not hasattr(make, call):
                continue
            distance = make([1, 2] * 5, [2, 1] * 5, stop, POLL_CELLS - 10 * cells - work)
            args = ([1] * 8, 0) if call == "replaced" else ()
            with pytest.raises(RuntimeError, match="elsewhere"):
                distance.forward()
                getattr(distance, call)(*args)


# Moves of blocks


@pytest.mark.parametrize("n_hyp", [10, 80])
def test_moves_end_when_told(probe: Probe, n_hyp: int) -> None:
    hyp, ref, stop = [1, 2] * (n_hyp // 2), [2, 1] * (n_hyp // 2), [RuntimeError("elsewhere")]
    make = probe("probe_metrics").Shifts
    whole = make(hyp, ref)
    whole.distance(0)
    assert whole.work > 0
    assert make(hyp, ref, stop, POLL_CELLS - whole.work - 1).distance(0) == ter.edits(hyp, ref)
    for work in range(1, whole.work, max(1, whole.work // 20)):
        with pytest.raises(RuntimeError, match="elsewhere"):
            make(hyp, ref, stop, POLL_CELLS - work).distance(0)


@pytest.mark.parametrize("n_words", [2, 4, 12, 200])
def test_moves_are_those_of_the_reference(probe: Probe, n_words: int) -> None:
    rng = Random(n_words)
    for n_hyp in (1, 2, 9, 10, 11, 23, 27):
        for n_ref in (1, n_hyp, n_hyp + 3):
            hyp, ref = texts(rng, n_hyp, n_ref, n_words)
            rng.shuffle(hyp)
            shifts = probe("probe_metrics").Shifts(hyp, ref)
            assert shifts.distance(0) == ter.edits(hyp, ref)
            assert shifts.stays_within()


@pytest.mark.parametrize("n_hyp", [40, 64, 65])
@pytest.mark.parametrize("n_ref", [30, 64, 65])
def test_moves_in_texts_that_bits_just_serve(probe: Probe, n_hyp: int, n_ref: int) -> None:
    rng = Random(f"{n_hyp} {n_ref}")
    for _ in range(4):
        hyp, ref = texts(rng, n_hyp, n_ref, 300)
        begin = rng.randrange(20)
        block, hyp = hyp[begin : begin + 5], [*hyp[:begin], *hyp[begin + 5 :]]
        place = rng.randrange(len(hyp))
        hyp[place:place] = block
        shifts = probe("probe_metrics").Shifts(hyp, ref)
        assert shifts.distance(0) == ter.edits(hyp, ref)
        assert shifts.stays_within()


@pytest.mark.parametrize("n_hyp", [1, 3, 10, 20, 30, 38])
def test_the_beam_hides_a_hypothesis_at_an_end_of_its_reference(
    probe: Probe, n_hyp: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is in front of so many other tokens, or behind them, the beam makes a difference."""
    hidden = []
    for n_others in range(22, 28):
        ref = [*range(1, n_hyp + n_others + 1)]
        for hyp in (ref[:n_hyp], ref[-n_hyp:], [0, *ref[-n_hyp:-1]], [*ref[1:n_hyp], 0]):
            expected = ter.edits(hyp, ref)
            assert probe("probe_metrics").Shifts(hyp, ref).distance(0) == expected
            with monkeypatch.context() as patch:
                patch.setattr(ter, "BEAM", 100)
                if ter.edits(hyp, ref) != expected:
                    hidden.append(n_others)
    assert n_hyp < 10 or 25 <= min(hidden) < 27


@pytest.mark.parametrize("way", [49, 50, 51])
@pytest.mark.parametrize("length", [1, 9, 10, 11])
def test_long_blocks_and_long_ways(probe: Probe, way: int, length: int) -> None:
    block, rest = [*range(1, length + 1)], [*range(length + 1, length + 1 + way)]
    for hyp, ref in [([*block, *rest], [*rest, *block]), ([*rest, *block], [*block, *rest])]:
        distance = probe("probe_metrics").Shifts(hyp, ref).distance(0)
        assert distance == ter.edits(hyp, ref)
        assert way == 51 or length == 11 or distance == 1


def test_hypothesis_far_longer_than_its_reference(probe: Probe) -> None:
    """Tokens of it are further away than a move may be."""
    for n_hyp in (60, 64, 65, 130):
        hyp, ref = [*[0] * (n_hyp - 3), 1, 2, 3], [3, 1, 2]
        assert probe("probe_metrics").Shifts(hyp, ref).distance(0) == ter.edits(hyp, ref)


def test_the_search_ends_at_what_any_order_has(probe: Probe) -> None:
    hyp, ref = [2, 1, 3, 4], [1, 2, 3, 4]
    assert probe("probe_metrics").Shifts(hyp, ref).distance(0) == 1
    assert probe("probe_metrics").Shifts(hyp, ref).distance(2) == 2  # as told: it does not search


@pytest.mark.slow
def test_the_search_ends_after_a_thousand_candidates(probe: Probe) -> None:
    rng = Random(3)
    ref = [rng.randint(1, 3) for _ in range(60)]
    hyp = rng.sample(ref, 60)
    assert probe("probe_metrics").Shifts(hyp, ref).distance(0) == ter.edits(hyp, ref)


# Cache of scores


def test_four_values_are_found_together(probe: Probe) -> None:
    cache = probe("probe_metrics").Cache(6)
    counts, totals = [9, 7, 3, 1], [10, 9, 8, 7]
    for k in range(4):
        assert cache.find_four(1, counts, totals) is None
        cache.put(1 + k, counts[k], totals[k], k / 4)
    assert cache.find_four(1, counts, totals) == [0.0, 0.25, 0.5, 0.75]
    assert cache.find_four(2, counts, totals) is None
    assert cache.find_four(1, counts, [10, 9, 8, 8]) is None


def test_counts_of_zero_have_the_name_of_their_number(probe: Probe) -> None:
    module = probe("probe_metrics")
    cache = module.Cache(4)
    names = [5, module.ZEROS - 1, 2, module.ZEROS - 2]
    for k in range(4):
        cache.put(k, names[k], 9 - k, float(k))
    assert cache.find_four(0, [5, 0, 2, 0], [9, 8, 7, 6]) == [0.0, 1.0, 2.0, 3.0]
    assert cache.find_four(0, [5, 0, 0, 0], [9, 8, 7, 6]) is None
    for k in range(4):
        cache.put(k, module.ZEROS - k - 1, 5, 1.0)
    assert cache.find_four(0, [0] * 4, [5] * 4) is None  # no matches at all: the score is 0


def test_integers_out_of_range_are_not_found(probe: Probe) -> None:
    module = probe("probe_metrics")
    for count, total, found in [
        (module.MAX, module.MAX, True),
        (module.MAX + 1, module.MAX, False),
        (1, module.MAX + 1, False),
        (-1, 1, False),
        (1, -1, False),
        (2**32 + 1, 1, False),
    ]:
        cache = module.Cache(4)
        for k in range(4):
            cache.put(k, count % 2**64, total % 2**64, 2.0)
        assert (cache.find_four(0, [count] * 4, [total] * 4) is not None) == found


def test_neighbours_do_not_collide_and_others_replace_each_other(probe: Probe) -> None:
    module = probe("probe_metrics")
    cache = module.Cache(4)
    slots = {cache.slot(2, a, b) for a in range(100, 127) for b in range(1000, 1027)}
    assert len(slots) == 27 * 27
    assert min(slots) >= 2 * module.SLOTS and max(slots) < 3 * module.SLOTS
    assert cache.slot(0, 1, 2) == cache.slot(0, 1, 2 + module.SLOTS)
    for k in range(4):
        cache.put(k, 1, 2, 1.0)
    assert cache.find_four(0, [1] * 4, [2] * 4) == [1.0] * 4
    for k in range(4):
        cache.put(k, 1, 2 + module.SLOTS, 2.0)
    assert cache.find_four(0, [1] * 4, [2] * 4) is None
    assert cache.find_four(0, [1] * 4, [2 + module.SLOTS] * 4) == [2.0] * 4


# common/exact_sum.h


@pytest.mark.parametrize("spread", [0, 3, 53, 54, 110, 500])
def test_sums_are_rounded_once(probe: Probe, spread: int) -> None:
    sum_exactly, rng = probe("probe_metrics").sum_exactly, Random(spread)
    for _ in range(2000):
        terms = [
            rng.choice([-1, 1, rng.uniform(-1, 1)]) * 2.0 ** rng.randint(-spread, spread)
            for _ in range(rng.randint(0, 16))
        ]
        for added in (terms, [*terms[:8], *(-term for term in terms[:8])]):
            assert sum_exactly(added) == fsum(added)
    halves = [1.0, 2.0**-53, 2.0**-106], [1.0, 2.0**-53, -(2.0**-106)], [1.0, 2.0**-53]
    assert [sum_exactly(terms) for terms in halves] == [1 + 2.0**-52, 1.0, 1.0]
