"""The headers of `_core/metrics`, called directly."""

from collections.abc import Callable
from itertools import accumulate
from math import fsum
from random import Random
from types import ModuleType

import pytest

from reference import ter

Probe = Callable[[str], ModuleType]

# Around the width of the beam, and so different that it widens or hides the best alignment.
LENGTHS = [0, 1, 2, 24, 25, 26, 27, 52, 53, 80]
POLL_CELLS = 1 << 22


def texts(rng: Random, n_hyp: int, n_ref: int, n_words: int) -> tuple[list[int], list[int]]:
    """Numbers of tokens, 0 for those that the reference has not."""
    ref = [rng.randint(1, n_words) for _ in range(n_ref)]
    hyp = [rng.choice([0, *ref]) if rng.random() < 0.5 else -i for i in range(n_hyp)]
    for i in range(min(n_hyp, n_ref)):
        if hyp[i] < 0:
            hyp[i] = ref[i]
    return [max(word, 0) for word in hyp], ref


# Edit distance


@pytest.mark.parametrize("n_hyp", LENGTHS)
def test_distances_and_alignments(probe: Probe, n_hyp: int) -> None:
    rng = Random(n_hyp)
    for n_ref in [*LENGTHS, 60 * n_hyp + 7]:
        hyp, ref = texts(rng, n_hyp, n_ref, rng.choice([2, 5, 100]))
        beam = probe("probe_metrics").Beam(hyp, ref)
        assert beam.forward() == ter.distances(hyp, ref)[-1][-1]
        align, hyp_wrong, ref_wrong = ter.alignment(hyp, ref)
        expected = (align, [0, *accumulate(hyp_wrong)], [0, *accumulate(ref_wrong)])
        assert beam.align() == expected
        assert beam.stays_within()


@pytest.mark.parametrize("n_hyp", [n for n in LENGTHS if n])
def test_distances_of_variants(probe: Probe, n_hyp: int) -> None:
    """Any stretch may be replaced, by tokens of either text."""
    rng = Random(n_hyp)
    for n_ref in [*LENGTHS, 30 * n_hyp]:
        hyp, ref = texts(rng, n_hyp, n_ref, 5)
        beam = probe("probe_metrics").Beam(hyp, ref)
        beam.forward()
        beam.backward()
        for begin, end in [(0, 1), (n_hyp - 1, n_hyp), (0, n_hyp), (n_hyp // 3, n_hyp // 2 + 1)]:
            words = [rng.choice([0, *ref]) for _ in range(begin, end)]
            expected = ter.distances([*hyp[:begin], *words, *hyp[end:]], ref)[-1][-1]
            assert beam.replaced(words, begin) == expected
        assert beam.stays_within()


def test_work_is_counted_and_ends_when_told(probe: Probe) -> None:
    make = probe("probe_metrics").Beam
    beam = make([1] * 10, [1] * 10)
    beam.forward()
    assert beam.work == 10 * 20  # cells of ten rows: 11, one on each side, and 7 behind
    stop = [RuntimeError("elsewhere")]
    make([1] * 10, [1] * 10, stop).shifted(0)
    for work, call in [(0, "forward"), (20, "backward"), (20, "align"), (0, "shifted")]:
        beam = make([1, 2] * 5, [2, 1] * 5, stop, POLL_CELLS - 10 * 20 - work)
        with pytest.raises(RuntimeError, match="elsewhere"):
            beam.shifted(0) if call == "shifted" else (beam.forward(), getattr(beam, call)())


# Moves of blocks


@pytest.mark.parametrize("n_words", [2, 4, 12, 200])
def test_moves_are_those_of_the_reference(probe: Probe, n_words: int) -> None:
    rng = Random(n_words)
    for n_hyp in (0, 1, 2, 9, 10, 11, 23):
        for n_ref in (0, 1, n_hyp, n_hyp + 3):
            hyp, ref = texts(rng, n_hyp, n_ref, n_words)
            rng.shuffle(hyp)
            numbers = [word if word in ref else 0 for word in hyp]
            assert probe("probe_metrics").Beam(numbers, ref).shifted(0) == ter.edits(hyp, ref)


@pytest.mark.parametrize("way", [49, 50, 51])
@pytest.mark.parametrize("length", [1, 9, 10, 11])
def test_long_blocks_and_long_ways(probe: Probe, way: int, length: int) -> None:
    block, rest = [*range(1, length + 1)], [*range(100, 100 + way)]
    for hyp, ref in [([*block, *rest], [*rest, *block]), ([*rest, *block], [*block, *rest])]:
        distance = probe("probe_metrics").Beam(hyp, ref).shifted(0)
        assert distance == ter.edits(hyp, ref)
        assert way == 51 or length == 11 or distance == 1


def test_the_search_ends_at_what_any_order_has(probe: Probe) -> None:
    hyp, ref = [2, 1, 3, 4], [1, 2, 3, 4]
    assert probe("probe_metrics").Beam(hyp, ref).shifted(0) == 1
    assert probe("probe_metrics").Beam(hyp, ref).shifted(2) == 2  # as told: it does not search


@pytest.mark.slow
def test_the_search_ends_after_a_thousand_candidates(probe: Probe) -> None:
    rng = Random(3)
    ref = [rng.randint(1, 3) for _ in range(60)]
    hyp = rng.sample(ref, 60)
    assert probe("probe_metrics").Beam(hyp, ref).shifted(0) == ter.edits(hyp, ref)


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
