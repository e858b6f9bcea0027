"""What executors do, without Spark: candidates to blocks, blocks to lists, problems by segment."""

from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.spark.answers import answering, telling_variances
from rapidbleu.spark.blocks import blocks_of, packing, unpacked
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.parts.answers import answers_to
from rapidbleu.tuning.search.asking import Ask, Line, Trail
from rapidbleu.tuning.search.limits import variances
from support.tuning_lists import made

pa = pytest.importorskip("pyarrow")

METRIC = BLEU(max_ngram_order=1)
NAMES = ("hyp_len", "ref_len", "correct_1", "total_1")


def table_of(nbest: NBestList, names: list[Any] | None = None) -> Any:
    """Candidates as `packing` takes them, in order."""
    lengths = np.diff(nbest.offsets)
    names = nbest.ids.tolist() if names is None else names
    single = nbest.features.dtype == np.float32
    columns = {
        "segment": pa.array([n for n, k in zip(names, lengths, strict=True) for _ in range(k)]),
        "features": pa.array(
            nbest.features.tolist(), pa.list_(pa.float32() if single else pa.float64())
        ),
        **{f"stat_{i}": pa.array(column) for i, column in enumerate(nbest.stats.T.copy())},
        "order": pa.array(np.concatenate([np.arange(n) for n in lengths])),
    }
    return pa.table(columns)


def blocks(table: Any, rows: int, size: int, metric: Any = METRIC, ordered: bool = True) -> Any:
    """The rows of blocks, of batches with so many candidates and some empty ones."""
    batches = [
        one for batch in table.to_batches(max_chunksize=rows) for one in (batch, batch.slice(0, 0))
    ]
    names = tuple(table.column_names[2:-1])
    if len(names) == len(NAMES):
        names = NAMES
    return list(packing(metric, names, ordered, size)(iter(batches)))


def candidates(**columns: list[Any]) -> Any:
    """Three segments of two candidates, with some columns changed."""
    own: dict[str, Any] = {
        "segment": ["a", "a", "b", "b", "c", "c"],
        "features": [[1.0, 2.0]] * 6,
        **{f"stat_{i}": [value] * 6 for i, value in enumerate((5, 5, 3, 5))},
        "order": [0, 1, 3, 7, 1, 2],
    }
    own |= columns
    types = {"segment": pa.string(), "features": pa.list_(pa.float64())}
    return pa.table({k: pa.array(v, types.get(k, pa.int64())) for k, v in own.items()})


@pytest.mark.parametrize("rows", [1, 2, 7, 50, 10_000])
@pytest.mark.parametrize("size", [1, 400, 3000, 1 << 24])
def test_segments_stay_whole(rows: int, size: int) -> None:
    sizes = [1, 3, 40, 2, 2, 1, 1, 30, 5]
    segments = np.repeat(np.arange(9), sizes)
    table = pa.table({"segment": segments, "place": np.arange(len(segments))})
    found = list(blocks_of(iter(table.to_batches(max_chunksize=rows)), size))
    assert pa.concat_tables(found).equals(table)
    first = [one["segment"][0].as_py() for one in found]
    last = [one["segment"][-1].as_py() for one in found]
    assert all(a < b for a, b in zip(last, first[1:], strict=False))
    if size == 1:
        assert len(found) > 1 or rows > 80
    assert all(one.nbytes >= size for one in found[:-1])


def test_blocks_do_not_grow_beyond_their_size() -> None:
    table = pa.table({"segment": np.repeat(np.arange(100), 10), "place": np.arange(1000)})
    found = list(blocks_of(iter(table.to_batches(max_chunksize=20)), 1600))
    assert [len(one) for one in found] == [100] * 10


def test_no_candidates() -> None:
    assert blocks(candidates().slice(0, 0), 5, 100) == []
    assert list(packing(METRIC, NAMES, True)(iter([]))) == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("large", [False, True])
def test_blocks_hold_the_list(dtype: Any, large: bool) -> None:
    nbest = made(3, dtype=dtype, n_features=3)
    if large:
        stats = nbest.stats.copy()
        stats[5] += 1 << 31
        nbest = NBestList(nbest.features, stats, nbest.offsets, metric=nbest.metric)
    names = [f"s{i}" for i in range(nbest.n_segments)]
    found = blocks(table_of(nbest, names), 100, 9000, nbest.metric)
    assert len(found) > 2
    begin = 0
    for batch in found:
        [row] = batch.to_pylist()
        own = unpacked(row, nbest.metric)
        end = begin + own.n_segments
        first, last = nbest.offsets[begin], nbest.offsets[end]
        assert own.features.dtype == dtype
        assert own.features.tolist() == nbest.features[first:last].tolist()
        assert own.stats.tolist() == nbest.stats[first:last].tolist()
        assert own.offsets.tolist() == (nbest.offsets[begin : end + 1] - first).tolist()
        assert row["segments"] == names[begin:end]
        tops = [rows.max() for rows in np.split(nbest.stats, nbest.offsets[1:-1])]
        assert row["top"] == sum(tops[begin:end])
        assert (row["n_features"], row["problem"]) == (3, None)
        begin = end
    assert begin == nbest.n_segments


@pytest.mark.parametrize(
    ("columns", "segment", "problem"),
    [
        ({"features": [[1.0, 2.0]] * 3 + [None] + [[1.0, 2.0]] * 2}, "b",
         "features[1]: expected numbers, got null"),
        ({"features": [[1.0, 2.0]] * 5 + [[1.0, None]]}, "c",
         "features[1][1]: expected a finite number, got null"),
        ({"features": [[1.0, 2.0]] * 2 + [[1.0]] + [[1.0, 2.0]] * 3}, "b",
         "features[0]: expected 2 numbers, got 1"),
        ({"features": [[1.0, 2.0]] * 2 + [[np.nan, 1.0]] + [[1.0, 2.0]] * 3}, "b",
         "features[0][0]: expected a finite number, got nan"),
        ({"features": [[1.0, 2.0]] * 3 + [[1.0, -np.inf]] + [[1.0, 2.0]] * 2}, "b",
         "features[1][1]: expected a finite number, got -inf"),
        ({"features": [[]] * 6}, "a",
         "features: expected shape (n, n_features), one feature at least, got (2, 0)"),
        ({"stat_2": [3, 3, 3, None, 3, 3]}, "b", "correct_1[1]: expected an integer, got null"),
        ({"stat_2": [3, 3, 3, 3, 3, -1]}, "c", "stats[1][2]: expected "),
        ({"stat_2": [3, 3, 3, 3, 6, 3]}, "c", "stats[0][2]: expected at most 5"),
        ({"order": [0, 1, 3, 3, 1, 2]}, "b",
         "order[1]: expected another value for each candidate of a segment, got 3 again"),
        ({"order": [0, 1, 3, 4, 1, None]}, "c", "order[1]: expected a value, got null"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", [1, 10])
def test_problems_name_the_segment(
    columns: dict[str, list[Any]], segment: str, problem: str, rows: int
) -> None:
    [batch] = blocks(candidates(**columns), rows, 1 << 20)
    [row] = batch.to_pylist()
    assert row["problem"].startswith(f"segment {segment!r}: {problem}")
    assert row["segments"] == [segment]
    assert [row[name] for name in ("n_features", "top", "offsets", "features", "stats")] == (
        [None] * 5
    )


def test_segments_without_names_are_refused() -> None:
    for segments in ([None, "a", "b", "b", "c", "c"], [None] * 6):
        found = blocks(candidates(segment=segments), 2, 1)
        problems = [batch.to_pylist()[0]["problem"] for batch in found]
        assert "segment: expected no nulls, got one" in problems


def test_sums_over_all_segments_are_bounded() -> None:
    large = [1 << 59] * 6
    [batch] = blocks(candidates(**{f"stat_{i}": large for i in range(4)}), 6, 1 << 20)
    assert batch.to_pylist()[0]["problem"] == (
        "stats: expected sums of at most 2**60 over all segments, got more"
    )


def test_equal_values_of_order_in_other_segments() -> None:
    [batch] = blocks(candidates(order=[1, 2, 2, 3, 3, 4]), 6, 1 << 20)
    assert batch.to_pylist()[0]["problem"] is None


def test_answers_of_blocks() -> None:
    lists = [made(4, [3, 5, 9], 2), made(5, [30, 2], 2)]
    metric = lists[0].metric
    trail, line = Trail(np.array([0.5, 1.0]), False), Line(np.array([1.0, 0.0]), -np.inf, np.inf)
    trail.steps.append((np.array([0.0, 1.0]), 0.25))
    asks = [Ask(trail), Ask(trail, [line, line])]
    [first], [second] = (blocks(table_of(nbest), 4, 1 << 20, metric) for nbest in lists)
    batches = pa.Table.from_batches([first, second]).combine_chunks().to_batches()
    found = pa.Table.from_batches(answering(asks, metric)(iter(batches)))
    expected = [events.pack() for nbest in lists for events in answers_to(asks, nbest, str)]
    assert len({*expected}) == 4
    assert found["number"].to_pylist() == [0, 1, 2] * 2
    assert found["events"].to_pylist() == expected
    assert found["problem"].to_pylist() == [None] * 6
    told = pa.Table.from_batches(telling_variances(metric)(iter(batches)))
    assert told["segments"].to_pylist() == [[0, 1, 2], [0, 1]]
    assert told["variances"].to_pylist() == [variances(nbest).tobytes() for nbest in lists]


def test_blocks_that_cannot_answer() -> None:
    columns = {"features": [[1.0, 2.0]] * 3 + [[1e308, 1e308]] + [[1.0, 2.0]] * 2}
    found = blocks(candidates(**columns), 6, 1 << 20)
    asks = [Ask(Trail(np.array([1e10, 1e10]), False))]
    [batch] = answering(asks, METRIC)(iter(found))
    assert batch["problem"].to_pylist() == [
        "weights: expected finite sums of weighted features, got others in segment 'b'"
    ]
