"""The Poisson bootstrap: its oracle, parts in any order, and its weights for fixed seeds."""

from collections.abc import Callable
from itertools import pairwise
from math import exp, factorial, inf, isfinite
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, SegmentScores, StatsTable
from rapidbleu.significance import bootstrap, sum_resamples
from rapidbleu.significance.resamples import id_keys, score_of_sums
from reference import poisson as oracle
from support.corpora import random_corpus
from support.family import METRICS
from support.places import TESTS
from support.processes import repeat_at_lower_levels

HYPS, REFS = random_corpus(Random("poisson"), 400, kind="german", n_refs=2)
LINES = {
    name: (TESTS / "data" / f"{name}.txt").read_text("utf-8").splitlines()
    for name in ("hyp.en", "ref.en.a", "ref.en.b")
}


def rows_of(n: int, most: int = 60, width: int = 3) -> Any:
    return np.random.default_rng(n).integers(0, most, (n, width))


IDS: dict[str, Any] = {
    "numbers": range(40),
    "any integers": [-1, -(2**63), 2**63 - 1, 2**32, 2**32 - 1, *range(-100, -65)],
    "int32": np.arange(40, dtype=np.int32) - 20,
    "texts": [f"doc-{i % 3}/segment-{i}" for i in range(40)],
    "short texts": ["x" * i for i in range(40)],
    "any texts": ["\x00", "é" * 99, "\ud800", "\udc00\ud800", "字", "😀 é", *map(str, range(34))],
    "an array of texts": np.array([f"é{i}" for i in range(40)]),
}


@pytest.mark.parametrize("seed", [0, 12345, 2**32, 2**64 - 1])
@pytest.mark.parametrize("ids", IDS)
def test_sums_are_those_of_the_oracle(ids: str, seed: int) -> None:
    rows, own = rows_of(40), IDS[ids]
    listed = own.tolist() if isinstance(own, np.ndarray) else list(own)
    expected = oracle.sums(rows.tolist(), listed, 9, seed)
    found = sum_resamples(rows, own, 9, seed)
    assert found.dtype == np.int64
    assert found.tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 3, 4, 127, 128, 129, 259])
def test_any_number_of_resamples(n: int) -> None:
    rows = rows_of(5)
    assert sum_resamples(rows, range(5), n, 3).tolist() == oracle.sums(
        rows.tolist(), range(5), n, 3
    )


@pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 65, 100])
def test_any_number_of_rows_and_columns(n: int) -> None:
    for width in (1, 16, 17, 33):
        rows = rows_of(n, 2**11 + 1, width)
        expected = oracle.sums(rows.tolist(), range(n), 5, 1)
        assert sum_resamples(rows, range(n), 5, 1).tolist() == expected


def test_counts_of_any_size() -> None:
    rows = rows_of(16, 2**55, 2) * [[1, 0]] + np.arange(16)[:, None]
    expected = oracle.sums(rows.tolist(), range(16), 40, 2)
    assert sum_resamples(rows, range(16), 40, 2).tolist() == expected
    assert max(map(max, expected)) > 2**58


@pytest.mark.parametrize(("id", "resample", "expected"), [(858, 494, 8), (820, 955, 9)])
def test_large_weights(id: int, resample: int, expected: int) -> None:
    """One in 100,000 has its highest bit set."""
    found = sum_resamples([[1, 2**40]], [id], resample + 1)[resample]
    assert found.tolist() == [expected, expected * 2**40]
    assert oracle.weight(12345, id, resample) == expected


def test_one_large_count_among_many() -> None:
    """The sum of the counts matters, not their maximum times their number."""
    rows = np.zeros((1000, 2), np.int64)
    rows[7] = 1, 2**57
    found = sum_resamples(rows, range(1000), 9)
    assert found[:, 1].tolist() == [2**57 * oracle.weight(12345, 7, r) for r in range(9)]
    assert found.any()


PINNED = [[0, 0, 2, 1, 2, 0, 1, 1], [1, 1, 0, 0, 3, 0, 2, 0], [2, 0, 2, 0, 4, 2, 1, 2]]
PINNED_KEYS = [4626780474775885962, 9190025305286987506, 10656595274993699358]


def test_the_same_on_every_machine() -> None:
    rows, ids = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["wmt17.1", "wmt17.2", "wmt17.é"]
    assert sum_resamples(rows, ids, 8).T.tolist() == PINNED
    assert id_keys(ids).tolist() == list(map(oracle.key_of, ids)) == PINNED_KEYS


def test_more_rows_than_a_narrow_sum_can_hold() -> None:
    """Sums of odd weights exceed 2**32 after 5 million of the largest narrow counts."""
    n = 5 * 2**20 + 7
    ids = np.arange(n)
    (weights,) = sum_resamples(np.ones((n, 1), np.int64), ids, 1).tolist()
    (found,) = sum_resamples(np.full((n, 1), 2**11 - 1), ids, 1).tolist()
    assert found == [weights[0] * (2**11 - 1)]
    assert abs(weights[0] - n) < 4 * n**0.5


@pytest.mark.parametrize("kind", ["texts", "numbers"])
def test_parts_in_any_order(kind: str) -> None:
    rng, n = Random(kind), 500
    rows = rows_of(n)
    ids: Any = [f"{i}é" for i in range(n)] if kind == "texts" else list(range(-n, 0))
    whole = sum_resamples(rows, ids, 140, 11)
    for k in (1, 2, 3, 7, 50, n):
        order = rng.sample(range(n), n)
        cuts = [0, *sorted(rng.choices(range(n + 1), k=k - 1)), n]
        parts = [order[begin:end] for begin, end in pairwise(cuts)]
        sums = [sum_resamples(rows[own], [ids[i] for i in own], 140, 11) for own in parts]
        assert (sum(sums) == whole).all()


@pytest.mark.parametrize("threads", [0, 2, 3, 8])
def test_number_of_threads_changes_nothing(threads: int) -> None:
    rows = rows_of(1000, 9, 20)
    one = sum_resamples(rows, range(1000), 999)
    assert (sum_resamples(rows, range(1000), 999, threads=threads) == one).all()


def test_shards_and_the_table_that_they_make() -> None:
    bleu = BLEU()
    cuts, ids = [0, 150, 290, 400], [f"s{i}" for i in range(400)]
    for own in (None, ids):
        whole = bleu.stats_table(HYPS, REFS, ids=own)
        shards = [
            bleu.stats_table(
                HYPS[begin:end],
                [stream[begin:end] for stream in REFS],
                shard=(i, 3),
                first=begin,
                ids=own and own[begin:end],
            )
            for i, (begin, end) in enumerate(pairwise(cuts), 1)
        ]
        merged = StatsTable.merge(shards[::-1])
        sums = whole.sum_resamples(200, seed=5)
        assert (merged.sum_resamples(200, seed=5, threads=2) == sums).all()
        assert (sum(own.sum_resamples(200, seed=5) for own in shards) == sums).all()
        assert (merged.poisson_bootstrap(200).samples == whole.poisson_bootstrap(200).samples).all()


def test_systems_and_metrics_have_the_same_resamples() -> None:
    one, other = BLEU().stats_table(HYPS, REFS), BLEU().stats_table(HYPS[::-1], REFS)
    third = CHRF().stats_table(HYPS, REFS)
    both = np.hstack([one.rows, other.rows, third.rows])
    sums = sum_resamples(both, range(400), 60, 9)
    assert (one.sum_resamples(60, seed=9) == sums[:, :10]).all()
    assert (other.sum_resamples(60, seed=9) == sums[:, 10:20]).all()
    assert (third.sum_resamples(60, seed=9) == sums[:, 20:]).all()
    samples: list[Any] = [table.poisson_bootstrap(60, seed=9).samples for table in (one, other)]
    expected = [BLEU().score(row[:10]).score - BLEU().score(row[10:20]).score for row in sums]
    assert (samples[0] - samples[1]).tolist() == expected
    again: Any = BLEU().stats_table(HYPS, REFS).poisson_bootstrap(60, seed=9).samples
    assert (again == samples[0]).all()


@pytest.mark.parametrize("name", ["BLEU", "chrF", "TER", "NIST"])
def test_bootstrap_of_a_table(name: str) -> None:
    metric = METRICS[name]
    table = metric.stats_table(HYPS, REFS)
    found = table.poisson_bootstrap(100, seed=3, level=0.9)
    sums = table.sum_resamples(100, seed=3)
    assert found.samples is not None
    assert found.samples.tolist() == [metric.score(row).score for row in sums]
    assert (found.name, found.score) == (table.score().name, table.score().score)
    assert found.level == 0.9 and found.p_value is None
    assert found.interval == (sorted(found.samples)[5], sorted(found.samples)[-6])
    assert found.to_dict() == score_of_sums(metric, table.score(), sums, 0.9).to_dict()


def test_defaults() -> None:
    table = BLEU().stats_table(HYPS, REFS)
    found, same = table.poisson_bootstrap(), table.poisson_bootstrap(1000, seed=12345, level=0.95)
    assert found.samples is not None and found.to_dict() == same.to_dict()
    assert len(found.samples) == 1000
    assert (sum_resamples(table.rows, range(400)) == table.sum_resamples()).all()
    assert (table.sum_resamples() == table.sum_resamples(1000, seed=12345)).all()


@pytest.mark.parametrize("name", ["BLEU", "chrF", "TER"])
def test_intervals_are_close_to_those_of_the_multinomial_bootstrap(name: str) -> None:
    """Ends differ by less than their standard error, about 5 % of half an interval."""
    metric: Any = METRICS[name]
    table = metric.stats_table(HYPS, REFS)
    ours, theirs = table.poisson_bootstrap(4000), bootstrap(table, None, metric, n_resamples=4000)
    assert ours.half_width == pytest.approx(theirs.half_width, rel=0.06)
    assert abs(ours.mean - theirs.mean) < 0.05 * theirs.half_width
    for own, peer in zip(ours.interval, theirs.interval, strict=True):
        assert abs(own - peer) < 0.08 * theirs.half_width


def test_interval_of_twelve_lines() -> None:
    """Scores vary more, because some resamples have fewer segments."""
    table = BLEU().stats_table(LINES["hyp.en"], [LINES["ref.en.a"], LINES["ref.en.b"]])
    ours, theirs = table.poisson_bootstrap(4000), bootstrap(table, None, BLEU(), n_resamples=4000)
    assert ours.half_width and theirs.half_width and ours.mean and theirs.mean
    assert 1 < ours.half_width / theirs.half_width < 1.15
    assert abs(ours.mean - theirs.mean) < 0.1 * theirs.half_width


def test_interval_of_a_mean_is_that_of_the_formula() -> None:
    values = np.random.default_rng(1).normal(10, 2, 800)
    mean = SegmentScores()
    rows = mean.stats(values)
    found = score_of_sums(mean, mean.score(rows), sum_resamples(rows, range(800), 4000))
    assert found.half_width == pytest.approx(1.96 * values.std() / 800**0.5, rel=0.04)
    assert found.mean == pytest.approx(values.mean(), abs=0.01)


@pytest.mark.parametrize("name", METRICS)
def test_resamples_without_segments(name: str) -> None:
    """For one segment, one resample in e is empty: scored as a segment without words."""
    metric: Any = METRICS[name]
    table = metric.stats_table(["the cat sat on"], [["the cat sat in"], ["a cat sat in"]])
    found, sums = table.poisson_bootstrap(200), table.sum_resamples(200)
    empty = ~sums.any(axis=1)
    assert 50 < empty.sum() < 100
    nothing = metric.score_rows(np.zeros_like(table.rows))[0]
    assert isfinite(nothing)
    assert found.samples is not None and (found.samples[empty] == nothing).all()
    assert found.samples[~empty].tolist() == [metric.score(row).score for row in sums[~empty]]


def weights(ids: Any, n: int, seed: int = 12345) -> Any:
    """Return [n][len(ids)]: how often each id is drawn."""
    return sum_resamples(np.eye(len(ids), dtype=np.int64), ids, n, seed)


P = [exp(-1) / factorial(k) for k in range(6)]
P.append(1 - sum(P))


def surprise(observed: Any, expected: Any) -> float:
    """Return chi-square as an approximately normal number: over 4 once in 30,000 times."""
    counts = np.asarray(observed, float).ravel()
    df = counts.size - 1
    chi_square = ((counts - np.ravel(expected)) ** 2 / np.ravel(expected)).sum()
    return float((chi_square - df) / (2 * df) ** 0.5)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63])
@pytest.mark.parametrize("kind", ["numbers", "large numbers", "texts"])
def test_weights_are_of_the_poisson_distribution(kind: str, seed: int) -> None:
    ids: Any = list(range(100))
    if kind != "numbers":
        ids = [i << 40 for i in ids] if kind == "large numbers" else [f"id{i}" for i in ids]
    drawn = weights(ids, 4000, seed)
    counts = np.bincount(np.minimum(drawn, 6).ravel(), minlength=7)
    assert surprise(counts, drawn.size * np.array(P)) < 4
    assert abs(drawn.mean() - 1) < 4 / drawn.size**0.5
    assert 7 <= drawn.max() <= 12
    by_id, by_resample = drawn.sum(axis=0), drawn.sum(axis=1)
    assert surprise(by_id, np.full(100, 4000.0)) < 4
    assert surprise(by_resample, np.full(4000, 100.0)) < 4


PAIRS: dict[str, Callable[[], tuple[Any, Any]]] = {
    f"resamples {d} apart": lambda d=d: (  # type: ignore[misc]
        weights(range(100), 4000)[:-d],
        weights(range(100), 4000)[d:],
    )
    for d in (1, 2, 3, 4, 64, 128)
}
PAIRS |= {
    "neighbours": lambda: (weights(range(100), 4000), weights(range(1, 101), 4000)),
    "ids far apart": lambda: (
        weights(range(100), 4000),
        weights([i + (1 << 32) for i in range(100)], 4000),
    ),
    "texts": lambda: (
        weights([f"a{i}" for i in range(100)], 4000),
        weights([f"b{i}" for i in range(100)], 4000),
    ),
    "seeds": lambda: (weights(range(100), 4000, 1), weights(range(100), 4000, 2)),
    "large seeds": lambda: (weights(range(100), 4000, 1), weights(range(100), 4000, 2**32 + 1)),
    "an id that is the seed": lambda: (weights([7] * 99, 999, 8)[:, :1], weights([8], 999, 7)),
    "an id and its digits": lambda: (
        weights(range(100), 4000),
        weights([str(i) for i in range(100)], 4000),
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_weights_have_nothing_to_do_with_one_another(pair: str) -> None:
    one, other = (np.minimum(own, 4).ravel() for own in PAIRS[pair]())
    counts = np.bincount(5 * one + other, minlength=25)
    few = np.array([*P[:4], 1 - sum(P[:4])])
    expected = one.size * np.outer(few, few)
    assert surprise(counts, expected) < 4
    assert abs(np.corrcoef(one, other)[0, 1]) < 4 / one.size**0.5


def test_the_same_id_has_the_same_weights() -> None:
    drawn = weights(["a", "b", "a"], 50)
    assert (drawn[:, 0] == drawn[:, 2]).all() and (drawn[:, 0] != drawn[:, 1]).any()


def test_keys_of_ids() -> None:
    texts = ["", "a", "é", "字" * 50_000, "ÉA", "ÉA😀", "AB"]
    texts += ["ab" * k + "é字😀\udfff"[k % 5 : k % 5 + 1] for k in range(40)]
    assert id_keys(texts).tolist() == [oracle.key_of(text) for text in texts]
    assert id_keys(tuple(texts)).tolist() == id_keys(iter(texts)).tolist()
    assert id_keys([]).tolist() == []
    assert id_keys(np.array([3, -1], np.int16)).tolist() == [3, 2**64 - 1]
    assert id_keys([np.int64(3), 2**63 - 1]).tolist() == [3, 2**63 - 1]


@pytest.mark.parametrize(("module", "make"), [("pyarrow", "array"), ("polars", "Series")])
def test_columns_of_other_libraries(module: str, make: str) -> None:
    column = getattr(pytest.importorskip(module), make)
    assert (id_keys(column(["a", "é"])) == id_keys(["a", "é"])).all()
    assert (id_keys(column([5, 7])) == id_keys([5, 7])).all()
    with pytest.raises(TypeError, match=r"ids\[1\]: expected str; got NoneType"):
        id_keys(column(["a", None]))


GOOD = ([[1, 2], [3, 4]], ["a", "b"])


@pytest.mark.parametrize(
    ("rows", "ids", "options", "error", "message"),
    [
        (*GOOD, {"n_resamples": 0}, ValueError, "n_resamples: expected at least 1; got 0"),
        (*GOOD, {"n_resamples": 1.5}, TypeError, "n_resamples: expected int; got float"),
        (*GOOD, {"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        (*GOOD, {"seed": 2**64}, ValueError, "seed: expected at most 18446744073709551615"),
        (*GOOD, {"seed": None}, TypeError, "seed: expected int; got NoneType"),
        (*GOOD, {"threads": -1}, ValueError, "threads: expected 0 for all cores"),
        (*GOOD, {"progress": 1}, TypeError, "progress: expected a callable"),
        ([1, 2], ["a", "b"], {}, ValueError, r"rows: expected shape \(n_rows, n_stats\)"),
        ([[1.5]], ["a"], {}, TypeError, r"rows\[0\]\[0\]: expected an integer; got float"),
        ([[1], [2, 3]], ["a", "b"], {}, ValueError, "rows: expected integers; got lists"),
        ([[1], [-2]], ["a", "b"], {}, ValueError, r"rows\[1\]\[0\]: expected counts from 0 on"),
        (
            [[0, 2**60], [0, 0], [0, 1]],
            range(3),
            {},
            ValueError,
            r"rows\[2\]\[1\]: expected counts from 0 on whose sum is at most 2\*\*60; got 1$",
        ),
        ([[2**60 + 1]], ["a"], {}, ValueError, r"rows\[0\]\[0\]: expected at most 2\*\*60"),
        ([[1], [2]], ["a"], {}, ValueError, "ids: expected 2 items, one for each row; got 1"),
        ([[1], [2]], "ab", {}, TypeError, "ids: expected a sequence of texts or integers"),
        ([[1], [2]], ["a", None], {}, TypeError, r"ids\[1\]: expected str; got NoneType"),
        ([[1], [2]], ["a", 2], {}, TypeError, r"ids\[1\]: expected str; got int"),
        ([[1], [2]], [1, "a"], {}, TypeError, "ids: expected numbers or texts; got both"),
        ([[1], [2]], [1, None], {}, TypeError, "ids: expected texts or integers"),
        ([[1], [2]], [1, 2.5], {}, TypeError, "ids: expected texts or integers"),
        ([[1], [2]], [1, True], {}, TypeError, r"ids\[1\]: expected a number, a str or None"),
        ([[1], [2]], [1, 2**63], {}, ValueError, "ids: expected numbers of 64 bits"),
        ([[1]], [["a"]], {}, TypeError, r"ids\[0\]: expected a number, a str or None; got list"),
        ([[1]], np.array([[1]]), {}, TypeError, "ids"),
    ],
)
def test_bad_input(
    rows: Any, ids: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sum_resamples(rows, ids, **options)


def test_sums_beyond_the_highest_count() -> None:
    """Never wrapped: 12 times 2**60 is below 2**64."""
    drawn = weights([6], 40)[:, 0]
    first = int((drawn > 1).argmax())
    assert drawn[first] > 1 and first > 0
    message = rf"expected sums of at most 2\*\*60; got {drawn[first] * 2**60} in resample {first}$"
    for n in (first + 1, 40):
        with pytest.raises(ValueError, match=message):
            sum_resamples([[2**60]], [6], n)
    assert sum_resamples([[2**60]], [6], first).max() <= 2**60
    half = sum_resamples([[2**59]], [6], first + 1)
    assert half[:, 0].tolist() == [own * 2**59 for own in drawn[: first + 1].tolist()]


def test_wrong_options_of_tables() -> None:
    table = BLEU().stats_table(HYPS[:3], [stream[:3] for stream in REFS])
    for level in (0, 1, inf):
        with pytest.raises(ValueError, match="level: expected a number between 0 and 1"):
            table.poisson_bootstrap(level=level, progress=lambda *_: pytest.fail("work was done"))
    with pytest.raises(TypeError, match="seed: expected int; got str"):
        table.poisson_bootstrap(seed="1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_resamples: expected at least 1"):
        table.sum_resamples(0)


def test_no_rows() -> None:
    assert sum_resamples(np.zeros((0, 3), np.int64), [], 2).tolist() == [[0, 0, 0]] * 2
    full = BLEU().stats_table(HYPS, REFS)
    table = StatsTable(full.metric, full.rows[:0], full.signature)
    assert not table.sum_resamples(7).any() and table.sum_resamples(7).shape == (7, 10)
    with pytest.raises(ValueError, match="expected at least one"):
        table.poisson_bootstrap()
    assert sum_resamples(np.zeros((4, 0), np.int64), range(4), 2).shape == (2, 0)


def test_rows_of_any_layout() -> None:
    rows = rows_of(30, 60, 6)
    expected = sum_resamples(rows[:, ::2].copy(), range(30), 7)
    for given in (rows[:, ::2], rows[:, ::2].astype(np.uint8), rows[:, ::2].tolist()):
        assert (sum_resamples(given, range(30), 7) == expected).all()


@pytest.mark.slow
def test_the_portable_code_finds_the_same() -> None:
    repeat_at_lower_levels(__file__, "oracle or every_machine or narrow or number_of")
